"""Masks: discs, what is white widened by one, means within one, which points a mask marks."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import sample
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = ["bounds", "disc", "grown", "mask_at", "mean_in_disc", "opened", "some_of"]

_SOME = 3000  # places that tell a median or a plane: more say the same


def disc(radius_px: int) -> NDArray[np.uint8]:
    """Return a disc of ones, (2 r + 1, 2 r + 1), for morphology."""
    side = 2 * radius_px + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def grown(mask: NDArray[np.uint8], radius_px: float) -> NDArray[np.uint8]:
    """Widen the white parts of a mask (H, W) by a radius, at least one pixel."""
    return np.asarray(cv2.dilate(mask, disc(max(1, round(radius_px)))), np.uint8)


def bounds(mask: BoolArray, margin_px: int = 0) -> tuple[slice, slice]:
    """Return the rows and columns of a mask (H, W) within which it is True, with a margin."""
    x, y, width, height = cv2.boundingRect(mask.view(np.uint8))
    rows = slice(max(0, y - margin_px), y + height + margin_px)
    return rows, slice(max(0, x - margin_px), x + width + margin_px)


def opened(mask: BoolArray, radius_px: int) -> BoolArray:
    """Return what of a mask (H, W) discs within it cover."""
    broad = np.zeros_like(mask)
    if mask.any():
        box = bounds(mask, radius_px + 1)
        core = mask[box].astype(np.uint8)
        broad[box] = cv2.morphologyEx(core, cv2.MORPH_OPEN, disc(radius_px)) > 0
    return broad


def mask_at(mask: BoolArray, points_px: FloatArray) -> BoolArray:
    """Return which points (..., 2), x and y, a mask (H, W) marks; none outside it."""
    marked = sample(mask.view(np.uint8), points_px, cv2.BORDER_CONSTANT, cv2.INTER_NEAREST)
    return marked.view(np.bool_)


def some_of(mask: BoolArray) -> IntArray:
    """Return the flat indices (N,) of some marked places of a mask: enough for a median of all.

    Of many they are a Weyl sequence with the golden ratio, so that no stripes alias with them.
    """
    places = np.flatnonzero(mask)
    n = len(places)
    if n <= _SOME:
        return places
    at = np.arange(_SOME) * ((np.sqrt(5) - 1) / 2) % 1 * n
    return np.asarray(places[at.astype(np.int64)])


def mean_in_disc(values: NDArray[np.generic], radius_px: float) -> NDArray[np.float32]:
    """Return the mean (H, W) of values (H, W) within a disc round each pixel."""
    reach = int(np.ceil(radius_px))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    inside = (np.hypot(x, y) <= radius_px).astype(np.float32)
    mean = cv2.filter2D(
        np.asarray(values, np.float32), -1, inside / inside.sum(), borderType=cv2.BORDER_REPLICATE
    )
    return np.asarray(mean, np.float32)
