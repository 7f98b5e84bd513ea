"""Documents that people wrote -> JSON: every mistake of form named by its place."""

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from vision.errors import TableFormatError
from vision.judging.notation import lines_of

__all__ = [
    "decode",
    "first_fault",
    "first_of",
    "hint_at",
    "is_json",
    "names_in",
    "parse",
    "read_document",
    "shown",
]

Json = dict[str, Any]
Form = TypeVar("Form", bound=BaseModel)

_NAMES = ("game", "deck")
_SHOWN = 40  # characters of a wrong value in a message
_PLACE = 80  # characters of a place in one: a file from elsewhere may name its fields at length


def decode(encoded: bytes) -> str:
    """Read a text file: UTF-8, or what JSON may be written in besides.

    Raises
    ------
    TableFormatError
        If it is no text.
    """
    try:
        return encoded.decode(json.detect_encoding(encoded))
    except UnicodeDecodeError as error:
        msg = f"not a text file in UTF-8 (byte {error.start})"
        raise TableFormatError(msg) from error


def read_document(source: str | bytes | Mapping[str, Any], form: type[Form]) -> Form:
    """Bring JSON text, or what it parses to, into a form.

    Raises
    ------
    TableFormatError
        With the place of the first mistake, such as ``cards[3].theta_deg: expected a number, got
        "north"``, and how many more there are.
    """
    document = parse(source) if isinstance(source, str | bytes) else source
    try:
        return form.model_validate(document)
    except ValidationError as error:
        raise TableFormatError(first_of(_form_problems(error, form))) from error


def is_json(text: str) -> bool:
    """Tell whether a table's text is meant as JSON, not as notation; nothing is no table."""
    return text.lstrip("\ufeff \t\r\n")[:1] in ("", "{", "[")


def parse(source: str | bytes) -> Any:
    """Parse JSON, strictly.

    Raises
    ------
    TableFormatError
        With line and column of what is no JSON.
    """
    text = decode(source) if isinstance(source, bytes) else source
    text = text.removeprefix("\ufeff")  # some editors begin a file with it
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
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
            msg = f"the field {shown(key)} is there twice in one object"
            raise TableFormatError(msg)
        found[key] = value
    return found


def _no_constant(name: str) -> float:
    msg = f"{name} is not a number of JSON"
    raise TableFormatError(msg)


def names_in(text: str) -> dict[str, str]:
    """Return the game and the deck that a table names, JSON or notation; nothing else is looked at.

    >>> names_in("jeu tiny  # a remark")
    {'game': 'tiny'}
    """
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        lines = (part.split() for _, line in lines_of(text) for part in line.split(";"))
        return {line[0]: line[1] for line in lines if len(line) == 2 and line[0] in _NAMES}
    if not isinstance(document, dict):
        return {}
    return {name: document[name] for name in _NAMES if isinstance(document.get(name), str)}


def first_of(problems: Sequence[str]) -> str:
    """Tell the first mistake, and how many more there are."""
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


def _form_problems(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Name every mistake of form; fields with a wrong name come before those that are missing."""
    found = []
    for item in error.errors(include_url=False):
        place, kind, value = item["loc"], item["type"], item["input"]
        if kind == "missing":
            found.append((1, f"{_place(place)}: is missing"))
        elif kind == "extra_forbidden":
            found.append((0, f"{_place(place)}: {_unknown_field(place, model)}"))
        else:
            words = _EXPECTED.get(kind)
            expected = words.format(**item.get("ctx", {})) if words else item["msg"]
            expected = expected.replace("'", '"')
            found.append((1, f"{_place(place)}: expected {expected}, got {shown(value)}"))
    return [text for _, text in sorted(found, key=lambda pair: pair[0])]


def first_fault(error: ValidationError) -> str:
    """Say what is wrong first in a file that the program itself wrote: ``face.3.cards: …``."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place[:_PLACE]}: {first['msg']}"


def _place(loc: Sequence[int | str]) -> str:
    """Write ``("cards", 3, "x_mm")`` as ``cards[3].x_mm``."""
    path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in loc)
    return path.lstrip(".") or "the file"


def _unknown_field(loc: Sequence[int | str], model: type[BaseModel]) -> str:
    for key in loc[:-1]:
        field = model.model_fields.get(str(key))
        inner = None if field is None else _model_in(field.annotation)
        model = model if inner is None else inner
    known = [field.alias or name for name, field in model.model_fields.items()]
    return f"unknown field; {hint_at(str(loc[-1]), known)}"


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the form that a field holds, by itself, in a list, or with None beside it."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(inner) for inner in get_args(annotation))
    return next((model for model in found if model is not None), None)


def hint_at(word: str, known: Sequence[str]) -> str:
    """Say which of the known words may be meant."""
    lower = word.lower()
    begun = [name for name in known if lower and name.startswith(lower)]
    close = [*difflib.get_close_matches(lower, known, n=1), *begun]
    if close:
        return f'did you mean "{close[0]}"?'
    return f"expected one of {', '.join(known)}" if len(known) < 12 else "see deck show for them"


def shown(value: Any) -> str:
    """Write a wrong value, shortened."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
