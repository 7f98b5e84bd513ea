"""Two tables as they were seen, one after the other -> what changed: laid, turned, moved, gone.

Ids count cards from left to right, so they are no names from picture to picture: cards are paired
by what they are and where they lie. What seeing doubts is no change: the doubt is told by itself.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np

from vision.games.conflit_stellaire.values import Card, Pose, Table
from vision.games.conflit_stellaire.words import card_name, named
from vision.judging.evening import Change
from vision.values.assignment import solve_assignment
from vision.values.messages import Message, message

__all__ = ["changes"]

_SAME_PLACE_MM = 20.0  # nearer: the same card, whatever it is called; fans step by as much
_OVER_MM = 35.0  # nearer: one lies over the other, of which too little may show to be seen
_MOVED_MM = 60.0  # a card's width: less is tidying up
_RESEATED_LEAST = 3  # cards that have another seat at once: nobody gives away so many ...
_RESEATED_SHARE = 0.3  # ... of those that lie there

_Pair: TypeAlias = tuple[Card, Card]
_Kind: TypeAlias = Literal["laid", "moved", "removed"]


def changes(before: Table, after: Table) -> tuple[Change, ...]:
    """Return what changed; like things that befell like cards of a seat are told together."""
    pairs, gone, come = _paired(before.cards, after.cards)
    instead = _assign(gone, come, _are_placed, _OVER_MM)
    gone, come = _without(gone, [a for a, _ in instead]), _without(come, [b for _, b in instead])
    known = [(a, b) for a, b in pairs if _is_known(a, b)]
    told = [
        *_cards("laid", "laid", come),
        *_cards("removed", "removed", gone),
        *(_in_place(one, other) for one, other in instead),
        *_cards("moved", "revealed", [b for a, b in known if a.face != b.face]),
    ]
    if _are_reseated(pairs):  # then who owns what, and what is turned, is another reading of it
        return (*told, Change("moved", after.active, _said("reseated")))
    told += _cards("moved", "engaged", [b for a, b in pairs if _turns(a, b) is True])
    told += _cards("moved", "ready", [b for a, b in pairs if _turns(a, b) is False])
    return (*told, *_moved(after, pairs), *_numbers(before, after))


# --- which card is which -------------------------------------------------------------------------


def _paired(
    before: Sequence[Card], after: Sequence[Card]
) -> tuple[list[_Pair], list[Card], list[Card]]:
    """Pair cards: like ones by how little they moved, then what lies at one place."""
    pairs: list[_Pair] = []
    gone, come = list(before), list(after)
    for alike, most_mm in (
        (_is_same, _SAME_PLACE_MM),
        (_may_be, _SAME_PLACE_MM),
        (_is_same, math.inf),
    ):
        found = _assign(gone, come, alike, most_mm)
        pairs += found
        gone = _without(gone, [one for one, _ in found])
        come = _without(come, [other for _, other in found])
    return pairs, gone, come


def _without(cards: Sequence[Card], some: Sequence[Card]) -> list[Card]:
    return [card for card in cards if not any(card is one for one in some)]


def _is_same(one: Card, other: Card) -> bool:
    return (one.face, one.seat) == (other.face, other.seat)


def _may_be(one: Card, other: Card) -> bool:
    """Tell whether what lies at one place may be one card: given, turned over, hard to tell."""
    is_open = one.face == other.face or "back" in (one.face, other.face)
    is_open |= not _is_known(one, other)
    return is_open and _are_placed(one, other)


def _are_placed(one: Card, other: Card) -> bool:
    return one.pose is not None and other.pose is not None


def _assign(
    gone: Sequence[Card],
    come: Sequence[Card],
    alike: Callable[[Card, Card], bool],
    most_mm: float,
) -> list[_Pair]:
    """Pair cards that are alike and not too far apart, so that the least has happened."""
    if not gone or not come:
        return []
    never = 1e9  # mm: of pairs that may not be
    cost = np.array([[_away_mm(a, b) if alike(a, b) else never for b in come] for a in gone])
    cost[cost > most_mm] = never
    found = enumerate(solve_assignment(cost).tolist())
    return [(gone[i], come[j]) for i, j in found if j >= 0 and cost[i, j] < never]


def _away_mm(one: Card, other: Card) -> float:
    if one.pose is None or other.pose is None:
        return 0.0 if one.id == other.id else _MOVED_MM
    return _between_mm(one.pose, other.pose)


def _between_mm(one: Pose, other: Pose) -> float:
    return math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)


# --- what became of it ---------------------------------------------------------------------------


def _doubts(card: Card, field: str) -> bool:
    """Tell whether seeing doubts a field of a card."""
    return any(field in reading.fields for reading in card.readings)


def _is_known(one: Card, other: Card) -> bool:
    return not _doubts(one, "face") and not _doubts(other, "face")


def _are_reseated(pairs: Sequence[_Pair]) -> bool:
    """Tell whether so many cards have another seat that it is the seats that are read otherwise."""
    others = sum(one.seat != other.seat for one, other in pairs)
    return others >= _RESEATED_LEAST and others > _RESEATED_SHARE * len(pairs)


def _turns(one: Card, other: Card) -> bool | None:
    """Tell whether a card was engaged (True) or made ready; None if neither, or not for sure."""
    if _doubts(other, "engaged"):
        return None
    was_sure = not _doubts(one, "engaged")
    return None if was_sure and one.engaged == other.engaged else other.engaged


def _moved(after: Table, pairs: Iterable[_Pair]) -> Iterator[Change]:
    """Yield what lies elsewhere now: on something, or with another seat, or far off."""
    for one, other in pairs:
        what = named(after, other.id)
        is_sure = not any(_doubts(card, f) for card in (one, other) for f in ("on", "seat"))
        on = None if other.on is None else _face_of(after, other.on)
        if one.seat != other.seat and is_sure:
            yield Change("moved", other.id, _said("taken", what=what, seat=other.seat))
        elif one.on is None and on is not None and is_sure:
            yield Change("moved", other.id, _said("put_on", what=what, on=on))
        elif _is_far(one, other):
            yield Change("moved", other.id, _said("moved", what=what, seat=other.seat))


def _in_place(one: Card, other: Card) -> Change:
    """Say that a card lies where another lay: over it, or it was under it, or took its place."""
    faces = {"face": card_name(other.face), "former": card_name(one.face)}
    return Change("moved", other.id, _said("instead", seat=other.seat, **faces))


def _is_far(one: Card, other: Card) -> bool:
    if one.pose is None or other.pose is None:
        return False
    return _between_mm(one.pose, other.pose) >= _MOVED_MM


def _face_of(table: Table, name: str) -> Message:
    return card_name(next(card.face for card in table.cards if card.id == name))


def _cards(kind: _Kind, key: str, cards: Iterable[Card]) -> Iterator[Change]:
    """Yield one change for all like cards of a seat."""
    alike: dict[tuple[str, str], list[Card]] = defaultdict(list)
    for card in cards:
        alike[card.seat, card.face].append(card)
    for (seat, face), several in sorted(alike.items()):
        said = _said(key, seat=seat, face=card_name(face), n=len(several))
        yield Change(kind, several[0].id, said)


def _numbers(before: Table, after: Table) -> Iterator[Change]:
    """Yield markers that moved: hulls and distances that both tables know for sure."""
    unsure = {name for table in (before, after) for name in _unsure(table)}
    hulls = {seat.id: seat for seat in before.seats}
    for seat in sorted(after.seats, key=lambda seat: seat.id):
        was = hulls.get(seat.id)
        is_sure = was is not None and not (was.readings or seat.readings or seat.id in unsure)
        if was is not None and is_sure and was.hull != seat.hull:
            said = _said("hull", seat=seat.id, before=was.hull, after=seat.hull)
            yield Change("moved", seat.id, said)
    ways = {distance.between: distance for distance in before.distances}
    for distance in sorted(after.distances, key=lambda distance: distance.between):
        old = ways.get(distance.between)
        is_sure = old is not None and not (old.readings or distance.readings)
        is_sure &= "-".join(distance.between) not in unsure
        if old is not None and is_sure and old.uds != distance.uds:
            one, other = distance.between
            said = _said("distance", one=one, other=other, before=old.uds, after=distance.uds)
            yield Change("moved", one, said)


def _unsure(table: Table) -> Iterator[str]:
    """Yield the seats, and the pairs of seats ("A-B"), of which no marker tells the number."""
    for issue in table.doubts:
        if issue.code == "marker_doubtful":
            yield from issue.cards


def _said(key: str, **gaps: object) -> Message:
    return message(f"conflit.watched.{key}", **gaps)
