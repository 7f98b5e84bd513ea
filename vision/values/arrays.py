"""Array aliases, and how a value freezes its arrays.

Points are ``(x, y)`` with x right and y down; images are BGR.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "SD_OF_MEDIAN",
    "BoolArray",
    "ContourArray",
    "FloatArray",
    "ImageBGR",
    "ImageGray",
    "IntArray",
    "Matrix3",
    "Points",
    "frozen_array",
    "median_of",
    "peak_offset",
    "robust_sd",
]

FloatArray: TypeAlias = NDArray[np.float64]


Points: TypeAlias = NDArray[np.float64]  #: (N, 2)


Matrix3: TypeAlias = NDArray[np.float64]  #: (3, 3)


ImageBGR: TypeAlias = NDArray[np.uint8]  #: (H, W, 3)


ImageGray: TypeAlias = NDArray[np.uint8]  #: (H, W)


BoolArray: TypeAlias = NDArray[np.bool_]


IntArray: TypeAlias = NDArray[np.int64]

SD_OF_MEDIAN = 1.4826  #: Standard deviation of normal values over their median deviation.


ContourArray: TypeAlias = NDArray[np.int32]  #: (N, 2) pixels, each beside the next, closed


def frozen_array(values: Any, shape: tuple[int | None, ...], name: str) -> FloatArray:
    """Copy to a read-only float64 array of a given shape, all numbers finite.

    Parameters
    ----------
    values : array_like
        The numbers.
    shape : tuple
        The wanted shape; None stands for any length.
    name : str
        What to call it in the message.

    Raises
    ------
    ValueError
        If the shape differs or a number is not finite.
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != len(shape) or any(
        want is not None and have != want for have, want in zip(array.shape, shape, strict=True)
    ):
        msg = f"{name}: expected shape {shape}, got {array.shape}"
        raise ValueError(msg)
    if not np.isfinite(array).all():
        msg = f"{name}: every number must be finite"
        raise ValueError(msg)
    array.flags.writeable = False
    return array


def robust_sd(
    values: NDArray[np.floating[Any]],
    axis: int | None = None,
    *,
    keepdims: bool = False,
    middle: NDArray[np.floating[Any]] | None = None,
) -> FloatArray:
    """Return the standard deviation of normal values by their median deviation; outliers are free.

    ``middle`` is their median, dimensions kept, if it is known.

    >>> round(float(robust_sd(np.array([0.0, 1.0, 2.0, 3.0, 1000.0]))), 2)
    1.48
    """
    if middle is None:
        middle = np.median(values, axis=axis, keepdims=True)
    spread = np.median(np.abs(values - middle), axis=axis, keepdims=keepdims)
    return np.asarray(SD_OF_MEDIAN * spread, np.float64)


def median_of(
    values: NDArray[np.floating[Any]], marked: BoolArray, of_none: float = np.inf
) -> NDArray[np.floating[Any]]:
    """Return the medians (...) of the marked of values (..., T).

    >>> median_of(np.array([[1.0, 9.0, 3.0, 4.0]]), np.array([[True, False, True, True]])).tolist()
    [3.0]
    """
    ordered = np.sort(np.where(marked, values, np.inf), axis=-1)
    counts = np.broadcast_to(marked, values.shape).sum(axis=-1, keepdims=True)
    middle = [np.maximum(counts - 1, 0) // 2, counts // 2]
    low, high = (np.take_along_axis(ordered, at, axis=-1)[..., 0] for at in middle)
    return np.asarray(np.where(counts[..., 0] > 0, (low + high) / 2, of_none), values.dtype)


def peak_offset(
    before: NDArray[np.floating[Any]],
    peak: NDArray[np.floating[Any]],
    after: NDArray[np.floating[Any]],
) -> FloatArray:
    """Return where the parabola through three samples peaks, -0.5..0.5 samples from the second.

    >>> float(peak_offset(np.array(1.0), np.array(3.0), np.array(2.0)))
    0.16666666666666666
    """
    bend = before - 2 * peak + after
    with np.errstate(divide="ignore", invalid="ignore"):
        away = np.where(bend < 0, 0.5 * (before - after) / bend, 0.0)
    return np.asarray(np.clip(away, -0.5, 0.5))
