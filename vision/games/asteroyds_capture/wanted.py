"""Table and its doubts -> what further photos would show that is missing, or decide."""

from collections.abc import Iterable, Iterator, Sequence

from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.position import turned_by
from vision.games.asteroyds_capture.values import Table
from vision.games.asteroyds_capture.words import piece_name
from vision.values.messages import Issue, Message, message

__all__ = ["wanted"]

_OF_SHEETS = {"column", "mode", "rounds", "pilot"}
#: Doubts of seeing and of the set-up that another photo of the board may answer.
_BOARD = frozenset(
    (
        *("board_cut", "board_hidden", "board_sheet_hidden", "piece_supposed", "piece_strange"),
        *("ship_unseen", "tile_missing", "piece_unsure"),
    )
)
_SHEETS = {"sheet_unnamed", "sheet_unread", "sheet_unsure", "sheet_covered"}


def wanted(table: Table, doubts: Sequence[Issue]) -> tuple[Message, ...]:
    """Return what further photos of a turn are missing; ``doubts`` are all that are open of it."""
    return tuple(_wanted(table, {issue.code for issue in doubts}))


def _wanted(table: Table, open_: set[str]) -> Iterator[Message]:
    on_board = sorted(p.id for p in table.pieces if p.cell is not None)
    ships = [name for name in on_board if kind_of(name) == "ship"]
    doubtful = {one.of for one in table.alternatives if one.what in _OF_SHEETS}
    yield from _sheets("sheet", [name for name in ships if name not in table.programs])
    yield from _sheets("sheet_again", [name for name in ships if name in doubtful])
    if open_ & _SHEETS:
        yield message("asteroyds.wanted.sheet_unread")
    if any(table.dice.get(colour) is None for colour in turned_by(table.pieces)):
        yield message("asteroyds.wanted.dice")
    elif "die_unsure" in open_ or any(one.what == "die" for one in table.alternatives):
        yield message("asteroyds.wanted.dice_again")
    if open_ & _BOARD or any(
        one.what in ("cell", "on", "heading_deg") for one in table.alternatives
    ):
        yield message("asteroyds.wanted.board_again")


def _sheets(key: str, ships: Iterable[str]) -> Iterator[Message]:
    names = tuple(piece_name(ship) for ship in ships)
    if names:
        yield message(f"asteroyds.wanted.{key}", ships=names)
