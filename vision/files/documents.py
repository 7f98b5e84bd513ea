"""Documents that people wrote -> JSON: every mistake of form named by its place."""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from vision.errors import TableFormatError
from vision.judging.notation import lines_of

__all__ = [
    "adapter_of",
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
Problem: TypeAlias = tuple[int, str]  # what is told first, and a mistake in words
Form = TypeVar("Form")

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


def read_document(
    source: str | bytes | Mapping[str, Any],
    form: type[Form],
    kind: str | None = None,
    **head: str,
) -> Form:
    """Bring JSON text, or what it parses to, into a form: a model, or a frozen dataclass.

    Parameters
    ----------
    source : str, bytes or mapping
        A document; a field that the form does not know is a mistake.
    form : type
        A type that :mod:`vision.files.codec` writes.
    kind : str, optional
        Of a file that names its form in ``schema``: ``table`` for ``sightline/table@1``.
    **head : str
        What else stands at its head, beside the form; only a ``deck`` may be left out.

    Raises
    ------
    TableFormatError
        With the place of the first mistake, such as ``cards[3].theta_deg: expected a number, got
        "north"``, and how many more there are.
    """
    document = parse(source) if isinstance(source, str | bytes) else source
    problems: list[Problem] = []
    if kind is not None:
        head = {"schema": f"sightline/{kind}@1", **head}
    if isinstance(document, Mapping):
        problems = list(_header_problems(document, head))
        document = {name: value for name, value in document.items() if name not in head}
    codec = adapter_of(cast("Any", form))
    try:
        encoded = json.dumps(document, default=repr)  # of JSON dataclasses are read as strictly
        value: Form = codec.validate_json(encoded, strict=True, extra="forbid", by_alias=True)
    except ValidationError as error:
        problems += _form_problems(error, codec, [*head])
    if problems:
        problems.sort(key=lambda problem: problem[0])
        raise TableFormatError(first_of([text for _, text in problems]))
    return value


@cache
def adapter_of(form: Any) -> TypeAdapter[Any]:
    """Return what reads and writes a form."""
    return TypeAdapter(form)


def _header_problems(document: Mapping[str, Any], head: Mapping[str, str]) -> Iterator[Problem]:
    for name, value in head.items():
        if name not in document and name != "deck":
            yield 1, f"{name}: is missing"
        elif document.get(name, value) != value:
            yield 1, f'{name}: expected "{value}", got {shown(document[name])}'


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
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "dataclass_type": "an object",
    "literal_error": "{expected}",
    "greater_than_equal": "{ge:g} or more",
    "less_than_equal": "{le:g} or less",
    "too_short": "{min_length} entries or more",
    "too_long": "{max_length} entries or fewer",
    "string_too_short": "a name",
    "string_too_long": "a name of {max_length} characters or fewer",
}
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")


def _form_problems(
    error: ValidationError, codec: TypeAdapter[Any], head: list[str]
) -> Iterator[Problem]:
    """Yield every mistake of form; fields with a wrong name come before those that are missing."""
    for item in error.errors(include_url=False):
        loc, kind, value, context = item["loc"], item["type"], item["input"], item.get("ctx", {})
        place = _place(loc)
        if kind == "missing":
            yield 1, f"{place}: is missing"
        elif kind in _UNKNOWN:
            known = [*head, *_fields(loc, codec)] if len(loc) == 1 else _fields(loc, codec)
            yield 0, f"{place}: unknown field; {hint_at(str(loc[-1]), known)}"
        elif kind == "value_error":  # a value's own word
            yield 1, f"{place}: {context['error']}"
        else:
            words = _EXPECTED.get(kind)
            expected = (words.format(**context) if words else item["msg"]).replace("'", '"')
            yield 1, f"{place}: expected {expected}, got {shown(value)}"


def _fields(loc: Sequence[int | str], codec: TypeAdapter[Any]) -> list[str]:
    """Return the names of the fields beside an unknown one, by the schema of its form."""
    whole = codec.json_schema()
    at = _inside(whole, whole)
    for name in loc[:-1]:
        at = _inside(at.get("properties", {}).get(name, at), whole)
    return [*at.get("properties", {})]


def _inside(schema: Json, whole: Json) -> Json:
    """Return the form of what a schema holds: by itself, in a list, or with null beside it."""
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    choices = schema.get("anyOf") or schema.get("oneOf") or ()
    inner = next((one for one in choices if one != {"type": "null"}), None)
    inner = inner or schema.get("items") or schema.get("additionalProperties")
    return _inside(inner, whole) if inner else schema


def first_fault(error: ValidationError) -> str:
    """Say what is wrong first in a file that the program itself wrote: ``face.3.cards: …``."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place[:_PLACE]}: {first['msg']}"


def _place(loc: Sequence[int | str]) -> str:
    """Write ``("cards", 3, "x_mm")`` as ``cards[3].x_mm``."""
    path = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in loc)
    return path.lstrip(".") or "the file"


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
