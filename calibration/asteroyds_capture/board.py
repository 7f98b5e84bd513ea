"""The board as shapes: 91 cells over a dim sky, worlds in its four corners.

Lines and names are thin and dim: what all cells share must not outshine what each has alone.
"""

import math

import numpy as np

from calibration.art.drawing import Point, Shape, Stroke, box, mix
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.asteroyds_capture.palette import SPACE, STAR
from calibration.asteroyds_capture.sky import gas, stars
from calibration.asteroyds_capture.worlds import worlds
from vision.games.asteroyds_capture.board import ACROSS_MM, board_of
from vision.games.asteroyds_capture.pieces import BOARD_MM
from vision.games.asteroyds_capture.values import RADIUS

__all__ = ["board_shapes"]

_SEED = 5  #: any: it only says where gas and stars lie; another one is another board
_LINE_MM = 0.45
_LINE = mix(SPACE, STAR, 0.42)
_NAME, _INK = Script(2.6, 0.45, 0.85), mix(SPACE, STAR, 0.68)


def board_shapes() -> list[Shape]:
    """Return the board in its own frame: origin in its middle, mm, in the order to paint."""
    rng = np.random.default_rng(_SEED)
    half = (BOARD_MM[0] / 2, BOARD_MM[1] / 2)
    shapes = [*gas(half, rng), *stars(half, rng), *worlds(half), *_lines()]
    board = board_of(RADIUS)
    for name in board.cells:
        x, y = board.centre_mm(name)
        left = x - text_width_mm(name, _NAME) / 2
        shapes += letter(name, (left, y + ACROSS_MM / 2 - 4.6), _NAME, _INK)
    frame = box(-half[0] + 2, -half[1] + 2, half[0] - 2, half[1] - 2)
    return [*shapes, Stroke(frame, 0.8, _LINE, closed=True)]


def _corner(k: int, centre: Point) -> Point:
    """Return a corner of a cell, from the right one clockwise."""
    turn = math.pi / 3 * k
    reach = ACROSS_MM / math.sqrt(3)
    return centre[0] + reach * math.cos(turn), centre[1] + reach * math.sin(turn)


def _lines() -> list[Shape]:
    """Draw every side of every cell once; those at the edge of the board twice as wide."""
    board = board_of(RADIUS)
    seen: dict[tuple[int, ...], tuple[Point, Point, int]] = {}
    for name in board.cells:
        centre = board.centre_mm(name)
        for k in range(6):
            ends = _corner(k, centre), _corner(k + 1, centre)
            key = tuple(round(10 * (a + b)) for a, b in zip(*ends, strict=True))
            times = seen[key][2] + 1 if key in seen else 1
            seen[key] = (*ends, times)
    return [
        Stroke((one, other), _LINE_MM if times > 1 else 2 * _LINE_MM, _LINE)
        for one, other, times in seen.values()
    ]
