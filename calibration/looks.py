"""Pieces -> what they look like, drawn by their own art."""

from collections.abc import Callable, Mapping
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from vision.errors import CalibrationError
from vision.values.arrays import ImageBGR
from vision.values.pieces import ANY_NUMBER, Faces, Looks, PieceSet

__all__ = ["draw_faces", "draw_looks"]


def draw_faces(
    pieces: PieceSet, px_per_mm: float = 4.0, images: NDArray[np.uint8] | None = None
) -> Faces:
    """Draw the faces of all cards of a set by its own art.

    Sheets of the cards' own size are looked for as cards. Printed frames are those that the art
    tells as ``FRAMES``, if it does: all that is drawn must have them. ``images`` (K, H, W, 3) are
    the faces, where this has drawn them before.

    Raises
    ------
    CalibrationError
        If it has no cards, or nothing that draws them.
    ValueError
        If ``images`` are not those of the cards.
    """
    cards = pieces.of_kind("card")
    if not cards or not pieces.art:
        msg = f"{pieces.name}: there are no cards that can be drawn, so no photo can be read"
        raise CalibrationError(msg)
    frames = getattr(import_module(pieces.art.partition(":")[0]), "FRAMES", ())
    cards += tuple(p for p in pieces.of_kind("sheet") if p.size_mm == cards[0].size_mm)
    width, height = cards[0].size_mm
    if images is None:
        draw = _art_of(pieces)
        images = np.stack([draw(card.id, px_per_mm) for card in cards])
    if len(images) != len(cards) or not _are_pictures(images):
        msg = f"images: expected {len(cards)} pictures, got {images.shape}"
        raise ValueError(msg)
    return Faces(
        names=tuple((card.id,) for card in cards),
        images=images,
        px_per_mm=px_per_mm,
        width_mm=width,
        height_mm=height,
        frames=frames,
        copies=np.array([card.copies or ANY_NUMBER for card in cards]),
        is_whole=True,
    )


def draw_looks(
    pieces: PieceSet, px_per_mm: float = 4.0, art: Mapping[str, ImageBGR] | None = None
) -> Looks:
    """Draw boards, sheets and tokens of a set by its own art.

    ``art`` are their pictures by id, where this has drawn them before.

    Raises
    ------
    ValueError
        If these are not all of them, and only them.
    """
    ids = [piece.id for piece in pieces.of_kind("board", "sheet", "token")]
    if art is None:
        draw = _art_of(pieces)
        art = {piece: draw(piece, px_per_mm) for piece in ids}
    if set(art) != set(ids) or not all(_are_pictures(one[None]) for one in art.values()):
        msg = f"art: expected the pictures of {ids}, got {sorted(art)}"
        raise ValueError(msg)
    return Looks(pieces, {piece: art[piece] for piece in ids})


def _are_pictures(images: NDArray[np.uint8]) -> bool:
    """Return whether an array is a stack of pictures (K, H, W, 3) uint8."""
    return images.ndim == 4 and images.shape[3] == 3 and images.dtype == np.uint8


def _art_of(pieces: PieceSet) -> Callable[[str, float], ImageBGR]:
    """Return what draws the pieces of a set."""
    module, _, name = pieces.art.partition(":")
    draw: Callable[[str, float], ImageBGR] = getattr(import_module(module), name)
    return draw
