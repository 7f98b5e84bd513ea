"""Measures card edges in the photo to a fraction of a pixel.

A card has two rectangles of known size: its cut edge and the printed frame. The brightness is
sampled across each expected edge, the edge is located to a fraction of a pixel in each sample, and
a robust line is fitted to the whole edge (with a bow, since cards are not flat).

References
----------
.. [1] Blake and Isard, Active Contours, 1998 (edges sought along normals).
.. [2] Holland and Welsch, Robust Regression Using Iteratively Reweighted Least-Squares, 1977.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.estimation.model import (
    Measurements,
    Solution,
    join_measurements,
    project,
    project_depth,
)
from vision.seeing.estimation.overlaps import Covers
from vision.seeing.registration.edge_profile import (
    ExpectedEdges,
    Rectangle,
    expected_edges,
    gradients_along,
)
from vision.values.arrays import (
    SD_OF_MEDIAN,
    FloatArray,
    ImageGray,
    IntArray,
    median_of,
    peak_offset,
)
from vision.values.pieces import Faces

__all__ = [
    "EDGE_INSET_MM",
    "SAMPLES",
    "EdgeMeasurements",
    "card_rectangles",
    "measure_edges",
]

_GAUSS = 1 / np.sqrt(3)  # Gauss points of an interval: a fitted line's errors there are independent


SAMPLES = 48  # per edge
_STEP_PX = 0.5  # sampling step across the edge
_SMOOTH_PX = 0.8  # sd of the gradient filter, about the blur of a sharp lens
_MIN_SLOPE = 0.005  # least gradient (full light per sample across); below is noise
_REACH_OF_GAP = 0.45  # search reach as a share of the gap to the next parallel edge
_MARGIN_PX = 2  # margin at the image border, where the filter lacks neighbours
_SIMILARITY = 0.4  # least gradient, of the edge's median; a weaker one is another edge
_TUKEY = 2.5  # cut-off of Tukey's weights (robust deviations of a sample)
# least deviation of a sample; without it a perfect image loses all weights
_SPREAD_FLOOR_PX = 0.05
_SLOPE_RIDGE = 1e-3  # prior weight (samples) of slope 0: acts only if there is one sample
# prior weight (samples) of bow 0: a half-hidden edge cannot determine it
_BOW_RIDGE = 0.5
_MIN_SHARE = 0.2  # least share of an edge's samples that agree
# largest deviation of the samples; wider scatter comes from background texture
_MAX_SPREAD_PX = 1.5
_NOISE_FLOOR_PX = 0.03  # least noise of an edge's mean (1 sd)
EDGE_INSET_MM = 5.5  # left out at each end: card corners are rounded by up to 3.5 mm
_EDGE_SD_MM = 0.05  # shape error of cut edges (1 sd) on a table that is darker by half
_FRAME_INSET_MM = 1.0  # left out at each end: blur rounds the corner of two printed lines
_FRAME_SD_MM = 0.03  # shape error of frames (1 sd): glow differs with the frame's colour
_FULL_STEP = 0.25  # gradient of such an edge; shadow and texture shift a weaker one
# sd grows as (full / gradient)^this: white on white, 1/5 of the step, 10 times the sd
_FAINT_POWER = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class EdgeMeasurements:
    """Measurements of one rectangle's edges on all cards.

    ``seen`` holds two measurements for each detected edge; ``share`` (N, 4) is the share of each
    edge's samples that agree (0..1; top, right, bottom, left), 0 where no edge was detected.
    """

    seen: Measurements
    share: FloatArray


def card_rectangles(bank: Faces) -> tuple[Rectangle, Rectangle]:
    """Return the rectangles to measure on cards of a deck with a frame: the cut edge, the frame."""
    frame = bank.frames[0]
    gap = (bank.width_mm - frame.width_mm) / 2
    edge = Rectangle(*bank.size_mm, True, EDGE_INSET_MM, _EDGE_SD_MM, gap, is_card_edge=True)
    size, is_bright = (frame.width_mm, frame.height_mm), not frame.darker_inside
    return edge, Rectangle(*size, is_bright, _FRAME_INSET_MM, _FRAME_SD_MM, gap)


def measure_edges(
    gray: ImageGray,
    solution: Solution,
    rectangle: Rectangle,
    reach_px: float,
    samples: int = SAMPLES,
    covers: Covers | None = None,
) -> EdgeMeasurements:
    """Measure all four sides of one rectangle on all cards.

    Parameters
    ----------
    gray : (H, W) uint8
        Luma of the photo.
    solution : Solution
        Camera, plane and poses, accurate to ``reach_px``.
    rectangle : Rectangle
        Rectangle to measure.
    reach_px : float
        Search reach across an edge, to either side.
    samples : int
        Per edge; more than the default add nothing, neighbours share their blur.
    covers : Covers, optional
        Which cards lie on which: what is hidden is not measured.

    Returns
    -------
    EdgeMeasurements
        Two measurements at the Gauss points of each edge's measured interval. They carry all
        information of a straight edge: its position and its direction.

    Raises
    ------
    DegenerateGeometryError
        If a card is behind the camera.
    """
    n = len(solution.poses)
    if not n:
        return EdgeMeasurements(join_measurements([]), np.zeros((0, 4)))
    u = np.linspace(-1, 1, samples)
    expected = expected_edges(solution, rectangle, u)
    reach = np.minimum(reach_px, _REACH_OF_GAP * rectangle.gap_mm * expected.px_per_mm)
    at = expected.at_px
    offset, strength = _find_edges(gray, at, expected.normal_px, reach, rectangle.bright_inside)
    rim = _MARGIN_PX
    x, y = at[..., 0], at[..., 1]
    height, width = gray.shape
    inside = (x > rim) & (x < width - 1 - rim) & (y > rim) & (y < height - 1 - rim)
    offset[~inside] = np.nan
    if covers is not None:
        points_mm = expected.point_mm.reshape(n, -1, 2)
        offset[~covers.visible(points_mm, solution.poses).reshape(offset.shape)] = np.nan
    lines = _fit_edges(offset, strength, u)

    good = np.flatnonzero((lines.share > _MIN_SHARE) & (lines.spread < _MAX_SPREAD_PX))
    sigma = _edge_sigma(lines, rectangle.shape_sd_mm * expected.px_per_mm, samples)[good]
    seen = _edge_observations(solution, rectangle, expected, lines, good, sigma)
    share = np.zeros(4 * n)
    share[good] = lines.share[good]
    return EdgeMeasurements(seen, share.reshape(n, 4))


def _find_edges(
    gray: ImageGray,
    at_px: FloatArray,
    normal_px: FloatArray,
    reach_px: FloatArray,
    bright_inside: bool,
) -> tuple[FloatArray, FloatArray]:
    """Locate the edge along each normal.

    Returns
    -------
    offset : (S, m) float64
        Position along the normal, pixels; nan where there is no edge of the right sign.
    strength : (S, m) float64
        Gradient there, linear light per sample.
    """
    step = _STEP_PX
    widest = int(np.ceil(reach_px.max(initial=0) / step))
    pad = int(np.ceil(3 * _SMOOTH_PX / step))
    offsets = step * np.arange(-widest - pad, widest + pad + 1, dtype=np.float64)
    sigma = _SMOOTH_PX / step
    slope = gradients_along(gray, at_px, normal_px, offsets, sigma)
    if bright_inside:
        slope = -slope
    allowed = np.abs(offsets)[None, :] <= reach_px[:, None] + 1e-9
    slope = np.where(allowed[:, None, :], slope, np.float32(-1.0))
    best = np.clip(slope.argmax(axis=2), 1, len(offsets) - 2)[..., None]
    left, mid, right = (np.take_along_axis(slope, best + k, 2)[..., 0] for k in (-1, 0, 1))
    offset = offsets[best[..., 0]] + peak_offset(left, mid, right) * step
    on_rim = (left <= -1.0) | (right <= -1.0)
    offset = np.where(on_rim | (mid < _MIN_SLOPE), np.nan, offset)
    return offset.astype(np.float64), mid.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _EdgeLines:
    """Robust lines through S edges, each field (S,); pixels along the normals.

    An edge is at ``level + slope u`` for u from ``low`` to ``high``, the measured interval.
    ``spread`` is the robust deviation of a sample, ``share`` the share of samples that agree,
    ``step`` the median gradient across the edge.
    """

    level: FloatArray
    slope: FloatArray
    spread: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    step: FloatArray


def _fit_edges(offset: FloatArray, strength: FloatArray, u: FloatArray) -> _EdgeLines:
    """Fit ``level + slope u + bow (u^2 - 1/3)`` to each edge, reweighted with Tukey's weights."""
    sides, m = offset.shape
    found = np.isfinite(offset)
    y = np.where(found, offset, 0.0)
    step = np.asarray(median_of(strength, found, 0.0), np.float64)
    found &= strength > _SIMILARITY * step[:, None]
    base = np.stack([np.ones(m), u, u**2 - 1 / 3], axis=1)
    weight = found.astype(np.float64)
    coefficients = np.zeros((sides, 3))
    coefficients[:, 0] = median_of(y, found, 0.0)
    spread = np.ones(sides)
    products = (base[:, :, None] * base[:, None]).reshape(m, 9)
    ridge = np.diag([1e-9, _SLOPE_RIDGE, _BOW_RIDGE])
    for _ in range(6):
        residual = np.abs(y - coefficients @ base.T)
        spread = np.maximum(SD_OF_MEDIAN * median_of(residual, found, 0.0), _SPREAD_FLOOR_PX)
        ratio = residual / (_TUKEY * spread[:, None])
        weight = np.where(found & (ratio < 1), (1 - ratio**2) ** 2, 0.0)
        a = (weight @ products).reshape(-1, 3, 3) + ridge
        b = (weight * y) @ base
        coefficients = np.linalg.solve(a, b[..., None])[..., 0]
    used = weight > 0
    low = np.where(used.any(axis=1), u[used.argmax(axis=1)], -1.0)
    high = np.where(used.any(axis=1), u[m - 1 - used[:, ::-1].argmax(axis=1)], 1.0)
    level, slope = coefficients[:, 0], coefficients[:, 1]
    return _EdgeLines(level, slope, spread, used.mean(axis=1), low, high, step)


def _edge_sigma(lines: _EdgeLines, shape_sd_px: FloatArray, samples: int) -> FloatArray:
    """Return the standard deviation (S,) of each of an edge's two measurements, pixels."""
    count = np.maximum(lines.share * samples, 4)
    noise = np.hypot(lines.spread * np.sqrt(2 / count), _NOISE_FLOOR_PX)
    faint = np.maximum(_FULL_STEP / np.maximum(lines.step, 1e-3), 1.0)
    return np.asarray(np.hypot(noise, shape_sd_px * faint**_FAINT_POWER), np.float64)


def _edge_observations(
    solution: Solution,
    rectangle: Rectangle,
    expected: ExpectedEdges,
    lines: _EdgeLines,
    good: IntArray,
    sigma_px: FloatArray,
) -> Measurements:
    """Return two measurements per good edge, at the Gauss points of its measured interval."""
    points, m = expected.point_mm, expected.point_mm.shape[1]
    card, none = good // 4, np.zeros(len(good))
    start, end = points[good, 0], points[good, -1]
    printed = np.full(len(good), float(not rectangle.is_card_edge))
    polarity = np.full(len(good), 1.0 if rectangle.bright_inside else -1.0)
    parts = []
    for place in (-_GAUSS, _GAUSS):
        u = ((lines.low + lines.high) / 2 + place * (lines.high - lines.low) / 2)[good]
        q = start + (end - start) * ((u[:, None] + 1) / 2)
        nearest = np.clip(np.round((u + 1) / 2 * (m - 1)).astype(np.int64), 0, m - 1)
        direction = expected.normal_px[good, nearest]
        offset = lines.level[good] + lines.slope[good] * u
        seen = project(solution, card, q, printed) + offset[:, None] * direction
        wall = none
        # the card's wall is visible where its foot projects outside the edge
        if rectangle.is_card_edge:
            wall = np.maximum((project_depth(solution, card, q) * direction).sum(axis=1), 0.0)
        parts.append(Measurements(card, q, seen, direction, sigma_px, polarity, wall, printed))
    return join_measurements(parts)
