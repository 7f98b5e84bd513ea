"""Careers <-> JSON, ``sightline/career@1``: the log of what counted, round by round.

Each round is kept whole, as its table, so that what follows can be played again when one before it
is corrected. Points are nowhere written down: they are what the log gives.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from vision.errors import TableFormatError
from vision.files.documents import read_document
from vision.files.schemas import Count, Model, Name
from vision.judging.career import Corrected, Entry, Figure, History, Line, Named, Played
from vision.texts import Texts

__all__ = [
    "CareerFile",
    "NameEntry",
    "PointsEntry",
    "RoundEntry",
    "careers_to_json",
    "entries_of",
    "new_careers",
    "read_careers",
    "write_careers",
]

Json = dict[str, Any]
_MOST_POINTS = 100_000  # more is a slip of the finger


class RoundEntry(Model):
    """A round: where it came from, who played its sides, and its table."""

    kind: Literal["round"] = "round"
    number: Annotated[int, Field(ge=1)]
    source: str
    digest: Annotated[str, Field(description="SHA-256 of what was read: the same is the same.")]
    sides: dict[str, Name]
    table: dict[str, Any]


class PointsEntry(Model):
    """A word of the players: from here on somebody has so many points."""

    kind: Literal["points"] = "points"
    player: Name
    points: Annotated[int, Field(ge=0, le=_MOST_POINTS)]


class NameEntry(Model):
    """What a figure of a player is called; the first is number 1."""

    kind: Literal["name"] = "name"
    player: Name
    figure: Annotated[int, Field(ge=1)]
    name: Name


class CareerFile(Model):
    """Who sits where from now on, and what happened, in order."""

    schema_: Literal["sightline/career@1"] = Field(alias="schema")
    game: Name
    seats: dict[str, Name] = Field(default_factory=dict)
    last: Count = 0  #: of the rounds: a number is not given twice
    entries: list[Annotated[RoundEntry | PointsEntry | NameEntry, Field(discriminator="kind")]] = (
        Field(default_factory=list)
    )

    def rounds(self) -> dict[int, RoundEntry]:
        """Return the rounds by their numbers."""
        return {e.number: e for e in self.entries if isinstance(e, RoundEntry)}


def new_careers(game: str) -> CareerFile:
    """Return a file in which nobody has played yet."""
    return CareerFile.model_validate({"schema": "sightline/career@1", "game": game})


def read_careers(source: str | bytes | Mapping[str, Any]) -> CareerFile:
    """Read a file of careers.

    Raises
    ------
    TableFormatError
        With the place of the first mistake.
    """
    read = read_document(source, CareerFile)
    numbers = [e.number for e in read.entries if isinstance(e, RoundEntry)]
    if len(set(numbers)) < len(numbers) or max(numbers, default=0) > read.last:
        msg = "entries: the numbers of the rounds are not each other's, or go beyond the last"
        raise TableFormatError(msg)
    twice = [p for p in read.seats.values() if list(read.seats.values()).count(p) > 1]
    if twice:
        msg = f"seats: {twice[0]} sits at two sides"
        raise TableFormatError(msg)
    return read


def write_careers(careers: CareerFile) -> bytes:
    """Write a file of careers, in plain ASCII."""
    plain = careers.model_dump(by_alias=True)
    return (json.dumps(plain, indent=1, allow_nan=False) + "\n").encode("ascii")


def entries_of(careers: CareerFile) -> list[Entry]:
    """Return the log as it is folded; a round is called by its number."""
    found: list[Entry] = []
    for entry in careers.entries:
        match entry:
            case RoundEntry():
                found.append(Played(str(entry.number), entry.sides))
            case PointsEntry():
                found.append(Corrected(entry.player, entry.points))
            case NameEntry():
                found.append(Named(entry.player, entry.figure - 1, entry.name))
    return found


def careers_to_json(history: History, words: Texts) -> Json:
    """Return careers as they are shown: figures, points, ranks, what each round left."""
    return {
        name: {
            "points": career.points,
            "figures": [_figure(figure, words) for figure in career.figures],
        }
        for name, career in history.careers.items()
    }


def _figure(figure: Figure, words: Texts) -> Json:
    ended = figure.ended
    return {
        "name": figure.name,
        "ended": None if ended is None else words.tell(ended),
        "lines": [_line(line, words) for line in figure.lines],
    }


def _line(line: Line, words: Texts) -> Json:
    service = line.service
    if service is None:
        return {"round": None, "points": line.points}
    return {
        "round": line.round,
        "points": line.points,
        "before": service.before,
        "gained": service.gained,
        "rank": words.tell(service.rank),
        "ended": None if service.ended is None else words.tell(service.ended),
        "settled": service.is_settled,
        "sure": service.is_sure,
    }
