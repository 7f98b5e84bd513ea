"""Cards of one design in several colours -> those whose pictures lie the other way up."""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.values.arrays import FloatArray, ImageBGR
from vision.values.pieces import Faces

__all__ = ["turned_cards"]

_CELLS_WH = (40, 56)  # of a face: its shapes are told, its print is not
_FRAME = 4  # cells at the border that say nothing: frames look the same either way up
_CLEARLY = 0.15  # of correlation by which the half turn must be the better one


def turned_cards(bank: Faces, twins: Sequence[str]) -> tuple[str, ...]:
    """Return the cards whose pictures look like the first one's turned by half.

    Parameters
    ----------
    bank : Faces
        The faces of the deck.
    twins : sequence of str
        Cards with the same art in other colours; the first is compared with the others.
    """
    firsts = {name: k for k, names in reversed(list(enumerate(bank.names))) for name in names}
    shapes = [_shapes(bank.images[firsts[card]]) for card in twins]
    return tuple(
        card
        for card, shape in zip(twins[1:], shapes[1:], strict=True)
        if _alike(shapes[0], shape[::-1, ::-1]) > _alike(shapes[0], shape) + _CLEARLY
    )


def _shapes(face: ImageBGR) -> FloatArray:
    """Return how much each cell of a face differs from those around it, whatever its colour."""
    small = cv2.resize(face, _CELLS_WH, interpolation=cv2.INTER_AREA).astype(np.float64)
    down, right = np.gradient(small, axis=(0, 1))
    change: FloatArray = np.hypot(down, right).sum(axis=2)
    return change[_FRAME:-_FRAME, _FRAME:-_FRAME]


def _alike(one: FloatArray, other: FloatArray) -> float:
    return float(np.corrcoef(one.ravel(), other.ravel())[0, 1])
