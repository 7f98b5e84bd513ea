"""Pose hypotheses of cards with a white border, from outlines on the known plane.

An outline with the shape of a card is a card, whether its face can be read or not.
"""

from dataclasses import dataclass

import numpy as np

from vision.imaging.view import View
from vision.seeing.cards.face_matching import quad_interpretations, score_cards
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.seeing.estimation.plane import poses_on_plane
from vision.seeing.recognition.framed_faces import FaceIndex, sample_colours
from vision.seeing.values import (
    READ_SCORE,
    FaceMatches,
    Hypotheses,
    HypothesisSource,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray

__all__ = [
    "SAME_SHARE",
    "SHAPE_MM",
    "HypothesisBuilder",
    "grid_px",
    "make_hypotheses",
]


SHAPE_MM = 3.5  # largest rms of a card's corners on the plane, from the reduced image
_STAND_OUT = 6.0  # least tones of a border above the cloth; medians are accurate to 2
_STAND_SAMPLES = 12  # samples per side for that
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

    def outlines(self, quads_px: FloatArray, known: Hypotheses) -> Hypotheses:
        """Add hypotheses from further outlines (N, 4, 2), photo frame, beside the known ones."""
        shaped, quad, misfit_mm = self._by_shape(quads_px)
        if not len(shaped):
            return known
        scores = self._scores(shaped)
        order = np.lexsort((misfit_mm, -scores, quad))
        best = order[np.flatnonzero(np.diff(quad[order], prepend=-1))]  # of each outline
        best = best[self._stand_out(shaped[best]) | (scores[best] > READ_SCORE)]
        by = np.where(scores[best] > READ_SCORE, HypothesisSource.READ, HypothesisSource.SHAPED)
        return self.join(known, make_hypotheses(shaped[best], scores[best], by))

    def _stand_out(self, poses: FloatArray) -> BoolArray:
        """Return which proposals (N,) have a border brighter than the table at two edges.

        Lines of a tablecloth can coincide with the edges of a card; a white border is bright all
        the same.
        """
        return np.asarray((self._contrasts(poses) >= _STAND_OUT).sum(axis=1) >= 2)

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

    def _scores(self, poses: FloatArray) -> FloatArray:
        """Return the best face's score at each pose (N,)."""
        if not len(poses):
            return np.zeros(0)
        at_px = grid_px(poses, self.plane, self.index)
        return np.asarray(score_cards(self.view, at_px, self.index).max(axis=(1, 2)), np.float64)

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
