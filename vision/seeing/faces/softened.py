"""Pictures of floats -> softened ones, and means about each place."""

import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["Tones", "mean_about", "softened"]

Tones = NDArray[np.float32]


def softened(values: Tones, sigma: float) -> Tones:
    """Blur a picture (H, W) or (H, W, C)."""
    picture = np.asarray(values, np.float32)
    soft = cv2.GaussianBlur(picture, (0, 0), sigma, None, sigma, cv2.BORDER_REFLECT)
    return np.asarray(soft, np.float32)


def mean_about(values: Tones, weights: Tones, sigma: float) -> Tones:
    """Return the mean of values (H, W, 3), weighted by (H, W), about each place."""
    weights = np.asarray(weights, np.float32)
    total = np.maximum(softened(weights, sigma), 1e-6)
    return np.asarray(softened(values * weights[..., None], sigma) / total[..., None], np.float32)
