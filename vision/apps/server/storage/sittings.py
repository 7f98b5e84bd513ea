"""Sittings: players round a table who order in secret, each at a seat of his own; plain values.

A seat is known by its token, which nobody guesses. What is ordered at it stays here until all
orders are in or the time is over; then all of them enter the log of the scan at once.
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection, Row, and_, delete, exists, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from vision.apps.server.storage.database import Part
from vision.apps.server.storage.sql_notes import newest_edit
from vision.apps.server.storage.tables import edits, seats, sittings

__all__ = ["Given", "Seat", "Sitting", "SittingState", "Sittings", "new_token"]

SittingState: TypeAlias = Literal["gathering", "open", "over", "off"]
Given: TypeAlias = Literal["in", "early", "late", "no seat", "not yet", "stands"]


def new_token() -> str:
    """Return a random token of 144 bits, fit for an address."""
    return secrets.token_urlsafe(18)


@dataclass(frozen=True, slots=True)
class Seat:
    """Whose seat it is, its token, how many phones have joined it, and the order given there.

    ``order`` is JSON, None while nothing was given; ``by`` tells which phone gave it. ``turn``
    tells when it orders: once all seats of the turns before have.
    """

    party: str
    token: str
    phones: int = 0
    order: str | None = None
    by: str = ""
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Sitting:
    """Seats round a scan, and how far they have come.

    ``gathering`` until the clock starts, ``open`` until ``ends``, ``over`` once all is revealed,
    ``off`` if it was called off. ``version`` counts what has changed.
    """

    id: str
    scan: str
    state: SittingState
    seconds: float
    created: float
    seats: tuple[Seat, ...]
    ends: float | None = None
    version: int = 0

    @property
    def is_all_in(self) -> bool:
        """Tell whether every seat has given an order."""
        return all(seat.order is not None for seat in self.seats)

    @property
    def turn(self) -> int:
        """The turn that is on: the first of which an order is missing, else the last."""
        missing = [seat.turn for seat in self.seats if seat.order is None]
        return min(missing) if missing else self.last_turn

    @property
    def last_turn(self) -> int:
        """The turn after which all is revealed."""
        return max((seat.turn for seat in self.seats), default=0)

    def seat(self, party: str) -> Seat | None:
        """Return the seat of a party."""
        return next((seat for seat in self.seats if seat.party == party), None)


_UNDER_WAY = sittings.c.state.in_(("gathering", "open"))


_EMPTY = {"given": None, "given_by": ""}


class Sittings(Part):
    """The sittings and their seats; the row of a sitting is held while it or a seat changes."""

    def add(self, sitting: Sitting) -> None:
        """Begin one; others round the same scan that are not over are called off."""
        with self._database.write() as connection:
            others = select(sittings).where(sittings.c.scan == sitting.scan, _UNDER_WAY)
            for other in connection.execute(others.with_for_update()).all():
                _end(connection, other, "off")
            names = ("id", "scan", "state", "seconds", "created", "ends", "version")
            values = {name: getattr(sitting, name) for name in names}
            connection.execute(insert(sittings).values(**values))
            _seat(connection, sitting.id, sitting.seats)

    def find(self, sitting: str) -> Sitting | None:
        """Return one."""
        with self._database.read() as connection:
            return _find(connection, sitting)

    def by_token(self, token: str) -> tuple[Sitting, Seat] | None:
        """Return the seat that a token opens."""
        with self._database.read() as connection:
            row = _by_token(connection, token)
            found = None if row is None else _find(connection, row.sitting)
        seat = None if found is None or row is None else found.seat(row.party)
        return None if found is None or seat is None else (found, seat)

    def newest(self, *, scan: str | None = None) -> Sitting | None:
        """Return the newest round a scan that was not called off; of all, one that is over."""
        wanted = sittings.c.state == "over"
        if scan is not None:
            wanted = and_(sittings.c.state != "off", sittings.c.scan == scan)
        query = select(sittings.c.id).where(wanted)
        with self._database.read() as connection:
            newest = query.order_by(sittings.c.created.desc(), sittings.c.id).limit(1)
            found = connection.scalar(newest)
            return None if found is None else _find(connection, found)

    def join(self, token: str, now: float) -> bool:
        """Note that a phone came to a seat; with the last seat taken the clock starts."""
        with self._database.write() as connection:
            row = _by_token(connection, token)
            if row is None or (held := _hold(connection, row.sitting)) is None:
                return False
            _set_seat(connection, held, row.party, phones=seats.c.phones + 1)
            empty = exists().where(seats.c.sitting == held.id, seats.c.phones == 0)
            if held.state == "gathering" and not connection.scalar(select(empty)):
                _set(connection, held, state="open", ends=now + held.seconds)
        return True

    def start(self, sitting: str, now: float) -> bool:
        """Start the clock; False if it does not wait for that."""
        with self._database.write() as connection:
            held = _hold(connection, sitting)
            if held is None or held.state != "gathering":
                return False
            _set(connection, held, state="open", ends=now + held.seconds)
        return True

    def give(self, token: str, order: str, by: str, now: float) -> Given:
        """Keep the order of a seat in place of an earlier one, if the clock runs.

        Only while the turn of the seat is on; with its last order the clock starts anew for the
        next.
        """
        with self._database.write() as connection:
            row = _by_token(connection, token)
            if row is None or (held := _hold(connection, row.sitting)) is None:
                return "no seat"
            if held.state == "gathering":
                return "early"
            if held.state != "open" or now >= held.ends:
                return "late"
            on = _turn(connection, held)
            if on is not None and row.turn != on:
                return "not yet" if row.turn > on else "stands"
            _set_seat(connection, held, row.party, given=order, given_by=by)
            if on is not None and _turn(connection, held) not in (on, None):
                connection.execute(
                    update(sittings).where(sittings.c.id == held.id).values(ends=now + held.seconds)
                )
        return "in"

    def pass_turn(self, seen: Sitting, now: float) -> bool:
        """End the turn that is on, without the orders missing, and start the clock for the next.

        False if the sitting has changed since.
        """
        with self._database.write() as connection:
            held = _hold(connection, seen.id)
            if held is None or held.state != "open" or held.version != seen.version:
                return False
            missing = and_(seats.c.turn == seen.turn, seats.c.given.is_(None))
            none = update(seats).where(seats.c.sitting == held.id, missing)
            connection.execute(none.values(given="null"))
            _set(connection, held, ends=now + held.seconds)
        return True

    def renew(self, sitting: str, party: str, token: str) -> bool:
        """Give a seat another token; the old one opens nothing any more."""
        with self._database.write() as connection:
            held = _hold(connection, sitting)
            return held is not None and _set_seat(connection, held, party, token=token, phones=0)

    def move(self, sitting: str, scan: str, seconds: float, seats_there: Sequence[Seat]) -> bool:
        """Have a sitting that is over gather round another scan; False if it is not over."""
        with self._database.write() as connection:
            held = _hold(connection, sitting)
            if held is None or held.state != "over":
                return False
            values = {"scan": scan, "seconds": seconds, "state": "gathering", "ends": None}
            _set(connection, held, created=time.time(), **values)
            connection.execute(delete(seats).where(seats.c.sitting == sitting))
            _seat(connection, sitting, seats_there)
        return True

    def due(self, now: float) -> tuple[str, ...]:
        """Return the ids of those whose orders are to be revealed: all in, or out of time."""
        missing = exists().where(seats.c.sitting == sittings.c.id, seats.c.given.is_(None))
        is_due = and_(sittings.c.state == "open", or_(sittings.c.ends <= now, ~missing))
        return tuple(self._scalars(select(sittings.c.id).where(is_due)))

    def reveal(self, seen: Sitting, revision: int, kind: str, body: str) -> bool:
        """End a sitting and add an entry to the log of its scan, both or neither.

        False if the sitting or the log has changed since.
        """
        entry = {"scan": seen.scan, "seq": revision + 1, "kind": kind, "body": body}
        try:
            with self._database.write() as connection:
                held = _hold(connection, seen.id)
                is_same = held is not None and held.version == seen.version
                if held is None or not is_same or newest_edit(connection, seen.scan) != revision:
                    return False
                connection.execute(insert(edits).values(created=time.time(), **entry))
                _end(connection, held, "over")
        except IntegrityError:  # someone corrected the scan at the same time
            return False
        return True

    def call_off(self, sitting: str) -> bool:
        """End a sitting and forget its orders; False if it was over."""
        with self._database.write() as connection:
            held = _hold(connection, sitting)
            if held is None or held.state not in ("gathering", "open"):
                return False
            _end(connection, held, "off")
        return True


def _find(connection: Connection, sitting: str) -> Sitting | None:
    row = connection.execute(select(sittings).where(sittings.c.id == sitting)).one_or_none()
    if row is None:
        return None
    of = select(seats).where(seats.c.sitting == sitting).order_by(seats.c.place)
    there = tuple(
        Seat(s.party, s.token, s.phones, s.given, s.given_by, s.turn)
        for s in connection.execute(of)
    )
    told = (row.id, row.scan, row.state, row.seconds, row.created)
    return Sitting(*told, there, row.ends, row.version)


def _by_token(connection: Connection, token: str) -> Row[Any] | None:
    return connection.execute(select(seats).where(seats.c.token == token)).one_or_none()


def _hold(connection: Connection, sitting: str) -> Row[Any] | None:
    """Take a sitting for this transaction alone."""
    query = select(sittings).where(sittings.c.id == sitting).with_for_update()
    return connection.execute(query).one_or_none()


def _turn(connection: Connection, held: Row[Any]) -> int | None:
    """Return the first turn of which an order is missing."""
    missing = and_(seats.c.sitting == held.id, seats.c.given.is_(None))
    turn: int | None = connection.scalar(select(func.min(seats.c.turn)).where(missing))
    return turn


def _set(connection: Connection, held: Row[Any], **values: object) -> None:
    """Change a sitting that is held, and count the change."""
    mine = update(sittings).where(sittings.c.id == held.id)
    connection.execute(mine.values(version=held.version + 1, **values))


def _set_seat(connection: Connection, held: Row[Any], party: str, **values: object) -> bool:
    """Change a seat of a sitting that is held, and count the change; False if there is none."""
    mine = and_(seats.c.sitting == held.id, seats.c.party == party)
    _set(connection, held)
    return bool(connection.execute(update(seats).where(mine).values(**values)).rowcount)


def _end(connection: Connection, held: Row[Any], state: str) -> None:
    _set(connection, held, state=state)
    connection.execute(update(seats).where(seats.c.sitting == held.id).values(**_EMPTY))


def _seat(connection: Connection, sitting: str, there: Sequence[Seat]) -> None:
    for place, seat in enumerate(there):
        values = {"party": seat.party, "token": seat.token, "phones": seat.phones, **_EMPTY}
        values["turn"] = seat.turn
        connection.execute(insert(seats).values(sitting=sitting, place=place, **values))
