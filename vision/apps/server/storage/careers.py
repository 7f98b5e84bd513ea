"""Careers as they are kept: whose they are, at which side of an evening, what was said by hand.

What rounds left to them is kept nowhere: it is what the rounds give as they stand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

__all__ = ["CareerLog", "CareerRound", "Careers", "KeptCareer", "Note"]


@dataclass(frozen=True, slots=True)
class KeptCareer:
    """A player's career in a game."""

    id: str
    game: str
    name: str
    created: float


@dataclass(frozen=True, slots=True)
class CareerRound:
    """A round that is read, of an evening at which somebody with a career sits.

    ``photo`` and ``view`` are the keys of its pictures; ``counted`` says that it counts although
    its photo came before in the same evening, ``readings`` how often its photos were read.
    """

    scan: str
    name: str
    deck: str
    game: str | None
    evening: str
    photo: str
    view: str
    counted: bool
    created: float
    readings: int
    revision: int


@dataclass(frozen=True, slots=True)
class Note:
    """An entry of the log of a career: what was said by hand (JSON), ``undo`` or ``redo``."""

    career: str
    kind: str
    body: str
    created: float


@dataclass(frozen=True, slots=True)
class CareerLog:
    """All that the careers of a game follow from; everything in order of time.

    ``seats`` are careers by side, by evening.
    """

    careers: tuple[KeptCareer, ...]
    seats: Mapping[str, Mapping[str, str]]
    rounds: tuple[CareerRound, ...]
    notes: tuple[Note, ...]


class Careers(Protocol):
    """The careers; every call is whole, whoever else calls at the same time."""

    def add(self, career: KeptCareer) -> None:
        """Begin one."""
        ...

    def find(self, career: str) -> KeptCareer | None:
        """Return one."""
        ...

    def list(self, limit: int, *, before: float | None = None) -> tuple[KeptCareer, ...]:
        """Return the newest, the newest first."""
        ...

    def rename(self, career: str, name: str) -> None:
        """Give one another player's name."""
        ...

    def delete(self, career: str) -> None:
        """Delete one, its log and its seats."""
        ...

    def games(self, evening: str) -> tuple[str, ...]:
        """Return the games of which somebody's career is seated at an evening."""
        ...

    def seat(self, evening: str, game: str, seats: Mapping[str, str | None]) -> bool:
        """Seat careers at sides, or nobody; False, and nothing done, if one of them is not there.

        A career has one side at an evening: it leaves the one it had.
        """
        ...

    def log(self, game: str) -> CareerLog:
        """Return all that the careers of a game follow from, as it is at one moment."""
        ...

    def notes(self, career: str) -> tuple[Note, ...]:
        """Return the log of a career in order."""
        ...

    def note(self, revision: int, note: Note) -> bool:
        """Add an entry to the log of a career; False if the revision is no longer the newest."""
        ...
