"""Photo -> four-sided things that may be cards of any kind: by edges, not by brightness.

A card of an unknown game need not be brighter than the table, nor have a border. What it has is an
edge: colour changes across it. So the outlines of connected edges are taken at several
thresholds, the outlines of what differs from the table's own colour round about, and of what has
colours that are rare; each fails somewhere. Which quadrilateral is a card is left to the matching
that follows.

References
----------
.. [1] Canny, A Computational Approach to Edge Detection, 1986.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import meet
from vision.seeing.detection.quads import QuadSettings, fit_quads, suppress_repeated_quads
from vision.values.arrays import FloatArray, ImageBGR, ImageGray, IntArray

__all__ = [
    "equalise_contrast",
    "find_edge_corners",
    "find_edge_quads",
    "find_rare_colours",
    "gradient_magnitude",
    "longest_corners",
    "max_gradient",
]

_OF_EDGES = QuadSettings(
    of_hull=True,  # edges are rarely closed
    min_area_px=400.0,  # 17 x 24 px
    max_area_share=0.95,  # a card may nearly fill a picture; the picture's own rim is none
    min_fill=0.85,  # a hull has no dents; rounded corners cost 1-3 %
    most_corners=9,
    side_ends=0.14,  # corners of other decks are rounder
    side_width=0.05,
    side_slack_px=1.5,
    min_sine=0.25,
    max_move=0.12,
    repeat_px=1.2,
)


# How outlines are sought; lengths are pixels of the reduced picture.
_EDGE_LEVELS: tuple[float, ...] = (0.9, 0.6, 0.35)  # of the Otsu threshold of the slopes
_LEAST_EDGE = 24.0  # a slope (Sobel, of 1020) below this is noise
_HYSTERESIS = 0.45  # a weak edge that continues a strong one
_GRAIN = 3.0  # times the lower quartile of slopes or differences: twice the middle of
# plain cloth. Print may fill half of a picture. Above, faint cards are lost, below, time
_EVERY = 2  # so many-th pixels tell the thresholds, so many-th of those the grain
_FAR_LEVELS: tuple[float, ...] = (1.0, 0.5)  # of the Otsu threshold of the colour difference
_GROUND_SHRINK = 8  # the table's own colour is sought in a picture so much smaller
_GROUND_BLOCKS: tuple[int, ...] = (21, 61)  # pixels of that: more than twice a card's width
_QUADS: QuadSettings = _OF_EDGES  # what is four-sided: stricter, for edges are everywhere
_MIN_ARM_PX = 16.0  # of an elbow
_ARM_GAP = 0.3  # of the shorter arm, from its end to where the arms meet
_ARM_GAP_PX = 4.0  # on top of that: corners are rounded
_CORNER_SINE = 0.5  # arms within 30 degrees of parallel are no elbow
_MOST_SEGMENTS = 3000  # the longest: cloth has segments without end
_EVEN_LIMIT = 6.0  # times that faint contrasts are raised at most
_EVEN_TILES = 16  # along the longer side: about a card's size each


def find_edge_quads(
    reduced: ImageBGR, *, evened: bool = False, least_px: float = 0.0
) -> FloatArray:
    """Find quadrilaterals.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 to 2000 pixels.
    evened : bool
        Whether its contrast was evened, which makes other colours of a cloth's own.
    least_px : float
        How many pixels run along an outline at least.

    Returns
    -------
    (N, 4, 2) float64
        Convex, clockwise as seen, first corner arbitrary; pixels of ``reduced``.
    """
    quads = []
    for mask in _masks(reduced, evened=evened):
        found, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        least = max(4 * _QUADS.min_side_px, least_px)
        long = [np.asarray(c[:, 0], np.int32) for c in found if len(c) >= least]
        quads.append(fit_quads(long, mask.size, _QUADS))
    return suppress_repeated_quads(np.concatenate(quads), _QUADS.repeat_px)


def equalise_contrast(picture: NDArray[np.uint8], side_px: int | None = None) -> NDArray[np.uint8]:
    """Raise faint contrasts (dark cards on dark cloth) to the others' strength.

    Parameters
    ----------
    picture : (H, W) or (H, W, 3) uint8
        Each channel is evened by itself.
    side_px : int, optional
        The longer side of the picture that this one is a part of.

    References
    ----------
    .. [1] Zuiderveld, Contrast Limited Adaptive Histogram Equalization, 1994.
    """
    h, w = picture.shape[:2]
    tile = (side_px or max(h, w)) / _EVEN_TILES
    even = cv2.createCLAHE(_EVEN_LIMIT, (max(1, round(w / tile)), max(1, round(h / tile))))
    soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
    if soft.ndim == 2:
        return np.asarray(even.apply(soft), np.uint8)
    channels = [even.apply(np.ascontiguousarray(soft[..., c])) for c in range(3)]
    return np.asarray(np.dstack(channels), np.uint8)


def find_edge_corners(gray: ImageGray) -> FloatArray:
    """Find where two straight edges meet at about a right angle.

    Parameters
    ----------
    gray : (H, W) uint8
        The photo, reduced to about 1000 to 2000 pixels.

    Returns
    -------
    (M, 3, 2) float64
        A point on the one edge, where they meet, a point on the other, clockwise round what they
        enclose; pixels of ``gray``. The longest arms come first.
    """
    found = cv2.createLineSegmentDetector().detect(gray)[0]
    if found is None:
        return np.zeros((0, 3, 2))
    lines = found.reshape(-1, 2, 2).astype(np.float64)
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    keep = np.argsort(-lengths, kind="stable")
    keep = keep[lengths[keep] >= _MIN_ARM_PX][:_MOST_SEGMENTS]
    return _join_segments(lines[keep], lengths[keep])


def _join_segments(lines: FloatArray, lengths: FloatArray) -> FloatArray:
    """Join segments (L, 2, 2), the longest first, whose ends nearly meet."""
    way = (lines[:, 1] - lines[:, 0]) / lengths[:, None]
    a, b = _segment_pairs(lines, lengths)
    cross = way[a, 0] * way[b, 1] - way[a, 1] * way[b, 0]
    a, b = a[np.abs(cross) > _CORNER_SINE], b[np.abs(cross) > _CORNER_SINE]
    corner, _ = meet(lines[a, 0], way[a], lines[b, 0], way[b])
    gaps = [
        np.linalg.norm(lines[k] - corner[:, None], axis=2) for k in (a, b)
    ]  # (P, 2) each: of both ends
    allowed = _ARM_GAP * np.minimum(lengths[a], lengths[b]) + _ARM_GAP_PX
    meets = (gaps[0].min(axis=1) < allowed) & (gaps[1].min(axis=1) < allowed)
    a, b, corner = a[meets], b[meets], corner[meets]
    ends = [
        lines[k][np.arange(len(k)), gap[meets].argmax(axis=1)]
        for k, gap in zip((a, b), gaps, strict=True)
    ]
    visible_corners = np.stack([ends[0], corner, ends[1]], axis=1)
    back, ahead = visible_corners[:, 0] - corner, visible_corners[:, 2] - corner
    # clockwise round the inside: ahead is a quarter turn counterclockwise of back, y down
    wrong = ahead[:, 0] * back[:, 1] - ahead[:, 1] * back[:, 0] < 0
    visible_corners[wrong] = visible_corners[wrong][:, ::-1]
    return longest_corners([visible_corners], len(visible_corners))


def longest_corners(visible_corners: Sequence[FloatArray], most: int) -> FloatArray:
    """Return so many elbows (M, 3, 2) of some sets at most, those with the longest arms first."""
    together = np.concatenate([np.zeros((0, 3, 2)), *visible_corners])
    arms = np.linalg.norm(together[:, ::2] - together[:, 1:2], axis=2).min(axis=1, initial=np.inf)
    return np.asarray(together[np.argsort(-arms, kind="stable")][:most], np.float64)


def _segment_pairs(lines: FloatArray, lengths: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the pairs (P,), (P,) of segments, the longer first, that may meet.

    Each end lies within the gap of where they meet, and the shorter segment says how wide that is:
    so it alone has to be asked for what is near.
    """
    from scipy.spatial import cKDTree  # loads slowly, and other decks need it not

    count = len(lines)
    ends = lines.reshape(-1, 2)
    radius = 2 * np.repeat(_ARM_GAP * lengths + _ARM_GAP_PX, 2)
    near = cKDTree(ends).query_ball_point(ends, radius, return_sorted=False)
    shorter = np.repeat(np.arange(2 * count), [len(one) for one in near]) // 2
    longer = np.fromiter(chain.from_iterable(near), np.int64, len(shorter)) // 2
    pairs = np.unique((longer * count + shorter)[longer < shorter])
    return pairs // count, pairs % count


def _masks(reduced: ImageBGR, *, evened: bool) -> Iterator[ImageGray]:
    """Yield binary pictures (H, W) whose outlines run along edges of any kind."""
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
    """Return below what slopes or differences (H, W) are a picture's grain."""
    return _GRAIN * float(np.percentile(values[::_EVERY, ::_EVERY], 25))


def _distinct_thresholds(levels: Sequence[float], otsu: float, least: float) -> list[float]:
    """Return the thresholds that are shares of Otsu's, none below the least, each once.

    Below a picture's grain a mask is full of specks: they take most of the time, and break the
    outlines up that are sought.
    """
    return sorted({max(level * otsu, least) for level in levels}, reverse=True)


def max_gradient(picture: ImageBGR) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Return the slopes (H, W) along x and y (Sobel) of the channel that changes most."""
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
    """Return how steep (H, W) slopes along x and y are."""
    return np.asarray(cv2.magnitude(dx.astype(np.float32), dy.astype(np.float32)), np.float32)


def _difference_from_background(picture: ImageBGR, block: int) -> ImageGray:
    """Return how far (H, W) each place is from the colour that prevails round it."""
    h, w = picture.shape[:2]
    small_wh = max(w // _GROUND_SHRINK, 1), max(h // _GROUND_SHRINK, 1)
    small = cv2.resize(picture, small_wh, interpolation=cv2.INTER_AREA)
    ground = cv2.resize(cv2.medianBlur(small, block), (w, h), interpolation=cv2.INTER_LINEAR)
    b, g, r = cv2.split(cv2.absdiff(picture, ground))
    return np.asarray(cv2.max(cv2.max(b, g), r), np.uint8)


def _otsu(values: NDArray[np.uint8]) -> float:
    return float(cv2.threshold(values, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[0])


_BINS = 16  # of each channel: noise stays within two, and light that fades over a few
_SHIFT = 4  # bits of a tone that tell nothing of its bin


# How colours are counted.
_RARE_EVERY = 2  # so many-th pixels are counted
_RARE_OF_MOST: tuple[float, ...] = (
    1 / 8,
    1 / 32,
)  # of how often the commonest colour shows: below,
# a colour is rare. Where light fades over a cloth its own are rarer than elsewhere
_RARE_SPECK_PX = 5  # side of a square, of which what is less than half is a speck
_RARE_OF_ALL = 1 / 800  # of all that shows; a cloth has a few colours, of some bins each


def find_rare_colours(picture: ImageBGR) -> list[ImageGray]:
    """Mark what shows in rare colours.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        Smoothed, so that noise makes no colours of its own.

    Returns
    -------
    list of (H, W) uint8
        For each of the limits 255 where colours are rare, but for specks, else 0.
    """
    of = _bins_of(picture)
    few = np.ascontiguousarray(of[::_RARE_EVERY, ::_RARE_EVERY])
    counts = _blur_histogram(np.bincount(few.ravel(), minlength=_BINS**3).astype(np.float64))
    limits = {*(share * float(counts.max()) for share in _RARE_OF_MOST), _RARE_OF_ALL * few.size}
    rare = [np.where(counts < limit, 255, 0).astype(np.uint8) for limit in sorted(limits)]
    return [np.asarray(cv2.medianBlur(table.take(of), _RARE_SPECK_PX), np.uint8) for table in rare]


def _bins_of(picture: ImageBGR) -> NDArray[np.uint16]:
    """Return the number (H, W) of each pixel's bin."""
    blue, green, red = (np.asarray(of, np.uint16) for of in cv2.split(picture >> _SHIFT))
    return np.asarray((blue * _BINS + green) * _BINS + red, np.uint16)


def _blur_histogram(counts: FloatArray) -> NDArray[np.float64]:
    """Spread counts (bins^3,) over the bins beside theirs: a colour may lie between two."""
    padded = np.pad(counts.reshape(_BINS, _BINS, _BINS), 1)
    ways = product(((0, 1), (1, 2), (2, 1)), repeat=3)
    shifted = [
        wb * wg * wr * padded[b : b + _BINS, g : g + _BINS, r : r + _BINS]
        for (b, wb), (g, wg), (r, wr) in ways
    ]
    return np.asarray(np.sum(shifted, axis=0).ravel() / 64, np.float64)
