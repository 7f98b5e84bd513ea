"""Photo -> outlines; outlines + plane -> cards laid on it: by bright borders, or by any edges."""

from dataclasses import dataclass, field, replace

import numpy as np

from vision.geometry import rotation
from vision.imaging.view import View, from_level, to_gray, to_level
from vision.seeing.cards.candidates import Laying, LaySettings, laid
from vision.seeing.cards.comparing import Bordered, Plain
from vision.seeing.cards.from_corners import suppose_cards
from vision.seeing.outlines.bright import DetectSettings, Outlines, find_outlines, find_quads
from vision.seeing.outlines.edges import even_contrast, find_edge_elbows, find_edge_quads
from vision.seeing.outlines.quads import QuadSettings
from vision.seeing.solve.model import is_before_camera, with_poses
from vision.seeing.solve.overlaps import without_repeats
from vision.seeing.solve.plane import Plane, lay_cards
from vision.seeing.stages import Stages
from vision.seeing.values import Candidates, Known, Matched
from vision.values.arrays import FloatArray

__all__ = ["AnyEdges", "BrightBorders", "EdgeSettings", "LookSettings"]

_NONE = laid(np.zeros((0, 3)), 0.0, Known.CORNERS)


@dataclass(frozen=True, slots=True)
class LookSettings:
    """How often is looked, and where no more; correlations unless said."""

    work_side_px: int = 2100  # outlines are sought in the level that is no longer than this
    looks: int = 3  # beside the known cards: each may have hidden another's outline
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

    def quads(self, view: View, *, harder: bool = False, is_part: bool = False) -> FloatArray:
        """Find outlines (N, 4, 2), photo frame; ``harder`` where those gave no plane."""
        if is_part:
            return find_outlines(view[0], settings=self.settings.crop).quads
        level = view.level_within(self.settings.work_side_px)
        if harder:
            return from_level(find_outlines(view[level]).quads, level)
        quick = min(level + 1, len(view) - 1)
        return from_level(find_quads(view[quick]), quick)

    def lay(self, view: View, plane: Plane, matched: Matched, stages: Stages) -> Candidates:
        """Lay all cards of a photo on its plane, those that were matched first."""
        s, laying = self.settings, Laying(plane.solution, view, self.faces.index)
        level = view.level_within(s.work_side_px)
        with stages("rectify"):
            found = laying.read(matched)
        known = found.poses[found.likeness > s.known_score]
        for _ in range(s.looks):
            with stages("detect"):
                taken = laying.corners_px(known)
                outlines = find_outlines(view[level], to_level(taken, level))
                quads, elbows = (from_level(x, level) for x in (outlines.quads, outlines.elbows))
            with stages("second_look"):
                found = laying.beside(laying.outlines(Outlines(quads, elbows), found))
            before, known = known, found.poses[found.known_by >= Known.SIDED]
            if len(known) == len(before):
                break  # else what was found now may have hidden another's outline
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
        return replace(found, plane=plane, elbows_px=elbows, outlines=len(outlines.quads))

    def glance(self, view: View, plane: Plane, shape_mm: float) -> Candidates:
        """Lay the cards of a part of a picture on a known plane, at one look."""
        outlines = find_outlines(view[0], settings=self.settings.crop)
        how = LaySettings(most_supposed=self.settings.most_supposed, shape_mm=shape_mm)
        laying = Laying(plane.solution, view, self.faces.index, how)
        found = laying.beside(laying.outlines(outlines, _NONE))
        return replace(found, plane=plane, elbows_px=outlines.elbows, outlines=len(outlines.quads))


@dataclass(frozen=True, slots=True)
class EdgeSettings:
    """What of outlines of any kind is a card; correlations unless said."""

    work_side_px: int = 2100  # outlines are sought in the level that is no longer than this
    shape_share: float = 0.07  # of the card's width: rms of its corners on the plane
    same_share: float = 0.5  # of a card that another covers: the same card twice
    supposed_score: float = 0.40  # of a card supposed from one corner
    supposed_lead: float = 0.05  # of it over the next face
    beside: float = 0.045  # of the card's width: how far beside its outline a card is sought
    plain_score: float = 0.6  # of a card that is laid well enough
    shifted_by: float = 0.10  # better it must be read beside: an outline knows where it lies
    most_elbows: int = 700  # of each of two looks, the longest
    glimpse: float = 0.22  # of a supposed card that is worth a search beside it
    most_glimpsed: int = 150  # of those, the best


@dataclass(frozen=True, slots=True, eq=False)
class AnyEdges:
    """Finds cards by edges of any kind, for nothing is known of their border."""

    faces: Plain
    settings: EdgeSettings = field(default_factory=EdgeSettings)

    def quads(self, view: View, *, harder: bool = False, is_part: bool = False) -> FloatArray:
        """Find outlines (N, 4, 2), photo frame; ``harder`` where contrast is uneven."""
        level = view.level_within(self.settings.work_side_px)
        return from_level(
            find_edge_quads(even_contrast(view[level]) if harder else view[level]), level
        )

    def lay(self, view: View, plane: Plane, matched: Matched, stages: Stages) -> Candidates:
        """Lay all cards of a photo on its plane, those that were matched first."""
        s = self.settings
        with stages("second_look"):
            faint = self.quads(view, harder=True)
            poses = self._by_shape(plane, np.concatenate([matched.quads_px, faint]), matched)
            elbows = self._elbows(view)
            poses, scores = self._look_again(poses, plane, elbows, view)
        by = np.where(scores > s.supposed_score, Known.READ, Known.SHAPED)
        quads = len(matched.quads_px)
        return replace(laid(poses, scores, by), plane=plane, elbows_px=elbows, outlines=quads)

    def glance(self, view: View, plane: Plane, shape_mm: float) -> Candidates:
        """Lay the cards of a part of a picture on a known plane; ``shape_mm`` is left to shares."""
        return self.lay(view, plane, self.faces.match_quads(view, self.quads(view)), Stages())

    def _elbows(self, view: View) -> FloatArray:
        """Find corners (M, 3, 2) that show, in the picture and with its contrast evened."""
        level = view.level_within(self.settings.work_side_px)
        looks = [view.gray(level), to_gray(even_contrast(view[level]))]
        found = [find_edge_elbows(gray)[: self.settings.most_elbows] for gray in looks]
        return from_level(np.concatenate(found), level)

    def _by_shape(self, plane: Plane, quads: FloatArray, matched: Matched) -> FloatArray:
        """Lay on the plane what has a card's shape there: the best read first, then the unread."""
        s, size = self.settings, self.faces.faces.size_mm
        most = s.shape_share * min(size)
        poses, misfit = lay_cards(plane.solution, matched.corners_px, size)
        read = np.flatnonzero((misfit < most) & (matched.scores > s.supposed_score))
        read = read[np.argsort(-matched.scores[read], kind="stable")]
        plain = np.concatenate([quads, np.roll(quads, -1, axis=1)])
        unread, misfit = lay_cards(plane.solution, plain, size)
        shaped = np.flatnonzero(misfit < most)
        shaped = shaped[np.argsort(misfit[shaped], kind="stable")]
        together = np.concatenate([poses[read], unread[shaped]])
        return together[without_repeats(together, size, s.same_share)]

    def _look_again(
        self, poses: FloatArray, plane: Plane, elbows: FloatArray, view: View
    ) -> tuple[FloatArray, FloatArray]:
        """Add cards that show only some corners; shift those that are read better beside.

        Returns poses (N, 3), the surest first, and how alike (N,) the best face of each is.
        """
        s, at, size = self.settings, plane.solution, self.faces.faces.size_mm
        good = poses[self.faces.best(view, with_poses(at, poses)) > s.supposed_score]
        supposed = suppose_cards(elbows, at, (size,), good)
        glimpses = self.faces.best(view, with_poses(at, supposed))
        order = np.argsort(-glimpses, kind="stable")[: s.most_glimpsed]
        together = np.concatenate([poses, supposed[order[glimpses[order] > s.glimpse]]])
        step = s.beside * min(size)
        shifts = step * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1]])
        best = np.full(len(together), -1.0)
        lead = np.zeros(len(together))
        moved = together.copy()
        for shift in shifts:
            open_ = np.flatnonzero(best < s.plain_score)
            tried = together[open_].copy()
            for k, pose in enumerate(tried):
                tried[k, :2] += rotation(float(pose[2])) @ shift
            before = is_before_camera(with_poses(at, tried), 1.0)
            open_, tried = open_[before], tried[before]
            if not len(open_):
                break
            found = self.faces.coarse(view, with_poses(at, tried)).max(axis=2)
            ordered = np.sort(found, axis=1)
            better = ordered[:, -1] > best[open_] + (s.shifted_by if shift.any() else 0.0)
            moved[open_[better]] = tried[better]
            best[open_[better]] = ordered[better, -1]
            if ordered.shape[1] > 1:
                lead[open_[better]] = (ordered[:, -1] - ordered[:, -2])[better]
        was = np.arange(len(together)) < len(poses)
        read = (best > s.supposed_score) & (was | (lead > s.supposed_lead))
        by_trust = np.array(
            [*sorted(np.flatnonzero(read), key=lambda i: -best[i]), *np.flatnonzero(was & ~read)],
            np.int64,
        )
        kept = by_trust[without_repeats(moved[by_trust], size, s.same_share)]
        return moved[kept], best[kept]
