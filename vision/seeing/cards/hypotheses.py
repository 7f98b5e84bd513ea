"""Pose hypotheses of cards with a white border, from outlines and corners on the known plane.

An outline with the shape of a card is a card, whether its face can be read or not. A visible corner
is evidence of a card only if a face is read there or a white border runs round the pose.
"""

from dataclasses import dataclass

import numpy as np

from vision.geometry import card_corners
from vision.imaging.view import View
from vision.seeing.cards.face_matching import (
    border_shares,
    quad_interpretations,
    score_cards,
)
from vision.seeing.cards.propose_from_corners import (
    UNDER,
    find_corner_pairs,
    propose_from_corners,
)
from vision.seeing.detection.bright_quads import BrightOutlines
from vision.seeing.estimation.model import Solution, project_cards, with_poses
from vision.seeing.estimation.overlaps import BESIDE_SHARE, cover_shares, non_max_suppression
from vision.seeing.estimation.plane import poses_on_plane
from vision.seeing.recognition.framed_faces import FaceIndex, sample_colours
from vision.seeing.registration.edge_fitting import card_edge, measure_edges
from vision.seeing.values import (
    PLAIN_SCORE,
    READ_SCORE,
    FaceMatches,
    Hypotheses,
    HypothesisSource,
    leads_of,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray

__all__ = [
    "PROPOSAL_SCORE",
    "SAME_SHARE",
    "SHAPE_MM",
    "HypothesisBuilder",
    "grid_px",
    "make_hypotheses",
]


SHAPE_MM = 3.5  # largest rms of a card's corners on the plane, from the reduced image
# least score of a card proposed from one corner; other places: below 0.24
PROPOSAL_SCORE = 0.24
_PROPOSAL_LEAD = 0.06  # its least lead; other places: below 0.03
_MOST_PROPOSALS = 400  # corner proposals that are examined: cloth has any number of corners
_MOST_COMPARED = 120  # of those, with the most border, compared with all faces
# least share of the third best side: real cards alone have it, loud cloth less
_SIDE_SHARE = 0.6
_STAND_OUT = 6.0  # least tones of a border above the cloth; medians are accurate to 2
_OF_USUAL = 0.15  # the same of a proposal, of the read cards' contrast: shade takes less
_STAND_SAMPLES = 12  # samples per side for that
_SIDE_REACH_MM = 2.0  # search reach from a proposed side, whose far end is as far off
_SIDE_GAP_MM = 5.0  # gap to the next parallel edge
_SIDE_SAMPLES = 20  # per side: detection needs fewer than localisation
_RIM_SHARE = 0.25  # least share of white border round a proposed card
# the same to keep a card without a readable face, with some of a third side
_WHOLE_RIM = 0.55
# the same of a card with two visible corners; cloth's squares have none
_HIDDEN_RIM = 0.15
# least border for a comparison with the faces: a fan in glare has little more
_PART_RIM = 0.05
# largest number of unread fragments: tables have 3, a checked cloth 7 to 90
_MOST_FRAGMENTS = 6
# least share of its third best side; on 34 hard photos it kept 720 on cards, 1 beside
_FRAMED_SIDE = 0.2
SAME_SHARE = 0.6  # overlap, of a card's area, above which two poses are the same card


def make_hypotheses(
    poses: FloatArray, scores: FloatArray | float, source: IntArray | HypothesisSource
) -> Hypotheses:
    """Return hypotheses with scores and one source for all, or one for each."""
    n = len(poses)
    by = np.broadcast_to(np.asarray(source, np.int64), n)
    return Hypotheses(poses, np.broadcast_to(np.asarray(scores, np.float64), n), by)


def _join_hypotheses(one: Hypotheses, other: Hypotheses) -> Hypotheses:
    """Concatenate two sets of hypotheses without suppression."""
    return Hypotheses(
        np.concatenate([one.poses, other.poses]),
        np.concatenate([one.scores, other.scores]),
        np.concatenate([one.source, other.source]),
    )


def grid_px(poses: FloatArray, plane: Solution, index: FaceIndex) -> FloatArray:
    """Project the comparison places of cards into the photo (N, G + B, 2)."""
    return project_cards(plane, poses, index.places_mm)


@dataclass(frozen=True, slots=True, eq=False)
class HypothesisBuilder:
    """Builds pose hypotheses on a plane; ``plane`` includes the camera, ``index`` the faces."""

    plane: Solution
    view: View
    index: FaceIndex
    shape_mm: float = SHAPE_MM
    most_proposals: int = _MOST_PROPOSALS

    def read(self, matched: FaceMatches) -> Hypotheses:
        """Return hypotheses for outlines that were matched before the plane was known."""
        index = self.index
        poses, misfit_mm = poses_on_plane(self.plane, matched.corners_px, index.size_mm)
        scores = matched.scores.copy()
        fits = misfit_mm < self.shape_mm
        poses, scores = poses[fits], scores[fits]
        dim = scores < READ_SCORE
        by = np.where(dim, HypothesisSource.SHAPED, HypothesisSource.READ)
        dim[dim] = ~self._stand_out(poses[dim])
        read = make_hypotheses(poses[~dim], scores[~dim], by[~dim])
        # what could not be read was taken for something at random: ask its shape instead
        unread, _, _ = self._by_shape(matched.quads_px[~fits], only_best=True)
        unread = unread[self._stand_out(unread)]
        return self.join(read, make_hypotheses(unread, -1.0, HypothesisSource.SHAPED))

    def outlines(self, outlines: BrightOutlines, known: Hypotheses) -> Hypotheses:
        """Add hypotheses from further outlines and corners beside the known ones.

        Parameters
        ----------
        outlines : BrightOutlines
            And corners that show, photo frame.
        known : Hypotheses
            What lies there already.

        Returns
        -------
        Hypotheses
            The known ones among them.
        """
        index = self.index
        shaped, quad, misfit_mm = self._by_shape(outlines.quads)
        if len(shaped):
            scores, _ = self._scores(shaped)
            order = np.lexsort((misfit_mm, -scores, quad))
            best = order[np.flatnonzero(np.diff(quad[order], prepend=-1))]  # of each outline
            stands = self._stand_out(shaped[best])
            best = best[stands | (scores[best] > READ_SCORE)]
            by = np.where(scores[best] > READ_SCORE, HypothesisSource.READ, HypothesisSource.SHAPED)
            known = self.join(known, make_hypotheses(shaped[best], scores[best], by))
        proposed = propose_from_corners(
            outlines.visible_corners, self.plane, index.rectangles_mm, known.poses
        )
        proposed, rims = self._most_bordered(proposed, self.most_proposals)
        sides = self._sides_shown(proposed)
        scores, leads = np.full((2, len(proposed)), -1.0)
        rimmed = rims > _RIM_SHARE
        rimmed[_MOST_COMPARED:] = False
        scores[rimmed], leads[rimmed] = self._scores(proposed[rimmed])
        read = (scores > PROPOSAL_SCORE) & (leads > _PROPOSAL_LEAD)
        framed = (rims > _WHOLE_RIM) & (sides > _FRAMED_SIDE)
        sided = sides > _SIDE_SHARE
        trust = np.where(read, scores, np.where(sided, sides, rims))
        by = np.where(
            read,
            HypothesisSource.READ,
            np.where(sided, HypothesisSource.SIDED, HypothesisSource.BORDERED),
        )
        good = read | framed | sided
        surely = known.poses[known.source == HypothesisSource.READ]
        usual = float(np.median(self._contrasts(surely))) if len(surely) else 0.0
        least = max(_STAND_OUT, _OF_USUAL * usual)
        good[good] = read[good] | self._stand_out(proposed[good], least)
        return self.join(known, make_hypotheses(proposed[good], trust[good], by[good]))

    def fragments(self, visible_corners_px: FloatArray, known: Hypotheses) -> Hypotheses:
        """Add hypotheses of cards with two visible corners and part of the border.

        ``visible_corners_px`` (M, 3, 2) are in the photo frame. The cards are named only after
        refinement; a pattern with many such corners is rejected as a whole.
        """
        sizes = self.index.rectangles_mm
        parts = find_corner_pairs(visible_corners_px, self.plane, sizes, known.poses, UNDER)
        parts = self._bordered(parts, _PART_RIM)
        if len(parts) > _MOST_FRAGMENTS:
            scores, leads = self._scores(parts)
            parts = parts[(scores > PROPOSAL_SCORE) & (leads > _PROPOSAL_LEAD)]
        # what has an outline of its own, but is not read well, may be the same card
        unsure = (known.source >= HypothesisSource.SHAPED) & (known.similarity < PLAIN_SCORE)
        parts = parts[cover_shares(parts, known.poses[unsure], sizes[0]) < SAME_SHARE]
        return _join_hypotheses(known, make_hypotheses(parts, 0.0, HypothesisSource.CORNERS))

    def hidden(self, visible_corners_px: FloatArray, placed: FloatArray) -> FloatArray:
        """Return poses (K, 3) of hidden cards with two visible corners and part of the border.

        Both corners lie beside all known cards. ``visible_corners_px`` (M, 3, 2) are in the photo
        frame; ``placed`` (N, 3) are the poses of the cards on the table.
        """
        parts = find_corner_pairs(visible_corners_px, self.plane, self.index.rectangles_mm, placed)
        return self._bordered(parts, _HIDDEN_RIM)

    def corners_px(self, poses: FloatArray) -> FloatArray:
        """Project the corners of cards at poses (N, 3) into the photo (N, 4, 2)."""
        return project_cards(self.plane, poses, card_corners(*self.index.size_mm))

    def _stand_out(self, poses: FloatArray, least: float | None = None) -> BoolArray:
        """Return which proposals (N,) have a border brighter than the table at two edges.

        Lines of a tablecloth can coincide with the edges of a card; a white border is bright all
        the same.
        """
        least = _STAND_OUT if least is None else least
        return np.asarray((self._contrasts(poses) >= least).sum(axis=1) >= 2)

    def _contrasts(self, poses: FloatArray) -> FloatArray:
        """Return border minus background at each edge (N, 4), tones."""
        if not len(poses):
            return np.zeros((0, 4))
        index = self.index
        half = np.array(index.size_mm) / 2
        border = float(half[0] - index.rectangles_mm[1][0] / 2)
        along = 0.75 * np.linspace(-1, 1, _STAND_SAMPLES)
        sides = []
        for reach in (half - border / 2, half + border):
            x, y = along * half[0], along * half[1]
            ends = [(x, -reach[1]), (reach[0], y), (x, reach[1]), (-reach[0], y)]
            sides += [np.stack(np.broadcast_arrays(u, v), axis=-1) for u, v in ends]
        tones = _tones_at(self.view, self.plane, poses, np.concatenate(sides), index).mean(axis=2)
        tones = tones.reshape(len(poses), 2, 4, _STAND_SAMPLES)
        inner, outer = np.median(tones, axis=3).swapaxes(0, 1)
        return np.asarray(inner - outer, np.float64)

    def _sides_shown(self, poses: FloatArray) -> FloatArray:
        """Return the visible share (N,) of the third best edge of each proposal, 0..1.

        A card washed out by glare has no visible face or frame, but three or four edges at the
        distances of a card's sides.
        """
        if not len(poses):
            return np.zeros(0)
        index = self.index
        corners = self.corners_px(poses)
        widths = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
        px_per_mm = np.median(widths) / index.size_mm[0]
        rectangle = card_edge(index.size_mm, _SIDE_GAP_MM)
        reach_px = _SIDE_REACH_MM * float(px_per_mm)
        laid_there = with_poses(self.plane, poses)
        sides = measure_edges(self.view.gray(), laid_there, rectangle, reach_px, _SIDE_SAMPLES)
        return np.asarray(np.sort(sides.share, axis=1)[:, 1], np.float64)

    def _bordered(self, parts: FloatArray, rim: float) -> FloatArray:
        """Return which poses (K, 3), from two corners, show more than a share of their border.

        Of overlapping poses the one with most border is kept: a pose that is off by a border's
        width has none.
        """
        parts, shares = self._most_bordered(parts, self.most_proposals)
        parts = parts[shares > rim]
        return parts[non_max_suppression(parts, self.index.size_mm, BESIDE_SHARE)]

    def _most_bordered(self, poses: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
        """Return poses (K, 3) with most of the white border visible, and that share."""
        shares = border_shares(
            self.view, project_cards(self.plane, poses, self.index.rim_mm), self.index
        )
        order = np.argsort(-shares, kind="stable")[:most]
        return poses[order], shares[order]

    def _scores(self, poses: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the best face's score at each pose (N,), and its margin over the next face."""
        if not len(poses):
            return np.zeros(0), np.zeros(0)
        at_px = grid_px(poses, self.plane, self.index)
        faces = score_cards(self.view, at_px, self.index).max(axis=2)
        return faces.max(axis=1), leads_of(faces)

    def _by_shape(
        self, quads_px: FloatArray, *, only_best: bool = False
    ) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return the poses at which outlines (N, 4, 2) have a card's shape: all, or the best.

        Returns poses (P, 3), the outline of each (P,), and its shape misfit (P,) in mm.
        """
        index = self.index
        meanings = quad_interpretations(quads_px, index)
        laid, misfit_mm = poses_on_plane(self.plane, meanings.reshape(-1, 4, 2), index.size_mm)
        misfit_mm = misfit_mm.reshape(meanings.shape[:2])
        fits = misfit_mm < self.shape_mm
        if only_best and len(quads_px):
            fits &= misfit_mm == misfit_mm.min(axis=1, keepdims=True)
        quad = np.nonzero(fits)[0].astype(np.int64)
        return laid[fits.ravel()], quad, misfit_mm[fits]

    def join(self, one: Hypotheses, other: Hypotheses) -> Hypotheses:
        """Join two sets of hypotheses and keep the best of those that overlap."""
        both = _join_hypotheses(one, other)
        by = np.minimum(both.source, HypothesisSource.SHAPED)  # shapes were compared as well
        order = np.lexsort((-both.scores, -by))
        kept = order[non_max_suppression(both.poses[order], self.index.size_mm, SAME_SHARE)]
        return Hypotheses(both.poses[kept], both.scores[kept], both.source[kept])


def _tones_at(
    view: View, plane: Solution, poses: FloatArray, places_mm: FloatArray, index: FaceIndex
) -> ImageBGR:
    """Sample the tones (K, P, 3) at places (P, 2), mm, of cards at poses (K, 3)."""
    rows, columns = index.shape_hw
    corners = index.grid_mm[[0, columns - 1, (rows - 1) * columns]]  # these define the scale
    at_px = project_cards(plane, poses, np.concatenate([corners, places_mm]))
    return sample_colours(view, at_px, index, corners=(0, 1, 2))[:, 3:]
