"""Corrections by hand: ``edit(state, change) -> state``, a pure function on tables.

Undo and redo are a matter of which changes are applied, so nothing here remembers anything: the
table as it was read, with the changes that stand, is the table as it is.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from shapely.geometry import Polygon

from vision.errors import TableFormatError
from vision.geometry import wrap_angle
from vision.rules.deck import card_ids
from vision.rules.roster import is_face_down, is_unreadable
from vision.types import Deck, FloatArray, PlacedCard, RuleOptions, TableObject, TableState

__all__ = [
    "HAND_COVARIANCE",
    "AddCard",
    "AddObject",
    "Change",
    "Identify",
    "MoveCard",
    "Remove",
    "SetRules",
    "edit",
    "edit_all",
]

#: How well a finger places a card on a phone: half a millimetre, a third of a degree.
HAND_COVARIANCE = np.diag([0.25, 0.25, math.radians(0.33) ** 2])
HAND_COVARIANCE.flags.writeable = False

_MAX_MM = 100_000.0
_MAX_CARDS = 500  # on one table; the deck has 42
_MAX_OBJECTS = 20


@dataclass(frozen=True, slots=True)
class MoveCard:
    """Put a card elsewhere, table frame."""

    card: str
    x_mm: float
    y_mm: float
    theta_rad: float


@dataclass(frozen=True, slots=True)
class Identify:
    """Give a card another identity; if that one is on the table already, the two are swapped."""

    card: str
    identity: str


@dataclass(frozen=True, slots=True)
class AddCard:
    """Lay a card that was not seen."""

    card: str
    x_mm: float
    y_mm: float
    theta_rad: float


@dataclass(frozen=True, slots=True)
class AddObject:
    """Mark an outline as an asteroid (a coaster, say); one of that id is replaced."""

    id: str
    outline_mm: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a card or an object off the table."""

    id: str


@dataclass(frozen=True, slots=True)
class SetRules:
    """Play by other variants."""

    rules: RuleOptions


Change: TypeAlias = MoveCard | Identify | AddCard | AddObject | Remove | SetRules


def edit_all(state: TableState, changes: Iterable[Change], deck: Deck) -> TableState:
    """Apply changes one after the other."""
    for change in changes:
        state = edit(state, change, deck)
    return state


def edit(state: TableState, change: Change, deck: Deck) -> TableState:
    """Apply one change to a table.

    Parameters
    ----------
    state : TableState
        The table; it is not changed.
    change : Change
        What to change.
    deck : Deck
        The deck that the cards are of.

    Returns
    -------
    TableState
        The new table.

    Raises
    ------
    TableFormatError
        If the change does not fit the table: no such card, an identity the deck does not have, an
        outline without an area.
    """
    match change:
        case MoveCard():
            return _replace(
                state, change.card, _placed(change.card, change.x_mm, change.y_mm, change.theta_rad)
            )
        case Identify():
            return _identify(state, change, deck)
        case AddCard():
            return _add_card(state, change, deck)
        case AddObject():
            return _add_object(state, change, deck)
        case Remove():
            return _remove(state, change.id)
        case SetRules():
            return replace(state, rules=change.rules)


def _placed(card: str, x_mm: float, y_mm: float, theta_rad: float) -> PlacedCard:
    if not all(math.isfinite(v) for v in (x_mm, y_mm, theta_rad)):
        msg = f"{card}: its place must be finite numbers"
        raise TableFormatError(msg)
    if max(abs(x_mm), abs(y_mm)) > _MAX_MM:
        msg = f"{card}: its place must be within {_MAX_MM / 1000:g} m of the middle of the table"
        raise TableFormatError(msg)
    covariance: FloatArray = HAND_COVARIANCE
    return PlacedCard(card, x_mm, y_mm, wrap_angle(theta_rad), covariance)


def _replace(state: TableState, card: str, new: PlacedCard) -> TableState:
    _find(state, card)
    return replace(state, cards=tuple(new if c.card_id == card else c for c in state.cards))


def _find(state: TableState, card: str) -> PlacedCard:
    found = next((c for c in state.cards if c.card_id == card), None)
    if found is None:
        msg = f'no card "{card}" is on the table'
        raise TableFormatError(msg)
    return found


def _check_identity(card: str, deck: Deck) -> None:
    if not (card in card_ids(deck) or is_face_down(card) or is_unreadable(card)):
        msg = f'the deck "{deck.name}" has no card "{card}"'
        raise TableFormatError(msg)


def _identify(state: TableState, change: Identify, deck: Deck) -> TableState:
    _check_identity(change.identity, deck)
    _check_free(state, change.identity)
    _find(state, change.card)
    names = {change.card: change.identity, change.identity: change.card}
    return replace(
        state,
        cards=tuple(
            replace(c, card_id=names[c.card_id], confidence=1.0) if c.card_id in names else c
            for c in state.cards
        ),
    )


def _check_free(state: TableState, card: str) -> None:
    if any(thing.id == card for thing in state.objects):
        msg = f'"{card}" is the name of an object on the table'
        raise TableFormatError(msg)


def _add_card(state: TableState, change: AddCard, deck: Deck) -> TableState:
    _check_identity(change.card, deck)
    _check_free(state, change.card)
    if any(c.card_id == change.card for c in state.cards):
        msg = f'"{change.card}" is on the table already; move it instead'
        raise TableFormatError(msg)
    if len(state.cards) >= _MAX_CARDS:
        msg = f"at most {_MAX_CARDS} cards are laid on one table"
        raise TableFormatError(msg)
    new = _placed(change.card, change.x_mm, change.y_mm, change.theta_rad)
    return replace(state, cards=(*state.cards, new))


def _add_object(state: TableState, change: AddObject, deck: Deck) -> TableState:
    name = change.id
    taken = name in card_ids(deck) or is_face_down(name) or is_unreadable(name)
    if taken or any(c.card_id == name for c in state.cards):
        msg = f'"{name}" is the id of a card; choose another name'
        raise TableFormatError(msg)
    outline = np.array(change.outline_mm, np.float64).reshape(-1, 2)
    inside = bool(np.isfinite(outline).all()) and bool((np.abs(outline) <= _MAX_MM).all())
    shape = Polygon(outline) if len(outline) >= 3 and inside else None
    if shape is None or not shape.is_valid or shape.area <= 0:
        msg = f"{name}: expected three corners or more, in order once round, with an area"
        raise TableFormatError(msg)
    others = tuple(thing for thing in state.objects if thing.id != name)
    if len(others) >= _MAX_OBJECTS:
        msg = f"at most {_MAX_OBJECTS} objects are marked on one table"
        raise TableFormatError(msg)
    return replace(state, objects=(*others, TableObject(name, "asteroid", outline)))


def _remove(state: TableState, name: str) -> TableState:
    cards = tuple(c for c in state.cards if c.card_id != name)
    objects = tuple(thing for thing in state.objects if thing.id != name)
    if len(cards) == len(state.cards) and len(objects) == len(state.objects):
        msg = f'no card or object "{name}" is on the table'
        raise TableFormatError(msg)
    return replace(state, cards=cards, objects=objects)
