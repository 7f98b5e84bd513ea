"""The board as shapes: a garden of stone slabs; no two squares are alike.

Every square has a pattern of its own and a name, so that any part of the board fixes place and
half-turn. Doors are told by rings as well as by green, red squares by a diamond as well as by red.
"""

import math

import numpy as np

from calibration.art.drawing import Disc, Point, Polygon, Shape, Stroke, arc, box, ellipse, mix, rgb
from calibration.art.lettering import Script, letter
from vision.games.laser_shield.board import DOORS, RED, SQUARE_MM, SQUARES, centre_mm
from vision.games.laser_shield.pieces import BOARD_MM
from vision.games.laser_shield.values import Options

__all__ = ["board_shapes"]

_GROUND, _FRAME = rgb("#E9E2D0"), rgb("#2B2A33")
_SLABS = (rgb("#F4EEDF"), rgb("#E3DBC6"))
_INKS = tuple(rgb(code) for code in ("#7A6C54", "#5E6E7A", "#7C5B62", "#5F7357"))
_GREEN, _RED = rgb("#1F7A4D"), rgb("#B03A3A")
_NAME = Script(3.6, 0.7, 0.8)


def board_shapes() -> list[Shape]:
    """Return the board in its own frame: origin in its middle, mm, in the order to paint."""
    half_w, half_h = BOARD_MM[0] / 2, BOARD_MM[1] / 2
    shapes: list[Shape] = [
        Polygon(box(-half_w, -half_h, half_w, half_h), _FRAME),
        Polygon(box(-half_w + 4, -half_h + 4, half_w - 4, half_h - 4), _GROUND),
    ]
    for k, square in enumerate(SQUARES):
        shapes += _square(square, k)
    for k, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        shapes += _corner(x * 2.5 * SQUARE_MM, y * 1.5 * SQUARE_MM, k)
    return shapes


def _square(square: str, k: int) -> list[Shape]:
    """Draw one square: slab, its own pattern, what it is, its name."""
    x, y = centre_mm(square)
    half = SQUARE_MM / 2
    slab = _SLABS[(round(x / SQUARE_MM + 2.5) + round(y / SQUARE_MM + 1.5)) % 2]
    doors = DOORS[Options().doors]
    shapes: list[Shape] = [
        Polygon(box(x - half, y - half, x + half, y + half), mix(slab, _FRAME, 0.55)),
        Polygon(box(x - half + 0.5, y - half + 0.5, x + half - 0.5, y + half - 0.5), slab),
    ]
    ink = _INKS[k % len(_INKS)]
    if square in doors:
        ink = _GREEN
        shapes += _rings(x, y)
    elif square in RED:
        ink = _RED
        shapes += _diamond(x, y)
    shapes += _pattern(x, y, mix(slab, ink, 0.75), k)
    at = (x - half + 3.2, y - half + 3.2)
    return [*shapes, *letter(square, at, _NAME, mix(ink, _FRAME, 0.4))]


def _pattern(x: float, y: float, ink: tuple[int, int, int], k: int) -> list[Shape]:
    """Scatter leaves, pebbles and twigs that no other square has."""
    rng = np.random.default_rng([41, k])
    shapes: list[Shape] = []
    half = SQUARE_MM / 2 - 4.0
    for _ in range(11):
        at: Point = (x + float(rng.uniform(-half, half)), y + float(rng.uniform(-half + 4, half)))
        turn = float(rng.uniform(0, math.pi))
        kind = int(rng.integers(3))
        if kind == 0:
            size = float(rng.uniform(1.4, 2.6))
            shapes.append(Polygon(ellipse(at, (size, 0.45 * size), turn), ink))
        elif kind == 1:
            shapes.append(Disc(at, float(rng.uniform(0.5, 1.3)), ink))
        else:
            reach = float(rng.uniform(1.8, 3.4))
            step = (reach * math.cos(turn), reach * math.sin(turn))
            ends = ((at[0] - step[0], at[1] - step[1]), (at[0] + step[0], at[1] + step[1]))
            shapes.append(Stroke(ends, 0.5, ink))
    return shapes


def _rings(x: float, y: float) -> list[Shape]:
    """Draw a door: rings of green stones."""
    shapes: list[Shape] = [Disc((x, y), 14.5, mix(_GREEN, _GROUND, 0.72))]
    for radius, width in ((14.5, 1.8), (10.5, 0.9), (6.5, 0.9)):
        shapes.append(Stroke(arc((x, y), radius, 0, 2 * math.pi, 40), width, _GREEN, closed=True))
    return shapes


def _diamond(x: float, y: float) -> list[Shape]:
    """Draw a red square: a diamond that points on."""
    shapes: list[Shape] = []
    for reach, colour in ((17.0, mix(_RED, _GROUND, 0.7)), (11.0, mix(_RED, _GROUND, 0.4))):
        tips = ((x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y))
        shapes += [Polygon(tips, colour), Stroke(tips, 1.0, _RED, closed=True)]
    return shapes


def _corner(x: float, y: float, k: int) -> list[Shape]:
    """Draw what stands in a corner without squares: a well, a tree, a stone ring, a lantern."""
    ink = mix(_FRAME, _GROUND, 0.35)
    shapes: list[Shape] = [
        Stroke(arc((x, y), 15.0 - 3.5 * j, 0, 2 * math.pi, 36), 0.8, ink, closed=True)
        for j in range(k + 1)
    ]
    for j in range(3 + 2 * k):
        turn = 2 * math.pi * j / (3 + 2 * k) + 0.3 * k
        tip = (x + 18.0 * math.cos(turn), y + 18.0 * math.sin(turn))
        shapes += [Stroke(((x, y), tip), 0.7, ink), Disc(tip, 1.6, ink)]
    return shapes
