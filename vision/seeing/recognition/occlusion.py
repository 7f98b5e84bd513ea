"""Comparison of occluded cards with faces at their visible places.

A hand, a mug or counters hide part of a card, and correlate with some face by chance. For each
possible face the inliers are found, the places that agree with the face after a robust fit of gain
and bias; only these are compared, and fewer inliers count less.

References
----------
.. [1] Rousseeuw, Least Median of Squares Regression, 1984 (the first fit of the light).
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seeing.recognition.framed_faces import FaceIndex, compare_places
from vision.seeing.recognition.smoothing import around
from vision.values.arrays import BoolArray, FloatArray

_Tones = NDArray[np.float32]

__all__ = [
    "HUE_MOST",
    "compare_uncovered",
    "fit_gain_bias",
    "inlier_mask",
    "white_tones",
]


HUE_MOST = 0.3  # counted of a hue that is off: teams are 0.2 to 0.5 apart; what covers a card has
# a hue of its own

# What counts as agreeing.
_MOST_FACES = 8  # compared: the best of the whole
_HUE_WEIGHT = 0.2  # as of the whole, of fewer places
_GAIN: tuple[float, float] = (0.4, 1.6)  # of the face's contrast in the photo
_FIRST_GAINS: tuple[float, ...] = (0.6, 0.8, 1.0)  # tried: veils and blur take contrast
_FIRST_SHARE = 0.4  # of the samples that must agree: a card may be more than half hidden
_RESIDUAL_LIMIT = 0.16  # of white: a sample farther from the face is covered or glare
_FIRST_STEP = 3  # of the samples of that fit: neighbours say the same
_ROUNDS = 4  # of fits to what agrees
_FEWEST_INLIERS = 40  # samples, to fit the light from
_BRIGHT = 95.0  # percentile of a card's tones that is its brightest print
_LEAST_BRIGHT = 0.2  # lightness of that print in the face: darker says nothing of white
_INLIER_NEIGHBOURHOOD = 5  # samples a side: single ones differ for many reasons


def compare_uncovered(seen: FloatArray, scores: FloatArray, index: FaceIndex) -> FloatArray:
    """Compare a card with its likeliest faces at the inliers of each.

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
    faces = np.argsort(-scores.max(axis=1))[:_MOST_FACES]
    turns = np.stack([seen, seen[::-1]])
    every = np.repeat(index.features[faces], 2, axis=0)
    places = inlier_mask(np.tile(turns, (len(faces), 1, 1)), every, index.shape_hw)
    places = places.reshape(len(faces), 2, -1)
    found = np.full(scores.shape, -1.0)
    shape, hue = compare_places(seen, places, faces, index)
    off = np.minimum(hue.max() - hue, HUE_MOST) * index.colourful[faces, None]
    found[faces] = shape * np.sqrt(places.mean(axis=2)) - _HUE_WEIGHT * off
    return found


def inlier_mask(
    seen: FloatArray | _Tones,
    faces: FloatArray | _Tones,
    shape_hw: tuple[int, int],
    light: tuple[float, float] = (1.0, 1.0),
) -> BoolArray:
    """Return which grid places (N, G) of cards (N, G, 3) agree with their faces (N, G, 3).

    After a fit of each card's light. Round each place the light may be so much less or more than on
    the card as a whole: within ``light``, shares of it.
    """
    is_even = light == (1.0, 1.0)
    some = np.s_[:, :: 1 if is_even else _FIRST_STEP]
    gain, lift, inliers = fit_gain_bias(seen[some], faces[some])
    if not is_even:
        lit = gain * faces + lift
        common, power = (
            _around((of * lit).sum(axis=2), shape_hw) for of in (np.asarray(seen, np.float32), lit)
        )
        own = np.clip(common / np.maximum(power, 1e-6), *light)
        apart = np.abs(seen - own[..., None] * lit)
        inliers = np.maximum(np.maximum(apart[..., 0], apart[..., 1]), apart[..., 2])
        inliers = inliers < _RESIDUAL_LIMIT
    return np.asarray(_around(inliers, shape_hw) > 0.5, np.bool_)


def white_tones(light: FloatArray | _Tones, faces: FloatArray | _Tones) -> FloatArray:
    """Return the tone (N,) of white on cards, from their lightness (N, G) and their faces'."""
    seen, bright = (np.percentile(of, _BRIGHT, axis=1) for of in (light, faces))
    return np.asarray(np.maximum(seen / np.maximum(bright, _LEAST_BRIGHT), 1.0), np.float64)


def _around(values: BoolArray | _Tones, shape_hw: tuple[int, int]) -> _Tones:
    """Return the mean (N, G) of the neighbourhood of each place."""
    pictures = values.reshape(-1, *shape_hw)
    means = around(pictures, _INLIER_NEIGHBOURHOOD, cv2.BORDER_REFLECT_101)
    return means.reshape(values.shape)


def fit_gain_bias(
    seen: FloatArray | _Tones, faces: FloatArray | _Tones
) -> tuple[_Tones, _Tones, BoolArray]:
    """Fit gain and bias of the light on faces robustly.

    Parameters
    ----------
    seen : (N, G, 3) float
        Features of cards; one of them may be compared with all faces.
    faces : (F, G, 3) float
        Features of the face of each.

    Returns
    -------
    gain, lift : (F, 1, 3) float32
        Of each channel: what is seen is gain times the face, and lift.
    inliers : (F, G) bool
        The samples no farther from that than the limit.
    """
    x = np.ascontiguousarray(faces.swapaxes(1, 2), np.float32)  # samples last
    y = np.ascontiguousarray(seen.swapaxes(1, 2), np.float32)
    gain, lift = _initial_gain_bias(x, y)
    inliers = np.zeros((len(x), x.shape[2]), np.bool_)
    for _ in range(_ROUNDS):
        before, inliers = inliers, np.abs(y - gain * x - lift).max(axis=1) < _RESIDUAL_LIMIT
        if np.array_equal(inliers, before):
            break
        enough = inliers.sum(axis=1) >= _FEWEST_INLIERS
        if not enough.any():
            break
        fitted = _least_squares_gain_bias(x, y, inliers)
        keep = enough[:, None, None]
        gain, lift = np.where(keep, fitted[0], gain), np.where(keep, fitted[1], lift)
    return gain.swapaxes(1, 2), lift.swapaxes(1, 2), inliers


def _initial_gain_bias(x: _Tones, y: _Tones) -> tuple[_Tones, _Tones]:
    """Return gain and bias (F, 3, 1) on which most samples (F, 3, G) agree.

    The shortest interval of biases that holds a given share of the samples is used; occluders would
    bias a least-squares fit.
    """
    few_x, few_y = x[..., ::_FIRST_STEP], y[..., ::_FIRST_STEP]
    gains = np.array(_FIRST_GAINS, np.float32)
    lifts = np.sort(few_y - gains[:, None, None, None] * few_x, axis=-1)  # (gains, F, 3, ...)
    held = int(_FIRST_SHARE * lifts.shape[-1])
    stretch = lifts[..., held:] - lifts[..., : lifts.shape[-1] - held]
    start = stretch.argmin(axis=-1)[..., None]
    length = np.take_along_axis(stretch, start, -1)
    middle = np.take_along_axis(lifts, start + held // 2, -1)
    first = length.argmin(axis=0)[None]
    return gains[first[0]], np.take_along_axis(middle, first, 0)[0]


def _least_squares_gain_bias(x: _Tones, y: _Tones, inliers: BoolArray) -> tuple[_Tones, _Tones]:
    """Return gain and bias (F, 3, 1) of least-squares lines through the inliers (F, G)."""
    weight = inliers[:, None].astype(np.float32)
    count = np.maximum(weight.sum(axis=-1, keepdims=True), 1)
    x_mean = (weight * x).sum(axis=-1, keepdims=True) / count
    y_mean = (weight * y).sum(axis=-1, keepdims=True) / count
    away = weight * (x - x_mean)
    power = np.maximum((away * x).sum(axis=-1, keepdims=True), 1e-9)
    gain = np.clip((away * y).sum(axis=-1, keepdims=True) / power, *_GAIN)
    return gain, y_mean - gain * x_mean
