"""Two pictures of a card -> the light that makes one of the other.

A lamp's reflection lies like a veil over a card: it adds light of one colour and takes contrast
away, slowly changing over the card. So one picture is another times a gain, plus a veil, both
bent planes that all channels share, times the white of the light: a red card is made no blue one.
"""

from dataclasses import dataclass

import numpy as np

from vision.imaging.bends import bends_over
from vision.values.arrays import FloatArray

__all__ = ["Light", "light_between"]

_ROUNDS = 5  # of light, white and what is left out told by each other
_OTHER = 0.12  # of the places, those that fit worst: a spot of glare, a cut edge
_STIFF = 0.03  # of all tones squared: so much a gain that is bent must tell to be believed
_WHITE = 1.5  # times, to either side: what two phones make of one white differs less
_NOISE_TONES = 3.0  # that no light explains: a card of one tone all over is like no other


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """``white * (gain * picture + veil)`` is the other picture.

    ``gain`` and ``veil`` (H, W), ``white`` (3,); ``share`` is how much of the other's print is
    told so, at most 1.
    """

    gain: FloatArray
    veil: FloatArray
    white: FloatArray
    share: float


def light_between(picture: FloatArray, other: FloatArray) -> Light:
    """Find the light that makes a picture (H, W, 3) of some forty pixels most like another."""
    h, w = picture.shape[:2]
    bends = bends_over(h, w).reshape(-1, 6)
    tones, seen = picture.reshape(-1, 3), other.reshape(-1, 3)
    weight, white = np.ones(len(tones)), np.ones(3)
    stiff = np.r_[0, np.full(5, _STIFF * float((tones**2).mean()) * len(tones)), np.zeros(6)]
    gain, veil, off = np.ones(len(tones)), np.zeros(len(tones)), np.zeros(len(tones))
    for _ in range(_ROUNDS):
        left, right = np.diag(stiff + 1e-3), np.zeros(12)
        for c in range(3):
            design = white[c] * np.concatenate([bends * tones[:, c : c + 1], bends], axis=1)
            weighted = design * weight[:, None]
            left += design.T @ weighted
            right += weighted.T @ seen[:, c]
        solved = np.linalg.solve(left, right)
        gain, veil = bends @ solved[:6], bends @ solved[6:]
        made = gain[:, None] * tones + veil[:, None]
        told = (weight[:, None] * made * seen).sum(axis=0)
        white = told / np.maximum((weight[:, None] * made**2).sum(axis=0), 1e-9)
        white = np.clip(white / max(float(np.median(white)), 1e-9), 1 / _WHITE, _WHITE)
        off = ((seen - white * made) ** 2).sum(axis=1)
        weight = np.where(off <= np.quantile(off, 1 - _OTHER), 1.0, 1e-3)
    plain = bends * weight[:, None]
    smooth = bends @ np.linalg.solve(bends.T @ plain + 1e-6 * np.eye(6), plain.T @ seen)
    printed = float((weight[:, None] * (seen - smooth) ** 2).sum())
    noise = _NOISE_TONES**2 * 3 * len(tones) * 0.1
    share = 1 - float((weight * off).sum()) / (printed + noise)
    return Light(gain.reshape(h, w), veil.reshape(h, w), white, share)
