"""Read a deck file, check every number of it, and answer what a card id stands for.

Files are TOML in millimetres and degrees (``decks/light-speed.toml`` shows the form); values are
in millimetres and radians. A file with mistakes raises one ``DeckError`` that names all of them.
"""

import math
import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vision.errors import DeckError
from vision.games.light_speed.values import Deck, Laser, Shield, Ship

__all__ = [
    "SHIP_BACK",
    "card_ids",
    "deck_to_json",
    "is_asteroid",
    "list_decks",
    "load_deck",
    "ship_of",
    "team_of",
]

SHIP_BACK = "ship-back"
_SCHEMA = "sightline/deck@1"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ANGLE_DIGITS = 9  # degrees -> radians -> degrees is good to 1e-13; files carry far fewer digits


# --- what is on a card id --------------------------------------------------------------------


def card_ids(deck: Deck) -> tuple[str, ...]:
    """Return every card id: the ships by team, the asteroids, their backs, the ships' back."""
    ships = tuple(f"{team}-{ship.name}" for team in deck.teams for ship in deck.ships)
    backs = tuple(f"{asteroid}-back" for asteroid in deck.asteroids)
    return (*ships, *deck.asteroids, *backs, SHIP_BACK)


def ship_of(deck: Deck, card_id: str) -> Ship | None:
    """Return the ship on a card, None for any other card."""
    team = team_of(deck, card_id)
    if team is None:
        return None
    return next(ship for ship in deck.ships if card_id == f"{team}-{ship.name}")


def team_of(deck: Deck, card_id: str) -> str | None:
    """Return the team of a ship's card, None for any other card."""
    for team in deck.teams:
        if any(card_id == f"{team}-{ship.name}" for ship in deck.ships):
            return team
    return None


def is_asteroid(deck: Deck, card_id: str) -> bool:
    """Tell whether a card is an asteroid, front or back."""
    return card_id.removesuffix("-back") in deck.asteroids


# --- reading ---------------------------------------------------------------------------------


def list_decks() -> tuple[str, ...]:
    """Return the names of the decks that come with the program, sorted."""
    names = (Path(entry.name) for entry in _folder().iterdir())
    return tuple(sorted(path.stem for path in names if path.suffix == ".toml"))


def load_deck(name_or_path: str | Path) -> Deck:
    """Load a deck that comes with the program, or a deck file.

    Parameters
    ----------
    name_or_path : str or Path
        A name of :func:`list_decks`; or a file, which is a ``Path`` or a string that ends in
        ``.toml``. Any other string is only ever looked up among the names, never opened.

    Returns
    -------
    Deck
        The deck, angles in radians, every value checked.

    Raises
    ------
    DeckError
        If there is no such deck, or the file has mistakes; the message names the file and, for
        each mistake, the ship, the field and the reason.
    """
    if isinstance(name_or_path, str) and not name_or_path.endswith(".toml"):
        return _load_known(name_or_path)
    path = Path(name_or_path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        msg = f"{path}: cannot read this deck file ({error.strerror or error})"
        raise DeckError(msg) from error
    return _parse(raw, str(path))


@lru_cache(maxsize=16)
def _load_known(name: str) -> Deck:
    known = list_decks()
    if name not in known:
        msg = f"no deck is called {name!r}; the known decks are {', '.join(known)}"
        raise DeckError(msg)
    return _parse((_folder() / f"{name}.toml").read_bytes(), f"{name}.toml")


def _folder() -> Traversable:
    return resources.files("vision.games.light_speed") / "editions"


def _parse(raw: bytes, source: str) -> Deck:
    try:
        document = tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        msg = f"{source}: not a text file in UTF-8 (byte {error.start})"
        raise DeckError(msg) from error
    except tomllib.TOMLDecodeError as error:  # its text names line and column
        msg = f"{source}: not valid TOML: {error}"
        raise DeckError(msg) from error
    try:
        model = _DeckModel.model_validate(document)
    except ValidationError as error:
        raise _deck_error(source, _shape_problems(error, document)) from error
    problems = list(_value_problems(model))
    if problems:
        raise _deck_error(source, problems)
    return _to_deck(model)


def _deck_error(source: str, problems: list[str]) -> DeckError:
    return DeckError(f"{source}: {'; '.join(problems)}")


# --- the form of the file --------------------------------------------------------------------

_Origin = Literal["known", "designed"]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Size = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Provenance = Annotated[dict[str, _Origin], Field(default_factory=dict)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _LaserModel(_Model):
    power: Literal[1, 2, 3]
    muzzle_mm: Annotated[list[_Number], Field(min_length=2, max_length=2)]
    heading_deg: _Number
    provenance: _Provenance


class _ShieldModel(_Model):
    edge: Literal["top", "right", "bottom", "left"]
    from_mm: _Number
    to_mm: _Number
    provenance: _Provenance


class _ShipModel(_Model):
    name: str
    speed: Annotated[int, Field(ge=1)]
    health: Annotated[int, Field(ge=1)]
    lasers: list[_LaserModel] = []
    shields: list[_ShieldModel] = []
    provenance: _Provenance
    note: str = ""


class _CardModel(_Model):
    width_mm: _Size
    height_mm: _Size
    provenance: _Provenance


class _DeckModel(_Model):
    name: str
    card: _CardModel
    teams: Annotated[list[str], Field(min_length=1)]
    ships: Annotated[list[_ShipModel], Field(min_length=1)]
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


def _shape_problems(error: ValidationError, document: dict[str, Any]) -> list[str]:
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


# --- what the types cannot say ---------------------------------------------------------------


def _value_problems(model: _DeckModel) -> Iterator[str]:
    for name in (model.name, *model.teams, *model.asteroids, *(s.name for s in model.ships)):
        if not _NAME.fullmatch(name):
            yield f"name {name!r} must be lower case letters, digits and single dashes"
    for label, names in (
        ("teams", model.teams),
        ("asteroids", model.asteroids),
        ("ships", [ship.name for ship in model.ships]),
    ):
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{label}: the name {name!r} is there {names.count(name)} times"
    yield from _speed_problems(model.ships)
    yield from _provenance_problems("deck", model)
    yield from _provenance_problems("card", model.card)
    for ship in model.ships:
        yield from _ship_problems(ship, model.card.width_mm / 2, model.card.height_mm / 2)


def _speed_problems(ships: list[_ShipModel]) -> Iterator[str]:
    by_speed: dict[int, list[str]] = {}
    for ship in ships:
        by_speed.setdefault(ship.speed, []).append(ship.name)
    for speed, names in sorted(by_speed.items()):
        if len(names) > 1:
            yield f"ships {', '.join(map(repr, names))}, speed: {speed} is given more than once"
    for speed in sorted(set(range(1, max(by_speed) + 1)) - set(by_speed))[:3]:
        yield f"speed: no ship has speed {speed}; the speeds run from 1 without a gap"


def _ship_problems(ship: _ShipModel, half_width: float, half_height: float) -> Iterator[str]:
    where = f"ship {ship.name!r}"
    yield from _provenance_problems(where, ship)
    for i, laser in enumerate(ship.lasers):
        x, y = laser.muzzle_mm
        if abs(x) > half_width or abs(y) > half_height:
            yield (
                f"{where}, lasers[{i}].muzzle_mm must lie on the card (x within ±{half_width:g}, "
                f"y within ±{half_height:g}), not at [{x:g}, {y:g}]"
            )
        if not -180 < laser.heading_deg <= 180:
            yield (
                f"{where}, lasers[{i}].heading_deg must be over -180 and up to 180, "
                f"not {laser.heading_deg:g}"
            )
        yield from _provenance_problems(f"{where}, lasers[{i}]", laser)
    for i, shield in enumerate(ship.shields):
        half = half_width if shield.edge in ("top", "bottom") else half_height
        for field, value in (("from_mm", shield.from_mm), ("to_mm", shield.to_mm)):
            if abs(value) > half:
                yield (
                    f"{where}, shields[{i}].{field} must lie on the {shield.edge} edge "
                    f"(within ±{half:g}), not at {value:g}"
                )
        if shield.from_mm >= shield.to_mm:
            yield (
                f"{where}, shields[{i}].from_mm must be less than to_mm, "
                f"not {shield.from_mm:g} to {shield.to_mm:g}"
            )
        yield from _provenance_problems(f"{where}, shields[{i}]", shield)


def _provenance_problems(where: str, model: Any) -> Iterator[str]:
    """Yield a problem for each value left out of a provenance table that is given."""
    if not model.provenance:
        return
    wanted = _own_values(model)
    for field in sorted(wanted - set(model.provenance)):
        yield f"{where}, provenance.{field} is missing (known or designed)"
    for field in sorted(set(model.provenance) - wanted):
        yield f"{where}, provenance.{field} is not a value of this table"


def _own_values(model: BaseModel) -> set[str]:
    """Return the fields of a table that hold values, not tables or remarks."""
    remarks = {"provenance", "note", "card", "ships", "lasers", "shields"}
    return set(type(model).model_fields) - remarks


# --- model -> value -> JSON ------------------------------------------------------------------


def _to_deck(model: _DeckModel) -> Deck:
    ships = sorted(model.ships, key=lambda ship: ship.speed)
    return Deck(
        name=model.name,
        width_mm=model.card.width_mm,
        height_mm=model.card.height_mm,
        teams=tuple(model.teams),
        ships=tuple(_to_ship(ship) for ship in ships),
        asteroids=tuple(model.asteroids),
    )


def _to_ship(model: _ShipModel) -> Ship:
    lasers = tuple(
        Laser(item.power, (item.muzzle_mm[0], item.muzzle_mm[1]), math.radians(item.heading_deg))
        for item in model.lasers
    )
    shields = tuple(Shield(item.edge, item.from_mm, item.to_mm) for item in model.shields)
    return Ship(model.name, model.speed, model.health, lasers, shields, _summary(model))


def _summary(model: _ShipModel) -> str:
    """Say in one sentence which values of a ship are known and which are designed."""
    entries = dict(model.provenance)
    tables = {
        **{f"lasers[{i}]": laser.provenance for i, laser in enumerate(model.lasers)},
        **{f"shields[{i}]": shield.provenance for i, shield in enumerate(model.shields)},
    }
    for where, origins in tables.items():
        entries |= {f"{where}.{field}": origin for field, origin in origins.items()}
    said = [
        f"{origin}: {', '.join(field for field, at in entries.items() if at == origin)}"
        for origin in ("known", "designed")
        if origin in entries.values()
    ]
    return "; ".join([*said, *([model.note] if model.note else [])])


def deck_to_json(deck: Deck) -> dict[str, Any]:
    """Return the deck in the form ``sightline/deck@1``: millimetres, degrees, every number."""
    return {
        "schema": _SCHEMA,
        "name": deck.name,
        "card": {"width_mm": deck.width_mm, "height_mm": deck.height_mm},
        "teams": list(deck.teams),
        "ships": [
            {
                "name": ship.name,
                "speed": ship.speed,
                "health": ship.health,
                "provenance": ship.provenance,
                "lasers": [
                    {
                        "power": laser.power,
                        "muzzle_mm": [_plain(value) for value in laser.muzzle_mm],
                        "heading_deg": _plain(
                            round(math.degrees(laser.heading_rad), _ANGLE_DIGITS)
                        ),
                    }
                    for laser in ship.lasers
                ],
                "shields": [
                    {
                        "edge": shield.edge,
                        "from_mm": _plain(shield.from_mm),
                        "to_mm": _plain(shield.to_mm),
                    }
                    for shield in ship.shields
                ],
            }
            for ship in deck.ships
        ],
        "asteroids": list(deck.asteroids),
    }


def _plain(value: float) -> float | int:
    """Write whole numbers without a decimal point."""
    return int(value) if float(value).is_integer() else value
