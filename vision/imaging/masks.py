"""Masks: discs, what is white widened by one, and how large its parts are."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["disc", "grown", "part_areas"]


def disc(radius_px: int) -> NDArray[np.uint8]:
    """Return a disc of ones, (2 r + 1, 2 r + 1), for morphology."""
    side = 2 * radius_px + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def grown(mask: NDArray[np.uint8], radius_px: float) -> NDArray[np.uint8]:
    """Widen the white parts of a mask (H, W) by a radius, at least one pixel."""
    return np.asarray(cv2.dilate(mask, disc(max(1, round(radius_px)))), np.uint8)


def part_areas(mask: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return at each white place of a mask (H, W) how many pixels its part has; elsewhere 0."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    areas = stats[:, cv2.CC_STAT_AREA]
    areas[0] = 0
    return np.asarray(areas[labels], np.int32)
