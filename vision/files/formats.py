"""JSON in and out: tables are read with every mistake named by its place; the rest is written.

Files are in millimetres and degrees, values in millimetres and radians. The forms themselves are
in ``vision.files.schemas``, the writers in ``vision.files.to_json``.
"""

import difflib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import ValidationError
from shapely.geometry import Polygon
from shapely.validation import explain_validity

from vision.errors import TableFormatError
from vision.files.schemas import (
    CardModel,
    ObjectModel,
    PrintModel,
    RulesModel,
    RulingModel,
    TableModel,
    json_schema,
)
from vision.files.to_json import resolution_to_json, scan_to_json, table_to_json
from vision.games.light_speed.deck import card_ids, list_decks, load_deck
from vision.games.light_speed.roster import is_face_down, is_unreadable, ships_of
from vision.games.light_speed.values import Deck, RuleOptions, Ruling, TableObject, TableState
from vision.geometry import wrap_angle
from vision.values.arrays import FloatArray
from vision.values.layout import PlacedCard, PrintOffset

__all__ = [
    "json_schema",
    "read_table",
    "resolution_to_json",
    "scan_to_json",
    "table_to_json",
]

Json = dict[str, Any]

_TO_DEG = np.array([1.0, 1.0, math.degrees(1.0)])
_SYMMETRY = 1e-9  # relative: files may round, but not by more
_SHOWN = 40  # characters of a wrong value in a message


# --- reading a table -------------------------------------------------------------------------


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
    if isinstance(source, str):
        source = source.removeprefix("\ufeff")  # some editors begin a file with it
    document = _parse(source) if isinstance(source, str | bytes) else source
    try:
        model = TableModel.model_validate(document)
    except ValidationError as error:
        raise TableFormatError(_first_of(_form_problems(error))) from error
    if deck is None:
        if model.deck not in list_decks():
            known = ", ".join(list_decks())
            msg = f"deck: no deck is called {_shown(model.deck)}; the known decks are {known}"
            raise TableFormatError(msg)
        deck = load_deck(model.deck)
    problems = list(_content_problems(model, deck))
    if problems:
        raise TableFormatError(_first_of(problems))
    return TableState(
        cards=tuple(_to_card(card) for card in model.cards),
        objects=tuple(_to_object(thing) for thing in model.objects),
        rules=_to_rules(model.rules),
        game=model.game,
        deck=model.deck,
        rulings=tuple(Ruling(r.ship, r.laser, r.target, r.shielded) for r in model.rulings),
    )


def _parse(text: str | bytes) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        msg = f"not a text file in UTF-8 (byte {error.start})"
        raise TableFormatError(msg) from error
    except json.JSONDecodeError as error:
        msg = f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
        raise TableFormatError(msg) from error
    except (RecursionError, ValueError) as error:  # too deep, or a number of 4300 digits
        msg = f"not a table file: {error}"
        raise TableFormatError(msg) from error


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found: Json = {}
    for key, value in pairs:
        if key in found:
            msg = f"the field {_shown(key)} is there twice in one object"
            raise TableFormatError(msg)
        found[key] = value
    return found


def _no_constant(name: str) -> float:
    msg = f"{name} is not a number of JSON"
    raise TableFormatError(msg)


def _first_of(problems: Sequence[str]) -> str:
    more = len(problems) - 1
    return problems[0] + (f" (and {more} more)" if more else "")


# --- mistakes of form ------------------------------------------------------------------------

_EXPECTED = {  # pydantic's error type -> what was expected; {…} are filled from its context
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "string_type": "text in quotes",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "literal_error": "{expected}",
    "greater_than_equal": "{ge:g} or more",
    "less_than_equal": "{le:g} or less",
    "too_short": "{min_length} entries or more",
    "too_long": "{max_length} entries or fewer",
    "string_too_short": "a name",
    "string_too_long": "a name of {max_length} characters or fewer",
}


def _form_problems(error: ValidationError) -> list[str]:
    """Name every mistake of form; fields with a wrong name come before those that are missing."""
    found = []
    for item in error.errors(include_url=False):
        place, kind, value = item["loc"], item["type"], item["input"]
        if kind == "missing":
            found.append((1, f"{_place(place)}: is missing"))
        elif kind == "extra_forbidden":
            found.append((0, f"{_place(place)}: {_unknown_field(place)}"))
        else:
            words = _EXPECTED.get(kind)
            expected = words.format(**item.get("ctx", {})) if words else item["msg"]
            expected = expected.replace("'", '"')
            found.append((1, f"{_place(place)}: expected {expected}, got {_shown(value)}"))
    return [text for _, text in sorted(found, key=lambda pair: pair[0])]


def _place(loc: Sequence[int | str]) -> str:
    """Write ``("cards", 3, "x_mm")`` as ``cards[3].x_mm``."""
    path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in loc)
    return path.lstrip(".") or "the file"


def _unknown_field(loc: Sequence[int | str]) -> str:
    models: dict[str, Any] = {
        "cards": CardModel,
        "objects": ObjectModel,
        "rules": RulesModel,
        "rulings": RulingModel,
    }
    model = models.get(str(loc[0]), TableModel) if len(loc) > 1 else TableModel
    known = [field.alias or name for name, field in model.model_fields.items()]
    return f"unknown field; {_hint(str(loc[-1]), known)}"


def _hint(word: str, known: Sequence[str]) -> str:
    lower = word.lower()
    begun = [name for name in known if lower and name.startswith(lower)]
    close = [*difflib.get_close_matches(lower, known, n=1), *begun]
    if close:
        return f'did you mean "{close[0]}"?'
    return f"expected one of {', '.join(known)}" if len(known) < 12 else "see deck show for them"


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


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
            no_card = f'the deck "{deck.name}" has no card {_shown(card.card)}'
            yield f"{place}: {no_card}; {_hint(card.card, known)}"
        elif card.card in places:
            yield f'{place}: "{card.card}" is there already ({places[card.card]}); once is all'
        places.setdefault(card.card, place)
        if card.covariance is not None:
            reason = _covariance_problem(np.array(card.covariance))
            if reason:
                yield f"cards[{i}].covariance: {reason}"
        if card.print is not None and card.print.covariance is not None:
            reason = _covariance_problem(np.array(card.print.covariance))
            if reason:
                yield f"cards[{i}].print.covariance: {reason}"
    for i, thing in enumerate(model.objects):
        place = f"objects[{i}].id"
        if thing.id in places:
            yield f"{place}: {_shown(thing.id)} is there already ({places[thing.id]})"
        elif thing.id in names or is_face_down(thing.id) or is_unreadable(thing.id):
            yield f"{place}: {_shown(thing.id)} is the id of a card; choose another"
        places.setdefault(thing.id, place)
        reason = _outline_problem(thing.outline_mm)
        if reason:
            yield f"objects[{i}].outline_mm: {reason}"
    for i, team in enumerate(model.rules.teams or ()):
        if team not in deck.teams:
            yield f"rules.teams[{i}]: no team {_shown(team)}; {_hint(team, deck.teams)}"
        elif team in (model.rules.teams or ())[:i]:
            yield f'rules.teams[{i}]: "{team}" is named already'
    things = {thing.id for thing in model.objects}
    yield from _ruling_problems(model, deck, names | things)


def _ruling_problems(model: TableModel, deck: Deck, names: set[str]) -> Iterator[str]:
    """Name rulings that cannot be; one about a card that is not on the table can."""
    ships = ships_of(deck)
    ruled: dict[tuple[str, int], int] = {}
    for i, ruling in enumerate(model.rulings):
        place = f"rulings[{i}]"
        if ruling.ship not in ships:
            hint = _hint(ruling.ship, tuple(ships))
            yield f"{place}.ship: expected a ship, got {_shown(ruling.ship)}; {hint}"
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
            hint = _hint(target, tuple(names))
            yield f"{place}.target: no card is called {_shown(target)}; {hint}"
        key = (ruling.ship, ruling.laser)
        if ruled.setdefault(key, i) != i:
            yield f"{place}: this shot is ruled already (rulings[{ruled[key]}]); once is all"


def _covariance_problem(covariance: FloatArray) -> str | None:
    scale = float(np.abs(covariance).max())
    if float(np.abs(covariance - covariance.T).max()) > _SYMMETRY * scale:
        return "expected a symmetric matrix"
    if float(np.linalg.eigvalsh((covariance + covariance.T) / 2).min()) < -_SYMMETRY * scale:
        return "expected a covariance: a matrix without negative variances"
    return None


def _outline_problem(outline: Sequence[Sequence[float]]) -> str | None:
    polygon = Polygon(outline)
    if polygon.convex_hull.area == 0:
        return "expected an outline with an area; these corners lie on one line"
    if not polygon.is_valid:
        return f"expected corners in order, once round; {explain_validity(polygon).lower()}"
    return None


# --- model -> value --------------------------------------------------------------------------


def _to_card(card: CardModel) -> PlacedCard:
    covariance = None
    if card.covariance is not None:
        covariance = np.array(card.covariance) / np.outer(_TO_DEG, _TO_DEG)
    theta = wrap_angle(math.radians(card.theta_deg))
    printed = None if card.print is None else _to_print(card.print)
    return PlacedCard(card.card, card.x_mm, card.y_mm, theta, covariance, card.confidence, printed)


def _to_print(printed: PrintModel) -> PrintOffset:
    covariance = None
    if printed.covariance is not None:
        covariance = np.array(printed.covariance) / np.outer(_TO_DEG, _TO_DEG)
    turn = wrap_angle(math.radians(printed.turn_deg))
    return PrintOffset(printed.x_mm, printed.y_mm, turn, covariance)


def _to_object(thing: ObjectModel) -> TableObject:
    return TableObject(thing.id, thing.kind, np.array(thing.outline_mm))


def _to_rules(rules: RulesModel) -> RuleOptions:
    fields = rules.model_dump()
    teams = fields.pop("teams")
    return RuleOptions(**fields, teams=None if teams is None else tuple(teams))
