"""Photo, board and tokens -> the pawns that stand on the board, the sticks that lie beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.imaging.view import View
from vision.seeing.pieces.ground import Ground
from vision.seeing.pieces.overlay import Overlay, overlay_of
from vision.seeing.pieces.pawns import Pawn, find_pawns
from vision.seeing.pieces.sticks import Stick, find_sticks
from vision.seeing.pieces.tokens import Token
from vision.values.arrays import BoolArray, ImageBGR, Points
from vision.values.pieces import PieceSet

__all__ = ["Standing", "find_standing"]

_RIM_MM = 1.0  # beyond a thing, where its edge and its shadow are


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands and lies on a board that has no face of its own."""

    pawns: tuple[Pawn, ...] = ()
    sticks: tuple[Stick, ...] = ()


def find_standing(
    view: View, ground: Ground, pieces: PieceSet, art: ImageBGR, tokens: Sequence[Token]
) -> Standing:
    """Find pawns and sticks where no token lies; nothing if the game has none.

    Parameters
    ----------
    view : View
        The photo.
    ground : Ground
        With a board on it.
    pieces : PieceSet
        What may lie there.
    art : (H, W, 3) uint8
        The board's, upright, cut to its edge.
    tokens : sequence of Token
        Those that were found; an unknown one may be a pawn.
    """
    pawns, sticks = pieces.of_kind("pawn"), pieces.of_kind("stick")
    if not pawns and not sticks:
        return Standing()
    overlay = overlay_of(view, ground, art)
    known = [token.placed.outline_px for token in tokens if token.placed.score > 0]
    taken = _drawn(overlay, [ground.on_plane(outline) for outline in known])
    standing = find_pawns(overlay, ground, pawns, taken)
    taken |= _drawn(overlay, [pawn.hull_mm for pawn in standing])
    lying = find_sticks(overlay, ground, sticks, taken) if standing else ()
    return Standing(standing, lying)


def _drawn(overlay: Overlay, outlines_mm: Sequence[Points]) -> BoolArray:
    """Return where outlines (N, 2) mm lie in an overlay, with their rims."""
    mask = np.zeros(overlay.on_board.shape, np.uint8)
    for outline in outlines_mm:
        shape = np.round(overlay.flat.to_px(outline)).astype(np.int32)
        cv2.fillPoly(mask, [shape], 1)
        rim = 2 * round(_RIM_MM * overlay.flat.px_per_mm) + 1
        cv2.polylines(mask, [shape], True, 1, rim)
    return mask.astype(bool)
