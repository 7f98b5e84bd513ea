"""Light Speed's tables and resolutions <-> JSON, with every mistake named by its place.

Files are in millimetres and degrees, values in millimetres and radians.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from shapely.geometry import Polygon
from shapely.validation import explain_validity

from vision.errors import TableFormatError
from vision.files.codec import to_document
from vision.files.documents import first_of, hint_at, read_document, shown
from vision.games.light_speed.deck import card_ids, list_decks, load_deck
from vision.games.light_speed.roster import is_card, ships_of
from vision.games.light_speed.values import Deck, Resolution, TableState
from vision.games.light_speed.words import words
from vision.values.arrays import Points

__all__ = ["read_table", "resolution_to_json", "table_to_json"]

Json = dict[str, Any]


def read_table(source: str | bytes | Mapping[str, Any], deck: Deck | None = None) -> TableState:
    """Read a table file; angles in (-pi, pi].

    ``deck`` is the one it must be of; by default the one it names, among those that come with the
    program.
    """
    table = read_document(source, TableState, "table")
    if deck is None:
        if table.deck not in list_decks():
            known = ", ".join(list_decks())
            msg = f"deck: no deck is called {shown(table.deck)}; the known decks are {known}"
            raise TableFormatError(msg)
        deck = load_deck(table.deck)
    problems = list(_content_problems(table, deck))
    if problems:
        raise TableFormatError(first_of(problems))
    return replace(table, missing=tuple(one for one in table.missing if one in deck.asteroids))


def table_to_json(table: TableState) -> Json:
    """Return a table as ``sightline/table@1``: plain lists, dicts and numbers.

    What may be left out (covariance, confidence 1, no objects, our own rules at their defaults)
    is left out.
    """
    return to_document("table", table, first=("game", "deck", "rules"))


def resolution_to_json(resolution: Resolution, *, language: str = "en") -> Json:
    """Return a resolution as ``sightline/resolution@1``, its sentences in a language.

    A margin is null where no shift of the beam changes what it hits.
    """
    return to_document("resolution", resolution, words(language))


# --- mistakes of content ---------------------------------------------------------------------


def _content_problems(table: TableState, deck: Deck) -> Iterator[str]:
    if table.deck != deck.name:
        yield f'deck: this is a table of the deck "{table.deck}", and "{deck.name}" is in use'
        return
    known = card_ids(deck)
    places: dict[str, str] = {}
    for i, card in enumerate(table.cards):
        place = f"cards[{i}].card"
        name = card.card_id
        if not is_card(name, known):
            no_card = f'the deck "{deck.name}" has no card {shown(name)}'
            yield f"{place}: {no_card}; {hint_at(name, known)}"
        elif name in places:
            yield f'{place}: "{name}" is there already ({places[name]}); once is all'
        places.setdefault(name, place)
        for k, one in enumerate(card.may_be):
            if not (one.piece is None or is_card(one.piece, known)):
                no_card = f"no card {shown(one.piece)}; {hint_at(one.piece, known)}"
                yield f"cards[{i}].may_be[{k}].card: {no_card}"
    for i, thing in enumerate(table.objects):
        place = f"objects[{i}].id"
        if thing.id in places:
            yield f"{place}: {shown(thing.id)} is there already ({places[thing.id]})"
        elif is_card(thing.id, known):
            yield f"{place}: {shown(thing.id)} is the id of a card; choose another"
        places.setdefault(thing.id, place)
        reason = _outline_problem(thing.outline_mm)
        if reason:
            yield f"objects[{i}].outline_mm: {reason}"
    for i, team in enumerate(table.rules.teams or ()):
        if team not in deck.teams:
            yield f"rules.teams[{i}]: no team {shown(team)}; {hint_at(team, deck.teams)}"
        elif team in (table.rules.teams or ())[:i]:
            yield f'rules.teams[{i}]: "{team}" is named already'
    names = (*known, *(thing.id for thing in table.objects))
    yield from _ruling_problems(table, deck, names)


def _ruling_problems(table: TableState, deck: Deck, names: tuple[str, ...]) -> Iterator[str]:
    """Name rulings that cannot be; one about a card that is not on the table can."""
    ships = ships_of(deck)
    ruled: dict[tuple[str, int], int] = {}
    for i, ruling in enumerate(table.rulings):
        place = f"rulings[{i}]"
        if ruling.ship not in ships:
            hint = hint_at(ruling.ship, tuple(ships))
            yield f"{place}.ship: expected a ship, got {shown(ruling.ship)}; {hint}"
        elif ruling.laser >= len(ships[ruling.ship][1].lasers):
            count = len(ships[ruling.ship][1].lasers)
            yield f"{place}.laser: {ruling.ship} has {count}, counted from 0; got {ruling.laser}"
        target = ruling.target
        if target == ruling.ship:
            yield f"{place}.target: a ship's own card never stops its beam"
        elif not (target is None or is_card(target, names)):
            hint = hint_at(target, names)
            yield f"{place}.target: no card is called {shown(target)}; {hint}"
        key = (ruling.ship, ruling.laser)
        if ruled.setdefault(key, i) != i:
            yield f"{place}: this shot is ruled already (rulings[{ruled[key]}]); once is all"


def _outline_problem(outline: Points) -> str | None:
    polygon = Polygon(outline)
    if polygon.convex_hull.area == 0:
        return "expected an outline with an area; these corners lie on one line"
    if not polygon.is_valid:
        return f"expected corners in order, once round; {explain_validity(polygon).lower()}"
    return None
