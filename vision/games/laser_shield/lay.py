"""Layout -> table: each pawn's square and heading, with their chances (rules page, "On the table").

A pawn is laid by hand to 6 mm and 6 degrees; that adds to how well it was seen. All squares and all
eight headings are weighed together by ``exp(-r' W r / 2)``.
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from vision.errors import TableNotFoundError
from vision.games.laser_shield.board import DOORS, HEADINGS, SQUARES, centre_mm
from vision.games.laser_shield.values import Options, Pawn, PawnReading, Pose, Table
from vision.geometry import wrap_angle
from vision.judging.grids import weigh
from vision.values.layout import Layout, Placed

__all__ = ["lay"]

_LAID = np.diag([36.0, 36.0, math.radians(6.0) ** 2])  # mm, mm, rad: how far off hands lay a pawn
_LEAST = 1e-3  # a reading less likely than this is none


def lay(layouts: Sequence[Layout], options: Options) -> Table:
    """Read the pawns of a photo.

    Raises
    ------
    TableNotFoundError
        If there is no pawn on the board.
    """
    (layout,) = layouts
    placed = [p for p in layout.placed if p.kind == "token" and not p.piece.startswith("unknown")]
    if not placed:
        msg = "found the board, but no pawn on it; needed at least one: lay the tokens, face up"
        raise TableNotFoundError(msg)
    pawns = tuple(_pawn(p, DOORS[options.doors]) for p in sorted(placed, key=lambda p: p.piece))
    return Table(pawns, {}, options)


def _pawn(placed: Placed, doors: tuple[str, str]) -> Pawn:
    free = [square for square in SQUARES if square not in doors]
    ways = list(product(free, range(8)))
    off = [
        [
            placed.x_mm - centre_mm(square)[0],
            placed.y_mm - centre_mm(square)[1],
            wrap_angle(placed.theta_rad - way * math.pi / 4),
        ]
        for square, way in ways
    ]
    chances = weigh(np.array(off), placed.covariance + _LAID)
    kept = [k for k in np.argsort(-chances, kind="stable") if chances[k] >= _LEAST]
    whole = float(chances[kept].sum())
    readings = tuple(
        PawnReading(ways[k][0], HEADINGS[ways[k][1]], float(chances[k]) / whole) for k in kept
    )
    pose = Pose(placed.x_mm, placed.y_mm, placed.theta_rad, placed.covariance)
    return Pawn(placed.piece, readings[0].square, readings[0].heading, readings, pose)
