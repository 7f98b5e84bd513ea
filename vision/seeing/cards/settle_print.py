"""Cards on a plane -> poses from the print itself: the picture of each face is laid over its card.

Of decks learned from pictures: the print moves a card to where it belongs, coarse to fine; then
its edges, bright against dark or dark against bright, say where it was cut.
"""

from dataclasses import dataclass, field, fields, replace

import numpy as np

from vision.geometry import card_corners
from vision.imaging.view import View
from vision.seeing.cards.comparing import Plain
from vision.seeing.cards.settle import anchors, growth_covariance
from vision.seeing.measure.print_blocks import PrintSettings, measure_print
from vision.seeing.measure.sides import Rectangle, measure_sides
from vision.seeing.solve.adjust import Priors, solve
from vision.seeing.solve.model import (
    Measurements,
    Solution,
    join_measurements,
    project,
    show,
    with_poses,
)
from vision.seeing.solve.plane import lay_cards
from vision.seeing.values import Located
from vision.values.arrays import BoolArray, FloatArray, ImageGray, IntArray

__all__ = ["PrintPoseSettings", "PrintPoses"]


@dataclass(frozen=True, slots=True)
class PrintPoseSettings:
    """How poses are solved for from the print, whose pictures are cut by eye."""

    named_score: float = 0.40  # correlation of a face that is laid over its card
    worse_by: float = 0.08  # of its coarse score: a card that fell so far was led astray
    rounds: tuple[tuple[float, int], ...] = ((0.25, 2), (0.5, 4), (1.0, 5))  # fineness, blocks
    last_round: tuple[float, int] = (1.0, 6)  # of them, with the edges
    anchor_sd_px: float = 8.0  # of the start: holds a card of which nothing is measured
    edge_reach_px: tuple[float, ...] = (4.0, 2.5)  # across a side, round by round
    edge_inset_mm: float = 5.5  # corners are rounded by up to 3.5 mm
    edge_sd_mm: float = 0.06  # of cut sides: cards are not quite straight
    edge_gap_mm: float = 2.2  # to whatever is printed next to the edge
    trim_shift_mm: float = 0.5  # of one picture's cut
    trim_growth: float = 0.01  # of one picture: it is cut a little inside the edge
    common_growth: float = 0.004  # of all pictures of a deck alike
    bloom_sd_px: float = 0.15  # of bright regions: with one edge a card, it passes for size
    shape_floor_mm: float = 0.04  # of a card seen from right above: not quite flat, nor square
    shape_slant_mm: float = 0.10  # times the squared tangent of the view's angle
    shape_turn_deg: float = 0.03  # of its turn, more where it is seen aslant


@dataclass(frozen=True, slots=True, eq=False)
class PrintPoses:
    """Measures poses by the print of the faces that are read, and by the cards' edges."""

    comparer: Plain
    settings: PrintPoseSettings = field(default_factory=PrintPoseSettings)

    def locate(self, view: View, start: Solution, priors: Priors) -> Located:
        """Solve camera, plane and poses from print and edges; each face comes to stand upright."""
        s, comparer = self.settings, self.comparer
        solution, coarse, faces = _turn_upright(start, comparer.coarse(view, start))
        coarse = coarse.max(axis=2)
        faces = np.where(coarse.max(axis=1, initial=-1) > s.named_score, faces, -1)
        laid_px = show(solution, solution.poses, card_corners(*comparer.faces.size_mm))
        for fineness, blocks in s.rounds:
            how = PrintSettings(fineness=fineness, blocks=blocks)
            shown = measure_print(view, solution, faces, comparer.faces, how)
            held = anchors(solution, comparer.faces.size_mm, s.anchor_sd_px)
            solution = solve(solution, join_measurements([shown.seen, held]), priors).solution
        solution = self._unless_worse(view, solution, laid_px, coarse, faces)
        scores, _ = comparer.compare(view, solution, coarse)
        solution, scores, faces = _turn_upright(solution, scores)
        return self._settle(view, solution, faces, priors)

    def refine(
        self, view: View, located: Located, faces: IntArray, turned: BoolArray, priors: Priors
    ) -> Located:
        """Return the same: the print has been looked at."""
        return located

    def observe(
        self, gray: ImageGray, solution: Solution, reach_px: float
    ) -> tuple[Measurements, FloatArray]:
        """Measure each side of each card, bright against dark or dark against bright.

        Returns
        -------
        Measurements
            Two for each side that was found.
        share : (N, 1, 4) float64
            How much of each side agrees; 0 where it was not found.
        """
        s, faces = self.settings, self.comparer.faces
        rectangle = Rectangle(
            *faces.size_mm,
            bright_inside=True,
            inset_mm=max(s.edge_inset_mm, faces.corner_radius_mm + 2),
            shape_sd_mm=s.edge_sd_mm,
            gap_mm=s.edge_gap_mm / 0.45,
            is_card_edge=True,
        )
        both = [
            measure_sides(gray, solution, replace(rectangle, bright_inside=bright), reach_px)
            for bright in (True, False)
        ]
        shares = np.stack([sides.share.ravel() for sides in both])  # (2, 4N)
        parts = []
        for k, sides in enumerate(both):
            found = np.flatnonzero(shares[k])  # in the order of the measurements, which come twice
            chosen = np.tile(shares[k, found] > shares[1 - k, found] - 0.5 * k * 1e-9, 2)
            kept = (getattr(sides.seen, f.name)[chosen] for f in fields(Measurements))
            parts.append(Measurements(*kept))
        return join_measurements(parts), shares.max(axis=0).reshape(-1, 1, 4)

    def _unless_worse(
        self,
        view: View,
        solution: Solution,
        laid_px: FloatArray,
        coarse: FloatArray,
        faces: IntArray,
    ) -> Solution:
        """Put cards back where their outlines laid them if they read worse than ``coarse``.

        Thin strokes on a blank card can catch on their neighbours. Where they were laid is told by
        corners (N, 4, 2) in the photo: camera and plane have been solved for since, and the
        table's frame has moved with them.
        """
        rows = np.arange(len(faces))
        now = self.comparer.coarse(view, solution).max(axis=2)
        fallen = now[rows, faces] < coarse[rows, faces] - self.settings.worse_by
        worse = (faces >= 0) & fallen
        if not worse.any():
            return solution
        poses = solution.poses.copy()
        poses[worse] = lay_cards(solution, laid_px[worse], self.comparer.faces.size_mm)[0]
        return with_poses(solution, poses)

    def _settle(self, view: View, solution: Solution, faces: IntArray, priors: Priors) -> Located:
        """Solve all poses from the print and from the cards' edges."""
        s, bank = self.settings, self.comparer.faces
        fineness, blocks = s.last_round
        how = PrintSettings(fineness=fineness, blocks=blocks)
        measured = measure_print(view, solution, faces, bank, how)
        shown = measured.seen
        held = anchors(solution, bank.size_mm, s.anchor_sd_px)
        priors = replace(priors, bloom_sd_px=s.bloom_sd_px)
        loose = _loosened(shown, solution, bank.cut_sd_mm)
        for reach in s.edge_reach_px:
            edges, sides = self.observe(view.gray(), solution, reach)
            loosely = solve(solution, join_measurements([loose, edges, held]), priors)
            fitted = _untrimmed(shown, loosely.solution, s)
            solved = solve(loosely.solution, join_measurements([fitted, edges, held]), priors)
            solution = solved.solution
        m = len(shown.card) + len(edges.card)
        squares = solved.weights[:m] * solved.residuals[:m] ** 2
        residual = float(np.sqrt(squares.mean())) if m else float("inf")
        covariance = loosely.pose_covariance + _shape_covariance(solution, s)
        covariance += growth_covariance(solution, _growth_sd(solution, edges, bank.size_mm, s))
        visible = measured.visible
        return Located(solution, covariance, sides, residual, seen=edges, visible=visible)


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


def _loosened(shown: Measurements, solution: Solution, cut_sd_mm: float) -> Measurements:
    """Believe the print's place on its card, all blocks together, as well as pictures are cut."""
    blocks = np.bincount(shown.card, minlength=1)[shown.card] / 2
    mm_per_px = _mm_along(shown, solution)
    loose = cut_sd_mm / mm_per_px * np.sqrt(blocks)
    return replace(shown, sigma_px=np.hypot(shown.sigma_px, loose))


def _mm_along(shown: Measurements, solution: Solution) -> FloatArray:
    """Return how many mm on its card a pixel along each measurement's normal is (M,)."""
    at = project(solution, shown.card, shown.point_mm)
    across = [
        ((project(solution, shown.card, shown.point_mm + d) - at) * shown.normal_px).sum(axis=1)
        for d in ([0.5, 0.0], [0.0, 0.5])
    ]
    return np.asarray(0.5 / np.maximum(np.hypot(*across), 1e-6), np.float64)


def _untrimmed(shown: Measurements, solution: Solution, s: PrintPoseSettings) -> Measurements:
    """Move the print on each card to where it lies, given the card's edge.

    The picture of a face is cut by eye, a little inside its edge and not quite in the middle: so
    the print seems shifted and grown. Both are fitted for each card, with what is usual of them.
    """
    at = project(solution, shown.card, shown.point_mm)
    off = ((shown.seen_px - at) * shown.normal_px).sum(axis=1)
    slopes = [
        ((project(solution, shown.card, shown.point_mm + d) - at) * shown.normal_px).sum(axis=1)
        / 0.1
        for d in ([0.1, 0.0], [0.0, 0.1])
    ]
    x, y = shown.point_mm.T
    base = np.stack([slopes[0], slopes[1], slopes[0] * x, slopes[1] * y], axis=1)
    base = base / shown.sigma_px[:, None]
    off = off / shown.sigma_px
    prior = np.diag([s.trim_shift_mm, s.trim_shift_mm, s.trim_growth, s.trim_growth]) ** 2.0
    moved = shown.point_mm.copy()
    for card in np.unique(shown.card):
        rows = np.flatnonzero(shown.card == card)
        fit = np.zeros(4)
        weight = np.ones(len(rows))
        for _ in range(4):
            a = base[rows] * weight[:, None]
            normal = a.T @ base[rows] + np.linalg.inv(prior)
            fit = np.linalg.solve(normal, a.T @ off[rows])
            rest = np.abs(off[rows] - base[rows] @ fit)
            weight = np.minimum(1.0, 2.0 / np.maximum(rest, 1e-9))
        moved[rows] += fit[:2] + fit[2:] * moved[rows]
    return replace(shown, point_mm=moved)


def _growth_sd(
    solution: Solution, edges: Measurements, size_mm: tuple[float, float], s: PrintPoseSettings
) -> float:
    """Return how well all cards' common size is known: pictures are cut small, edges glow."""
    px_per_mm = solution.focal_px / float(np.linalg.norm(solution.translation_mm))
    half_px = sum(size_mm) / 4 * px_per_mm
    seen = float(np.sum(edges.sigma_px**-2.0))
    by_edges = np.hypot(s.bloom_sd_px, 1 / np.sqrt(seen + 1e-9)) / half_px
    return float((s.common_growth**-2 + by_edges**-2) ** -0.5)


def _shape_covariance(solution: Solution, s: PrintPoseSettings) -> FloatArray:
    """Return what the cards' own shape adds to the poses' covariance (3N, 3N)."""
    eye = -solution.rotation.T @ solution.translation_mm  # the camera in the table frame
    away = solution.poses[:, :2] - eye[:2]
    t2 = (away**2).sum(axis=1) / max(abs(float(eye[2])), 1.0) ** 2
    place = s.shape_floor_mm**2 + (s.shape_slant_mm * t2) ** 2
    turn = np.radians(s.shape_turn_deg) ** 2 * (1 + t2**2)
    return np.diag(np.stack([place, place, turn], axis=1).ravel())
