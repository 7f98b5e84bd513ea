"""Pixels of a decoded JPEG -> whether its coded stream lost its place on the way.

A JPEG codes the mean of each block as the difference from the block before, in rows of units of 8
or 16 pixels. Where bytes are wrong and the decoder finds its place again, without a word, all
units from there on are lighter, darker or of another colour by one step: up to the end, or up to
the next restart marker. The step runs along the upper edge of the units from the first wrong one
on, and one row lower before it: an L, at multiples of a unit.

Stripes, keys and lines of print step along whole rows too, but not between two rows of pixels: a
lens draws every edge over some of them.
"""

import cv2
import numpy as np

from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["has_seam"]

_STEP = 6.0  # tones, at which a step counts in full; smaller ones change no colour that matters
_L_SHARE = 0.6  # mean step over _STEP along both arms of an L: 0.75 of damaged ones reach 0.9
_BAND_SHARE = 0.62  # the same of a stripe one unit high up to the row's end: sound at most 0.58
_ROW_SHARE = 0.9  # the same of a whole row, where no L is to be seen; also of what people draw
_LEAST_ARM = 3  # units of the shorter arm of an L, of which one card's edge is not so many
_BAND_PART = 4  # a stripe takes at least the last quarter of its row
_WIDTH = 16  # px of a unit's width at least: noise is averaged over so many pixels
_SURE_SD = 6.0  # spreads of the sum of so many steps: of pictures that are noise all over
_SHARES = np.array([0.7, 0.4, 0.4], np.float32)  # of a step of luma and chroma, between two rows:
# 1 where a block was shifted, of halved chroma 0.5; 0.5 and less at edges that a lens has drawn
_FAINT = 3.0  # tones of a step, of which that share cannot be told
_REACH = 9  # units in a row over which that share is taken
_TEXTURE = 0.5  # of a row's pixels that differ from their neighbour: bars and frames are plain

_YUV = np.array(
    [[0.114, 0.886, -0.114], [0.587, -0.587, -0.587], [0.299, -0.299, 0.701]], np.float32
)  # blue, green and red to luma, and to what blue and red are more than it


def has_seam(image: ImageBGR, unit_wh: tuple[int, int]) -> bool:
    """Tell whether the picture steps at a row of units from one unit on.

    Parameters
    ----------
    image : (H, W, 3) uint8
        As stored, not yet turned upright.
    unit_wh : (int, int)
        Width and height of the JPEG's coded units, px.
    """
    steps = _steps(image, unit_wh)
    rows, units = steps.shape[:2]
    if rows < 2 or units < 2 * _LEAST_ARM + 2:
        return False
    return _has_l(steps) or _has_band(steps) or _has_whole_row(steps, image, unit_wh[1])


def _steps(image: ImageBGR, unit_wh: tuple[int, int]) -> FloatArray:
    """Return the step over each unit's upper edge (R, U, 3), -1..1 in parts of ``_STEP``.

    It is what is left of the difference of two rows, three pixels apart for the sake of smoothed
    chroma, after 1.5 times the slopes to both sides are taken off.
    """
    width, height = max(unit_wh[0], _WIDTH), unit_wh[1]
    last, units = len(image) - 2, image.shape[1] // width
    if last <= height or not units:
        return np.zeros((0, 0, 3))
    far, above, last_above, first_below, below, deep = (
        cv2.resize(
            image[height + shift : last + shift : height, : units * width],
            (units, len(range(height, last, height))),
            interpolation=cv2.INTER_AREA,
        ).astype(np.float32)
        for shift in (-3, -2, -1, 0, 1, 2)
    )
    step = 2.5 * (below - above) + 1.5 * (far - deep)
    between, whole = (np.asarray(x, np.float64) for x in (first_below - last_above, below - above))
    is_sharp = _is_sharp(between, whole)
    return np.clip(step / np.float32(_STEP), -1, 1) * is_sharp[..., None]


def _is_sharp(between: FloatArray, whole: FloatArray) -> BoolArray:
    """Tell of each unit (R, U) whether its step lies between two rows of pixels.

    ``between`` (R, U, 3) is the step between the two rows, ``whole`` that over two rows more. Where
    luma hardly steps, chroma tells.
    """
    share, of = (cv2.blur(step @ _YUV, (_REACH, 1)) for step in (between, whole))
    is_clear = np.abs(of) > _FAINT
    is_sharp = is_clear & (share * np.sign(of) > _SHARES * np.abs(of))
    return np.where(is_clear[..., 0], is_sharp[..., 0], is_sharp[..., 1:].any(axis=2))


def _has_l(steps: FloatArray) -> bool:
    """Look for a step over a row's units from one on, and over those before it one row lower."""
    units = steps.shape[1]
    sums = np.cumsum(steps, axis=1)
    arms = slice(_LEAST_ARM - 1, units - _LEAST_ARM)  # sums up to the unit before the step
    under = sums[1:, arms]
    whole = sums[:-1, -1:] - sums[:-1, arms] + under
    least = max(_L_SHARE * units, _SURE_SD * _spread(steps) * np.sqrt(units))
    rows = np.flatnonzero((np.abs(whole) > least).any(axis=(1, 2)))
    length = np.arange(_LEAST_ARM, units - _LEAST_ARM + 1)[:, None]
    left = under[rows] / length
    right = (whole[rows] - under[rows]) / (units - length)
    both = np.minimum(np.abs(right), np.abs(left))
    return bool(((np.abs(whole[rows]) > least) & (right * left > 0) & (both > _L_SHARE)).any())


def _has_band(steps: FloatArray) -> bool:
    """Look for a stripe one unit high up to its row's end, as between two restart markers."""
    least = steps.shape[1] // _BAND_PART
    tail = _stripes(steps[:-1, -least:], steps[1:, -least:])
    spread = _spread(tail)
    rows = np.flatnonzero((np.abs(tail.sum(axis=1)) > _BAND_SHARE * least / 2).any(axis=1))
    both = _stripes(steps[rows], steps[rows + 1])
    length = np.arange(1, both.shape[1] + 1)[:, None]
    sums = np.abs(np.cumsum(both[:, ::-1], axis=1))
    is_clear = sums > _SURE_SD * spread * np.sqrt(length)
    return bool((is_clear & (sums > _BAND_SHARE * length))[:, least:].any())


def _stripes(over: FloatArray, under: FloatArray) -> FloatArray:
    """Return by how much a unit steps off both its neighbours, above and below."""
    both = np.copysign(np.minimum(np.abs(over), np.abs(under)), over)
    return np.where(over * under < 0, both, np.float32(0))


def _spread(steps: FloatArray) -> float:
    """Return the root mean square of all steps of a picture: noise, print and cloth."""
    return float(np.sqrt(np.mean(steps**2)))


def _has_whole_row(steps: FloatArray, image: ImageBGR, unit_height: int) -> bool:
    """Look for a step over a whole row with texture on both sides: no frame, bar or drawing."""
    found = np.flatnonzero(np.abs(steps.mean(axis=1)).max(axis=1) > _ROW_SHARE)
    edges = (found + 1) * unit_height
    return any(_is_textured(image[y - 2]) and _is_textured(image[y + 1]) for y in edges)


def _is_textured(row: ImageBGR) -> bool:
    """Tell whether most pixels of a row (W, 3) differ from their neighbour."""
    return bool((row[1:] != row[:-1]).any(axis=-1).mean() > _TEXTURE)
