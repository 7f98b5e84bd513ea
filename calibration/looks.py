"""Pieces -> what they look like, drawn by their own art."""

from collections.abc import Callable
from importlib import import_module

import numpy as np

from vision.errors import CalibrationError
from vision.values.arrays import ImageBGR
from vision.values.pieces import ANY_NUMBER, Faces, Looks, PieceSet

__all__ = ["draw_faces", "draw_looks"]


def draw_faces(pieces: PieceSet, px_per_mm: float = 4.0) -> Faces:
    """Draw the faces of all cards of a set by its own art.

    Sheets of the cards' own size are looked for as cards. Printed frames are those that the art
    tells as ``FRAMES``, if it does: all that is drawn must have them.

    Raises
    ------
    CalibrationError
        If it has no cards, or nothing that draws them.
    """
    cards = pieces.of_kind("card")
    if not cards or not pieces.art:
        msg = f"{pieces.name}: there are no cards that can be drawn, so no photo can be read"
        raise CalibrationError(msg)
    draw = _art_of(pieces)
    frames = getattr(import_module(pieces.art.partition(":")[0]), "FRAMES", ())
    cards += tuple(p for p in pieces.of_kind("sheet") if p.size_mm == cards[0].size_mm)
    width, height = cards[0].size_mm
    return Faces(
        names=tuple((card.id,) for card in cards),
        images=np.stack([draw(card.id, px_per_mm) for card in cards]),
        px_per_mm=px_per_mm,
        width_mm=width,
        height_mm=height,
        frames=frames,
        copies=np.array([card.copies or ANY_NUMBER for card in cards]),
    )


def draw_looks(pieces: PieceSet, px_per_mm: float = 4.0) -> Looks:
    """Draw boards, sheets and tokens of a set by its own art."""
    draw = _art_of(pieces)
    drawn = pieces.of_kind("board", "sheet", "token")
    return Looks(pieces, {piece.id: draw(piece.id, px_per_mm) for piece in drawn})


def _art_of(pieces: PieceSet) -> Callable[[str, float], ImageBGR]:
    """Return what draws the pieces of a set."""
    module, _, name = pieces.art.partition(":")
    draw: Callable[[str, float], ImageBGR] = getattr(import_module(module), name)
    return draw
