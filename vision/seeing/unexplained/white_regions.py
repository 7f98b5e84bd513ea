"""The table from above, and where cards lie -> white beside them, that may be other cards.

Where a border shows and no card explains it, another card lies. On a white table what is dark
beside the cards says the same. Of cards without a border but of white paper, so does the paper.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.masks import grown
from vision.seeing.pieces.rectify import Rectified
from vision.values.arrays import BoolArray, FloatArray

__all__ = ["WhiteSettings", "paper_mask", "white_mask"]


@dataclass(frozen=True, slots=True)
class WhiteSettings:
    """What is white."""

    white: float = 0.75  # of the cards' white, for white that nothing explains
    lit_mm: float = 45.0  # within which the cards' own white says how light white is
    lit_px_per_mm: float = 0.66  # of the picture of it: a border is two pixels wide
    lit_least: float = 0.3  # of the whole table's white: less is no white, but a dark face alone
    coloured: float = 0.25  # of its lightness, most that its channels differ: yellow is not white
    cloth: float = 0.15  # of the table that is as white: then white says nothing
    ink: float = 0.6  # of a white table, less is no cloth: the darkest half of a frame, no shadow
    beside_mm: tuple[float, float] = (3.0, 9.0)  # from the cards: past their shadow, on the ground
    ground: float = 0.5  # of that, then they lie on white: beside a heap is less


def white_mask(
    rectified: Rectified, taken: NDArray[np.uint8], settings: WhiteSettings | None = None
) -> BoolArray:
    """Tell what is white (H, W) where nothing is taken (H, W), of 0 and 255; on white, dark."""
    s = settings or WhiteSettings()
    free, white, ink = _white_and_ink(rectified, taken, s)
    if _is_background(white, free, s):
        return np.asarray(ink & free, np.bool_)
    return np.asarray(white & free, np.bool_)


def paper_mask(
    rectified: Rectified, taken: NDArray[np.uint8], settings: WhiteSettings | None = None
) -> BoolArray:
    """Tell what is white (H, W) where nothing is taken (H, W); nothing where cards lie on white."""
    s = settings or WhiteSettings()
    free, white, _ = _white_and_ink(rectified, taken, s)
    near, far = (grown(taken, mm * rectified.px_per_mm) > 0 for mm in s.beside_mm)
    beside = white[far & ~near & rectified.inside]
    if _is_background(white, free, s) or (len(beside) and beside.mean() > s.ground):
        return np.zeros(white.shape, np.bool_)
    return np.asarray(white & free, np.bool_)


def _white_and_ink(
    rectified: Rectified, taken: NDArray[np.uint8], s: WhiteSettings
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Tell where nothing is taken, what is white, and what is dark as ink on white (H, W)."""
    tones = rectified.image.astype(np.float32)
    level = tones.mean(axis=2)
    lit = _local_white(level, taken, rectified.px_per_mm, s)
    spread = _channel_spread(tones, taken)
    white = (
        (level > s.white * lit) & (spread < s.coloured * np.maximum(level, 1.0)) & rectified.inside
    )
    return taken == 0, white, (level < s.ink * lit) & rectified.inside


def _is_background(white: BoolArray, free: BoolArray, s: WhiteSettings) -> bool:
    """Tell whether so much is white (H, W) where nothing is taken that white says nothing."""
    return bool(free.any() and white[free].mean() > s.cloth)


def _channel_spread(tones: NDArray[np.float32], taken: NDArray[np.uint8]) -> FloatArray:
    """Return by how much channels differ (H, W), the cards' own white taken as white."""
    if (taken > 0).any():
        white = np.percentile(tones[taken > 0], 97, axis=0)
        tones = tones * (white.mean() / np.maximum(white, 1.0)).astype(np.float32)
    blue, green, red = cv2.split(tones)
    most, least = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    return np.asarray(most - least, np.float64)


def _local_white(
    level: FloatArray, taken: NDArray[np.uint8], px_per_mm: float, s: WhiteSettings
) -> FloatArray:
    """Return how light (H, W) the cards' white is near each place: light falls off over a table."""
    if not (taken > 0).any():
        return np.full(level.shape, 255.0)
    scale = s.lit_px_per_mm / px_per_mm
    on_cards = np.where(taken > 0, cv2.blur(level, (3, 3)), 0.0).astype(np.float32)
    small = cv2.resize(on_cards, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    reach = 2 * round(s.lit_mm * s.lit_px_per_mm) + 1
    near = cv2.dilate(small, np.ones((reach, reach), np.uint8))
    size_wh = (level.shape[1], level.shape[0])
    local = cv2.resize(near, size_wh, interpolation=cv2.INTER_NEAREST)
    whole = float(np.percentile(level[taken > 0], 97))
    return np.asarray(np.where(local > s.lit_least * whole, local, whole), np.float64)
