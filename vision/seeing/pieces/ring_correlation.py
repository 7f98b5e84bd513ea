"""Round looks of tokens: what lies within a disc, ring by ring, at every turn at once.

A disc is read along rings; turning it shifts every ring, so one Fourier transform compares it with
a face at all turns. Lightness counts without its mean (light differs), colour with it (red is not
blue), so plain discs are told by colour and printed ones by their print too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seeing.pieces.photometric_fit import to_opponent_colours
from vision.values.arrays import FloatArray, ImageBGR, IntArray, Points

__all__ = [
    "RingProfiles",
    "RingSettings",
    "compare_prints",
    "read_ring_profiles",
    "ring_correlation",
    "ring_profiles_of",
    "ring_spectra",
    "rotated_products",
    "sample_art",
    "sample_rings",
]


@dataclass(frozen=True, slots=True)
class RingSettings:
    """How discs are read."""

    rings: int = 10  # a disc of 20 pixels is read once a pixel
    turns: int = 72  # five degrees apart, and a parabola between
    innermost: float = 0.08  # of the radius: nearer to the middle all turns are alike
    outermost: float = 0.92  # beyond, the edge and its shadow begin
    colour: float = 1.5  # weight of a difference of colour: paler in photos than lightness
    by_area: float = 1.0  # power of the area that a ring counts by; less favours the middle
    faint: float = 6.0  # grey levels of spread below which nothing can be told apart from noise


@dataclass(frozen=True, slots=True, eq=False)
class RingProfiles:
    """Discs read along rings: ``values`` (N, C, R, T) with lightness first, of unit length.

    ``length`` (N,) is what they were divided by: how much there is to compare.
    """

    values: NDArray[np.float32]
    length: FloatArray


def ring_profiles_of(
    arts: Sequence[ImageBGR], settings: RingSettings | None = None, *, coloured: bool = True
) -> RingProfiles:
    """Read the art of round (or inscribed) faces, upright, cut to their edge."""
    s = settings or RingSettings()
    return _normalise_rings(sample_art(arts, s), s, coloured)


def sample_art(arts: Sequence[ImageBGR], settings: RingSettings) -> NDArray[np.float32]:
    """Return what lies on the rings (N, R, T, 3) of round (or inscribed) faces."""
    s = settings
    discs = []
    for art in arts:
        h, w = art.shape[:2]
        reach = min(h, w) / 2
        scale = min(1.0, 4 * s.rings / (2 * reach))
        small = cv2.resize(art, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        h, w = small.shape[:2]
        middle = np.array([[(w - 1) / 2, (h - 1) / 2]])
        discs.append(sample_rings(np.asarray(small, np.float32), middle, reach * scale, s)[0])
    return np.stack(discs) if discs else np.zeros((0, s.rings, s.turns, 3), np.float32)


def read_ring_profiles(
    image: NDArray[np.float32],
    centres_px: Points,
    radius_px: float,
    settings: RingSettings | None = None,
    *,
    coloured: bool = True,
) -> RingProfiles:
    """Read discs of a flat picture (H, W, 3) BGR in the art's colours, at centres (N, 2)."""
    s = settings or RingSettings()
    return _normalise_rings(sample_rings(image, centres_px, radius_px, s), s, coloured)


def sample_rings(
    image: NDArray[np.float32], centres_px: Points, radius_px: float, s: RingSettings
) -> NDArray[np.float32]:
    """Return what lies on the rings (N, R, T, 3); turns run clockwise from the top."""
    radius = np.linspace(s.innermost, s.outermost, s.rings) * radius_px
    angle = np.arange(s.turns) * 2 * np.pi / s.turns
    ring = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    at = centres_px[:, None, None] + radius[:, None, None] * ring
    x, y = np.moveaxis(at.reshape(-1, s.turns, 2), -1, 0).astype(np.float32)
    parts = [
        cv2.remap(
            image, x[k : k + 16384], y[k : k + 16384], cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE
        )
        for k in range(0, len(x), 16384)  # OpenCV takes 32767 rows at most
    ]
    seen = np.concatenate(parts) if parts else np.zeros((0, s.turns, 3), np.float32)
    return np.asarray(seen.reshape(-1, s.rings, s.turns, 3), np.float32)


def _normalise_rings(rings: NDArray[np.float32], s: RingSettings, coloured: bool) -> RingProfiles:
    """Take the mean lightness out, weigh by area and bring to unit length."""
    values = np.moveaxis(to_opponent_colours(rings, coloured), -1, 1).copy()
    area = np.linspace(s.innermost, s.outermost, s.rings, dtype=np.float32)
    area **= s.by_area
    area /= area.sum() * s.turns
    mean = np.einsum("nrt,r->n", values[:, 0], area)
    values[:, 0] -= mean[:, None, None]
    values[:, 1:] *= s.colour
    values *= np.sqrt(area)[None, None, :, None]
    length = np.sqrt(np.einsum("ncrt,ncrt->n", values, values) + 1e-12).astype(np.float64)
    values /= np.maximum(length, s.faint)[:, None, None, None].astype(np.float32)
    return RingProfiles(values, length)


def ring_correlation(seen: RingProfiles, faces: RingProfiles) -> FloatArray:
    """Return how alike discs and faces are at each turn: (N, K, T), -1..1.

    Turn t is a face turned clockwise by t of the T turns.
    """
    return rotated_products(
        ring_spectra(seen.values), ring_spectra(faces.values), faces.values.shape[-1]
    )


def ring_spectra(values: NDArray[np.float32]) -> NDArray[np.complex64]:
    """Return the Fourier transforms of rings (N, ..., T), contiguous by frequency: (F, N, R).

    R are all rings of a disc, those of one channel after those of the other.
    """
    n, *rings, turns = values.shape
    both = values.reshape(-1, turns) @ _fourier(turns)  # faster than transforms of so few samples
    found = np.empty((turns // 2 + 1, n, math.prod(rings)), np.complex64)
    rectified = found.reshape(len(found), -1)
    rectified.real, rectified.imag = both[:, : len(found)].T, both[:, len(found) :].T
    return found


def rotated_products(
    one: NDArray[np.complex64], other: NDArray[np.complex64], turns: int
) -> FloatArray:
    """Return the sums (N, K, T) over rings of products of discs with faces turned, of waves.

    ``one`` (F, N, R) are those of the discs, ``other`` (F, K, R) those of the faces.
    """
    both = one @ np.ascontiguousarray(other.conj().swapaxes(1, 2))
    return np.asarray(np.fft.irfft(np.moveaxis(both, 0, 2), n=turns, axis=-1), np.float64)


@cache
def _fourier(turns: int) -> NDArray[np.float32]:
    """Return what brings samples of a ring to real and imaginary parts: (T, 2 F)."""
    angle = 2 * np.pi / turns * np.outer(np.arange(turns), np.arange(turns // 2 + 1))
    return np.concatenate([np.cos(angle), -np.sin(angle)], axis=1).astype(np.float32)


def compare_prints(
    seen: RingProfiles, faces: RingProfiles, face: IntArray, turn: IntArray, least: float = 0.25
) -> FloatArray:
    """Return how alike the lightness alone of discs is to that of a face at a turn: (N,), -1..1.

    It is 1 for faces of which less than a share ``least`` is lightness: those have no print.
    """
    one = seen.values[:, 0]
    other = np.stack(
        [np.roll(faces.values[k, 0], t, axis=-1) for k, t in zip(face, turn, strict=True)]
    )
    cross, first, second = (
        np.einsum("nrt,nrt->n", a, b).astype(np.float64)
        for a, b in ((one, other), (one, one), (other, other))
    )
    similarity = cross / np.sqrt(np.maximum(first * second, 1e-9))
    return np.asarray(np.where(second < least**2, 1.0, similarity), np.float64)
