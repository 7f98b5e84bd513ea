"""A table of the toy game as text or JSON, and back.

::

    sun a1 e            # a token: its square, where it looks
    moon c1 w 0.7 or c1 s 0.3
    die 4
    rule wins=least
"""

from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from tests.games.toy.rules import BOARD
from tests.games.toy.values import SPOTS, TOKENS, WAYS, Readings, ToyOptions, ToyTable, Value
from vision.errors import TableFormatError
from vision.files.documents import read_document
from vision.files.schemas import Model
from vision.judging.notation import at_line, lines_of
from vision.judging.options import options_from_json, options_to_json, parse_options

__all__ = ["parse", "parse_value", "to_json"]


class _TableModel(Model):
    """The form of a table in JSON: what each spot holds, as in the notation."""

    schema_: Literal["sightline/table@1"] = Field(alias="schema")
    game: Literal["toy"]
    pieces: dict[Literal["sun", "moon", "die"], str]
    rules: dict[str, Any] = Field(default_factory=dict)


def parse(text: str) -> ToyTable:
    """Read a table from text, or from JSON."""
    if text.lstrip().startswith("{"):
        document = read_document(text, _TableModel)
        said = "\n".join(f"{spot} {value}" for spot, value in document.pieces.items())
        return replace(parse(said), options=options_from_json(ToyOptions, document.rules))
    readings: dict[str, Readings] = {}
    settings: list[str] = []
    for number, line in lines_of(text):
        with at_line(number):
            word, _, rest = line.partition(" ")
            if word == "rule":
                settings.append(rest)
            elif word in SPOTS:
                readings[word] = tuple(_reading(word, part) for part in rest.split(" or "))
            elif line != "game toy":
                msg = f"{line!r}; needed one like: sun a1 e, die 4, rule wins=least"
                raise TableFormatError(msg)
    missing = [spot for spot in SPOTS if spot not in readings]
    if missing:
        msg = f"nothing is said of {' and '.join(missing)}; add a line like: sun a1 e, die 4"
        raise TableFormatError(msg)
    options = parse_options(ToyOptions, settings)
    return ToyTable({spot: readings[spot] for spot in SPOTS}, options)


def _reading(spot: str, text: str) -> tuple[Value, float]:
    words = text.split()
    size = 2 if spot in TOKENS else 1
    chance = float(words[size]) if len(words) > size else 1.0
    return parse_value(spot, words[:size]), chance


def parse_value(spot: str, words: list[str]) -> Value:
    """Read what a spot holds: a square and a way, or pips."""
    if spot in TOKENS and len(words) == 2 and words[0] in BOARD.names and words[1] in WAYS:
        return words[0], words[1]
    if spot == "die" and len(words) == 1 and words[0] in tuple("123456"):
        return int(words[0])
    msg = f"{spot} {' '.join(words)}: needed a square a1 to c3 and one of n e s w, or pips 1 to 6"
    raise TableFormatError(msg)


def to_json(table: ToyTable) -> dict[str, Any]:
    """Write a table as JSON: each spot as in the notation."""
    pieces = {}
    for spot, several in table.readings.items():
        said = [
            f"{v if isinstance(v, int) else ' '.join(v)}{'' if p == 1 else f' {p:.6g}'}"
            for v, p in several
        ]
        pieces[spot] = " or ".join(said)
    rules = options_to_json(table.options)
    return {"schema": "sightline/table@1", "game": "toy", "pieces": pieces, "rules": rules}
