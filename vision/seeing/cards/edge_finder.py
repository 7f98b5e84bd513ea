"""Card finder for decks without a known border: detects edges of any kind.

The plane is searched at the coarsest level that shows cards well, then the cards at a level where
they are some ninety pixels wide. More resolution costs time and locates an outline no better.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import card_corners
from vision.imaging.view import View, to_gray, to_level
from vision.seeing.cards.face_comparers import NAMED_SCORE, PictureComparer
from vision.seeing.cards.hypotheses import make_hypotheses
from vision.seeing.cards.outline_poses import OUTLINE_SHARE
from vision.seeing.detection.corners import complete_corners, find_corners, find_lines
from vision.seeing.detection.edge_contrast import side_shares
from vision.seeing.detection.edge_quads import find_edge_quads
from vision.seeing.detection.quads import WORK_SIDE_PX, refine_quads
from vision.seeing.detection.quads import suppress_repeated_quads as without_near
from vision.seeing.detection.search_regions import (
    Crop,
    Part,
    crops_of,
    scaled_part,
    unsearched_parts,
)
from vision.seeing.estimation.model import Solution, project_cards, with_poses
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.seeing.estimation.plane import Plane, poses_on_plane
from vision.seeing.stages import Stages
from vision.seeing.threads import side_by_side
from vision.seeing.values import (
    WELL_READ_SCORE,
    FaceMatches,
    Hypotheses,
    HypothesisSource,
    PyramidLevel,
    join_matches,
    select_matches,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["EdgeCardFinder"]


# Criteria of cards among outlines of any kind; correlations unless said otherwise.

# longer sides of the searched images, in order
_LEVEL_SIDES_PX: tuple[int, ...] = (525, 1050, WORK_SIDE_PX)
_FINE_PX = 48.0  # card width at which an outline is accurate to 1 %; wider needs no finer level
_SECOND_PX = 90.0  # card width of the second search: a gap of 2 mm is 3 pixels
#: card widths with equalised contrast: in one of them a cloth's grain hides less
_EVENED_PX: tuple[float, float] = (75.0, 30.0)
_SHAPE_SHARE = 0.07  # largest rms of a card's corners on the plane, of the card's width
_WITHIN: tuple[float, float] = (0.6, 1.15)  # perimeter, of a card's: a picture in a border, a card
# least length of a contour, of the card's width: round a card, or along both sides of three of its
# edges, it is four times that
_CONTOUR = 1.0
_FEW = 4  # cards that determine a plane well
_SLACK_OF_FEW = 0.25  # tolerance on shapes that is added per missing card, as a factor
# least share of the second faintest side along which an edge runs; real cards: all
_OUTLINE_SIDE = 0.7
_FAINT_SIDE = 0.45  # the same of the faintest side: dark print on dark cloth shows parts of it
_OUTLINE_AWAY = 0.12  # distance, of the card's width, within which two poses are the same card
_OUTLINE_TURN = 0.1  # rad; the same of the rotation
_REPEAT_PX = 0.7  # mean corner distance below which refined outlines are the same
_SAME_SHARE = 0.5  # overlap, of a card's area, above which two poses are the same card
_LEFT_PX = 28.0  # card width at which cards and their print still stand out of cloth
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
        level = max(finest, _coarsest_level(self._width_px(solution), _FINE_PX))
        return PyramidLevel(level) if level < pyramid_level.level else None

    def quads(self, view: View, pyramid_level: PyramidLevel | None = None) -> FloatArray:
        """Detect outlines (N, 4, 2), photo frame; without a level, those of a crop."""
        pyramid_level = pyramid_level or PyramidLevel(view.level_within(_LEVEL_SIDES_PX[1]))
        (cut,) = crops_of(view, pyramid_level.level)
        return (
            self._cornered(cut)
            if pyramid_level.by_corners
            else self._quads_of([cut], pyramid_level)
        )

    def build_hypotheses(
        self, view: View, plane: Plane, matched: FaceMatches, stages: Stages
    ) -> Hypotheses:
        """Return pose hypotheses of all cards on the plane, matched outlines first."""
        at = plane.solution
        first = matched.pyramid_level
        # two sides count as an outline only with a read face
        if first is not None and first.by_corners:
            matched = select_matches(matched, matched.scores > NAMED_SCORE)
        with stages("detect"):
            levels, clear = self._second_looks(view, at), self._clear(view, plane, matched)
            left = self._left(view, plane, clear, matched)
            cuts = {of.scale: crops_of(view, of.level, left, times=of.times) for of in levels}
            least = _CONTOUR * self._width_px(at)
            others = [one for one in levels if one != first]
            quads = side_by_side(lambda one: self._quads_of(cuts[one.scale], one, least), others)
        with stages("classify"):
            more = self._as_large(plane, np.concatenate([np.zeros((0, 4, 2)), *quads]))
            matched = join_matches(matched, self.faces.match_quads(view, more))
        with stages("second_look"):
            poses, scores = self._read(view, at, self._by_shape(plane, matched))
            outlined = self._outlined(view, levels[0].level, plane, matched.quads_px, poses)
        by = np.where(scores > NAMED_SCORE, HypothesisSource.READ, HypothesisSource.SHAPED)
        found = make_hypotheses(poses, scores, by)
        count = len(matched.quads_px)
        return replace(found, plane=plane, outlines=count, outlined_px=outlined)

    def detect_in_roi(self, view: View, plane: Plane, shape_mm: float) -> Hypotheses:
        """Return the hypotheses of a crop on a known plane; ``shape_mm`` is not used."""
        return self.build_hypotheses(
            view, plane, self.faces.match_quads(view, np.zeros((0, 4, 2))), Stages()
        )

    def _width_px(self, solution: Solution) -> float:
        """Return the median width of the cards, px; without cards, of one at the photo's centre."""
        size = self.faces.faces.size_mm
        if not len(solution.poses):
            up = solution.rotation[:, 2]
            return float(size[0] * solution.focal_px * up[2] / (up @ solution.translation_mm))
        corners = project_cards(solution, solution.poses, card_corners(*size))
        return float(np.median(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)))

    def _second_looks(self, view: View, at: Solution) -> tuple[PyramidLevel, ...]:
        """Return the levels to search on a known plane, between two levels where that suffices."""
        pyramid_levels = []
        for wide, harder in ((_SECOND_PX, False), *((wide, True) for wide in _EVENED_PX)):
            level, times = self._reduced(view, at, wide)
            pyramid_levels.append(PyramidLevel(level, harder, times=times))
        return tuple(dict.fromkeys(pyramid_levels))

    def _reduced(self, view: View, at: Solution, wide_px: float) -> tuple[int, float]:
        """Return the level and further reduction at which cards are at most that wide."""
        finest = view.level_within(_LEVEL_SIDES_PX[-1])
        by = np.log2(max(self._width_px(at) / wide_px, 1.0))
        level, rest = divmod(float(np.clip(by, finest, len(view) - 1)), 1.0)
        return int(level), 0.5**rest

    def _as_large(self, plane: Plane, quads: FloatArray) -> FloatArray:
        """Keep the outlines (N, 4, 2) that are about as large as a card at their place."""
        size = self.faces.faces.size_mm
        poses, misfit = poses_on_plane(plane.solution, quads, size)
        quads, poses = quads[np.isfinite(misfit)], poses[np.isfinite(misfit)]
        ideal = project_cards(plane.solution, poses, card_corners(*size))
        round_px = [
            np.linalg.norm(of - np.roll(of, 1, axis=1), axis=2).sum(axis=1) for of in (quads, ideal)
        ]
        share = round_px[0] / round_px[1]
        return np.asarray(quads[(share > _WITHIN[0]) & (share < _WITHIN[1])], np.float64)

    def _quads_of(
        self, cuts: Sequence[Crop], pyramid_level: PyramidLevel, least_px: float = 0.0
    ) -> FloatArray:
        """Detect outlines (N, 4, 2), photo frame, of a least perimeter in crops."""
        quads = [np.zeros((0, 4, 2))]
        for cut in cuts:
            shown = cut.evened if pyramid_level.harder else cut.picture
            found = find_edge_quads(
                shown, evened=pyramid_level.harder, least_px=least_px * cut.scale
            )
            sharp = without_near(refine_quads(cut.picture, found), _REPEAT_PX)
            quads.append(cut.to_photo(sharp))
        return np.concatenate(quads)

    def _cornered(self, cut: Crop) -> FloatArray:
        """Detect outlines (N, 4, 2) from two visible sides, as of pale cards on a pale table."""
        found = [
            complete_corners(of, _LEAST_ARM_PX, _LEAST_ASPECT, _ROUNDED)[:_MOST_CORNERED]
            for of in (_corners_in_picture(cut.picture), _corners_in_picture(cut.evened))
        ]
        return cut.to_photo(np.concatenate(found))

    def _clear(self, view: View, plane: Plane, matched: FaceMatches) -> FloatArray | None:
        """Return the outlines (N, 4, 2) of clearly read cards; None if not searched."""
        at, size = plane.solution, self.faces.faces.size_mm
        if matched.pyramid_level is None:
            return None
        level = matched.pyramid_level.level
        poses, misfit = poses_on_plane(at, matched.corners_px, size)
        read = (misfit < OUTLINE_SHARE * min(size)) & (matched.scores > WELL_READ_SCORE)
        clear = np.flatnonzero(read)
        sides = side_shares(view[level], to_level(matched.corners_px[clear], level))
        clear = clear[self._all_sides(sides)]
        return project_cards(at, poses[clear], card_corners(*size))

    def _left(
        self, view: View, plane: Plane, clear: FloatArray | None, matched: FaceMatches
    ) -> tuple[Part, ...] | None:
        """Return the parts of the photo that clear cards leave unsearched; None for all of it."""
        if clear is None:
            return None
        coarse, width_px = self._coarse(view, plane, matched), self._width_px(plane.solution)
        left = unsearched_parts(view[coarse], to_level(clear, coarse), width_px / 2**coarse)
        return None if left is None else tuple(scaled_part(of, 2.0**coarse) for of in left)

    def _coarse(self, view: View, plane: Plane, matched: FaceMatches) -> int:
        """Return a coarse level at which cards and print still stand out of the cloth."""
        least = 0 if matched.pyramid_level is None else matched.pyramid_level.level
        width_px = self._width_px(plane.solution)
        return min(max(_coarsest_level(width_px, _LEFT_PX), least), len(view) - 1)

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
        return 1.0 + _SLACK_OF_FEW * max(0, _FEW - len(plane.cards))

    def _outlined(
        self, view: View, level: int, plane: Plane, quads: FloatArray, poses: FloatArray
    ) -> FloatArray:
        """Return the outline (N, 4, 2) that proves a card at each pose (N, 3); nan without one.

        It has nearly a card's shape and size on the plane, and an edge runs along its four sides.
        """
        size = self.faces.faces.size_mm
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


def _coarsest_level(width_px: float, least_px: float) -> int:
    """Return the coarsest level at which a width in the photo is at least so many pixels."""
    return int(np.log2(max(width_px / least_px, 1.0)))


def _corners_in_picture(picture: ImageBGR) -> FloatArray:
    """Return the corners (M, 3, 2) detected in an image, its pixels."""
    return find_corners(find_lines(to_gray(picture)))
