"""A picture, and the cards that are known in it -> the cuts of it in which there may be more.

Searching for outlines takes time, most of it where nothing lies. Bare cloth is alike everywhere:
where about as much changes from pixel to pixel as does all over the rest, nothing lies. Where the
rest is not alike, as on a table full of things or on a patterned cloth, all of the picture is left
to be searched. So are narrow gaps between cards, too little of which shows to tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from vision.imaging.masks import grown, part_areas
from vision.imaging.view import View, scaled
from vision.seeing.detection.edge_quads import equalise_contrast, gradient_magnitude, max_gradient
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["Crop", "Part", "boxes_around", "crops_of", "scaled_part", "unsearched_parts"]

Part = tuple[slice, slice]  #: rows and columns of a picture


# What is bare; lengths are shares of a card's width.
_OWN = 0.05  # round a known card: its shadow, and what it may lie beside
_OWN_PX = 2.5  # pixels on top of that: its edge's own slope
_WINDOW = 0.4  # over which changes are summed: half of a card shows, or less
_LEAST_FREE = 0.3  # of a window, that tells of what is free
# robust deviations of the free windows: what is more or less than on cloth
_SPREADS = 4.0
_SPECK = 0.3  # of a window: an edge in it marks all of it, what marks less is chance
_FLOOR = 2.5  # of the slopes (Sobel, of 1020), of that at least: JPEG's blocks
_UNEVEN = 3.0  # of the slopes: such a deviation has a pattern, on which nothing is bare
_REACH = 1.4  # round what shows of a card: the card
_MOST = 0.6  # of the picture: more, and all of it is searched


@dataclass(frozen=True, eq=False)
class Crop:
    """A part of a photo that was reduced.

    ``picture`` (H, W, 3) has ``scale`` pixels for one of the photo, whose longer side shows as
    ``side_px`` of them; ``start_px`` (2,) is where the part begins.
    """

    picture: ImageBGR
    scale: float
    start_px: FloatArray
    side_px: int

    @cached_property
    def evened(self) -> ImageBGR:
        """The picture with its contrast evened (H, W, 3)."""
        return np.asarray(equalise_contrast(self.picture, self.side_px), np.uint8)

    def to_photo(self, points_px: FloatArray) -> FloatArray:
        """Bring points (..., 2) of the picture to the photo."""
        return scaled(points_px + self.start_px, 1 / self.scale)

    def from_photo(self, points_px: FloatArray) -> FloatArray:
        """Bring points (..., 2) of the photo to the picture, in which they need not lie."""
        return scaled(points_px, self.scale) - self.start_px


def crops_of(
    view: View, level: int, parts: Sequence[Part] | None = None, *, times: float = 1.0
) -> list[Crop]:
    """Cut parts of the photo out of a level of it, reduced so many ``times`` further: 0.5 to 1.

    Without parts that is one cut, of it all.
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
    """Scale a picture (H, W, 3), two pixels or more a side, so many times: 0.5 to 1."""
    if times == 1.0:
        return picture
    small = cv2.resize(picture, None, fx=times, fy=times, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def scaled_part(part: Part, times: float) -> Part:
    """Return the same part of the same picture made so many times as large, in whole pixels."""
    rows, columns = (slice(int(of.start * times), int(np.ceil(of.stop * times))) for of in part)
    return rows, columns


def unsearched_parts(
    picture: ImageBGR, known_px: FloatArray, width_px: float
) -> tuple[Part, ...] | None:
    """Find where a picture may show more cards than are known; None if that is all over.

    No part overlaps another.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        Reduced so that cards are some thirty pixels wide.
    known_px : (N, 4, 2) float64
        Outlines of the cards that are known.
    width_px : float
        How wide a card is.
    """
    known = np.zeros(picture.shape[:2], np.uint8)
    for outline in np.rint(known_px).astype(np.int32):
        cv2.fillConvexPoly(known, outline, 1)
    free = (grown(known, _OWN * width_px + _OWN_PX) == 0).astype(np.float32)
    slopes = gradient_magnitude(
        *max_gradient(np.asarray(cv2.GaussianBlur(picture, (5, 5), 1.0), np.uint8))
    )
    window = (max(3, round(_WINDOW * width_px)),) * 2
    shares, sums = (cv2.boxFilter(of, -1, window) for of in (free, free * slopes))
    told = shares > _LEAST_FREE
    means = sums / np.maximum(shares, _LEAST_FREE)
    middle = float(np.median(means[told])) if told.any() else 0.0
    spread = 1.4826 * float(np.median(np.abs(means[told] - middle))) if told.any() else 0.0
    if spread > _UNEVEN:
        return None
    # on a pattern a plain card shows by what it has less of
    unlike = np.abs(means - middle) > max(_SPREADS * spread, _FLOOR)
    marked = (free > 0) & ~told | told & unlike
    is_thing = part_areas(marked.astype(np.uint8)) >= _SPECK * window[0] * window[1]
    parts = boxes_around(marked & is_thing, _REACH * width_px)
    area = sum((r.stop - r.start) * (c.stop - c.start) for r, c in parts)
    return None if area > _MOST * known.size else parts


def boxes_around(marked: BoolArray, reach_px: float) -> tuple[Part, ...]:
    """Return boxes round what is marked (H, W) and what is near; none overlaps another."""
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
