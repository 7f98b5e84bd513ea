"""Options as they are typed -> the form in which they are stored: plain JSON."""

from collections.abc import Sequence
from typing import Any

from vision.judging.game import Game
from vision.judging.options import options_to_json, parse_options

__all__ = ["read_rules"]


def read_rules(game: Game, rules: Sequence[str]) -> dict[str, Any]:
    """Return options of a game (KEY=VALUE) as JSON.

    Raises
    ------
    TableFormatError
        If one is not understood.
    """
    return options_to_json(parse_options(game.options, rules))
