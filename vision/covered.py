"""Covered cards -> how well what still shows agrees with each face.

A hand, a mug or a heap of counters hides part of a card, and what hides it correlates with some
face or other. So for each face that is still possible, the places are found that look like it
after a robust fit of the light, and these alone are compared; the fewer they are, the less their
agreement counts.

References
----------
.. [1] Rousseeuw, Least Median of Squares Regression, 1984 (the first fit of the light).
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.descriptors import FaceIndex, compare_places
from vision.types import BoolArray, FloatArray

__all__ = ["CoveredSettings", "agreeing_places", "compare_uncovered"]


@dataclass(frozen=True, slots=True)
class CoveredSettings:
    """What counts as agreeing."""

    most_faces: int = 8  # compared: the best of the whole
    hue_weight: float = 0.2  # as of the whole, of fewer places
    hue_most: float = 0.3
    gain: tuple[float, float] = (0.4, 1.6)  # of the face's contrast in the photo
    first_gains: tuple[float, ...] = (0.6, 0.8, 1.0)  # tried: veils and blur take contrast
    first_share: float = 0.4  # of the samples that must agree: a card may be more than half hidden
    residual_limit: float = 0.16  # of white: a sample farther from the face is covered or glare
    fewest_agreeing: int = 40  # samples, to fit the light from
    agreeing_hood: int = 5  # samples a side: single ones differ for many reasons


def compare_uncovered(
    seen: FloatArray,
    scores: FloatArray,
    index: FaceIndex,
    settings: CoveredSettings | None = None,
) -> FloatArray:
    """Compare a card with its likeliest faces at the places that look like each.

    Parameters
    ----------
    seen : (G, 3) float64
        Features of the card, supposed upright.
    scores : (K, 2) float64
        How the whole card compares with each face upright and turned by half.
    index : FaceIndex
        The faces.

    Returns
    -------
    (K, 2) float64
        The correlation of what shows, times the root of its share, less what the hue is off; -1
        for faces that were not compared.
    """
    s = settings or CoveredSettings()
    faces = np.argsort(-scores.max(axis=1))[: s.most_faces]
    turns = (seen, seen[::-1])
    places = np.array(
        [[agreeing_places(t, index.features[f], index.shape_hw, s) for t in turns] for f in faces]
    )
    shape, hue = compare_places(seen, places, faces, index)
    off = np.minimum(hue.max() - hue, s.hue_most) * index.colourful[faces, None]
    found = np.full(scores.shape, -1.0)
    found[faces] = shape * np.sqrt(places.mean(axis=2)) - s.hue_weight * off
    return found


def agreeing_places(
    seen: FloatArray,
    face: FloatArray,
    shape_hw: tuple[int, int],
    settings: CoveredSettings | None = None,
) -> BoolArray:
    """Tell which grid places (G,) of a card (G, 3) look like the face, after a fit of the light."""
    settings = settings or CoveredSettings()
    channels = list(zip(face.T, seen.T, strict=True))
    light = [_first_light(x, y, settings) for x, y in channels]
    for _ in range(4):
        off = [
            np.abs(y - gain * x - lift)
            for (x, y), (gain, lift) in zip(channels, light, strict=True)
        ]
        keep = np.max(off, axis=0) < settings.residual_limit
        if keep.sum() < settings.fewest_agreeing:
            break
        light = [_light(x[keep], y[keep], settings) for x, y in channels]
    # a place counts with its neighbourhood
    hood = (settings.agreeing_hood,) * 2
    share = cv2.blur(keep.reshape(shape_hw).astype(np.float32), hood)
    return np.asarray(share > 0.5).ravel()


def _first_light(x: FloatArray, y: FloatArray, settings: CoveredSettings) -> tuple[float, float]:
    """Return gain and lift of the light (y = gain x + lift) on which most samples (G,) agree.

    The shortest stretch of lifts that holds a share of the samples: what covers a card would
    draw a fit of all of them to itself.
    """
    few = slice(None, None, 3)  # neighbours say the same
    lifts = np.sort(y[few, None] - np.array(settings.first_gains) * x[few, None], axis=0)
    held = int(settings.first_share * len(lifts))
    stretch = lifts[held:] - lifts[: len(lifts) - held]
    start, best = np.unravel_index(int(stretch.argmin()), stretch.shape)
    return settings.first_gains[best], float(lifts[start : start + held + 1, best].mean())


def _light(x: FloatArray, y: FloatArray, settings: CoveredSettings) -> tuple[float, float]:
    """Return gain and lift of the least squares line through samples."""
    x_mean, y_mean = x.mean(), y.mean()
    away = x - x_mean
    slope = float(away @ (y - y_mean)) / max(float(away @ away), 1e-9)
    gain = float(np.clip(slope, *settings.gain))
    return gain, float(y_mean - gain * x_mean)
