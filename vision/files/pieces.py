"""Pieces that a game may have -> JSON; how they lie is told by :mod:`vision.files.layouts`."""

from typing import Any

from vision.values.pieces import Piece

__all__ = ["described_piece"]


def described_piece(piece: Piece) -> dict[str, Any]:
    """Return what a piece of a set is called, how large it is and how many there are."""
    return {
        "id": piece.id,
        "kind": piece.kind,
        "width_mm": piece.size_mm[0],
        "height_mm": piece.size_mm[1],
        "copies": piece.copies,
    }
