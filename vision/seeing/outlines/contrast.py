"""Quadrilaterals -> how far an edge runs along each of their sides.

Four lines can be laid through a weave or through what is printed. Along the side of a card colour
changes in one way all along, from inside to outside; white on white there is a shadow at least.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.values.arrays import FloatArray, ImageBGR

__all__ = ["ContrastSettings", "side_shares"]


@dataclass(frozen=True, slots=True)
class ContrastSettings:
    """Where along and across a side is looked."""

    samples: int = 24  # along a side
    ends: float = 0.12  # of a side left out at each end: corners are rounded
    across: tuple[float, ...] = (0.015, 0.025, 0.035)  # of the shorter side, to either hand
    least_px: float = 1.0  # to the first of these: nearer, blur has mixed both hands
    least_step: float = 4.0  # tones: below, it is noise
    alike: float = 0.35  # of the side's median step: fainter or another way is something else


def side_shares(
    picture: ImageBGR, quads_px: FloatArray, settings: ContrastSettings | None = None
) -> FloatArray:
    """Return for what share (N, 4) of each side an edge runs along it.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        The photo, reduced so that a card is 50 to 200 pixels wide.
    quads_px : (N, 4, 2) float64
        Corners in it, clockwise; side k begins at corner k.
    """
    s = settings or ContrastSettings()
    n = len(quads_px)
    if not n:
        return np.zeros((0, 4))
    along = np.roll(quads_px, -1, axis=1) - quads_px
    length = np.linalg.norm(along, axis=2)
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    outward /= np.maximum(length, 1e-9)[..., None]
    width = length.min(axis=1)
    first = np.maximum(s.least_px / np.maximum(s.across[0] * width, 1e-9), 1.0)
    off = (np.array(s.across) * (first * width)[:, None])[:, None, None]  # (N, 1, 1, A)
    t = np.linspace(s.ends, 1 - s.ends, s.samples)
    on = quads_px[:, :, None] + t[None, None, :, None] * along[:, :, None]  # (N, 4, T, 2)
    tones = [
        _sample(picture, on[..., None, :] + (sign * off)[..., None] * outward[:, :, None, None])
        for sign in (-1.0, 0.0, 1.0)
    ]
    inside, middle, outside = (of.mean(axis=3) for of in tones)  # (N, 4, T, 3)
    step, line = outside - inside, middle - (inside + outside) / 2
    return np.asarray(np.maximum(_share(step, s), _share(line, s)), np.float64)


def _share(steps: FloatArray, s: ContrastSettings) -> FloatArray:
    """Return the share (N, 4) of steps (N, 4, T, 3) that are as the median one is."""
    usual = np.median(steps, axis=2)
    size = np.linalg.norm(usual, axis=2)
    way = usual / np.maximum(size, 1e-9)[..., None]
    same = np.einsum("nktc,nkc->nkt", steps, way)
    return np.asarray((same > np.maximum(s.alike * size, s.least_step)[..., None]).mean(axis=2))


def _sample(picture: ImageBGR, at_px: FloatArray) -> FloatArray:
    """Read a picture between its pixels at places (..., 2): (..., 3); its rim beyond it."""
    maps = at_px.reshape(len(at_px), -1, 2).astype(np.float32)
    tones = cv2.remap(
        picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE
    )
    return np.asarray(tones, np.float64).reshape(*at_px.shape[:-1], 3)
