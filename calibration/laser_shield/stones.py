"""A square or a bed -> the stones, grass and leaves that cover it; no two alike."""

import math
from collections.abc import Iterator

import numpy as np
import shapely

from calibration.art.drawing import Colour, Disc, Point, Polygon, Shape, Stroke, ellipse, mix, rgb

__all__ = ["lawn", "pave", "sprig"]

_ROWS = (
    5  #: stones along a side: about 8 mm each, so that a hand's breadth of a web camera tells them
)
_JITTER = 0.42  #: of a stone: more makes slivers, less a grid that repeats itself
_JOINT_MM = 0.55  #: half the width of a joint: 1.1 mm stay visible at 2 px/mm
_TONES = 0.16  #: how much lighter or darker a stone may be: told apart on a grey print too
_SHADOW, _LIGHT = rgb("#2B2A33"), rgb("#FFFFFF")
_GRASS = (rgb("#8FA66B"), rgb("#A9BB85"), rgb("#70894F"))
_LEAF = (rgb("#55743F"), rgb("#6F8C52"), rgb("#3F5C36"))


def pave(centre: Point, half_mm: float, stone: Colour, rng: np.random.Generator) -> Iterator[Shape]:
    """Pave a square with stones that fit each other, like an old courtyard.

    Parameters
    ----------
    centre : (x, y)
        Of the square, mm.
    half_mm : float
        Half its side.
    stone : Colour
        About which the stones vary.
    rng : Generator
        Where the stones lie and how they vary.

    Yields
    ------
    Shape
        The stones, inside the square by half a joint; the joints are what is painted before.
    """
    pitch = 2 * half_mm / _ROWS
    grid = (np.stack(np.meshgrid(*2 * [np.arange(_ROWS)]), -1).reshape(-1, 2) + 0.5) * pitch
    grid += rng.uniform(-_JITTER, _JITTER, grid.shape) * pitch - half_mm
    across = [grid, *(np.where(axis, 2 * side * half_mm - grid, grid) for axis, side in _MIRRORS)]
    cells = shapely.voronoi_polygons(shapely.MultiPoint(np.concatenate(across)), ordered=True)
    for cell in shapely.get_parts(cells)[: len(grid)]:
        outline = shapely.get_coordinates(cell)[:-1]
        shrunk = _shrink(outline, _JOINT_MM)
        tone = float(rng.uniform(-_TONES, _TONES))
        colour = mix(stone, _SHADOW if tone < 0 else _LIGHT, abs(tone))
        yield Polygon(_rounded(shrunk + np.asarray(centre)), colour)


_MIRRORS = tuple((np.array(axis), side) for axis in ((1, 0), (0, 1)) for side in (-1, 1))


def _shrink(outline: np.ndarray, by_mm: float) -> np.ndarray:
    """Draw a convex outline together so that every side moves in by about a length."""
    middle = outline.mean(0)
    after = np.roll(outline, -1, 0)
    along = after - outline
    normal = np.stack([-along[:, 1], along[:, 0]], 1) / np.hypot(*along.T)[:, None]
    reach = np.abs(((outline - middle) * normal).sum(1)).min()
    return np.asarray(middle + (outline - middle) * max(0.3, 1 - by_mm / reach))


def _rounded(outline: np.ndarray) -> tuple[Point, ...]:
    """Cut the corners of an outline, twice."""
    for _ in range(2):
        after = np.roll(outline, -1, 0)
        outline = np.stack([0.82 * outline + 0.18 * after, 0.18 * outline + 0.82 * after], 1)
        outline = outline.reshape(-1, 2)
    return tuple((float(x), float(y)) for x, y in outline)


def lawn(centre: Point, half_mm: float, rng: np.random.Generator) -> Iterator[Shape]:
    """Cover a square with grass: tufts of three blades."""
    x, y = centre
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    yield Polygon(tuple((x + half_mm * u, y + half_mm * v) for u, v in corners), _GRASS[1])
    for at in rng.uniform(-half_mm + 2.2, half_mm - 2.2, (46, 2)):
        ink = _GRASS[2 * int(rng.integers(2))]
        for lean in (-0.5, 0.05, 0.55):
            reach = float(rng.uniform(1.2, 2.0))
            foot = (x + float(at[0]), y + float(at[1]) + 1.0)
            tip = (foot[0] + reach * math.sin(lean), foot[1] - reach * math.cos(lean))
            yield Stroke((foot, tip), 0.4, ink)


def sprig(foot: Point, turn_rad: float, leaves: int, rng: np.random.Generator) -> Iterator[Shape]:
    """Grow a sprig of leaves from a point; 0 is up, clockwise."""
    x, y = foot
    stem: list[Point] = [foot]
    bend = float(rng.uniform(-0.16, 0.16))
    for k in range(leaves):
        turn = turn_rad + bend * k
        x, y = x + 1.9 * math.sin(turn), y - 1.9 * math.cos(turn)
        stem.append((x, y))
    yield Stroke(tuple(stem), 0.45, _LEAF[2])
    for k, (px, py) in enumerate(stem[1:]):
        turn = turn_rad + bend * k + (0.85 if k % 2 else -0.85)
        size = 1.75 - 0.13 * k
        at = (px + size * math.sin(turn), py - size * math.cos(turn))
        yield Polygon(ellipse(at, (0.5 * size, size), turn, 14), _LEAF[k % 2])
    yield Disc(stem[-1], 0.55, _LEAF[2])
