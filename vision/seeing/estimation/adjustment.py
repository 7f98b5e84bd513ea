"""Joint robust least squares for camera, plane, poses and forms of the cards.

If the cards' :class:`Forms` are estimated, they are unknowns with priors, so that the covariance
includes their uncertainty.

References
----------
.. [1] Triggs et al., Bundle Adjustment - A Modern Synthesis, 2000.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.seeing.estimation.covariance import Normal, normal_equations, rows_by_card
from vision.seeing.estimation.jacobian import N_POSE, apply_step
from vision.seeing.estimation.model import (
    THICKNESS_MM,
    Measurements,
    PlacedPoints,
    Solution,
    measured_points,
    residuals,
    trim_parameters,
)
from vision.values.arrays import FloatArray

__all__ = ["FormPriors", "Priors", "SolveSettings", "Solved", "solve"]

_DAMPING = (1e-9, 1e-6, 1e6)  # damping, of the normal matrix's diagonal: least, initial, largest


@dataclass(frozen=True, slots=True)
class SolveSettings:
    """Settings of the optimisation."""

    rounds: int = 25  # most steps; from a start within some degrees five to ten are needed
    huber: float = 2.0  # residual (sigmas) from which the loss is linear: one edge in twenty errs
    # relative reduction of the cost below which it stops: less than files resolve
    enough: float = 1e-6


@dataclass(frozen=True, slots=True)
class Priors:
    """Priors of the camera and the deck; standard deviations.

    ``focal_px`` is the expected focal length; ``log_focal_sd`` is 0.03 for an EXIF value (rounded
    to whole millimetres of about 26), 0.3 without one.
    """

    focal_px: float
    log_focal_sd: float
    centre_px: tuple[float, float]
    centre_sd_px: float
    k1_sd: float = 0.03  # phones after their own correction: a few per cent at the corner
    k2_sd: float = 0.015
    bloom_sd_px: float = 0.5  # measured: 0 to 0.3 px on finished photos, 0.9 where white is clipped
    thickness_mm: float = THICKNESS_MM
    thickness_sd_mm: float = 0.1
    inner_bloom_sd_px: float = 0.01  # edges alone cannot separate it from the table's size
    k1: float = 0.0  # of the lens, where it is known
    k2: float = 0.0
    # of the trim parameters, if the solution has a trim model
    cut_sd: tuple[float, ...] = (1e-9,) * 5


@dataclass(frozen=True, slots=True)
class FormPriors:
    """Priors of each card's form; standard deviations, each (N,) or one for all.

    ``shift_mm`` and ``turn_rad`` are of the print on the card, ``lift_mm`` of the card's height
    above the table, ``curl_mm`` of each of the three curl coefficients, ``growth`` of its width and
    height: real or apparent, for no edge is measured better than some hundredths of a pixel.
    """

    shift_mm: FloatArray | float
    turn_rad: FloatArray | float
    lift_mm: FloatArray | float
    curl_mm: FloatArray | float
    growth: FloatArray | float


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The solution with its covariance.

    ``pose_covariance`` (3N, 3N) is of (x mm, y mm, theta rad) in the gauge of the jacobian module,
    ``card_covariance`` (N, P, P) of all unknowns of each card: the pose, then (if they are
    estimated) the print's x mm, y mm, turn rad, the lift mm, the three curl coefficients mm and the
    growth of width and height. ``shared_covariance`` (C, C) is of the shared unknowns. ``by_bloom``
    (N, P) is how far a bloom of its own, beside the common one, moves each card: by px.
    ``residuals`` (M,) are in units of their sigma, ``weights`` (M,) those of the robust loss.
    """

    solution: Solution
    pose_covariance: FloatArray
    card_covariance: FloatArray
    residuals: FloatArray
    weights: FloatArray
    variance_factor: float
    shared_covariance: FloatArray
    by_bloom: FloatArray


def _prior_sd(priors: Priors, s: Solution) -> FloatArray:
    """Return the prior deviation (C,) of each shared unknown; inf without a prior."""
    free = [np.inf] * 3  # tilt and distance
    p = priors
    lens = [p.log_focal_sd, p.centre_sd_px, p.centre_sd_px, p.k1_sd, p.k2_sd]
    light = [p.bloom_sd_px, p.thickness_sd_mm, p.inner_bloom_sd_px]
    return np.array([*lens, *free, *light, *([] if s.cut is None else p.cut_sd)])


def _prior_residuals(s: Solution, priors: Priors) -> FloatArray:
    """Return prior minus present shared unknowns, in standard deviations: (C,)."""
    bend = (s.k1 - priors.k1, s.k2 - priors.k2)
    lens = [np.log(s.focal_px / priors.focal_px), *(s.centre_px - priors.centre_px), *bend]
    light = [s.bloom_px, s.thickness_mm - priors.thickness_mm, s.inner_bloom_px]
    cut = np.zeros(0) if s.cut is None else trim_parameters(s)
    return np.asarray(-np.array([*lens, 0, 0, 0, *light, *cut]) / _prior_sd(priors, s), np.float64)


def _form_sd(priors: FormPriors | None, cards: int) -> FloatArray:
    """Return the prior deviation (N, P) of each card's unknowns; inf for the pose."""
    if priors is None:
        return np.full((cards, N_POSE), np.inf)
    p = priors
    free = [np.inf] * N_POSE
    columns = [
        *free,
        p.shift_mm,
        p.shift_mm,
        p.turn_rad,
        p.lift_mm,
        *[p.curl_mm] * 3,
        *[p.growth] * 2,
    ]
    return np.stack([np.broadcast_to(c, cards) for c in columns], axis=1)


def _form_residuals(s: Solution, sd: FloatArray) -> FloatArray:
    """Return prior minus present forms, in standard deviations: (N, P)."""
    r = np.zeros_like(sd)
    if s.forms is not None:
        f = s.forms
        r[:, N_POSE:] = (
            -np.column_stack([f.printed, f.lift_mm, f.curl_mm, f.growth]) / sd[:, N_POSE:]
        )
    return r


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """A solution, its measured points, and its residuals in sigmas.

    These are of the measurements, of the priors of the camera and of those of the forms.
    """

    solution: Solution
    points: PlacedPoints
    seen: FloatArray
    camera: FloatArray
    forms: FloatArray
    cost: float


def _cost(r: FloatArray, *priors: FloatArray, huber: float) -> float:
    """Return the robust sum of squares."""
    size = np.abs(r)
    robust = np.where(size < huber, size**2, 2 * huber * size - huber**2)
    return float(robust.sum() + sum((p**2).sum() for p in priors))


def solve(
    start: Solution,
    seen: Measurements,
    priors: Priors,
    form_priors: FormPriors | None = None,
    settings: SolveSettings | None = None,
) -> Solved:
    """Minimise the robust sum of squares by damped Gauss-Newton steps.

    Parameters
    ----------
    start : Solution
        Initial solution, accurate to a few degrees and per cent.
    seen : Measurements
        The observations.
    priors : Priors
        Priors of the camera; each counts as one more observation.
    form_priors : FormPriors, optional
        Priors of the cards' forms, which the start must then have; without it the forms stay fixed.

    Returns
    -------
    Solved
        The optimum, with the covariance from the normal matrix scaled by the variance factor if
        that is above 1.

    Raises
    ------
    DegenerateGeometryError
        If a card of the start is not in front of the camera.
    """
    s = settings or SolveSettings()
    if form_priors is None and start.forms is not None:
        form_priors = FormPriors(*[1e-9] * 5)
    form_sd = _form_sd(form_priors, len(start.poses))

    def attempt(solution: Solution) -> _Trial:
        points = measured_points(solution, seen)
        r, prior = residuals(solution, seen, points), _prior_residuals(solution, priors)
        form = _form_residuals(solution, form_sd)
        return _Trial(solution, points, r, prior, form, _cost(r, prior, form, huber=s.huber))

    best, damping = attempt(start), _DAMPING[1]
    rows = rows_by_card(seen.card, len(start.poses))
    for _ in range(s.rounds):
        weights = np.minimum(1.0, s.huber / np.maximum(np.abs(best.seen), 1e-12))
        normal = normal_equations(best.solution, seen, best.points, best.seen, weights, rows)
        _add_priors(normal, best, _prior_sd(priors, start), form_sd)
        before = best.cost
        best, damping = _descend(best, normal, attempt, damping, s.enough)
        if before - best.cost < s.enough * (1 + best.cost):
            break

    # each card has three unknowns; plane and camera about four without a strong prior
    freedom = max(1, len(best.seen) - start.poses.size - 4)
    factor = float((weights * best.seen**2).sum() / freedom)
    scale = max(1.0, factor)
    *parts, by_bloom = normal.covariance()
    poses, cards, common = (part * scale for part in parts)
    return Solved(best.solution, poses, cards, best.seen, weights, factor, common, by_bloom)


def _add_priors(normal: Normal, at: _Trial, camera_sd: FloatArray, form_sd: FloatArray) -> None:
    """Add the priors to the normal equations in place."""
    own, each = np.arange(len(camera_sd)), np.arange(form_sd.shape[1])
    normal.camera[own, own] += 1 / camera_sd**2
    normal.cards[:, each, each] += 1 / form_sd**2
    normal.camera_side[:] += at.camera / camera_sd
    normal.cards_side[:] += at.forms / form_sd


def _descend(
    best: _Trial,
    normal: Normal,
    attempt: Callable[[Solution], _Trial],
    damping: float,
    enough: float,
) -> tuple[_Trial, float]:
    """Take the least damped step that lowers the cost; return the result and the next damping."""
    least, _, most = _DAMPING
    while damping < most:
        step = normal.step(damping)
        if normal.hope(*step) < enough * (1 + best.cost):
            break
        try:
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                tried = attempt(apply_step(best.solution, *step))
        except (DegenerateGeometryError, FloatingPointError):  # the step was too long
            pass
        else:
            if tried.cost <= best.cost:
                return tried, max(damping / 10, least)
        damping *= 100  # mostly a card that fits another corner: soon needs a short step
    return best, damping
