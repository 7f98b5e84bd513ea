"""Correlates discs with faces at all rotations at once, by samples along rings.

With a mask, covered parts of a disc do not count: means and lengths are taken over its visible
part, so a face under another is compared by its rim alone. All sums over the rings at all rotations
are products of Fourier transforms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seeing.pieces.photometric_fit import to_opponent_colours
from vision.values.arrays import FloatArray, ImageBGR, IntArray, Points

__all__ = [
    "COARSE_RINGS",
    "FINE_RINGS",
    "RingProfiles",
    "RingSettings",
    "Rings",
    "compare_prints",
    "masked_ring_correlation",
    "read_ring_profiles",
    "read_rings",
    "ring_correlation",
    "ring_profiles_of",
    "rings_of",
]


@dataclass(frozen=True, slots=True)
class RingSettings:
    """Settings of the ring samples."""

    rings: int = 10  # a disc of 20 pixels is sampled once a pixel
    turns: int = 72  # steps of five degrees, interpolated by a parabola
    innermost: float = 0.08  # of the radius: nearer to the centre all rotations are alike
    outermost: float = 0.92  # of the radius: beyond, the edge and its shadow begin
    colour: float = 1.5  # weight of colour: paler in photos, relative to lightness
    by_area: float = 1.0  # exponent of a ring's area in its weight; less favours the centre
    faint: float = 6.0  # grey levels of spread below which all is noise


@dataclass(frozen=True, slots=True, eq=False)
class RingProfiles:
    """Ring samples of discs: ``values`` (N, C, R, T), lightness first, of unit length.

    ``length`` (N,) is the original length: the contrast that there is to compare.
    """

    values: NDArray[np.float32]
    length: FloatArray


def ring_profiles_of(
    arts: Sequence[ImageBGR], settings: RingSettings | None = None, *, coloured: bool = True
) -> RingProfiles:
    """Sample the art of round (or inscribed) faces, upright, cut to their edge."""
    s = settings or RingSettings()
    return _normalise_rings(sample_art(arts, s), s, coloured)


def sample_art(arts: Sequence[ImageBGR], settings: RingSettings) -> NDArray[np.float32]:
    """Return ring samples (N, R, T, 3) of round (or inscribed) faces."""
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
    """Sample discs of a rectified image (H, W, 3), BGR in the art's colours, at centres (N, 2)."""
    s = settings or RingSettings()
    return _normalise_rings(sample_rings(image, centres_px, radius_px, s), s, coloured)


def sample_rings(
    image: NDArray[np.float32], centres_px: Points, radius_px: float, s: RingSettings
) -> NDArray[np.float32]:
    """Return ring samples (N, R, T, 3) of discs; angles run clockwise from the top."""
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
    """Subtract the mean lightness, weight by area and normalise to unit length."""
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
    """Return the correlation of discs and faces at each rotation: (N, K, T), -1..1.

    Rotation t is a face rotated clockwise by t of the T steps.
    """
    return rotated_products(
        ring_spectra(seen.values), ring_spectra(faces.values), faces.values.shape[-1]
    )


def ring_spectra(values: NDArray[np.float32]) -> NDArray[np.complex64]:
    """Return the Fourier transforms of rings (N, ..., T), contiguous by frequency: (F, N, R).

    R are all rings of a disc, channel by channel.
    """
    n, *rings, turns = values.shape
    both = values.reshape(-1, turns) @ _fourier(turns)  # faster than FFTs of so few samples
    found = np.empty((turns // 2 + 1, n, math.prod(rings)), np.complex64)
    rectified = found.reshape(len(found), -1)
    rectified.real, rectified.imag = both[:, : len(found)].T, both[:, len(found) :].T
    return found


def rotated_products(
    one: NDArray[np.complex64], other: NDArray[np.complex64], turns: int
) -> FloatArray:
    """Return sums (N, K, T) over rings of products of discs with rotated faces, from their spectra.

    ``one`` (F, N, R) are the spectra of the discs, ``other`` (F, K, R) those of the faces.
    """
    both = one @ np.ascontiguousarray(other.conj().swapaxes(1, 2))
    return np.asarray(np.fft.irfft(np.moveaxis(both, 0, 2), n=turns, axis=-1), np.float64)


@cache
def _fourier(turns: int) -> NDArray[np.float32]:
    """Return the matrix (T, 2 F) from samples of a ring to real and imaginary parts."""
    angle = 2 * np.pi / turns * np.outer(np.arange(turns), np.arange(turns // 2 + 1))
    return np.concatenate([np.cos(angle), -np.sin(angle)], axis=1).astype(np.float32)


def compare_prints(
    seen: RingProfiles, faces: RingProfiles, face: IntArray, turn: IntArray, least: float = 0.25
) -> FloatArray:
    """Return the correlation of discs and a face at a rotation by lightness alone: (N,), -1..1.

    It is 1 for faces of which lightness is less than the share ``least``: those have no print.
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


FINE_RINGS = RingSettings()
#: A sixth of the work, for a first pass over many places.
COARSE_RINGS = RingSettings(rings=6, turns=36)
_FAINT = 6.0  # grey levels of spread below which all is noise
_BY_PRINT = 0.6  # weight of lightness alone in a score: blue gas is no blue token


@dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """Ring samples of discs: ``values`` (N, C, R, T), lightness first, colours weighted."""

    values: NDArray[np.float32]
    settings: RingSettings

    @property
    def weights(self) -> NDArray[np.float32]:
        """Weight of a sample of each ring (R, 1); the weights of all samples add up to 1."""
        s = self.settings
        area = np.linspace(s.innermost, s.outermost, s.rings, dtype=np.float32)
        return np.asarray((area / (area.sum() * s.turns))[:, None], np.float32)


def rings_of(arts: Sequence[ImageBGR], settings: RingSettings, *, coloured: bool = True) -> Rings:
    """Sample the art of round (or inscribed) faces, upright, cut to their edge."""
    return _weighted_rings(sample_art(arts, settings), settings, coloured)


def read_rings(
    image: NDArray[np.float32],
    centres_px: Points,
    radius_px: float,
    settings: RingSettings,
    *,
    coloured: bool = True,
) -> Rings:
    """Sample discs of a rectified image (H, W, 3), BGR in the art's colours, at centres (N, 2)."""
    return _weighted_rings(sample_rings(image, centres_px, radius_px, settings), settings, coloured)


def _weighted_rings(sampled: NDArray[np.float32], settings: RingSettings, coloured: bool) -> Rings:
    values = np.ascontiguousarray(np.moveaxis(to_opponent_colours(sampled, coloured), -1, 1))
    values[:, 1:] *= settings.colour
    return Rings(values if coloured else values[:, :1], settings)


def masked_ring_correlation(
    seen: Rings, faces: Rings, centres_px: Points, radius_px: float, hiding_px: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Correlate the visible parts of discs with faces at all rotations.

    Parameters
    ----------
    seen, faces : Rings
        N discs and K faces.
    centres_px : (N, 2) float64
        Centres of the discs.
    radius_px : float
        Their radius.
    hiding_px : (M, 3) float64
        Discs that lie over them: centre and radius.

    Returns
    -------
    similarity : (N, K, T) float64
        -1..1, of print and colour; rotation t is a face rotated clockwise by t of the T steps.
    share : (N,) float64
        Visible share of each disc.
    """
    mask = _visible_samples(centres_px, radius_px, hiding_px, seen.settings)
    is_part = mask.min(axis=(1, 2)) < 1
    similarity = np.empty((len(mask), len(faces.values), seen.settings.turns))
    similarity[~is_part] = _compare_whole(seen.values[~is_part], faces)
    similarity[is_part] = _compare_part(seen.values[is_part], mask[is_part], faces)
    return similarity, np.asarray((mask * faces.weights).sum(axis=(1, 2)), np.float64)


def _compare_whole(values: NDArray[np.float32], faces: Rings) -> FloatArray:
    """Correlate fully visible discs (N, C, R, T): a face's sums do not depend on the rotation."""
    weights, turns = faces.weights, faces.settings.turns
    seen, arts = values.copy(), faces.values.copy()
    for one in (seen, arts):
        one[:, 0] -= (one[:, 0] * weights).sum(axis=(1, 2))[:, None, None]
    length, second = ((one**2 * weights).sum(axis=(2, 3)) for one in (seen, arts))
    seen *= weights
    cross = rotated_products(ring_spectra(seen[:, 0]), ring_spectra(arts[:, 0]), turns)
    similarity = _ratio(cross, length[:, 0], second[:, :1])
    if values.shape[1] > 1:
        own, others = (ring_spectra(v[:, 1:]) for v in (seen, arts))
        cross += rotated_products(own, others, turns)
        both = _ratio(cross, length.sum(axis=1), second.sum(axis=1)[:, None])
        similarity = _BY_PRINT * similarity + (1 - _BY_PRINT) * both
    return similarity


def _compare_part(
    values: NDArray[np.float32], mask: NDArray[np.float32], faces: Rings
) -> FloatArray:
    """Correlate discs (N, C, R, T) by their visible samples, ``mask`` (N, R, T)."""
    weights, turns = faces.weights, faces.settings.turns
    covers = mask * weights
    whole = np.maximum(covers.sum(axis=(1, 2)), 1e-6)[:, None, None]
    light = values[:, 0]
    values = values.copy()
    values[:, 0] -= (light * covers).sum(axis=(1, 2))[:, None, None] / whole
    length = (values**2 * covers[:, None]).sum(axis=(2, 3)) / whole[..., 0]
    values *= covers[:, None]
    shown, arts = ring_spectra(covers), ring_spectra(faces.values[:, 0])
    first = rotated_products(shown, arts, turns) / whole
    cross = rotated_products(ring_spectra(values[:, 0]), arts, turns) / whole
    second = (
        rotated_products(shown, ring_spectra(faces.values[:, 0] ** 2), turns) / whole - first**2
    )
    similarity = _ratio(cross, length[:, 0], second)
    if values.shape[1] > 1:
        own, others = (ring_spectra(v[:, 1:]) for v in (values, faces.values))
        cross += rotated_products(own, others, turns) / whole
        squares = (faces.values[:, 1:] ** 2).sum(axis=1)
        second += rotated_products(shown, ring_spectra(squares), turns) / whole
        both = _ratio(cross, length.sum(axis=1), second)
        similarity = _BY_PRINT * similarity + (1 - _BY_PRINT) * both
    return similarity


def _ratio(cross: FloatArray, one: NDArray[Any], other: FloatArray) -> FloatArray:
    """Return correlations (N, K, T) from squared lengths of discs (N,) and faces (N, K, T)."""
    length = np.maximum(one, _FAINT**2)[:, None, None] * np.maximum(other, _FAINT**2)
    return np.asarray(cross / np.sqrt(length), np.float64)


def _visible_samples(
    centres_px: Points, radius_px: float, hiding_px: FloatArray, s: RingSettings
) -> NDArray[np.float32]:
    """Return which samples (N, R, T) of discs no other disc covers."""
    mask = np.ones((len(centres_px), s.rings, s.turns), np.float32)
    if not len(hiding_px):
        return mask
    radius = np.linspace(s.innermost, s.outermost, s.rings) * radius_px
    angle = np.arange(s.turns) * 2 * np.pi / s.turns
    over, beside = -radius[:, None] * np.cos(angle), radius[:, None] * np.sin(angle)
    away = np.hypot(*np.moveaxis(centres_px[:, None] - hiding_px[:, :2], -1, 0))
    for n, k in zip(*np.nonzero(away < radius_px + hiding_px[:, 2]), strict=True):
        x, y = centres_px[n] - hiding_px[k, :2]
        mask[n] *= (beside + x) ** 2 + (over + y) ** 2 > (1.04 * hiding_px[k, 2]) ** 2
    return mask
