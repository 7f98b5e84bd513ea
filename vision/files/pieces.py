"""Pieces that a game may have -> JSON; how they lie is told by :mod:`vision.files.layouts`."""

from typing import Any

from vision.values.pieces import Piece

__all__ = ["component", "described_piece"]


def described_piece(piece: Piece) -> dict[str, Any]:
    """Return what a piece of a set is called, how large it is and how many there are."""
    return {
        "id": piece.id,
        "kind": piece.kind,
        "width_mm": piece.size_mm[0],
        "height_mm": piece.size_mm[1],
        "copies": piece.copies,
    }


def component(piece: Piece) -> dict[str, Any]:
    """Return what a piece is cut out as: its outline and its size.

    ``mm`` is a disc's diameter, the breadth of a hexagon from flat to flat, the edge of a die;
    of all else width and height.
    """
    width, height = piece.size_mm
    if piece.kind == "token":
        return {"id": piece.id, "shape": piece.shape, "mm": min(width, height)}
    if piece.kind == "die":
        return {"id": piece.id, "shape": "cube", "mm": width}
    return {"id": piece.id, "shape": "rectangle", "mm": [width, height]}
