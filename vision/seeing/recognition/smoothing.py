"""Smoothing, local means and channel statistics of float pictures."""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DARK",
    "MESH_PX",
    "Tones",
    "around",
    "as_channels",
    "in_channels",
    "local_mean",
    "max_tone",
    "mean_tone",
    "min_tone",
    "percentile_tone",
    "smooth",
]

Tones = NDArray[np.float32]

DARK = 0.08  # of white, added where tones are divided, and before a logarithm: darker is noise
MESH_PX = 1.5  # of the level that is sampled: finer would alias, coarser would blur
_WIDE = 4.0  # cells of a blur that half of them tell as well, to a hundredth of its width


def smooth(values: Tones, sigma: float) -> Tones:
    """Blur a picture (H, W) or (H, W, C) with a Gaussian."""
    picture = np.asarray(values, np.float32)
    h, w = picture.shape[:2]
    if sigma >= _WIDE and min(h, w) > 2 * sigma:
        half = cv2.resize(picture, ((w + 1) // 2, (h + 1) // 2), interpolation=cv2.INTER_AREA)
        narrow = float(np.sqrt(sigma**2 - 2) / 2)  # to halve and to double blurs by 1.4 cells
        soft = cv2.resize(smooth(np.asarray(half, np.float32), narrow), (w, h))
        return np.asarray(soft, np.float32)
    soft = cv2.GaussianBlur(picture, (0, 0), sigma, None, sigma, cv2.BORDER_REFLECT)
    return np.asarray(soft, np.float32)


def local_mean(values: Tones, weights: Tones, sigma: float) -> Tones:
    """Return the local weighted mean of values (H, W) or (H, W, 3) with weights (H, W)."""
    weights = np.asarray(weights, np.float32)
    total = np.maximum(smooth(weights, sigma), np.float32(1e-6))
    weighted = smooth(values * as_channels(weights, values), sigma)
    return np.asarray(weighted / as_channels(total, values), np.float32)


def around(values: NDArray[Any], side: int, beyond: int = cv2.BORDER_REFLECT) -> Tones:
    """Return the mean (N, H, W) or (N, H, W, C) of the neighbourhood of each place of N pictures.

    A neighbourhood has so many places a side; ``beyond`` is how a picture goes on at its rim.
    """
    means = np.empty(values.shape, np.float32)
    for picture, mean in zip(values, means, strict=True):
        mean[:] = cv2.blur(picture.astype(np.float32, copy=False), (side, side), borderType=beyond)
    return means


def mean_tone(values: Tones) -> Tones:
    """Return the mean (H, W) of the channels of a picture (H, W, 3)."""
    picture = np.asarray(values, np.float32)
    return np.asarray(cv2.transform(picture, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def min_tone(values: Tones) -> Tones:
    """Return the minimum (H, W) of the channels of a picture (H, W, 3)."""
    b, g, r = cv2.split(values)
    return np.asarray(cv2.min(cv2.min(b, g), r), np.float32)


def max_tone(values: Tones) -> Tones:
    """Return the maximum (H, W) of the channels of a picture (H, W, 3)."""
    b, g, r = cv2.split(values)
    return np.asarray(cv2.max(cv2.max(b, g), r), np.float32)


def as_channels(values: Tones, like: Tones) -> Tones:
    """Return values (H, W) with as many channels as a picture: one, or three copies."""
    return values if like.ndim == 2 else in_channels(values)


def in_channels(values: Tones) -> Tones:
    """Return three copies (H, W, 3) of values (H, W)."""
    return np.asarray(cv2.merge([np.asarray(values, np.float32)] * 3), np.float32)


def percentile_tone(values: Tones, percent: float) -> Tones:
    """Return a percentile (3,) of each channel of a picture (H, W, 3)."""
    planes = np.ascontiguousarray(values.reshape(-1, 3).T)
    return np.asarray(np.percentile(planes, percent, axis=1), np.float32)
