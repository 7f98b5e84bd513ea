"""Corrections by hand: ``edit(state, change) -> state``; the round is then simply played again.

A change is a small frozen value; ``inverse`` gives the one that undoes it. What cannot be done
(a card that is not there, one that is there already) is a ``ValueError``.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np

from vision.games.light_speed.ruling_text import merge_rulings
from vision.games.light_speed.values import RuleOptions, Ruling, TableObject, TableState
from vision.values.arrays import FloatArray
from vision.values.layout import Alternative, PlacedCard

__all__ = [
    "AddCard",
    "AddObject",
    "Change",
    "Decide",
    "Identify",
    "MoveCard",
    "RemoveCard",
    "RemoveObject",
    "SetRules",
    "Withdraw",
    "carry_covariance",
    "edit",
    "inverse",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Identify:
    """The card ``card`` is in truth ``as_card``, or perhaps ``may_be``. Rulings follow it."""

    card: str
    as_card: str
    may_be: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class MoveCard:
    """The card lies here, table frame; how well that is known stays as it was."""

    card: str
    x_mm: float
    y_mm: float
    theta_rad: float


@dataclass(frozen=True, slots=True)
class AddCard:
    """A card that was not seen; ``place`` in the table's order, None for the end."""

    card: PlacedCard
    place: int | None = None


@dataclass(frozen=True, slots=True)
class RemoveCard:
    """There is no such card. Rulings on it stay, without effect."""

    card: str


@dataclass(frozen=True, slots=True)
class Decide:
    """The players rule on a shot; a ruling on the same shot is replaced."""

    ruling: Ruling
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Withdraw:
    """The players take their ruling on a shot back; ``laser`` counts from 0."""

    ship: str
    laser: int


@dataclass(frozen=True, slots=True)
class SetRules:
    """The table plays by these rules."""

    rules: RuleOptions


@dataclass(frozen=True, slots=True)
class AddObject:
    """A thing on the table that is no card; ``place`` in the table's order, None for the end."""

    object: TableObject
    place: int | None = None


@dataclass(frozen=True, slots=True)
class RemoveObject:
    """There is no such thing."""

    id: str


Change: TypeAlias = (
    Identify
    | MoveCard
    | AddCard
    | RemoveCard
    | Decide
    | Withdraw
    | SetRules
    | AddObject
    | RemoveObject
)


def edit(state: TableState, change: Change) -> TableState:
    """Return the table with a correction made, its joint covariance brought along.

    Raises
    ------
    ValueError
        If the change names something that is not there, or adds what is.
    """
    after = _edited(state, change)
    if state.joint_covariance is None:
        return after
    return replace(after, joint_covariance=carry_covariance(state, after))


def _edited(state: TableState, change: Change) -> TableState:
    match change:
        case Identify(card, as_card, may_be):
            _absent(state, as_card, unless=card)
            cards = _with(state, card, lambda c: replace(c, card_id=as_card, may_be=may_be))
            rulings = _swapped(state.rulings, card, as_card)
            names = {card: as_card, as_card: card}
            claims = tuple(replace(one, of=names.get(one.of, one.of)) for one in state.claims)
            return replace(state, cards=cards, rulings=rulings, claims=claims)
        case MoveCard(card, x_mm, y_mm, theta_rad):
            moved = replace(
                state.cards[_find(state, card)], x_mm=x_mm, y_mm=y_mm, theta_rad=theta_rad
            )
            return replace(state, cards=_with(state, card, lambda _: moved))
        case AddCard(card, place):
            _absent(state, card.card_id)
            return replace(state, cards=_insert(state.cards, card, place))
        case RemoveCard(card):
            place = _find(state, card)
            return replace(state, cards=state.cards[:place] + state.cards[place + 1 :])
        case Decide(ruling, place):
            known = [(r.ship, r.laser) for r in state.rulings]
            if place is None or (ruling.ship, ruling.laser) in known:
                return replace(state, rulings=merge_rulings(state.rulings, [ruling]))
            return replace(state, rulings=_insert(state.rulings, ruling, place))
        case Withdraw(ship, laser):
            place = _find_ruling(state, ship, laser)
            return replace(state, rulings=state.rulings[:place] + state.rulings[place + 1 :])
        case SetRules(rules):
            return replace(state, rules=rules)
        case AddObject(thing, place):
            _absent(state, thing.id)
            return replace(state, objects=_insert(state.objects, thing, place))
        case RemoveObject(name):
            place = _find_object(state, name)
            return replace(state, objects=state.objects[:place] + state.objects[place + 1 :])


def inverse(state: TableState, change: Change) -> Change:
    """Return the change that brings ``edit(state, change)`` back to ``state``."""
    match change:
        case Identify(card, as_card):
            return Identify(as_card, card, state.cards[_find(state, card)].may_be)
        case MoveCard(card):
            was = state.cards[_find(state, card)]
            return MoveCard(card, was.x_mm, was.y_mm, was.theta_rad)
        case AddCard(card):
            return RemoveCard(card.card_id)
        case RemoveCard(card):
            place = _find(state, card)
            return AddCard(state.cards[place], place)
        case Decide(ruling):
            before = [r for r in state.rulings if (r.ship, r.laser) == (ruling.ship, ruling.laser)]
            return Decide(before[0]) if before else Withdraw(ruling.ship, ruling.laser)
        case Withdraw(ship, laser):
            place = _find_ruling(state, ship, laser)
            return Decide(state.rulings[place], place)
        case SetRules():
            return SetRules(state.rules)
        case AddObject(thing):
            return RemoveObject(thing.id)
        case RemoveObject(name):
            place = _find_object(state, name)
            return AddObject(state.objects[place], place)


def carry_covariance(before: TableState, after: TableState) -> FloatArray:
    """Bring the joint covariance of a table over to an edited one.

    Cards that still lie where they lay, whatever they are called, keep their correlations; moved
    and added ones have their own covariance, independent of all others.

    Parameters
    ----------
    before, after : TableState
        The table as it was measured, with its joint covariance, and as it is now.

    Returns
    -------
    (3M, 3M)
        Of the cards of ``after``.
    """
    if before.joint_covariance is None:
        msg = "the table as it was measured has no joint covariance"
        raise ValueError(msg)
    at = {(c.x_mm, c.y_mm, c.theta_rad): i for i, c in enumerate(before.cards)}
    places = [at.get((c.x_mm, c.y_mm, c.theta_rad)) for c in after.cards]
    joint = np.zeros((3 * len(places), 3 * len(places)))
    for i, card in enumerate(after.cards):
        if places[i] is None and card.covariance is not None:
            joint[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = card.covariance
    kept = [(i, place) for i, place in enumerate(places) if place is not None]
    to = [3 * i + axis for i, _ in kept for axis in range(3)]
    source = [3 * place + axis for _, place in kept for axis in range(3)]
    joint[np.ix_(to, to)] = before.joint_covariance[np.ix_(source, source)]
    return joint


def _with(
    state: TableState, card: str, make: Callable[[PlacedCard], PlacedCard]
) -> tuple[PlacedCard, ...]:
    place = _find(state, card)
    cards = list(state.cards)
    cards[place] = make(cards[place])
    return tuple(cards)


def _insert(things: tuple[T, ...], thing: T, place: int | None) -> tuple[T, ...]:
    at = len(things) if place is None else place
    return (*things[:at], thing, *things[at:])


def _find(state: TableState, card: str) -> int:
    for i, placed in enumerate(state.cards):
        if placed.card_id == card:
            return i
    close = difflib.get_close_matches(card, [placed.card_id for placed in state.cards], n=1)
    hint = f'; did you mean "{close[0]}"?' if close else ""
    msg = f'there is no "{card}" on the table{hint}'
    raise ValueError(msg)


def _find_object(state: TableState, name: str) -> int:
    for i, thing in enumerate(state.objects):
        if thing.id == name:
            return i
    msg = f'there is no object "{name}" on the table'
    raise ValueError(msg)


def _find_ruling(state: TableState, ship: str, laser: int) -> int:
    for i, ruling in enumerate(state.rulings):
        if (ruling.ship, ruling.laser) == (ship, laser):
            return i
    msg = f"there is no ruling on {ship} laser {laser + 1}"
    raise ValueError(msg)


def _absent(state: TableState, name: str, unless: str | None = None) -> None:
    there = {c.card_id for c in state.cards} | {o.id for o in state.objects}
    if name in there - {unless}:
        msg = f'"{name}" is on the table already; each card is there only once'
        raise ValueError(msg)


def _swapped(rulings: tuple[Ruling, ...], one: str, other: str) -> tuple[Ruling, ...]:
    """Exchange two names, so that a ruling follows its card and nothing gets lost."""
    names = {one: other, other: one}

    def name(card: str | None) -> str | None:
        return card if card is None else names.get(card, card)

    return tuple(replace(r, ship=names.get(r.ship, r.ship), target=name(r.target)) for r in rulings)
