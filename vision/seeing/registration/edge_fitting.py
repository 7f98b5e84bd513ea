"""Cards on a plane -> where their sides show, to a fraction of a pixel.

A card shows two rectangles of known size: its own edge and the printed frame. Along each side the
brightness is sampled across it where the present solution expects it, the edge is found to a
fraction of a pixel, and a robust line (with a bow, for cards are not straight) is fitted to the
whole side.

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
from vision.seeing.registration.edge_profile import (
    ExpectedEdges,
    Rectangle,
    expected_edges,
    gradients_along,
)
from vision.values.arrays import BoolArray, FloatArray, ImageGray, IntArray
from vision.values.pieces import Faces

__all__ = ["EdgeFitSettings", "EdgeMeasurements", "card_edge", "card_rectangles", "measure_edges"]

_GAUSS = 1 / np.sqrt(3)  # two points of a line whose errors are independent


@dataclass(frozen=True, slots=True)
class EdgeFitSettings:
    """How sides are measured."""

    samples: int = 48  # along a side: more adds nothing, neighbours share their blur
    step_px: float = 0.5  # of the sampling across
    smooth_px: float = 0.8  # of the gradient: about a sharp lens' own blur
    min_slope: float = 0.005  # of full light, per sample across: below, it is noise
    reach_of_gap: float = 0.45  # nearer to this edge than to the next parallel one
    margin_px: int = 2  # of the picture's rim, where half a neighbourhood is missing
    similarity: float = 0.4  # of a side's median step: a fainter one is something else's
    tukey: float = 2.5  # deviations beyond which a sample does not belong to the side
    spread_floor_px: float = 0.05  # of samples: below, a perfect picture would weigh all as wrong
    slope_ridge: float = 1e-3  # samples' worth against a slope: none, but for a lone sample
    bow_ridge: float = 0.5  # against a bow: a side of which half is hidden has none to tell
    min_share: float = 0.2  # of a side's samples that agree
    max_spread_px: float = 1.5  # of them: wider is cloth, not a side
    noise_floor_px: float = 0.03  # a side's mean is never better than this
    edge_inset_mm: float = 5.5  # corners are rounded by up to 3.5 mm, whatever the bank shows
    edge_sd_mm: float = 0.05  # of cut sides against a table that is darker by half
    frame_inset_mm: float = 1.0  # where two printed lines meet, blur rounds their corner
    frame_sd_mm: float = 0.03  # of printed sides: glow differs with the frame's colour
    full_step: float = 0.25  # slope of such a side; a fainter one is moved by shadow and texture
    faint_power: float = 1.5  # white card on white cloth: a fifth of the step, ten times the sd
    lone_gap_mm: float = 8.0  # without a printed frame: to whatever is printed


@dataclass(frozen=True, slots=True, eq=False)
class EdgeMeasurements:
    """What the sides of one rectangle on all cards gave.

    ``seen`` holds two measurements for each side that was found; ``share`` (N, 4) how much of
    each side agrees (0..1; top, right, bottom, left), 0 where it was not found.
    """

    seen: Measurements
    share: FloatArray


def card_rectangles(bank: Faces, settings: EdgeFitSettings | None = None) -> tuple[Rectangle, ...]:
    """Say which edges a card of the bank shows: its own, then the outermost printed frame."""
    s = settings or EdgeFitSettings()
    gap = (bank.width_mm - bank.frames[0].width_mm) / 2 if bank.frames else s.lone_gap_mm
    edge = card_edge((bank.width_mm, bank.height_mm), gap, s)
    frames = [
        Rectangle(
            frame.width_mm,
            frame.height_mm,
            bright_inside=not frame.darker_inside,
            inset_mm=s.frame_inset_mm,
            shape_sd_mm=s.frame_sd_mm,
            gap_mm=gap,
        )
        for frame in bank.frames[:1]
    ]
    return (edge, *frames)


def card_edge(
    size_mm: tuple[float, float], gap_mm: float, settings: EdgeFitSettings | None = None
) -> Rectangle:
    """Return the cut edge of cards of a size, ``gap_mm`` from the next parallel edge."""
    s = settings or EdgeFitSettings()
    return Rectangle(
        *size_mm,
        bright_inside=True,
        inset_mm=s.edge_inset_mm,
        shape_sd_mm=s.edge_sd_mm,
        gap_mm=gap_mm,
        is_card_edge=True,
    )


def measure_edges(
    gray: ImageGray,
    solution: Solution,
    rectangle: Rectangle,
    reach_px: float,
    settings: EdgeFitSettings | None = None,
) -> EdgeMeasurements:
    """Measure all four sides of one rectangle on all cards.

    Parameters
    ----------
    gray : (H, W) uint8
        Luma of the photo.
    solution : Solution
        Camera, plane and poses, good to ``reach_px``.
    rectangle : Rectangle
        Which edge.
    reach_px : float
        How far across a side its edge is sought.

    Returns
    -------
    EdgeMeasurements
        With two measurements at the Gauss places of each side's measured stretch, which say all
        that a straight side can: where it lies and which way it turns.

    Raises
    ------
    DegenerateGeometryError
        If a card lies behind the camera.
    """
    settings = settings or EdgeFitSettings()
    n = len(solution.poses)
    if not n:
        return EdgeMeasurements(join_measurements([]), np.zeros((0, 4)))
    u = np.linspace(-1, 1, settings.samples)
    expected = expected_edges(solution, rectangle, u)
    reach = np.minimum(reach_px, settings.reach_of_gap * rectangle.gap_mm * expected.px_per_mm)
    at = expected.at_px
    offset, strength = _find_edges(
        gray, at, expected.normal_px, reach, rectangle.bright_inside, settings
    )
    rim = settings.margin_px
    x, y = at[..., 0], at[..., 1]
    height, width = gray.shape
    inside = (x > rim) & (x < width - 1 - rim) & (y > rim) & (y < height - 1 - rim)
    offset[~inside] = np.nan
    lines = _fit_edges(offset, strength, u, settings)

    good = np.flatnonzero(
        (lines.share > settings.min_share) & (lines.spread < settings.max_spread_px)
    )
    sigma = _edge_sigma(lines, rectangle.shape_sd_mm * expected.px_per_mm, settings)[good]
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
    settings: EdgeFitSettings,
) -> tuple[FloatArray, FloatArray]:
    """Find the edge along each normal.

    Returns
    -------
    offset : (S, m) float64
        Along the normal, pixels; nan where there is no edge of the right sign.
    strength : (S, m) float64
        The step's slope, linear brightness per sample.
    """
    step = settings.step_px
    widest = int(np.ceil(reach_px.max(initial=0) / step))
    pad = int(np.ceil(3 * settings.smooth_px / step))
    offsets = step * np.arange(-widest - pad, widest + pad + 1, dtype=np.float64)
    sigma = settings.smooth_px / step
    slope = gradients_along(gray, at_px, normal_px, offsets, sigma)
    if bright_inside:
        slope = -slope
    allowed = np.abs(offsets)[None, :] <= reach_px[:, None] + 1e-9
    slope = np.where(allowed[:, None, :], slope, np.float32(-1.0))
    best = np.clip(slope.argmax(axis=2), 1, len(offsets) - 2)[..., None]
    left, mid, right = (np.take_along_axis(slope, best + k, 2)[..., 0] for k in (-1, 0, 1))
    # the top of the parabola through the three
    curve = left - 2 * mid + right
    with np.errstate(divide="ignore", invalid="ignore"):
        fine = np.where(curve < 0, 0.5 * (left - right) / curve, 0.0)
    offset = offsets[best[..., 0]] + np.clip(fine, -0.5, 0.5) * step
    on_rim = (left <= -1.0) | (right <= -1.0)
    offset = np.where(on_rim | (mid < settings.min_slope), np.nan, offset)
    return offset.astype(np.float64), mid.astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _EdgeLines:
    """Robust lines through the edges of S sides, each (S,); pixels along the normals.

    A side lies at ``level + slope u`` for u from ``low`` to ``high``, the measured stretch;
    ``spread`` is the robust deviation of a sample, ``share`` the part of the samples that agree,
    ``step`` the typical slope of the light across it.
    """

    level: FloatArray
    slope: FloatArray
    spread: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    step: FloatArray


def _fit_edges(
    offset: FloatArray, strength: FloatArray, u: FloatArray, settings: EdgeFitSettings
) -> _EdgeLines:
    """Fit ``level + slope u + bow (u^2 - 1/3)`` to each side by reweighting (Tukey's weights)."""
    sides, m = offset.shape
    found = np.isfinite(offset)
    y = np.where(found, offset, 0.0)
    step = _row_medians(strength, found)
    found &= strength > settings.similarity * step[:, None]
    base = np.stack([np.ones(m), u, u**2 - 1 / 3], axis=1)
    weight = found.astype(np.float64)
    coefficients = np.zeros((sides, 3))
    coefficients[:, 0] = _row_medians(y, found)
    spread = np.ones(sides)
    ridge = np.diag([1e-9, settings.slope_ridge, settings.bow_ridge])
    for _ in range(6):
        residual = np.abs(y - coefficients @ base.T)
        spread = np.maximum(1.4826 * _row_medians(residual, found), settings.spread_floor_px)
        ratio = residual / (settings.tukey * spread[:, None])
        weight = np.where(found & (ratio < 1), (1 - ratio**2) ** 2, 0.0)
        a = np.einsum("sm,mi,mj->sij", weight, base, base) + ridge
        b = np.einsum("sm,sm,mi->si", weight, y, base)
        coefficients = np.linalg.solve(a, b[..., None])[..., 0]
    used = weight > 0
    low = np.where(used.any(axis=1), u[used.argmax(axis=1)], -1.0)
    high = np.where(used.any(axis=1), u[m - 1 - used[:, ::-1].argmax(axis=1)], 1.0)
    level, slope = coefficients[:, 0], coefficients[:, 1]
    return _EdgeLines(level, slope, spread, used.mean(axis=1), low, high, step)


def _edge_sigma(
    lines: _EdgeLines, shape_sd_px: FloatArray, settings: EdgeFitSettings
) -> FloatArray:
    """Return the deviation (S,) of each of a side's two measurements, in pixels."""
    count = np.maximum(lines.share * settings.samples, 4)
    noise = np.hypot(lines.spread * np.sqrt(2 / count), settings.noise_floor_px)
    faint = np.maximum(settings.full_step / np.maximum(lines.step, 1e-3), 1.0)
    return np.asarray(np.hypot(noise, shape_sd_px * faint**settings.faint_power), np.float64)


def _edge_observations(
    solution: Solution,
    rectangle: Rectangle,
    expected: ExpectedEdges,
    lines: _EdgeLines,
    good: IntArray,
    sigma_px: FloatArray,
) -> Measurements:
    """Turn the good sides into two measurements each, at the Gauss places of what was measured."""
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
        if rectangle.is_card_edge:  # the cut side shows where the outline's foot lies outside it
            wall = np.maximum((project_depth(solution, card, q) * direction).sum(axis=1), 0.0)
        parts.append(Measurements(card, q, seen, direction, sigma_px, polarity, wall, printed))
    return join_measurements(parts)


def _row_medians(values: FloatArray, mask: BoolArray) -> FloatArray:
    """Return the median of the masked entries of each row; 0 where there are none."""
    ordered = np.sort(np.where(mask, values, np.inf), axis=1)
    count = mask.sum(axis=1)
    last = np.maximum(count - 1, 0)
    rows = np.arange(len(values))
    middle = (ordered[rows, last // 2] + ordered[rows, np.minimum(count // 2, last)]) / 2
    return np.where(count > 0, middle, 0.0)
