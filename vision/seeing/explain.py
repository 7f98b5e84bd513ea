"""Cards where nothing that is known explains the table: proposed freely, verified, kept best first.

Where the scene is more like a thing than like bare table, poses are proposed (``propose``). Each is
weighed by what is visible of it: edges along its outline, a face of the deck, and how much of it is
bare table; one that covers nothing unexplained is dropped. The best is kept and hides what lies
beneath it; the others are weighed again by what is left. What is read goes first, and what is
unlike the face of a kept card lies on it. So fans and heaps are taken apart from above.

Separate from ``reading``, which only orders the stages.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, cell_centres
from vision.imaging.masks import mask_at
from vision.imaging.view import View, sample, to_gray
from vision.seeing.detection.corners import find_lines
from vision.seeing.detection.edge_contrast import side_places, side_shares
from vision.seeing.estimation.model import Solution, camera_of
from vision.seeing.estimation.overlaps import (
    card_outlines,
    cover_shares,
    non_max_suppression,
)
from vision.seeing.estimation.rectify import Rectified, rectify
from vision.seeing.propose import (
    LEAST_ARM_MM,
    assumed_picture,
    propose_from_corners,
    propose_from_print,
    propose_from_sides,
    rectangles_on,
)
from vision.seeing.recognition.visible_faces import VisibleFaces, VisibleScores, visible_faces
from vision.seeing.registration.rigid_registration import BlurredTable, card_templates
from vision.seeing.scene import (
    Evidence,
    Scene,
    TableImage,
    face_prints,
    rectify_table,
    scene_of,
    table_evidence,
)
from vision.seeing.values import (
    READ_SCORE,
    WELL_READ_SCORE,
    Hypotheses,
    least_visible,
    select_hypotheses,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.pieces import Faces

__all__ = ["verify_hypotheses"]

_PX_PER_MM = 1.0  # of the parts that are looked at closely: a card is some sixty pixels wide
_MOST_ROUNDS = 3  # at the table, at most: another, where a card is found
_LEAST_THING = 0.05  # of a card's area: less hides none
_REACH_MM = 30.0  # round a thing: the outline of a card that it is part of
_SAME = 0.8  # of an outline that an unread card covers: it is that card's
_LEAST_VISIBLE = 0.05  # of a card: less has no name
_LEAST_ON = 0.3  # the same where it lies on known cards, which are nowhere quite like their faces
_MOSTLY = 0.5  # of a card: one that shows less must be read
_OWN_MM = 1.5  # round known cards: the error of their edges
_INNER_MM = 3.0  # within a card's edge: the evidence of the scene is of a window
_GRID = cell_centres(16, 22)  # places at which a pose is held against the scene
_MOST_COMPARED = 300  # poses in a part of the table, likeliest first, whose faces are compared
# Log odds of a card at a proposed pose. From a logistic regression on 100 drawn tables (2,669 poses
# of cards, 1,297 of none); the face weighs more than there, for kept poses are registered.
_ODDS = -7.5
_OF_EDGES = 7.7  # visible share of the outline with an edge
_OF_SCORE = 8.0  # of the face that what is visible is most like
_OF_LEAD = 6.9  # of that over the next face
_OF_CORNERS = 1.0  # of a pose with which two corners agree
_OF_BARE = -10.0  # visible share that looks like bare table

_SAME_MM = 2.0  # between poses that are moved to one place
_UNREAD_ODDS = 1.0  # least log odds of an unread card: below, ``residual`` may tell a region
# Of a card that is read: 281 of 283 cards on 15 tables of fans gain more; 45 things that were none
# gain 0.00 to 0.056.
_LEAST_GAIN = 0.05
_WORTH_MOVING = -0.5  # least log odds of a pose whose face is read well: registered, it gains


def verify_hypotheses(
    view: View, found: Hypotheses, faces: Faces
) -> tuple[Hypotheses, TableImage | None]:
    """Replace hypotheses that are not well read by those that explain the photo with bare table.

    Half-covered cards are found here; none is named. Where none is well read, the one that is read
    best is taken for a card. Also returns the photo from above; None if no hypothesis is read at
    all, and nothing is replaced.

    Parameters
    ----------
    view : View
        The photo.
    found : Hypotheses
        From outlines, on their plane.
    faces : Faces
        The deck's.
    """
    assert found.plane is not None
    best = found.scores.max(initial=READ_SCORE)
    if best <= READ_SCORE:
        return found, None
    is_known = found.scores > WELL_READ_SCORE
    if not is_known.any():
        is_known = found.scores == best  # it says how a card looks
    known, others = found.poses[is_known], found.poses[~is_known]
    at, size = found.plane.solution, faces.size_mm
    new, searched = np.zeros((0, 3)), list[Points]()
    compared = visible_faces(faces)
    possible = list(card_outlines(others, size))
    table = rectify_table(view, camera_of(at), list(card_outlines(known, size)), size, possible)
    for _ in range(_MOST_ROUNDS):
        there = np.concatenate([known, new])
        told = _compare(compared, table.rectified, table.rectified.image, there)
        scene = _scene_of_cards(table, there, told, faces)
        evidence = table_evidence(scene, size)
        parts = list(_parts(view, at, scene, evidence, compared, searched))
        each = [part.explain(there, others) for part in parts]
        more = np.concatenate([np.zeros((0, 3)), *each])
        more = more[non_max_suppression(more, size, 1 - least_visible(faces))]
        new = np.concatenate([new, more])
        searched += [part.near.box_mm for part in parts]
        outlines = list(card_outlines(np.concatenate([there, more]), size))
        if table.shows_surroundings(view, outlines):
            break
        table = rectify_table(view, table.camera, outlines, size, possible)
    read = select_hypotheses(found, is_known)
    scores = np.append(read.scores, np.full(len(new), -1.0))
    return replace(read, poses=np.concatenate([known, new]), scores=scores), table


def _compare(
    faces: VisibleFaces,
    rectified: Rectified,
    image: ImageBGR,
    poses: FloatArray,
    hidden: BoolArray | None = None,
) -> VisibleScores:
    """Compare what is visible of cards at poses (N, 3) with all faces.

    ``image`` (H, W, 3) and ``hidden`` (H, W), what known cards cover, are as ``rectified``.
    """
    cells_px = rectified.on_cards(faces.grid.unit * faces.bank.size_mm, poses)
    visible = np.ones(cells_px.shape[:2], np.bool_)
    if hidden is not None:
        visible = mask_at(~hidden, cells_px)
    return faces.compare(sample(image, cells_px), visible)


def _scene_of_cards(
    table: TableImage, poses: FloatArray, told: VisibleScores, faces: Faces
) -> Scene:
    """Return the scene with cards at poses (N, 3), each of the face that it looks like most."""
    upright = card_outlines(told.upright(poses), faces.size_mm)
    return scene_of(table, list(upright), list(face_prints(faces)[told.faces]))


def _parts(
    view: View,
    at: Solution,
    scene: Scene,
    evidence: Evidence,
    faces: VisibleFaces,
    searched: Sequence[Points],
) -> Iterator["_Part"]:
    """Yield the parts of the table round what nothing explains, but those that were searched."""
    scale, size = scene.rectified.px_per_mm, faces.bank.size_mm
    there = ((evidence.log_ratio > 0) & scene.free).astype(np.uint8)
    there = np.asarray(cv2.morphologyEx(there, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)))
    there[scene.rectified.filled(searched) > 0] = 0
    boxes = np.zeros_like(there)
    reach, bare = round(_REACH_MM * scale), evidence.bare
    for x, y, w, h in _boxes_of(there):
        area = np.count_nonzero(there[y : y + h, x : x + w])
        if area > _LEAST_THING * size[0] * size[1] * scale**2:
            boxes[max(0, y - reach) : y + h + reach, max(0, x - reach) : x + w + reach] = 1
    for x, y, w, h in _boxes_of(boxes):
        (left, top), (right, bottom) = scene.rectified.to_mm(np.array([[x, y], [x + w, y + h]]))
        near = rectify(view, at, (left, top, right, bottom), _PX_PER_MM)
        within = np.zeros(there.shape, np.bool_)
        within[y : y + h, x : x + w] = there[y : y + h, x : x + w] > 0
        yield _Part(near, scene, bare, within, faces)


def _boxes_of(mask: NDArray[np.uint8]) -> list[Sequence[int]]:
    """Return the boxes, left, top, width and height, of the connected parts of a mask (H, W)."""
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return [cv2.boundingRect(of) for of in outlines]


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of the table that is looked at closely.

    ``near`` is rectified more finely than the ``scene``; ``bare`` and ``things`` (H, W) mark bare
    table and what is not explained, in the scene.
    """

    near: Rectified
    scene: Scene
    bare: BoolArray
    things: BoolArray
    faces: VisibleFaces

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of a card."""
        return self.faces.bank.size_mm

    @cached_property
    def _soft(self) -> ImageBGR:
        return np.asarray(cv2.blur(self.near.image, (3, 3)), np.uint8)

    @cached_property
    def _blurred(self) -> BlurredTable:
        return BlurredTable(self.near)

    def explain(self, known: FloatArray, others: FloatArray) -> FloatArray:
        """Return the poses (K, 3) of cards, from the topmost down.

        ``known`` (N, 3) are those of the known cards, ``others`` (M, 3) of other hypotheses.
        """
        size, most_hidden = self.size_mm, 1 - least_visible(self.faces.bank)
        hidden = self._footprints(known) & ~self._in_near(self.scene.unlike)
        printed, more, agreement = self._propose(others)
        poses = np.concatenate([printed, more])
        left = cover_shares(poses, known, size) < most_hidden
        left &= self._thing_shares(poses, hidden) > _LEAST_THING  # the rest explains nothing
        is_print = (np.arange(len(poses)) < len(printed))[left]
        poses, agreement = poses[left], agreement[left]
        gains, is_stale = np.full(len(poses), np.nan), np.zeros(len(poses), np.bool_)
        found = list[FloatArray]()
        odds = self.weigh(poses, hidden, agreement)
        odds[is_print] = odds[is_print].clip(0)  # white paper on a white table shows no edge
        while len(poses):
            there = np.concatenate([known, np.array(found).reshape(-1, 3)])
            self._register_likely(poses, odds, gains, hidden, there)
            is_read = bool((gains > 0).any())
            if is_read:  # first: it hides a part of what is not
                first = int(np.nanargmax(gains))
                if is_stale[first]:
                    poses[[first]], gained = self._registered(poses[[first]], hidden)
                    if gained[0] <= 0:
                        odds[[first]] = self.weigh(poses[[first]], hidden, agreement[[first]])
                        gains[first] = 0.0
                        continue
            else:
                first = int(odds.argmax())
                if odds[first] <= _UNREAD_ODDS:
                    break
                if self._visible_and_bare(poses[[first]], hidden)[0][0] <= _MOSTLY:
                    odds[first] = -np.inf
                    continue
            best = poses[first].copy()
            if not is_read and len(others):  # the sides of a detected outline tell the place best
                same = cover_shares(others, best[None], size)
                best = others[same.argmax()] if same.max() > _SAME else best
            found.append(best)
            hidden = hidden | self._covered(best, hidden, is_read=is_read)
            covered = cover_shares(poses, best[None], size)
            covered[first] = 1.0
            left, again = covered < most_hidden, covered > 0
            left[again] &= self._thing_shares(poses[again], hidden) > _LEAST_THING
            poses, odds, gains, again = poses[left], odds[left], gains[left], again[left]
            agreement, is_stale = agreement[left], is_stale[left] | again
            read = again & (gains > 0)
            odds[again] = self.weigh(poses[again], hidden, agreement[again])
            gains[again] = np.nan
            gains[read] = self._gains(poses[read], hidden)
        return np.array(found, np.float64).reshape(-1, 3)

    def _propose(self, others: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return poses (P, 3) from print, and (M, 3) from all else, ``others`` (K, 3) among them.

        Also returns log odds (P + M,) of a card: corners that agree speak for it.
        """
        least_px = LEAST_ARM_MM * self.near.px_per_mm
        lines = find_lines(to_gray(self.near.image), least_px, fine=True)
        rectangles, longest = rectangles_on(self.faces.bank), float(np.hypot(*self.size_mm))
        printed = propose_from_print(self.things, self.scene.rectified, longest)
        cornered, agreed = propose_from_corners(self.near, lines, rectangles)
        guessed, assumed = np.zeros((0, 3)), assumed_picture(self.faces.bank)
        if assumed is not None:  # that two corners agree with it says nothing
            guessed, _ = propose_from_corners(self.near, lines, [assumed])
        sided = propose_from_sides(self.near, lines, rectangles)
        more = np.concatenate([cornered, sided, guessed, others])
        agreement = np.zeros(len(printed) + len(more))
        agreement[len(printed) :][: len(cornered)] = _OF_CORNERS * agreed
        return printed, more, agreement

    def _footprints(self, poses: FloatArray) -> BoolArray:
        """Return the mask (H, W), as fine as ``near``, of cards at poses (N, 3)."""
        wide, high = (side + 2 * _OWN_MM for side in self.size_mm)
        return np.asarray(self.near.filled(card_outlines(poses, (wide, high))) > 0, np.bool_)

    def _are_near(self, poses: FloatArray, pose: FloatArray) -> BoolArray:
        """Return which poses (N, 3) would be moved to the same place as another (3,), about."""
        ends_mm = np.array([1.0, 1.0, max(self.size_mm) / 2])
        away = np.abs(poses - pose)
        away[:, 2] = np.abs(np.sin(poses[:, 2] - pose[2]))
        return np.asarray((away * ends_mm < _SAME_MM).all(axis=1), np.bool_)

    def _covered(self, pose: FloatArray, hidden: BoolArray, *, is_read: bool) -> BoolArray:
        """Return the mask (H, W), as fine as ``near``, of what a card (3,) hides.

        What is unlike its face lies on it.
        """
        covered = self._footprints(pose[None])
        if is_read:
            told = self._compare(pose[None], hidden)
            own = _scene_of_cards(self.scene.table, pose[None], told, self.faces.bank)
            covered &= ~self._in_near(own.unlike)
        return covered

    def _in_near(self, mask: BoolArray) -> BoolArray:
        """Return a mask of the scene as fine as ``near``."""
        near, far = self.near, self.scene.rectified
        matrix = np.zeros((2, 3))
        matrix[0, 0] = matrix[1, 1] = far.px_per_mm / near.px_per_mm
        matrix[:, 2] = far.to_px(near.origin_mm)
        size_wh, how = near.image.shape[1::-1], cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpAffine(mask.astype(np.uint8), matrix, size_wh, flags=how) > 0)

    def _compare(self, poses: FloatArray, hidden: BoolArray) -> VisibleScores:
        """Compare what is visible of cards at poses (N, 3) with all faces."""
        return _compare(self.faces, self.near, self._soft, poses, hidden)

    def _register_likely(
        self,
        poses: FloatArray,
        odds: FloatArray,
        gains: FloatArray,
        hidden: BoolArray,
        there: FloatArray,
    ) -> None:
        """Move poses (N, 3) that were not yet, nan in ``gains`` (N,), to where their face says.

        ``odds`` (N,) are those where they were. What is moved onto a card that is ``there`` (M, 3)
        is that card.
        """
        order = np.argsort(-odds, kind="stable")
        tried = list[int]()
        for k in order[(odds[order] > _WORTH_MOVING) & np.isnan(gains[order])].tolist():
            if np.isnan(gains[k]):
                gains[self._are_near(poses, poses[k]) & np.isnan(gains)] = 0.0
                tried.append(k)
        moved, gained = self._registered(poses[tried], hidden)
        is_known = self._is_known(moved, hidden, there)
        odds[np.array(tried, np.int64)[(gained > 0) & is_known]] = -np.inf
        for k, pose, gain in zip(tried, moved, np.where(is_known, 0.0, gained), strict=True):
            if gain > 0 and not (gains[self._are_near(poses, pose)] > 0).any():
                poses[k], gains[k] = pose, gain

    def _is_known(self, poses: FloatArray, hidden: BoolArray, there: FloatArray) -> BoolArray:
        """Return which cards (N, 3) are on the places of those that are ``there`` (M, 3).

        Of them too little is visible, on known cards and beside them. Of decks without frames
        strips are not sought.
        """
        beneath = cover_shares(poses, there, self.size_mm) >= 1 - least_visible(self.faces.bank)
        if not self.faces.bank.frames:
            return beneath
        solid = hidden | self._footprints(there)
        on, beside = (self._visible_and_bare(poses, of)[0] for of in (hidden, solid))
        return np.asarray(beneath | ((on <= _LEAST_ON) & (beside <= _LEAST_VISIBLE)), np.bool_)

    def _registered(self, poses: FloatArray, hidden: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the poses (N, 3) at which the face that each is most like explains the photo best.

        Also returns what the cards gain there (N,): nothing where they are not read well, which
        stay where they were.
        """
        if not len(poses):
            return poses, np.zeros(0)
        told, templates = self._compare(poses, hidden), card_templates(self.faces.bank)
        moved = templates.register(self._blurred, hidden, told.upright(poses), told.faces)
        placed = told.upright(moved, -1)
        gains = self._gains(placed, hidden)
        read = ~np.isnan(gains)
        return np.where(read[:, None], placed, poses), np.where(read, gains, 0.0)

    def _gains(self, poses: FloatArray, hidden: BoolArray) -> FloatArray:
        """Return what cards at poses (N, 3) gain by their faces (N,); nan if not read well."""
        told, templates = self._compare(poses, hidden), card_templates(self.faces.bank)
        gains = templates.gains(self._blurred, hidden, told.upright(poses), told.faces)
        is_read = (gains > _LEAST_GAIN) & (told.scores > WELL_READ_SCORE)
        return np.where(is_read, gains, np.nan)

    def weigh(self, poses: FloatArray, hidden: BoolArray, agreement: FloatArray) -> FloatArray:
        """Return the log odds (N,) of a card at poses (N, 3), times its visible share.

        ``hidden`` (H, W) is what known cards cover, ``agreement`` (N,) the log odds of corners that
        agree. -inf where nothing speaks for a card.
        """
        odds = np.full(len(poses), -np.inf)
        visible, bare = self._visible_and_bare(poses, hidden)
        asked = np.flatnonzero(visible > _LEAST_VISIBLE)
        edged, outline = self._edge_shares(poses[asked], hidden)
        # A face that is read whole is not bare table, even in the table's colours; a strip may be.
        # What repeats on the table is known to the pixel, and may look like a face.
        least = 1 - visible[asked] if self.scene.table.pattern is None else np.ones(len(asked))
        best = agreement[asked] + _OF_EDGES * edged + _OF_BARE * least * bare[asked]
        most = np.argsort(-best, kind="stable")[:_MOST_COMPARED]
        asked, edged, outline, least = asked[most], edged[most], outline[most], least[most]
        if not len(asked):
            return odds
        told = self._compare(poses[asked], hidden)
        counts = np.where(told.scores > WELL_READ_SCORE, least, 1.0)
        each = _ODDS + agreement[asked] + _OF_EDGES * edged + _OF_SCORE * told.scores
        each += _OF_LEAD * told.leads + _OF_BARE * counts * bare[asked]
        odds[asked] = np.where(each > 0, each * outline, each)
        return odds

    def _visible_and_bare(
        self, poses: FloatArray, hidden: BoolArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the visible share (N,) of cards, and that of it which looks like bare table."""
        inner = (np.abs(_GRID * self.size_mm) < np.divide(self.size_mm, 2) - _INNER_MM).all(axis=1)
        places_mm, far = _GRID * self.size_mm, self.scene.rectified
        far_px = far.on_cards(places_mm, poses)
        visible = mask_at(far.inside, far_px)
        visible &= mask_at(~hidden, self.near.on_cards(places_mm, poses))
        bare = mask_at(self.bare, far_px) & visible
        share = bare[:, inner].sum(axis=1) / np.maximum(visible[:, inner].sum(axis=1), 1)
        return visible.mean(axis=1), share

    def _thing_shares(self, poses: FloatArray, hidden: BoolArray) -> FloatArray:
        """Return the visible share (N,) of cards at poses (N, 3) that nothing known explains."""
        places_mm = _GRID * self.size_mm
        is_thing = mask_at(self.things, self.scene.rectified.on_cards(places_mm, poses))
        is_thing &= mask_at(~hidden, self.near.on_cards(places_mm, poses))
        return np.asarray(is_thing.mean(axis=1), np.float64)

    def _edge_shares(self, poses: FloatArray, hidden: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the share (N,) of the visible outline that has an edge, and its visible share."""
        corners_px = self.near.on_cards(card_corners(*self.size_mm), poses)
        beneath = ~mask_at(~hidden, side_places(corners_px))
        shares = side_shares(self.near.image, corners_px, hidden=beneath)
        visible = 1 - beneath.mean(axis=2)
        edged = (shares * visible).sum(axis=1) / np.maximum(visible.sum(axis=1), 1e-9)
        return edged, visible.mean(axis=1)
