"""What a person reads off the cards, ship by ship and step by step -> the deck file that says it.

Cards are told apart by their names: ``asteroid``, ``asteroid-2`` and their backs, ``ship-back``,
and of every team its ships, ``red-moth``. A ship is entered once for all teams, as in a deck file.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import ValidationError

from vision.games.light_speed.deck import SHIP_BACK, check_document
from vision.games.light_speed.deck_check import ship_problems
from vision.games.light_speed.deck_form import (
    BY_HAND,
    KNOWN,
    CardForm,
    DeckForm,
    DesignForm,
    LaserForm,
    ShieldForm,
    ShipForm,
    shape_problems,
)
from vision.values.messages import Message, message

__all__ = [
    "Entry",
    "Fleet",
    "Steps",
    "deck_document",
    "entry_of_file",
    "find_fleet",
    "known_of_file",
    "look_at",
    "problems_of",
    "problems_of_ship",
    "put",
    "redo",
    "team_and_design",
    "twins_of_teams",
    "undo",
    "unseen",
]

_ROCK = re.compile(r"asteroide?(-[0-9]+)?")  # both languages without their accents
_BACK = "-back"
_OWN = ("name", "speed", "health")  # the values of a ship itself
_NOTHING = DesignForm(provenance={})
_Part = TypeVar("_Part", LaserForm, ShieldForm)
_MOST_STEPS = 100  # kept of one ship, to be undone: more than anybody takes back one by one


@dataclass(frozen=True, slots=True)
class Fleet:
    """What the cards of a deck are by their names.

    ``designs`` are the ships, once for all teams; ``strange`` are cards that are nothing.
    """

    teams: tuple[str, ...]
    designs: tuple[str, ...]
    asteroids: tuple[str, ...]
    strange: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """What is entered of a ship: as it is, what it was before, and what was undone.

    ``looked_at`` are the cards on which a person found it to be so.
    """

    now: DesignForm = _NOTHING
    past: tuple[DesignForm, ...] = ()
    future: tuple[DesignForm, ...] = ()
    looked_at: tuple[str, ...] = ()
    revision: int = 0


#: What is entered of each ship, by its name; one that is not there is not begun.
Entry = Mapping[str, Steps]


# --- the cards ---------------------------------------------------------------------------------


def team_and_design(card: str) -> tuple[str, str]:
    """Tell by its name of which team a card is and which ship; both empty if it is none.

    >>> team_and_design("red-moth"), team_and_design("asteroid-1")
    (('red', 'moth'), ('', ''))
    """
    team, _, ship = card.partition("-")
    is_ship = ship and not card.endswith(_BACK) and not _ROCK.fullmatch(card)
    return (team, ship) if is_ship else ("", "")


def twins_of_teams(cards: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the cards of each ship, of one team each, by the ship's name."""
    sisters: dict[str, tuple[str, ...]] = {}
    for card in cards:
        ship = team_and_design(card)[1]
        if ship:
            sisters[ship] = (*sisters.get(ship, ()), card)
    return sisters


def find_fleet(cards: Iterable[str]) -> Fleet:
    """Tell by their names what cards are.

    >>> find_fleet(["red-moth", "blue-moth", "asteroid-1-back", "fool"])
    Fleet(teams=('red', 'blue'), designs=('moth',), asteroids=('asteroid-1',), strange=('fool',))
    """
    teams, ships, asteroids, strange = {}, {}, {}, []
    for card in cards:
        team, ship = team_and_design(card)
        if ship:
            teams[team], ships[ship] = True, True
        elif _ROCK.fullmatch(card.removesuffix(_BACK)):
            asteroids[card.removesuffix(_BACK)] = True
        elif card != SHIP_BACK:
            strange.append(card)
    return Fleet(tuple(teams), tuple(ships), tuple(asteroids), tuple(strange))


# --- steps -------------------------------------------------------------------------------------


def put(steps: Steps, design: DesignForm) -> Steps:
    """Enter something else of a ship; where nothing differs nothing is done.

    Each value is from whoever entered it; what stays as it was keeps what it was from.
    """
    design = _credited(design, steps.now)
    if design == steps.now:
        return steps
    past = (*steps.past, steps.now)[-_MOST_STEPS:]
    return Steps(design, past, (), (), steps.revision + 1)


def undo(steps: Steps) -> Steps:
    """Take the last step back, if there is one."""
    if not steps.past:
        return steps
    *past, before = steps.past
    future = (steps.now, *steps.future)
    return Steps(before, tuple(past), future, (), steps.revision + 1)


def redo(steps: Steps) -> Steps:
    """Take the step again that was undone last, if there is one."""
    if not steps.future:
        return steps
    after, *future = steps.future
    return Steps(after, (*steps.past, steps.now), tuple(future), (), steps.revision + 1)


def look_at(steps: Steps, card: str, *, is_so: bool) -> Steps:
    """Say that a card was looked at and is as entered; or that it is not, or not any more."""
    others = tuple(one for one in steps.looked_at if one != card)
    return replace(steps, looked_at=(*others, card) if is_so else others)


def unseen(entry: Entry) -> Entry:
    """Return what is entered as if nobody had looked it over."""
    return {ship: replace(steps, looked_at=()) for ship, steps in entry.items()}


def _credited(design: DesignForm, before: DesignForm) -> DesignForm:
    """Say where each value is from."""
    origins = {**dict.fromkeys(_OWN, BY_HAND), **before.provenance}
    for name in _OWN[1:]:
        if getattr(design, name) != getattr(before, name):
            origins[name] = BY_HAND
    return design.model_copy(
        update={
            "lasers": [_credited_part(one, before.lasers) for one in design.lasers],
            "shields": [_credited_part(one, before.shields) for one in design.shields],
            "provenance": origins,
        }
    )


def _credited_part(part: _Part, before: Iterable[_Part]) -> _Part:
    values = part.model_dump(exclude={"provenance"})
    for one in before:
        if one.provenance and one.model_dump(exclude={"provenance"}) == values:
            return one
    return part.model_copy(update={"provenance": dict.fromkeys(values, BY_HAND)})


# --- the deck file -----------------------------------------------------------------------------


def deck_document(
    entry: Entry, cards: Iterable[str], name: str, size_mm: tuple[float, float]
) -> dict[str, Any]:
    """Return the deck file of what is entered; what is not known yet is left out.

    The names of the ``cards`` tell teams, ships and asteroids.
    """
    cards = tuple(cards)
    fleet = find_fleet(cards)
    return {
        "name": name,
        "teams": list(fleet.teams),
        "asteroids": list(fleet.asteroids),
        "provenance": dict.fromkeys(("name", "teams", "asteroids"), BY_HAND),
        "card": _card(size_mm),
        "ships": [_ship(ship, entry.get(ship, Steps()), cards) for ship in fleet.designs],
    }


def _card(size_mm: tuple[float, float]) -> dict[str, Any]:
    sides = {"width_mm": float(size_mm[0]), "height_mm": float(size_mm[1])}
    return {**sides, "provenance": dict.fromkeys(sides, BY_HAND)}


def _ship(ship: str, steps: Steps, cards: tuple[str, ...]) -> dict[str, Any]:
    design = {
        key: value for key, value in steps.now.model_dump().items() if value not in (None, [])
    }
    origins = dict.fromkeys(_OWN, BY_HAND)
    looked = [card for card in cards if card in steps.looked_at]
    note = f"looked at on {', '.join(looked)}" if looked else ""
    return {
        "name": ship,
        **design,
        "provenance": {**origins, **steps.now.provenance},
        **({"note": note} if note else {}),
    }


def problems_of(document: dict[str, Any], cards: Iterable[str]) -> tuple[Message, ...]:
    """Return all that keeps a deck file from being read, and cards that it does not have."""
    strange = find_fleet(cards).strange
    bare = [ship["name"] for ship in document["ships"] if _is_untouched(ship)]
    _, problems = check_document(document)
    return (
        *(message("deck.entry.strange", card=card) for card in strange),
        *(message("deck.entry.untouched", ship=ship) for ship in bare),
        *problems,
    )


def problems_of_ship(ship: Mapping[str, Any], size_mm: tuple[float, float]) -> tuple[Message, ...]:
    """Return what is wrong with one ship of a deck file by itself."""
    if _is_untouched(ship):
        return (message("deck.entry.untouched", ship=ship["name"]),)
    document = {"ships": [dict(ship)]}
    try:
        form = ShipForm.model_validate(ship)
    except ValidationError as error:
        return tuple(shape_problems(error, document, at=("ships", 0)))
    return tuple(ship_problems(form, CardForm.model_validate(_card(size_mm))))


def _is_untouched(ship: Mapping[str, Any]) -> bool:
    """Tell whether a ship has its known values and nothing that a hand entered: no weapon yet."""
    origins = ship.get("provenance", {})
    own = {origins.get(name) for name in _OWN[1:]}
    return own == {KNOWN} and not ship.get("lasers") and not ship.get("shields")


def entry_of_file(form: DeckForm) -> dict[str, Steps]:
    """Return what a deck file says of each ship, to go on from."""
    kept = {"speed", "health", "lasers", "shields", "provenance"}
    return {
        ship.name: Steps(DesignForm.model_validate(ship.model_dump(include=kept)))
        for ship in form.ships
    }


def known_of_file(form: DeckForm) -> dict[str, Steps]:
    """Return what a deck file calls known of each ship's speed and health, to begin with."""
    return {
        ship.name: Steps(
            DesignForm.model_validate(
                ship.model_dump(include=known) | {"provenance": dict.fromkeys(known, KNOWN)}
            )
        )
        for ship in form.ships
        for known in [{name for name in _OWN[1:] if ship.provenance.get(name) == KNOWN}]
    }
