"""The form of a deck file: its fields and types; and, in words, where a file has not that form."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

__all__ = ["DeckForm", "ShipForm", "shape_problems"]

_Origin = Literal["known", "designed"]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Size = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Provenance = Annotated[dict[str, _Origin], Field(default_factory=dict)]


class _Form(BaseModel):
    """A table of the file: nothing but its fields, each of its type."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class LaserForm(_Form):
    """``[[ships.lasers]]``: millimetres of the card, degrees."""

    power: Literal[1, 2, 3]
    muzzle_mm: Annotated[list[_Number], Field(min_length=2, max_length=2)]
    heading_deg: _Number
    provenance: _Provenance


class ShieldForm(_Form):
    """``[[ships.shields]]``: a stretch of one edge."""

    edge: Literal["top", "right", "bottom", "left"]
    from_mm: _Number
    to_mm: _Number
    provenance: _Provenance


class ShipForm(_Form):
    """``[[ships]]``."""

    name: str
    speed: Annotated[int, Field(ge=1)]
    health: Annotated[int, Field(ge=1)]
    lasers: list[LaserForm] = []
    shields: list[ShieldForm] = []
    provenance: _Provenance
    note: str = ""


class CardForm(_Form):
    """``[card]``: what every card measures."""

    width_mm: _Size
    height_mm: _Size
    provenance: _Provenance


class DeckForm(_Form):
    """The file."""

    name: str
    card: CardForm
    teams: Annotated[list[str], Field(min_length=1)]
    ships: Annotated[list[ShipForm], Field(min_length=1)]
    asteroids: list[str] = []
    provenance: _Provenance


_PLAIN = {  # pydantic's error type -> our words; {…} are filled from the error's context
    "missing": "is missing",
    "extra_forbidden": "is not a field of a deck file",
    "literal_error": "must be {expected}, not {value}",
    "int_type": "must be a whole number, not {value}",
    "float_type": "must be a number, not {value}",
    "finite_number": "must be a finite number, not {value}",
    "string_type": "must be text in quotes, not {value}",
    "list_type": "must be a list, not {value}",
    "dict_type": "must be a table, not {value}",
    "model_type": "must be a table, not {value}",
    "greater_than": "must be more than {gt}, not {value}",
    "greater_than_equal": "must be {ge} or more, not {value}",
    "too_short": "needs {min_length} entries or more, has {actual_length}",
    "too_long": "takes {max_length} entries at most, has {actual_length}",
}


def shape_problems(error: ValidationError, document: dict[str, Any]) -> list[str]:
    """Say in words, each with its place, where a file has not the form of a deck."""
    problems = []
    for item in error.errors(include_url=False):
        words = _PLAIN.get(item["type"], item["msg"])
        context = {**item.get("ctx", {}), "value": repr(item["input"])}
        reason = words.format_map(context) if item["type"] in _PLAIN else words
        problems.append(f"{_place(item['loc'], document)} {reason}")
    return problems


def _place(loc: tuple[int | str, ...], document: dict[str, Any]) -> str:
    """Say where in the file: ``ship 'moth', lasers[0].power``."""
    ship = ""
    if len(loc) >= 2 and loc[0] == "ships" and isinstance(loc[1], int):
        entry = document["ships"][loc[1]]
        name = entry.get("name") if isinstance(entry, dict) else None
        ship = f"ship {name!r}" if isinstance(name, str) else f"ship number {loc[1] + 1}"
        loc = loc[2:]
    field = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in loc).lstrip(".")
    return ", ".join(part for part in (ship, field) if part)
