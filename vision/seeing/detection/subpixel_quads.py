"""Quadrilaterals from masks -> where their sides show, to a fraction of a pixel.

The outline of a widened edge runs a pixel or two beside it, to either hand; in a picture in which
a card is ninety pixels wide that is two per cent of it. Along each side the steepest change of
colour across it is sought, and a robust line laid through what was found.

References
----------
.. [1] Blake and Isard, Active Contours, 1998 (edges sought along normals).
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import meet
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["SubpixelSettings", "refine_quads"]


@dataclass(frozen=True, slots=True)
class SubpixelSettings:
    """Where a side is sought; lengths are pixels of the reduced picture."""

    samples: int = 20  # along a side
    ends: float = 0.12  # of a side left out at each end: corners are rounded
    reach_px: float = 2.5  # across it: what widening and smoothing of an edge make
    reach_share: float = 0.05  # and no more than this of the shortest side
    step_px: float = 0.5  # of the samples across
    huber_px: float = 0.4  # farther ones count less
    least_slope: float = 4.0  # tones a pixel: below, nothing is steepest
    most_rest_px: float = 0.8  # of the samples from their line, weighed: else it is no side


def refine_quads(
    picture: ImageBGR, quads_px: FloatArray, settings: SubpixelSettings | None = None
) -> FloatArray:
    """Move the sides of quadrilaterals to where colour changes most.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        The picture in which they were found.
    quads_px : (N, 4, 2) float64
        Corners in it, clockwise.

    Returns
    -------
    (N, 4, 2) float64
        The same; those of which a side is not found stay as they are.
    """
    s = settings or SubpixelSettings()
    if not len(quads_px):
        return quads_px
    along = np.roll(quads_px, -1, axis=1) - quads_px
    length = np.maximum(np.linalg.norm(along, axis=2), 1e-9)
    unit = along / length[..., None]
    across = np.stack([unit[..., 1], -unit[..., 0]], axis=-1)
    reach = np.minimum(s.reach_px, s.reach_share * length.min(axis=1))
    off, slope = _steepest(picture, quads_px, along, across, reach, s)
    t = np.linspace(s.ends, 1 - s.ends, s.samples) - 0.5
    level, lean, good = _lines(t, off, slope, s)
    middle = quads_px + along / 2 + level[..., None] * across
    direction = unit + (lean / length)[..., None] * across
    direction /= np.linalg.norm(direction, axis=2, keepdims=True)
    corner, sine = meet(
        np.roll(middle, 1, axis=1), np.roll(direction, 1, axis=1), middle, direction
    )
    moved = np.linalg.norm(corner - quads_px, axis=2).max(axis=1)
    good &= (np.abs(sine) > 1e-3).all(axis=1) & (moved < 3 * reach)
    return np.where(good[:, None, None], corner, quads_px)


def _steepest(
    picture: ImageBGR,
    quads_px: FloatArray,
    along: FloatArray,
    across: FloatArray,
    reach: FloatArray,
    s: SubpixelSettings,
) -> tuple[FloatArray, FloatArray]:
    """Return where (N, 4, T) across each side colour changes most, px outward, and how steeply."""
    t = np.linspace(s.ends, 1 - s.ends, s.samples)
    steps = round(s.reach_px / s.step_px)
    offsets = np.arange(-steps - 2, steps + 3) * s.step_px  # two more at each end, for slopes
    on = quads_px[:, :, None] + t[None, None, :, None] * along[:, :, None]
    at = on[:, :, :, None] + offsets[:, None] * across[:, :, None, None]
    maps = at.reshape(len(quads_px), -1, 2).astype(np.float32)
    tones = cv2.remap(
        picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE
    )
    tones = tones.astype(np.float32).reshape(*at.shape[:-1], 3)
    change = (tones[..., 4:, :] - tones[..., :-4, :]) / np.float32(4 * s.step_px)
    size = np.sqrt(np.einsum("...c,...c->...", change, change))  # (N, 4, T, 2 steps + 1)
    inner = offsets[2:-2]
    size[:, :, :, :] *= np.abs(inner) <= reach[:, None, None, None] + 1e-9
    best = size.argmax(axis=3)
    peak = np.take_along_axis(size, best[..., None], axis=3)[..., 0]
    before, after = (
        np.take_along_axis(size, np.clip(best + k, 0, len(inner) - 1)[..., None], axis=3)[..., 0]
        for k in (-1, 1)
    )
    bend = np.minimum(before - 2 * peak + after, -1e-6)
    part = np.clip(0.5 * (before - after) / bend, -0.5, 0.5)
    return inner[best] + s.step_px * part, np.asarray(peak, np.float64)


def _lines(
    t: FloatArray, off: FloatArray, slope: FloatArray, s: SubpixelSettings
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Fit ``off = level + lean t`` to each side (N, 4, T), and tell which of the N have all four.

    Steep changes count more, up to the side's usual one; those far from the line less.
    """
    usual = np.maximum(np.median(slope, axis=2, keepdims=True), s.least_slope)
    trust = np.minimum(slope / usual, 1.0) * (slope > s.least_slope)
    weight = trust
    for _ in range(5):
        total = np.maximum(weight.sum(axis=2), 1e-9)
        t_mean, o_mean = (weight * t).sum(axis=2) / total, (weight * off).sum(axis=2) / total
        centred = t - t_mean[..., None]
        spread = np.maximum((weight * centred**2).sum(axis=2), 1e-9)
        lean = (weight * centred * off).sum(axis=2) / spread
        level = o_mean - lean * t_mean
        rest = np.abs(off - level[..., None] - lean[..., None] * t)
        weight = trust * s.huber_px / np.maximum(rest, s.huber_px)
    enough = trust.mean(axis=2) > 0.5
    close = (weight * rest).sum(axis=2) / total < s.most_rest_px
    return level, lean, np.asarray((enough & close).all(axis=1))
