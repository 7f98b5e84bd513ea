"""From round to round: what changed on a table, and whether it was set up as it should be."""

from dataclasses import dataclass
from typing import Literal

from vision.values.messages import Message

__all__ = ["Change", "Followed"]


@dataclass(frozen=True, slots=True)
class Change:
    """What is other on a table than before: how, of which piece, in words."""

    kind: Literal["laid", "moved", "removed"]
    piece: str
    said: Message


@dataclass(frozen=True, slots=True)
class Followed:
    """How a round is played out by hand: the piece that went otherwise than ordered, in words.

    Neither where all went as ordered so far; ``is_done`` once it has been played to its end.
    """

    piece: str | None = None
    said: Message | None = None
    is_done: bool = False
