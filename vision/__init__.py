"""Sightline: reads a table of cards from one photo and plays the round.

For people: ``scan`` reads a photo, ``draw`` shows a round from above, ``find_game`` and
``load_deck`` give what is played and with what; ``Scan`` is what comes out, ``Layout`` what was
seen in it and ``Ledger`` what happened.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vision._version import __version__

if TYPE_CHECKING:
    from vision.apps.python import draw, scan
    from vision.games.light_speed.deck import load_deck
    from vision.games.registry import find_game
    from vision.values.layout import Layout
    from vision.values.ledger import Ledger
    from vision.values.scan import Scan

__all__ = [
    "Layout",
    "Ledger",
    "Scan",
    "__version__",
    "draw",
    "find_game",
    "load_deck",
    "scan",
]

#: Where each lies; imported when it is asked for, so that the command line starts light.
_HOMES = {
    "Layout": "vision.values.layout",
    "Ledger": "vision.values.ledger",
    "Scan": "vision.values.scan",
    "draw": "vision.apps.python",
    "find_game": "vision.games.registry",
    "load_deck": "vision.games.light_speed.deck",
    "scan": "vision.apps.python",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _HOMES:
        msg = f"module 'vision' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_HOMES[name]), name)
