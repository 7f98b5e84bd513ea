"""Round looks of discs of which only a part shows: compared with faces at every turn at once.

As :mod:`vision.seeing.pieces.ring_correlation`, but what lies over a disc does not count: means and
lengths are taken over what shows, so a face under another is compared by its rim alone. All sums
over the rings at all turns are products of Fourier transforms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.seeing.pieces.photometric_fit import to_opponent_colours
from vision.seeing.pieces.ring_correlation import (
    RingSettings,
    ring_spectra,
    rotated_products,
    sample_art,
    sample_rings,
)
from vision.values.arrays import FloatArray, ImageBGR, Points

__all__ = [
    "COARSE_RINGS",
    "FINE_RINGS",
    "Rings",
    "masked_ring_correlation",
    "read_rings",
    "rings_of",
]

FINE_RINGS = RingSettings()
COARSE_RINGS = RingSettings(
    rings=6, turns=36
)  #: a sixth of the work, for places that are mostly none
_FAINT = 6.0  # grey levels of spread below which nothing can be told apart from noise
_BY_PRINT = 0.6  # of a likeness is that of lightness alone: blue gas is no blue token


@dataclass(frozen=True, slots=True, eq=False)
class Rings:
    """Discs read along rings: ``values`` (N, C, R, T), lightness first, colours weighed."""

    values: NDArray[np.float32]
    settings: RingSettings

    @property
    def weights(self) -> NDArray[np.float32]:
        """How much a sample of each ring (R, 1) counts: they add up to 1 over all samples."""
        s = self.settings
        area = np.linspace(s.innermost, s.outermost, s.rings, dtype=np.float32)
        return np.asarray((area / (area.sum() * s.turns))[:, None], np.float32)


def rings_of(arts: Sequence[ImageBGR], settings: RingSettings, *, coloured: bool = True) -> Rings:
    """Read the art of round (or inscribed) faces, upright, cut to their edge."""
    return _weighted_rings(sample_art(arts, settings), settings, coloured)


def read_rings(
    image: NDArray[np.float32],
    centres_px: Points,
    radius_px: float,
    settings: RingSettings,
    *,
    coloured: bool = True,
) -> Rings:
    """Read discs of a flat picture (H, W, 3) BGR in the art's colours, at centres (N, 2)."""
    return _weighted_rings(sample_rings(image, centres_px, radius_px, settings), settings, coloured)


def _weighted_rings(sampled: NDArray[np.float32], settings: RingSettings, coloured: bool) -> Rings:
    values = np.ascontiguousarray(np.moveaxis(to_opponent_colours(sampled, coloured), -1, 1))
    values[:, 1:] *= settings.colour
    return Rings(values if coloured else values[:, :1], settings)


def masked_ring_correlation(
    seen: Rings, faces: Rings, centres_px: Points, radius_px: float, hiding_px: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compare discs with faces at all turns by what shows of each.

    Parameters
    ----------
    seen, faces : Rings
        N discs and K faces.
    centres_px : (N, 2) float64
        Where the discs lie.
    radius_px : float
        Their radius.
    hiding_px : (M, 3) float64
        Discs that lie over them: middle and radius.

    Returns
    -------
    similarity : (N, K, T) float64
        -1..1, of print and colour; turn t is a face turned clockwise by t of the T turns.
    share : (N,) float64
        How much of each disc shows.
    """
    mask = _visible_samples(centres_px, radius_px, hiding_px, seen.settings)
    is_part = mask.min(axis=(1, 2)) < 1
    similarity = np.empty((len(mask), len(faces.values), seen.settings.turns))
    similarity[~is_part] = _compare_whole(seen.values[~is_part], faces)
    similarity[is_part] = _compare_part(seen.values[is_part], mask[is_part], faces)
    return similarity, np.asarray((mask * faces.weights).sum(axis=(1, 2)), np.float64)


def _compare_whole(values: NDArray[np.float32], faces: Rings) -> FloatArray:
    """Compare discs (N, C, R, T) of which all shows: what a face has is the same at any turn."""
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
    """Compare discs (N, C, R, T) of which only what ``mask`` (N, R, T) tells shows."""
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
    """Return correlations (N, K, T) of discs of squared lengths (N,) and faces (N, K, T)."""
    length = np.maximum(one, _FAINT**2)[:, None, None] * np.maximum(other, _FAINT**2)
    return np.asarray(cross / np.sqrt(length), np.float64)


def _visible_samples(
    centres_px: Points, radius_px: float, hiding_px: FloatArray, s: RingSettings
) -> NDArray[np.float32]:
    """Return which samples (N, R, T) of discs lie under no other disc."""
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
