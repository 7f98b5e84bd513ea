"""Changes as plain JSON -> the table corrected: what a page sends and what is typed.

Places are in millimetres and degrees. A card placed by a finger is known as well as a finger places
it, two cards named wrongly change places, and whatever does not fit is a :class:`TableFormatError`
with its reason.

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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from shapely.geometry import Polygon

from vision.errors import TableFormatError
from vision.files.documents import read_document, shown
from vision.files.schemas import Model, Name, PlacePair
from vision.games.light_speed.accounts import with_gone
from vision.games.light_speed.claims import parse_claim, with_claim
from vision.games.light_speed.deck import card_ids
from vision.games.light_speed.roster import call_roll, is_card, ships_of
from vision.games.light_speed.ruling_text import check_rulings, merge_rulings, parse_ruling
from vision.games.light_speed.values import Deck, RuleOptions, Ruling, TableObject, TableState
from vision.geometry import wrap_angle
from vision.judging.options import parse_options
from vision.values.arrays import FloatArray
from vision.values.layout import PlacedCard

__all__ = ["edit"]

#: How well a finger places a card on a phone: half a millimetre, a third of a degree.
_HAND_COVARIANCE = np.diag([0.25, 0.25, math.radians(0.33) ** 2])
_HAND_COVARIANCE.flags.writeable = False

_MAX_MM = 100_000.0
_MAX_CARDS = 500  # on one table; the deck has 42
_MAX_OBJECTS = 20
_MAX_CORNERS = 200  # of an outline drawn by hand

Place = Annotated[float, Field(allow_inf_nan=False)]
Angle = Annotated[float, Field(ge=-3600, le=3600, allow_inf_nan=False)]
Laser = Annotated[int, Field(ge=0, le=99)]


class Pose(Model):
    """Where a card lies, table frame."""

    card: Name
    x_mm: Place
    y_mm: Place
    theta_deg: Angle


class Identify(Model):
    """Which card is another."""

    card: Name
    identity: Name


class Remove(Model):
    """A card or an object."""

    id: Name


class Outline(Model):
    """An object that is an asteroid."""

    id: Name
    outline_mm: Annotated[list[PlacePair], Field(min_length=3, max_length=_MAX_CORNERS)]


class SetRules(Model):
    """Other variants."""

    rules: RuleOptions


class Withdraw(Model):
    """The shot of a ruling that is taken back."""

    ship: Name
    laser: Laser


def edit(state: TableState, change: Mapping[str, Any], deck: Deck) -> TableState:
    """Bring a change to a table, its joint covariance along."""
    if change.get("kind") == "ruling" and "text" in change:
        return _rule_as_typed(state, str(change["text"]), deck)
    if change.get("kind") == "rules" and "set" in change:
        return replace(state, rules=parse_options(RuleOptions, change["set"], state.rules))
    if change.get("kind") == "set":
        return _claim_as_set(state, change, deck)
    if change.get("kind") == "remove" and change.get("id") in state.missing:
        return with_gone(state, str(change["id"]))
    form, apply = _CHANGES.get(str(change.get("kind")), (None, None))
    if form is None or apply is None:
        msg = f"kind: expected one of {', '.join(_CHANGES)}, set, got {shown(change.get('kind'))}"
        raise TableFormatError(msg)
    said = {name: value for name, value in change.items() if name != "kind"}
    after = apply(state, read_document(said, form), deck)
    joint = state.joint_covariance
    if joint is None:
        return after
    return replace(after, joint_covariance=_carried(joint, state, after))


def _moved(state: TableState, pose: Pose, _: Deck) -> TableState:
    placed = _by_hand(pose)
    _check_there(state, pose.card)
    cards = tuple(placed if c.card_id == pose.card else c for c in state.cards)
    return replace(state, cards=cards)


def _added(state: TableState, pose: Pose, deck: Deck) -> TableState:
    placed = _by_hand(pose)
    _check_identity(pose.card, deck)
    if len(state.cards) >= _MAX_CARDS:
        msg = f"at most {_MAX_CARDS} cards are laid on one table"
        raise TableFormatError(msg)
    _check_absent(state, pose.card)
    return replace(state, cards=(*state.cards, placed))


def _removed(state: TableState, said: Remove, _: Deck) -> TableState:
    """Return a table without a card or an object; rulings on it stay, without effect."""
    things = tuple(thing for thing in state.objects if thing.id != said.id)
    if len(things) < len(state.objects):
        return replace(state, objects=things)
    _check_there(state, said.id)
    return replace(state, cards=tuple(c for c in state.cards if c.card_id != said.id))


def _renamed(state: TableState, said: Identify, deck: Deck) -> TableState:
    """Return a table on which a card is another; if that is there, the two change names."""
    card, identity = said.card, said.identity
    _check_identity(identity, deck)
    _check_there(state, card)
    if card == identity or all(c.card_id != identity for c in state.cards):
        _check_absent(state, identity, unless=card)
    names: dict[str | None, str] = {card: identity, identity: card}
    return replace(
        state,
        cards=tuple(
            replace(c, card_id=names[c.card_id], may_be=()) if c.card_id in names else c
            for c in state.cards
        ),
        rulings=tuple(
            replace(r, ship=names.get(r.ship, r.ship), target=names.get(r.target, r.target))
            for r in state.rulings
        ),
        claims=tuple(replace(one, of=names.get(one.of, one.of)) for one in state.claims),
    )


def _marked(state: TableState, change: Outline, deck: Deck) -> TableState:
    """Return a table with an outline in place of one of the same name."""
    outline = np.array(change.outline_mm, np.float64)
    _check_outline(change.id, outline, deck)
    others = tuple(thing for thing in state.objects if thing.id != change.id)
    if len(others) >= _MAX_OBJECTS:
        msg = f"at most {_MAX_OBJECTS} objects are marked on one table"
        raise TableFormatError(msg)
    _check_absent(replace(state, objects=others), change.id)
    return replace(state, objects=(*others, TableObject(change.id, "asteroid", outline)))


def _ruled(state: TableState, ruling: Ruling, _: Deck) -> TableState:
    there = {c.card_id for c in state.cards} | {o.id for o in state.objects}
    missing = {ruling.ship, ruling.target} - there - {None}
    if missing:
        msg = f'no card or object "{missing.pop()}" is on the table'
        raise TableFormatError(msg)
    return replace(state, rulings=merge_rulings(state.rulings, [ruling]))


def _withdrawn(state: TableState, change: Withdraw, _: Deck) -> TableState:
    shot = (change.ship, change.laser)
    left = tuple(one for one in state.rulings if (one.ship, one.laser) != shot)
    if len(left) == len(state.rulings):
        msg = f"there is no ruling on {change.ship} laser {change.laser + 1}"
        raise TableFormatError(msg)
    return replace(state, rulings=left)


def _with_rules(state: TableState, change: SetRules, _: Deck) -> TableState:
    return replace(state, rules=change.rules)


_CHANGES: dict[str, tuple[Any, Callable[[TableState, Any, Deck], TableState]]] = {
    "move": (Pose, _moved),
    "add": (Pose, _added),
    "identify": (Identify, _renamed),
    "remove": (Remove, _removed),
    "object": (Outline, _marked),
    "rules": (SetRules, _with_rules),
    "ruling": (Ruling, _ruled),
    "withdraw": (Withdraw, _withdrawn),
}


def _by_hand(change: Pose) -> PlacedCard:
    """Return a card as a finger places it."""
    if max(abs(change.x_mm), abs(change.y_mm)) > _MAX_MM:
        within = f"within {_MAX_MM / 1000:g} m of the middle of the table"
        msg = f"{change.card}: its place must be {within}"
        raise TableFormatError(msg)
    theta_rad = wrap_angle(math.radians(change.theta_deg))
    return PlacedCard(change.card, change.x_mm, change.y_mm, theta_rad, _HAND_COVARIANCE)


def _carried(before_joint: FloatArray, before: TableState, after: TableState) -> FloatArray:
    """Return the joint covariance (3M, 3M) of the cards of an edited table.

    Cards that still lie where they lay, whatever they are called, keep their correlations; moved
    and added ones have their own covariance, independent of all others.
    """
    at = {(c.x_mm, c.y_mm, c.theta_rad): i for i, c in enumerate(before.cards)}
    places = [at.get((c.x_mm, c.y_mm, c.theta_rad)) for c in after.cards]
    joint = np.zeros((3 * len(places), 3 * len(places)))
    for i, card in enumerate(after.cards):
        if places[i] is None and card.covariance is not None:
            joint[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = card.covariance
    kept = [(i, place) for i, place in enumerate(places) if place is not None]
    to = [3 * i + axis for i, _ in kept for axis in range(3)]
    source = [3 * place + axis for _, place in kept for axis in range(3)]
    joint[np.ix_(to, to)] = before_joint[np.ix_(source, source)]
    return joint


# --- what cannot be --------------------------------------------------------------------------


def _check_there(state: TableState, card: str) -> None:
    known = [placed.card_id for placed in state.cards]
    if card not in known:
        msg = f'there is no "{card}" on the table{_hint(card, known)}'
        raise TableFormatError(msg)


def _check_absent(state: TableState, name: str, unless: str | None = None) -> None:
    there = {c.card_id for c in state.cards} | {o.id for o in state.objects}
    if name in there - {unless}:
        msg = f'"{name}" is on the table already; each card is there only once'
        raise TableFormatError(msg)


def _check_identity(card: str, deck: Deck) -> None:
    if not is_card(card, card_ids(deck)):
        msg = f'the deck "{deck.name}" has no card "{card}"'
        raise TableFormatError(msg)


def _check_outline(name: str, corners: FloatArray, deck: Deck) -> None:
    if is_card(name, card_ids(deck)):
        msg = f'"{name}" is the id of a card; choose another name'
        raise TableFormatError(msg)
    shape = Polygon(corners)
    if not shape.is_valid or shape.area <= 0:
        msg = f"{name}: expected three corners or more, in order once round, with an area"
        raise TableFormatError(msg)


def _hint(word: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


# --- as typed --------------------------------------------------------------------------------


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


def _rule_as_typed(state: TableState, text: str, deck: Deck) -> TableState:
    """Bring a typed ruling to a table; its target may lie elsewhere or nowhere."""
    ruling = parse_ruling(text)
    ships = ships_of(deck)
    if ruling.ship not in ships:
        msg = f'no ship is called "{ruling.ship}"{_hint(ruling.ship, list(ships))}'
        raise TableFormatError(msg)
    target = ruling.target
    names = [*card_ids(deck), *(thing.id for thing in state.objects)]
    if not (target is None or is_card(target, names)):
        msg = f'no card is called "{target}"{_hint(str(target), names)}'
        raise TableFormatError(msg)
    rulings = merge_rulings(state.rulings, [ruling])
    check_rulings(rulings, call_roll(state, deck))
    return replace(state, rulings=rulings)
