"""Detects bright or bordered quadrilaterals that may be cards or their printed frames.

A card is a white border round a darker printed frame. So it has two outlines: that of a bright
region (lost on a white cloth, merged where cards touch) and that of the dark region inside (always
there). One threshold yields nearly all cards of an ordinary photo. The rest of the photo is
searched again with several thresholds of two channels, since each fails somewhere. The template
matching that follows decides which of the two outlines a quadrilateral is, and whether it is a card
at all.
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
    blank_px: int = 3  # masked round a known card: the blur of its own edge
    # least remaining contour in the half-size image: corner arms have 16 px in the full one
    left_px: int = 8
    box_margin_px: int = 56  # box margin: half the wider block, so that the local mean is unchanged
    # largest share of the image in boxes; above it, the whole image is searched
    most_boxed: float = 0.6


_SPARSE = 5  # texture is estimated from every fifth row and column
_GRAIN = 8  # pixels per cell of the coarse map in which boxes are merged
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


def find_outlines(
    reduced: ImageBGR,
    taken: FloatArray | None = None,
    settings: BrightQuadSettings | None = None,
) -> FloatArray:
    """Detect quadrilaterals with all thresholds, outside the known cards.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 to 2000 pixels.
    taken : (K, 4, 2) float64, optional
        Corners of known cards in the reduced image; their areas are masked, and contours that touch
        them end there.

    Returns
    -------
    (N, 4, 2) float64
        Convex, clockwise as seen, first corner arbitrary; pixels of ``reduced``.
    """
    settings = settings or BrightQuadSettings()
    size_wh = (reduced.shape[1], reduced.shape[0])
    cover = _known_mask(size_wh, taken, settings)
    free = None if cover is None else cv2.bitwise_not(cover)
    half = halved(reduced)
    levels = _otsu_levels(half)
    contours: list[ContourArray] = []
    for left, top, right, bottom in _search_boxes(size_wh, half, cover, levels, settings):
        box = (slice(top, bottom), slice(left, right))
        for mask in _masks(reduced[box], levels, settings):
            beside = mask if free is None else cv2.bitwise_and(mask, free[box])
            contours += _long_contours(np.asarray(beside, np.uint8), settings, (left, top))
    quads = fit_quads(contours, size_wh[0] * size_wh[1], settings.quads)
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


def _known_mask(
    size_wh: tuple[int, int], taken: FloatArray | None, settings: BrightQuadSettings
) -> ImageGray | None:
    """Return a mask of the known cards (255); None if there are none."""
    if taken is None or not len(taken):
        return None
    cover = np.zeros(size_wh[::-1], np.uint8)
    for corners in taken:
        polygon = np.round(corners).astype(np.int32)
        cv2.fillConvexPoly(cover, polygon, 255)
        cv2.polylines(cover, [polygon], True, 255, 2 * settings.blank_px)
    return cover


def _search_boxes(
    size_wh: tuple[int, int],
    half: ImageBGR,
    cover: ImageGray | None,
    levels: tuple[float, float],
    settings: BrightQuadSettings,
) -> list[tuple[int, int, int, int]]:
    """Return boxes (left, top, right, bottom) round bright regions outside the known cards."""
    width, height = size_wh
    whole = [(0, 0, width, height)]
    if cover is None:
        return whole
    least = np.asarray(cv2.GaussianBlur(_min_channel(half), (3, 3), 0), np.uint8)
    bright = _above_mean(least, settings.blocks[0] // 2 | 1, settings)
    white = cv2.threshold(least, levels[0], 255, cv2.THRESH_BINARY)[1]
    size = (half.shape[1], half.shape[0])
    free = cv2.bitwise_not(cv2.resize(cover, size, interpolation=cv2.INTER_NEAREST))
    left = np.asarray(cv2.bitwise_and(cv2.max(bright, white), free), np.uint8)
    around = cv2.findContours(left, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]
    rects = [cv2.boundingRect(c) for c in around if len(c) >= settings.left_px]
    large = [rect for rect in rects if max(rect[2:]) >= settings.left_px]
    margin, grain = settings.box_margin_px, _GRAIN
    plan = np.zeros((-(-height // grain), -(-width // grain)), np.uint8)
    for x, y, w, h in large:
        corner = ((2 * x - margin) // grain, (2 * y - margin) // grain)
        end = ((2 * (x + w) + margin) // grain, (2 * (y + h) + margin) // grain)
        cv2.rectangle(plan, corner, end, 255, -1)
    boxes = _boxes_of(plan)
    covered = sum((right - left) * (bottom - top) for left, top, right, bottom in boxes)
    return whole if covered > settings.most_boxed * width * height else boxes


def _boxes_of(plan: ImageGray) -> list[tuple[int, int, int, int]]:
    """Return the bounding boxes of the coarse map's regions, in pixels of the image."""
    boxes = cv2.connectedComponentsWithStats(plan)[2][1:, :4].astype(int) * _GRAIN
    return [(x, y, x + w, y + h) for x, y, w, h in boxes.tolist()]


def _long_contours(
    mask: ImageGray, settings: BrightQuadSettings, corner: tuple[int, int] = (0, 0)
) -> list[ContourArray]:
    """Return the contours (N, 2) of a mask that are long enough, shifted by ``corner``."""
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE, offset=corner)
    least = settings.min_perimeter_px
    return [np.asarray(c[:, 0], np.int32) for c in contours if len(c) >= least]
