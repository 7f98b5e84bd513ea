"""Two pictures of a print -> how alike their strokes are round each place, whatever the tones."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["local_correlation", "local_deviation"]

_NOISE = 9.0  # grey levels squared: a picture with less spread has no strokes


def local_correlation(
    one: NDArray[np.float32], other: NDArray[np.float32], radius_px: float, off_px: int = 1
) -> NDArray[np.float32]:
    """Return how alike two pictures (H, W) are round each pixel: (H, W), -1..1.

    Parameters
    ----------
    one, other : (H, W) float32
        Lightness.
    radius_px : float
        Of the disc that is compared.
    off_px : int
        By which the first may be off either way; the best counts.
    """
    kernel = _disc(radius_px)
    mean, varies = _mean(other, kernel), _variance(other, kernel)
    best: NDArray[np.float32] = np.full(one.shape, -1.0, np.float32)
    rows, columns = one.shape
    wide = cv2.copyMakeBorder(one, off_px, off_px, off_px, off_px, cv2.BORDER_REPLICATE)
    for dy in range(2 * off_px + 1):
        for dx in range(2 * off_px + 1):
            moved = np.asarray(wide[dy : dy + rows, dx : dx + columns], np.float32)
            cross = _mean(moved * other, kernel) - _mean(moved, kernel) * mean
            length = np.maximum(_variance(moved, kernel), _NOISE) * np.maximum(varies, _NOISE)
            best = np.maximum(best, cross / np.sqrt(length))
    return best


def local_deviation(values: NDArray[np.float32], radius_px: float) -> NDArray[np.float32]:
    """Return the standard deviation (H, W) within a disc round each pixel."""
    return np.asarray(np.sqrt(_variance(values, _disc(radius_px))), np.float32)


def _variance(values: NDArray[np.float32], kernel: NDArray[np.float32]) -> NDArray[np.float32]:
    varies = _mean(values**2, kernel) - _mean(values, kernel) ** 2
    return np.asarray(np.maximum(varies, 0), np.float32)


def _mean(values: NDArray[np.float32], kernel: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.filter2D(values, -1, kernel, borderType=cv2.BORDER_REPLICATE), np.float32)


def _disc(radius_px: float) -> NDArray[np.float32]:
    reach = int(np.ceil(radius_px))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    inside = np.hypot(x, y) <= radius_px
    return np.asarray(inside / inside.sum(), np.float32)
