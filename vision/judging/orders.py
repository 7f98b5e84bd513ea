"""Orders: who gives them, what may be tapped on the way to one, and what one says.

A game that takes orders offers :class:`TakesOrders`. Page and phones then let players choose by
taps or type, in the open or in secret, and know nothing of what the orders mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from vision.values.ledger import Mark
from vision.values.messages import Message

__all__ = [
    "Choice",
    "Column",
    "FillsSheets",
    "OrderLine",
    "OrderRead",
    "OrdersInTurn",
    "Party",
    "Pick",
    "TakesOrders",
]


@dataclass(frozen=True, slots=True)
class Party:
    """Who gives an order: its id, its name in words, the side of the ledger that it plays for."""

    id: str
    name: Message | str
    side: str | None = None


@dataclass(frozen=True, slots=True)
class Pick:
    """One thing that may be chosen in a column: a value that the game reads, a sign, words.

    ``sign`` is what stands on a small button, a character or two.
    """

    value: str
    sign: str
    said: Message | str


@dataclass(frozen=True, slots=True)
class Column:
    """A part of an order that is filled in by itself: at most so many of its picks, or none.

    Columns that follow each other and have the same picks stand side by side. ``chosen`` are the
    values that are filled in.
    """

    id: str
    name: Message | str
    picks: tuple[Pick, ...]
    chosen: tuple[str, ...] = ()
    most: int = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """One tap on the way to an order.

    ``text`` is the order as far as it goes with this tap: the game reads it, nobody else does.
    ``said`` says in a few words what is chosen. On the table one taps the ``piece``, or near the
    place ``at_mm`` (table frame); without either there is only a button. ``marks`` show what was
    chosen. ``is_whole`` tells that the order may end here, ``goes_on`` that more may follow.
    ``warning`` says why it would come to nothing, where that may be ordered all the same.
    """

    text: str
    said: Message | str
    piece: str | None = None
    at_mm: tuple[float, float] | None = None
    marks: tuple[Mark, ...] = ()
    is_whole: bool = False
    goes_on: bool = True
    warning: Message | None = None


@dataclass(frozen=True, slots=True)
class OrderLine:
    """One part of an order of several: in words, why it will come to nothing if it will.

    ``without`` is the whole order without this part, as the game reads it.
    """

    said: Message | str
    warning: Message | None = None
    without: str = ""


@dataclass(frozen=True, slots=True)
class OrderRead:
    """An order that was understood: as the game writes it, and in words.

    ``text`` is None where nothing is ordered. ``warning`` says why it will come to nothing, where
    the rules take such an order and lose it. ``marks`` show it. ``lines`` are its parts where it
    has several; ``goes_on`` tells that more may be tapped after it.
    """

    text: str | None
    said: Message | str
    warning: Message | None = None
    marks: tuple[Mark, ...] = ()
    lines: tuple[OrderLine, ...] = ()
    goes_on: bool = False


@runtime_checkable
class TakesOrders(Protocol):
    """A game whose round is played by orders of its parties.

    Its ``edit`` takes ``{"kind": "orders", "orders": {party: text or null}}``: all at once, null
    for none; who is not named keeps the order that stands.
    """

    def parties(self, table: Any) -> Sequence[Party]:
        """Return who may give an order on a table."""
        ...

    def orders(self, table: Any) -> Mapping[str, str | None]:
        """Return the orders that stand on a table, as the game writes them.

        None of a party that orders nothing; who has not ordered yet is not there.
        """
        ...

    def choices(self, table: Any, party: str, so_far: str) -> Sequence[Choice]:
        """Return what may be tapped next; ``so_far`` is the text of the last tap, empty at first.

        Raises
        ------
        TableFormatError
            If no tap leads to ``so_far``.
        """
        ...

    def order(self, table: Any, party: str, given: Any) -> OrderRead:
        """Read an order, as typed or tapped, or as JSON; None for none.

        What others have ordered changes nothing of the answer.

        Raises
        ------
        TableFormatError
            If it is none, or the rules refuse it; says what was seen and what is needed.
        """
        ...


@runtime_checkable
class OrdersInTurn(Protocol):
    """A game whose parties order one after the other, the later ones told something before.

    Each turn is a group of parties that order at the same time. The tables that its methods and
    those of :class:`TakesOrders` get hold the orders of the turns before; what a later party is
    offered, told and refused may depend on these by what :meth:`heard` says alone.
    """

    def turns(self, table: Any) -> Sequence[Sequence[str]]:
        """Return the ids of the parties by turn; every party is in one."""
        ...

    def heard(self, table: Any, party: str) -> Sequence[Message]:
        """Return what a party is told of the orders of the turns before its own."""
        ...


@runtime_checkable
class FillsSheets(Protocol):
    """A game whose orders are filled in like a sheet: all columns at once, in any order.

    Its ``order`` takes, besides its own forms, ``{column: [value, ...]}``; its ``choices`` are
    none.
    """

    def sheet(self, table: Any, party: str, given: Any) -> Sequence[Column]:
        """Return the sheet of a party, an order filled in: as given, as it stands if None.

        Raises
        ------
        TableFormatError
            If what is given is no order.
        """
        ...
