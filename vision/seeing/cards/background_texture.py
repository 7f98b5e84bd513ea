"""Plane + clear cards -> the cloth that repeats itself, and what of the photo it explains.

Squares of a checked cloth may have a card's shape, and be as large. They are told from cards laid
in rows by three things: nearly all of the table repeats itself, what has its like on all hands
covers them whole, and the lines of their sides run on past their corners.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.masks import grown
from vision.imaging.view import View, from_level, scaling, to_level
from vision.seeing.detection.edge_contrast import continue_past_corner
from vision.seeing.detection.search_regions import (
    MOST_SEARCHED,
    REACH,
    Part,
    boxes_around,
    scaled_part,
)
from vision.seeing.estimation.model import Solution, camera_of
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Matrix3

__all__ = ["BackgroundTexture", "find_background_texture", "find_periodic_texture"]

_NEAR = 0.1  # least relative depth of a corner of the photo; nearer to 0 is the horizon


# Detection of a patterned cloth; lengths are shares of a card's width.
_TEXTURE_FLAT_PX = 30.0  # width of a card in the rectified image, enough to compare the pattern
_TEXTURE_MOST_PX = 1_000_000  # largest rectified image: an oblique view extends far
_TEXTURE_OWN = 0.08  # margin round known cards: their shadow
_TEXTURE_SPECK = 0.15  # least side of a region without a repeat; smaller is chance
_TEXTURE_SHARE = 0.85  # least repeating share of an outline
_TEXTURE_FREE = 0.1  # least share of it outside known cards
_TEXTURE_SAMPLES = 12  # samples along each side of an outline
_TEXTURE_ENDS = 0.5  # least share of the eight ends of its sides, outside known cards, that run on
_TEXTURE_CORNERS = 12  # least corners in the pattern to judge whether its lines cross
_TEXTURE_EACH = 8  # corners of a clear card: its own, and those of a picture in its border
_TEXTURE_ON = 0.4  # least share of the corners at which both lines run on
_TEXTURE_NEAR = 0.12  # largest gap between parts of one thing
_TEXTURE_THING = 0.35  # least area of a thing, of a card's width squared: a quarter of a card


@dataclass(frozen=True, slots=True, eq=False)
class BackgroundTexture:
    """A cloth's periodic pattern: ``own`` (H, W) marks the pixels of a level that it explains.

    ``other`` (H, W) marks those that it does not explain, ``known`` (H, W) those of known cards.
    ``width_px`` is the width of a card in the photo itself.
    """

    view: View
    level: int
    own: BoolArray
    other: BoolArray
    known: BoolArray
    width_px: float

    def knowing(self, outlines_px: FloatArray) -> "BackgroundTexture":
        """Return the texture with further known cards, outlines (N, 4, 2), photo frame."""
        size = _TEXTURE_OWN * self.width_px / 2**self.level
        more = _outline_mask(self.own.shape, to_level(outlines_px, self.level), size)
        return replace(self, known=self.known | (more > 0))

    def explains(self, quads_px: FloatArray) -> BoolArray:
        """Return which outlines (N, 4, 2), photo frame, are shapes of the pattern."""
        if not len(quads_px):
            return np.zeros(0, np.bool_)
        t = (np.arange(_TEXTURE_SAMPLES) + 0.5) / _TEXTURE_SAMPLES
        across = quads_px[:, [0, 3]][:, :, None] * (1 - t)[:, None]
        across = across + quads_px[:, [1, 2]][:, :, None] * t[:, None]  # (N, 2, T, 2)
        places = across[:, 0, :, None] * (1 - t)[:, None] + across[:, 1, :, None] * t[:, None]
        own = self._at(self.own, places.reshape(len(quads_px), -1, 2))
        free = ~self._at(self.known, places.reshape(len(quads_px), -1, 2))
        is_own = (own & free).sum(axis=1) >= _TEXTURE_SHARE * np.maximum(free.sum(axis=1), 1)
        return np.asarray(is_own & (free.mean(axis=1) >= _TEXTURE_FREE), np.bool_)

    def shapes(self, quads_px: FloatArray) -> BoolArray:
        """Return which outlines (N, 4, 2) are shapes of the pattern with lines that run on past."""
        told = self.explains(quads_px)
        shapes = quads_px[told]
        ways = np.stack([np.roll(shapes, 1, axis=1), shapes, np.roll(shapes, -1, axis=1)], axis=2)
        free = ~self._at(self.known, shapes)
        ends = (self.crosses(ways.reshape(-1, 3, 2)).reshape(-1, 4, 2) & free[..., None]).sum(
            (1, 2)
        )
        asked = 2 * free.sum(axis=1)
        told[told] = (asked > 0) & (ends >= _TEXTURE_ENDS * asked)
        return told

    def crosses(self, visible_corners_px: FloatArray) -> BoolArray:
        """Return which arms (M, 2) of corners (M, 3, 2), photo frame, run on past the corner."""
        visible_corners = to_level(visible_corners_px, self.level)
        arms = np.stack(
            [visible_corners[:, ::2], np.repeat(visible_corners[:, [1]], 2, axis=1)], axis=2
        )
        width_px = self.width_px / 2**self.level
        return continue_past_corner(
            self.view[self.level], arms.reshape(-1, 2, 2), width_px
        ).reshape(-1, 2)

    def holds(self, visible_corners_px: FloatArray) -> BoolArray:
        """Return which corners (M, 3, 2), photo frame, enclose only the cloth."""
        corner = visible_corners_px[:, [1]]
        inside = corner + 0.5 * (visible_corners_px[:, ::2] - corner)
        places = np.concatenate([inside, inside.sum(axis=1, keepdims=True) - corner], 1)
        return np.asarray(self._at(self.own, places).all(axis=1), np.bool_)

    def things(self) -> FloatArray:
        """Return boxes (K, 4, 2), photo frame, round card-sized things on the cloth."""
        size = self.width_px / 2**self.level
        near = np.ones((max(3, round(_TEXTURE_NEAR * size)),) * 2, np.uint8)
        other = cv2.morphologyEx(self._without_specks(self.other), cv2.MORPH_CLOSE, near)
        found, _ = cv2.findContours(other, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        least = _TEXTURE_THING * size**2
        boxes = [cv2.boxPoints(cv2.minAreaRect(of)) for of in found if cv2.contourArea(of) > least]
        return from_level(np.array(boxes, float).reshape(-1, 4, 2), self.level)

    def _without_specks(self, mask: BoolArray) -> NDArray[np.uint8]:
        """Return a mask (H, W) without specks."""
        speck = max(3, round(_TEXTURE_SPECK * self.width_px / 2**self.level))
        square = np.ones((speck, speck), np.uint8)
        opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, square)
        return np.asarray(opened, np.uint8)

    def parts(self, before: tuple[Part, ...] | None) -> tuple[Part, ...] | None:
        """Return the parts of the photo left to be searched; ``before`` if they are most of it."""
        left = self._without_specks(~(self.own | self.known))
        parts = boxes_around(left > 0, REACH * self.width_px / 2**self.level)
        area = sum((r.stop - r.start) * (c.stop - c.start) for r, c in parts)
        if area > MOST_SEARCHED * left.size:
            return before
        return tuple(scaled_part(of, 2.0**self.level) for of in parts)

    def _at(self, mask: BoolArray, places_px: FloatArray) -> BoolArray:
        """Return a mask (H, W) at places (..., 2) of the photo; False outside it."""
        x, y = np.moveaxis(np.rint(to_level(places_px, self.level)).astype(np.int64), -1, 0)
        height, width = mask.shape
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        found = mask[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
        return np.asarray(found & inside, np.bool_)


def find_background_texture(
    view: View,
    plane: Solution,
    level: int,
    clear_px: FloatArray,
    visible_corners_px: FloatArray,
    width: tuple[float, float],
) -> BackgroundTexture | None:
    """Detect the pattern of a cloth; None without one, or if its shapes may be cards in rows.

    Parameters
    ----------
    view, plane : View and Solution
        The photo; camera and plane.
    level : int
        Pyramid level in which cards are at least some thirty pixels wide.
    clear_px : (N, 4, 2) float64
        Outlines of certain cards, photo frame.
    visible_corners_px : (M, 3, 2) float64
        All detected corners.
    width : (float, float)
        Width of a card, mm, and in the photo, px.
    """
    (width_mm, width_px) = width
    picture = view[level]
    if len(visible_corners_px) < _TEXTURE_CORNERS + _TEXTURE_EACH * len(clear_px):
        return None  # saves time where few shapes resemble a card
    rectified_from_level = _top_view(
        plane, picture.shape[:2], level, _TEXTURE_FLAT_PX / width_mm, _TEXTURE_MOST_PX
    )
    if rectified_from_level is None:
        return None
    known = _outline_mask(
        picture.shape, to_level(clear_px, level), _TEXTURE_OWN * width_px / 2**level
    )
    repeats = _periodic_mask(picture, known, *rectified_from_level, _TEXTURE_FLAT_PX)
    if repeats is None:
        return None
    cloth = BackgroundTexture(view, level, *repeats, known > 0, width_px)
    told = visible_corners_px[cloth.holds(visible_corners_px)]
    if len(told) < _TEXTURE_CORNERS or cloth.crosses(told).all(axis=1).mean() < _TEXTURE_ON:
        return None
    return cloth


def _periodic_mask(
    picture: ImageBGR,
    known: NDArray[np.uint8],
    rectified_from_level: Matrix3,
    rectified_wh: tuple[int, int],
    width_px: float,
) -> tuple[BoolArray, BoolArray] | None:
    """Return where a level (H, W) outside known cards is periodic, and where it is not."""
    rectified = cv2.warpPerspective(
        picture, rectified_from_level, rectified_wh, flags=cv2.INTER_AREA
    )
    free = cv2.warpPerspective(
        1 - known, rectified_from_level, rectified_wh, flags=cv2.INTER_NEAREST
    )
    repeats = find_periodic_texture(np.asarray(rectified, np.uint8), free > 0, width_px)
    if repeats is None:
        return None
    back, size_wh = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP, (known.shape[1], known.shape[0])
    own, other = (
        cv2.warpPerspective(
            (repeats == of).astype(np.uint8), rectified_from_level, size_wh, flags=back
        )
        for of in (1, -1)
    )
    return own > 0, other > 0


def _outline_mask(
    shape: Sequence[int], outlines: FloatArray, beside_px: float
) -> NDArray[np.uint8]:
    """Return the mask (H, W) of outlines (N, 4, 2) with a margin."""
    mask = np.zeros(shape[:2], np.uint8)
    for outline in np.rint(outlines).astype(np.int32):
        cv2.fillConvexPoly(mask, outline, 1)
    return grown(mask, beside_px + 1)


def _top_view(
    plane: Solution, shape: Sequence[int], level: int, px_per_mm: float, most_px: int
) -> tuple[Matrix3, tuple[int, int]] | None:
    """Return the homography from a level (H, W) to the rectified table, and the latter's size.

    None if it would be too large.
    """
    height, width = shape
    rim = np.array([[0, 0, 1], [width - 1, 0, 1], [width - 1, height - 1, 1], [0, height - 1, 1]])
    photo_from_level = np.linalg.inv(scaling(0.5**level))
    table_from_level = np.linalg.inv(camera_of(plane).photo_from_table) @ photo_from_level
    seen = rim @ table_from_level.T
    depth = seen[:, 2] / (table_from_level[2] @ [(width - 1) / 2, (height - 1) / 2, 1])
    if depth.min() < _NEAR:  # at the horizon
        return None
    on_table = seen[:, :2] / seen[:, 2:]
    low, size = on_table.min(axis=0), np.ptp(on_table, axis=0) * px_per_mm
    if size.prod() > most_px:
        return None
    rectified_from_table = np.array(
        [[px_per_mm, 0, -px_per_mm * low[0]], [0, px_per_mm, -px_per_mm * low[1]], [0, 0, 1.0]]
    )
    matrix = rectified_from_table @ table_from_level
    across, down = np.ceil(size).astype(int).tolist()
    return matrix, (across + 1, down + 1)


# Detection of a periodic pattern; lengths are shares of a card's width.
_PERIOD_NEAREST = 1.9  # least period: longer than a card's diagonal, so no card is its own repeat
_PERIOD_FARTHEST = 5.0  # largest period: farther off, cloth has creases
_PERIOD_LEVEL = 1.5  # smoothing (1 sd) of the illumination, which is subtracted
_PERIOD_SIMILARITY = 0.75  # least autocorrelation of the table at a period
_PERIOD_OVERLAP = 0.35  # least share of the table with a repeat in the image
_PERIOD_MOST = 8  # most periods: half in each of two directions, two combined, and their negatives
_PERIOD_SINE = 0.4  # least sine between the two directions: things in one row are no cloth
# tolerated offset of a repeat: cloth has creases, and the plane is approximate
_PERIOD_BESIDE_PX = 1
_PERIOD_TONES = 8.0  # tolerated difference in tone,
_PERIOD_SHARE = 0.3  # plus this share of the spread of all tones
_PERIOD_OUTLYING = 5.0  # times the median magnitude: larger are things on the cloth, or thin lines
_PERIOD_BOUND = 2.0  # times the median magnitude: bounds the weight of a pixel
_PERIOD_VOTES = 0.5  # least share of the tested periods that lead to a repeat
_PERIOD_LEAST = 2  # least number of those


def find_periodic_texture(
    rectified: ImageBGR, free: BoolArray, width_px: float
) -> NDArray[np.int8] | None:
    """Return where the free table repeats itself; None if it is not periodic.

    Parameters
    ----------
    rectified : (H, W, 3) uint8
        The rectified table image.
    free : (H, W) bool
        Pixels in the photo outside known things.
    width_px : float
        Width of a card.

    Returns
    -------
    (H, W) int8
        1 where it repeats, -1 where it does not, 0 where nothing is free or too few periods can be
        tested.
    """
    tones = _remove_illumination(rectified, free, free, _PERIOD_LEVEL * width_px)
    tones = _remove_illumination(
        rectified, free, _drop_outliers(tones, free), _PERIOD_LEVEL * width_px
    )
    bounded = _clip_tones(tones, free)
    steps = _periods(bounded, free, width_px)
    if not len(steps):
        return None
    spread = float(np.sqrt((bounded[free] ** 2).mean()))
    slack = np.float32(_PERIOD_TONES + _PERIOD_SHARE * spread)
    around = np.ones((2 * _PERIOD_BESIDE_PX + 1,) * 2, np.uint8)
    least, most = cv2.erode(tones, around) - slack, cv2.dilate(tones, around) + slack
    asked = np.zeros(free.shape, np.int16)
    votes = np.zeros(free.shape, np.int16)
    for step in np.concatenate([steps, -steps]).tolist():
        here, there = _overlap(free.shape, step)
        both = free[here] & free[there]
        like = ((tones[here] >= least[there]) & (tones[here] <= most[there])).all(axis=2)
        asked[here] += both
        votes[here] += both & like
    told = np.where((votes >= _PERIOD_LEAST) & (votes >= _PERIOD_VOTES * asked), 1, -1)
    return np.asarray(np.where(asked >= _PERIOD_LEAST, told, 0), np.int8)


def _remove_illumination(
    rectified: ImageBGR, free: BoolArray, own: BoolArray, sigma: float
) -> NDArray[np.float32]:
    """Return tones (H, W, 3) minus the local mean of ``own`` pixels; 0 where nothing is free."""
    shrink = max(1, int(sigma / 4))
    mask = own.astype(np.float32)
    masked = rectified.astype(np.float32) * mask[..., None]
    size_wh = (max(1, rectified.shape[1] // shrink), max(1, rectified.shape[0] // shrink))
    both = cv2.resize(np.dstack([masked, mask]), size_wh, interpolation=cv2.INTER_AREA)
    both = cv2.GaussianBlur(both, (0, 0), sigma / shrink)
    mean = both[..., :3] / np.maximum(both[..., 3:], 1e-3)
    level = cv2.resize(
        mean, (rectified.shape[1], rectified.shape[0]), interpolation=cv2.INTER_LINEAR
    )
    return np.asarray((rectified - level) * free[..., None], np.float32)


def _clip_tones(tones: NDArray[np.float32], free: BoolArray) -> NDArray[np.float32]:
    """Clip the magnitude of tones (H, W, 3): a few bright things would outweigh a faint cloth."""
    size, middle = _magnitudes(tones, free)
    share = np.minimum(_PERIOD_BOUND * middle / np.maximum(size, 1e-6), 1.0)
    return np.asarray(tones * share[..., None], np.float32)


def _drop_outliers(tones: NDArray[np.float32], free: BoolArray) -> BoolArray:
    """Return the free pixels without outlying tones (H, W, 3), which distort the illumination."""
    size, middle = _magnitudes(tones, free)
    return np.asarray(free & (size <= _PERIOD_OUTLYING * max(middle, 1.0)), np.bool_)


def _magnitudes(tones: NDArray[np.float32], free: BoolArray) -> tuple[NDArray[np.float32], float]:
    """Return the magnitude (H, W) of tones, and its median over the free pixels."""
    size = np.asarray(np.linalg.norm(tones, axis=2), np.float32)
    return size, float(np.median(size[free])) if free.any() else 0.0


def _periods(tones: NDArray[np.float32], free: BoolArray, width_px: float) -> NDArray[np.int64]:
    """Return the periods (N, 2) of tones, rows and columns, one of each sign.

    Empty unless they have two directions.
    """
    none = np.zeros((0, 2), np.int64)
    similarity = _autocorrelation(tones, free, round(_PERIOD_FARTHEST * width_px))
    reach = similarity.shape[0] - 1
    rows, columns = np.mgrid[: reach + 1, -reach : reach + 1]
    far = np.hypot(rows, columns)
    own = (far >= _PERIOD_NEAREST * width_px) & (far <= reach)
    best = (
        (similarity >= cv2.dilate(similarity, np.ones((5, 5), np.uint8)))
        & own
        & (similarity > _PERIOD_SIMILARITY)
    )
    at = np.argwhere(best)
    steps = at[np.argsort(-similarity[best], kind="stable")] - [0, reach]
    if not len(steps):
        return none
    way = steps / np.linalg.norm(steps, axis=1, keepdims=True)
    aside = np.abs(way[:, 0] * way[0, 1] - way[:, 1] * way[0, 0]) >= _PERIOD_SINE
    if not aside.any():
        return none
    along, across = steps[~aside][: _PERIOD_MOST // 2], steps[aside][: _PERIOD_MOST // 2]
    # combined periods: a further repeat, if a card covers those
    both = np.concatenate([along[:1] + across[:1], along[:1] - across[:1]])
    within = (np.abs(both) < free.shape).all(axis=1)
    both = both[within & (np.linalg.norm(both, axis=1) >= _PERIOD_NEAREST * width_px)]
    return np.unique(np.concatenate([along, across, both]), axis=0)


def _autocorrelation(
    tones: NDArray[np.float32], free: BoolArray, reach: int
) -> NDArray[np.float32]:
    """Return the autocorrelation of tones: (R + 1, 2 R + 1).

    By 0 to R rows and -R to R columns, where both pixels are free; -1 where too few are.
    """
    height, width = free.shape
    reach = min(reach, height - 1, width - 1)
    shape = (cv2.getOptimalDFTSize(height + reach), cv2.getOptimalDFTSize(width + reach))
    mask = np.fft.rfft2(free.astype(np.float32), shape)
    energy = np.fft.rfft2((tones**2).sum(axis=2), shape)
    power = sum(np.abs(np.fft.rfft2(tones[..., c], shape)) ** 2 for c in range(tones.shape[2]))
    products = (power, mask.conj() * energy, energy.conj() * mask, np.abs(mask) ** 2)
    same, ahead, behind, count = (
        np.roll(np.fft.irfft2(of, shape), reach, axis=1)[: reach + 1, : 2 * reach + 1]
        for of in products
    )
    size = np.sqrt(np.maximum(ahead * behind, 1e-6))
    enough = (count > _PERIOD_OVERLAP * free.sum()) & (size > 1.0)
    return np.asarray(np.where(enough, same / size, -1.0), np.float32)


def _overlap(
    shape: tuple[int, ...], step: list[int]
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the part of an image whose pixels have a repeat at a step, and that of the repeats."""
    starts = [(max(0, -by), max(0, by)) for by in step]
    sizes = [n - abs(by) for n, by in zip(shape, step, strict=True)]
    (y, v), (x, u) = starts
    h, w = sizes
    return np.s_[y : y + h, x : x + w], np.s_[v : v + h, u : u + w]
