"""Photo -> four-sided things that may be cards, or the printed frames inside cards.

A card is a white border round a darker printed frame, so it shows twice: as the outline of a
bright region (lost on a white cloth, merged where cards touch) and as the outline of the dark
region inside (always there). One threshold shows nearly all cards of an ordinary photo; what it
leaves unexplained is looked at again under several thresholds of two channels, since each fails
somewhere. Which of the two a quadrilateral is, and whether it is a card at all, is left to the
template matching that follows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.imaging.view import halved
from vision.seeing.detection.corners import find_corners
from vision.seeing.detection.quads import QuadSettings, fit_quads, suppress_repeated_quads
from vision.values.arrays import BoolArray, ContourArray, FloatArray, ImageBGR, ImageGray

__all__ = ["BrightOutlines", "BrightQuadSettings", "are_masked", "find_outlines", "find_quads"]


@dataclass(frozen=True, slots=True)
class BrightQuadSettings:
    """How outlines are sought; lengths are pixels of the reduced picture."""

    blocks: tuple[int, ...] = (31, 101)  # about a third of, and more than, a card's width
    offset: float = 5.0  # tones above the local mean, at least: faint borders stand out by 6
    of_texture: float = 3.0  # times the median deviation from it: a cloth's own texture is below
    most_offset: float = 15.0  # and no more: on checked cloth the deviation is that of its squares
    min_perimeter_px: int = 60  # of the smallest face that can be told
    quads: QuadSettings = field(
        default_factory=QuadSettings
    )  # a bright region, or the dark one inside it
    blank_px: int = 3  # round a card that is known: its own edge's blur
    left_px: int = 8  # of what is left in the half-size picture: an elbow has arms of 16 pixels
    box_margin_px: int = 56  # round it: half the wider block, so that the local mean is as before
    most_boxed: float = 0.6  # of the picture; above, it is looked at as a whole


_SPARSE = 5  # of pixels along rows and columns, one is asked for the texture
_GRAIN = 8  # pixels to one of the plan that boxes are drawn in
_QUICK = BrightQuadSettings(  # for a picture of half the size
    blocks=(15,),
    min_perimeter_px=40,
    quads=QuadSettings(min_area_px=200.0, min_side_px=8.0, side_slack_px=1.5),
)


@dataclass(frozen=True, slots=True, eq=False)
class BrightOutlines:
    """What the thresholds left, in pixels of the reduced picture.

    ``quads`` (N, 4, 2): convex quadrilaterals, clockwise as seen, first corner arbitrary.
    ``visible_corners`` (M, 3, 2): two straight stretches that meet: a point on the one, where they
    meet, a point on the other, clockwise round what they enclose. A covered card still shows some.
    """

    quads: FloatArray
    visible_corners: FloatArray


def find_quads(reduced: ImageBGR, settings: BrightQuadSettings = _QUICK) -> FloatArray:
    """Find the quadrilaterals of one threshold: quick, and nearly all cards of most photos.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 pixels.

    Returns
    -------
    (N, 4, 2) float64
        As in :class:`BrightOutlines`.
    """
    smooth = cv2.GaussianBlur(_min_channel(reduced), (3, 3), 0)
    mask = _above_mean(np.asarray(smooth, np.uint8), settings.blocks[0], settings)
    quads = fit_quads(_long_contours(mask, settings), mask.size, settings.quads)
    return suppress_repeated_quads(quads, settings.quads.repeat_px)


def find_outlines(
    reduced: ImageBGR,
    taken: FloatArray | None = None,
    settings: BrightQuadSettings | None = None,
    *,
    within: FloatArray | None = None,
) -> BrightOutlines:
    """Find quadrilaterals and elbows under all thresholds, beside the cards that are known.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 to 2000 pixels.
    taken : (K, 4, 2) float64, optional
        Corners of known cards in the reduced picture; what lies inside is not looked at, and what
        touches one ends there.
    within : (P, 4, 2) float64, optional
        Corners of places in the reduced picture to which the look is confined.
    """
    settings = settings or BrightQuadSettings()
    size_wh = (reduced.shape[1], reduced.shape[0])
    cover = _known_mask(size_wh, taken, settings)
    free = None if cover is None else cv2.bitwise_not(cover)
    half = halved(reduced)
    levels = _otsu_levels(half)
    contours: list[ContourArray] = []
    boxes = (
        _search_boxes(size_wh, half, cover, levels, settings)
        if within is None
        else _boxes_around(within, size_wh, settings)
    )
    for left, top, right, bottom in boxes:
        box = (slice(top, bottom), slice(left, right))
        for mask in _masks(reduced[box], levels, settings):
            beside = mask if free is None else cv2.bitwise_and(mask, free[box])
            contours += _long_contours(np.asarray(beside, np.uint8), settings, (left, top))
    quads = fit_quads(contours, size_wh[0] * size_wh[1], settings.quads)
    quads = suppress_repeated_quads(quads, settings.quads.repeat_px)
    return BrightOutlines(quads, find_corners(contours, size_wh))


def are_masked(
    points: FloatArray, taken: FloatArray, settings: BrightQuadSettings | None = None
) -> BoolArray:
    """Tell which points (M, 2) lie where :func:`find_outlines` does not look, for known cards."""
    blank = (settings or BrightQuadSettings()).blank_px
    told = np.zeros(len(points), np.bool_)
    for corners in taken:
        near = np.flatnonzero((np.abs(points - corners.mean(axis=0)) < np.ptp(corners)).all(axis=1))
        told[near] |= _distance_outside(points[near], corners) < blank
    return told


def _distance_outside(points: FloatArray, corners: FloatArray) -> FloatArray:
    """Return how far (M,) points (M, 2) lie outside a convex polygon (P, 2); 0 within."""
    side = np.roll(corners, -1, axis=0) - corners
    away = points[:, None] - corners
    along = (away * side).sum(axis=2) / np.maximum((side**2).sum(axis=1), 1e-12)
    beside = away - np.clip(along, 0, 1)[..., None] * side
    turn = side[:, 0] * away[..., 1] - side[:, 1] * away[..., 0]
    inside = (turn >= 0).all(axis=1) | (turn <= 0).all(axis=1)
    return np.asarray(np.where(inside, 0.0, np.sqrt((beside**2).sum(axis=2)).min(axis=1)))


def _min_channel(picture: ImageBGR) -> ImageGray:
    """White is bright in every channel: the least of the three parts it from coloured cloth."""
    b, g, r = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(b, g), r), np.uint8)


def _above_mean(smooth: ImageGray, block: int, settings: BrightQuadSettings) -> ImageGray:
    """Mark what is brighter than its neighbourhood, by more than the cloth's texture is."""
    mean = cv2.blur(smooth, (block, block), borderType=cv2.BORDER_REPLICATE)
    part = (slice(None, None, _SPARSE),) * 2
    usual = float(np.median(cv2.absdiff(smooth[part].copy(), mean[part].copy())))
    offset = np.clip(settings.of_texture * usual, settings.offset, settings.most_offset)
    above = cv2.subtract(smooth, mean)
    mask = cv2.threshold(above, float(offset), 255, cv2.THRESH_BINARY)[1]
    if offset > settings.offset:  # a calm cloth has no specks, and a thin border would go with them
        mask = cv2.medianBlur(mask, 3)
    return np.asarray(mask, np.uint8)


def _otsu_levels(picture: ImageBGR) -> tuple[float, float]:
    """Return the thresholds that part the least channel, and the gray one, in two."""
    kind = cv2.THRESH_BINARY | cv2.THRESH_OTSU
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    level, gray_level = (cv2.threshold(c, 0, 255, kind)[0] for c in (_min_channel(picture), gray))
    return float(level), float(gray_level)


def _masks(
    picture: ImageBGR, levels: tuple[float, float], settings: BrightQuadSettings
) -> Iterator[ImageGray]:
    """Yield binary pictures (H, W) in which the white borders stand out."""
    gray = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    for channel, level in zip((_min_channel(picture), gray), levels, strict=True):
        smooth = np.asarray(cv2.GaussianBlur(channel, (3, 3), 0), np.uint8)
        for block in settings.blocks:
            yield _above_mean(smooth, block, settings)
        yield np.asarray(cv2.threshold(smooth, level, 255, cv2.THRESH_BINARY)[1], np.uint8)


def _known_mask(
    size_wh: tuple[int, int], taken: FloatArray | None, settings: BrightQuadSettings
) -> ImageGray | None:
    """Paint the known cards white on black; None if there are none."""
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
    """Return boxes (left, top, right, bottom) round what could be cards beside the known ones."""
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


def _boxes_around(
    places: FloatArray, size_wh: tuple[int, int], settings: BrightQuadSettings
) -> list[tuple[int, int, int, int]]:
    """Return boxes (left, top, right, bottom) round places (P, 4, 2), those that meet joined."""
    plan = np.zeros((-(-size_wh[1] // _GRAIN), -(-size_wh[0] // _GRAIN)), np.uint8)
    for corners in places:
        low = np.floor((corners.min(axis=0) - settings.box_margin_px) / _GRAIN).astype(int)
        high = np.ceil((corners.max(axis=0) + settings.box_margin_px) / _GRAIN).astype(int)
        cv2.rectangle(plan, low.tolist(), high.tolist(), 255, -1)
    return _boxes_of(plan)


def _boxes_of(plan: ImageGray) -> list[tuple[int, int, int, int]]:
    """Return the boxes round the white parts of a plan, in the picture's pixels."""
    boxes = cv2.connectedComponentsWithStats(plan)[2][1:, :4].astype(int) * _GRAIN
    return [(x, y, x + w, y + h) for x, y, w, h in boxes.tolist()]


def _long_contours(
    mask: ImageGray, settings: BrightQuadSettings, corner: tuple[int, int] = (0, 0)
) -> list[ContourArray]:
    """Return the outlines (N, 2) in a binary picture that are long enough; shifted by a corner."""
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE, offset=corner)
    least = settings.min_perimeter_px
    return [np.asarray(c[:, 0], np.int32) for c in contours if len(c) >= least]
