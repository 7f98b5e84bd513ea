"""Cards on a plane -> poses from the print itself, which is registered with each face.

Of decks learned from pictures: the print moves a card to where it belongs, coarse to fine; then
its edges, bright against dark or dark against bright, say where it was cut. Separate from
``detector``, which selects this estimator or that of edges.
"""

from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import card_corners
from vision.imaging.view import View
from vision.seeing.cards.edge_poses import (
    CURL_SD_MM,
    LIFT_SD_MM,
    corner_anchors,
    moved_px,
)
from vision.seeing.cards.face_comparers import NAMED_SCORE, PictureComparer
from vision.seeing.estimation.adjustment import FormPriors, Priors, SolveSettings, solve
from vision.seeing.estimation.error_budget import PRINTED, growth_covariance, stretch_covariance
from vision.seeing.estimation.jacobian import N_CAMERA
from vision.seeing.estimation.model import (
    Measurements,
    Solution,
    TrimModel,
    flat_forms,
    join_measurements,
    project_cards,
    select_measurements,
    trim_parameters,
    with_poses,
)
from vision.seeing.estimation.overlaps import Covers
from vision.seeing.estimation.plane import poses_on_plane
from vision.seeing.registration.edge_fitting import EDGE_INSET_MM, measure_edges
from vision.seeing.registration.edge_profile import Rectangle
from vision.seeing.registration.gradient_registration import (
    FaceMeasurements,
    RegistrationSettings,
    register_faces,
    sample_faces,
)
from vision.seeing.registration.sample_grid import scales_px_per_mm
from vision.seeing.registration.trim import apply_edges, lacks_edges, measure_trim
from vision.seeing.values import LARGE_LEAD, PoseEstimate, leads_of
from vision.values.arrays import BoolArray, FloatArray, ImageGray, IntArray

__all__ = ["PrintPoseEstimator"]

_INTERMEDIATE = SolveSettings(rounds=8, enough=1e-4)  # to what is looked at once more from there
_UNMEASURED = 1e-6  # of what print alone does not tell: how it lies within the edges


# How poses are solved for from the print, whose pictures are cut by eye.
_WORSE_BY = 0.08  # of its coarse score: a card that fell so far was led astray
#: Samples, of those that photo and face allow, and blocks across a card's shorter side.
_ROUNDS: tuple[tuple[float, int], ...] = ((0.25, 2), (0.5, 4), (0.7, 4))
_REPEATS = 4  # of a round, at most: pictures that were cut 12 % too large need three
_LAST_ROUND: tuple[float, int] = (1.0, 4)  # of them, with the edges: small blocks catch pips
_SAMPLES_PER_MM = (0.4, 2.2)  # least and most: shifts are accurate to 0.02 px of that
_LEVEL_PX = 0.5  # pixels a sample: a finer level is too sharp to be followed that far
_BLUR = 1.3  # of photo and face, relative to a sharp photo
_PRINT_FLOOR_MM = 0.15  # position error of a block (1 sd): the pictures' own
_CORRELATION = 0.4  # least of a block: pictures and cards differ by light, and by printing
_FARTHEST = 1.6  # samples by which a block may be off
_ANCHOR_SD_PX = 8.0  # of the start: holds a card of which nothing is measured
_EDGE_REACH_PX: tuple[float, ...] = (4.0, 2.5)  # across a side, round by round, or if more:
_EDGE_REACH_MM: tuple[float, ...] = (1.0, 0.5)  # by as much pictures of a deck stray
_EDGE_SD_MM = 0.02  # of cut sides: cards are not quite straight
_EDGE_GAP_MM = 2.2  # to whatever is printed next to the edge
_TRIM_SHIFT_MM = 0.3  # of one picture's cut beside that of all
_TRIM_TURN_DEG = 0.5  # of it
_TRIM_GROWTH = 0.006  # of it
_ASPECT_SD = 0.015  # of a deck's size as told, until the edges are looked at: 1 or 2 mm
_BLOOM_SD_PX = 0.10  # of bright regions: with one edge a card, it passes for size


@dataclass(frozen=True, slots=True, eq=False)
class PrintPoseEstimator:
    """Measures poses by the print of the faces that are read, and by the cards' edges."""

    comparer: PictureComparer

    def locate(
        self, view: View, start: Solution, priors: Priors, covers: Covers | None = None
    ) -> PoseEstimate:
        """Solve camera, plane and poses from print and edges; each face comes to stand upright."""
        comparer = self.comparer
        start = replace(start, cut=TrimModel())
        free = replace(priors, cut_sd=(_ASPECT_SD, *[_UNMEASURED] * 4))
        solution, coarse, faces = _turn_upright(start, comparer.coarse(view, start, covers))
        coarse = coarse.max(axis=2)
        faces = np.where(coarse.max(axis=1, initial=-1) > NAMED_SCORE, faces, -1)
        outlined_px = project_cards(solution, solution.poses, card_corners(*comparer.faces.size_mm))
        for how in _ROUNDS:
            solution = self._register_faces(view, solution, faces, free, how, covers)
        solution, scores = self._unless_worse(view, solution, outlined_px, coarse, faces, covers)
        solution, _, faces = _turn_upright(solution, scores)
        return self._estimate(view, solution, faces, priors, covers)

    def _register_faces(
        self,
        view: View,
        solution: Solution,
        faces: IntArray,
        free: Priors,
        how: tuple[float, int],
        covers: Covers | None,
    ) -> Solution:
        """Lay the cards by their print, again while most of them move by half a sample."""
        bank = self.comparer.faces
        settings = self._settings(solution, faces, *how)
        for _ in range(_REPEATS):
            seen = self._register(view, solution, faces, settings, covers).seen
            held = corner_anchors(solution, bank.size_mm, _ANCHOR_SD_PX)
            before = solution
            everything = join_measurements([seen, held])
            solution = solve(before, everything, free, settings=_INTERMEDIATE).solution
            moved_mm = moved_px(before, solution, bank.size_mm) / scales_px_per_mm(
                solution, np.arange(len(faces))
            )
            if np.median(moved_mm) < 0.5 / settings.per_mm:
                break
        return solution

    def _settings(
        self, solution: Solution, faces: IntArray, fineness: float, blocks: int
    ) -> RegistrationSettings:
        """Return how to compare faces (N,), at a share of the samples that can be compared."""
        bank, read = self.comparer.faces, np.flatnonzero(faces >= 0)
        least, most = _SAMPLES_PER_MM
        seen = float(np.median(scales_px_per_mm(solution, read))) if len(read) else least
        per_mm = max(fineness * min(seen, bank.px_per_mm, most), least)
        return RegistrationSettings(
            inset_mm=0.0,
            block_mm=min(bank.size_mm) / blocks,
            per_mm=per_mm,
            level_px=_LEVEL_PX,
            correlation=_CORRELATION,
            floor_mm=_PRINT_FLOOR_MM,
            farthest_mm=_FARTHEST / per_mm,
        )

    def _register(
        self,
        view: View,
        solution: Solution,
        faces: IntArray,
        settings: RegistrationSettings,
        covers: Covers | None,
    ) -> FaceMeasurements:
        """Register the faces (N,) of cards."""
        bank = self.comparer.faces
        samples = sample_faces(view, solution, faces, bank, settings, blur=_BLUR)
        return register_faces(view, solution, samples, settings, covers)

    def refine(
        self, view: View, located: PoseEstimate, faces: IntArray, turned: BoolArray, priors: Priors
    ) -> PoseEstimate:
        """Return the same: the print has been looked at."""
        return located

    def observe(
        self,
        gray: ImageGray,
        solution: Solution,
        reach_px: float,
        covers: Covers | None = None,
    ) -> tuple[Measurements, FloatArray]:
        """Measure each side of each card, bright against dark or dark against bright.

        Returns
        -------
        Measurements
            Two for each side that was found.
        share : (N, 1, 4) float64
            How much of each side agrees; 0 where it was not found.
        """
        faces = self.comparer.faces
        rectangle = Rectangle(
            *faces.size_mm,
            bright_inside=True,
            inset_mm=max(EDGE_INSET_MM, faces.corner_radius_mm + 2),
            shape_sd_mm=_EDGE_SD_MM,
            gap_mm=_EDGE_GAP_MM / 0.45,
            is_card_edge=True,
        )
        both = [
            measure_edges(
                gray, solution, replace(rectangle, bright_inside=bright), reach_px, covers=covers
            )
            for bright in (True, False)
        ]
        shares = np.stack([sides.share.ravel() for sides in both])  # (2, 4N)
        parts = []
        for k, sides in enumerate(both):
            found = np.flatnonzero(shares[k])  # in the order of the measurements, which come twice
            chosen = np.tile(shares[k, found] > shares[1 - k, found] - 0.5 * k * 1e-9, 2)
            parts.append(select_measurements(sides.seen, chosen))
        return join_measurements(parts), shares.max(axis=0).reshape(-1, 1, 4)

    def _unless_worse(
        self,
        view: View,
        solution: Solution,
        outlined_px: FloatArray,
        coarse: FloatArray,
        faces: IntArray,
        covers: Covers | None,
    ) -> tuple[Solution, FloatArray]:
        """Put cards back where their outlines are if they read worse than ``coarse``.

        Thin strokes on a blank card can catch on their neighbours. Where they were is given by
        corners (N, 4, 2) in the photo: camera and plane have been solved for since, and the
        table's frame has moved with them. Returns how they compare now as well (N, K, 2).
        """
        comparer, rows = self.comparer, np.arange(len(faces))
        scores = comparer.coarse(view, solution, covers)
        now = scores.max(axis=2)
        worse = (faces >= 0) & (now[rows, faces] < coarse[rows, faces] - _WORSE_BY)
        if worse.any():
            poses = solution.poses.copy()
            poses[worse] = poses_on_plane(solution, outlined_px[worse], comparer.faces.size_mm)[0]
            solution = with_poses(solution, poses)
        asked = np.flatnonzero(worse | (leads_of(now) < LARGE_LEAD))
        of_them = with_poses(solution, solution.poses[asked])
        visible = comparer.visible(solution.poses, covers, comparer.grid)[asked]
        scores[asked] = comparer.compare(view, of_them, coarse[asked], visible)[0]
        return solution, scores

    def _estimate(
        self,
        view: View,
        solution: Solution,
        faces: IntArray,
        priors: Priors,
        covers: Covers | None,
    ) -> PoseEstimate:
        """Solve all poses from the print and from the cards' edges, wherever those are cut."""
        bank = self.comparer.faces
        settings = self._settings(solution, faces, *_LAST_ROUND)
        print_measured = self._register(view, solution, faces, settings, covers)
        read = with_poses(solution, solution.poses[faces >= 0])
        cut = measure_trim(view, read, bank.size_mm)
        solution = apply_edges(solution, cut.outside_mm, bank.size_mm, faces >= 0)
        priors = replace(priors, bloom_sd_px=_BLOOM_SD_PX)
        forms = replace(flat_forms(len(faces), bank.size_mm), of_print=True)
        solution = replace(solution, forms=forms)
        stray = (_TRIM_SHIFT_MM, np.radians(_TRIM_TURN_DEG))
        each = FormPriors(*stray, LIFT_SD_MM, CURL_SD_MM, _TRIM_GROWTH)
        held = corner_anchors(solution, bank.size_mm, _ANCHOR_SD_PX)
        scales = scales_px_per_mm(solution, np.arange(len(faces)))
        px_per_mm = float(np.median(scales)) if len(faces) else 1.0
        reaches = tuple(zip(_EDGE_REACH_PX, _EDGE_REACH_MM, strict=True))
        for reach_px, reach_mm in reaches:
            reach = max(reach_px, reach_mm * px_per_mm)
            edges, sides = self.observe(view.gray(), solution, reach, covers)
            everything = join_measurements([print_measured.seen, edges, held])
            # mostly as told, but told quite wrong now and then: a prior with Cauchy's tails
            cut_sd = np.hypot(bank.cut_sd, trim_parameters(solution))
            is_last = (reach_px, reach_mm) == reaches[-1]
            how_far = SolveSettings() if is_last else _INTERMEDIATE
            believed = replace(priors, cut_sd=tuple(cut_sd))
            solved = solve(solution, everything, believed, each, how_far)
            solution = solved.solution
        m = len(print_measured.seen.card) + len(edges.card)
        squares = solved.weights[:m] * solved.residuals[:m] ** 2
        residual = float(np.sqrt(squares.mean())) if m else float("inf")
        covariance = PRINTED.covariance(solved, bank.size_mm, scales)
        aspect = float(trim_parameters(solution)[0])
        covariance += growth_covariance(solution.poses, abs(aspect) / 2)
        covariance += stretch_covariance(solution.poses, aspect)
        return PoseEstimate(
            with_poses(solution, solution.poses),
            covariance,
            sides,
            residual,
            seen=edges,
            visible=print_measured.visible,
            cut_covariance=solved.shared_covariance[N_CAMERA:, N_CAMERA:],
            cut_sd=cut_sd,
            covers=covers,
            edgeless=cut.in_slots or lacks_edges(view, solution, sides[:, 0], faces, bank),
        )


def _turn_upright(solution: Solution, scores: FloatArray) -> tuple[Solution, FloatArray, IntArray]:
    """Turn cards so that the best face is upright: solution, scores (N, K, 2), faces (N,)."""
    if not len(scores):
        return solution, scores, np.zeros(0, np.int64)
    face = scores.max(axis=2).argmax(axis=1)
    rows = np.arange(len(scores))
    turned = scores[rows, face, 1] > scores[rows, face, 0]
    poses = solution.poses + np.pi * turned[:, None] * [0.0, 0.0, 1.0]
    scores = np.where(turned[:, None, None], scores[:, :, ::-1], scores)
    read = scores.max(axis=(1, 2)) > 0
    return with_poses(solution, poses), scores, np.where(read, face, -1)
