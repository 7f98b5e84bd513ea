"""Faces of a learned deck -> pictures for looking at it: one face, or all of them in rows."""

import math

import cv2
import numpy as np

from vision.errors import DeckError
from vision.values.arrays import ImageBGR
from vision.values.pieces import Faces

__all__ = ["contact_sheet", "face_of"]

_GROUND = 52  # tones: light and dark borders both stand out from it
_GAP = 0.08  # of a card's width, between cards
_MOST_PX = 6000  # of a side: what browsers and phones still open


def face_of(faces: Faces, card: str) -> ImageBGR:
    """Return the first face (H, W, 3) of a card.

    Raises
    ------
    DeckError
        If the deck has no such card.
    """
    for names, image in zip(faces.names, faces.images, strict=True):
        if card in names:
            return np.ascontiguousarray(image)
    msg = f"no card {card[:80]!r} in this deck"
    raise DeckError(msg)


def contact_sheet(faces: Faces, width_px: int = 1600) -> ImageBGR:
    """Lay all faces out in rows, about as wide as high.

    Parameters
    ----------
    faces : Faces
        Of a deck.
    width_px : int
        Width of the sheet; less where a deck of many cards would be too high.

    Returns
    -------
    (H, W, 3) uint8
        The sheet, BGR.
    """
    count, (wide, high) = len(faces.names), faces.size_mm
    columns = max(1, math.ceil(math.sqrt(count * high / wide)))
    rows = math.ceil(count / columns)
    width = min(width_px, _MOST_PX)
    w = max(8, int(width / (columns * (1 + _GAP) + _GAP)))
    h = max(8, round(w * high / wide))
    gap = max(1, round(w * _GAP))
    shape = (rows * (h + gap) + gap, columns * (w + gap) + gap, 3)
    sheet = np.full(shape, _GROUND, np.uint8)
    for k, face in enumerate(faces.images):
        y, x = gap + k // columns * (h + gap), gap + k % columns * (w + gap)
        sheet[y : y + h, x : x + w] = cv2.resize(face, (w, h), interpolation=cv2.INTER_AREA)
    return sheet
