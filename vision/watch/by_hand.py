"""What a finger says of a table that is followed -> the cards as they are, and as they stay.

A card that it names keeps its place among those that are followed; its name follows the piece
until that is gone. Where the pictures show something else than what is said, a place is marked: a
card lies there that is not seen, or what looks like one is none. A mark ends when most of its
place has changed (``explain``). Pure functions over what the watch knows.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from vision.errors import ScanError, TableFormatError
from vision.geometry import heading_vector, table_from_photo
from vision.imaging.view import View
from vision.seeing.estimation.plane import poses_on_plane
from vision.seeing.values import FaceMatch
from vision.values.arrays import FloatArray, frozen_array
from vision.watch.cards import Kit, Known, Laid, Mark, Sighting, apart, face_of
from vision.watch.explain import is_clear, turned_alike
from vision.watch.glance import SIDE_SHARE, SIDES_WANTED, match_at, propose
from vision.watch.ground import Ground, corners_in_picture, measure_poses
from vision.watch.state import Following

__all__ = [
    "Correction",
    "KeptCorrection",
    "as_recalled",
    "corrected",
    "kept_of",
    "kept_to_json",
    "recalled",
]

_SNAP_MM, _SNAP_DEG = 12.0, 20.0  # by which a finger may be off where the card's sides show
_STEP_PX = 20.0  # along a heading in the picture, to have it on the table


@dataclass(frozen=True, slots=True)
class Correction:
    """What a finger says: which card that is, that none lies there, or that one does.

    ``card`` is what it is called so far, ``identity`` what it is. An added one lies at ``at_px`` of
    the followed picture, its top toward ``heading_rad`` there, 0 upward and clockwise.
    """

    kind: Literal["identify", "remove", "add"]
    card: str = ""
    identity: str = ""
    at_px: tuple[float, float] = (0.0, 0.0)
    heading_rad: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class KeptCorrection:
    """A correction that stands, for a watch that begins anew under the same camera.

    ``corners`` (4, 2) is where the card shows, in shares of the picture's width and height.
    """

    kind: Literal["named", "placed", "none"]
    card: str
    corners: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners", frozen_array(self.corners, (4, 2), "corners"))


def corrected(state: Following, said: Correction, view: View, time_s: float, kit: Kit) -> Following:
    """Return what is known after a correction.

    Parameters
    ----------
    state : Following
        What the watch knows.
    said : Correction
        What a finger says.
    view : View
        The newest picture, in the size that is followed.
    time_s : float
        When it was taken.
    kit : Kit
        What the cards look like.

    Raises
    ------
    TableFormatError
        If there is no such card on the table or in the deck, or no place for it.
    """
    if said.kind != "remove" and face_of(said.identity, kit) < 0:
        msg = f'the deck has no card "{said.identity}"'
        raise TableFormatError(msg)
    if said.kind == "add":
        return _with_added(state, said, view, time_s, kit)
    named = {card.name: card for card in state.lying}
    if said.card not in named:
        msg = f'there is no "{said.card}" on the table; it may have been taken away'
        raise TableFormatError(msg)
    card = named[said.card]
    if said.kind == "remove":
        return _without(state, card)
    if said.identity == said.card:
        return state
    return _renamed(state, card, said.identity, kit)


def _named(card: Known, name: str, kit: Kit) -> Known:
    """Return a card under the name that a finger gives it."""
    face, was = face_of(name, kit), card.face if card.read_as is None else card.read_as
    return replace(card, name=name, face=face, read_as=None if face == was else was)


def _put(state: Following, card: Known, now: Known) -> Following:
    """Return a state with another card in the place of one."""
    cards = tuple(now if one is card else one for one in state.cards)
    marks = tuple(replace(one, card=now) if one.card is card else one for one in state.marks)
    return replace(state, cards=cards, marks=marks)


def _without(state: Following, card: Known) -> Following:
    """Return a state without a card; what looked like it is marked as none."""
    marks = tuple(mark for mark in state.marks if mark.card is not card)
    if any(one is card for one in state.cards):
        marks = (*marks, Mark(card, is_card=False))
    return replace(state, cards=tuple(c for c in state.cards if c is not card), marks=marks)


def _with_added(
    state: Following, said: Correction, view: View, time_s: float, kit: Kit
) -> Following:
    """Return a state with a card that a finger put there.

    It is followed from where its sides show; where none do its place is marked.
    """
    if any(card.name == said.identity for card in state.lying):
        msg = f'"{said.identity}" is on the table already; tap that card and say what it is'
        raise TableFormatError(msg)
    if state.ground is None:
        msg = "no card has been seen yet, so it is not known how the table lies; lay one in view"
        raise TableFormatError(msg)
    pose = _pose_at(state.ground, said)
    there = next((card for card in state.lying if _is_at(card.pose, pose, kit)), None)
    if there is not None:
        msg = f'"{there.name}" lies there; tap it and say what it is'
        raise TableFormatError(msg)
    none = next((m for m in state.marks if not m.is_card and _is_at(m.card.pose, pose, kit)), None)
    if none is not None:  # a card after all
        marks = tuple(mark for mark in state.marks if mark is not none)
        card = _named(none.card, said.identity, kit)
        return replace(state, cards=(*state.cards, card), marks=marks, is_stale=True)
    found = _shown_near(state.ground, pose, view, kit)
    pose = pose if found is None else found
    (match,) = match_at(view, state.ground, pose[None], kit.detector)
    was = match.best if found is not None and is_clear(match) else -1
    face = face_of(said.identity, kit)
    card = Known(said.identity, face, pose, pose, match, time_s, read_as=was)
    if found is None:
        return replace(state, marks=(*state.marks, Mark(card, is_card=True)))
    return replace(state, cards=(*state.cards, card), is_stale=True)


def _shown_near(ground: Ground, pose: FloatArray, view: View, kit: Kit) -> FloatArray | None:
    """Return where a card's sides show near where a finger put it; None if they do not."""
    corners = corners_in_picture(ground, pose[None], kit.size_mm)[0]
    low, high = corners.min(axis=0), corners.max(axis=0)
    box = (int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))
    poses = np.zeros((0, 3))
    with suppress(ScanError):  # nothing there has sides
        poses = propose(view, box, ground, kit.detector)
    turned = [turned_alike(one, pose) for one in (pose, *poses)]
    near = [one for one in turned if apart(one, pose)[0] < _SNAP_MM]
    measured = measure_poses(view.gray(), ground, np.array(near), kit.detector)
    sides = (measured.sides > SIDE_SHARE).sum(axis=2).max(axis=1)
    off = [apart(one, pose) for one in measured.poses]
    good = [
        (-int(sides[i]), off[i][0], i)
        for i in range(len(near))
        if sides[i] >= SIDES_WANTED and off[i][0] < _SNAP_MM and off[i][1] < _SNAP_DEG
    ]
    return measured.poses[min(good)[2]] if good else None


def _pose_at(ground: Ground, said: Correction) -> FloatArray:
    """Return where a card lies that a finger puts down in the picture."""
    at = np.array(said.at_px)
    ahead = at + _STEP_PX * heading_vector(said.heading_rad)
    here, there = table_from_photo(ground.camera, np.array([at, ahead]))
    x, y = there - here
    return np.array([here[0], here[1], np.arctan2(x, -y)])


def _is_at(pose: FloatArray, place: FloatArray, kit: Kit) -> bool:
    """Tell whether two cards would lie more on each other than beside each other."""
    return apart(pose, place)[0] < min(kit.size_mm) / 2


# --- what stands, for a watch that begins anew ---------------------------------------------------


def kept_of(state: Following, kit: Kit) -> tuple[KeptCorrection, ...]:
    """Return the corrections that stand."""
    if state.ground is None:
        return ()
    named = [("named", card) for card in state.cards if card.read_as is not None]
    marked = [("placed" if mark.is_card else "none", mark.card) for mark in state.marks]
    standing = [*named, *marked]
    poses = np.array([card.pose for _, card in standing]).reshape(-1, 3)
    shown = corners_in_picture(state.ground, poses, kit.size_mm) / np.array(state.size_wh)
    return tuple(
        KeptCorrection(kind, card.name, corners)  # type: ignore[arg-type]
        for (kind, card), corners in zip(standing, shown, strict=True)
    )


def kept_to_json(kept: KeptCorrection) -> dict[str, Any]:
    """Return a correction as plain JSON: the arguments that make it again."""
    corners = [[round(float(v), 6) for v in corner] for corner in kept.corners]
    return {"kind": kept.kind, "card": kept.card, "corners": corners}


def recalled(
    state: Following, kept: Iterable[KeptCorrection], time_s: float, kit: Kit
) -> tuple[Following, tuple[KeptCorrection, ...]]:
    """Bring corrections to a table that is read anew; return those whose card is not seen yet."""
    left = []
    for one in kept:
        if state.ground is None:
            left.append(one)
            continue
        corners = one.corners * np.array(state.size_wh)
        pose = poses_on_plane(state.ground.solution, corners[None], kit.size_mm)[0][0]
        found = next((card for card in state.cards if _is_at(card.pose, pose, kit)), None)
        if one.kind == "named" and found is None:
            left.append(one)
        elif one.kind == "none":
            state = _without(state, found) if found else _marked(state, one, pose, time_s, kit)
        elif found is None:
            state = _marked(state, one, pose, time_s, kit)
        else:
            state = _renamed(state, found, one.card, kit)
    return state, tuple(left)


def _renamed(state: Following, card: Known, name: str, kit: Kit) -> Following:
    """Return a state with a card under a name; who has that name gets the card's."""
    other = next((one for one in state.lying if one.name == name and one is not card), None)
    state = _put(state, card, _named(card, name, kit))
    return state if other is None else _put(state, other, _named(other, card.name, kit))


def _marked(
    state: Following, kept: KeptCorrection, pose: FloatArray, time_s: float, kit: Kit
) -> Following:
    """Return a state with a mark where no card is seen."""
    nothing = FaceMatch(np.full((len(kit.bank.names), 2), -1.0))
    face = face_of(kept.card, kit)
    card = Known(kept.card, face, pose, pose, nothing, time_s, was_there=True, read_as=-1)
    return replace(state, marks=(*state.marks, Mark(card, is_card=kept.kind == "placed")))


def as_recalled(sightings: Sequence[Sighting], state: Following) -> tuple[Sighting, ...]:
    """Return what was seen of cards under the names that were recalled; of none of those gone."""
    now = {id(card.pose): card for card in state.cards}
    told: list[Sighting] = []
    for seen in sightings:
        if not isinstance(seen, Laid):
            told.append(seen)
        elif id(seen.card.pose) in now:
            card = now[id(seen.card.pose)]
            told.append(replace(seen, card=card, twin=seen.twin if card is seen.card else None))
    return tuple(told)
