"""Photo -> outlines; outlines + plane -> cards laid on it: by their bright borders."""

from dataclasses import dataclass, field, replace

import numpy as np

from vision.imaging.view import View, from_level, to_level
from vision.seeing.cards.candidates import Laying, LaySettings, laid
from vision.seeing.cards.comparing import Bordered
from vision.seeing.outlines.bright import (
    DetectSettings,
    Outlines,
    are_taken,
    find_outlines,
    find_quads,
)
from vision.seeing.outlines.quads import QuadSettings
from vision.seeing.solve.model import Solution
from vision.seeing.solve.overlaps import cover_shares
from vision.seeing.solve.plane import Plane
from vision.seeing.stages import Stages
from vision.seeing.values import Candidates, Known, Look, Matched
from vision.values.arrays import FloatArray

__all__ = ["BrightBorders", "LookSettings"]

_NONE = laid(np.zeros((0, 3)), 0.0, Known.CORNERS)


@dataclass(frozen=True, slots=True)
class LookSettings:
    """How often is looked, and where no more; correlations unless said."""

    work_side_px: int = 2100  # outlines are sought in the level that is no longer than this
    looks: int = 3  # beside the known cards: each may have hidden another's outline
    around: float = 3.0  # times a card's size, where it is looked again for what it has hidden
    known_score: float = 0.3  # of a card whose place is not looked at again
    plain_score: float = 0.6  # of a card on which no other lies
    #: Of outlines in a part of a picture, which a card may nearly fill.
    crop: DetectSettings = field(
        default_factory=lambda: DetectSettings(quads=QuadSettings(max_area_share=0.9))
    )
    most_supposed: int = 80  # in a part of the picture


@dataclass(frozen=True, slots=True, eq=False)
class BrightBorders:
    """Finds cards by their white border: bright outlines, and corners of them that still show."""

    faces: Bordered
    settings: LookSettings = field(default_factory=LookSettings)

    def looks(self, view: View) -> tuple[Look, ...]:
        """Return the looks for a plane: a quick one, then one by all thresholds."""
        level = view.level_within(self.settings.work_side_px)
        return Look(min(level + 1, len(view) - 1)), Look(level, harder=True)

    def finer(self, view: View, look: Look, shown: Solution) -> Look | None:
        """Return the look that shows cards well which gave a plane: any does."""
        return None

    def quads(self, view: View, look: Look | None = None) -> FloatArray:
        """Find outlines (N, 4, 2), photo frame; without a look those of a part of a picture."""
        if look is None:
            return find_outlines(view[0], settings=self.settings.crop).quads
        picture = view[look.level]
        found = find_outlines(picture).quads if look.harder else find_quads(picture)
        return from_level(found, look.level)

    def lay(self, view: View, plane: Plane, matched: Matched, stages: Stages) -> Candidates:
        """Lay all cards of a photo on its plane, those that were matched first."""
        s, laying = self.settings, Laying(plane.solution, view, self.faces.index)
        level = view.level_within(s.work_side_px)
        with stages("rectify"):
            found = laying.read(matched)
        known = found.poses[found.likeness > s.known_score]
        places, asked, elbows, count = None, _NONE.poses, np.zeros((0, 3, 2)), 0
        for _ in range(s.looks):
            with stages("detect"):
                taken = to_level(laying.corners_px(known), level)
                outlines = find_outlines(view[level], taken, within=places)
                quads, corners = (from_level(x, level) for x in (outlines.quads, outlines.elbows))
            with stages("second_look"):
                found = laying.beside(laying.outlines(Outlines(quads, corners), found), asked)
            asked = found.poses
            elbows, count = np.concatenate([elbows, corners]), count + len(quads)
            before, known = known, found.poses[found.known_by >= Known.SIDED]
            again = cover_shares(known, before, laying.index.size_mm)
            new = known[again < laying.settings.same_share]
            if not len(new):
                break  # else what was found now may have hidden another's outline
            corners = to_level(laying.corners_px(new), level)
            middles = corners.mean(axis=1, keepdims=True)
            places = middles + s.around * (corners - middles)
        taken = to_level(laying.corners_px(known), level)
        elbows = elbows[~are_taken(to_level(elbows[:, 1], level), taken)]
        is_plain = found.likeness > s.plain_score
        within = elbows
        if not is_plain.all():  # others may be half under a card that is not known yet
            with stages("detect"):
                taken, places = (
                    to_level(laying.corners_px(found.poses[these]), level)
                    for these in (is_plain, ~is_plain)
                )
                more = find_outlines(view[level], taken, within=places)
                within = np.concatenate([elbows, from_level(more.elbows, level)])
        with stages("second_look"):
            found = laying.fragments(within, found)
        return replace(found, plane=plane, elbows_px=elbows, outlines=count)

    def glance(self, view: View, plane: Plane, shape_mm: float) -> Candidates:
        """Lay the cards of a part of a picture on a known plane, at one look."""
        outlines = find_outlines(view[0], settings=self.settings.crop)
        how = LaySettings(most_supposed=self.settings.most_supposed, shape_mm=shape_mm)
        laying = Laying(plane.solution, view, self.faces.index, how)
        found = laying.beside(laying.outlines(outlines, _NONE))
        return replace(found, plane=plane, elbows_px=outlines.elbows, outlines=len(outlines.quads))
