"""Proposes places of tokens on a board: its covered area, then what is still unexplained."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.masks import disc
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.rectify import Rectified
from vision.seeing.pieces.token_scores import OverlappingToken
from vision.seeing.pieces.unread_things import token_hull
from vision.values.arrays import FloatArray, Points

__all__ = ["UNDER_MM", "covered_places", "pixels", "unexplained_places"]


_STEP = 0.22  # step of the first grid, of the radius: blurred faces correlate so far off
_MARGIN_MM = 3.0  # margin round what covers the board, whose tones a dark token's rim may share
UNDER_MM = 2.0  # step of places under a token: the width of a stroke
# radius of the disc tested for a second search, of the token's: a hexagon's centre
_AGAIN_SHARE = 0.7
_AGAIN_HIDDEN = 0.7  # least covered share of the unexplained part of that disc
_AGAIN_LEFT = 0.15  # least unexplained share of it: less cannot be read


def covered_places(scene: BoardScene, radius_mm: float) -> Points:
    """Return places (N, 2) mm, a grid over all that is not the board's print."""
    assert scene.covered is not None
    cover = scene.covered
    reach = int(np.ceil(_MARGIN_MM * cover.px_per_mm))
    mask = cv2.morphologyEx(cover.image[..., 0], cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    return _grid(scene, _STEP * radius_mm, np.asarray(cv2.dilate(mask, disc(reach)) > 127))


def unexplained_places(
    scene: BoardScene, radius_mm: float, found: Sequence[OverlappingToken]
) -> Points:
    """Return places (N, 2) mm, a fine grid, whose discs cover the board and are unexplained."""
    cover = scene.covered
    assert cover is not None
    hulls = [token_hull(scene, one.pose[:2], one.group.radius_mm) for one in found]
    free = (cover.filled(hulls) == 0).astype(np.float32)
    within = disc(round(_AGAIN_SHARE * radius_mm * cover.px_per_mm))
    mean = within.astype(np.float32) / within.sum()
    left = cv2.filter2D(free, -1, mean)
    hidden = cv2.filter2D(free * (cover.image[..., 0] > 127), -1, mean)
    is_left = (hidden > _AGAIN_HIDDEN * left) & (left > _AGAIN_LEFT)
    return _grid(scene, UNDER_MM, np.asarray(is_left))


def _grid(scene: BoardScene, step_mm: float, mask: NDArray[np.bool_]) -> FloatArray:
    """Return the points of a grid over a board at which a mask is true."""
    assert scene.covered is not None
    assert scene.board_mm is not None
    left, top, right, bottom = scene.board_mm
    grid = np.meshgrid(np.arange(left, right, step_mm), np.arange(top, bottom, step_mm))
    points = np.stack(grid, axis=-1).reshape(-1, 2)
    rows, columns = pixels(scene.covered, points).T
    return np.asarray(points[mask[rows, columns]], np.float64)


def pixels(rectified: Rectified, points: Points) -> NDArray[np.int64]:
    """Return the pixels (row, column) of points, clipped to a rectified image."""
    at = np.rint(rectified.to_px(points)).astype(np.int64)[:, ::-1]
    return np.clip(at, 0, np.array(rectified.image.shape[:2]) - 1)
