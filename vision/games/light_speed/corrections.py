"""Changes as plain JSON -> the table corrected: what a page sends and what is typed.

The changes are those of :mod:`vision.games.light_speed.edits`, in degrees; here is what a hand
needs besides: a card placed by a finger is known as well as a finger places it, two cards named
wrongly change places, and whatever does not fit is a :class:`TableFormatError` with its reason.

==========  ======================================================================================
``kind``    other fields
==========  ======================================================================================
move, add   ``card``, ``x_mm``, ``y_mm``, ``theta_deg``
identify    ``card``, ``identity``: what it is in truth
remove      ``id`` of a card or an object
object      ``id``, ``outline_mm`` of an asteroid that is no card
rules       ``rules``: the options as in a table file; or ``set``: as typed, KEY=VALUE
ruling      ``ship``, ``laser`` from 0, ``target`` or null, ``shielded``; or ``text``, as typed
set         ``piece``, a card or a team, and what is said of it: ``leaning`` true, false or null
withdraw    ``ship``, ``laser``: of a ruling that is taken back
==========  ======================================================================================
"""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from shapely.geometry import Polygon

from vision.errors import TableFormatError
from vision.games.light_speed.accounts import with_gone
from vision.games.light_speed.changes import checked_change
from vision.games.light_speed.claims import parse_claim, with_claim
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
    SetRules,
    Withdraw,
    carry_covariance,
    edit,
)
from vision.games.light_speed.roster import call_roll, is_face_down, is_unreadable, ships_of
from vision.games.light_speed.ruling_text import check_rulings, parse_ruling
from vision.games.light_speed.values import Deck, RuleOptions, Ruling, TableObject, TableState
from vision.geometry import wrap_angle
from vision.judging.options import options_from_json, parse_options
from vision.values.layout import PlacedCard

__all__ = [
    "HAND_COVARIANCE",
    "by_hand",
    "change_from_json",
    "correct",
    "edit_by_json",
]

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
        after = _correct(replace(state, joint_covariance=None), change, deck)
    except ValueError as error:
        raise TableFormatError(str(error)) from error
    if state.joint_covariance is None:
        return after
    return replace(after, joint_covariance=carry_covariance(state, after))


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


# --- changes as JSON -------------------------------------------------------------------------


def edit_by_json(state: TableState, change: Mapping[str, Any], deck: Deck) -> TableState:
    """Apply a change, given as JSON, to a table.

    Raises
    ------
    TableFormatError
        If it is no change, or does not fit the table.
    """
    if change.get("kind") == "ruling" and "text" in change:
        return _rule_as_typed(state, str(change["text"]), deck)
    if change.get("kind") == "rules" and "set" in change:
        return replace(state, rules=parse_options(RuleOptions, change["set"], state.rules))
    if change.get("kind") == "set":
        return _claim_as_set(state, change, deck)
    if change.get("kind") == "remove" and change.get("id") in state.missing:
        return with_gone(state, str(change["id"]))
    return correct(state, change_from_json(checked_change(change)), deck)


def _claim_as_set(state: TableState, change: Mapping[str, Any], deck: Deck) -> TableState:
    """Bring what the players say of a card or a team to a table; None takes it back."""
    said = {name: value for name, value in change.items() if name not in ("kind", "piece")}
    of = str(change.get("piece", ""))
    if len(said) != 1:
        msg = f"a claim says one thing of a card, such as leaning; got {', '.join(said) or 'none'}"
        raise TableFormatError(msg)
    ((kind, value),) = said.items()
    place = f" {value}" if isinstance(value, str) else ""
    claim = parse_claim(f"{'not ' if value is False else ''}{kind} {of}{place}")
    return with_claim(state, None if value is None else claim, claim.kind, of, deck)


def change_from_json(change: Mapping[str, Any]) -> Change:
    """Read a change; degrees become radians."""
    match change.get("kind"):
        case "move":
            return MoveCard(change["card"], *_pose(change))
        case "add":
            return AddCard(by_hand(change["card"], *_pose(change)))
        case "identify":
            return Identify(change["card"], change["identity"])
        case "remove":
            return RemoveCard(change["id"])
        case "object":
            outline = np.array(change["outline_mm"], np.float64)
            return AddObject(TableObject(change["id"], "asteroid", outline))
        case "rules":
            return SetRules(options_from_json(RuleOptions, change["rules"]))
        case "ruling":
            shielded = change.get("shielded", False)
            if change["target"] is None and shielded:
                msg = "space has no shield; name a target or leave shielded out"
                raise TableFormatError(msg)
            return Decide(Ruling(change["ship"], change["laser"], change["target"], shielded))
        case "withdraw":
            return Withdraw(change["ship"], change["laser"])
    msg = f"no change of the kind {change.get('kind')!r}"
    raise TableFormatError(msg)


def _pose(change: Mapping[str, Any]) -> tuple[float, float, float]:
    return change["x_mm"], change["y_mm"], math.radians(change["theta_deg"])


def _rule_as_typed(state: TableState, text: str, deck: Deck) -> TableState:
    """Bring a typed ruling to a table; its target may lie elsewhere or nowhere."""
    ruling = parse_ruling(text)
    ships = ships_of(deck)
    if ruling.ship not in ships:
        msg = f'no ship is called "{ruling.ship}"{_hint(ruling.ship, list(ships))}'
        raise TableFormatError(msg)
    target = ruling.target
    names = [*card_ids(deck), *(thing.id for thing in state.objects)]
    known = target is None or target in names or is_face_down(target) or is_unreadable(target)
    if not known:
        msg = f'no card is called "{target}"{_hint(str(target), names)}'
        raise TableFormatError(msg)
    after = edit(state, Decide(ruling))
    check_rulings(after.rulings, call_roll(state, deck))
    return after


def _hint(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f'; did you mean "{close[0]}"?' if close else ""
