"""Compares a board or sheet in a photo with its print: what the print does not explain lies on it.

The photo is rectified in the colours of the art. Differences that a small offset of the print
explains are removed, as paper may be shifted or wavy; shadow and light remain, in lightness only.
Where the print has strokes, their correlation with the photo tells in any light whether they show.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seeing.estimation.rectify import Rectified
from vision.seeing.pieces.prints import CONTRAST
from vision.values.arrays import BoolArray, ImageBGR, Points

__all__ = [
    "BEYOND",
    "OFF_MM",
    "Comparison",
    "are_things",
    "largest",
    "print_between",
]


OFF_MM = 0.6  # tolerated offset of the print: paper is wavy
BEYOND = 14.0  # least excess over the print (grey levels, any channel)
_FOREIGN = 22.0  # colour difference (grey levels) that shadows never have
_SHADOW = 110.0  # largest darkening by a shadow on the board (grey levels)

_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A rectified board or sheet, and its difference from the print.

    ``image`` (H, W, 3) is BGR in the art's colours; ``wanted`` and ``seen`` (H, W, 3) are the print
    and the photo as lightness, red and blue (both relative to lightness); ``beyond`` (H, W, 3) is
    the signed excess of the photo over the range of the print there; ``on_board`` (H, W) marks the
    print inside the photo, outside of which nothing is beyond it.
    """

    rectified: Rectified
    image: _Floats
    wanted: _Floats
    seen: _Floats
    beyond: _Floats
    on_board: BoolArray

    @property
    def differs(self) -> BoolArray:
        """Where (H, W) the photo has other tones than the print."""
        return np.asarray(largest(np.abs(self.beyond)) > BEYOND, np.bool_)

    def correlation(self, radius_mm: float, off_mm: float = 0.0) -> tuple[_Floats, _Floats]:
        """Return how print and photo correlate round each pixel (H, W), and the print's spread.

        Parameters
        ----------
        radius_mm : float
            Of a disc as large as the compared square.
        off_mm : float
            Tolerated offset of the print, either way; the best counts.
        """
        scale = self.rectified.px_per_mm
        side = 2 * round((np.sqrt(np.pi) * radius_mm * scale - 1) / 2) + 1
        off = round(off_mm * scale)

        def mean(values: _Floats) -> _Floats:
            square = cv2.blur(values, (side, side), borderType=cv2.BORDER_REPLICATE)
            return np.asarray(square, np.float32)

        def moments(values: _Floats) -> tuple[_Floats, _Floats]:
            middle = mean(values)
            spread = np.sqrt(np.maximum(mean(values**2) - middle**2, 0))
            return middle, np.asarray(spread, np.float32)

        one, other = self.wanted[..., 0], self.seen[..., 0]
        middle, spread = moments(other)
        best: _Floats = np.full(one.shape, -np.inf, np.float32)
        rows, columns = one.shape
        wide = cv2.copyMakeBorder(one, off, off, off, off, cv2.BORDER_REPLICATE)
        for dy in range(2 * off + 1):
            for dx in range(2 * off + 1):
                moved = np.ascontiguousarray(wide[dy : dy + rows, dx : dx + columns], np.float32)
                own, varies = moments(moved)
                cross = mean(moved * other) - own * middle
                best = np.maximum(best, cross / np.maximum(varies, CONTRAST))
        best /= np.maximum(spread, CONTRAST)
        return best, moments(one)[1]


def largest(values: _Floats) -> _Floats:
    """Return the largest of the three channels (...) of values (..., 3)."""
    return np.maximum(np.maximum(values[..., 0], values[..., 1]), values[..., 2])


def are_things(beyond: _Floats) -> BoolArray:
    """Return where an excess over the print (..., 3) is of a thing: no shadow, no light."""
    light, red, blue = np.moveaxis(beyond, -1, 0)
    coloured = np.maximum(np.abs(red), np.abs(blue)) > _FOREIGN
    return np.asarray(coloured | (light > 2 * BEYOND) | (light < -_SHADOW), np.bool_)


def print_between(
    low_px: Points, high_px: Points, art: ImageBGR, shape_hw: tuple[int, ...]
) -> ImageBGR:
    """Return art (H, W, 3) drawn between two corners; beyond it its edge goes on."""
    scale = float(high_px[0] - low_px[0]) / art.shape[1]
    shrunk = cv2.GaussianBlur(art, (0, 0), max(0.3, 0.4 / scale)) if scale < 1 else art
    warp = np.column_stack([scale * np.eye(2), low_px + 0.5 * scale])
    size = shape_hw[1], shape_hw[0]
    drawn = cv2.warpAffine(shrunk, warp, size, None, cv2.INTER_LINEAR, cv2.BORDER_REPLICATE)
    return np.asarray(drawn, np.uint8)
