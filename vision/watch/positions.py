"""A still picture of a board -> the position on it; what changed since the last, what is covered.

The board is laid where it lay before, if it still agrees there; a camera that was nudged is found
again by the print itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from vision.errors import TableNotFoundError
from vision.geometry import (
    card_corners,
    card_from_table,
    photo_from_table,
    table_from_card,
    wrap_angle,
)
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.judging.evening import Change
from vision.judging.game import Game
from vision.judging.play import play
from vision.seeing.estimation.rectify import bounding_box, rectify
from vision.seeing.pieces.printed_planar import PrintedPlanar
from vision.seeing.pieces.reading import PieceDetector, find_prints, read_pieces
from vision.seeing.reading import find_mirrored_table
from vision.values.arrays import BoolArray, FloatArray, ImageBGR
from vision.values.layout import Layout, Placed
from vision.values.ledger import PieceView
from vision.values.messages import message
from vision.values.scan import Scan
from vision.watch.events import LaidCard

__all__ = ["SAME_SHARE", "BoardReader", "Position", "changes", "laid_pieces"]


_WITH_OTHERS = ("board", "sheet", "stick")


_MOVED_MM = 6.0  # a piece that is not a game's own affair: less is a nudge
_TURNED_DEG = 12.0  # likewise: a hand turns it by more
SAME_SHARE = 0.6  # of a piece's size: one nearer to an old place than that is on it
_PRINT_PX = 40.0  # across a place where the board's print is compared
_PRINT_LIKE = 0.45  # of the board's print where it shows; a hand over it has 0.2 at most


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """What lies on a board: as it was seen, and played as it stands.

    ``scan`` is None while the board is empty, or ``lacks`` what the game says. ``follows`` is False
    where nothing shows how it lies to the one before, so that they cannot be compared.
    """

    image: ImageBGR
    layout: Layout
    boards: tuple[PrintedPlanar, ...]
    scan: Scan | None
    follows: bool = True
    lacks: str = ""

    @property
    def placed(self) -> tuple[Placed, ...]:
        """All that is known on the board, but for sticks: they go with what they lie beside."""
        return tuple(
            placed
            for placed in self.layout.placed
            if placed.kind not in _WITH_OTHERS and placed.identity is not None
        )

    @property
    def pieces(self) -> tuple[PieceView, ...]:
        """The pieces that the game knows there."""
        told = () if self.scan is None else self.scan.ledger.pieces
        return tuple(piece for piece in told if piece.kind not in _WITH_OTHERS)


def read_position(
    image: ImageBGR,
    detector: PieceDetector,
    game: Game,
    options: Any,
    before: Sequence[PrintedPlanar] = (),
) -> Position:
    """Read a still picture.

    Parameters
    ----------
    image : (H, W, 3) uint8
        BGR.
    sight, game, options
        What may lie there, and what is played.
    before : sequence of PrintedPlanar
        Where the boards lay in an earlier picture.

    Raises
    ------
    TableNotFoundError
        If no board is in sight.
    """
    view = View(image)
    boards = find_prints(view, detector, before=before)
    layout = read_pieces(view, detector, boards=boards)
    try:
        scan = play([layout], game, options, layout.timings_ms)
    except TableNotFoundError as error:  # the board is there, and nothing that could be played
        return Position(image, layout, boards, None, lacks=str(error))
    return Position(image, layout, boards, scan)


def covered(
    before: Position,
    now: Position,
    detector: PieceDetector,
) -> tuple[str, ...]:
    """Return the pieces that are gone from places that do not show the board: under a hand."""
    sizes = {piece.id: max(piece.size_mm) for piece in detector.looks.pieces.pieces}
    hidden = []
    view = View(now.image)
    for placed in before.placed:
        width = sizes[placed.piece]
        at = np.array([placed.x_mm, placed.y_mm])
        stands = any(
            math.dist(at, (other.x_mm, other.y_mm)) < SAME_SHARE * width for other in now.placed
        )
        if not stands and not _shows_board(view, now.boards[0], detector, at, width):
            hidden.append(placed.piece)
    return tuple(hidden)


def _shows_board(
    view: View,
    board: PrintedPlanar,
    detector: PieceDetector,
    at_mm: FloatArray,
    width_mm: float,
) -> bool:
    """Tell whether a place shows the board's own print; beside the board nothing is known of it."""
    half = np.array(board.print.size_mm) / 2
    if (np.abs(at_mm) > half - width_mm / 2).any():
        return bool((np.abs(at_mm) > half).any())
    box = bounding_box(at_mm + np.array([[-width_mm, -width_mm], [width_mm, width_mm]]) / 2)
    seen = rectify(view, board.solution, box, _PRINT_PX / width_mm).image
    art = detector.looks.art[board.print.piece]
    scale = art.shape[1] / board.print.size_mm[0]
    left, top, right, bottom = (round(v * scale) for v in np.array(box) + np.tile(half, 2))
    wanted = cv2.resize(
        art[top:bottom, left:right], seen.shape[1::-1], interpolation=cv2.INTER_AREA
    )
    grey = [
        cv2.GaussianBlur(cv2.cvtColor(part, cv2.COLOR_BGR2GRAY), (0, 0), 1.0).astype(np.float32)
        for part in (np.ascontiguousarray(wanted), seen)
    ]
    edge = 3  # a print that is off by as many pixels is the same
    inner = grey[0][edge:-edge, edge:-edge]
    return float(cv2.matchTemplate(grey[1], inner, cv2.TM_CCOEFF_NORMED).max()) > _PRINT_LIKE


class BoardReader:
    """Reads a board; it is laid where it lay before, if it still agrees there."""

    def __init__(self, detector: PieceDetector, game: Game, options: Any) -> None:
        self._detector, self._game, self._options = detector, game, options
        self._boards: Sequence[PrintedPlanar] = ()
        self._is_straight = False  # a board was read, and its picture is not mirrored
        self._unseen = 0  # pictures without a board, one after another
        self._refusal: TableNotFoundError | None = None  # of the last of them that was asked

    def read(self, image: ImageBGR, _: Position | None) -> Position:
        """Read a still picture.

        Raises
        ------
        TableNotFoundError
            If no board is in sight, or the picture is mirrored.
        """
        try:
            now = read_position(image, self._detector, self._game, self._options, self._boards)
        except TableNotFoundError as error:
            self._unseen += 1
            if self._unseen & (self._unseen - 1) == 0:  # the 1st, 2nd, 4th, 8th: it takes a while
                self._refusal = find_mirrored_table(Photo(image), self._detector, ())
            raise self._refusal or error from error
        self._unseen, self._refusal = 0, None
        if not self._is_straight:
            scores = [placed.score for placed in now.layout.placed]
            mirrored = find_mirrored_table(Photo(image), self._detector, scores)
            if mirrored is not None:
                raise mirrored
        self._boards, self._is_straight = now.boards, True
        return now

    def hidden(self, before: Position, now: Position, _: BoolArray | None) -> tuple[str, ...]:
        """Return the pieces that are gone from places that do not show the board."""
        return covered(before, now, self._detector)

    def forget(self) -> None:
        """Look for the board anew."""
        self._boards, self._is_straight = (), False


def laid_pieces(position: Position, time_s: float) -> tuple[LaidCard, ...]:
    """Return the pieces of a position as a screen shows them, laid at a time."""
    told = []
    for k, piece in enumerate(position.pieces, start=1):
        x, y = (float(v) for v in piece.outline_mm.mean(axis=0))
        theta = piece.theta_rad or 0.0
        width, height = 2 * np.abs(card_from_table(piece.outline_mm, x, y, theta)).max(axis=0)
        corners = table_from_card(card_corners(width, height), x, y, theta)
        at_px = photo_from_table(position.layout.camera, corners)
        told.append(LaidCard(piece.id, k, time_s, piece.side, x, y, theta, at_px, 1.0))
    return tuple(told)


def changes(game: Game, before: Position, now: Position) -> tuple[Change, ...]:
    """Return what changed from one position to the next, in the game's words if it has any."""
    if before.scan is not None and now.scan is not None:
        own = game.changes(before.scan.table, now.scan.table)
        if own is not None:
            return tuple(own)
    was, here = ({p.spot: p for p in _named(position)} for position in (before, now))
    told = []
    for spot in dict.fromkeys([*was, *here]):
        change = _change(was.get(spot), here.get(spot))
        told += [] if change is None else [change]
    return tuple(told)


def _named(position: Position) -> list[Placed]:
    """Return the pieces with spots that last from picture to picture: which, and a count."""
    counts: dict[str, int] = {}
    named = []
    for placed in sorted(position.placed, key=lambda p: (p.piece, p.x_mm, p.y_mm)):
        counts[placed.piece] = counts.get(placed.piece, 0) + 1
        named.append(replace(placed, spot=f"{placed.piece}#{counts[placed.piece]}"))
    return named


def _change(one: Placed | None, other: Placed | None) -> Change | None:
    if one is None and other is not None:
        return Change("laid", other.piece, message("watch.piece_laid", card=other.piece))
    if one is not None and other is None:
        return Change("removed", one.piece, message("watch.card_removed", card=one.piece))
    if one is None or other is None:
        return None
    if one.side != other.side:
        said = message("watch.piece_side", card=other.piece, side=other.side)
        return Change("moved", other.piece, said)
    away = math.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)
    turn = abs(math.degrees(wrap_angle(other.theta_rad - one.theta_rad)))
    if away < _MOVED_MM and turn < _TURNED_DEG:
        return None
    said = message("watch.piece_moved", card=other.piece, mm=away, deg=turn)
    return Change("moved", other.piece, said)
