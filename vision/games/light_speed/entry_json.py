"""What is entered by hand of a deck -> ``sightline/deck-entry@1``: what a page shows of it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from vision.files.schemas import Model, Name
from vision.games.light_speed.deck import check_document, deck_of_form
from vision.games.light_speed.deck_form import DesignForm
from vision.games.light_speed.entering import (
    Entry,
    Steps,
    find_fleet,
    problems_of,
    problems_of_ship,
)
from vision.games.light_speed.schemas import SizeModel
from vision.games.light_speed.values import Deck
from vision.games.light_speed.words import words
from vision.texts import LANGUAGES
from vision.values.messages import Message

__all__ = ["EntryModel", "entry_to_json"]

FindTurned = Callable[[Sequence[str]], Sequence[str]]
Words = Annotated[dict[str, str], Field(description="In every language.", examples=[{"en": "…"}])]


class EntryShipModel(DesignForm):
    """A ship: what is entered of it, once for all teams, and on which cards it is."""

    name: Name
    cards: Annotated[dict[str, Name], Field(description="By team; a team may have none of it.")]
    looked_at: Annotated[list[Name], Field(description="Cards on which somebody found it so.")]
    turned: Annotated[
        list[Name], Field(description="Cards whose pictures seem to lie the other way up.")
    ]
    revision: Annotated[int, Field(ge=0, description="To be given back with a change.")]
    can_undo: bool
    can_redo: bool
    problems: Annotated[list[Words], Field(description="What the deck's reader says of it alone.")]


class CalledModel(Model):
    """What fields are called, for a page that knows no game."""

    designs: Literal["ships"]
    weapons: Literal["lasers"]


class EntryModel(Model):
    """What is entered by hand of a deck so far."""

    schema_: Annotated[Literal["sightline/deck-entry@1"], Field(alias="schema")]
    name: Name
    called: CalledModel
    card: SizeModel
    teams: list[Name]
    asteroids: list[Name]
    strange: Annotated[list[Name], Field(description="Cards whose names say nothing.")]
    ships: list[EntryShipModel]
    problems: Annotated[list[Words], Field(description="All that the deck's reader says.")]
    is_played: Annotated[bool, Field(description="Whether the deck is played by just this.")]


def entry_to_json(
    entry: Entry,
    document: dict[str, Any],
    cards: Sequence[str],
    deck: Deck,
    find_turned: FindTurned,
) -> dict[str, Any]:
    """Return what is entered of a deck, step by step, and what its reader says of it.

    ``document`` is the deck file of the entry
    (:func:`~vision.games.light_speed.entering.deck_document`), ``deck`` what is played now.
    ``find_turned`` tells of cards of one design whose pictures lie the other way up than the first
    one's.
    """
    size = {side: document["card"][side] for side in ("width_mm", "height_mm")}
    ships = []
    for ship in document["ships"]:
        by_team = {team: f"{team}-{ship['name']}" for team in document["teams"]}
        there = {team: card for team, card in by_team.items() if card in cards}
        told = _ship(ship, entry.get(ship["name"], Steps()), there)
        alone = problems_of_ship(ship, (size["width_mm"], size["height_mm"]))
        problems = [_said(one) for one in alone]
        turned = list(find_turned(tuple(there.values())))
        ships.append({**told, "turned": turned, "problems": problems})
    return {
        "schema": "sightline/deck-entry@1",
        "name": deck.name,
        "called": {"designs": "ships", "weapons": "lasers"},
        "card": size,
        "teams": document["teams"],
        "asteroids": document["asteroids"],
        "strange": list(find_fleet(cards).strange),
        "ships": ships,
        "problems": [_said(one) for one in problems_of(document, cards)],
        "is_played": _is_played(document, deck),
    }


def _ship(ship: dict[str, Any], steps: Steps, cards: dict[str, str]) -> dict[str, Any]:
    return {
        "name": ship["name"],
        **steps.now.model_dump(),
        "cards": cards,
        "looked_at": list(steps.looked_at),
        "revision": steps.revision,
        "can_undo": bool(steps.past),
        "can_redo": bool(steps.future),
    }


def _said(problem: Message) -> dict[str, str]:
    return {language: words(language).tell(problem) for language in LANGUAGES}


def _is_played(document: dict[str, Any], deck: Deck) -> bool:
    """Tell whether a deck does what a deck file says, wherever its values are from."""
    form, problems = check_document(document)
    if form is None or problems:
        return False
    told = deck_of_form(form)
    one, other = ([replace(ship, provenance="") for ship in d.ships] for d in (told, deck))
    return (told.teams, told.asteroids, one) == (deck.teams, deck.asteroids, other)
