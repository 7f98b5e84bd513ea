"""What is known -> where it shows in the newest picture, which may have another size."""

from collections.abc import Mapping
from typing import TypeAlias

import cv2
import numpy as np

from vision.imaging.photo import encode_image
from vision.judging.game import Referee
from vision.values.arrays import ImageBGR
from vision.watch.events import LaidCard
from vision.watch.ground import corners_in_picture
from vision.watch.state import Following

__all__ = ["Box", "box_of", "cut_out", "fit_picture", "laid_cards", "scaled_box"]

Box: TypeAlias = tuple[int, int, int, int]  #: x, y, width, height; pixels


def laid_cards(
    state: Following | None,
    orders: Mapping[str, tuple[int, float]],
    rules: Referee,
    size_mm: tuple[float, float],
    scale: float,
) -> tuple[LaidCard, ...]:
    """Return the cards on the table, in the order in which they were laid.

    Parameters
    ----------
    orders : mapping of name to (order, time)
        In this round.
    scale : float
        How many of the present picture's pixels one of the followed picture's is.
    """
    if state is None or state.ground is None or not state.lying:
        return ()
    poses = np.array([card.pose for card in state.lying])
    corners = corners_in_picture(state.ground, poses, size_mm)
    told = []
    for card, quad in zip(state.lying, corners, strict=True):
        order, time_s = orders.get(card.name, (0, card.time_s))
        x, y, theta = (float(value) for value in card.pose)
        side = rules.side_of.get(card.name)
        turn = float((theta + np.pi) % (2 * np.pi) - np.pi)
        by_hand = card.read_as is not None
        score = card.match.score
        told.append(
            LaidCard(card.name, order, time_s, side, x, y, turn, quad * scale, score, by_hand)
        )
    return tuple(sorted(told, key=lambda card: card.order))


def box_of(
    state: Following | None, names: tuple[str, ...], size_mm: tuple[float, float]
) -> Box | None:
    """Return the box round some cards in the followed picture."""
    if state is None or state.ground is None:
        return None
    poses = [card.pose for card in state.lying if card.name in names]
    if not poses:
        return None
    corners = corners_in_picture(state.ground, np.array(poses), size_mm).reshape(-1, 2)
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y = int(low[0]), int(low[1])
    return x, y, int(np.ceil(high[0])) - x, int(np.ceil(high[1])) - y


def scaled_box(box: Box | None, scale: float) -> Box | None:
    """Return a box of the followed picture in pixels of the present one."""
    if box is None:
        return None
    x, y, w, h = (round(value * scale) for value in box)
    return x, y, w, h


def fit_picture(image: ImageBGR, size_wh: tuple[int, int]) -> ImageBGR:
    """Bring a picture to a size, its shape kept: scaled to fit inside, the rest black.

    Parameters
    ----------
    image : (H, W, 3) uint8
        Any size.
    size_wh : (int, int)
        The wanted width and height.
    """
    height, width = image.shape[:2]
    scale = min(size_wh[0] / width, size_wh[1] / height)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    scaled = cv2.resize(image, size, interpolation=way)
    if size == size_wh:
        return np.asarray(scaled, np.uint8)
    fitted = np.zeros((size_wh[1], size_wh[0], 3), np.uint8)
    x, y = (size_wh[0] - size[0]) // 2, (size_wh[1] - size[1]) // 2
    fitted[y : y + size[1], x : x + size[0]] = scaled
    return fitted


def cut_out(image: ImageBGR, box: Box, margin_share: float, most_px: int) -> bytes:
    """Return a JPEG of a box with its surroundings."""
    x, y, w, h = box
    margin = int(margin_share * max(w, h))
    height, width = image.shape[:2]
    left, right = max(0, min(x - margin, width - 2)), min(width, max(x + w + margin, 2))
    top, bottom = max(0, min(y - margin, height - 2)), min(height, max(y + h + margin, 2))
    cut = image[top:bottom, left:right]
    scale = most_px / max(cut.shape[:2])
    if scale < 1:
        size = (max(1, int(cut.shape[1] * scale)), max(1, int(cut.shape[0] * scale)))
        cut = np.asarray(cv2.resize(cut, size, interpolation=cv2.INTER_AREA), np.uint8)
    return encode_image(np.ascontiguousarray(cut), ".jpg", 85)
