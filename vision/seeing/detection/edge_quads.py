"""Detects quadrilaterals of cards of any kind by edges instead of brightness.

A card of an unknown game need not be brighter than the table, nor have a border, but colour changes
across its edge. The outlines of connected edges are extracted at several thresholds, as are those
of regions that differ from the table's local colour and of regions in rare colours; each fails
somewhere. The matching that follows decides which quadrilateral is a card.

References
----------
.. [1] Canny, A Computational Approach to Edge Detection, 1986.
"""

from collections.abc import Iterator, Sequence
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seeing.detection.quads import QuadSettings, fit_quads, suppress_repeated_quads
from vision.values.arrays import FloatArray, ImageBGR, ImageGray

__all__ = [
    "equalise_contrast",
    "find_edge_quads",
    "find_rare_colours",
]

_OF_EDGES = QuadSettings(
    of_hull=True,  # edges are rarely closed
    min_area_px=400.0,  # 17 x 24 px
    max_area_share=0.95,  # a card may nearly fill the image; the image's own border does
    min_fill=0.85,  # a hull has no dents; rounded corners cost 1-3 %
    most_corners=9,
    side_ends=0.14,  # corners of other decks are rounder
    side_width=0.05,
    side_slack_px=1.5,
    min_sine=0.25,
    max_move=0.12,
    repeat_px=1.2,
)


# Detection of outlines; lengths are pixels of the reduced image.
_EDGE_LEVELS: tuple[float, ...] = (0.9, 0.6, 0.35)  # of the gradients' Otsu threshold
_LEAST_EDGE = 24.0  # least gradient (Sobel, of 1020); below is noise
_HYSTERESIS = 0.45  # Canny's lower threshold, of the upper one
# least threshold, of the lower quartile of gradients or differences: twice the median of
# plain cloth. Print may fill half of an image. Higher loses faint cards, lower costs time
_GRAIN = 3.0
_EVERY = 2  # thresholds are estimated from every second pixel, noise from every second of those
_FAR_LEVELS: tuple[float, ...] = (1.0, 0.5)  # of the Otsu threshold of the colour difference
_GROUND_SHRINK = 8  # reduction of the image in which the table's colour is estimated
# median filters (px of that): more than twice a card's width
_GROUND_BLOCKS: tuple[int, ...] = (21, 61)
_QUADS: QuadSettings = _OF_EDGES  # stricter than the default, for edges are everywhere
_EVEN_LIMIT = 6.0  # clip limit of CLAHE: largest amplification of faint contrast
_EVEN_TILES = 16  # along the longer side: a tile is about a card's size


def find_edge_quads(reduced: ImageBGR, *, evened: bool = False) -> FloatArray:
    """Detect quadrilaterals.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 to 2000 pixels.
    evened : bool
        Whether its contrast was equalised, which changes a cloth's own colours.

    Returns
    -------
    (N, 4, 2) float64
        Convex, clockwise as seen, first corner arbitrary; pixels of ``reduced``.
    """
    quads = []
    for mask in _masks(reduced, evened=evened):
        found, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        long = [np.asarray(c[:, 0], np.int32) for c in found if len(c) >= 4 * _QUADS.min_side_px]
        quads.append(fit_quads(long, mask.size, _QUADS))
    return suppress_repeated_quads(np.concatenate(quads), _QUADS.repeat_px)


def equalise_contrast(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Equalise local contrast, so that dark cards on dark cloth stand out.

    Parameters
    ----------
    picture : (H, W) or (H, W, 3) uint8
        Each channel is equalised by itself.

    References
    ----------
    .. [1] Zuiderveld, Contrast Limited Adaptive Histogram Equalization, 1994.
    """
    h, w = picture.shape[:2]
    tile = max(h, w) / _EVEN_TILES
    even = cv2.createCLAHE(_EVEN_LIMIT, (max(1, round(w / tile)), max(1, round(h / tile))))
    soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
    if soft.ndim == 2:
        return np.asarray(even.apply(soft), np.uint8)
    channels = [even.apply(np.ascontiguousarray(soft[..., c])) for c in range(3)]
    return np.asarray(np.dstack(channels), np.uint8)


def _masks(reduced: ImageBGR, *, evened: bool) -> Iterator[ImageGray]:
    """Yield binary images (H, W) whose contours run along edges of any kind."""
    smooth = np.asarray(cv2.GaussianBlur(reduced, (5, 5), 1.0), np.uint8)
    dx, dy = max_gradient(smooth)
    some = np.s_[::_EVERY, ::_EVERY]
    strength = gradient_magnitude(dx[some], dy[some])
    otsu = _otsu(np.minimum(strength, 255).astype(np.uint8))
    grain = _noise_level(strength)
    for high in _distinct_thresholds(_EDGE_LEVELS, otsu, max(_LEAST_EDGE, grain)):
        edges = cv2.Canny(dx, dy, _HYSTERESIS * high, high, L2gradient=True)
        yield np.asarray(cv2.dilate(edges, np.ones((3, 3), np.uint8)), np.uint8)
    for block in _GROUND_BLOCKS:
        far = _difference_from_background(smooth, block)
        few = np.ascontiguousarray(far[::_EVERY, ::_EVERY])
        for limit in _distinct_thresholds(_FAR_LEVELS, _otsu(few), _noise_level(few)):
            yield np.asarray((far > limit).astype(np.uint8) * 255, np.uint8)
    if not evened:
        yield from find_rare_colours(smooth)


def _noise_level(values: NDArray[np.uint8] | NDArray[np.float32]) -> float:
    """Return the noise level of an image's gradients or differences (H, W)."""
    return _GRAIN * float(np.percentile(values[::_EVERY, ::_EVERY], 25))


def _distinct_thresholds(levels: Sequence[float], otsu: float, least: float) -> list[float]:
    """Return distinct thresholds: shares of Otsu's, none below the least.

    Below an image's noise level a mask is full of specks. They take most of the time and break up
    the contours.
    """
    return sorted({max(level * otsu, least) for level in levels}, reverse=True)


def max_gradient(picture: ImageBGR) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Return the gradients (H, W) along x and y (Sobel) of the channel that changes most."""
    best: list[NDArray[np.int16]] = []
    for channel in cv2.split(picture):
        x, y = (np.asarray(of, np.int16) for of in cv2.spatialGradient(channel))
        size = np.asarray(np.abs(x) + np.abs(y), np.int16)
        if not best:
            best = [x, y, size]
            continue
        more = cv2.compare(size, best[2], cv2.CMP_GT)
        for of, now in zip((x, y, size), best, strict=True):
            cv2.copyTo(of, more, now)
    return best[0], best[1]


def gradient_magnitude(dx: NDArray[np.int16], dy: NDArray[np.int16]) -> NDArray[np.float32]:
    """Return the magnitude (H, W) of gradients along x and y."""
    return np.asarray(cv2.magnitude(dx.astype(np.float32), dy.astype(np.float32)), np.float32)


def _difference_from_background(picture: ImageBGR, block: int) -> ImageGray:
    """Return the difference (H, W) of each pixel from the prevailing colour round it."""
    h, w = picture.shape[:2]
    small_wh = max(w // _GROUND_SHRINK, 1), max(h // _GROUND_SHRINK, 1)
    small = cv2.resize(picture, small_wh, interpolation=cv2.INTER_AREA)
    ground = cv2.resize(cv2.medianBlur(small, block), (w, h), interpolation=cv2.INTER_LINEAR)
    b, g, r = cv2.split(cv2.absdiff(picture, ground))
    return np.asarray(cv2.max(cv2.max(b, g), r), np.uint8)


def _otsu(values: NDArray[np.uint8]) -> float:
    return float(cv2.threshold(values, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[0])


_BINS = 16  # per channel: noise covers at most two, a gradual change of light a few
_SHIFT = 4  # bits of a tone below its bin


# Colour histogram.
_RARE_EVERY = 2  # every second pixel is counted
# limit for a rare colour, of the count of the commonest colour. Where light fades over a cloth,
# its own colours are rarer than elsewhere
_RARE_OF_MOST: tuple[float, ...] = (1 / 8, 1 / 32)
_RARE_SPECK_PX = 5  # side of the median filter that removes specks
# limit as a share of all pixels; a cloth has a few colours, of some bins each
_RARE_OF_ALL = 1 / 800


def find_rare_colours(picture: ImageBGR) -> list[ImageGray]:
    """Mark pixels of rare colours.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        Smoothed, so that noise makes no colours of its own.

    Returns
    -------
    list of (H, W) uint8
        One mask per limit: 255 where colours are rare, without specks, else 0.
    """
    of = _bins_of(picture)
    few = np.ascontiguousarray(of[::_RARE_EVERY, ::_RARE_EVERY])
    counts = _blur_histogram(np.bincount(few.ravel(), minlength=_BINS**3).astype(np.float64))
    limits = {*(share * float(counts.max()) for share in _RARE_OF_MOST), _RARE_OF_ALL * few.size}
    rare = [np.where(counts < limit, 255, 0).astype(np.uint8) for limit in sorted(limits)]
    return [np.asarray(cv2.medianBlur(table.take(of), _RARE_SPECK_PX), np.uint8) for table in rare]


def _bins_of(picture: ImageBGR) -> NDArray[np.uint16]:
    """Return the bin index (H, W) of each pixel."""
    blue, green, red = (np.asarray(of, np.uint16) for of in cv2.split(picture >> _SHIFT))
    return np.asarray((blue * _BINS + green) * _BINS + red, np.uint16)


def _blur_histogram(counts: FloatArray) -> NDArray[np.float64]:
    """Smooth a histogram (bins^3,) over neighbouring bins: a colour may be between two."""
    padded = np.pad(counts.reshape(_BINS, _BINS, _BINS), 1)
    ways = product(((0, 1), (1, 2), (2, 1)), repeat=3)
    shifted = [
        wb * wg * wr * padded[b : b + _BINS, g : g + _BINS, r : r + _BINS]
        for (b, wb), (g, wg), (r, wr) in ways
    ]
    return np.asarray(np.sum(shifted, axis=0).ravel() / 64, np.float64)
