"""A piece of Asteroyds, capture -> its picture; and what of it is printed, and how often."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from calibration.art.drawing import Shape
from calibration.art.paint import paint_raster
from calibration.asteroyds_capture.board import board_shapes
from calibration.asteroyds_capture.sheets import sheet_shapes
from calibration.asteroyds_capture.ships import (
    asteroyd_shapes,
    counter_shapes,
    pilot_shapes,
    ship_shapes,
)
from calibration.asteroyds_capture.tiles import (
    home_shapes,
    platform_shapes,
    pod_shapes,
    rock_shapes,
    turret_shapes,
)
from calibration.printing import Art
from vision.games.asteroyds_capture.pieces import PIECES
from vision.values.arrays import ImageBGR
from vision.values.pieces import PieceSet

if TYPE_CHECKING:
    from vision.games.asteroyds_capture.game import AsteroydsCapture

__all__ = ["art_of", "draw", "shapes"]

_PRINTED = {"pod": 5, "counter": 48}  # of what there may be any number of: six ships' counters
_OF_TEAM = {"asteroyd": asteroyd_shapes, "home": home_shapes, "platform": platform_shapes}


def art_of(game: "AsteroydsCapture") -> Art:
    """Return what is printed: everything but the dice."""
    flat = game.pieces.of_kind("board", "token", "sheet")
    printed = tuple(
        replace(piece, copies=_PRINTED.get(piece.id, 1), sides=(piece.id,)) for piece in flat
    )
    faces = {piece.id: piece.size_mm for piece in flat}
    return Art(faces, PieceSet(game.pieces.name, printed), shapes)


def shapes(piece: str) -> Sequence[Shape]:
    """Return a piece as shapes in its own frame, mm."""
    first, _, rest = piece.partition("-")
    alone = {"board": board_shapes, "pod": pod_shapes, "counter": counter_shapes}
    if piece in alone:
        return alone[piece]()
    if first == "pilot":
        return pilot_shapes(rest)
    if first == "rock":
        return rock_shapes(int(rest))
    if first == "sheet":
        team, _, number = rest.partition("-")
        return sheet_shapes(team, int(number))
    if rest.startswith("turret-"):
        return turret_shapes(first, int(rest.removeprefix("turret-")))
    return ship_shapes(first, int(rest)) if rest.isdigit() else _OF_TEAM[rest](first)


def draw(piece: str, px_per_mm: float) -> ImageBGR:
    """Draw a piece, upright, cut to its box: (H, W, 3) uint8."""
    (size,) = (one.size_mm for one in PIECES.pieces if one.id == piece)
    return paint_raster(shapes(piece), size, px_per_mm)
