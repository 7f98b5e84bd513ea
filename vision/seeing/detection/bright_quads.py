"""Detects bright or bordered quadrilaterals that may be cards or their printed frames.

A card is a white border round a darker printed frame. So it has two outlines: that of a bright
region (lost on a white cloth, merged where cards touch) and that of the dark region inside (always
there). One threshold yields nearly all cards; where these give no plane, a picture of twice the
size is searched. The template matching that follows decides which of the two outlines a
quadrilateral is, and whether it is a card at all.
"""

from dataclasses import replace

import cv2
import numpy as np

from vision.seeing.detection.quads import QuadSettings, fit_quads, suppress_repeated_quads
from vision.values.arrays import FloatArray, ImageBGR, ImageGray

__all__ = ["find_quads"]


# Lengths are pixels of the reduced image.
_BLOCK = 15  # side of the local mean: a third of the width of a usual card, wider than any border
_OFFSET = 5.0  # least tones above the local mean: faint borders stand out by 6
_OF_TEXTURE = 3.0  # threshold in median deviations from the mean: above the cloth's texture
_MOST_OFFSET = 15.0  # tones: on checked cloth the deviation is that of its squares
_LEAST_PERIMETER = 40  # of the smallest face that can be recognised
# of a bright region, or of the dark one inside it
_QUADS = QuadSettings(min_area_px=200.0, min_side_px=8.0, side_slack_px=1.5)
_OF_CROP = replace(_QUADS, max_area_share=0.9)
_SPARSE = 5  # texture is estimated from every fifth row and column


def find_quads(reduced: ImageBGR, *, is_crop: bool = False) -> FloatArray:
    """Detect the quadrilaterals of one threshold.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 pixels: nearly all cards of most photos are found.
    is_crop : bool
        Whether one card may nearly fill it.

    Returns
    -------
    (N, 4, 2) float64
        Convex, clockwise as seen, first corner arbitrary; pixels of ``reduced``.
    """
    smooth = cv2.GaussianBlur(_min_channel(reduced), (3, 3), 0)
    mask = _above_mean(np.asarray(smooth, np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    long = [np.asarray(c[:, 0], np.int32) for c in contours if len(c) >= _LEAST_PERIMETER]
    settings = _OF_CROP if is_crop else _QUADS
    return suppress_repeated_quads(fit_quads(long, mask.size, settings), settings.repeat_px)


def _min_channel(picture: ImageBGR) -> ImageGray:
    """Return the least of the three channels, in which white stands out from coloured cloth."""
    b, g, r = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(b, g), r), np.uint8)


def _above_mean(smooth: ImageGray) -> ImageGray:
    """Mark pixels that exceed their local mean by more than the cloth's texture does."""
    mean = cv2.blur(smooth, (_BLOCK, _BLOCK), borderType=cv2.BORDER_REPLICATE)
    part = (slice(None, None, _SPARSE),) * 2
    usual = _median(np.asarray(cv2.absdiff(smooth[part].copy(), mean[part].copy()), np.uint8))
    offset = np.clip(_OF_TEXTURE * usual, _OFFSET, _MOST_OFFSET)
    above = cv2.subtract(smooth, mean)
    mask = cv2.threshold(above, float(offset), 255, cv2.THRESH_BINARY)[1]
    if offset > _OFFSET:  # a plain cloth has no specks; the filter would erase thin borders
        mask = cv2.medianBlur(mask, 3)
    return np.asarray(mask, np.uint8)


def _median(tones: ImageGray) -> float:
    """Return the median of tones (H, W)."""
    upto = np.bincount(tones.ravel()).cumsum()
    low, high = np.searchsorted(upto, [(tones.size - 1) // 2, tones.size // 2], side="right")
    return float(low + high) / 2
