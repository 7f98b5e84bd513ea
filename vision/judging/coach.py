"""Coaching, after a round: what would have been better."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from vision.values.messages import Message

__all__ = ["Advice", "CanCoach"]


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing that would have gone otherwise.

    ``side`` is whom it is told (None: everybody), ``kind`` the game's own word for what sort of
    advice it is, ``said`` the sentence. ``order`` is what to order for it, as the game reads it
    (None: nothing could be done, or it is no order of one side).
    """

    side: str | None
    kind: str
    said: Message
    order: str | None = None


@runtime_checkable
class CanCoach(Protocol):
    """A game that can say what would have been better: only once the round is played."""

    def coach(self, table: Any) -> Sequence[Advice]:
        """Return what would have been better, side by side, in the order to read it.

        It may take two seconds at most; pieces stand as they were read, their doubts aside.
        """
        ...
