"""Photos of a table -> which of several games lies there, and what was read of it."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from vision.errors import DeckError, TableNotFoundError

if TYPE_CHECKING:
    from vision.apps.decks import Known
    from vision.values.scan import Scan

__all__ = ["find_out", "is_plain"]

T = TypeVar("T")
_MANY = 4  # pieces read: fewer may be chance, or left over from another game
_WELL = 0.7  # median likeness of pieces where theirs is the game that lies there
_POORLY = 0.25  # of the worst: cards of another game reach 0.24, and what is unread has 0


def find_out(
    tables: "Sequence[Known]",
    photos: int,
    read: "Callable[[Known], T]",
    is_sure: "Callable[[T], bool]",
) -> "tuple[Known, T]":
    """Read photos as a table of the one game; of several, find out which of them it is.

    Cards are looked for first; where they are found no board is, which would take as long again.
    Once a reading is sure, no other game is asked.

    Parameters
    ----------
    tables : sequence of Known
        What may lie there.
    photos : int
        How many photos there are: games that are not spread over so many are left out.
    read : callable
        Reads the photos as a table of one of them.
    is_sure : callable
        Tells of a reading that nothing else can lie there, as :func:`is_plain` does.

    Raises
    ------
    TableNotFoundError
        If none of them does.
    DeckError
        If several fit; it names them.
    """
    found: list[tuple[Known, T]] = []
    missed: TableNotFoundError | None = None
    for known in sorted(tables, key=_has_board):
        if photos > known.game.most_photos or (found and _has_board(known)):
            continue
        try:
            found.append((known, read(known)))
        except TableNotFoundError as error:
            missed = error if missed is None or error.is_near else missed
            continue
        if is_sure(found[-1][1]):
            return found[-1]
    if not found and missed is not None:
        raise missed
    if len(found) != 1:
        fitting = [known.game.name for known, _ in found] or [known.game.name for known in tables]
        told = ", ".join(fitting)
        msg = f"this may be a table of {told}; say which with --game NAME"
        raise DeckError(msg)
    return found[0]


def is_plain(scan: "Scan") -> bool:
    """Tell whether all that was seen is read well, so that it is of no other game."""
    scores = [placed.score for layout in scan.layouts for placed in layout.placed]
    return len(scores) >= _MANY and min(scores) >= _POORLY and median(scores) >= _WELL


def _has_board(known: "Known") -> bool:
    return bool(known.game.pieces.of_kind("board"))
