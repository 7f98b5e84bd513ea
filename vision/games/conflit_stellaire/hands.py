"""Cards laid by hand: named, moved, turned, added, taken away."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vision.errors import TableFormatError
from vision.files.documents import hint_at
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.places import poses_of
from vision.games.conflit_stellaire.values import Card, Pose, Table
from vision.judging.hands import Standing, read_pose

__all__ = ["find_card", "known_face", "laid", "spare", "standing"]

_QUARTER_RAD = math.pi / 2


def standing(table: Table) -> tuple[Standing, ...]:
    """Return the cards, and the hull cards by their seats, where they are drawn."""
    poses = poses_of(table)
    likely = {card.id: _may_be(card) for card in table.cards}
    names = [name for name in (*(seat.id for seat in table.seats), *likely) if name in poses]
    return tuple(
        Standing(
            name,
            poses[name].x_mm,
            poses[name].y_mm,
            poses[name].theta_rad,
            deck().card_mm,
            turn_rad=_QUARTER_RAD,
            may_be=likely.get(name, ()),
            is_fixed=name not in likely,
        )
        for name in names
    )


def _may_be(card: Card) -> tuple[str, ...]:
    faces = [reading.fields.get("face") for reading in card.readings]
    return tuple(dict.fromkeys(face for face in faces if face is not None))


def spare(_: Table) -> tuple[str, ...]:
    """Return what may be put there: any face, any number of times."""
    return tuple(deck().faces)


def laid(table: Table, change: Mapping[str, Any]) -> Table | None:
    """Bring a change by hand to a table; None if it is none.

    A card that is turned by about a quarter is engaged, or ready again.
    """
    pose = {k: v for k, v in change.items() if k not in ("kind", "piece")}
    match dict(change):
        case {"kind": "identify", "piece": str(name), "identity": str(face)}:
            card = find_card(table, name)
            is_back = known_face(face) == "back"
            return _with(table, replace(card, face=face, face_down=is_back, hull=None, readings=()))
        case {"kind": "move", "piece": str(name)}:
            return _moved(table, name, Pose(*read_pose(name, pose)))
        case {"kind": "add", "piece": str(face)}:
            at = Pose(*read_pose(face, pose))
            seat = _nearest(table, at)
            face_down = known_face(face) == "back"
            new = Card(_free_id(table, seat), face, seat, face_down=face_down, pose=at)
            table = _placed(table)
            return replace(table, cards=(*table.cards, new))
    return None


def find_card(table: Table, name: str) -> Card:
    """Return a card on the table."""
    found = next((card for card in table.cards if card.id == name), None)
    if found is None:
        msg = f"no card {name!r} is on the table"
        raise TableFormatError(msg)
    return found


def known_face(face: str) -> str:
    """Return a face that the deck has."""
    if face not in deck().faces:
        msg = f"no face is called {face!r}; {hint_at(face, tuple(deck().faces))}"
        raise TableFormatError(msg)
    return face


def _with(table: Table, new: Card) -> Table:
    return replace(table, cards=tuple(new if c.id == new.id else c for c in table.cards))


def _placed(table: Table) -> Table:
    """Return a table on which every card has the pose at which it is drawn."""
    poses = poses_of(table)
    cards = tuple(replace(card, pose=card.pose or poses[card.id]) for card in table.cards)
    seats = tuple(replace(seat, pose=seat.pose or poses.get(seat.id)) for seat in table.seats)
    return replace(table, cards=cards, seats=seats)


def _moved(table: Table, name: str, pose: Pose) -> Table:
    table = _placed(table)
    if any(seat.id == name for seat in table.seats):
        seats = tuple(replace(s, pose=pose) if s.id == name else s for s in table.seats)
        return replace(table, seats=seats)
    card = find_card(table, name)
    was = card.pose or pose
    pose = replace(pose, spot=was.spot)
    turned = abs(math.remainder(pose.theta_rad - was.theta_rad, math.pi)) > _QUARTER_RAD / 2
    if not turned:
        return _with(table, replace(card, pose=pose))
    readings = tuple(r for r in card.readings if set(r.fields) - {"engaged", "up"})
    new = replace(card, pose=pose, engaged=not card.engaged, up=None, readings=readings)
    return _with(table, new)


def _nearest(table: Table, at: Pose) -> str:
    """Return whose the nearest card or hull card is."""
    owners = {card.id: card.seat for card in table.cards}
    gaps = {
        name: math.hypot(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm)
        for name, pose in poses_of(table).items()
    }
    nearest = min(gaps, key=lambda name: gaps[name])
    return owners.get(nearest, nearest)


def _free_id(table: Table, seat: str) -> str:
    taken = {card.id for card in table.cards}
    numbers = (f"{seat.lower()}{k}" for k in range(1, len(taken) + 2))
    return next(name for name in numbers if name not in taken)
