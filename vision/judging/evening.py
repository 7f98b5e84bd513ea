"""From round to round: what changed on a table, and whether it was set up as it should be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from vision.values.messages import Message

__all__ = ["CarriesOn", "Change", "ExpectsTable", "Followed", "FollowsOrders", "TellsChanges"]


@dataclass(frozen=True, slots=True)
class Change:
    """What is other on a table than before: how, of which piece, in words."""

    kind: Literal["laid", "moved", "removed"]
    piece: str
    said: Message


@runtime_checkable
class TellsChanges(Protocol):
    """A game that says in its own words what changed between two of its tables."""

    def changes(self, before: Any, after: Any) -> Sequence[Change]:
        """Return what changed, piece by piece; none if all stands as it did."""
        ...


@runtime_checkable
class ExpectsTable(Protocol):
    """A game that knows what a round leaves on the table."""

    def expect(self, table: Any, expected: Any | None) -> Any:
        """Return a table with a doubt for each piece that is not as the round before left it.

        ``expected`` is that position, None if the game was over. No piece is set right: who laid
        it knows better, and is asked.
        """
        ...


@runtime_checkable
class CarriesOn(Protocol):
    """A game of which more goes on from round to round than lies on the table: its score, say.

    The score of its rounds is how it stands by then; those of an evening are not added up.
    """

    def carried(self, table: Any, expected: Any) -> Mapping[str, Any] | None:
        """Return the change, for ``edit``, that brings over to a table what no photo shows.

        ``expected`` is what the round before left; None if there is nothing to bring over.
        """
        ...


@dataclass(frozen=True, slots=True)
class Followed:
    """How a round is played out by hand: the piece that went otherwise than ordered, in words.

    Neither where all went as ordered so far; ``is_done`` once it has been played to its end.
    """

    piece: str | None = None
    said: Message | None = None
    is_done: bool = False


@runtime_checkable
class FollowsOrders(Protocol):
    """A game whose rounds, once all have ordered, are played out on the table by hand."""

    def follow(self, planned: Any, seen: Sequence[Any]) -> Followed:
        """Compare what was seen with what the orders lead to.

        ``planned`` is the table with its orders, ``seen`` the positions since, in order.
        """
        ...
