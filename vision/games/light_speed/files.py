"""Table file -> table: Light Speed's tables are read with every mistake named by its place.

Files are in millimetres and degrees, values in millimetres and radians.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from shapely.geometry import Polygon
from shapely.validation import explain_validity

from vision.errors import TableFormatError
from vision.files.documents import first_of, hint_at, read_document, shown
from vision.files.layouts import covariance_problem, to_card
from vision.files.schemas import CardModel
from vision.games.light_speed.claims import claim_from_json
from vision.games.light_speed.deck import card_ids, list_decks, load_deck
from vision.games.light_speed.roster import is_face_down, is_unreadable, ships_of
from vision.games.light_speed.schemas import ObjectModel, RulesModel, TableModel, UnseenModel
from vision.games.light_speed.values import Deck, RuleOptions, Ruling, TableObject, TableState
from vision.values.layout import MissingCard

__all__ = ["read_table"]


def read_table(source: str | bytes | Mapping[str, Any], deck: Deck | None = None) -> TableState:
    """Read a table file.

    Parameters
    ----------
    source : str, bytes or mapping
        JSON text, or what it parses to, in the form ``sightline/table@1``.
    deck : Deck, optional
        The deck it must be of; by default the one it names, among those that come with the
        program.

    Returns
    -------
    TableState
        In the order of the file; angles in (-pi, pi].

    Raises
    ------
    TableFormatError
        With the place of the first mistake, such as ``cards[3].theta_deg: expected a number, got
        "north"``, and how many more there are.
    """
    model = read_document(source, TableModel)
    if deck is None:
        if model.deck not in list_decks():
            known = ", ".join(list_decks())
            msg = f"deck: no deck is called {shown(model.deck)}; the known decks are {known}"
            raise TableFormatError(msg)
        deck = load_deck(model.deck)
    problems = list(_content_problems(model, deck))
    if problems:
        raise TableFormatError(first_of(problems))
    return TableState(
        cards=tuple(to_card(card) for card in model.cards),
        objects=tuple(_to_object(thing) for thing in model.objects),
        rules=_to_rules(model.rules),
        game=model.game,
        deck=model.deck,
        rulings=tuple(Ruling(r.ship, r.laser, r.target, r.shielded) for r in model.rulings),
        claims=tuple(claim_from_json(one.model_dump()) for one in model.claims),
        unseen=tuple(_to_unseen(one) for one in model.unseen),
        missing=tuple(name for name in model.missing if name in deck.asteroids),
    )


def _to_unseen(one: UnseenModel) -> MissingCard:
    x_px, y_px = one.at_px
    return MissingCard(one.code, (x_px, y_px), one.x_mm, one.y_mm, one.spread_mm, one.chance)


# --- mistakes of content ---------------------------------------------------------------------


def _content_problems(model: TableModel, deck: Deck) -> Iterator[str]:
    if model.deck != deck.name:
        yield f'deck: this is a table of the deck "{model.deck}", and "{deck.name}" is in use'
        return
    known = card_ids(deck)
    names = set(known)
    places: dict[str, str] = {}
    for i, card in enumerate(model.cards):
        place = f"cards[{i}].card"
        if not (card.card in names or is_face_down(card.card) or is_unreadable(card.card)):
            no_card = f'the deck "{deck.name}" has no card {shown(card.card)}'
            yield f"{place}: {no_card}; {hint_at(card.card, known)}"
        elif card.card in places:
            yield f'{place}: "{card.card}" is there already ({places[card.card]}); once is all'
        places.setdefault(card.card, place)
        yield from _reading_problems(i, card, known)
        if card.covariance is not None:
            reason = covariance_problem(np.array(card.covariance))
            if reason:
                yield f"cards[{i}].covariance: {reason}"
        if card.print is not None and card.print.covariance is not None:
            reason = covariance_problem(np.array(card.print.covariance))
            if reason:
                yield f"cards[{i}].print.covariance: {reason}"
    for i, thing in enumerate(model.objects):
        place = f"objects[{i}].id"
        if thing.id in places:
            yield f"{place}: {shown(thing.id)} is there already ({places[thing.id]})"
        elif thing.id in names or is_face_down(thing.id) or is_unreadable(thing.id):
            yield f"{place}: {shown(thing.id)} is the id of a card; choose another"
        places.setdefault(thing.id, place)
        reason = _outline_problem(thing.outline_mm)
        if reason:
            yield f"objects[{i}].outline_mm: {reason}"
    for i, team in enumerate(model.rules.teams or ()):
        if team not in deck.teams:
            yield f"rules.teams[{i}]: no team {shown(team)}; {hint_at(team, deck.teams)}"
        elif team in (model.rules.teams or ())[:i]:
            yield f'rules.teams[{i}]: "{team}" is named already'
    things = {thing.id for thing in model.objects}
    yield from _ruling_problems(model, deck, names | things)


def _reading_problems(i: int, card: CardModel, known: Sequence[str]) -> Iterator[str]:
    """Say what is wrong with what a card may be instead."""
    for k, one in enumerate(card.may_be):
        name = one.card
        if name is not None and not (name in known or is_face_down(name) or is_unreadable(name)):
            yield f"cards[{i}].may_be[{k}].card: no card {shown(name)}; {hint_at(name, known)}"
    try:
        to_card(card)
    except ValueError as error:
        yield f"cards[{i}].may_be: {error}"


def _ruling_problems(model: TableModel, deck: Deck, names: set[str]) -> Iterator[str]:
    """Name rulings that cannot be; one about a card that is not on the table can."""
    ships = ships_of(deck)
    ruled: dict[tuple[str, int], int] = {}
    for i, ruling in enumerate(model.rulings):
        place = f"rulings[{i}]"
        if ruling.ship not in ships:
            hint = hint_at(ruling.ship, tuple(ships))
            yield f"{place}.ship: expected a ship, got {shown(ruling.ship)}; {hint}"
        elif ruling.laser >= len(ships[ruling.ship][1].lasers):
            count = len(ships[ruling.ship][1].lasers)
            yield f"{place}.laser: {ruling.ship} has {count}, counted from 0; got {ruling.laser}"
        target = ruling.target
        if target is None:
            if ruling.shielded:
                yield f"{place}.shielded: space (a target of null) has no shield"
        elif target == ruling.ship:
            yield f"{place}.target: a ship's own card never stops its beam"
        elif not (target in names or is_face_down(target) or is_unreadable(target)):
            hint = hint_at(target, tuple(names))
            yield f"{place}.target: no card is called {shown(target)}; {hint}"
        key = (ruling.ship, ruling.laser)
        if ruled.setdefault(key, i) != i:
            yield f"{place}: this shot is ruled already (rulings[{ruled[key]}]); once is all"


def _outline_problem(outline: Sequence[Sequence[float]]) -> str | None:
    polygon = Polygon(outline)
    if polygon.convex_hull.area == 0:
        return "expected an outline with an area; these corners lie on one line"
    if not polygon.is_valid:
        return f"expected corners in order, once round; {explain_validity(polygon).lower()}"
    return None


# --- model -> value --------------------------------------------------------------------------


def _to_object(thing: ObjectModel) -> TableObject:
    return TableObject(thing.id, thing.kind, np.array(thing.outline_mm))


def _to_rules(rules: RulesModel) -> RuleOptions:
    fields = rules.model_dump()
    teams = fields.pop("teams")
    return RuleOptions(**fields, teams=None if teams is None else tuple(teams))
