"""The clocks of a live game: its pictures' own, and that of another server, by round trips."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["PictureClock", "RoundTrip", "ahead_of", "steady_clock"]

_SLACK_S = 0.5  # by which a sender's clock may run back before it is set anew


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """A question to another server and its answer: ``asked`` and ``heard`` by the own clock.

    ``received`` and ``sent`` are when the question came and the answer went, by the other's.
    """

    asked: float
    received: float
    sent: float
    heard: float

    @property
    def way_s(self) -> float:
        """How long both ways took."""
        return (self.heard - self.asked) - (self.sent - self.received)


def ahead_of(trips: Iterable[RoundTrip]) -> float | None:
    """Return by how much the own clock is ahead of another server's; None without a trip.

    The shortest trip tells it best: half of what it took is the most that may be wrong.

    References
    ----------
    .. [1] RFC 5905, Network Time Protocol version 4, sections 8 and 10.
    """
    best = min(trips, key=lambda trip: trip.way_s, default=None)
    if best is None:
        return None
    return ((best.asked - best.received) + (best.heard - best.sent)) / 2


def steady_clock() -> float:
    """Return the time, seconds since 1970, by a clock that nobody sets while the server runs."""
    return _BEGAN + time.monotonic()


_BEGAN = time.time() - time.monotonic()


class PictureClock:
    """Turns the times that pictures come with into the time of the game, seconds from its start.

    The senders' times never run back in it.
    """

    def __init__(self) -> None:
        self.last_s = 0.0
        self._last_at = time.monotonic()
        self._has_begun = False
        self._first_taken_s: float | None = None

    def time_of(self, taken_s: float | None, arrived: float) -> float:
        """Return when a picture was taken.

        Parameters
        ----------
        taken_s : float, optional
            By the sender's own clock.
        arrived : float
            When it began to come in (monotonic).
        """
        expected = self.last_s + arrived - self._last_at if self._has_begun else 0.0
        time_s = max(self.last_s, expected)
        if taken_s is not None:
            if self._first_taken_s is None:
                self._first_taken_s = taken_s - time_s
            by_sender = taken_s - self._first_taken_s
            if by_sender < self.last_s - _SLACK_S:  # the sender began anew
                self._first_taken_s = taken_s - time_s
            else:
                time_s = max(by_sender, self.last_s)
        self._has_begun = True
        self.last_s, self._last_at = time_s, arrived
        return time_s
