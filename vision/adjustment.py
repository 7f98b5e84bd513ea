"""Joint least squares over camera, table plane and all card poses.

The model: a card point ``q`` (mm) lies on the table at ``xy + R(theta) q``; the table plane is
placed before the camera by a rotation and a translation; the pinhole image goes through a radial
lens. A measurement says how far the picture shows an edge from where it was expected, along the
edge's normal. White regions spread by a common ``bloom`` in real pictures (tone curves,
sharpening), so it is solved for as well: bright-to-dark and dark-to-bright edges oppose. Where the
camera sees the cut side of a card, its outline reaches out by the card's thickness; that is one
more unknown.

The free rigid motion of the table frame is held by the camera: the image of the table's origin
and the turn about the plane's normal stay as they are given.

References
----------
.. [1] Triggs et al., Bundle Adjustment - A Modern Synthesis, 2000.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.types import BoolArray, Camera, FloatArray, IntArray, Matrix3

__all__ = [
    "Measurements",
    "Priors",
    "Solution",
    "Solved",
    "camera_of",
    "is_before_camera",
    "jacobian",
    "join_measurements",
    "moved",
    "project",
    "residuals",
    "sink",
    "solve",
    "with_poses",
]

_N_CAMERA = 10  # log f, cx, cy, k1, k2, tilt a, tilt b, log distance, bloom, thickness
_BLOOM, _THICKNESS = 8, 9
_NEAREST_MM = 1.0  # in front of the camera: nearer, the division by the depth means nothing
_DAMPING = (1e-9, 1e-6, 1e6)  # least, first, most; of the normal matrix's diagonal
_ENOUGH = 1e-6  # a step that lowers the cost by less than this share of it is the last


@dataclass(frozen=True, slots=True)
class Priors:
    """What is believed of the camera before the photo; standard deviations with their reason.

    ``focal_px`` is the expected focal length; ``log_focal_sd`` 0.03 for an EXIF value (rounded
    to whole millimetres of about 26), 0.3 for none at all.
    """

    focal_px: float
    log_focal_sd: float
    centre_px: tuple[float, float]
    centre_sd_px: float
    k1_sd: float = 0.03  # phones after their own correction: a few per cent at the corner
    k2_sd: float = 0.015
    bloom_sd_px: float = 0.5  # seen: 0 to 0.3 px on finished photos, 0.9 where white is clipped
    thickness_mm: float = 0.3  # a card; a sleeve doubles it
    thickness_sd_mm: float = 0.1
    k1: float = 0.0  # of the lens, where it is known
    k2: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Camera, plane and poses.

    ``rotation`` (3, 3) and ``translation_mm`` (3,) take table points ``(x, y, 0)`` to the camera
    frame; ``poses`` (N, 3) holds x mm, y mm, theta rad of each card.
    """

    focal_px: float
    centre_px: FloatArray
    k1: float
    k2: float
    rotation: Matrix3
    translation_mm: FloatArray
    poses: FloatArray
    bloom_px: float = 0.0
    thickness_mm: float = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """M observations: where along ``normal_px`` the picture shows a point of a card.

    ``card`` (M,) int indexes the poses; ``point_mm`` (M, 2) is in the card frame; ``seen_px``
    (M, 2) photo frame; ``normal_px`` (M, 2) unit; ``sigma_px`` (M,); ``polarity`` (M,) is +1
    where white ends along the normal (bloom pushes the edge that way), -1 where it begins, 0
    where it does not matter; ``wall`` (M,) is how many pixels along the normal the outline moves
    for a millimetre of thickness (0 where no cut side is seen).
    """

    card: IntArray
    point_mm: FloatArray
    seen_px: FloatArray
    normal_px: FloatArray
    sigma_px: FloatArray
    polarity: FloatArray
    wall: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The solution with its covariance.

    ``pose_covariance`` (3N, 3N) is of (x mm, y mm, theta rad) in the gauge of the module's text.
    ``residuals`` (M,) are in units of their sigma, ``weights`` (M,) those of the robust loss.
    """

    solution: Solution
    pose_covariance: FloatArray
    residuals: FloatArray
    weights: FloatArray
    variance_factor: float


def camera_of(solution: Solution) -> Camera:
    """Return the camera that maps the solution's table frame to the photo."""
    k = np.array(
        [
            [solution.focal_px, 0, solution.centre_px[0]],
            [0, solution.focal_px, solution.centre_px[1]],
            [0, 0, 1],
        ]
    )
    plane = np.column_stack([solution.rotation[:, :2], solution.translation_mm])
    photo_from_table = k @ plane
    distortion = np.array([solution.k1, solution.k2])
    return Camera(k, distortion, photo_from_table / photo_from_table[2, 2])


def with_poses(solution: Solution, poses: FloatArray) -> Solution:
    """Return the same camera and plane with other cards, (N, 3), on it."""
    return replace(solution, poses=poses)


def join_measurements(parts: Sequence[Measurements]) -> Measurements:
    """Put the observations of several sources behind one another; none of none."""
    if not parts:
        none, pairs = np.zeros(0), np.zeros((0, 2))
        return Measurements(np.zeros(0, np.int64), pairs, pairs, pairs, none, none, none)
    return Measurements(
        *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Measurements))
    )


def project(solution: Solution, card: IntArray, point_mm: FloatArray) -> FloatArray:
    """Map points of cards to the photo.

    Parameters
    ----------
    solution : Solution
        Camera, plane and poses.
    card : (M,) int
        Which card each point is on.
    point_mm : (M, 2) float64
        Card frame.

    Returns
    -------
    (M, 2) float64
        Photo frame, px.

    Raises
    ------
    DegenerateGeometryError
        If a point lies behind the camera.
    """
    s = solution
    _, point = _before_camera(s, card, point_mm)
    u = point[:, :2] / point[:, 2:]
    r2 = (u**2).sum(axis=1, keepdims=True)
    return np.asarray(s.focal_px * (1 + s.k1 * r2 + s.k2 * r2**2) * u + s.centre_px, np.float64)


def is_before_camera(solution: Solution, reach_mm: float) -> BoolArray:
    """Tell which poses (N,) lie, with all round them up to ``reach_mm``, before the camera."""
    towards = solution.rotation[2, :2]
    depth = solution.poses[:, :2] @ towards + solution.translation_mm[2]
    return np.asarray(depth - reach_mm * np.hypot(*towards) > _NEAREST_MM)


def _before_camera(s: Solution, card: IntArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return card points on the table (M, 2) and in the camera frame (M, 3), mm."""
    x, y, theta = s.poses[card].T
    cos, sin = np.cos(theta), np.sin(theta)
    table = np.stack([x + cos * q[:, 0] - sin * q[:, 1], y + sin * q[:, 0] + cos * q[:, 1]], 1)
    point = table @ s.rotation[:, :2].T + s.translation_mm
    if np.any(point[:, 2] <= _NEAREST_MM):
        msg = "a card would lie behind the camera; photograph the table from higher up"
        raise DegenerateGeometryError(msg)
    return table, point


def sink(solution: Solution, card: IntArray, point_mm: FloatArray) -> FloatArray:
    """Return how card points (M, 2) move in the photo per mm below the cards' plane: (M, 2)."""
    s = solution
    deeper = replace(s, translation_mm=s.translation_mm + s.rotation[:, 2])
    return project(deeper, card, point_mm) - project(s, card, point_mm)


def residuals(solution: Solution, seen: Measurements) -> FloatArray:
    """Return seen minus expected along each normal, in sigmas: (M,)."""
    px = project(solution, seen.card, seen.point_mm)
    r = ((seen.seen_px - px) * seen.normal_px).sum(axis=1)
    r = r - seen.polarity * solution.bloom_px - seen.wall * solution.thickness_mm
    return np.asarray(r / seen.sigma_px, np.float64)


def jacobian(solution: Solution, seen: Measurements) -> FloatArray:
    """Return how what is expected moves with each unknown, in sigmas.

    Parameters
    ----------
    solution : Solution
        Where to linearise.
    seen : Measurements
        M observations.

    Returns
    -------
    (M, 10 + 3N) float64
        By log focal length, centre x and y (px), k1, k2, turns about the table's own x and y
        axis (rad), log distance, bloom (px), thickness (mm); then x mm, y mm, theta rad of each
        card. This is minus the slope of :func:`residuals`, with the steps of :func:`moved`.
    """
    rows = np.arange(len(seen.card))
    columns = _N_CAMERA + 3 * seen.card[:, None] + np.arange(3)
    by_camera, by_pose = _slopes(solution, seen.card, seen.point_mm)
    total = np.zeros((len(rows), _N_CAMERA + solution.poses.size))
    total[:, :_N_CAMERA] = (by_camera * seen.normal_px[:, :, None]).sum(axis=1)
    total[:, _BLOOM] = seen.polarity
    total[:, _THICKNESS] = seen.wall
    total[rows[:, None], columns] = (by_pose * seen.normal_px[:, :, None]).sum(axis=1)
    return total / seen.sigma_px[:, None]


def _slopes(s: Solution, card: IntArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return d px / d camera (M, 2, 10; bloom and thickness left 0) and d px / d pose (M, 2, 3)."""
    table, point = _before_camera(s, card, q)
    z = point[:, 2]
    u = point[:, :2] / z[:, None]
    r2 = (u**2).sum(axis=1)
    lens = 1 + s.k1 * r2 + s.k2 * r2**2

    bend = 2 * (s.k1 + 2 * s.k2 * r2)
    outer = u[:, :, None] * u[:, None, :]
    by_u = s.focal_px * (lens[:, None, None] * np.eye(2) + bend[:, None, None] * outer)
    by_point = np.concatenate([by_u, -(by_u @ u[:, :, None])], axis=2) / z[:, None, None]

    by_camera = np.zeros((len(q), 2, _N_CAMERA))
    by_camera[:, :, 0] = s.focal_px * lens[:, None] * u
    by_camera[:, 0, 1] = by_camera[:, 1, 2] = 1
    by_camera[:, :, 3] = s.focal_px * (r2[:, None] * u)
    by_camera[:, :, 4] = s.focal_px * (r2[:, None] ** 2 * u)
    lift = by_point @ s.rotation[:, 2]
    by_camera[:, :, 5] = lift * table[:, 1:]
    by_camera[:, :, 6] = -lift * table[:, :1]
    by_camera[:, :, 7] = by_point @ s.translation_mm

    theta = s.poses[card, 2]
    cos, sin = np.cos(theta), np.sin(theta)
    turn = np.stack([-sin * q[:, 0] - cos * q[:, 1], cos * q[:, 0] - sin * q[:, 1]], 1)
    by_table = by_point @ s.rotation[:, :2]  # (M, 2, 2)
    return by_camera, np.concatenate([by_table, by_table @ turn[:, :, None]], axis=2)


def moved(solution: Solution, step: FloatArray) -> Solution:
    """Apply a step (10 + 3N,) of the unknowns, in the order of :func:`jacobian`."""
    s = solution
    a, b = step[5:7]
    angle = float(np.hypot(a, b))
    spin = np.array([[0, 0, b], [0, 0, -a], [-b, a, 0.0]])
    turn = np.eye(3)
    if angle > 0:
        turn += np.sin(angle) / angle * spin + (1 - np.cos(angle)) / angle**2 * spin @ spin
    return replace(
        s,
        focal_px=s.focal_px * float(np.exp(step[0])),
        centre_px=s.centre_px + step[1:3],
        k1=s.k1 + float(step[3]),
        k2=s.k2 + float(step[4]),
        rotation=s.rotation @ turn,
        translation_mm=s.translation_mm * np.exp(step[7]),
        bloom_px=s.bloom_px + float(step[_BLOOM]),
        thickness_mm=s.thickness_mm + float(step[_THICKNESS]),
        poses=s.poses + step[_N_CAMERA:].reshape(-1, 3),
    )


def _prior_sd(priors: Priors) -> FloatArray:
    """Return how well each of the camera's unknowns is known before: (10,); inf for not at all."""
    free = [np.inf] * 3  # tilt and distance
    p = priors
    lens = [p.log_focal_sd, p.centre_sd_px, p.centre_sd_px, p.k1_sd, p.k2_sd]
    return np.array([*lens, *free, p.bloom_sd_px, p.thickness_sd_mm])


def _prior_residuals(s: Solution, priors: Priors) -> FloatArray:
    """Return believed minus present camera, in standard deviations: (10,)."""
    bend = (s.k1 - priors.k1, s.k2 - priors.k2)
    lens = [np.log(s.focal_px / priors.focal_px), *(s.centre_px - priors.centre_px), *bend]
    away = np.array([*lens, 0, 0, 0, s.bloom_px, s.thickness_mm - priors.thickness_mm])
    return np.asarray(-away / _prior_sd(priors), np.float64)


def _cost(r: FloatArray, prior: FloatArray, huber: float) -> float:
    """Return the robust sum of squares."""
    size = np.abs(r)
    robust = np.where(size < huber, size**2, 2 * huber * size - huber**2)
    return float(robust.sum() + (prior**2).sum())


def solve(
    start: Solution, seen: Measurements, priors: Priors, *, rounds: int = 25, huber: float = 2.0
) -> Solved:
    """Minimise the robust sum of squares by damped Gauss-Newton steps.

    Parameters
    ----------
    start : Solution
        Where to begin; within a few degrees and per cent is near enough.
    seen : Measurements
        The observations.
    priors : Priors
        What is believed of the camera; each counts as one more observation.
    rounds : int
        Most steps taken.
    huber : float
        Residuals (in sigmas) beyond this count linearly.

    Returns
    -------
    Solved
        The optimum, with the covariance from the normal matrix scaled by the variance factor
        where that is above 1.

    Raises
    ------
    DegenerateGeometryError
        If the start does not see the cards in front of the camera.
    """
    least, damping, most = _DAMPING
    prior_sd = _prior_sd(priors)
    camera = np.arange(_N_CAMERA)
    current = start
    r, prior = residuals(current, seen), _prior_residuals(current, priors)
    best = _cost(r, prior, huber)
    normal = np.zeros((_N_CAMERA + start.poses.size,) * 2)
    weights = np.ones(len(r))
    for _ in range(rounds):
        slopes = jacobian(current, seen)
        weights = np.minimum(1.0, huber / np.maximum(np.abs(r), 1e-12))
        weighted = slopes * weights[:, None]
        normal = weighted.T @ slopes
        gradient = weighted.T @ r
        normal[camera, camera] += 1 / prior_sd**2
        gradient[:_N_CAMERA] += prior / prior_sd
        gain = 0.0
        while damping < most:
            damped = normal + damping * np.diag(np.diag(normal) + 1e-12)
            step = np.linalg.solve(damped, gradient).astype(np.float64)
            try:
                with np.errstate(over="raise", invalid="raise", divide="raise"):
                    tried = moved(current, step)
                    r_new, prior_new = residuals(tried, seen), _prior_residuals(tried, priors)
                    value = _cost(r_new, prior_new, huber)
            except (DegenerateGeometryError, FloatingPointError):  # too far a step
                value = np.inf
            if value <= best:
                gain = best - value
                current, r, prior, best = tried, r_new, prior_new, value
                damping = max(damping / 10, least)
                break
            damping *= 10
        if gain < _ENOUGH * (1 + best):
            break

    # every card takes three, the plane and the camera some four that the priors do not give
    freedom = max(1, len(r) - start.poses.size - 4)
    factor = float((weights * r**2).sum() / freedom)
    covariance = np.linalg.pinv(normal, hermitian=True)[_N_CAMERA:, _N_CAMERA:]
    return Solved(
        current, np.asarray(covariance * max(1.0, factor), np.float64), r, weights, factor
    )
