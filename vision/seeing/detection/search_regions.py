"""Crops of an image that may contain more cards than are known.

A search for outlines takes time, most of it on bare cloth. Bare cloth is uniform: a window whose
mean gradient is about that of all other free windows contains nothing. Where the rest is not
uniform, as on a table full of things or on a patterned cloth, the whole image is searched. Narrow
gaps between cards are searched too: too little of the cloth is visible there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from vision.imaging.masks import grown, part_areas
from vision.imaging.view import View, scaled
from vision.seeing.detection.edge_quads import equalise_contrast, gradient_magnitude, max_gradient
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, robust_sd

__all__ = [
    "Crop",
    "Part",
    "crops_of",
    "scaled_part",
    "unsearched_parts",
]

Part = tuple[slice, slice]  #: rows and columns of an image


# Test for bare cloth; lengths are shares of a card's width.
_OWN_SHARE = 0.05  # margin round a known card: its shadow
_OWN_PX = 2.5  # pixels added to that: the blur of its edge
_WINDOW = 0.4  # side of the window of the mean gradient: half of a card is visible, or less
_LEAST_FREE = 0.3  # least free share of a window that is judged
_SPREADS = 4.0  # robust deviations of the free windows beyond which one is not cloth
_SPECK = 0.3  # least marked area, of a window: an edge marks all of it; less is chance
_FLOOR = 2.5  # least difference (Sobel, of 1020), above JPEG's blocks
_UNEVEN = 3.0  # deviation of the gradients (Sobel) above which the cloth is patterned
_REACH = 1.4  # margin round a marked region, of a card's width: contains the card
_MOST_SEARCHED = 0.6  # largest share of the image in crops; above it, the whole image is searched


@dataclass(frozen=True, eq=False)
class Crop:
    """A crop of a reduced photo.

    ``picture`` (H, W, 3) has ``scale`` pixels per pixel of the photo; the longer side of the whole
    reduced photo has ``side_px`` pixels; ``start_px`` (2,) is the crop's first pixel in it.
    """

    picture: ImageBGR
    scale: float
    start_px: FloatArray
    side_px: int

    @cached_property
    def evened(self) -> ImageBGR:
        """The crop (H, W, 3) with equalised contrast."""
        return np.asarray(equalise_contrast(self.picture, self.side_px), np.uint8)

    def to_photo(self, points_px: FloatArray) -> FloatArray:
        """Map points (..., 2) of the crop to the photo."""
        return scaled(points_px + self.start_px, 1 / self.scale)


def crops_of(
    view: View, level: int, parts: Sequence[Part] | None = None, *, times: float = 1.0
) -> list[Crop]:
    """Return crops of a level of the photo, further reduced by ``times`` (0.5 to 1).

    Without parts, return one crop of the whole level.
    """
    picture = view[level]
    side_px = round(max(picture.shape[:2]) * times)
    in_level = [np.s_[0:, 0:]] if parts is None else [scaled_part(of, 0.5**level) for of in parts]
    return [
        Crop(
            _downscale(picture[rows, columns], times),
            times * 0.5**level,
            np.array([columns.start, rows.start]) * times,
            side_px,
        )
        for rows, columns in in_level
    ]


def _downscale(picture: ImageBGR, times: float) -> ImageBGR:
    """Scale an image (H, W, 3), at least two pixels a side, by ``times`` (0.5 to 1)."""
    if times == 1.0:
        return picture
    small = cv2.resize(picture, None, fx=times, fy=times, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def scaled_part(part: Part, times: float) -> Part:
    """Return the same part of an image scaled by ``times``, in whole pixels."""
    rows, columns = (slice(int(of.start * times), int(np.ceil(of.stop * times))) for of in part)
    return rows, columns


def unsearched_parts(
    picture: ImageBGR, known_px: FloatArray, width_px: float
) -> tuple[Part, ...] | None:
    """Return the parts of an image that may contain unknown cards; None for the whole image.

    The parts do not overlap.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        Reduced so that cards are some thirty pixels wide.
    known_px : (N, 4, 2) float64
        Outlines of the known cards.
    width_px : float
        Width of a card.
    """
    known = np.zeros(picture.shape[:2], np.uint8)
    for outline in np.rint(known_px).astype(np.int32):
        cv2.fillConvexPoly(known, outline, 1)
    free = (grown(known, _OWN_SHARE * width_px + _OWN_PX) == 0).astype(np.float32)
    slopes = gradient_magnitude(
        *max_gradient(np.asarray(cv2.GaussianBlur(picture, (5, 5), 1.0), np.uint8))
    )
    window = (max(3, round(_WINDOW * width_px)),) * 2
    shares, sums = (cv2.boxFilter(of, -1, window) for of in (free, free * slopes))
    told = shares > _LEAST_FREE
    means = sums / np.maximum(shares, _LEAST_FREE)
    middle = float(np.median(means[told])) if told.any() else 0.0
    spread = float(robust_sd(means[told])) if told.any() else 0.0
    if spread > _UNEVEN:
        return None
    # on a pattern a plain card has less gradient
    unlike = np.abs(means - middle) > max(_SPREADS * spread, _FLOOR)
    marked = (free > 0) & ~told | told & unlike
    is_thing = part_areas(marked.astype(np.uint8)) >= _SPECK * window[0] * window[1]
    parts = _boxes_around(marked & is_thing, _REACH * width_px)
    area = sum((r.stop - r.start) * (c.stop - c.start) for r, c in parts)
    return None if area > _MOST_SEARCHED * known.size else parts


def _boxes_around(marked: BoolArray, reach_px: float) -> tuple[Part, ...]:
    """Return disjoint boxes round marked pixels (H, W), with a margin."""
    filled, reach, count = marked.astype(np.uint8), round(reach_px), 0
    while True:
        _, _, stats, _ = cv2.connectedComponentsWithStats(filled)
        parts = [
            (slice(max(y - reach, 0), y + h + reach), slice(max(x - reach, 0), x + w + reach))
            for x, y, w, h, _ in stats[1:].tolist()
        ]
        for part in parts:
            filled[part] = 1
        if len(parts) == count:
            break
        reach, count = 0, len(parts)
    rows, columns = marked.shape
    return tuple(
        (slice(r.start, min(r.stop, rows)), slice(c.start, min(c.stop, columns))) for r, c in parts
    )
