"""The clock of a live game: pictures come with their sender's times, time never runs back."""

import time

__all__ = ["PictureClock"]

_SLACK_S = 0.5  # by which a sender's clock may run back before it is set anew


class PictureClock:
    """Turns the times that pictures come with into the time of the game, seconds from its start."""

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
