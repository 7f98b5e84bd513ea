"""Photo, board and tokens -> the pawns that stand on the board, the sticks that lie beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.imaging.view import View
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.foreground import Foreground, extract_foreground
from vision.seeing.pieces.pawns import FoundPawn, find_pawns
from vision.seeing.pieces.sticks import FoundStick, find_sticks
from vision.seeing.pieces.tokens import FoundToken
from vision.values.arrays import BoolArray, ImageBGR, Points
from vision.values.pieces import PieceSet

__all__ = ["UprightPieces", "find_upright_pieces"]

_RIM_MM = 1.0  # beyond a thing, where its edge and its shadow are


@dataclass(frozen=True, slots=True)
class UprightPieces:
    """What stands and lies on a board that has no face of its own."""

    pawns: tuple[FoundPawn, ...] = ()
    sticks: tuple[FoundStick, ...] = ()


def find_upright_pieces(
    view: View, scene: BoardScene, pieces: PieceSet, art: ImageBGR, tokens: Sequence[FoundToken]
) -> UprightPieces:
    """Find pawns and sticks where no token lies; nothing if the game has none.

    Parameters
    ----------
    view : View
        The photo.
    scene : BoardScene
        With a board on it.
    pieces : PieceSet
        What may lie there.
    art : (H, W, 3) uint8
        The board's, upright, cut to its edge.
    tokens : sequence of FoundToken
        Those that were found; an unknown one may be a pawn.
    """
    pawns, sticks = pieces.of_kind("pawn"), pieces.of_kind("stick")
    if not pawns and not sticks:
        return UprightPieces()
    foreground = extract_foreground(view, scene, art)
    known = [token.placed.outline_px for token in tokens if token.placed.score > 0]
    taken = _outline_mask(foreground, [scene.on_plane(outline) for outline in known])
    upright = find_pawns(foreground, scene, pawns, taken)
    taken |= _outline_mask(foreground, [pawn.hull_mm for pawn in upright])
    lying = find_sticks(foreground, scene, sticks, taken) if upright else ()
    return UprightPieces(upright, lying)


def _outline_mask(foreground: Foreground, outlines_mm: Sequence[Points]) -> BoolArray:
    """Return where outlines (N, 2) mm lie in an overlay, with their rims."""
    mask = np.zeros(foreground.on_board.shape, np.uint8)
    for outline in outlines_mm:
        shape = np.round(foreground.rectified.to_px(outline)).astype(np.int32)
        cv2.fillPoly(mask, [shape], 1)
        rim = 2 * round(_RIM_MM * foreground.rectified.px_per_mm) + 1
        cv2.polylines(mask, [shape], True, 1, rim)
    return mask.astype(bool)
