"""Measures the share of each side of a quadrilateral along which an edge runs.

Four lines can be fitted to a weave or to print. Along the side of a card, colour changes in one
direction from inside to outside; white on white has a shadow at least.
"""

import numpy as np

from vision.imaging.view import sample
from vision.seeing.detection.quads import ENDS
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["side_places", "side_shares"]


# Sample positions along and across a side.
_SAMPLES = 24  # per side
_LAST = 0.88  # last sample
_ACROSS: tuple[float, ...] = (0.015, 0.025, 0.035)  # distances from the side, of the shorter side
_LEAST_PX = 1.0  # least distance of the first: nearer, blur has mixed both sides
_LEAST_STEP = 4.0  # least step (tones); below is noise
_BEYOND = 3.0  # factor on the distances where cloth is compared with cloth
_ABOVE_CLOTH = 2.5  # a step of so many times the cloth's is an edge whatever its colours
_SIMILARITY = 0.35  # least step along the side's median step; a weaker one is another edge


def side_places(quads_px: FloatArray) -> FloatArray:
    """Return the sample points (N, 4, T, 2) along each side of quadrilaterals (N, 4, 2)."""
    along = np.roll(quads_px, -1, axis=1) - quads_px
    t = np.linspace(ENDS, _LAST, _SAMPLES)
    places = quads_px[:, :, None] + t[None, None, :, None] * along[:, :, None]
    return np.asarray(places, np.float64)


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
    n = len(quads_px)
    if not n:
        return np.zeros((0, 4))
    along = np.roll(quads_px, -1, axis=1) - quads_px
    length = np.linalg.norm(along, axis=2)
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    outward /= np.maximum(length, 1e-9)[..., None]
    width = length.min(axis=1)
    first = np.maximum(_LEAST_PX / np.maximum(_ACROSS[0] * width, 1e-9), 1.0)
    off = (np.array(_ACROSS) * (first * width)[:, None])[:, None, None]  # (N, 1, 1, A)
    on = side_places(quads_px)
    tones = [
        sample(picture, on[..., None, :] + (by * off)[..., None] * outward[:, :, None, None])
        for by in (-1.0, 0.0, 1.0, _BEYOND)
    ]
    inside, middle, outside, beyond = (of.mean(axis=3) for of in tones)  # (N, 4, T, 3)
    step, line = outside - inside, middle - (inside + outside) / 2
    seen = np.ones(on.shape[:3], np.bool_) if hidden is None else ~hidden
    shares = [
        _share(step, seen),
        _share(line, seen),
        _share_above_background(step, beyond - outside, seen),
    ]
    return np.asarray(np.max(shares, axis=0), np.float64)


def _share_above_background(step: FloatArray, cloth: FloatArray, seen: BoolArray) -> FloatArray:
    """Return the share (N, 4) of steps (N, 4, T, 3) that are far above those in the cloth.

    If the print reaches the edge, its colour varies along the edge, and so does the step.
    """
    usual = np.median(np.linalg.norm(cloth, axis=3), axis=(1, 2))[:, None, None]
    steep = np.linalg.norm(step, axis=3) > np.maximum(_ABOVE_CLOTH * usual, 2 * _LEAST_STEP)
    return np.asarray((steep & seen).sum(axis=2) / np.maximum(seen.sum(axis=2), 1))


def _share(steps: FloatArray, seen: BoolArray) -> FloatArray:
    """Return the share (N, 4), of the visible steps (N, 4, T, 3), that resemble the median step."""
    counted = np.where((seen | ~seen.any(axis=2, keepdims=True))[..., None], steps, np.nan)
    usual = np.nanmedian(counted, axis=2)
    size = np.linalg.norm(usual, axis=2)
    way = usual / np.maximum(size, 1e-9)[..., None]
    same = np.einsum("nktc,nkc->nkt", steps, way)
    similarity = seen & (same > np.maximum(_SIMILARITY * size, _LEAST_STEP)[..., None])
    return np.asarray(similarity.sum(axis=2) / np.maximum(seen.sum(axis=2), 1))
