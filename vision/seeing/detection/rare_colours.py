"""Photo -> what shows in colours that are rare in it: things on a cloth, whatever its pattern.

The edges of a pattern join those of a card that lies on it, and round that no one colour prevails.
But a cloth has few colours and shows them all over; a card has others, if only along its border.

References
----------
.. [1] Swain and Ballard, Color Indexing, 1991 (histogram backprojection).
"""

from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.values.arrays import FloatArray, ImageBGR, ImageGray

__all__ = ["RareColourSettings", "find_rare_colours"]

_BINS = 16  # of each channel: noise stays within two, and light that fades over a few
_SHIFT = 4  # bits of a tone that tell nothing of its bin


@dataclass(frozen=True, slots=True)
class RareColourSettings:
    """How colours are counted."""

    every: int = 2  # so many-th pixels are counted
    of_most: tuple[float, ...] = (1 / 8, 1 / 32)  # of how often the commonest colour shows: below,
    # a colour is rare. Where light fades over a cloth its own are rarer than elsewhere
    speck_px: int = 5  # side of a square, of which what is less than half is a speck
    of_all: float = 1 / 800  # of all that shows; a cloth has a few colours, of some bins each


def find_rare_colours(
    picture: ImageBGR, settings: RareColourSettings | None = None
) -> list[ImageGray]:
    """Mark what shows in rare colours.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        Smoothed, so that noise makes no colours of its own.

    Returns
    -------
    list of (H, W) uint8
        For each of the limits 255 where colours are rare, but for specks, else 0.
    """
    s = settings or RareColourSettings()
    of = _bins_of(picture)
    few = np.ascontiguousarray(of[:: s.every, :: s.every])
    counts = _blur_histogram(np.bincount(few.ravel(), minlength=_BINS**3).astype(np.float64))
    limits = {*(share * float(counts.max()) for share in s.of_most), s.of_all * few.size}
    rare = [np.where(counts < limit, 255, 0).astype(np.uint8) for limit in sorted(limits)]
    return [np.asarray(cv2.medianBlur(table.take(of), s.speck_px), np.uint8) for table in rare]


def _bins_of(picture: ImageBGR) -> NDArray[np.uint16]:
    """Return the number (H, W) of each pixel's bin."""
    blue, green, red = (np.asarray(of, np.uint16) for of in cv2.split(picture >> _SHIFT))
    return np.asarray((blue * _BINS + green) * _BINS + red, np.uint16)


def _blur_histogram(counts: FloatArray) -> NDArray[np.float64]:
    """Spread counts (bins^3,) over the bins beside theirs: a colour may lie between two."""
    padded = np.pad(counts.reshape(_BINS, _BINS, _BINS), 1)
    ways = product(((0, 1), (1, 2), (2, 1)), repeat=3)
    shifted = [
        wb * wg * wr * padded[b : b + _BINS, g : g + _BINS, r : r + _BINS]
        for (b, wb), (g, wg), (r, wr) in ways
    ]
    return np.asarray(np.sum(shifted, axis=0).ravel() / 64, np.float64)
