"""A turn that was written down, and a photo of the table on which it was played.

Games that are played by declarations (``take_turn`` of :class:`vision.judging.game.Game`) read it.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from vision.apps.cli.talk import refuse, reporting

if TYPE_CHECKING:
    from vision.judging.game import Game
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

    check_takes_turn(game)
    with reporting(path):
        return replay(seen, game, game.take_turn(seen.table, turn))


def check_takes_turn(game: "Game") -> None:
    """Refuse a game that is not played by turns that are written down."""
    from vision.judging.game import Game

    if not game.overrides(Game.take_turn):
        refuse(f"--turn: {game.name} does not take written turns")
