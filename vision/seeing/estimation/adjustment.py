"""Measurements -> camera, plane, poses and forms of the cards: joint robust least squares.

Where the cards' :class:`Forms` are asked for, they are unknowns with priors, so that the
covariance holds what remains unknown of them.

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
from vision.seeing.estimation.model import Measurements, Solution, residuals, trim_parameters
from vision.values.arrays import FloatArray

__all__ = ["FormPriors", "Priors", "SolveSettings", "Solved", "solve"]

_DAMPING = (1e-9, 1e-6, 1e6)  # least, first, most; of the normal matrix's diagonal


@dataclass(frozen=True, slots=True)
class SolveSettings:
    """How the least is sought."""

    rounds: int = 25  # most steps taken; from a start within some degrees, five to ten are needed
    huber: float = 2.0  # sigmas beyond which a residual counts linearly: one side in twenty errs
    enough: float = 1e-6  # share of the cost that a last step saves: below what a file writes


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
    inner_bloom_sd_px: float = 0.01  # the sides alone cannot tell it from a table's size
    k1: float = 0.0  # of the lens, where it is known
    k2: float = 0.0
    cut_sd: tuple[float, ...] = (1e-9,) * 5  # of the deck's cut, where the solution has one


@dataclass(frozen=True, slots=True)
class FormPriors:
    """What is believed of each card's form; standard deviations, each (N,) or one for all.

    ``shift_mm`` and ``turn_rad`` are of the print on the card, ``lift_mm`` of what lies under it,
    ``curl_mm`` of each of the three coefficients of its bend, ``growth`` of its width and height:
    real or seeming, for no side is told better than some hundredths of a pixel.
    """

    shift_mm: FloatArray | float
    turn_rad: FloatArray | float
    lift_mm: FloatArray | float
    curl_mm: FloatArray | float
    growth: FloatArray | float


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The solution with its covariance.

    ``pose_covariance`` (3N, 3N) is of (x mm, y mm, theta rad) in the gauge of the module's text,
    ``card_covariance`` (N, P, P) of all unknowns of each card: the pose, then (where they were
    asked for) the print's x mm, y mm, turn rad, the lift mm, the three of the curl mm and the
    growth of width and height. ``shared_covariance`` (C, C) is of what all cards share.
    ``residuals`` (M,) are in units of their sigma, ``weights`` (M,) those of the robust loss.
    """

    solution: Solution
    pose_covariance: FloatArray
    card_covariance: FloatArray
    residuals: FloatArray
    weights: FloatArray
    variance_factor: float
    shared_covariance: FloatArray


def _prior_sd(priors: Priors, s: Solution) -> FloatArray:
    """Return how well each shared unknown is known before: (C,); inf for not at all."""
    free = [np.inf] * 3  # tilt and distance
    p = priors
    lens = [p.log_focal_sd, p.centre_sd_px, p.centre_sd_px, p.k1_sd, p.k2_sd]
    light = [p.bloom_sd_px, p.thickness_sd_mm, p.inner_bloom_sd_px]
    return np.array([*lens, *free, *light, *([] if s.cut is None else p.cut_sd)])


def _prior_residuals(s: Solution, priors: Priors) -> FloatArray:
    """Return believed minus present shared unknowns, in standard deviations: (C,)."""
    bend = (s.k1 - priors.k1, s.k2 - priors.k2)
    lens = [np.log(s.focal_px / priors.focal_px), *(s.centre_px - priors.centre_px), *bend]
    light = [s.bloom_px, s.thickness_mm - priors.thickness_mm, s.inner_bloom_px]
    cut = np.zeros(0) if s.cut is None else trim_parameters(s)
    return np.asarray(-np.array([*lens, 0, 0, 0, *light, *cut]) / _prior_sd(priors, s), np.float64)


def _form_sd(priors: FormPriors | None, cards: int) -> FloatArray:
    """Return how well what is unknown of each card is known before: (N, P); inf for the pose."""
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
    """Return believed minus present forms, in standard deviations: (N, P)."""
    r = np.zeros_like(sd)
    if s.forms is not None:
        f = s.forms
        r[:, N_POSE:] = (
            -np.column_stack([f.printed, f.lift_mm, f.curl_mm, f.growth]) / sd[:, N_POSE:]
        )
    return r


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """A solution and what it misses, in sigmas: what was seen, the priors of camera and forms."""

    solution: Solution
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
        Where to begin; within a few degrees and per cent is near enough.
    seen : Measurements
        The observations.
    priors : Priors
        What is believed of the camera; each counts as one more observation.
    form_priors : FormPriors, optional
        What is believed of the cards' forms, which the start must then have; without it they
        stay as they are.

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
    s = settings or SolveSettings()
    if form_priors is None and start.forms is not None:
        form_priors = FormPriors(*[1e-9] * 5)
    form_sd = _form_sd(form_priors, len(start.poses))

    def attempt(solution: Solution) -> _Trial:
        r, prior = residuals(solution, seen), _prior_residuals(solution, priors)
        form = _form_residuals(solution, form_sd)
        return _Trial(solution, r, prior, form, _cost(r, prior, form, huber=s.huber))

    best, damping = attempt(start), _DAMPING[1]
    rows = rows_by_card(seen.card, len(start.poses))
    for _ in range(s.rounds):
        weights = np.minimum(1.0, s.huber / np.maximum(np.abs(best.seen), 1e-12))
        normal = normal_equations(best.solution, seen, best.seen, weights, rows)
        _add_priors(normal, best, _prior_sd(priors, start), form_sd)
        before = best.cost
        best, damping = _descend(best, normal, attempt, damping, s.enough)
        if before - best.cost < s.enough * (1 + best.cost):
            break

    # every card takes three, the plane and the camera some four that the priors do not give
    freedom = max(1, len(best.seen) - start.poses.size - 4)
    factor = float((weights * best.seen**2).sum() / freedom)
    scale = max(1.0, factor)
    poses, cards, common = (part * scale for part in normal.covariance())
    return Solved(best.solution, poses, cards, best.seen, weights, factor, common)


def _add_priors(normal: Normal, at: _Trial, camera_sd: FloatArray, form_sd: FloatArray) -> None:
    """Add what is believed beforehand to the normal equations, in their place."""
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
    """Take the step that is damped least of those that lower the cost; return the next damping."""
    least, _, most = _DAMPING
    while damping < most:
        step = normal.step(damping)
        if normal.hope(*step) < enough * (1 + best.cost):
            break
        try:
            with np.errstate(over="raise", invalid="raise", divide="raise"):
                tried = attempt(apply_step(best.solution, *step))
        except (DegenerateGeometryError, FloatingPointError):  # too far a step
            pass
        else:
            if tried.cost <= best.cost:
                return tried, max(damping / 10, least)
        damping *= 100  # mostly a card that rests on another corner: a short step, soon
    return best, damping
