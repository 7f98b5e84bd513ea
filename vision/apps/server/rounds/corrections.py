"""Corrections from the page, checked: ``correct(state, change, deck) -> state``.

The changes are those of ``vision.games.light_speed.edits``; here is what a finger on a phone needs
besides: a
card placed by hand is known as well as a finger places it, two cards named wrongly change places,
and whatever does not fit is a :class:`TableFormatError` with its reason.
"""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from shapely.geometry import Polygon

from vision.errors import TableFormatError
from vision.games.light_speed.deck import card_ids
from vision.games.light_speed.edits import (
    AddCard,
    AddObject,
    Change,
    Decide,
    Identify,
    MoveCard,
    RemoveCard,
    RemoveObject,
    edit,
)
from vision.games.light_speed.roster import is_face_down, is_unreadable
from vision.games.light_speed.values import Deck, TableState
from vision.geometry import wrap_angle
from vision.values.layout import PlacedCard

__all__ = ["HAND_COVARIANCE", "by_hand", "correct", "correct_all"]

#: How well a finger places a card on a phone: half a millimetre, a third of a degree.
HAND_COVARIANCE = np.diag([0.25, 0.25, math.radians(0.33) ** 2])
HAND_COVARIANCE.flags.writeable = False

_SPARE = "unknown-999999"  # stands in while two cards change places
_MAX_MM = 100_000.0
_MAX_CARDS = 500  # on one table; the deck has 42
_MAX_OBJECTS = 20


def by_hand(card: str, x_mm: float, y_mm: float, theta_rad: float) -> PlacedCard:
    """Return a card as a finger places it.

    Raises
    ------
    TableFormatError
        If that is no place on a table.
    """
    if not all(math.isfinite(v) for v in (x_mm, y_mm, theta_rad)):
        msg = f"{card}: its place must be finite numbers"
        raise TableFormatError(msg)
    if max(abs(x_mm), abs(y_mm)) > _MAX_MM:
        msg = f"{card}: its place must be within {_MAX_MM / 1000:g} m of the middle of the table"
        raise TableFormatError(msg)
    return PlacedCard(card, x_mm, y_mm, wrap_angle(theta_rad), HAND_COVARIANCE)


def correct_all(state: TableState, changes: Iterable[Change], deck: Deck) -> TableState:
    """Apply changes one after the other."""
    for change in changes:
        state = correct(state, change, deck)
    return state


def correct(state: TableState, change: Change, deck: Deck) -> TableState:
    """Apply one change to a table.

    Parameters
    ----------
    state : TableState
        The table; it is not changed.
    change : Change
        What to change.
    deck : Deck
        The deck that the cards are of.

    Raises
    ------
    TableFormatError
        If the change does not fit the table: no such card, an identity the deck does not have, an
        outline without an area, a ruling on a target that is not there.
    """
    try:
        return _correct(state, change, deck)
    except ValueError as error:
        raise TableFormatError(str(error)) from error


def _correct(state: TableState, change: Change, deck: Deck) -> TableState:
    match change:
        case Identify(card, as_card):
            _check_identity(as_card, deck)
            if card != as_card and any(c.card_id == as_card for c in state.cards):
                for step in ((card, _SPARE), (as_card, card), (_SPARE, as_card)):
                    state = edit(state, Identify(*step))
                return state
            return edit(state, change)
        case MoveCard(card, x_mm, y_mm, theta_rad):
            placed = by_hand(card, x_mm, y_mm, theta_rad)
            state = edit(state, change)
            cards = tuple(placed if c.card_id == card else c for c in state.cards)
            return replace(state, cards=cards)
        case AddCard(card):
            _check_identity(card.card_id, deck)
            if len(state.cards) >= _MAX_CARDS:
                msg = f"at most {_MAX_CARDS} cards are laid on one table"
                raise TableFormatError(msg)
        case AddObject(thing):
            _check_outline(thing.id, thing.outline_mm, deck)
            if any(known.id == thing.id for known in state.objects):
                state = edit(state, RemoveObject(thing.id))
            if len(state.objects) >= _MAX_OBJECTS:
                msg = f"at most {_MAX_OBJECTS} objects are marked on one table"
                raise TableFormatError(msg)
        case RemoveCard(name) if any(thing.id == name for thing in state.objects):
            return edit(state, RemoveObject(name))
        case Decide(ruling):
            there = {c.card_id for c in state.cards} | {o.id for o in state.objects}
            missing = {ruling.ship, ruling.target} - there - {None}
            if missing:
                msg = f'no card or object "{missing.pop()}" is on the table'
                raise TableFormatError(msg)
    return edit(state, change)


def _check_identity(card: str, deck: Deck) -> None:
    if not (card in card_ids(deck) or is_face_down(card) or is_unreadable(card)):
        msg = f'the deck "{deck.name}" has no card "{card}"'
        raise TableFormatError(msg)


def _check_outline(name: str, outline: object, deck: Deck) -> None:
    if name in card_ids(deck) or is_face_down(name) or is_unreadable(name):
        msg = f'"{name}" is the id of a card; choose another name'
        raise TableFormatError(msg)
    corners = np.asarray(outline, np.float64).reshape(-1, 2)
    shape = Polygon(corners) if len(corners) >= 3 else None
    if shape is None or not shape.is_valid or shape.area <= 0:
        msg = f"{name}: expected three corners or more, in order once round, with an area"
        raise TableFormatError(msg)
