"""Patterned cloths seen from straight above, and cards laid on them, for tests of seeing."""

import cv2
import numpy as np

from vision.values.arrays import FloatArray, ImageBGR

__all__ = ["lay_face", "outline_of", "paint_cloth"]


def paint_cloth(
    kind: str, side_px: float, turn_deg: float, seed: int, shape: tuple[int, int]
) -> ImageBGR:
    """Paint gingham, a check of squares, stripes or a plain cloth; by turns of its lines."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: shape[0], : shape[1]]
    turn = np.radians(turn_deg)
    u, v = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    rows, columns = u // side_px % 2, v // side_px % 2
    share = {"gingham": (rows + columns) / 2, "check": (rows + columns) % 2, "stripes": rows}
    mixed = share.get(kind, 0 * rows)[..., None]
    first, second = rng.integers(20, 110, 3), rng.integers(140, 230, 3)
    picture = cv2.GaussianBlur(first * mixed + second * (1 - mixed), (0, 0), 1.0)
    return np.clip(picture + rng.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)


def outline_of(
    x: float, y: float, turn_deg: float, width: float, height: float | None = None
) -> FloatArray:
    """Return the corners (4, 2) of a card round a place, of a poker card's shape unless told."""
    half = np.array([width, height or width * 88 / 63]) / 2
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * half
    cos, sin = np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))
    return corners @ np.array([[cos, sin], [-sin, cos]]) + [x, y]


def lay_face(picture: ImageBGR, face: ImageBGR, outline: FloatArray) -> None:
    """Draw a face where a card lies, with its blur at the edge."""
    height, width = face.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), outline.astype(np.float32))
    size_wh = (picture.shape[1], picture.shape[0])
    shown = cv2.warpPerspective(face, matrix, size_wh, flags=cv2.INTER_AREA)
    covered = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(covered, np.rint(outline).astype(np.int32), 255)
    picture[covered > 0] = shown[covered > 0]
