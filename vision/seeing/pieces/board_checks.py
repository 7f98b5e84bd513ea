"""Boards found -> those that can be read; why the others cannot, in a line that helps."""

from collections.abc import Sequence

import numpy as np

from vision.errors import TableNotFoundError
from vision.geometry import table_from_card
from vision.seeing.pieces.boards import FoundBoard
from vision.seeing.pieces.multi_part_board import MultiPartBoard
from vision.seeing.pieces.rectify import map_plane
from vision.texts import make_issue
from vision.values.messages import Issue, message
from vision.values.pieces import Piece

__all__ = ["check_in_photo", "check_parts", "suppress_repeated_boards"]


def suppress_repeated_boards(
    boards: Sequence[FoundBoard], known: Sequence[Piece]
) -> tuple[FoundBoard, ...]:
    """Return the boards, each once.

    Raises
    ------
    TableNotFoundError
        If there is none, or more of a board than a game has.
    """
    if not boards:
        names = ", ".join(piece.id for piece in known)
        msg = (
            f"found no board of this game ({names}); needed at least a third of its print in "
            "clear view: photograph it from above, from closer, with no hand over it"
        )
        raise TableNotFoundError(msg)
    kept: dict[str, FoundBoard] = {}
    for board in boards:
        if kept.setdefault(board.print.piece, board) is board:
            continue
        if any(p.id == board.print.piece and (p.kind, p.copies) == ("board", 1) for p in known):
            msg = (
                f"found two boards of this game ({board.print.piece}); needed one: cover or "
                "remove the other, and take another photo"
            )
            raise TableNotFoundError(msg, is_near=True)
    return tuple(kept.values())


def check_in_photo(board: FoundBoard, size_wh: tuple[int, int], least: float) -> float:
    """Return the share of a board that lies within the photo: what stands beyond is not seen.

    Raises
    ------
    TableNotFoundError
        If it is less than ``least``.
    """
    share = (np.arange(24) + 0.5) / 24 - 0.5
    grid = np.stack(np.meshgrid(share, share), axis=-1).reshape(-1, 2) * board.print.size_mm
    at = map_plane(board.solution, table_from_card(grid, *board.pose))
    inside = float(((at > 0) & (at < np.array(size_wh) - 1)).all(axis=1).mean())
    if inside < least:
        msg = (
            f"found the board ({board.print.piece}), but only {100 * inside:.0f}% of it in the "
            "photo; needed all of it: step back, or hold the camera higher"
        )
        raise TableNotFoundError(msg, is_near=True)
    return inside


def check_parts(board: FoundBoard) -> list[Issue]:
    """Tell which sheets of a board do not show; what lies there is read by its neighbours.

    Raises
    ------
    TableNotFoundError
        If a sheet lies where it does not belong, or most do not show.
    """
    if not isinstance(board, MultiPartBoard):
        return []
    name, count = board.print.piece, len(board.multi_part.parts)
    missing = [k for k in range(count) if k not in board.sheets]
    if board.wrong:
        where = ", ".join(_place(board, k) for k in board.wrong)
        msg = (
            f"found the board ({name}), but its sheet at the {where} is turned, shifted or in the "
            "wrong place; needed all sheets edge to edge: put it right and take another photo"
        )
        raise TableNotFoundError(msg, is_near=True)
    if len(missing) * 2 >= count:
        msg = (
            f"found {count - len(missing)} of the {count} sheets of the board ({name}); needed "
            "all of them in clear view: lay them edge to edge, with no hands in the way"
        )
        raise TableNotFoundError(msg, is_near=True)
    return [
        make_issue(
            "board_sheet_hidden",
            "issue.board_sheet_hidden",
            (name,),
            board=name,
            place=message(f"place.{_place(board, k, '_')}"),
        )
        for k in missing
    ]


def _place(board: MultiPartBoard, part: int, gap: str = " ") -> str:
    """Say in words where a sheet belongs."""
    x, y = board.multi_part.centres_mm[part]
    words = ["top" if y < 0 else "bottom"] if abs(y) > 1 else []
    words += ["left" if x < 0 else "right"] if abs(x) > 1 else []
    return gap.join(words) or "middle"
