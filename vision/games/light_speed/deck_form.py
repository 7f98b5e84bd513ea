"""The form of a deck file: its fields and types; and, in words, where a file has not that form."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vision.values.messages import Message, message

__all__ = [
    "BY_HAND",
    "KNOWN",
    "ORIGINS",
    "DeckForm",
    "DesignForm",
    "LaserForm",
    "ShieldForm",
    "ShipForm",
    "shape_problems",
    "ship_place",
]

_Origin = Literal["known", "designed", "entered by hand"]
#: Where values may be from: printed or told in the rulebook, our own design, read off the cards by
#: whoever owns them.
ORIGINS: tuple[_Origin, ...] = ("known", "designed", "entered by hand")
KNOWN, BY_HAND = ORIGINS[0], ORIGINS[2]
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


class DesignForm(_Form):
    """What is known of a ship so far: as ``[[ships]]``, without what is not known yet."""

    speed: Annotated[int, Field(ge=1)] | None = None
    health: Annotated[int, Field(ge=1)] | None = None
    lasers: list[LaserForm] = []
    shields: list[ShieldForm] = []
    provenance: _Provenance


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


#: Errors of pydantic that have a text of their own; its gaps are filled from their context.
_PLAIN = {
    "missing",
    "extra_forbidden",
    "literal_error",
    "int_type",
    "float_type",
    "finite_number",
    "string_type",
    "list_type",
    "dict_type",
    "model_type",
    "greater_than",
    "greater_than_equal",
    "too_short",
    "too_long",
}


_IN_WORDS = ("speed", "health")


def shape_problems(
    error: ValidationError, document: dict[str, Any], at: tuple[int | str, ...] = ()
) -> list[Message]:
    """Say, each with its place, where a file has not the form of a deck.

    ``at`` is where in the file stands what the error is of.
    """
    problems = []
    for item in error.errors(include_url=False):
        context = {**item.get("ctx", {}), "value": repr(item["input"]), "said": item["msg"]}
        kind = item["type"] if item["type"] in _PLAIN else "other"
        where = _place((*at, *item["loc"]), document)
        problems.append(message(f"deck.form.{kind}", where=where, **context))
    return problems


def ship_place(ship: str, field: str = "") -> Message:
    """Say where in the file: ``ship 'moth', lasers[0].power``."""
    at = message("deck.at.ship", name=ship)
    return message("deck.at.field", where=at, field=_field(field)) if field else at


def _field(field: str) -> Message | str:
    """Return how a field is called: those that are entered by hand by their name in words."""
    return message(f"deck.field.{field}") if field in _IN_WORDS else field


def _place(loc: tuple[int | str, ...], document: dict[str, Any]) -> Message | str:
    ship: Message | None = None
    if len(loc) >= 2 and loc[0] == "ships" and isinstance(loc[1], int):
        entry = document["ships"][loc[1]]
        name = entry.get("name") if isinstance(entry, dict) else None
        by_number = message("deck.at.number", number=loc[1] + 1)
        ship = ship_place(name) if isinstance(name, str) else by_number
        loc = loc[2:]
    field = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in loc).lstrip(".")
    if ship is None:
        return field
    return message("deck.at.field", where=ship, field=_field(field)) if field else ship
