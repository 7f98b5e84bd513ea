"""Read a deck file, check every number of it, and answer what a card id stands for.

Files are TOML in millimetres and degrees (``decks/light-speed.toml`` shows the form); values are
in millimetres and radians. A file with mistakes raises one ``DeckError`` that names all of them.
"""

import math
import tomllib
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vision.errors import DeckError
from vision.games.light_speed.deck_check import value_problems
from vision.games.light_speed.deck_form import BY_HAND, ORIGINS, DeckForm, ShipForm, shape_problems
from vision.games.light_speed.values import Deck, Laser, Shield, Ship
from vision.games.light_speed.words import words
from vision.values.messages import Message

__all__ = [
    "SHIP_BACK",
    "card_ids",
    "check_document",
    "deck_of_form",
    "deck_to_json",
    "is_asteroid",
    "list_decks",
    "load_deck",
    "load_form",
    "ship_of",
    "team_of",
]

SHIP_BACK = "ship-back"
_SCHEMA = "sightline/deck@1"
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

    A file is a ``Path`` or a string that ends in ``.toml``. Any other string is only ever looked up
    among the names of :func:`list_decks`, never opened.

    Raises
    ------
    DeckError
        If there is no such deck, or the file has mistakes; the message names the file and, for
        each mistake, the ship, the field and the reason.
    """
    if isinstance(name_or_path, str) and not name_or_path.endswith(".toml"):
        return _load_known(name_or_path)
    return deck_of_form(load_form(Path(name_or_path)))


def load_form(path: Path) -> DeckForm:
    """Read a deck file as it is written, every value checked.

    Raises
    ------
    DeckError
        If it cannot be read, or has mistakes; names all of them.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        msg = f"{path}: cannot read this deck file ({error.strerror or error})"
        raise DeckError(msg) from error
    return _parse(raw, str(path))


def form_of_known(name: str) -> DeckForm:
    """Read the file of a deck that the program brings, as it is written.

    Raises
    ------
    DeckError
        If there is no such deck; names those that there are.
    """
    known = list_decks()
    if name not in known:
        msg = f"no deck is called {name!r}; the known decks are {', '.join(known)}"
        raise DeckError(msg)
    return _parse((_folder() / f"{name}.toml").read_bytes(), f"{name}.toml")


@lru_cache(maxsize=16)
def _load_known(name: str) -> Deck:
    return deck_of_form(form_of_known(name))


def _folder() -> Traversable:
    return resources.files("vision.games.light_speed") / "editions"


def _parse(raw: bytes, source: str) -> DeckForm:
    try:
        document = tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        msg = f"{source}: not a text file in UTF-8 (byte {error.start})"
        raise DeckError(msg) from error
    except tomllib.TOMLDecodeError as error:  # its text names line and column
        msg = f"{source}: not valid TOML: {error}"
        raise DeckError(msg) from error
    form, problems = check_document(document)
    if form is None or problems:
        told = "; ".join(words().tell(problem) for problem in problems)
        msg = f"{source}: {told}"
        raise DeckError(msg)
    return form


def check_document(document: dict[str, Any]) -> tuple[DeckForm | None, tuple[Message, ...]]:
    """Return what a deck file says, None if it has not the form of one; and all its mistakes."""
    try:
        form = DeckForm.model_validate(document)
    except ValidationError as error:
        return None, tuple(shape_problems(error, document))
    return form, tuple(value_problems(form))


# --- model -> value -> JSON ------------------------------------------------------------------


def deck_of_form(model: DeckForm) -> Deck:
    """Return the deck that a checked deck file tells of, angles in radians."""
    ships = sorted(model.ships, key=lambda ship: ship.speed)
    return Deck(
        name=model.name,
        width_mm=model.card.width_mm,
        height_mm=model.card.height_mm,
        teams=tuple(model.teams),
        ships=tuple(_to_ship(ship) for ship in ships),
        asteroids=tuple(model.asteroids),
    )


def _to_ship(model: ShipForm) -> Ship:
    lasers = tuple(
        Laser(item.power, (item.muzzle_mm[0], item.muzzle_mm[1]), math.radians(item.heading_deg))
        for item in model.lasers
    )
    shields = tuple(Shield(item.edge, item.from_mm, item.to_mm) for item in model.shields)
    by_hand = any(BY_HAND in laser.provenance.values() for laser in model.lasers)
    return Ship(model.name, model.speed, model.health, lasers, shields, _summary(model), by_hand)


def _summary(model: ShipForm) -> str:
    """Say in one sentence which values of a ship are known and which are not."""
    entries = dict(model.provenance)
    tables = {
        **{f"lasers[{i}]": laser.provenance for i, laser in enumerate(model.lasers)},
        **{f"shields[{i}]": shield.provenance for i, shield in enumerate(model.shields)},
    }
    for where, origins in tables.items():
        entries |= {f"{where}.{field}": origin for field, origin in origins.items()}
    said = [
        f"{origin}: {', '.join(field for field, at in entries.items() if at == origin)}"
        for origin in ORIGINS
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
