"""Card finder for decks without a known border: detects edges of any kind.

The plane is searched at the coarsest level that shows cards well. More resolution costs time and
locates an outline no better. Cards whose outline is not found there are proposed from the table
that nothing explains (``vision.seeing.explain``).
"""

from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import card_corners
from vision.imaging.view import View, from_level, to_gray, to_level
from vision.seeing.cards.face_comparers import NAMED_SCORE, PictureComparer
from vision.seeing.cards.hypotheses import make_hypotheses
from vision.seeing.cards.outline_poses import OUTLINE_SHARE
from vision.seeing.detection.corners import complete_corners, find_corners, find_lines
from vision.seeing.detection.edge_contrast import side_shares
from vision.seeing.detection.edge_quads import equalise_contrast, find_edge_quads
from vision.seeing.detection.quads import WORK_SIDE_PX, refine_quads
from vision.seeing.detection.quads import suppress_repeated_quads as without_near
from vision.seeing.estimation.model import Solution, project_cards, with_poses
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.seeing.estimation.plane import WELL_DETERMINED, Plane, poses_on_plane
from vision.seeing.stages import Stages
from vision.seeing.values import (
    FaceMatches,
    Hypotheses,
    HypothesisSource,
    PyramidLevel,
    select_matches,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["EdgeCardFinder"]


# Criteria of cards among outlines of any kind; correlations unless said otherwise.

# longer sides of the searched images, in order
_LEVEL_SIDES_PX: tuple[int, ...] = (525, 1050, WORK_SIDE_PX)
_FINE_PX = 48.0  # card width at which an outline is accurate to 1 %; wider needs no finer level
_SIDES_PX = 90.0  # card width at which edges along sides are looked for
_SHAPE_SHARE = 0.07  # largest rms of a card's corners on the plane, of the card's width
_SLACK_OF_FEW = 0.25  # tolerance on shapes that is added per missing card, as a factor
# least share of the second faintest side along which an edge runs; real cards: all
_OUTLINE_SIDE = 0.7
_FAINT_SIDE = 0.45  # the same of the faintest side: dark print on dark cloth shows parts of it
_OUTLINE_AWAY = 0.12  # distance, of the card's width, within which two poses are the same card
_OUTLINE_TURN = 0.1  # rad; the same of the rotation
_REPEAT_PX = 0.7  # mean corner distance below which refined outlines are the same
_SAME_SHARE = 0.5  # overlap, of a card's area, above which two poses are the same card
_MOST_CORNERED = 150  # outlines from two visible sides, of each of two searches
_LEAST_ARM_PX = 24.0  # least arm of a corner whose two arms are taken for a card's sides
# least ratio of the shorter arm to the longer; a card seen at 60 degrees: 0.33
_LEAST_ASPECT = 0.35
_ROUNDED = 0.05  # share of the shorter arm by which rounded corners shorten either arm


@dataclass(frozen=True, slots=True)
class EdgeCardFinder:
    """Detects cards by edges of any kind, without knowledge of their border."""

    faces: PictureComparer

    def pyramid_levels(self, view: View) -> tuple[PyramidLevel, ...]:
        """Return the levels to search: coarse to fine, with equalised contrast, by corners."""
        sides = _LEVEL_SIDES_PX
        levels = {view.level_within(side): None for side in sides}
        cornered = PyramidLevel(view.level_within(sides[1]), harder=True, by_corners=True)
        return (
            *(PyramidLevel(level) for level in levels),
            PyramidLevel(min(levels), harder=True),
            cornered,
        )

    def finer(
        self, view: View, pyramid_level: PyramidLevel, solution: Solution
    ) -> PyramidLevel | None:
        """Return the level at which cards are large enough; None if this level suffices."""
        finest = view.level_within(_LEVEL_SIDES_PX[-1])
        level = max(finest, self._coarsest_level(view, solution, _FINE_PX))
        return PyramidLevel(level) if level < pyramid_level.level else None

    def quads(self, view: View, pyramid_level: PyramidLevel | None = None) -> FloatArray:
        """Detect outlines (N, 4, 2), photo frame; without a level, those of a crop."""
        pyramid_level = pyramid_level or PyramidLevel(view.level_within(_LEVEL_SIDES_PX[1]))
        picture = view[pyramid_level.level]
        if pyramid_level.by_corners:
            found = _cornered(picture)
        else:
            shown = equalise_contrast(picture) if pyramid_level.harder else picture
            found = find_edge_quads(shown, evened=pyramid_level.harder)
            found = without_near(refine_quads(picture, found), _REPEAT_PX)
        return from_level(found, pyramid_level.level)

    def build_hypotheses(
        self, view: View, plane: Plane, matched: FaceMatches, stages: Stages
    ) -> Hypotheses:
        """Return pose hypotheses of all cards on the plane, matched outlines first."""
        at = plane.solution
        first = matched.pyramid_level
        # two sides count as an outline only with a read face
        if first is not None and first.by_corners:
            matched = select_matches(matched, matched.scores > NAMED_SCORE)
        with stages("second_look"):
            poses, scores = self._read(view, at, self._by_shape(plane, matched))
            outlined = self._outlined(view, plane, matched.quads_px, poses)
        by = np.where(scores > NAMED_SCORE, HypothesisSource.READ, HypothesisSource.SHAPED)
        found = make_hypotheses(poses, scores, by)
        count = len(matched.quads_px)
        return replace(found, plane=plane, outlines=count, outlined_px=outlined)

    def detect_in_roi(self, view: View, plane: Plane, shape_mm: float) -> Hypotheses:
        """Return the hypotheses of a crop on a known plane; ``shape_mm`` is not used."""
        level = self._coarsest_level(view, plane.solution, _SIDES_PX)
        plain, evened = PyramidLevel(level), PyramidLevel(level, harder=True)
        # at the next level a cloth's grain hides less
        coarse = PyramidLevel(min(level + 1, len(view) - 1), harder=True)
        each = [self.quads(view, one) for one in dict.fromkeys((plain, evened, coarse))]
        matched = self.faces.match_quads(view, np.concatenate(each))
        return self.build_hypotheses(view, plane, matched, Stages())

    def _width_px(self, solution: Solution) -> float:
        """Return the median width of the cards, px; without cards, of one at the photo's centre."""
        size = self.faces.faces.size_mm
        if not len(solution.poses):
            up = solution.rotation[:, 2]
            return float(size[0] * solution.focal_px * up[2] / (up @ solution.translation_mm))
        corners = project_cards(solution, solution.poses, card_corners(*size))
        return float(np.median(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)))

    def _coarsest_level(self, view: View, solution: Solution, least_px: float) -> int:
        """Return the coarsest level at which cards are at least so many pixels wide."""
        by = np.log2(max(self._width_px(solution) / least_px, 1.0))
        return min(int(by), len(view) - 1)

    def _all_sides(self, sides: FloatArray) -> BoolArray:
        """Return which outlines have an edge all round, from the shares (N, 4) of their sides."""
        faintest = np.sort(sides, axis=1)
        return np.asarray((faintest[:, 0] > _FAINT_SIDE) & (faintest[:, 1] > _OUTLINE_SIDE))

    def _by_shape(self, plane: Plane, matched: FaceMatches) -> FloatArray:
        """Return poses of outlines with a card's shape, the best read first, then unread ones."""
        size = self.faces.faces.size_mm
        most = self._slack(plane) * _SHAPE_SHARE * min(size)
        poses, misfit = poses_on_plane(plane.solution, matched.corners_px, size)
        read = np.flatnonzero((misfit < most) & (matched.scores > NAMED_SCORE))
        read = read[np.argsort(-matched.scores[read], kind="stable")]
        quads = matched.quads_px
        plain = np.concatenate([quads, np.roll(quads, -1, axis=1)])
        unread, misfit = poses_on_plane(plane.solution, plain, size)
        shaped = np.flatnonzero(misfit < most)
        shaped = shaped[np.argsort(misfit[shaped], kind="stable")]
        together = np.concatenate([poses[read], unread[shaped]])
        return together[non_max_suppression(together, size, _SAME_SHARE)]

    def _read(self, view: View, at: Solution, poses: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Read cards at poses (N, 3); return the poses best read, and the best faces' scores."""
        scores = self.faces.best(view, with_poses(at, poses))
        order = np.argsort(-np.where(scores > NAMED_SCORE, scores, -1.0), kind="stable")
        kept = order[non_max_suppression(poses[order], self.faces.faces.size_mm, _SAME_SHARE)]
        return poses[kept], scores[kept]

    def _slack(self, plane: Plane) -> float:
        """Return the factor by which shapes may deviate on a plane from few cards.

        Such a plane is exact to some per cent; outlines are tested again after refinement.
        """
        return 1.0 + _SLACK_OF_FEW * max(0, WELL_DETERMINED - len(plane.cards))

    def _outlined(
        self, view: View, plane: Plane, quads: FloatArray, poses: FloatArray
    ) -> FloatArray:
        """Return the outline (N, 4, 2) that proves a card at each pose (N, 3); nan without one.

        It has nearly a card's shape and size on the plane, and an edge runs along its four sides.
        """
        size = self.faces.faces.size_mm
        finest = view.level_within(_LEVEL_SIDES_PX[-1])
        level = max(finest, self._coarsest_level(view, plane.solution, _SIDES_PX))
        outlined = np.full((len(poses), 4, 2), np.nan)
        plain = np.concatenate([quads, np.roll(quads, -1, axis=1)])
        lies, misfit = poses_on_plane(plane.solution, plain, size)
        close = np.flatnonzero(misfit < self._slack(plane) * OUTLINE_SHARE * min(size))
        close = close[self._all_sides(side_shares(view[level], to_level(plain[close], level)))]
        close = close[np.argsort(misfit[close], kind="stable")]
        if not len(close):
            return outlined
        away = poses[:, None] - lies[None, close]
        beside = np.linalg.norm(away[..., :2], axis=2) / min(size)
        same = (beside < _OUTLINE_AWAY) & (np.abs(np.sin(away[..., 2])) < _OUTLINE_TURN)
        known = same.any(axis=1)
        outlined[known] = plain[close[same.argmax(axis=1)]][known]
        return outlined


def _cornered(picture: ImageBGR) -> FloatArray:
    """Detect outlines (N, 4, 2) from two visible sides, as of pale cards on a pale table."""
    shown = (picture, equalise_contrast(picture))
    corners = [find_corners(find_lines(to_gray(of))) for of in shown]
    each = [complete_corners(of, _LEAST_ARM_PX, _LEAST_ASPECT, _ROUNDED) for of in corners]
    return np.concatenate([of[:_MOST_CORNERED] for of in each])
