"""Reads the board, tokens and dice of a game from a photo: order of the stages, and doubts.

The board comes first: it gives the plane and the table frame, whose origin is its centre. Dice and
tokens are detected on it and beside it, each at its own height.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.errors import TableNotFoundError
from vision.geometry import table_from_card
from vision.imaging.view import View
from vision.seeing.estimation.covariance import block_diagonal
from vision.seeing.estimation.model import camera_of
from vision.seeing.estimation.plane import camera_priors
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.pieces.board_scene import BoardScene, Found, board_scene_of, placed_at
from vision.seeing.pieces.cubes import find_cubes
from vision.seeing.pieces.discs import find_discs
from vision.seeing.pieces.print_registration import CalibratedView
from vision.seeing.pieces.printed_planar import PrintedPlanar, find_printed
from vision.seeing.pieces.prints import PlanarPrint, features_in
from vision.seeing.pieces.sheet_search import (
    SheetTemplate,
    build_sheet_templates,
    read_sheets,
)
from vision.seeing.pieces.sticks import find_sticks
from vision.seeing.pieces.unread_things import find_unread_things
from vision.seeing.pieces.uprights import find_uprights
from vision.seeing.stages import Stages
from vision.texts import make_issue
from vision.values.layout import Layout
from vision.values.messages import Issue, message
from vision.values.pieces import Looks, Piece

__all__ = ["PieceDetector", "build_piece_detector", "find_prints", "read_pieces"]


# Thresholds of doubts about boards, tokens and dice.
_BOARD_SHARE = 0.6  # visible share of a board's print below which a piece may be hidden
# least share of a board inside the photo: with a row of squares outside it is refused
_LEAST_IN_PHOTO = 0.85
_IN_PHOTO = 0.995  # the same, below which a piece at its edge may be cut off


@dataclass(frozen=True, slots=True, eq=False)
class PieceDetector:
    """Everything that is needed to detect the board of a game and the pieces on it.

    It is pickled as the appearance of the pieces.
    """

    looks: Looks
    prints: tuple[PlanarPrint, ...]
    templates: tuple[SheetTemplate, ...] = ()  #: sheets beside a board

    def __reduce__(self) -> tuple[Callable[[Looks], "PieceDetector"], tuple[Looks]]:
        return build_piece_detector, (self.looks,)

    @property
    def prepared(self) -> dict[str, NDArray[Any]]:
        """What takes time to compute of the appearance, by name."""
        each = [one.prepared for one in self.prints] + [one.prepared for one in self.templates]
        return {name: array for one in each for name, array in one.items()}


@lru_cache(maxsize=4)
def build_piece_detector(looks: Looks) -> PieceDetector:
    """Prepare the prints of the boards; the last games are cached."""
    pieces = looks.pieces
    boards, sheets = pieces.of_kind("board"), pieces.of_kind("sheet")
    known = features_in(looks.prepared)
    prints = tuple(
        PlanarPrint.from_art(p.id, looks.art[p.id], p.size_mm, p.parts, known)
        for p in boards or sheets
    )
    templates = build_sheet_templates(looks) if boards and sheets else ()
    return PieceDetector(looks, prints, templates)


def find_prints(
    view: View,
    detector: PieceDetector,
    focal_px: float | None = None,
    before: Sequence[PrintedPlanar] = (),
) -> tuple[PrintedPlanar, ...]:
    """Detect the boards of a game in a photo, or else one of its sheets.

    ``before`` is that of :func:`find_printed`.
    """
    priors = camera_priors((view[0].shape[1], view[0].shape[0]), focal_px)
    shot = CalibratedView(view, priors, focal_px is not None)
    sheets = [template.common for template in detector.templates]
    return find_printed(shot, detector.prints, instead=sheets, before=before)


def read_pieces(
    view: View,
    detector: PieceDetector,
    *,
    focal_px: float | None = None,
    stages: Stages | None = None,
    boards: Sequence[PrintedPlanar] | None = None,
) -> Layout:
    """Read the board, the tokens and the dice of a game from an upright photo.

    ``focal_px`` is from the header of the photo; ``boards`` are detected if they are not known.

    Raises
    ------
    TableNotFoundError
        If no board of the game is visible, two are, or much of it is outside the photo.
    """
    stages = stages or Stages()
    known = detector.looks.pieces.of_kind("board", "sheet")
    with stages("detect"):
        prints = find_prints(view, detector, focal_px) if boards is None else boards
        if detector.templates and not any(one.print in detector.prints for one in prints):
            return _read_sheets_alone(view, detector, prints, stages)
    boards = suppress_repeated_boards(prints, known)
    first = boards[0]
    in_photo = check_in_photo(first, view.size_wh, _LEAST_IN_PHOTO)
    doubts = [*check_parts(first), *_seen_issues("board_cut", first, in_photo, _IN_PHOTO)]
    with stages("classify"):
        sheets = read_sheets(view, detector.templates, detector.looks, first)
        scene = board_scene_of(view, first, detector.looks)
        beside = tuple(one.hull_mm for one in sheets if len(one.hull_mm))
        scene = replace(scene, beside_mm=beside)
        for find in DETECTORS:
            scene = replace(scene, known=(*scene.known, *find(scene)))
    on_board = (_on_print(one, first) for one in scene.known)
    return _layout(view, first, [*map(_found, boards), *on_board, *sheets], doubts, stages)


#: The detectors of what lies on a board: discs, cubes, upright pieces, sticks, and what no detector
#: explains. Each leaves out what is known.
DETECTORS: tuple[Callable[[BoardScene], list[Found]], ...] = (
    find_discs,
    find_cubes,
    find_uprights,
    find_sticks,
    find_unread_things,
)


def _layout(
    view: View,
    first: PrintedPlanar,
    found: Sequence[Found],
    doubts: Sequence[Issue],
    stages: Stages,
) -> Layout:
    """Return what was found, measured piece by piece, in the frame of the first print."""
    placed = tuple(one.placed for one in found if one.placed.piece)
    return Layout(
        placed,
        block_diagonal(*(piece.covariance for piece in placed)),
        camera_of(first.solution),
        view.size_wh,
        doubts=(*doubts, *(doubt for one in found for doubt in one.doubts)),
        timings_ms=stages.timings_ms,
    )


def _on_print(one: Found, board: PrintedPlanar) -> Found:
    """Return a token at its pose on the print of a board, whose sheets may gape."""
    at = one.placed
    if at.kind != "token":
        return one
    x, y, theta = board.on_print(np.array([at.x_mm, at.y_mm, at.theta_rad])).tolist()
    return replace(one, placed=replace(at, x_mm=x, y_mm=y, theta_rad=theta))


def _read_sheets_alone(
    view: View, detector: PieceDetector, found: Sequence[PrintedPlanar], stages: Stages
) -> Layout:
    """Read the sheets of a photo without a board.

    Raises
    ------
    TableNotFoundError
        If there are none either.
    """
    if not found:
        msg = (
            "found neither the board nor a sheet of this game; needed one of them in clear view: "
            "photograph it from above, from closer, with no hand over it"
        )
        raise TableNotFoundError(msg, said=message("error.no_board_or_sheet"))
    sheets = read_sheets(view, detector.templates, detector.looks, found[0])
    return _layout(view, found[0], sheets, (), stages)


def _found(board: PrintedPlanar) -> Found:
    """Return a board as a found piece, on which the others lie."""
    name, seen = board.print.piece, board.score
    placed = placed_at(
        name, "board", board.pose, board.covariance, board.corners_px, score=seen, visible=seen
    )
    doubts = _seen_issues("board_hidden", board, seen, _BOARD_SHARE)
    return Found(placed, np.zeros((0, 2)), tuple(doubts))


def _seen_issues(code: str, board: PrintedPlanar, seen: float, least: float) -> list[Issue]:
    """Report that less of a board is seen than needed."""
    name = board.print.piece
    if seen >= least:
        return []
    return [make_issue(code, f"issue.{code}", (name,), seen=seen, board=name)]


def suppress_repeated_boards(
    boards: Sequence[PrintedPlanar], known: Sequence[Piece]
) -> tuple[PrintedPlanar, ...]:
    """Return each board once.

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
    kept: dict[str, PrintedPlanar] = {}
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


def check_in_photo(board: PrintedPlanar, size_wh: tuple[int, int], least: float) -> float:
    """Return the share of a board inside the photo; pieces on the rest are invisible.

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


def check_parts(board: PrintedPlanar) -> list[Issue]:
    """Report the invisible sheets of a board, whose poses come from their neighbours.

    Raises
    ------
    TableNotFoundError
        If a sheet is misplaced, or most are invisible.
    """
    name, count = board.print.piece, len(board.print.parts)
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


def _place(board: PrintedPlanar, part: int, gap: str = " ") -> str:
    """Return the place of a sheet in words."""
    x, y = board.print.centres_mm[part]
    words = ["top" if y < 0 else "bottom"] if abs(y) > 1 else []
    words += ["left" if x < 0 else "right"] if abs(x) > 1 else []
    return gap.join(words) or "middle"
