"""Orders: who gives them, what may be tapped on the way to one, and what one says.

A game that takes orders overrides ``parties``, ``orders``, ``order``, and ``choices`` or ``sheet``.
Page and phones then let players choose by taps or type, in the open or in secret, and know nothing
of what the orders mean.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from vision.errors import TableFormatError
from vision.values.ledger import Mark
from vision.values.messages import Message

__all__ = [
    "Choice",
    "Column",
    "OrderLine",
    "OrderRead",
    "Party",
    "Pick",
    "check_party",
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


def check_party(parties: Iterable[Party], party: str) -> None:
    """Refuse who gives no orders on a table.

    Raises
    ------
    TableFormatError
        With those who do.
    """
    known = [one.id for one in parties]
    if party not in known:
        msg = f"{party!r} gives no orders here; {' and '.join(known)} may"
        raise TableFormatError(msg)
