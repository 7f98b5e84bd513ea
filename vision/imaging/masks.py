"""Masks: discs, and what is white widened by one."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["disc", "grown"]


def disc(radius_px: int) -> NDArray[np.uint8]:
    """Return a disc of ones, (2 r + 1, 2 r + 1), for morphology."""
    side = 2 * radius_px + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def grown(mask: NDArray[np.uint8], radius_px: float) -> NDArray[np.uint8]:
    """Widen the white parts of a mask (H, W) by a radius, at least one pixel."""
    return np.asarray(cv2.dilate(mask, disc(max(1, round(radius_px)))), np.uint8)
