"""One round after another: the table that was before, whether it was set up as left, and the next.

Games that go on from what lies there (``next_table`` of :class:`vision.judging.game.Game`) say what
that is.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from vision.apps.cli.results import draw, write_json, write_picture
from vision.apps.cli.talk import printable, refuse, reporting, working
from vision.apps.known import Known
from vision.errors import TableFormatError
from vision.files.documents import decode, is_json
from vision.files.whole import read_bytes
from vision.judging.game import Game
from vision.judging.options import options_from_json
from vision.judging.play import changes_after, replay
from vision.texts import texts
from vision.values.scan import Scan

__all__ = ["Before", "read_before", "read_planned", "write_next"]


@dataclass(frozen=True, slots=True)
class Before:
    """The round before: of which game, with which options, and what it left (None: it was over)."""

    game: str
    options: Any
    expected: Any | None

    def bring_to(self, scan: Scan, game: Game) -> Scan:
        """Return a scan with a doubt for each piece that is not as the round before left it."""
        if game.name != self.game:
            refuse(f"--after: a table of {game.name} does not follow one of {self.game}")
        table = scan.table
        for change in changes_after(game, table, self.expected):
            table = game.edit(table, change)
        return replay(scan, game, game.expect(table, self.expected))


def read_before(path: Path | None) -> Before | None:
    """Read the round before from a scan's JSON or a table file, its orders among it.

    Raises
    ------
    TableFormatError
        If it is neither, or its table has mistakes.
    """
    if path is None:
        return None
    from vision.apps.decks import known_of_table

    text = decode(read_bytes(path))
    if is_json(text):
        text = _table_of(text)
    game = known_of_table(text).game
    if not game.overrides(Game.expect):
        refuse(f"--after: rounds of {game.name} do not follow one another")
    table = game.read(text)
    rules = game.write(table).get("rules", {})
    expected = game.next_table(table, game.resolve(table))
    return Before(game.name, options_from_json(game.options, rules), expected)


def read_planned(path: Path | None, game: Game) -> Any:
    """Read a round with its orders, from a scan's JSON or a table file; None for no path.

    Raises
    ------
    TableFormatError
        If it is neither, or its table has mistakes.
    """
    if path is None:
        return None
    if not game.overrides(Game.follow):
        refuse(f"--orders: {game.name} is not played by orders")
    with reporting(path):
        text = decode(read_bytes(path))
        return game.read(_table_of(text) if is_json(text) else text)


def _table_of(text: str) -> str:
    """Return the table of a scan, or the text as it is."""
    try:
        document = json.loads(text)
    except ValueError as error:
        msg = f"not JSON: {error}"
        raise TableFormatError(msg) from error
    is_scan = isinstance(document, dict) and isinstance(document.get("table"), dict)
    return json.dumps(document["table"]) if is_scan else text


def write_next(
    path: Path | None,
    known: Known,
    table: Any,
    outcome: Any,
    language: str,
    *,
    is_open: bool,
) -> None:
    """Write what is to be set up for the next round: a picture from above, or a table file.

    Of a round that ``is_open`` it is not certain that the game is over.
    """
    if path is None:
        return
    game, words = known.game, texts(language)
    if not game.overrides(Game.next_table):
        refuse(f"--next: rounds of {game.name} do not follow one another")
    following = game.next_table(table, outcome)
    if following is None:
        typer.echo(words.say("report.maybe_over" if is_open else "report.game_over"), err=True)
        return
    if path.suffix.lower() == ".json":
        write_json(path, game.write(following))
    else:
        with working("drawing the next position"):
            ledger = game.tell(following, game.resolve(following))
            write_picture(path, draw(ledger, known, language))
    typer.echo(words.say("report.next", path=printable(str(path))), err=True)
