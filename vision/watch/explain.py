"""A change that has come to rest, and a glance at it -> what happened to cards."""

from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import wrap_angle
from vision.imaging.view import View
from vision.seeing.estimation.overlaps import card_outlines, max_overlap
from vision.seeing.values import FaceMatch
from vision.values.arrays import FloatArray
from vision.values.layout import spare_unread_id
from vision.watch.cards import (
    Kit,
    Known,
    Laid,
    Mark,
    Moved,
    Removed,
    Sighting,
    apart,
)
from vision.watch.glance import Glance, match_at
from vision.watch.ground import Ground, measure_poses
from vision.watch.motion import Change, is_uncovered
from vision.watch.state import Following, card_area, card_masks, touched

__all__ = ["Told", "explain", "is_clear", "shifted", "shows", "turned_alike"]

_MOVED_MM = 1.8  # told as moved: what is measured is good to 0.2 of the 2 mm that count
_MOVED_DEG = 0.9  # of the 1 degree that counts
_SAME_MM = 20.0  # nearer than that: the same card, slid
_FACE_SCORE = 0.3  # of a card's own face at its place: it is still there
_FACE_SLACK = 0.12  # its own face may be that much behind the best: glare, counters
_SURE_SCORE = 0.45  # a new card is named at once; else it is looked at again
_SURE_LEAD = 0.06  # and over every other face: with less it is not named at all
_COVERED_SHARE = 0.5  # of a card that must have changed before it can be gone


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What a look at a change gave: the cards after it, and what happened.

    ``rest_share`` is how much of the change no card explains, in cards; ``is_unsure`` that a card
    in it cannot be read well. ``lost`` are the cards and ``ended`` the marks that are gone.
    """

    ground: Ground | None
    cards: tuple[Known, ...]
    sightings: list[Sighting]
    rest_share: float
    is_unsure: bool
    lost: tuple[Known, ...] = ()
    marks: tuple[Mark, ...] = ()
    ended: tuple[Mark, ...] = ()

    def without_losses(self) -> "Told":
        """Keep the cards that are not seen: something lies on them."""
        sightings: list[Sighting] = [
            seen for seen in self.sightings if not isinstance(seen, Removed)
        ]
        cards, marks = (*self.cards, *self.lost), (*self.marks, *self.ended)
        return replace(self, cards=cards, marks=marks, sightings=sightings, lost=(), ended=())


def explain(
    state: Following, change: Change, seen: Glance | None, view: View, time_s: float, kit: Kit
) -> Told:
    """Say what happened to cards where something changed, and how much of it that explains.

    Parameters
    ----------
    state : Following
        What was known before.
    change : Change
        At rest.
    seen : Glance or None
        The cards that show there; None if no plane is known.
    view : View
        The full picture.
    time_s : float
        When it was taken.
    """
    ground = state.ground if seen is None else seen.ground
    account = _Account(replace(state, ground=ground), change, kit)
    fresh = account.recognise(seen)
    account.ask_at_their_places(view)
    account.miss()
    fresh = account.ask_marks(fresh, seen)
    if seen is not None:
        account.name(fresh, seen, time_s)
    return account.told()


class _Account:
    """What is found out about a change, step by step."""

    def __init__(self, here: Following, change: Change, kit: Kit) -> None:
        self.here, self.change, self.kit = here, change, kit
        self.open = set(touched(here, [change], kit))  # known cards of which nothing is told yet
        self.cards = dict(enumerate(here.cards))
        self.lost: list[Known] = []
        self.marks, self.ended = list(here.marks), list[Mark]()
        self.sightings: list[Sighting] = []
        self.explained: list[FloatArray] = []  # poses of the cards that account for the change
        self.is_unsure = False

    def recognise(self, seen: Glance | None) -> list[int]:
        """Take in the known cards that a glance found; return the others that it found."""
        fresh: list[int] = []
        for i, match in enumerate(seen.matches if seen is not None else ()):
            assert seen is not None
            pose = seen.measured.poses[i]
            at = self._card_at(pose, match)
            if at is None:
                fresh.append(i)
            elif at in self.open:  # beside the change there is nothing new
                self.open.discard(at)
                self.explained += [self.here.cards[at].pose, pose]
                self.cards[at] = self._shift(self.here.cards[at], pose)
        return fresh

    def ask_at_their_places(self, view: View) -> None:
        """Look for known cards of which the glance said nothing where they lay."""
        missing = sorted(self.open)
        ground = self.here.ground
        if not missing or ground is None:
            return
        poses = np.array([self.here.cards[k].pose for k in missing])
        measured = measure_poses(view.gray(), ground, poses, self.kit.detector).poses
        matches = match_at(view, ground, measured, self.kit.detector)
        for k, pose, match in zip(missing, measured, matches, strict=True):
            card = self.here.cards[k]
            if shows(card, match):
                self.open.discard(k)
                self.explained += [card.pose, pose]
                if apart(card.pose, pose)[0] < _SAME_MM and match.visible > 0.8:
                    self.cards[k] = self._shift(card, pose)

    def miss(self) -> None:
        """Take for lost the known cards that do not show, where most of their place changed."""
        for k in sorted(self.open):
            if self._has_changed(self.here.cards[k].pose):
                self.lost.append(self.here.cards[k])
                self.explained.append(self.here.cards[k].pose)
                del self.cards[k]

    def ask_marks(self, fresh: list[int], seen: Glance | None) -> list[int]:
        """Take what shows at marked places for what a finger said; return what else is new.

        A mark ends where most of its place changed and it is not what shows there now.
        """
        new = list(fresh)
        for mark in self.here.marks:
            at = next((i for i in new if seen is not None and self._is_marked(mark, seen, i)), None)
            if at is not None and seen is not None:
                new.remove(at)
                self.explained += [mark.card.pose, seen.measured.poses[at]]
                if mark.is_card:
                    self._find(mark, seen.measured.poses[at], seen.matches[at])
            elif self._has_changed(mark.card.pose):
                self.marks.remove(mark)
                self.ended.append(mark)
                self.explained.append(mark.card.pose)
        return new

    def _is_marked(self, mark: Mark, seen: Glance, i: int) -> bool:
        """Tell whether what was found is what a finger spoke of."""
        card, match = mark.card, seen.matches[i]
        if apart(card.pose, seen.measured.poses[i])[0] >= _SAME_MM:
            return False
        named = card if card.read_as is not None else replace(card, read_as=card.face)
        return shows(named, match) or not self._has_changed(card.pose)

    def _find(self, mark: Mark, pose: FloatArray, match: FaceMatch) -> None:
        """Follow a card, from now on, that a finger placed and that is seen now."""
        self.marks.remove(mark)
        pose = turned_alike(pose, mark.card.pose)
        was = match.best if is_clear(match) else -1
        card = replace(mark.card, pose=pose, laid_pose=pose, match=match, read_as=was)
        self.cards[-1 - len(self.cards)] = card

    def name(self, fresh: list[int], seen: Glance, time_s: float) -> None:
        """Take in cards at new places: carried there, or laid."""
        poses = seen.measured.poses[fresh].reshape(-1, 3)
        names = {card.name for card in self.cards.values()}
        names |= {mark.card.name for mark in self.marks if mark.is_card}
        for i, pose in zip(fresh, poses, strict=True):
            match = seen.matches[i]
            self.explained.append(pose)
            was = self._carried(match)
            if was is not None:
                self.lost.remove(was)
                distance, turn = apart(was.laid_pose, pose)
                card = replace(was, pose=pose, laid_pose=pose, match=match)
                self.sightings.append(Moved(card, distance, turn))
            else:
                name, face, twin = self._read(match, names)
                name = _free_name(name, names | {lost.name for lost in self.lost})
                card = Known(name, face, pose, pose, match, time_s)
                self.sightings.append(Laid(card, twin))
            names.add(card.name)
            self.cards[len(self.here.cards) + i] = card
        self._keep_covered(poses)

    def told(self) -> Told:
        """Sum up."""
        gone = [*self.lost, *(mark.card for mark in self.ended if mark.is_card)]
        self.sightings += [Removed(card) for card in gone]
        here, kit = self.here, self.kit
        rest = self.change.news.copy()
        for mask in card_masks(here, np.array(self.explained).reshape(-1, 3), kit, grow_px=2):
            rest &= ~mask
        share = 0.0
        if not is_uncovered(here.motion, rest):
            share = float(rest.sum()) / card_area(here, kit)
        kept = tuple(self.cards.values())
        ground = here.ground if kept or here.cards else None
        marks, ended = (tuple(self.marks), tuple(self.ended)) if ground else ((), ())
        lost = tuple(self.lost)
        return Told(ground, kept, self.sightings, share, self.is_unsure, lost, marks, ended)

    def _card_at(self, pose: FloatArray, match: FaceMatch) -> int | None:
        """Return which of the known cards a found one is: it shows its face, near its place.

        One that a finger named shows any face, unless most of its place has changed.
        """
        cards = self.here.cards
        near = [k for k in range(len(cards)) if apart(cards[k].pose, pose)[0] < _SAME_MM]
        for k in sorted(near, key=lambda k: apart(cards[k].pose, pose)[0]):
            is_named = cards[k].read_as is not None
            if shows(cards[k], match) or (is_named and not self._has_changed(cards[k].pose)):
                return k
        return None

    def _has_changed(self, pose: FloatArray) -> bool:
        """Tell whether most of a card's place changed."""
        masks = card_masks(self.here, pose[None], self.kit)
        return any((self.change.news & m).sum() >= _COVERED_SHARE * max(1, m.sum()) for m in masks)

    def _shift(self, card: Known, pose: FloatArray) -> Known:
        return shifted(card, pose, self.sightings)

    def _carried(self, match: FaceMatch) -> Known | None:
        """Return the lost card whose face shows elsewhere."""
        if match.score <= _FACE_SCORE:
            return None
        faces = [(card, {card.face, card.read_as}) for card in self.lost]
        return next((card for card, known in faces if match.best in known), None)

    def _read(self, match: FaceMatch, names: set[str]) -> tuple[str, int, str | None]:
        """Return name and face of a card, and the card of which it seems a second copy."""
        face = match.best
        copies = self.kit.bank.names[face]
        name = next((copy for copy in copies if copy not in names), copies[-1])
        is_sure = is_clear(match)
        if not is_sure and (match.score < _FACE_SCORE or match.lead < _SURE_LEAD):
            self.is_unsure = True
            return "unknown", -1, None
        if name in names and name not in self.kit.face_down:
            self.is_unsure = True
            return "unknown", -1, name
        self.is_unsure |= not is_sure
        return name, face, None

    def _keep_covered(self, fresh: FloatArray) -> None:
        """Keep lost cards that lie under one that was laid on them."""
        covering = card_outlines(fresh, self.kit.size_mm)
        for card in list(self.lost):
            outline = card_outlines(card.pose[None], self.kit.size_mm)[0]
            if max_overlap(outline, covering) > 0.5:
                self.lost.remove(card)
                self.cards[-1 - len(self.cards)] = card


def shows(card: Known, match: FaceMatch) -> bool:
    """Tell whether a comparison is that of a known card."""
    faces = {card.face} if card.read_as is None else {card.face, card.read_as}
    if -1 in faces:  # a finger's word holds for what cannot be read, not for another clear face
        return card.read_as is None or match.best in faces or not is_clear(match)
    own = max(float(match.scores[face].max()) for face in faces)
    return own > _FACE_SCORE and own > match.score - _FACE_SLACK


def is_clear(match: FaceMatch) -> bool:
    """Tell whether a comparison names a card at once."""
    return match.score > _SURE_SCORE and match.lead > _SURE_LEAD


def shifted(card: Known, pose: FloatArray, sightings: list[Sighting]) -> Known:
    """Return a card at its new pose; it is told if it is far from where it was laid."""
    pose = turned_alike(pose, card.pose)
    distance, turn = apart(card.laid_pose, pose)
    if distance < _MOVED_MM and turn < _MOVED_DEG:
        return replace(card, pose=pose)
    moved = replace(card, pose=pose, laid_pose=pose)
    sightings.append(Moved(moved, distance, turn))
    return moved


def turned_alike(pose: FloatArray, like: FloatArray) -> FloatArray:
    """Return a pose without a half turn against another, if it is nearer so: sides are alike."""
    half = abs(wrap_angle(float(pose[2] - like[2]))) > np.pi / 2
    return pose + np.array([0, 0, np.pi]) if half else pose


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that no other card has: unreadable and face-down ones are numbered."""
    if name == "unknown":
        return spare_unread_id(taken)
    if name not in taken:
        return name
    return next(f"{name}-{k}" for k in range(2, 1000) if f"{name}-{k}" not in taken)
