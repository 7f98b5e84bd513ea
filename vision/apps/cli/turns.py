"""A turn that was written down, and a photo of the table on which it was played.

Games that are played by declarations (:class:`vision.judging.game.TakesTurn`) read it.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from vision.apps.cli.talk import refuse, reporting

if TYPE_CHECKING:
    from vision.judging.game import Game, TakesTurn
    from vision.values.scan import Scan

__all__ = ["check_takes_turn", "read_turn", "with_turn"]


def read_turn(path: Path | None) -> str | None:
    """Read the file of a turn."""
    if path is None:
        return None
    from vision.files.documents import decode
    from vision.files.whole import read_bytes

    with reporting(path):
        return decode(read_bytes(path))


def with_turn(seen: "Scan", game: "Game", turn: str, path: Path) -> "Scan":
    """Return a scan with the turn brought to it and played; mistakes are the file's."""
    from vision.judging.play import replay

    takes = check_takes_turn(game)
    with reporting(path):
        return replay(seen, game, takes.take_turn(seen.table, turn))


def check_takes_turn(game: "Game") -> "TakesTurn":
    """Refuse a game that is not played by turns that are written down."""
    from vision.judging.game import TakesTurn

    if not isinstance(game, TakesTurn):
        refuse(f"--turn: {game.name} does not take written turns")
    return game
