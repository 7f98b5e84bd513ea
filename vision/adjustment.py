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

from dataclasses import dataclass, replace

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.types import Camera, FloatArray, Matrix3

__all__ = ["Measurements", "Priors", "Solution", "Solved", "camera_of", "project", "sink", "solve"]

_BEHIND = "a card would lie behind the camera"
_N_CAMERA = 10  # log f, cx, cy, k1, k2, tilt a, tilt b, log distance, bloom, thickness


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

    card: np.ndarray
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
    return Camera(k, [solution.k1, solution.k2], photo_from_table / photo_from_table[2, 2])  # type: ignore[arg-type]


def project(solution: Solution, card: np.ndarray, point_mm: FloatArray) -> FloatArray:
    """Map card points (M, 2) of cards ``card`` (M,) to the photo (M, 2)."""
    s, q = solution, point_mm
    x, y, theta = s.poses[card].T
    cos, sin = np.cos(theta), np.sin(theta)
    table = np.stack([x + cos * q[:, 0] - sin * q[:, 1], y + sin * q[:, 0] + cos * q[:, 1]], 1)
    point = table @ s.rotation[:, :2].T + s.translation_mm
    if np.any(point[:, 2] <= 1.0):
        raise DegenerateGeometryError(_BEHIND)
    u = point[:, :2] / point[:, 2:]
    r2 = (u**2).sum(axis=1, keepdims=True)
    return s.focal_px * (1 + s.k1 * r2 + s.k2 * r2**2) * u + s.centre_px


def _project_with_slopes(
    s: Solution, card: np.ndarray, q: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return pixels (M, 2), d px / d camera (M, 2, 9) and d px / d pose (M, 2, 3)."""
    x, y, theta = s.poses[card].T
    cos, sin = np.cos(theta), np.sin(theta)
    table = np.stack([x + cos * q[:, 0] - sin * q[:, 1], y + sin * q[:, 0] + cos * q[:, 1]], 1)
    across = s.rotation[:, :2]
    point = table @ across.T + s.translation_mm
    z = point[:, 2]
    if np.any(z <= 1.0):
        raise DegenerateGeometryError(_BEHIND)
    u = point[:, :2] / z[:, None]
    r2 = (u**2).sum(axis=1)
    lens = 1 + s.k1 * r2 + s.k2 * r2**2
    px = s.focal_px * lens[:, None] * u + s.centre_px

    bend = 2 * (s.k1 + 2 * s.k2 * r2)
    du = s.focal_px * (lens[:, None, None] * np.eye(2) + bend[:, None, None] * _outer(u, u))
    dpoint = np.concatenate([du, -(du @ u[:, :, None])], axis=2) / z[:, None, None]  # (M, 2, 3)

    camera = np.zeros((len(q), 2, _N_CAMERA))
    camera[:, :, 0] = s.focal_px * lens[:, None] * u
    camera[:, 0, 1] = camera[:, 1, 2] = 1
    camera[:, :, 3] = s.focal_px * (r2[:, None] * u)
    camera[:, :, 4] = s.focal_px * (r2[:, None] ** 2 * u)
    lift = dpoint @ s.rotation[:, 2]
    camera[:, :, 5] = lift * table[:, 1:]
    camera[:, :, 6] = -lift * table[:, :1]
    camera[:, :, 7] = dpoint @ s.translation_mm

    turn = np.stack([-sin * q[:, 0] - cos * q[:, 1], cos * q[:, 0] - sin * q[:, 1]], 1)
    dtable = dpoint @ across  # (M, 2, 2)
    pose = np.concatenate([dtable, dtable @ turn[:, :, None]], axis=2)
    return px, camera, pose


def sink(solution: Solution, card: np.ndarray, point_mm: FloatArray) -> FloatArray:
    """Return how card points (M, 2) move in the photo per mm below the cards' plane: (M, 2)."""
    s = solution
    deeper = replace(s, translation_mm=s.translation_mm + s.rotation[:, 2])
    return project(deeper, card, point_mm) - project(s, card, point_mm)


def _outer(a: FloatArray, b: FloatArray) -> FloatArray:
    return a[:, :, None] * b[:, None, :]


def _moved(s: Solution, step: FloatArray) -> Solution:
    """Apply an update of the camera's numbers and the 3N pose numbers."""
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
        bloom_px=s.bloom_px + float(step[8]),
        thickness_mm=s.thickness_mm + float(step[9]),
        poses=s.poses + step[_N_CAMERA:].reshape(-1, 3),
    )


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
    n_cards = len(start.poses)
    row = np.arange(len(seen.card))
    column = _N_CAMERA + 3 * seen.card[:, None] + np.arange(3)
    prior_sd = np.array(
        [
            priors.log_focal_sd,
            priors.centre_sd_px,
            priors.centre_sd_px,
            priors.k1_sd,
            priors.k2_sd,
            np.inf,
            np.inf,
            np.inf,
            priors.bloom_sd_px,
            priors.thickness_sd_mm,
        ]
    )

    def residuals(s: Solution) -> tuple[FloatArray, FloatArray]:
        px = project(s, seen.card, seen.point_mm)
        r = ((seen.seen_px - px) * seen.normal_px).sum(axis=1)
        r = r - seen.polarity * s.bloom_px - seen.wall * s.thickness_mm
        state = np.array(
            [
                np.log(s.focal_px / priors.focal_px),
                *(s.centre_px - priors.centre_px),
                s.k1,
                s.k2,
                0,
                0,
                0,
                s.bloom_px,
                s.thickness_mm - priors.thickness_mm,
            ]
        )
        return r / seen.sigma_px, -state / prior_sd

    def cost(r: FloatArray, prior: FloatArray) -> float:
        size = np.abs(r)
        robust = np.where(size < huber, size**2, 2 * huber * size - huber**2)
        return float(robust.sum() + (prior**2).sum())

    current, damping = start, 1e-6
    r, prior = residuals(current)
    best = cost(r, prior)
    normal = np.zeros((_N_CAMERA + 3 * n_cards,) * 2)
    weights = np.ones(len(r))
    for _ in range(rounds):
        _, d_camera, d_pose = _project_with_slopes(current, seen.card, seen.point_mm)
        jacobian = np.zeros((len(r), _N_CAMERA + 3 * n_cards))
        jacobian[:, :_N_CAMERA] = (d_camera * seen.normal_px[:, :, None]).sum(axis=1)
        jacobian[:, _N_CAMERA - 2] = seen.polarity
        jacobian[:, _N_CAMERA - 1] = seen.wall
        jacobian[row[:, None], column] = (d_pose * seen.normal_px[:, :, None]).sum(axis=1)
        jacobian /= seen.sigma_px[:, None]
        weights = np.minimum(1.0, huber / np.maximum(np.abs(r), 1e-12))
        weighted = jacobian * weights[:, None]
        normal = weighted.T @ jacobian
        gradient = weighted.T @ r
        normal[np.arange(_N_CAMERA), np.arange(_N_CAMERA)] += 1 / prior_sd**2
        gradient[:_N_CAMERA] += prior / prior_sd
        gain = 0.0
        while damping < 1e6:
            damped = normal + damping * np.diag(np.diag(normal) + 1e-12)
            step = np.linalg.solve(damped, gradient)
            try:
                moved = _moved(current, step)
                r_new, prior_new = residuals(moved)
                value = cost(r_new, prior_new)
            except (DegenerateGeometryError, FloatingPointError, OverflowError):
                value = np.inf
            if value <= best:
                gain = best - value
                current, r, prior, best = moved, r_new, prior_new, value
                damping = max(damping / 10, 1e-9)
                break
            damping *= 10
        if gain < 1e-6 * (1 + best):
            break

    freedom = max(1, len(r) - 3 * n_cards - 4)
    factor = float((weights * r**2).sum() / freedom)
    covariance = np.linalg.pinv(normal, hermitian=True)[_N_CAMERA:, _N_CAMERA:]
    return Solved(current, covariance * max(1.0, factor), r, weights, factor)
