"""Cards on a plane -> poses to a fraction of a pixel, with their covariance.

What each side of each card says goes into one joint adjustment of camera, table plane and all
poses; then the picture is measured again from the better solution, over a shorter reach. Once the
cards are named, the art of their faces says more: how large a card seems, whether it is bent, and
where its print lies on it.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from vision.geometry import card_corners
from vision.imaging.view import View
from vision.seeing.estimation.adjustment import FormPriors, Priors, Solved, SolveSettings, solve
from vision.seeing.estimation.error_budget import FRAMED, SIDES
from vision.seeing.estimation.model import (
    Forms,
    Measurements,
    Solution,
    flat_forms,
    join_measurements,
    observe_corners,
    project_cards,
)
from vision.seeing.estimation.overlaps import Covers, card_outlines, max_overlaps
from vision.seeing.registration.edge_fitting import SAMPLES, card_rectangles, measure_edges
from vision.seeing.registration.gradient_registration import (
    estimate_blur,
    register_faces,
    sample_faces,
)
from vision.seeing.registration.sample_grid import scales_px_per_mm
from vision.seeing.values import PoseEstimate, PrintOffsets
from vision.values.arrays import BoolArray, FloatArray, ImageGray, IntArray
from vision.values.pieces import Faces

__all__ = [
    "CURL_SD_MM",
    "LIFT_SD_MM",
    "EdgePoseEstimator",
    "corner_anchors",
    "moved_px",
]


# Priors of the print's offset from the cut edge.
_OFFSET_SHIFT_SD_MM = 0.3  # shift (1 sd) on a card cut at home
_OFFSET_TURN_SD_DEG = 0.15  # rotation about the card's centre (1 sd): 0.1 mm at a long edge's end
_OFFSET_EXACT_MM = 0.02  # shift (1 sd) in a deck without offsets
_OFFSET_EXACT_DEG = 0.01  # rotation (1 sd) in such a deck: less than 0.01 mm at a card's corner
_OFFSET_DOUBT = 2.5  # factor on the measured variance of cut edges: shadow, faint edges
_OFFSET_FLOOR_PX = 0.08  # error of a cut edge relative to the print (1 sd)
# mean square of the normalised shifts above which a deck has offsets: by chance 1.7
_OFFSET_PROOF = 2.0


def print_offset_priors(
    solved: Solved, face_of_card: IntArray, loose: FormPriors, px_per_mm: FloatArray
) -> dict[str, FloatArray]:
    """Return priors of the print offsets, from all cards: (N,) mm and rad each.

    Each card measures its own shift with its own error. If the shifts of all are no larger than
    those errors, the deck has no offsets; else the prior is their spread.
    """
    n = len(face_of_card)
    true_shift, true_turn = np.full(n, _OFFSET_EXACT_MM), np.full(n, np.radians(_OFFSET_EXACT_DEG))
    exact = {"shift_mm": true_shift, "turn_rad": true_turn}
    forms = solved.solution.forms
    prior_sd = np.array([loose.shift_mm, loose.shift_mm, loose.turn_rad], np.float64)
    own = np.linalg.inv(solved.card_covariance[:, 3:6, 3:6])
    information = own - np.diag(prior_sd**-2.0)  # without the prior
    known = np.diagonal(information, axis1=1, axis2=2) > 0.5 * prior_sd**-2.0
    told = (face_of_card >= 0) & known.all(axis=1)
    if forms is None or not told.any():
        return exact
    variance = np.linalg.inv(information[told])
    shift = (variance @ own[told] @ forms.printed[told, :, None])[:, :2, 0]
    doubt = _OFFSET_DOUBT * np.diagonal(variance, axis1=1, axis2=2)[:, :2]
    doubt = doubt + (_OFFSET_FLOOR_PX / px_per_mm[told, None]) ** 2
    if np.any(doubt <= 0) or (shift**2 / doubt).mean() < _OFFSET_PROOF:
        return exact
    spread = float(np.sqrt(max((shift**2 - doubt).mean(), 0.0)))
    turn = np.radians(_OFFSET_TURN_SD_DEG) * spread / _OFFSET_SHIFT_SD_MM
    return {
        "shift_mm": np.full(n, max(spread, _OFFSET_EXACT_MM)),
        "turn_rad": np.full(n, max(turn, np.radians(_OFFSET_EXACT_DEG))),
    }


def print_offsets(
    solved: Solved, turned: BoolArray, form: FormPriors
) -> tuple[Forms | None, PrintOffsets | None]:
    """Return the forms of cards (N,) in their original direction, and the print offsets."""
    forms = solved.solution.forms
    if forms is None:
        return None, None
    # seen from a card rotated by half a turn
    sense = np.where(turned[:, None], [-1.0, -1.0, 1.0], 1.0)
    forms = replace(forms, printed=sense * forms.printed)
    if np.max(form.shift_mm) <= _OFFSET_EXACT_MM:
        return forms, None
    own = sense[:, :, None] * solved.card_covariance[:, 3:6, 3:6] * sense[:, None]
    return forms, PrintOffsets(forms.printed, own)


_CROSSING = 0.002  # least overlap, of a card's area; less: corners touch, poses are off by 0.1 mm

_REACH_PX: tuple[float, ...] = (9.0, 3.0)  # search reach across an edge, round by round
_ROUGH_SAMPLES = 24  # samples along an edge, in all rounds but the last
_ENOUGH = 1e-3  # relative reduction of the cost below which the adjustment stops
# the same in the last round, after which edges are not measured again
_ENOUGH_LAST = 1e-5
_ANCHOR_SD_PX = 6.0  # weight of the start (1 sd): only fixes cards without measured edges
_MOST_ROUNDS = 3  # at the edges, at most: again where a card's print moves it
_LED_PX = 1.0  # by so much, a corner: on 44 drawn tables and all samples none is
_REGISTRATIONS = 2  # of the faces; the second starts from the result of the first
CURL_SD_MM = 0.4  # of each curl coefficient (1 sd); cards on a table have 0 to 1 mm
LIFT_SD_MM = 0.08  # cloth, dust, a card that rocks (1 sd)
_STACK_SD_MM = 0.3  # the same for overlapping cards: their thickness
_INNER_BLOOM_SD_PX = 0.1  # steps of different contrast through one tone curve (1 sd)
_SIZE_PX = 0.03  # apparent growth of a card (1 sd, per edge): edge bias, art


@dataclass(frozen=True, slots=True, eq=False)
class _FaceRegistration:
    """Result of the registration: solution, form priors, blur factor, scales (N,) px per mm."""

    solved: Solved
    form: FormPriors
    blur: float
    px_per_mm: FloatArray


class EdgePoseEstimator:
    """Estimates poses from the edges of bordered cards, then from the named faces."""

    def __init__(self, faces: Faces) -> None:
        self.faces = faces
        self.rectangles = card_rectangles(faces)

    def locate(
        self, view: View, start: Solution, priors: Priors, covers: Covers | None = None
    ) -> PoseEstimate:
        """Estimate camera, plane and poses from sub-pixel edges, in the adjustment's gauge.

        Parameters
        ----------
        view : View
            The photo.
        start : Solution
            Initial solution with N cards, accurate to a few pixels.
        priors : Priors
            Priors of the camera.
        covers : Covers, optional
            Which cards lie on which: edges beneath another card are not measured.

        Raises
        ------
        DegenerateGeometryError
            If a card of the start is behind the camera.
        """
        solution = start
        gray, rectangles, size_mm = view.gray(), self.rectangles, self.faces.size_mm
        last = len(_REACH_PX) - 1
        for k, reach in enumerate(_REACH_PX):
            fine = k == last
            measured = partial(measure_edges, gray, solution, reach_px=reach, covers=covers)
            samples = SAMPLES if fine else _ROUGH_SAMPLES
            sides = [measured(rectangle=one, samples=samples) for one in rectangles]
            seen = join_measurements([side.seen for side in sides])
            held = corner_anchors(solution, size_mm, _ANCHOR_SD_PX)
            everything = join_measurements([seen, held])
            enough = _ENOUGH_LAST if fine else _ENOUGH
            solved = solve(solution, everything, priors, settings=SolveSettings(enough=enough))
            solution = solved.solution
        return PoseEstimate(
            solution,
            SIDES.covariance(
                solved,
                size_mm,
                scales_px_per_mm(solution, np.arange(len(solution.poses))),
                border_mm=rectangles[0].gap_mm,
            ),
            np.stack([side.share for side in sides], axis=1),
            _rms_px(solved, seen),
            seen=seen,
            covers=covers,
        )

    def refine(
        self, view: View, located: PoseEstimate, faces: IntArray, turned: BoolArray, priors: Priors
    ) -> PoseEstimate:
        """Refine poses with the named faces, and estimate each card's own form.

        Parameters
        ----------
        view : View
            The photo.
        located : PoseEstimate
            N cards located by their edges.
        faces : (N,) int
            The face of each, -1 for none.
        turned : (N,) bool
            Whether the face is rotated by half a turn in its pose.
        priors : Priors
            Priors of the camera.

        Returns
        -------
        PoseEstimate
            The same cards; the poses are those of the cut edges.

        Raises
        ------
        DegenerateGeometryError
            If a card comes to lie behind the camera.
        """
        upright = np.pi * np.outer(turned, [0.0, 0.0, 1.0])
        for left in reversed(range(_MOST_ROUNDS)):
            start = replace(located.solution, poses=located.solution.poses + upright)
            seen = _turn_measurements(located.seen, turned)
            registered = self._register(view, start, seen, faces, priors, located.covers)
            there = registered.solved.solution
            moved = moved_px(start, there, self.faces.size_mm)
            if not left or moved[faces >= 0].max(initial=0.0) < _LED_PX:
                break
            there = replace(there, poses=there.poses - upright, forms=None)
            found, sides = self.observe(view.gray(), there, _REACH_PX[-1], located.covers)
            located = replace(located, solution=there, seen=found, sides=sides)
        solved = registered.solved
        forms, printed = print_offsets(solved, turned, registered.form)
        solution = replace(solved.solution, poses=solved.solution.poses - upright, forms=forms)
        return PoseEstimate(
            solution,
            FRAMED.covariance(
                solved,
                self.faces.size_mm,
                registered.px_per_mm,
                border_mm=self.rectangles[0].gap_mm,
                blur=registered.blur,
            ),
            located.sides,
            _rms_px(solved, seen),
            printed,
            located.seen,
            covers=located.covers,
        )

    def _register(
        self,
        view: View,
        refined_start: Solution,
        seen: Measurements,
        faces: IntArray,
        priors: Priors,
        covers: Covers | None,
    ) -> _FaceRegistration:
        """Estimate all unknowns from edges and registered faces."""
        bank = self.faces
        solution = replace(refined_start, forms=flat_forms(len(faces), bank.size_mm))
        px_per_mm = scales_px_per_mm(solution, np.arange(len(faces)))
        blur = estimate_blur(view, solution, faces, bank)
        form = _form_priors(refined_start.poses, bank.size_mm, blur, px_per_mm)
        # the art separates it from the size
        loose = replace(priors, inner_bloom_sd_px=_INNER_BLOOM_SD_PX)
        prints = sample_faces(view, solution, faces, bank, blur=blur)
        held = corner_anchors(solution, bank.size_mm, _ANCHOR_SD_PX)
        for look in range(_REGISTRATIONS):
            art = register_faces(view, solution, prints, covers=covers).seen
            everything = join_measurements([seen, art, held])
            solved = solve(solution, everything, loose, form, SolveSettings(enough=_ENOUGH))
            solution = solved.solution
            if look == 0:
                form = replace(form, **print_offset_priors(solved, faces, form, px_per_mm))
        return _FaceRegistration(solved, form, blur, px_per_mm)

    def observe(
        self,
        gray: ImageGray,
        solution: Solution,
        reach_px: float,
        covers: Covers | None = None,
    ) -> tuple[Measurements, FloatArray]:
        """Measure each edge of each card: two measurements per edge, and shares (N, R, 4)."""
        measured = partial(measure_edges, gray, solution, reach_px=reach_px, covers=covers)
        sides = [measured(rectangle=one) for one in self.rectangles]
        seen = join_measurements([side.seen for side in sides])
        return seen, np.stack([side.share for side in sides], axis=1)


def moved_px(before: Solution, after: Solution, size_mm: tuple[float, float]) -> FloatArray:
    """Return the largest motion of a corner of each card (N,) in the photo, px."""
    corners = card_corners(*size_mm)
    was, now = (project_cards(one, one.poses, corners) for one in (before, after))
    return np.asarray(np.linalg.norm(now - was, axis=2).max(axis=1), np.float64)


def _turn_measurements(seen: Measurements, turned: BoolArray) -> Measurements:
    """Transform measurements on rotated cards (N,) to the frame of the card after half a turn."""
    return replace(seen, point_mm=np.where(turned[seen.card, None], -1, 1) * seen.point_mm)


def _form_priors(
    poses: FloatArray,
    size_mm: tuple[float, float],
    blur: float,
    px_per_mm: FloatArray,
) -> FormPriors:
    """Return the priors of each card's form before any registration."""
    return FormPriors(
        _OFFSET_SHIFT_SD_MM,
        np.radians(_OFFSET_TURN_SD_DEG),
        np.where(_are_overlapping(poses, size_mm), _STACK_SD_MM, LIFT_SD_MM),
        CURL_SD_MM,
        blur * _SIZE_PX / (sum(size_mm) / 4 * px_per_mm),
    )


def _are_overlapping(poses: FloatArray, size_mm: tuple[float, float]) -> BoolArray:
    """Return which cards (N,) overlap another."""
    return np.asarray(max_overlaps(card_outlines(poses, size_mm)) > _CROSSING)


def _rms_px(solved: Solved, seen: Measurements) -> float:
    """Return the weighted rms of the edges' residuals; inf without edges."""
    m = len(seen.card)
    squares = (solved.residuals[:m] * seen.sigma_px) ** 2 * solved.weights[:m]
    return float(np.sqrt(squares.mean())) if m else float("inf")


def corner_anchors(solution: Solution, size_mm: tuple[float, float], sd_px: float) -> Measurements:
    """Return measurements of each card's corners at their present places."""
    corners = card_corners(*size_mm)
    return observe_corners(project_cards(solution, solution.poses, corners), corners, sd_px)
