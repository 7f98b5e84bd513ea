"""A round and the file of careers that it counts for: read before it is played, written after.

The file holds each round once: what was read tells which round it is, and where that says two
things the user is asked.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from vision.apps.cli.talk import printable, refuse, reporting
from vision.errors import TableFormatError
from vision.files.careers import CareerFile, RoundEntry, entries_of, read_careers, write_careers
from vision.files.whole import write_atomically
from vision.judging.career import History, Played, Service, follow, serve
from vision.judging.game import Game
from vision.texts import texts
from vision.values.ledger import Ledger
from vision.values.scan import Scan

__all__ = ["Keeping", "history_of", "keeper", "read_file", "read_keeping", "write_file"]

_NEW = "new"


@dataclass(frozen=True, slots=True)
class Keeping:
    """A file of careers as it was read, and which of its rounds is played now (None: a new one)."""

    path: Path
    found: bytes
    careers: CareerFile
    number: int | None
    source: str
    digest: str

    def points(self, game: Game) -> dict[str, int]:
        """Return what those who sit at the sides have on entering this round."""
        keeper(game)
        if self.careers.game != game.name:
            refuse(f"--career: {self.path} is of {self.careers.game}, the table of {game.name}")
        number = self._number
        entry = RoundEntry(
            number=number, source=self.source, digest=self.digest, sides=self._sides, table={}
        )
        asked = self._with(entry)
        return dict(history_of(asked, game, until=number).found[str(number)])

    def play(self, game: Game, table: Any) -> tuple[Any, Any, "Ledger"]:
        """Play a table with those who sit there; return it so, its outcome and ledger."""
        points = self.points(game)
        if not set(points) & {side.id for side in game.sides}:
            refuse(f"--career: no players in {self.path}; add one with --player SIDE=NAME")
        return serve(game, table, points, game.tell)

    def bring_to(self, scan: Scan, game: Game) -> Scan:
        """Return a scan that is played by those who sit there."""
        table, outcome, ledger = self.play(game, scan.table)
        return replace(scan, table=table, outcome=outcome, ledger=ledger)

    def enter(self, game: Game, table: Any, language: str) -> None:
        """Write the round into the file, in place of what it was or as the last."""
        bare = keeper(game).enlist(table, dict.fromkeys(self._sides))
        entry = RoundEntry(
            number=self._number,
            source=self.source,
            digest=self.digest,
            sides=self._sides,
            table=game.write(bare),
        )
        if self.path.read_bytes() != self.found:
            msg = f"{self.path} was changed by someone else, so nothing was entered: try again"
            raise TableFormatError(msg)
        write_file(self.path, self._with(entry))
        key = "career.entered" if self.number is None else "career.replaced"
        said = texts(language).say(key, round=entry.number, path=printable(str(self.path)))
        typer.echo(said, err=True)

    @property
    def _number(self) -> int:
        return self.careers.last + 1 if self.number is None else self.number

    @property
    def _sides(self) -> dict[str, str]:
        """Who played this round: as it was entered, else who sits there now."""
        if self.number is None:
            return dict(self.careers.seats)
        return dict(self.careers.rounds()[self.number].sides)

    def _with(self, entry: Any) -> CareerFile:
        """Return the file with the round entered."""
        entries = list(self.careers.entries)
        if self.number is None:
            entries.append(entry)
        else:
            entries[entries.index(self.careers.rounds()[self.number])] = entry
        last = max(self.careers.last, entry.number)
        return self.careers.model_copy(update={"entries": entries, "last": last})


def keeper(game: Game) -> Any:
    """Return a game that keeps careers; refuse any other."""
    if not game.keeps_careers:
        refuse(f"--career: {game.name} keeps no careers")
    return game


def history_of(careers: CareerFile, game: Game, *, until: int | None = None) -> History:
    """Fold a file: play its rounds, each with what those before it left.

    Raises
    ------
    TableFormatError
        If a table in it has mistakes.
    """
    rounds = careers.rounds()

    def play(entry: Played, points: Mapping[str, int]) -> Mapping[str, Service]:
        try:
            table = game.read(json.dumps(rounds[int(entry.round)].table))
        except TableFormatError as error:
            msg = f"round {entry.round}: {error}"
            raise TableFormatError(msg) from error
        enlisted = keeper(game).enlist(table, points)
        services: Mapping[str, Service] = keeper(game).services(enlisted, game.resolve(enlisted))
        return services

    return follow(entries_of(careers), play, until=None if until is None else str(until))


def read_file(path: Path) -> tuple[bytes, CareerFile]:
    """Read a file of careers; return it as it is, too."""
    with reporting(path):
        if not path.exists():
            msg = f"no such file; create it with: sightline career {path} --player SIDE=NAME"
            raise TableFormatError(msg)
        found = path.read_bytes()
        return found, read_careers(found)


def write_file(path: Path, careers: CareerFile) -> None:
    """Write a file of careers, whole or not at all."""
    write_atomically(path, write_careers(careers))


def read_keeping(
    path: Path | None, wanted: str | None, sources: Sequence[Path], read: Sequence[bytes]
) -> Keeping | None:
    """Read the file of careers for a round that was read; None if none is asked for."""
    if path is None:
        if wanted is not None:
            refuse("--round works only with --career FILE")
        return None
    found, careers = read_file(path)
    digest = hashlib.sha256(b"\0".join(read)).hexdigest()
    source = ", ".join(source.name for source in sources)
    number = _which(careers, wanted, source, digest)
    return Keeping(path, found, careers, number, source, digest)


def _which(careers: CareerFile, wanted: str | None, source: str, digest: str) -> int | None:
    """Return which round it is; None for a new one."""
    rounds = careers.rounds()
    if wanted == _NEW:
        return None
    if wanted is not None:
        if not wanted.isdecimal() or int(wanted) not in rounds:
            known = ", ".join(map(str, rounds)) or "none yet"
            refuse(f"--round: no round {wanted!r} is in the file ({known}); or: --round {_NEW}")
        return int(wanted)
    same = [number for number, entry in rounds.items() if entry.digest == digest]
    if same:
        return same[-1]
    named = [number for number, entry in rounds.items() if entry.source == source]
    if named:
        refuse(
            f"round {named[-1]} came from a file {source!r} with other contents: is this the same "
            f"round, corrected (--round {named[-1]}), or another (--round {_NEW})?"
        )
    return None
