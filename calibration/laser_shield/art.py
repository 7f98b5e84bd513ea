"""A piece of Laser and Shield -> its picture; what is cut out of paper beside it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calibration.art.drawing import Shape
from calibration.art.paint import paint_raster
from calibration.laser_shield.bars import bar_shapes
from calibration.laser_shield.board import board_shapes
from calibration.laser_shield.slips import SLIP_MM, slip_shapes
from calibration.laser_shield.tokens import token_shapes
from calibration.printing import Art
from vision.games.laser_shield.pieces import BAR_MM, PIECES
from vision.games.laser_shield.values import TEAMS
from vision.values.arrays import ImageBGR
from vision.values.pieces import Piece, PieceSet

if TYPE_CHECKING:
    from vision.games.laser_shield.game import LaserShield

__all__ = ["art_of", "draw", "shapes"]

_SLIPS = 4  # of each team: a page of A4 or Letter holds eight


def art_of(game: "LaserShield") -> Art:
    """Return what is printed: board and tokens, bars for real pawns, slips to write orders on."""
    pieces = (
        *game.pieces.of_kind("board", "token"),
        Piece("bar", "stick", BAR_MM, copies=6),
        *(Piece(f"slip-{team}", "card", SLIP_MM, copies=_SLIPS) for team in TEAMS),
    )
    faces = {piece.id: piece.size_mm for piece in pieces}
    printed = tuple(
        Piece(piece.id, piece.kind, piece.size_mm, piece.copies, (piece.id,)) for piece in pieces
    )
    return Art(faces, PieceSet(game.pieces.name, printed), shapes)


def shapes(piece: str) -> Sequence[Shape]:
    """Return a piece as shapes in its own frame, mm."""
    if piece == "board":
        return board_shapes()
    if piece == "bar":
        return bar_shapes(BAR_MM)
    kind, _, team = piece.partition("-")
    return slip_shapes(team) if kind == "slip" else token_shapes(piece)


def draw(piece: str, px_per_mm: float) -> ImageBGR:
    """Draw a piece, upright, cut to its edge: (H, W, 3) uint8."""
    (size,) = (one.size_mm for one in PIECES.pieces if one.id == piece)
    return paint_raster(shapes(piece), size, px_per_mm)
