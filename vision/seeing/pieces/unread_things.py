"""Detects what covers a board's print and is no known piece, so that nothing is lost in silence."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.imaging import masks
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.pieces.board_scene import BoardScene, Found, doubt_about, placed_at
from vision.seeing.pieces.print_comparison import OFF_MM, Comparison
from vision.seeing.pieces.printed_planar import PrintedPlanar
from vision.seeing.residual import LEAST_THING_MM, find_off_print
from vision.values.arrays import Points
from vision.values.layout import unread_id

__all__ = ["find_unread_things"]


# Unexplained covered areas of a board.
_EDGE_MM = 6.0  # margin along a board's edge: paper curls, and things beside it lean in
_AGREES = 0.7  # least correlation of visible print in another tone
_SPREAD = 10.0  # least spread of print (grey levels) whose strokes can be missed
_STROKES_MM = 4.0  # radius in which strokes are compared
_FINE_PX_PER_MM = 2.0  # of the closer comparison: strokes are visible


def find_unread_things(scene: BoardScene) -> list[Found]:
    """Detect what covers the board's print and is no known piece: unknown tokens, of score 0."""
    compared = scene.compared
    if compared is None:
        return []
    hulls = [*(one.hull_mm for one in scene.known), *_missing_parts(scene.board)]
    outlines = _hidden_places(_without_gaps(compared, scene.board), hulls)
    if outlines:  # the light of a board may hide its strokes in a coarse image
        fine = _without_gaps(scene.compare(_FINE_PX_PER_MM), scene.board)
        outlines = _hidden_places(fine, hulls)
    return [_unknown(scene, one, k) for k, one in enumerate(outlines, start=1)]


def _without_gaps(compared: Comparison, board: PrintedPlanar | None) -> Comparison:
    """Return a comparison as if there were print between the sheets of a board, which gape."""
    if board is None or len(board.print.parts) == 1:
        return compared
    gap = compared.on_board & (compared.rectified.filled(board.outlines_mm()) == 0)
    soft = (cv2.dilate(gap.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)[..., None]
    seen = np.where(soft, compared.wanted, compared.seen)
    return replace(compared, seen=seen, beyond=np.where(soft, 0, compared.beyond))


def _hidden_places(compared: Comparison, hulls: Sequence[Points]) -> list[Points]:
    """Return the outlines (N, 2) mm of places without a board's print, outside known hulls."""
    rectified = compared.rectified
    scale = rectified.px_per_mm
    edge = np.ones((2 * round(_EDGE_MM * scale) + 1,) * 2, np.uint8)
    inner = np.pad(compared.on_board.astype(np.uint8), 1)
    free = (cv2.erode(inner, edge)[1:-1, 1:-1] > 0) & (rectified.filled(hulls) == 0)
    correlation, spread = compared.correlation(_STROKES_MM, OFF_MM)
    is_strange = (spread > _SPREAD) & (correlation < 0.5)
    reach = masks.disc(round(LEAST_THING_MM * scale))
    apart = cv2.erode(free.astype(np.uint8), reach) > 0  # strokes are compared within a disc
    unlike = free & (correlation < _AGREES) & (compared.differs | (apart & is_strange))
    return find_off_print(rectified, unlike)


def _missing_parts(board: PrintedPlanar | None) -> list[Points]:
    """Return the outlines of a board's invisible sheets, which are reported separately."""
    if board is None:
        return []
    return [
        outline
        for k, outline in enumerate(board.outlines_mm())
        if k not in board.sheets or k in board.wrong
    ]


def _unknown(scene: BoardScene, outline: Points, number: int) -> Found:
    """Return an unexplained outline as an unknown token."""
    name = unread_id(number)
    area = cv2.moments(outline.astype(np.float32))
    x, y = area["m10"] / area["m00"], area["m01"] / area["m00"]
    covariance = np.diag([LEAST_THING_MM**2, LEAST_THING_MM**2, np.pi**2 / 3])
    pose = np.array([x, y, 0.0])
    placed = placed_at(
        name, "token", pose, covariance, map_plane(scene.solution, outline), score=0.0
    )
    return Found(placed, outline, (doubt_about(placed, "thing_unread"),))
