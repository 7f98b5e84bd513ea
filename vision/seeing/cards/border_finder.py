"""Card finder for decks with a white border: detects the bright border."""

from dataclasses import dataclass, replace

import numpy as np

from vision.imaging.view import View, from_level, to_level
from vision.seeing.cards.face_comparers import FramedComparer
from vision.seeing.cards.hypotheses import SAME_SHARE, HypothesisBuilder, make_hypotheses
from vision.seeing.detection.bright_quads import (
    BrightOutlines,
    BrightQuadSettings,
    are_masked,
    find_outlines,
    find_quads,
)
from vision.seeing.detection.quads import WORK_SIDE_PX, QuadSettings
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.overlaps import cover_shares
from vision.seeing.estimation.plane import Plane
from vision.seeing.stages import Stages
from vision.seeing.values import (
    READ_SCORE,
    WELL_READ_SCORE,
    FaceMatches,
    Hypotheses,
    HypothesisSource,
    PyramidLevel,
)
from vision.values.arrays import FloatArray

__all__ = ["BorderCardFinder"]

_NONE = make_hypotheses(np.zeros((0, 3)), 0.0, HypothesisSource.CORNERS)


# How often is looked, and where no more; correlations unless said.
_PYRAMID_LEVELS = 3  # beside the known cards: each may have hidden another's outline
_AROUND = 3.0  # times a card's size, where it is looked again for what it has hidden
#: Of outlines in a part of a picture, which a card may nearly fill.
_CROP = BrightQuadSettings(quads=QuadSettings(max_area_share=0.9))
_MOST_PROPOSALS = 80  # in a part of the picture


@dataclass(frozen=True, slots=True, eq=False)
class BorderCardFinder:
    """Detects cards by their white border: bright outlines and visible corners of them."""

    faces: FramedComparer

    def pyramid_levels(self, view: View) -> tuple[PyramidLevel, ...]:
        """Return the levels to search: a quick one, then one with all thresholds."""
        level = view.level_within(WORK_SIDE_PX)
        return PyramidLevel(min(level + 1, len(view) - 1)), PyramidLevel(level, harder=True)

    def finer(
        self, view: View, pyramid_level: PyramidLevel, solution: Solution
    ) -> PyramidLevel | None:
        """Return None: every level shows cards well enough."""
        return None

    def quads(self, view: View, pyramid_level: PyramidLevel | None = None) -> FloatArray:
        """Detect outlines (N, 4, 2), photo frame; without a level, those of a crop."""
        if pyramid_level is None:
            return find_outlines(view[0], settings=_CROP).quads
        picture = view[pyramid_level.level]
        found = find_outlines(picture).quads if pyramid_level.harder else find_quads(picture)
        return from_level(found, pyramid_level.level)

    def build_hypotheses(
        self, view: View, plane: Plane, matched: FaceMatches, stages: Stages
    ) -> Hypotheses:
        """Return pose hypotheses of all cards on the plane, matched outlines first."""
        builder = HypothesisBuilder(plane.solution, view, self.faces.index)
        level = view.level_within(WORK_SIDE_PX)
        with stages("rectify"):
            found = builder.read(matched)
        known = found.poses[found.similarity > READ_SCORE]
        places, visible_corners, count = None, np.zeros((0, 3, 2)), 0
        for _ in range(_PYRAMID_LEVELS):
            with stages("detect"):
                taken = to_level(builder.corners_px(known), level)
                outlines = find_outlines(view[level], taken, within=places)
                quads, corners = (
                    from_level(x, level) for x in (outlines.quads, outlines.visible_corners)
                )
            with stages("second_look"):
                found = builder.outlines(BrightOutlines(quads, corners), found)
            visible_corners, count = np.concatenate([visible_corners, corners]), count + len(quads)
            before, known = known, found.poses[found.source >= HypothesisSource.SIDED]
            again = cover_shares(known, before, builder.index.size_mm)
            new = known[again < SAME_SHARE]
            if not len(new):
                break  # else what was found now may have hidden another's outline
            corners = to_level(builder.corners_px(new), level)
            middles = corners.mean(axis=1, keepdims=True)
            places = middles + _AROUND * (corners - middles)
        taken = to_level(builder.corners_px(known), level)
        visible_corners = visible_corners[
            ~are_masked(to_level(visible_corners[:, 1], level), taken)
        ]
        is_plain = found.similarity > WELL_READ_SCORE
        within = visible_corners
        if not is_plain.all():  # others may be half under a card that is not known yet
            with stages("detect"):
                taken, places = (
                    to_level(builder.corners_px(found.poses[these]), level)
                    for these in (is_plain, ~is_plain)
                )
                more = find_outlines(view[level], taken, within=places)
                within = np.concatenate([visible_corners, from_level(more.visible_corners, level)])
        with stages("second_look"):
            found = builder.fragments(within, found)
        return replace(found, plane=plane, visible_corners_px=visible_corners, outlines=count)

    def detect_in_roi(self, view: View, plane: Plane, shape_mm: float) -> Hypotheses:
        """Return the hypotheses of a crop on a known plane, from one level."""
        outlines = find_outlines(view[0], settings=_CROP)
        builder = HypothesisBuilder(
            plane.solution, view, self.faces.index, shape_mm, _MOST_PROPOSALS
        )
        found = builder.outlines(outlines, _NONE)
        return replace(
            found,
            plane=plane,
            visible_corners_px=outlines.visible_corners,
            outlines=len(outlines.quads),
        )
