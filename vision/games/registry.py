"""Names -> games: those of this program, and those that other distributions bring.

A distribution offers games by the entry point group ``sightline.games``: the entry's name is that
of the game, its value a :class:`~vision.judging.game.Game`, or something that makes one when it is
called without arguments. One that is still being written is named by the environment instead, for
this process and those that it starts: ``SIGHTLINE_GAMES=name=module:attribute``, several with
commas between them.
"""

import difflib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from vision.errors import DeckError

if TYPE_CHECKING:
    from vision.games.light_speed.values import Deck
    from vision.judging.game import Game

__all__ = ["GROUP", "each_game_name", "find_game", "game_names", "game_of_deck", "register"]

GROUP = "sightline.games"
_VARIABLE = "SIGHTLINE_GAMES"

#: The games of this program: where each is made, imported when it is asked for.
_OWN = {
    "light-speed": "vision.games.light_speed.game:light_speed",
    "laser-shield": "vision.games.laser_shield.game:LaserShield",
    "conflit-stellaire": "vision.games.conflit_stellaire.game:ConflitStellaire",
    "asteroyds-capture": "vision.games.asteroyds_capture.game:AsteroydsCapture",
    "none": "vision.games.none.game:NoGame",
}
_registered: "dict[str, Game | Callable[[], Game]]" = {}


def game_names() -> tuple[str, ...]:
    """Return the names of all games, the program's own first; ``none`` is not told."""
    return tuple(each_game_name())


def each_game_name() -> Iterator[str]:
    """Go through the names of all games; other distributions are asked for theirs last."""
    yield from (name for name in _OWN if name != "none")
    entries = {entry.name for entry in entry_points(group=GROUP)}
    others = sorted(entries | set(_registered) | set(_of_environment()))
    yield from (name for name in others if name not in _OWN)


def find_game(name: str) -> "Game":
    """Return a game by its name.

    Raises
    ------
    DeckError
        If there is no game of that name.
    """
    if name in _registered:
        return _made(_registered[name])
    address = _OWN.get(name) or _of_environment().get(name)
    if address is not None:
        return _made(_load(name, address))
    for entry in entry_points(group=GROUP, name=name):
        return _made(entry.load())
    close = difflib.get_close_matches(name, game_names(), n=1)
    hint = f'did you mean "{close[0]}"?' if close else f"the games are {', '.join(game_names())}"
    msg = f"no game is called {name!r}; {hint}"
    raise DeckError(msg)


def game_of_deck(deck: "Deck") -> "Game":
    """Return the game that is played with a deck: none with one of pictures alone."""
    from vision.games.light_speed.game import LightSpeed, pieces_of
    from vision.games.none.game import NoGame

    if deck.ships:
        return LightSpeed(deck)
    return NoGame(pieces_of(deck), size_mm=(deck.width_mm, deck.height_mm))


@contextmanager
def register(name: str, game: "Game | Callable[[], Game]") -> "Iterator[None]":
    """Make a game known while the block runs, under a name that no other has."""
    if name in game_names():
        msg = f"there is already a game called {name!r}"
        raise ValueError(msg)
    _registered[name] = game
    try:
        yield
    finally:
        del _registered[name]


def _of_environment() -> dict[str, str]:
    """Return where the games that the environment names are made."""
    entries = [entry.strip() for entry in os.environ.get(_VARIABLE, "").split(",")]
    found: dict[str, str] = {}
    for entry in filter(None, entries):
        name, _, address = entry.partition("=")
        if not name or ":" not in address:
            msg = f"{_VARIABLE}: expected NAME=MODULE:ATTRIBUTE, got {entry!r}"
            raise DeckError(msg)
        found[name.strip()] = address.strip()
    return found


def _load(name: str, address: str) -> Any:
    """Import what makes a game."""
    module, _, attribute = address.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        msg = f"the game {name} cannot be loaded from {address}: {error}"
        raise DeckError(msg) from error


def _made(game: "Game | Callable[[], Game]") -> "Game":
    """Return a game that is given, or made when it is called."""
    return game() if callable(game) else game
