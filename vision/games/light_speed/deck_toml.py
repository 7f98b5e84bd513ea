"""A deck file as a document -> its text: TOML, as people write it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["deck_to_toml"]

_PARTS = ("lasers", "shields")
_HEAD = (
    "# What the cards of a deck do. Millimetres and degrees, card frame: origin at the card's\n"
    "# centre, x right, y down, headings clockwise from up.\n"
)


def deck_to_toml(document: Mapping[str, Any]) -> str:
    """Write a deck file; reading it gives the document again."""
    tables = [_lines(document, ("card", "ships")), "\n[card]\n" + _lines(document["card"])]
    for ship in document["ships"]:
        tables.append("\n[[ships]]\n" + _lines(ship, _PARTS))
        tables += [
            f"\n[[ships.{part}]]\n{_lines(one)}" for part in _PARTS for one in ship.get(part, ())
        ]
    return f"{_HEAD}\n{''.join(tables)}"


def _lines(table: Mapping[str, Any], others: Sequence[str] = ()) -> str:
    """Write the values of a table, but for those that are tables of their own."""
    return "".join(
        f"{key} = {_value(value)}\n" for key, value in table.items() if key not in others
    )


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {_value(one)}" for key, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
