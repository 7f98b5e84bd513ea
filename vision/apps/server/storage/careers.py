"""Careers as they are kept: whose they are, at which side of an evening, what was said by hand.

What rounds left to them is kept nowhere: it is what the rounds give as they stand.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from vision.apps.server.storage.database import Part
from vision.apps.server.storage.tables import (
    career_notes,
    career_seats,
    careers,
    edits,
    evenings,
    jobs,
    scans,
)

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


class Careers(Part):
    """The careers; every call is whole, whoever else calls at the same time."""

    def add(self, career: KeptCareer) -> None:
        """Begin one."""
        self._do(insert(careers).values(**asdict(career)))

    def find(self, career: str) -> KeptCareer | None:
        """Return one."""
        return self._one(select(careers).where(careers.c.id == career), KeptCareer)

    def list(self, limit: int, *, before: float | None = None) -> tuple[KeptCareer, ...]:
        """Return the newest, the newest first."""
        newest = select(careers).order_by(careers.c.created.desc(), careers.c.id).limit(limit)
        if before is not None:
            newest = newest.where(careers.c.created < before)
        return self._all(newest, KeptCareer)

    def rename(self, career: str, name: str) -> None:
        """Give one another player's name."""
        self._do(update(careers).where(careers.c.id == career).values(name=name))

    def delete(self, career: str) -> None:
        """Delete one, its log and its seats."""
        with self._database.write() as connection:
            for column in (career_notes.c.career, career_seats.c.career, careers.c.id):
                connection.execute(delete(column.table).where(column == career))

    def games(self, evening: str) -> tuple[str, ...]:
        """Return the games of which somebody's career is seated at an evening."""
        query = select(career_seats.c.game).where(career_seats.c.evening == evening).distinct()
        return tuple(self._scalars(query.order_by(career_seats.c.game)))

    def seat(self, evening: str, game: str, seats: Mapping[str, str | None]) -> bool:
        """Seat careers at sides, or nobody; False, and nothing done, if one of them is not there.

        The row of the evening is held meanwhile: two who seat at once do it one after the other.
        """
        there = {career for career in seats.values() if career is not None}
        with self._database.write() as connection:
            held = select(evenings.c.id).where(evenings.c.id == evening).with_for_update()
            of_game = select(func.count()).where(careers.c.id.in_(there), careers.c.game == game)
            if connection.scalar(held) is None or connection.scalar(of_game) != len(there):
                return False
            here = (career_seats.c.evening == evening, career_seats.c.game == game)
            for column, gone in ((career_seats.c.side, seats), (career_seats.c.career, there)):
                connection.execute(delete(career_seats).where(*here, column.in_(list(gone))))
            for side, career in seats.items():
                if career is not None:
                    row = {"evening": evening, "game": game, "side": side, "career": career}
                    connection.execute(insert(career_seats).values(**row))
        return True

    def log(self, game: str) -> CareerLog:
        """Return all that the careers of a game follow from, as it is at one moment."""
        with self._database.read() as connection:
            if not self._database.is_sqlite:  # else another may write between two queries
                connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"))
            known = select(careers).where(careers.c.game == game)
            known = known.order_by(careers.c.created, careers.c.id)
            there = tuple(KeptCareer(*row) for row in connection.execute(known))
            notes = _notes(connection, careers.c.game == game)
            seats: dict[str, dict[str, str]] = {}
            for row in connection.execute(select(career_seats).where(career_seats.c.game == game)):
                seats.setdefault(row.evening, {})[row.side] = row.career
            rounds = _rounds(connection, game)
        return CareerLog(there, seats, rounds, notes)

    def notes(self, career: str) -> tuple[Note, ...]:
        """Return the log of a career in order."""
        with self._database.read() as connection:
            return _notes(connection, careers.c.id == career)

    def note(self, revision: int, note: Note) -> bool:
        """Add an entry to the log of a career; False if the revision is no longer the newest."""
        entry = {"kind": note.kind, "body": note.body, "created": note.created}
        try:
            with self._database.write() as connection:
                newest = select(func.max(career_notes.c.seq))
                newest = newest.where(career_notes.c.career == note.career)
                if int(connection.scalar(newest) or 0) != revision:
                    return False
                values = {"career": note.career, "seq": revision + 1, **entry}
                connection.execute(insert(career_notes).values(**values))
        except IntegrityError:  # two at once, or the career is gone
            return False
        return True


def _rounds(connection: Connection, game: str) -> tuple[CareerRound, ...]:
    """Return what is read, and not deleted, of the evenings at which somebody sits."""
    seated = select(career_seats.c.evening).where(career_seats.c.game == game)
    names = ("id", "name", "deck", "game", "evening", "photo", "view", "counted", "created")
    columns = [scans.c[name] for name in (*names, "readings")]
    query = (
        select(*columns, func.count(edits.c.seq))
        .join(jobs, jobs.c.scan == scans.c.id)
        .join(edits, edits.c.scan == scans.c.id, isouter=True)
        .where(scans.c.evening.in_(seated), scans.c.deleted.is_(None), jobs.c.state == "done")
        .group_by(*columns)
        .order_by(scans.c.created, scans.c.id)
    )
    return tuple(CareerRound(*tuple(row)) for row in connection.execute(query))


def _notes(connection: Connection, which: Any) -> tuple[Note, ...]:
    columns = (career_notes.c[name] for name in ("career", "kind", "body", "created"))
    query = select(*columns).join(careers, careers.c.id == career_notes.c.career).where(which)
    query = query.order_by(career_notes.c.career, career_notes.c.seq)
    return tuple(Note(*row) for row in connection.execute(query))
