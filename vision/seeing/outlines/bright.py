"""Photo -> four-sided things that may be cards, or the printed frames inside cards.

A card is a white border round a darker printed frame, so it shows twice: as the outline of a
bright region (lost on a white cloth, merged where cards touch) and as the outline of the dark
region inside (always there). One threshold shows nearly all cards of an ordinary photo; what it
leaves unexplained is looked at again under several thresholds of two channels, since each fails
somewhere. Which of the two a quadrilateral is, and whether it is a card at all, is left to the
template matching that follows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.imaging.view import halved
from vision.seeing.outlines.elbows import ElbowSettings, find_elbows
from vision.values.arrays import BoolArray, ContourArray, FloatArray, ImageBGR, ImageGray, IntArray

__all__ = ["DetectSettings", "Outlines", "find_outlines", "find_quads"]


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """How outlines are sought; lengths are pixels of the reduced picture."""

    blocks: tuple[int, ...] = (31, 101)  # about a third of, and more than, a card's width
    offset: int = 5  # gray levels above the local mean; cloth texture after blur is 2-4
    min_perimeter_px: int = 60  # of the smallest face that can be told
    min_area_px: float = 450.0  # 18 x 25 px, the smallest face that can be told
    max_area_share: float = 0.25  # of the picture: a card filling more is no table
    min_fill: float = 0.82  # region area over quadrilateral area; rounded corners cost 1-2 %
    corner_slack: float = 0.03  # of the perimeter, that a rough outline may cut off at corners
    most_corners: int = 8  # of a rough outline that may still be a card with dents
    min_side_px: float = 12.0  # a direction good to 5 degrees
    side_ends: float = 0.12  # of a side left out at each end: rounded corners take a twelfth
    side_width: float = 0.06  # of a side's length, to either hand: neighbours' points lie farther
    side_slack_px: float = 2.0  # on top of that: the rough outline's own error
    side_huber_px: float = 0.7  # whole pixels are off by up to half; farther ones count less
    min_side_points: int = 8
    min_sine: float = 0.2  # neighbouring sides within 12 degrees of parallel are no corner
    max_move: float = 0.15  # of the longest side, from the rough corners: else another line won
    min_aspect: float = 0.2  # of the shortest side to the longest; a card seen at 70 degrees: 0.24
    repeat_px: float = 1.5  # corners that near, on average, are the same outline twice
    blank_px: int = 3  # round a card that is known: its own edge's blur
    left_px: int = 24  # of what is left in the half-size picture, to be looked at again
    box_margin_px: int = 56  # round it: half the wider block, so that the local mean is as before
    most_boxed: float = 0.6  # of the picture; above, it is looked at as a whole


_GRAIN = 8  # pixels to one of the plan that boxes are drawn in
_QUICK = DetectSettings(  # for a picture of half the size
    blocks=(15,), min_perimeter_px=40, min_area_px=200.0, min_side_px=8.0, side_slack_px=1.5
)


@dataclass(frozen=True, slots=True, eq=False)
class Outlines:
    """What the thresholds left, in pixels of the reduced picture.

    ``quads`` (N, 4, 2): convex quadrilaterals, clockwise as seen, first corner arbitrary.
    ``elbows`` (M, 3, 2): two straight stretches that meet: a point on the one, where they meet,
    a point on the other, clockwise round what they enclose. A covered card still shows some.
    """

    quads: FloatArray
    elbows: FloatArray


def find_quads(reduced: ImageBGR, settings: DetectSettings = _QUICK) -> FloatArray:
    """Find the quadrilaterals of one threshold: quick, and nearly all cards of most photos.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 pixels.

    Returns
    -------
    (N, 4, 2) float64
        As in :class:`Outlines`.
    """
    smooth = cv2.GaussianBlur(_least(reduced), (3, 3), 0)
    mask = _above_mean(np.asarray(smooth, np.uint8), settings.blocks[0], settings)
    most_area = settings.max_area_share * mask.size
    quads = _fit_quads(_trace(mask, settings), most_area, settings)
    return _without_repeats(quads, settings.repeat_px)


def find_outlines(
    reduced: ImageBGR,
    taken: FloatArray | None = None,
    settings: DetectSettings | None = None,
    elbows: ElbowSettings | None = None,
    *,
    within: FloatArray | None = None,
) -> Outlines:
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
    settings = settings or DetectSettings()
    size_wh = (reduced.shape[1], reduced.shape[0])
    most_area = settings.max_area_share * size_wh[0] * size_wh[1]
    cover = _cover(size_wh, taken, settings)
    levels = _otsu_levels(halved(reduced))
    contours: list[ContourArray] = []
    boxes = (
        _boxes_left(reduced, cover, levels, settings)
        if within is None
        else _boxes_round(within, size_wh, settings)
    )
    for left, top, right, bottom in boxes:
        box = (slice(top, bottom), slice(left, right))
        for mask in _masks(reduced[box], levels, settings):
            if cover is not None:
                mask[cover[box] > 0] = 0
            contours += _trace(mask, settings, (left, top))
    quads = _without_repeats(_fit_quads(contours, most_area, settings), settings.repeat_px)
    return Outlines(quads, find_elbows(contours, size_wh, elbows))


def _least(picture: ImageBGR) -> ImageGray:
    """White is bright in every channel: the least of the three parts it from coloured cloth."""
    b, g, r = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(b, g), r), np.uint8)


def _above_mean(smooth: ImageGray, block: int, settings: DetectSettings) -> ImageGray:
    """Mark what is brighter than its neighbourhood."""
    mask = cv2.adaptiveThreshold(
        smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, block, -settings.offset
    )
    return np.asarray(mask, np.uint8)


def _otsu_levels(picture: ImageBGR) -> tuple[float, float]:
    """Return the thresholds that part the least channel, and the gray one, in two."""
    kind = cv2.THRESH_BINARY | cv2.THRESH_OTSU
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    level, gray_level = (cv2.threshold(c, 0, 255, kind)[0] for c in (_least(picture), gray))
    return float(level), float(gray_level)


def _masks(
    picture: ImageBGR, levels: tuple[float, float], settings: DetectSettings
) -> Iterator[ImageGray]:
    """Yield binary pictures (H, W) in which the white borders stand out."""
    gray = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    for channel, level in zip((_least(picture), gray), levels, strict=True):
        smooth = np.asarray(cv2.GaussianBlur(channel, (3, 3), 0), np.uint8)
        for block in settings.blocks:
            yield _above_mean(smooth, block, settings)
        yield np.asarray(cv2.threshold(smooth, level, 255, cv2.THRESH_BINARY)[1], np.uint8)


def _cover(
    size_wh: tuple[int, int], taken: FloatArray | None, settings: DetectSettings
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


def _boxes_left(
    reduced: ImageBGR,
    cover: ImageGray | None,
    levels: tuple[float, float],
    settings: DetectSettings,
) -> list[tuple[int, int, int, int]]:
    """Return boxes (left, top, right, bottom) round what could be cards beside the known ones."""
    height, width = reduced.shape[:2]
    whole = [(0, 0, width, height)]
    if cover is None:
        return whole
    half = halved(reduced)
    least = np.asarray(cv2.GaussianBlur(_least(half), (3, 3), 0), np.uint8)
    bright = _above_mean(least, settings.blocks[0] // 2 | 1, settings)
    bright = np.maximum(bright, cv2.threshold(least, levels[0], 255, cv2.THRESH_BINARY)[1])
    size = (half.shape[1], half.shape[0])
    bright[cv2.resize(cover, size, interpolation=cv2.INTER_NEAREST) > 0] = 0
    stats = cv2.connectedComponentsWithStats(bright)[2][1:]
    large = stats[stats[:, 2:4].max(axis=1) >= settings.left_px]
    margin, grain = settings.box_margin_px, _GRAIN
    field = np.zeros((-(-height // grain), -(-width // grain)), np.uint8)
    for x, y, w, h, _ in large.astype(int):
        corner = ((2 * x - margin) // grain, (2 * y - margin) // grain)
        end = ((2 * (x + w) + margin) // grain, (2 * (y + h) + margin) // grain)
        cv2.rectangle(field, corner, end, 255, -1)
    boxes = cv2.connectedComponentsWithStats(field)[2][1:].astype(int) * grain
    if (boxes[:, 2] * boxes[:, 3]).sum() > settings.most_boxed * width * height:
        return whole
    return [
        (int(x), int(y), int(min(x + w, width)), int(min(y + h, height))) for x, y, w, h, _ in boxes
    ]


def _boxes_round(
    places: FloatArray, size_wh: tuple[int, int], settings: DetectSettings
) -> list[tuple[int, int, int, int]]:
    """Return boxes (left, top, right, bottom) round places (P, 4, 2), those that meet joined."""
    field = np.zeros((-(-size_wh[1] // _GRAIN), -(-size_wh[0] // _GRAIN)), np.uint8)
    for corners in places:
        low = np.floor((corners.min(axis=0) - settings.box_margin_px) / _GRAIN).astype(int)
        high = np.ceil((corners.max(axis=0) + settings.box_margin_px) / _GRAIN).astype(int)
        cv2.rectangle(field, low.tolist(), high.tolist(), 255, -1)
    boxes = cv2.connectedComponentsWithStats(field)[2][1:].astype(int) * _GRAIN
    return [
        (int(x), int(y), int(min(x + w, size_wh[0])), int(min(y + h, size_wh[1])))
        for x, y, w, h, _ in boxes
    ]


def _trace(
    mask: ImageGray, settings: DetectSettings, corner: tuple[int, int] = (0, 0)
) -> list[ContourArray]:
    """Return the outlines (N, 2) in a binary picture that are long enough; shifted by a corner."""
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE, offset=corner)
    least = settings.min_perimeter_px
    return [np.asarray(c[:, 0], np.int32) for c in contours if len(c) >= least]


def _fit_quads(
    contours: Sequence[ContourArray], most_area: float, settings: DetectSettings
) -> FloatArray:
    """Return the quadrilaterals (N, 4, 2) among closed contours, of lines fitted to their sides."""
    rough = [_rough_quad(contour, most_area, settings) for contour in contours]
    four = [i for i, corners in enumerate(rough) if corners is not None]
    if not four:
        return np.zeros((0, 4, 2))
    corners = np.array([rough[i] for i in four], np.float64)
    refined, good = _refine_corners([contours[i] for i in four], corners, settings)
    return refined[good]


def _rough_quad(
    contour: ContourArray, most_area: float, settings: DetectSettings
) -> FloatArray | None:
    """Return the corners (4, 2), clockwise, of a contour that may be four-sided; else None."""
    area = cv2.contourArea(contour)
    if not settings.min_area_px <= area <= most_area:
        return None
    hull = cv2.convexHull(contour)
    hull_area = cv2.contourArea(hull)
    if area < settings.min_fill * hull_area:
        return None
    rough = cv2.approxPolyDP(hull, settings.corner_slack * cv2.arcLength(hull, True), True)
    if len(rough) != 4:
        if not 4 < len(rough) <= settings.most_corners:
            return None
        rough = cv2.approxPolyN(hull, 4, ensure_convex=True)
        if rough is None or rough.size != 8:
            return None
    corners = np.asarray(rough, np.float32).reshape(4, 2)
    signed = cv2.contourArea(corners, True)
    if abs(signed) * settings.min_fill > hull_area:
        return None
    return np.asarray(corners if signed > 0 else corners[::-1], np.float64)


def _refine_corners(
    contours: Sequence[ContourArray], corners: FloatArray, settings: DetectSettings
) -> tuple[FloatArray, BoolArray]:
    """Lay a line through the contours' points along each side, and intersect them.

    Returns the corners (N, 4, 2), and which of the N are sound.
    """
    n = len(corners)
    along = np.roll(corners, -1, axis=1) - corners
    length = np.linalg.norm(along, axis=2)
    along = along / np.maximum(length, 1e-9)[..., None]
    across = np.stack([-along[..., 1], along[..., 0]], axis=-1)

    owner = np.repeat(np.arange(n), [len(contour) for contour in contours])
    away = np.concatenate(contours)[:, None].astype(np.float64) - corners[owner]
    t = np.einsum("psi,psi->ps", away, along[owner])
    s = np.einsum("psi,psi->ps", away, across[owner])
    ends, width = settings.side_ends * length, settings.side_width * length + settings.side_slack_px
    near = (t > ends[owner]) & (t < (length - ends)[owner]) & (np.abs(s) < width[owner])
    point, side = np.nonzero(near)
    key = owner[point] * 4 + side
    level, slope = _lines(t[near], s[near], key, 4 * n, settings.side_huber_px)
    enough = np.bincount(key, minlength=4 * n) >= settings.min_side_points

    # side k lies at corner + level across + u (along + slope across)
    level, slope = level.reshape(n, 4), slope.reshape(n, 4)
    direction = along + slope[..., None] * across
    direction = direction / np.linalg.norm(direction, axis=2, keepdims=True)
    start = corners + level[..., None] * across
    before, other = np.roll(direction, 1, axis=1), np.roll(start, 1, axis=1)
    sine = before[..., 0] * direction[..., 1] - before[..., 1] * direction[..., 0]
    apart = start - other
    safe = np.where(np.abs(sine) < 1e-6, 1e-6, sine)
    u = (apart[..., 0] * direction[..., 1] - apart[..., 1] * direction[..., 0]) / safe
    refined = other + u[..., None] * before

    sides = np.linalg.norm(refined - np.roll(refined, -1, axis=1), axis=2)
    moved = np.abs(refined - corners).max(axis=(1, 2))
    good = (length >= settings.min_side_px).all(axis=1) & enough.reshape(n, 4).all(axis=1)
    good &= (np.abs(sine) >= settings.min_sine).all(axis=1)
    good &= moved <= settings.max_move * sides.max(axis=1)
    good &= sides.min(axis=1) >= settings.min_aspect * sides.max(axis=1)
    return refined, good


def _lines(
    t: FloatArray, s: FloatArray, key: IntArray, count: int, huber: float
) -> tuple[FloatArray, FloatArray]:
    """Fit ``s = level + slope t`` to the points (P,) of each of ``count`` keys, robustly."""
    level, slope = np.zeros(count), np.zeros(count)
    weight = np.ones(len(t))
    for _ in range(4):
        sums = [np.bincount(key, weight * x, count) for x in (1.0, t, s, t * t, t * s)]
        total = np.maximum(sums[0], 1e-9)
        t_mean, s_mean = sums[1] / total, sums[2] / total
        spread = sums[3] / total - t_mean**2
        slope = (sums[4] / total - t_mean * s_mean) / np.maximum(spread, 1e-9)
        level = s_mean - slope * t_mean
        off = np.abs(s - level[key] - slope[key] * t)
        weight = huber / np.maximum(off, huber)
    return level, slope


def _without_repeats(quads: FloatArray, repeat_px: float) -> FloatArray:
    """Keep one of each group of near-equal quadrilaterals (N, 4, 2)."""
    if not len(quads):
        return quads
    first = np.argmin(quads.sum(axis=2), axis=1)  # a common first corner
    turned = np.take_along_axis(quads, ((np.arange(4) + first[:, None]) % 4)[..., None], axis=1)
    flat = turned.reshape(-1, 8)
    kept: list[int] = []
    for i, corners in enumerate(flat):
        if not kept or np.abs(flat[kept] - corners).mean(axis=1).min() > repeat_px:
            kept.append(i)
    return np.asarray(turned[kept], np.float64)
