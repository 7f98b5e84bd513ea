"""Layouts -> scan: the game lays its table, plays it and tells it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vision.judging.game import Game
from vision.values.layout import Layout
from vision.values.scan import Scan

__all__ = ["changes_after", "play", "replay"]


def play(
    layouts: Sequence[Layout], game: Game, options: Any, timings_ms: Mapping[str, float]
) -> Scan:
    """Play what was seen: a layout of each photo, in the order that the game wants.

    The options are of the game's own kind; None: as the rules have it. ``timings_ms`` is how long
    seeing took, by stage.
    """
    start = time.perf_counter()
    table = game.lay(layouts, game.options() if options is None else options)
    outcome = game.resolve(table)
    ledger = game.tell(table, outcome)
    timings = {**timings_ms, "resolve": (time.perf_counter() - start) * 1000}
    return Scan(game.name, tuple(layouts), table, outcome, ledger, timings)


def replay(scan: Scan, game: Game, table: Any) -> Scan:
    """Return a scan with another table of it played: a corrected one, say."""
    outcome = game.resolve(table)
    return replace(scan, table=table, outcome=outcome, ledger=game.tell(table, outcome))


def changes_after(game: Game, table: Any, expected: Any | None) -> tuple[Mapping[str, Any], ...]:
    """Return the changes, for the game's ``edit``, that follow from what the round before left.

    It brings over what no photo shows, and accounts for pieces that are missing. ``expected`` is
    the table that it left; None if the game was over.
    """
    if expected is None:
        return ()
    found = (game.carried(table, expected), game.accounted(table, expected))
    return tuple(change for change in found if change is not None)
