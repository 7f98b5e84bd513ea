"""Places of a picture -> the terms of a bent plane over it: how light falls off slowly."""

import numpy as np

from vision.values.arrays import FloatArray

__all__ = ["bends_at", "bends_over"]


def bends_at(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the terms (..., 6) at places: one, those of a slope, those of a bend."""
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1)


def bends_over(height: int, width: int) -> FloatArray:
    """Return the terms (H, W, 6) all over a picture, from -1 to 1 either way."""
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    return bends_at(np.asarray(x, np.float64), np.asarray(y, np.float64))
