"""What fills the four corners without squares: a pond, a compass, a tree, a bed of roses."""

import math
from collections.abc import Iterator

import numpy as np

from calibration.art.drawing import Disc, Point, Polygon, Shape, Stroke, arc, ellipse, mix, rgb
from calibration.art.lettering import Script, letter
from calibration.laser_shield.stones import lawn

__all__ = ["bed"]

_DARK, _WHITE, _STONE = rgb("#2B2A33"), rgb("#FFFFFF"), rgb("#CFC8B8")
_WATER, _PAD, _FISH = rgb("#9DB5B8"), rgb("#5E7D4C"), rgb("#D9C9A8")
_LEAVES = (rgb("#4B6A3C"), rgb("#5F804A"), rgb("#7C9A5C"), rgb("#98B274"))
_ROSE = (rgb("#8E4A5E"), rgb("#B57A88"), rgb("#E5C9CC"))
_NORTH = Script(4.4, 0.9, 0.9)


def bed(centre: Point, half_mm: float, which: int) -> list[Shape]:
    """Draw a corner: grass and what stands on it; 0 is top left, clockwise."""
    rng = np.random.default_rng([43, which])
    drawn = (_pond, _compass, _tree, _roses)[which](centre, rng)
    return [*lawn(centre, half_mm, rng), *drawn]


def _at(centre: Point, radius: float, turn_rad: float) -> Point:
    """Return a point of a circle; 0 is up, clockwise."""
    return centre[0] + radius * math.sin(turn_rad), centre[1] - radius * math.cos(turn_rad)


def _pond(centre: Point, rng: np.random.Generator) -> Iterator[Shape]:
    """Draw a pond with a rim of stones, lily pads and two fish."""
    yield Disc(centre, 17.0, mix(_STONE, _DARK, 0.55))
    for k in range(17):
        turn = 2 * math.pi * (k + 0.3 * float(rng.uniform(-1, 1))) / 17
        tone = mix(_STONE, _WHITE if k % 2 else _DARK, 0.25)
        yield Polygon(ellipse(_at(centre, 15.2, turn), (2.5, 1.6), turn, 14), tone)
    yield Disc(centre, 13.4, mix(_WATER, _DARK, 0.25))
    yield Disc((centre[0] + 0.6, centre[1] + 0.8), 12.4, _WATER)
    for radius, start in ((10.4, 0.4), (7.6, 2.2), (4.4, 4.1)):
        yield Stroke(arc(centre, radius, start, start + 1.7), 0.5, mix(_WATER, _WHITE, 0.6))
    for radius, turn, size in ((8.6, 0.7, 2.8), (9.0, 1.35, 1.9), (8.4, 3.9, 2.4)):
        x, y = _at(centre, radius, turn)
        notch = arc((x, y), size, turn, turn + 5.6, 18)
        yield Polygon(((x, y), *notch), _PAD)
    for radius, turn in ((3.6, 5.2), (6.2, 2.6)):
        x, y = _at(centre, radius, turn)
        yield Polygon(ellipse((x, y), (2.6, 1.0), turn, 16), _FISH)
        yield Polygon(((x, y), _at((x, y), 4.2, turn - 1.9), _at((x, y), 4.2, turn - 1.25)), _FISH)


def _compass(centre: Point, _: np.random.Generator) -> Iterator[Shape]:
    """Draw a paved compass: n is toward row 1."""
    yield Disc(centre, 17.0, mix(_STONE, _DARK, 0.55))
    yield Disc(centre, 16.2, mix(_STONE, _WHITE, 0.3))
    yield Stroke(arc(centre, 11.4, 0, 2 * math.pi, 40), 0.8, mix(_STONE, _DARK, 0.5), closed=True)
    for k in (1, 3, 5, 7, 0, 2, 4, 6):
        turn = math.pi / 4 * k
        reach, wide = (9.0, 2.8) if k % 2 else (13.6 if k else 12.4, 3.6)
        for side in (-1, 1):
            edge = _at(centre, wide, turn + side * math.pi / 4)
            tone = _DARK if side > 0 else mix(_STONE, _DARK, 0.25)
            yield Polygon((centre, edge, _at(centre, reach, turn)), tone)
    yield Disc(_at(centre, 13.0, 0), 3.6, mix(_STONE, _WHITE, 0.3))
    x, y = _at(centre, 13.0, 0)
    yield from letter("N", (x - 1.3, y - 2.2), _NORTH, _DARK)


def _tree(centre: Point, rng: np.random.Generator) -> Iterator[Shape]:
    """Draw a tree from above: crowns of leaves, the lighter the higher."""
    yield Disc((centre[0] + 1.2, centre[1] + 1.4), 16.4, mix(_LEAVES[0], _DARK, 0.45))
    for level, (radius, count) in enumerate(((12.6, 21), (9.2, 17), (5.6, 12), (2.2, 6))):
        for k in range(count):
            turn = 2 * math.pi * (k + 0.5 * level + float(rng.uniform(-0.3, 0.3))) / count
            size = float(rng.uniform(2.2, 3.2))
            where = _at(centre, radius + float(rng.uniform(-0.8, 0.8)), turn)
            tone = mix(_LEAVES[level], _DARK if k % 2 else _WHITE, 0.12)
            yield Polygon(ellipse(where, (0.55 * size, size), turn, 12), tone)


def _roses(centre: Point, rng: np.random.Generator) -> Iterator[Shape]:
    """Draw a bed of roses in four quarters, and paths between them."""
    x, y = centre
    yield Disc(centre, 17.0, mix(_STONE, _DARK, 0.35))
    yield Disc(centre, 16.2, mix(_STONE, _WHITE, 0.2))
    for quarter, count in enumerate((5, 4, 6, 3)):
        middle = math.pi / 4 + math.pi / 2 * quarter
        wedge = arc(centre, 14.8, middle - 0.66 - math.pi / 2, middle + 0.66 - math.pi / 2, 10)
        yield Polygon((_at(centre, 3.4, middle), *wedge), _LEAVES[1])
        for k in range(count):
            turn = middle + (0.42 * (2 * (k % 3) / 2 - 1) if count > 1 else 0)
            where = _at(centre, 8.2 if k >= 3 else 12.2, turn + float(rng.uniform(-0.06, 0.06)))
            for size, tone in zip((2.1, 1.5, 0.8), _ROSE, strict=True):
                yield Disc(where, size, tone)
    yield Disc((x, y), 3.4, mix(_STONE, _DARK, 0.5))
    yield Disc((x, y), 2.4, _WATER)
