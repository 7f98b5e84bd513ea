"""Photos of a table -> which of several games lies there, and what was read of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from vision.errors import DeckError, TableNotFoundError

if TYPE_CHECKING:
    from vision.apps.decks import Known

__all__ = ["find_out"]

T = TypeVar("T")


def find_out(
    tables: "Sequence[Known]", photos: int, read: "Callable[[Known], T]"
) -> "tuple[Known, T]":
    """Read photos as a table of the one game; of several, find out which of them it is.

    Cards are looked for first; where they are found no board is, which would take as long again.

    Parameters
    ----------
    tables : sequence of Known
        What may lie there.
    photos : int
        How many photos there are: games that are not spread over so many are left out.
    read : callable
        Reads the photos as a table of one of them.

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
    if not found and missed is not None:
        raise missed
    if len(found) != 1:
        fitting = [known.game.name for known, _ in found] or [known.game.name for known in tables]
        told = ", ".join(fitting)
        msg = f"this may be a table of {told}; say which with --game NAME"
        raise DeckError(msg)
    return found[0]


def _has_board(known: "Known") -> bool:
    return bool(known.game.pieces.of_kind("board"))
