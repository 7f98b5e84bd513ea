"""A piece of Laser and Shield -> its picture."""

from collections.abc import Sequence

from calibration.art.drawing import Shape
from calibration.art.paint import paint_raster
from calibration.laser_shield.board import board_shapes
from calibration.laser_shield.tokens import token_shapes
from vision.games.laser_shield.pieces import PIECES
from vision.values.arrays import ImageBGR

__all__ = ["draw", "shapes"]


def shapes(piece: str) -> Sequence[Shape]:
    """Return a piece as shapes in its own frame, mm."""
    return board_shapes() if piece == "board" else token_shapes(piece)


def draw(piece: str, px_per_mm: float) -> ImageBGR:
    """Draw a piece, upright, cut to its edge: (H, W, 3) uint8."""
    (size,) = (one.size_mm for one in PIECES.pieces if one.id == piece)
    return paint_raster(shapes(piece), size, px_per_mm)
