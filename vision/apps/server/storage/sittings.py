"""Sittings: players round a table who order in secret, each at a seat of his own; plain values.

A seat is known by its token, which nobody guesses. What is ordered at it stays here until all
orders are in or the time is over; then all of them enter the log of the scan at once.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

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


class Sittings(Protocol):
    """The sittings; every call is whole, whoever else calls at the same time."""

    def add(self, sitting: Sitting) -> None:
        """Begin one; others round the same scan that are not over are called off."""
        ...

    def find(self, sitting: str) -> Sitting | None:
        """Return one."""
        ...

    def by_token(self, token: str) -> tuple[Sitting, Seat] | None:
        """Return the seat that a token opens."""
        ...

    def newest(self, *, scan: str | None = None) -> Sitting | None:
        """Return the newest round a scan that was not called off; of all, one that is over."""
        ...

    def join(self, token: str, now: float) -> bool:
        """Note that a phone came to a seat; with the last seat taken the clock starts."""
        ...

    def start(self, sitting: str, now: float) -> bool:
        """Start the clock; False if it does not wait for that."""
        ...

    def give(self, token: str, order: str, by: str, now: float) -> Given:
        """Keep the order of a seat in place of an earlier one, if the clock runs.

        Only while the turn of the seat is on; with its last order the clock starts anew for the
        next.
        """
        ...

    def pass_turn(self, seen: Sitting, now: float) -> bool:
        """End the turn that is on, without the orders missing, and start the clock for the next.

        False if the sitting has changed since.
        """
        ...

    def renew(self, sitting: str, party: str, token: str) -> bool:
        """Give a seat another token; the old one opens nothing any more."""
        ...

    def move(self, sitting: str, scan: str, seconds: float, seats: Sequence[Seat]) -> bool:
        """Have a sitting that is over gather round another scan; False if it is not over."""
        ...

    def due(self, now: float) -> Collection[str]:
        """Return the ids of those whose orders are to be revealed: all in, or out of time."""
        ...

    def reveal(self, seen: Sitting, revision: int, kind: str, body: str) -> bool:
        """End a sitting and add an entry to the log of its scan, both or neither.

        False if the sitting or the log has changed since.
        """
        ...

    def call_off(self, sitting: str) -> bool:
        """End a sitting and forget its orders; False if it was over."""
        ...
