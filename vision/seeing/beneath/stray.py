"""The table from above, and its cards -> white beside them that is none of theirs.

Where a border shows and no card explains it, another card lies; where a card was supposed and no
white shows, the table lies bare. On a white table what is dark beside the cards says the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seeing.beneath.finding import taken_by
from vision.seeing.pieces.flat import Flat
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["Stray", "StraySettings", "find_stray"]


@dataclass(frozen=True, slots=True)
class StraySettings:
    """What is white, and how much of it is a card's border."""

    white: float = 0.75  # of the cards' white, for white that nothing explains
    lit_mm: float = 45.0  # within which the cards' own white says how light white is
    lit_px_per_mm: float = 0.66  # of the picture of it: a border is two pixels wide
    lit_least: float = 0.3  # of the whole table's white: less is no white, but a dark face alone
    coloured: float = 0.25  # of its lightness, most that its channels differ: yellow is not white
    stray_mm2: float = 60.0  # of one patch of it: a strip's border; in glare a whole fan is white
    stray_long_mm: float = 20.0  # its longer side
    alone_short: tuple[float, float] = (0.75, 1.3)  # of a patch by itself: its shorter side, over a
    # card's short one at least and its long one at most. A fan in glare whose upper card is not
    # found either is so; strips are narrower, a sheet of paper is wider
    alone_long: float = 0.85  # and its longer side at least, over a card's short one
    alone_filled: float = 0.6  # of the rectangle round it that its hull fills: no streak of cloth
    alone_white: float = 0.12  # and that is white: of cards' borders alone a fifth
    apart_mm: float = 80.0  # between places that are told of one patch: a card may lie at each
    cloth: float = 0.15  # of the table that is as white: then white says nothing
    ink: float = 0.6  # of a white table, less is no cloth: the darkest half of a frame, no shadow
    ink_mm2: float = 60.0  # of a strip's print
    bare_mm: float = 60.0  # round a supposed card's middle: past its corners
    bare_mm2: float = 40.0  # of white within that: a strip of border has more


@dataclass(frozen=True, slots=True, eq=False)
class Stray:
    """White that nothing explains.

    ``free`` (H, W) is where no card lies, ``white`` (H, W) what is white of that, None on a white
    table; ``strips_mm`` (N, 2) the middles of what may be a card's border, or its print.
    """

    flat: Flat
    free: BoolArray
    white: BoolArray | None
    strips_mm: Points
    settings: StraySettings

    def is_bare_at(self, at_mm: FloatArray) -> bool:
        """Tell whether no card lies at a place (2,), and no white near it."""
        if self.white is None:
            return False
        x, y = np.rint(self.flat.to_px(at_mm[None])[0]).astype(int).tolist()
        height, width = self.free.shape
        if not (0 <= x < width and 0 <= y < height) or not self.free[y, x]:
            return False
        scale, reach = self.flat.px_per_mm, round(self.settings.bare_mm * self.flat.px_per_mm)
        near = self.white[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1]
        return float(near.sum()) < self.settings.bare_mm2 * scale**2


def find_stray(
    flat: Flat,
    poses: Sequence[FloatArray],
    size_mm: tuple[float, float],
    settings: StraySettings | None = None,
) -> Stray:
    """Find white that is none of the cards' (3,) of a size."""
    s = settings or StraySettings()
    taken = taken_by(flat, poses, size_mm)
    tones = flat.image.astype(np.float32)
    level = tones.mean(axis=2)
    lit = _lit_near(level, taken, flat.px_per_mm, s)
    spread = _spread(tones, taken)
    white = (level > s.white * lit) & (spread < s.coloured * np.maximum(level, 1.0)) & flat.inside
    free = taken == 0
    if white[free].mean() > s.cloth:
        ink = np.asarray((level < s.ink * lit) & free & flat.inside, np.bool_)
        return Stray(flat, free, None, _patches(ink, taken, flat, size_mm, s.ink_mm2, s), s)
    stray = np.asarray(white & free, np.bool_)
    return Stray(flat, free, stray, _patches(stray, taken, flat, size_mm, s.stray_mm2, s), s)


def _patches(
    stray: BoolArray,
    taken: NDArray[np.uint8],
    flat: Flat,
    size_mm: tuple[float, float],
    least_mm2: float,
    s: StraySettings,
) -> Points:
    """Return the middles (N, 2), mm, of patches that may be of cards; of large ones of their parts.

    Such lie beside cards, or have themselves the shape of some.
    """
    near = cv2.dilate(taken, np.ones((3, 3), np.uint8), iterations=3) > 0
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        stray.astype(np.uint8), connectivity=8
    )
    least_px = least_mm2 * flat.px_per_mm**2
    told = []
    for k in range(1, count):
        x, y, wide, high, area = stats[k].tolist()
        if area <= least_px or max(wide, high) <= s.stray_long_mm * flat.px_per_mm:
            continue
        here = np.s_[y : y + high, x : x + wide]
        own = labels[here] == k
        if near[here][own].any() or _is_like_cards(own, flat.px_per_mm, size_mm, s):
            told += [
                one + np.array([x, y]) for one in _parts(own, s.apart_mm * flat.px_per_mm, least_px)
            ]
    return flat.to_mm(np.array(told).reshape(-1, 2))


def _is_like_cards(
    own: BoolArray, px_per_mm: float, size_mm: tuple[float, float], s: StraySettings
) -> bool:
    """Tell whether a patch (H, W) has the shape of a card, or of several in a row."""
    least = s.alone_short[0] * min(size_mm) * px_per_mm
    if math.hypot(*own.shape) < least:
        return False
    hull = cv2.convexHull(np.argwhere(own).astype(np.float32))
    short, long = sorted(cv2.minAreaRect(hull)[1])
    box = max(short * long, 1.0)
    is_as_wide = least < short < s.alone_short[1] * max(size_mm) * px_per_mm
    is_as_long = long > s.alone_long * min(size_mm) * px_per_mm
    is_square = cv2.contourArea(hull) > s.alone_filled * box
    return is_as_wide and is_as_long and is_square and int(own.sum()) > s.alone_white * box


def _parts(own: BoolArray, apart_px: float, least_px: float) -> list[FloatArray]:
    """Return the middles (2,) px of a patch (H, W) in cells; of one that is small its middle."""
    places = np.argwhere(own)[:, ::-1]
    cells = np.maximum(np.ceil(np.array(own.shape[::-1]) / apart_px), 1)
    column, row = (places * cells // own.shape[::-1]).astype(np.int64).T
    which = row * int(cells[0]) + column
    groups = [places[which == one] for one in np.unique(which)]
    return [group.mean(axis=0) for group in groups if len(group) > least_px]


def _spread(tones: NDArray[np.float32], taken: NDArray[np.uint8]) -> FloatArray:
    """Return by how much channels differ (H, W), the cards' own white taken as white."""
    if (taken > 0).any():
        white = np.percentile(tones[taken > 0], 97, axis=0)
        tones = tones * (white.mean() / np.maximum(white, 1.0)).astype(np.float32)
    return np.asarray(tones.max(axis=2) - tones.min(axis=2), np.float64)


def _lit_near(
    level: FloatArray, taken: NDArray[np.uint8], px_per_mm: float, s: StraySettings
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
