"""Fits quadrilaterals to four-sided contours by four robust lines.

References
----------
.. [1] Huber, Robust Estimation of a Location Parameter, 1964.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import meet
from vision.imaging.view import sample
from vision.values.arrays import (
    BoolArray,
    ContourArray,
    FloatArray,
    ImageBGR,
    IntArray,
    peak_offset,
)

__all__ = [
    "ENDS",
    "WORK_SIDE_PX",
    "QuadSettings",
    "fit_quads",
    "refine_quads",
    "suppress_repeated_quads",
]


WORK_SIDE_PX = 2100  # of the finest level in which outlines are sought, at most
ENDS = 0.12  # of a side: corners are rounded


@dataclass(frozen=True, slots=True)
class QuadSettings:
    """Criteria of four-sided contours; lengths are pixels of the reduced image."""

    min_area_px: float  # of the smallest face that can be recognised
    side_slack_px: float  # added to a side's width: the error of the approximation
    max_area_share: float = 0.25  # of the image: a larger card leaves no table
    min_fill: float = 0.82  # region area over quadrilateral area; rounded corners cost 1-2 %
    # use the hull as the region, for contours of thin lines that enclose little
    of_hull: bool = False
    corner_slack: float = 0.03  # tolerance of the polygon approximation, of the perimeter
    most_corners: int = 8  # of the approximation of a hull that may still be a card with dents
    min_side_px: float = 12.0  # gives a direction to 5 degrees
    side_ends: float = ENDS  # of a side left out at each end: rounded corners take a twelfth
    # of a side's length, to either side: points of other sides are farther
    side_width: float = 0.06
    side_huber_px: float = 0.7  # contour pixels are off by up to half; larger deviations count less
    min_side_points: int = 8  # least points near a side for a line fit; fewer are chance
    min_sine: float = 0.2  # neighbouring sides within 12 degrees of parallel form no corner
    max_move: float = 0.15  # largest shift of a corner, of the longest side; more: another line won
    # of the shortest side to the longest; a card seen at 70 degrees has 0.24
    min_aspect: float = 0.2
    repeat_px: float = 1.5  # mean corner distance below which two outlines are the same


def fit_quads(
    contours: Sequence[ContourArray], picture_px: int, settings: QuadSettings
) -> FloatArray:
    """Fit quadrilaterals to the four-sided contours.

    Parameters
    ----------
    contours : sequence of (P, 2) int32
        Closed, in pixels of the reduced image.
    picture_px : int
        Number of pixels of that image.

    Returns
    -------
    (N, 4, 2) float64
        Convex, clockwise as seen, first corner arbitrary; may contain duplicates.
    """
    most_area = settings.max_area_share * picture_px
    rough = [_approximate_quad(contour, most_area, settings) for contour in contours]
    four = [i for i, corners in enumerate(rough) if corners is not None]
    if not four:
        return np.zeros((0, 4, 2))
    corners = np.array([rough[i] for i in four], np.float64)
    refined, good = _refine_corners([contours[i] for i in four], corners, settings)
    return refined[good]


def _approximate_quad(
    contour: ContourArray, most_area: float, settings: QuadSettings
) -> FloatArray | None:
    """Return the corners (4, 2), clockwise, of a contour that may be four-sided; else None."""
    area = 0.0 if settings.of_hull else cv2.contourArea(contour)
    if not settings.of_hull and not settings.min_area_px <= area <= most_area:
        return None  # rejects most of them before the hull, which takes time
    hull = cv2.convexHull(contour)
    hull_area = cv2.contourArea(hull)
    area = hull_area if settings.of_hull else area
    if area < settings.min_fill * hull_area or not settings.min_area_px <= area <= most_area:
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
    contours: Sequence[ContourArray], corners: FloatArray, settings: QuadSettings
) -> tuple[FloatArray, BoolArray]:
    """Fit a line to the contour points along each side, and intersect the lines.

    Returns the corners (N, 4, 2), and which of the N quadrilaterals are valid.
    """
    along = np.roll(corners, -1, axis=1) - corners
    length = np.linalg.norm(along, axis=2)
    along = along / np.maximum(length, 1e-9)[..., None]
    across = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    level, slope, enough = _fit_sides(contours, corners, along, across, settings)

    # side k is at corner + level across + u (along + slope across)
    direction = along + slope[..., None] * across
    direction = direction / np.linalg.norm(direction, axis=2, keepdims=True)
    start = corners + level[..., None] * across
    refined, sine = meet(np.roll(start, 1, axis=1), np.roll(direction, 1, axis=1), start, direction)

    sides = np.linalg.norm(refined - np.roll(refined, -1, axis=1), axis=2)
    moved = np.abs(refined - corners).max(axis=(1, 2))
    good = (length >= settings.min_side_px).all(axis=1) & enough
    good &= (np.abs(sine) >= settings.min_sine).all(axis=1)
    good &= moved <= settings.max_move * sides.max(axis=1)
    good &= sides.min(axis=1) >= settings.min_aspect * sides.max(axis=1)
    return refined, good


def _fit_sides(
    contours: Sequence[ContourArray],
    corners: FloatArray,
    along: FloatArray,
    across: FloatArray,
    settings: QuadSettings,
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Fit a line near each side, in the side's own frame of unit vectors (N, 4, 2).

    Returns its level and slope (N, 4), and which of the N have enough points at every side.
    """
    n = len(corners)
    length = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    owner = np.repeat(np.arange(n), [len(contour) for contour in contours])
    t, s = (
        np.concatenate([points @ a.T - (c * a).sum(axis=1) for points, a, c in of_each])
        for of_each in (zip(contours, frame, corners, strict=True) for frame in (along, across))
    )
    ends, width = settings.side_ends * length, settings.side_width * length + settings.side_slack_px
    near = (t > ends[owner]) & (t < (length - ends)[owner]) & (np.abs(s) < width[owner])
    point, side = np.nonzero(near)
    key = owner[point] * 4 + side
    level, slope = _lines(t[near], s[near], key, 4 * n, settings.side_huber_px)
    count = np.bincount(key, minlength=4 * n).reshape(n, 4)
    enough = np.asarray(count.min(axis=1) >= settings.min_side_points)
    return level.reshape(n, 4), slope.reshape(n, 4), enough


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


def suppress_repeated_quads(quads: FloatArray, repeat_px: float) -> FloatArray:
    """Keep one of each group of near-equal quadrilaterals (N, 4, 2)."""
    if not len(quads):
        return quads
    first = np.argmin(quads.sum(axis=2), axis=1)  # a common first corner
    turned = np.take_along_axis(quads, ((np.arange(4) + first[:, None]) % 4)[..., None], axis=1)
    flat = turned.reshape(-1, 8)
    kept, of_kept = list[int](), np.empty_like(flat)
    for i, corners in enumerate(flat):
        near = of_kept[: len(kept)]
        # the others have a larger mean distance
        near = near[np.abs(near[:, 0] - corners[0]) <= 8 * repeat_px]
        if not len(near) or np.abs(near - corners).mean(axis=1).min() > repeat_px:
            of_kept[len(kept)] = corners
            kept.append(i)
    return np.asarray(turned[kept], np.float64)


# How sides are shifted to the largest gradient; lengths are pixels of the reduced image.
_SIDE_SAMPLES = 20  # along a side, between its ends
_REACH_PX = 2.5  # search reach across: widening and smoothing shift an edge so far
_REACH_SHARE = 0.05  # at most this share of the shortest side
_STEP_PX = 0.5  # sampling step across
_OFF_PX = 0.4  # larger deviations count less
_LEAST_SLOPE = 4.0  # least gradient (tones per pixel); below is noise
_MOST_REST_PX = 0.8  # largest weighted mean deviation of the samples from their line


def refine_quads(
    picture: ImageBGR,
    quads_px: FloatArray,
    samples: int = _SIDE_SAMPLES,
    reach_px: float = _REACH_PX,
) -> FloatArray:
    """Shift the sides of quadrilaterals to the largest colour gradient.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        The image in which they were detected.
    quads_px : (N, 4, 2) float64
        Corners in it, clockwise.
    samples : int
        Along a side.
    reach_px : float
        Search reach across a side.

    Returns
    -------
    (N, 4, 2) float64
        The refined corners; unchanged where one of the four sides was not found.
    """
    if not len(quads_px):
        return quads_px
    along = np.roll(quads_px, -1, axis=1) - quads_px
    length = np.maximum(np.linalg.norm(along, axis=2), 1e-9)
    unit = along / length[..., None]
    across = np.stack([unit[..., 1], -unit[..., 0]], axis=-1)
    reach = np.minimum(reach_px, _REACH_SHARE * length.min(axis=1))
    t = np.linspace(ENDS, 1 - ENDS, samples)
    on = quads_px[:, :, None] + t[:, None] * along[:, :, None]
    off, slope = _steepest(picture, on, across, reach, round(reach_px / _STEP_PX))
    level, lean, good = _side_lines(t - 0.5, off, slope)
    middle = quads_px + along / 2 + level[..., None] * across
    direction = unit + (lean / length)[..., None] * across
    direction /= np.linalg.norm(direction, axis=2, keepdims=True)
    corner, sine = meet(
        np.roll(middle, 1, axis=1), np.roll(direction, 1, axis=1), middle, direction
    )
    moved = np.linalg.norm(corner - quads_px, axis=2).max(axis=1)
    good &= (np.abs(sine) > 1e-3).all(axis=1) & (moved < 3 * reach)
    return np.where(good[:, None, None], corner, quads_px)


def _steepest(
    picture: ImageBGR, on_px: FloatArray, across: FloatArray, reach: FloatArray, steps: int
) -> tuple[FloatArray, FloatArray]:
    """Return positions (N, 4, T) of the largest colour gradient across each side, px outward.

    ``on_px`` (N, 4, T, 2) are places on the sides, ``across`` (N, 4, 2) their unit normals, and
    ``reach`` (N,) px is at most so many steps. The second result is the gradient there.
    """
    offsets = np.arange(-steps - 2, steps + 3) * _STEP_PX  # two more at each end, for gradients
    at = on_px[:, :, :, None] + offsets[:, None] * across[:, :, None, None]
    tones = sample(picture, at).astype(np.float32)
    change = (tones[..., 4:, :] - tones[..., :-4, :]) / np.float32(4 * _STEP_PX)
    size = np.sqrt(np.einsum("...c,...c->...", change, change))  # (N, 4, T, 2 steps + 1)
    inner = offsets[2:-2]
    size[:, :, :, :] *= np.abs(inner) <= reach[:, None, None, None] + 1e-9
    best = size.argmax(axis=3)
    peak = np.take_along_axis(size, best[..., None], axis=3)[..., 0]
    before, after = (
        np.take_along_axis(size, np.clip(best + k, 0, len(inner) - 1)[..., None], axis=3)[..., 0]
        for k in (-1, 1)
    )
    return inner[best] + _STEP_PX * peak_offset(before, peak, after), np.asarray(peak, np.float64)


def _side_lines(
    t: FloatArray, off: FloatArray, slope: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Fit ``off = level + lean t`` to each side (N, 4, T); return which of the N have all four.

    Samples are weighted by their gradient, up to the side's median, and less far from the line.
    """
    usual = np.maximum(np.median(slope, axis=2, keepdims=True), _LEAST_SLOPE)
    trust = np.minimum(slope / usual, 1.0) * (slope > _LEAST_SLOPE)
    weight = trust
    for _ in range(5):
        total = np.maximum(weight.sum(axis=2), 1e-9)
        t_mean, o_mean = (weight * t).sum(axis=2) / total, (weight * off).sum(axis=2) / total
        centred = t - t_mean[..., None]
        spread = np.maximum((weight * centred**2).sum(axis=2), 1e-9)
        lean = (weight * centred * off).sum(axis=2) / spread
        level = o_mean - lean * t_mean
        rest = np.abs(off - level[..., None] - lean[..., None] * t)
        weight = trust * _OFF_PX / np.maximum(rest, _OFF_PX)
    enough = trust.mean(axis=2) > 0.5
    close = (weight * rest).sum(axis=2) / total < _MOST_REST_PX
    return level, lean, np.asarray((enough & close).all(axis=1))
