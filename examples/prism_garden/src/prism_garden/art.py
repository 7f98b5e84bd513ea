"""A piece's id -> what it looks like: board, lanterns, mirrors and weather cards, by shapes."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from calibration.art.drawing import Disc, Polygon, Shape, Stroke, box, ellipse, mix, rgb
from calibration.art.lettering import Script, letter
from calibration.art.paint import paint_raster
from prism_garden import BED_MM, BOARD_MM, CARD_MM, COLOURS, PIECES, TOKEN_MM, WEATHER
from vision.values.arrays import ImageBGR

__all__ = ["draw", "shapes"]

INK, PAPER, SILVER, WHITE = rgb("#24282E"), rgb("#F0ECDE"), rgb("#C8CFD6"), rgb("#FFFFFF")
PLANTS = tuple(map(rgb, ("#548058", "#78603E", "#96647A", "#B4783C", "#467882")))
SMALL, LARGE = Script(3.4, 0.6), Script(4.6, 0.8)


def draw(piece: str, px_per_mm: float) -> ImageBGR:
    """Draw a piece, upright, cut to its edge: (H, W, 3) uint8."""
    size = next(one.size_mm for one in PIECES.pieces if one.id == piece)
    return paint_raster(shapes(piece), size, px_per_mm)


def shapes(piece: str) -> Sequence[Shape]:
    """Return a piece as shapes in its own frame: mm, the origin in its middle."""
    if piece == "board":
        return [*_board()]
    if piece in WEATHER:
        return [*_card(piece)]
    return [*(_lantern(piece) if piece in COLOURS else _mirror(piece))]


def _ground(width: float, height: float, colour: tuple[int, int, int]) -> Polygon:
    return Polygon(box(-width / 2, -height / 2, width / 2, height / 2), colour)


def _board() -> Iterator[Shape]:
    """Draw beds of which each has a tone and plants of its own, and its name."""
    yield _ground(BOARD_MM, BOARD_MM, PAPER)
    rng = np.random.default_rng(11)
    for k in range(25):
        left, top = ((v - 2.5) * BED_MM for v in divmod(k, 5))
        bed = box(left, top, left + BED_MM, top + BED_MM)
        yield Polygon(bed, mix(PAPER, PLANTS[int(rng.integers(5))], float(rng.uniform(0.1, 0.35))))
        for _ in range(16):
            x, y = rng.uniform(0.12, 0.88, 2) * BED_MM + (left, top)
            long, wide, turn = rng.uniform((1.2, 0.6, 0), (3.2, 1.6, math.pi))
            plant = ellipse((x, y), (long, wide), turn, 16)
            yield Polygon(plant, PLANTS[int(rng.integers(len(PLANTS)))])
        yield Stroke(bed, 0.5, INK, closed=True)
        yield from letter(f"{'abcde'[k // 5]}{k % 5 + 1}".upper(), (left + 2, top + 2), SMALL, INK)


def _lantern(side: str) -> Iterator[Shape]:
    """Draw a lantern that looks up: its light is wide, its foot round or square."""
    yield _ground(TOKEN_MM, TOKEN_MM, rgb(COLOURS[side]))
    yield Polygon(((0, -1), (-8.5, -11.5), (8.5, -11.5)), rgb("#FFF6CD"))
    yield Disc((0, 4), 5.5, INK) if side == "amber" else Polygon(box(-5, -1, 5, 10), INK)


def _mirror(name: str) -> Iterator[Shape]:
    """Draw a mirror that looks up: it rises to the right; an arrow, and its number in dots."""
    yield _ground(TOKEN_MM, TOKEN_MM, SILVER)
    yield Stroke(((-9.5, 9.5), (9.5, -9.5)), 4.5, INK)
    yield Stroke(((-8.5, 8.5), (8.5, -8.5)), 1.8, WHITE)
    yield Polygon(((-5.5, -11), (-8.5, -5.5), (-2.5, -5.5)), INK)
    for k in range(int(name[-1])):
        yield Disc((2.8 + 4.5 * (k % 2), 3 + 4.5 * (k // 2)), 1.7, INK)


def _card(card: str) -> Iterator[Shape]:
    """Draw a weather card: frame and hedge that all share, a large sign of its own."""
    wide, high = CARD_MM[0] / 2, CARD_MM[1] / 2
    yield _ground(*CARD_MM, PAPER)
    yield Stroke(box(3 - wide, 3 - high, wide - 3, high - 3), 1.0, INK, closed=True)
    rng = np.random.default_rng(5)
    for x, y in rng.uniform((-19, 21), (19, 29), (40, 2)):
        yield Disc((x, y), 1.3, PLANTS[int(rng.integers(len(PLANTS)))])
    yield from letter(card.upper(), (-13, -29), LARGE, INK)
    if card == "clear":
        yield Disc((0, -3), 13.0, rgb("#F0AA28"))
    elif card == "fog":
        for k in range(5):
            yield Stroke(
                ((3 * (k % 2) - 16, 6.5 * k - 17), (14, 6.5 * k - 17)), 3.0, rgb("#828C96")
            )
    else:
        for turn in (0, math.pi / 3, 2 * math.pi / 3):
            x, y = 15 * math.sin(turn), 15 * math.cos(turn)
            yield Stroke(((x, y - 3), (-x, -y - 3)), 2.4, rgb("#2878BE"))
