"""Cards on a plane -> poses to a fraction of a pixel, with their covariance.

Each card shows two rectangles of known size: its own edge and the printed frame. Along the sides
of both, the brightness is sampled across the side where the present solution expects it, the
edge is found to a fraction of a pixel, and a robust line (with a bow, for cards are not straight)
is fitted to each side. What each side says goes into one joint adjustment of camera, table plane
and all poses; then the picture is measured again from the better solution.

Brightness is made linear first: a blurred edge is symmetric in light, not in the camera's tones.
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.adjustment import (
    Measurements,
    Priors,
    Solution,
    Solved,
    camera_of,
    project,
    sink,
    solve,
)
from vision.geometry import wrap_angle
from vision.types import Camera, FloatArray, Matrix3

__all__ = ["Located", "PoseSettings", "Rectangle", "locate_cards", "remove_gauge"]

_GAUSS = 1 / np.sqrt(3)  # two points of a line whose errors are independent


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle centred on the card that shows as an edge.

    ``is_card_edge`` marks the cut edge, whose side may show; ``bright_inside`` tells the sign of the step across it; ``inset_mm`` how much of each end of
    a side is left out (rounded corners); ``shape_sd_mm`` how far real sides stray from the ideal;
    ``gap_mm`` the distance to the next parallel edge, which bounds the search.
    """

    width_mm: float
    height_mm: float
    bright_inside: bool
    inset_mm: float
    shape_sd_mm: float
    gap_mm: float
    is_card_edge: bool = False


@dataclass(frozen=True, slots=True)
class PoseSettings:
    """How sides are measured."""

    samples: int = 48  # along a side: more adds nothing, neighbours share their blur
    reach_px: tuple[float, ...] = (9.0, 4.0, 3.0)  # search across the side, round by round
    step_px: float = 0.5  # of the sampling across
    smooth_px: float = 0.8  # of the gradient: about a sharp lens' own blur
    min_step: float = 0.02  # of full linear brightness: below, noise is taken for an edge
    noise_floor_px: float = 0.03  # a side's mean is never better than this
    # Cards curl and rise by some tenths of a millimetre, which an oblique view shows as a shift.
    # Seen on ray-traced photos, by the tangent t of the view's angle: along the view, across it,
    # and in angle, in mm and degrees.
    shape_floor_mm: float = 0.03
    shape_along_mm: float = 0.12  # times t squared
    shape_across_mm: float = 0.06  # times t squared
    shape_turn_deg: float = 0.03  # times t squared
    bow: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The joint solution in its own gauge, with what each card's sides gave.

    ``sides`` (N, R, 4) is the share of each side that was measured (0..1).
    """

    solved: Solved
    sides: FloatArray
    residual_px: float


def locate_cards(
    gray: np.ndarray,
    start: Solution,
    rectangles: tuple[Rectangle, ...],
    priors: Priors,
    settings: PoseSettings | None = None,
) -> Located:
    """Solve camera, plane and poses from sub-pixel edges.

    Parameters
    ----------
    gray : (H, W) uint8
        Luma of the full photo.
    start : Solution
        From the rectifying stage; good to a few pixels.
    rectangles : tuple of Rectangle
        The edges every card shows, strongest last.
    priors : Priors
        What is believed of the camera.

    Returns
    -------
    Located
        Poses and covariance in the gauge of the adjustment (see :func:`remove_gauge`).
    """
    settings = settings or PoseSettings()
    solution = start
    solved: Solved | None = None
    shares = np.zeros((len(start.poses), len(rectangles), 4))
    for reach in settings.reach_px:
        measured = [
            _measure(gray, solution, k, rectangle, reach, settings)
            for k, rectangle in enumerate(rectangles)
        ]
        parts = [m for m, _ in measured]
        for k, (_, share) in enumerate(measured):
            shares[:, k] = share
        seen = Measurements(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in (
                    "card",
                    "point_mm",
                    "seen_px",
                    "normal_px",
                    "sigma_px",
                    "polarity",
                    "wall",
                )
            )
        )
        if len(seen.card) < 8:
            break
        # a weak memory of the start keeps cards without a measured side where they were
        anchored = _with_anchor(seen, solution)
        solved = solve(solution, anchored, priors)
        solution = solved.solution
    if solved is None:
        anchored = _with_anchor(
            Measurements(
                np.zeros(0, int),
                np.zeros((0, 2)),
                np.zeros((0, 2)),
                np.zeros((0, 2)),
                np.zeros(0),
                np.zeros(0),
                np.zeros(0),
            ),
            solution,
        )
        solved = solve(solution, anchored, priors)
    count = max(1, len(solved.residuals) - 8 * len(start.poses))
    rms = float(
        np.sqrt(
            (
                (solved.residuals[:count] * anchored.sigma_px[:count]) ** 2 * solved.weights[:count]
            ).mean()
        )
    )
    shaped = solved.pose_covariance + _shape_covariance(solved.solution, settings)
    return Located(replace(solved, pose_covariance=shaped), shares, rms)


def _shape_covariance(solution: Solution, settings: PoseSettings) -> FloatArray:
    """Return what the cards' own shape adds to the covariance (3N, 3N) of their poses."""
    eye = -solution.rotation.T @ solution.translation_mm  # the camera in the table frame
    away = solution.poses[:, :2] - eye[:2]
    distance = np.linalg.norm(away, axis=1)
    t2 = (distance / max(abs(float(eye[2])), 1.0)) ** 2
    along = away / np.maximum(distance, 1e-9)[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    s_along = settings.shape_floor_mm**2 + (settings.shape_along_mm * t2) ** 2
    s_across = settings.shape_floor_mm**2 + (settings.shape_across_mm * t2) ** 2
    total = np.zeros((3 * len(away),) * 2)
    for i in range(len(away)):
        block = total[3 * i : 3 * i + 3, 3 * i : 3 * i + 3]
        block[:2, :2] = s_along[i] * np.outer(along[i], along[i])
        block[:2, :2] += s_across[i] * np.outer(across[i], across[i])
        block[2, 2] = (np.radians(settings.shape_turn_deg) * t2[i]) ** 2
    return total


def _with_anchor(seen: Measurements, solution: Solution, sd_px: float = 6.0) -> Measurements:
    """Add each card's corners where they are now, believed to a few pixels."""
    n = len(solution.poses)
    shape = np.array([[-30.0, -42.0], [30.0, -42.0], [30.0, 42.0], [-30.0, 42.0]])
    card = np.repeat(np.arange(n), 8)
    point = np.tile(np.repeat(shape, 2, axis=0), (n, 1))
    return Measurements(
        np.concatenate([seen.card, card]),
        np.concatenate([seen.point_mm, point]),
        np.concatenate([seen.seen_px, project(solution, card, point)]),
        np.concatenate([seen.normal_px, np.tile([[1.0, 0.0], [0.0, 1.0]], (4 * n, 1))]),
        np.concatenate([seen.sigma_px, np.full(8 * n, sd_px)]),
        np.concatenate([seen.polarity, np.zeros(8 * n)]),
        np.concatenate([seen.wall, np.zeros(8 * n)]),
    )


def _measure(
    gray: np.ndarray,
    solution: Solution,
    index: int,
    rectangle: Rectangle,
    reach_px: float,
    settings: PoseSettings,
) -> tuple[Measurements, FloatArray]:
    """Measure all four sides of one rectangle on all cards."""
    n, m = len(solution.poses), settings.samples
    w, h = rectangle.width_mm / 2, rectangle.height_mm / 2
    u = np.linspace(-1, 1, m)
    sides_mm = []
    for outward in ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)):
        across = np.array(outward)
        along = np.array([-across[1], across[0]])
        half = (w if across[0] == 0 else h) - rectangle.inset_mm
        away = h if across[0] == 0 else w
        sides_mm.append(across * away + u[:, None] * along * half)
    points = np.tile(np.concatenate(sides_mm), (n, 1))  # (N * 4 * m, 2)
    card = np.repeat(np.arange(n), 4 * m)
    at = project(solution, card, points).reshape(n * 4, m, 2)

    tangent = np.gradient(at, axis=1)
    tangent /= np.linalg.norm(tangent, axis=2, keepdims=True) + 1e-12
    normal = np.stack([tangent[..., 1], -tangent[..., 0]], axis=2)  # outward: clockwise sides
    length_px = np.linalg.norm(at[:, -1] - at[:, 0], axis=1)
    half_mm = np.tile([w, h, w, h], n) - rectangle.inset_mm
    px_per_mm_along = length_px / (2 * half_mm)
    # how far across the side the next parallel edge is, in pixels: perspective differs by side
    inner = points.reshape(n, 4, m, 2) * (
        1 - 1.0 / np.tile([[h], [w], [h], [w]], (1, 1))[None, :, :, None]
    )
    gap = at - project(solution, card, inner.reshape(-1, 2)).reshape(n * 4, m, 2)
    px_per_mm_across = np.abs((gap * normal).sum(axis=2)).mean(axis=1)
    reach = np.minimum(reach_px, 0.45 * rectangle.gap_mm * px_per_mm_across)

    offset, strength = _find_edges(gray, at, normal, reach, rectangle.bright_inside, settings)
    h_px, w_px = gray.shape
    inside = ((at > 2) & (at < [w_px - 3, h_px - 3])).all(axis=2)
    offset[~inside] = np.nan
    level, slope, spread, share, lo, hi = _fit_sides(offset, strength, u, settings)

    good = np.flatnonzero((share > 0.2) & (spread < 1.5))
    if not len(good):
        empty = np.zeros((0, 2))
        none = np.zeros(0)
        return (
            Measurements(np.zeros(0, int), empty, empty, empty, none, none, none),
            np.zeros((n, 4)),
        )
    # two points per side, at the Gauss places of the measured stretch
    middle, half = (lo + hi)[good] / 2, (hi - lo)[good] / 2
    points4 = points.reshape(n * 4, m, 2)
    parts = []
    count = np.maximum(share[good] * m, 4)
    noise = np.hypot(spread[good] * np.sqrt(2 / count), settings.noise_floor_px)
    shape_sd = rectangle.shape_sd_mm * px_per_mm_across[good]
    for sign in (-1, 1):
        place = middle + sign * _GAUSS * half
        start, end = points4[good, 0], points4[good, -1]
        q = start + (end - start) * ((place[:, None] + 1) / 2)
        predicted = project(solution, good // 4, q)
        k = np.clip(np.round((place + 1) / 2 * (m - 1)).astype(int), 0, m - 1)
        direction = normal[good, k]
        value = level[good] + slope[good] * place
        # the cut side shows where the outline's foot lies outside it
        wall = (sink(solution, good // 4, q) * direction).sum(axis=1)
        parts.append(
            (
                good // 4,
                q,
                predicted + value[:, None] * direction,
                direction,
                np.hypot(noise, shape_sd),
                np.full(len(good), 1.0 if rectangle.bright_inside else -1.0),
                np.maximum(wall, 0.0) if rectangle.is_card_edge else np.zeros(len(good)),
            )
        )
    joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
    full = np.zeros(n * 4)
    full[good] = share[good]
    return Measurements(*joined), full.reshape(n, 4)


_LINEAR = (
    np.where(
        np.arange(256) / 255 <= 0.04045,
        np.arange(256) / 255 / 12.92,
        ((np.arange(256) / 255 + 0.055) / 1.055) ** 2.4,
    )
).astype(np.float32)


def _find_edges(
    gray: np.ndarray,
    at_px: FloatArray,
    normal_px: FloatArray,
    reach_px: FloatArray,
    bright_inside: bool,
    settings: PoseSettings,
) -> tuple[FloatArray, FloatArray]:
    """Find the edge along each normal.

    Returns
    -------
    offset : (S, m) float64
        Along the normal, pixels; nan where there is no edge of the right sign.
    strength : (S, m) float64
        The step's gradient, linear brightness per sample.
    """
    step = settings.step_px
    widest = int(np.ceil(reach_px.max() / step))
    pad = int(np.ceil(3 * settings.smooth_px / step))
    offsets = np.arange(-widest - pad, widest + pad + 1) * step
    places = at_px[:, :, None, :] + offsets[:, None] * normal_px[:, :, None, :]
    flat = places.reshape(len(at_px), -1, 2).astype(np.float32)
    values = cv2.remap(gray, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR)
    profile = _LINEAR[values].reshape(*at_px.shape[:2], len(offsets))
    sigma = settings.smooth_px / step
    x = np.arange(-pad, pad + 1)
    kernel = x * np.exp(-(x**2) / (2 * sigma**2))
    kernel = kernel / np.abs(kernel).sum() * (-1.0 if bright_inside else 1.0)
    shape = profile.shape
    rows = profile.reshape(-1, shape[2])
    gradient = cv2.filter2D(rows, cv2.CV_32F, kernel[None].astype(np.float32))
    gradient = gradient.reshape(shape)
    allowed = np.abs(offsets)[None, :] <= reach_px[:, None] + 1e-9
    gradient = np.where(allowed[:, None, :], gradient, -1.0)
    best = gradient.argmax(axis=2)
    best = np.clip(best, 1, shape[2] - 2)
    take = np.take_along_axis
    mid = take(gradient, best[..., None], 2)[..., 0]
    left = take(gradient, best[..., None] - 1, 2)[..., 0]
    right = take(gradient, best[..., None] + 1, 2)[..., 0]
    curve = left - 2 * mid + right
    with np.errstate(divide="ignore", invalid="ignore"):
        fine = np.where(curve < 0, 0.5 * (left - right) / curve, 0.0)
    offset = offsets[best] + np.clip(fine, -0.5, 0.5) * step
    on_rim = (left <= -1.0) | (right <= -1.0)
    offset = np.where(on_rim | (mid < settings.min_step / 4), np.nan, offset)
    return offset.astype(np.float64), mid.astype(np.float64)


def _fit_sides(
    offset: FloatArray, strength: FloatArray, u: FloatArray, settings: PoseSettings
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Fit ``level + slope u + bow (u^2 - 1/3)`` to each side, robustly.

    Returns
    -------
    level, slope, spread, share, lo, hi : (S,) float64
        In pixels (lo, hi: the measured stretch of u); ``spread`` is the robust deviation of a
        sample, ``share`` the part of the side's samples that agree.
    """
    sides, m = offset.shape
    found = np.isfinite(offset)
    y = np.where(found, offset, 0.0)
    peak = _row_medians(strength, found)[:, None]
    found &= strength > 0.4 * peak
    base = np.stack([np.ones(m), u, u**2 - 1 / 3], axis=1)
    weight = found.astype(float)
    coefficients = np.zeros((sides, 3))
    coefficients[:, 0] = _row_medians(y, found)
    spread = np.ones(sides)
    ridge = np.diag([1e-9, 1e-3, 0.5 if settings.bow else 1e9])
    for _ in range(6):
        residual = y - coefficients @ base.T
        spread = np.maximum(1.4826 * _row_medians(np.abs(residual), found), 0.05)
        ratio = np.abs(residual) / (2.5 * spread[:, None])
        weight = np.where(found & (ratio < 1), (1 - ratio**2) ** 2, 0.0)
        a = np.einsum("sm,mi,mj->sij", weight, base, base) + ridge
        b = np.einsum("sm,sm,mi->si", weight, y, base)
        coefficients = np.linalg.solve(a, b[..., None])[..., 0]
    used = weight > 0
    share = used.mean(axis=1)
    lo = np.where(used.any(axis=1), u[used.argmax(axis=1)], -1.0)
    hi = np.where(used.any(axis=1), u[m - 1 - used[:, ::-1].argmax(axis=1)], 1.0)
    return coefficients[:, 0], coefficients[:, 1], spread, share, lo, hi


def _row_medians(values: FloatArray, mask: np.ndarray) -> FloatArray:
    """Return the median of the masked entries of each row; 0 where there are none."""
    ordered = np.sort(np.where(mask, values, np.inf), axis=1)
    count = mask.sum(axis=1)
    rows = np.arange(len(values))
    lower, upper = np.maximum(count - 1, 0) // 2, count // 2
    upper = np.minimum(upper, np.maximum(count - 1, 0))
    middle = (ordered[rows, lower] + ordered[rows, upper]) / 2
    return np.where(count > 0, middle, 0.0)


def remove_gauge(
    solution: Solution, covariance: FloatArray
) -> tuple[FloatArray, FloatArray, Camera]:
    """Put the table frame where the contract wants it, and its free motion out of the covariance.

    The origin goes to the mean of the card centres, the axes turn to the photo's own right and
    down at that place. The covariance is projected to that of the errors which remain after the
    best rigid alignment of all centres (an S-transformation).

    Parameters
    ----------
    solution : Solution
        The adjusted camera and poses.
    covariance : (3N, 3N) float64
        Of the poses in the gauge of the adjustment.

    Returns
    -------
    poses : (N, 3) float64
        x mm, y mm, theta rad in (-pi, pi].
    covariance : (3N, 3N) float64
        In the new frame.
    camera : Camera
        Whose homography takes the new frame.

    References
    ----------
    .. [1] Baarda, S-Transformations and Criterion Matrices, 1973.
    """
    poses = solution.poses
    n = len(poses)
    origin = poses[:, :2].mean(axis=0)
    camera = camera_of(solution)
    turn = _turn_to_photo(camera.photo_from_table, origin)
    cos, sin = np.cos(turn), np.sin(turn)
    new_from_old = np.array([[cos, sin], [-sin, cos]])  # axes turned by +turn
    centred = (poses[:, :2] - origin) @ new_from_old.T
    moved = np.column_stack([centred, [wrap_angle(t - turn) for t in poses[:, 2]]])

    block = np.eye(3)
    block[:2, :2] = new_from_old
    spin = np.kron(np.eye(n), block)
    generators = np.zeros((3 * n, 3))
    generators[0::3, 0] = 1
    generators[1::3, 1] = 1
    generators[0::3, 2] = -centred[:, 1]
    generators[1::3, 2] = centred[:, 0]
    generators[2::3, 2] = 1
    if n > 1:
        weigh = np.zeros(3 * n)
        weigh[0::3] = weigh[1::3] = 1
    else:
        weigh = np.ones(3)
    fit = np.linalg.solve(
        generators.T @ (weigh[:, None] * generators) + 1e-12 * np.eye(3), generators.T * weigh
    )
    project_out = np.eye(3 * n) - generators @ fit
    total = project_out @ spin
    free = total @ covariance @ total.T

    table_old_from_new = np.eye(3)
    table_old_from_new[:2, :2] = new_from_old.T
    table_old_from_new[:2, 2] = origin
    homography = camera.photo_from_table @ table_old_from_new
    return (
        moved,
        (free + free.T) / 2,
        Camera(camera.camera_matrix, camera.distortion, homography / homography[2, 2]),
    )


def _turn_to_photo(photo_from_table: Matrix3, origin: FloatArray) -> float:
    """Return the turn that brings the table's axes closest to the photo's right and down."""
    x, y = origin
    p = photo_from_table @ [x, y, 1]
    jacobian = (photo_from_table[:2, :2] * p[2] - np.outer(p[:2], photo_from_table[2, :2])) / p[
        2
    ] ** 2
    return float(np.arctan2(jacobian[0, 1] - jacobian[1, 0], jacobian[0, 0] + jacobian[1, 1]))
