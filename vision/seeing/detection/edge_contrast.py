"""Measures the share of each side of a quadrilateral along which an edge runs.

Four lines can be fitted to a weave or to print. Along the side of a card, colour changes in one
direction from inside to outside; white on white has a shadow at least.
"""

import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import sample
from vision.seeing.detection.quads import ENDS
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, median_of

__all__ = ["side_places", "side_shares"]


# Sample positions along and across a side.
_SAMPLES = 24  # per side
_ACROSS: tuple[float, ...] = (0.015, 0.025, 0.035)  # distances from the side, of the shorter side
_LEAST_PX = 1.0  # least distance of the first: nearer, blur has mixed both sides
_LEAST_STEP = 4.0  # least step (tones); below is noise
_BEYOND = 3.0  # factor on the distances where cloth is compared with cloth
_ABOVE_CLOTH = 2.5  # a step of so many times the cloth's is an edge whatever its colours
_SIMILARITY = 0.35  # least step along the side's median step; a weaker one is another edge

_Tones = NDArray[np.float32]


def side_places(quads_px: FloatArray) -> FloatArray:
    """Return the sample points (N, 4, T, 2) along each side of quadrilaterals (N, 4, 2)."""
    along = np.roll(quads_px, -1, axis=1) - quads_px
    shares = np.linspace(ENDS, 1 - ENDS, _SAMPLES)[:, None]
    return np.asarray(quads_px[:, :, None] + shares * along[:, :, None], np.float64)


def side_shares(
    picture: ImageBGR, quads_px: FloatArray, *, hidden: BoolArray | None = None
) -> FloatArray:
    """Return the share (N, 4) of each side along which an edge runs.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        The photo, reduced so that a card is 50 to 200 pixels wide.
    quads_px : (N, 4, 2) float64
        Corners in it, clockwise; side k begins at corner k.
    hidden : (N, 4, T) bool, optional
        Which of :func:`side_places` are left out; a side without any left has 0.
    """
    if not len(quads_px):
        return np.zeros((0, 4))
    along, on = np.roll(quads_px, -1, axis=1) - quads_px, side_places(quads_px)
    length = np.linalg.norm(along, axis=2)
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    outward /= np.maximum(length, 1e-9)[..., None]
    width = length.min(axis=1)
    first = np.maximum(_LEAST_PX / np.maximum(_ACROSS[0] * width, 1e-9), 1.0)
    reach = np.array(_ACROSS)[:, None] * first * width  # (A, N)
    off = reach[:, :, None, None, None] * outward[:, :, None]  # (A, N, 4, 1, 2)
    tones = [
        sample(picture, on + by * off).mean(axis=0, dtype=np.float32)
        for by in (-1.0, 0.0, 1.0, _BEYOND)
    ]
    inside, middle, outside, beyond = np.moveaxis(np.array(tones), -1, 1).copy()  # (3, N, 4, T)
    step, line = outside - inside, middle - (inside + outside) / 2
    seen = np.ones(on.shape[:3], np.bool_) if hidden is None else ~hidden
    shares = [
        _share(step, seen),
        _share(line, seen),
        _share_above_background(step, beyond - outside, seen),
    ]
    return np.asarray(np.max(shares, axis=0), np.float64)


def _share_above_background(step: _Tones, cloth: _Tones, seen: BoolArray) -> FloatArray:
    """Return the share (N, 4) of steps (3, N, 4, T) that are far above those in the cloth.

    If the print reaches the edge, its colour varies along the edge, and so does the step.
    """
    usual = np.median(np.linalg.norm(cloth, axis=0), axis=(1, 2))[:, None, None]
    steep = np.linalg.norm(step, axis=0) > np.maximum(_ABOVE_CLOTH * usual, 2 * _LEAST_STEP)
    return np.asarray((steep & seen).sum(axis=2) / np.maximum(seen.sum(axis=2), 1))


def _share(steps: _Tones, seen: BoolArray) -> FloatArray:
    """Return the share (N, 4), of the visible steps (3, N, 4, T), that resemble the median step."""
    usual = median_of(steps, seen | ~seen.any(axis=2, keepdims=True))
    size = np.linalg.norm(usual, axis=0)
    way = usual / np.maximum(size, 1e-9)
    same = np.einsum("cnkt,cnk->nkt", steps, way)
    similarity = seen & (same > np.maximum(_SIMILARITY * size, _LEAST_STEP)[..., None])
    return np.asarray(similarity.sum(axis=2) / np.maximum(seen.sum(axis=2), 1))
