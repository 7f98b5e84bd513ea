"""Detects bright or bordered quadrilaterals that may be cards or their printed frames.

A card is a white border round a darker printed frame. So it has two outlines: that of a bright
region (lost on a white cloth, merged where cards touch) and that of the dark region inside (always
there). One threshold yields nearly all cards of an ordinary photo. Where these give no plane, the
photo is searched again with several thresholds of two channels, since each fails somewhere. The
template matching that follows decides which of the two outlines a quadrilateral is, and whether it
is a card at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.imaging.view import halved
from vision.seeing.detection.quads import QuadSettings, fit_quads, suppress_repeated_quads
from vision.values.arrays import ContourArray, FloatArray, ImageBGR, ImageGray

__all__ = ["BrightQuadSettings", "find_outlines", "find_quads"]


@dataclass(frozen=True, slots=True)
class BrightQuadSettings:
    """Settings of the detection; lengths are pixels of the reduced image."""

    # of the local mean: about a third of, and more than, a card's width
    blocks: tuple[int, ...] = (31, 101)
    offset: float = 5.0  # least tones above the local mean: faint borders stand out by 6
    # threshold in median deviations from the mean: above the cloth's texture
    of_texture: float = 3.0
    # largest threshold (tones): on checked cloth the deviation is that of its squares
    most_offset: float = 15.0
    min_perimeter_px: int = 60  # of the smallest face that can be recognised
    # of a bright region, or of the dark one inside it
    quads: QuadSettings = field(default_factory=QuadSettings)


_SPARSE = 5  # texture is estimated from every fifth row and column
_QUICK = BrightQuadSettings(  # for an image of half the size
    blocks=(15,),
    min_perimeter_px=40,
    quads=QuadSettings(min_area_px=200.0, min_side_px=8.0, side_slack_px=1.5),
)


def find_quads(reduced: ImageBGR) -> FloatArray:
    """Detect the quadrilaterals of one threshold: fast, and nearly all cards of most photos.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 pixels.

    Returns
    -------
    (N, 4, 2) float64
        As of :func:`find_outlines`.
    """
    smooth = cv2.GaussianBlur(_min_channel(reduced), (3, 3), 0)
    mask = _above_mean(np.asarray(smooth, np.uint8), _QUICK.blocks[0], _QUICK)
    quads = fit_quads(_long_contours(mask, _QUICK), mask.size, _QUICK.quads)
    return suppress_repeated_quads(quads, _QUICK.quads.repeat_px)


def find_outlines(reduced: ImageBGR, settings: BrightQuadSettings | None = None) -> FloatArray:
    """Detect quadrilaterals with all thresholds.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 to 2000 pixels.

    Returns
    -------
    (N, 4, 2) float64
        Convex, clockwise as seen, first corner arbitrary; pixels of ``reduced``.
    """
    settings = settings or BrightQuadSettings()
    masks = _masks(reduced, _otsu_levels(halved(reduced)), settings)
    contours = [contour for mask in masks for contour in _long_contours(mask, settings)]
    quads = fit_quads(contours, reduced.shape[0] * reduced.shape[1], settings.quads)
    return suppress_repeated_quads(quads, settings.quads.repeat_px)


def _min_channel(picture: ImageBGR) -> ImageGray:
    """Return the least of the three channels, in which white stands out from coloured cloth."""
    b, g, r = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(b, g), r), np.uint8)


def _above_mean(smooth: ImageGray, block: int, settings: BrightQuadSettings) -> ImageGray:
    """Mark pixels that exceed their local mean by more than the cloth's texture does."""
    mean = cv2.blur(smooth, (block, block), borderType=cv2.BORDER_REPLICATE)
    part = (slice(None, None, _SPARSE),) * 2
    usual = _median(np.asarray(cv2.absdiff(smooth[part].copy(), mean[part].copy()), np.uint8))
    offset = np.clip(settings.of_texture * usual, settings.offset, settings.most_offset)
    above = cv2.subtract(smooth, mean)
    mask = cv2.threshold(above, float(offset), 255, cv2.THRESH_BINARY)[1]
    if offset > settings.offset:  # a plain cloth has no specks; the filter would erase thin borders
        mask = cv2.medianBlur(mask, 3)
    return np.asarray(mask, np.uint8)


def _median(tones: ImageGray) -> float:
    """Return the median of tones (H, W)."""
    upto = np.bincount(tones.ravel()).cumsum()
    low, high = np.searchsorted(upto, [(tones.size - 1) // 2, tones.size // 2], side="right")
    return float(low + high) / 2


def _otsu_levels(picture: ImageBGR) -> tuple[float, float]:
    """Return Otsu's thresholds of the least channel and of the gray image."""
    kind = cv2.THRESH_BINARY | cv2.THRESH_OTSU
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    level, gray_level = (cv2.threshold(c, 0, 255, kind)[0] for c in (_min_channel(picture), gray))
    return float(level), float(gray_level)


def _masks(
    picture: ImageBGR, levels: tuple[float, float], settings: BrightQuadSettings
) -> Iterator[ImageGray]:
    """Yield binary images (H, W) in which white borders stand out."""
    gray = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    for channel, level in zip((_min_channel(picture), gray), levels, strict=True):
        smooth = np.asarray(cv2.GaussianBlur(channel, (3, 3), 0), np.uint8)
        for block in settings.blocks:
            yield _above_mean(smooth, block, settings)
        yield np.asarray(cv2.threshold(smooth, level, 255, cv2.THRESH_BINARY)[1], np.uint8)


def _long_contours(mask: ImageGray, settings: BrightQuadSettings) -> list[ContourArray]:
    """Return the contours (N, 2) of a mask that are long enough."""
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    least = settings.min_perimeter_px
    return [np.asarray(c[:, 0], np.int32) for c in contours if len(c) >= least]
