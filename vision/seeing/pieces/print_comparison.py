"""Compares a board or sheet in a photo with its print, in the art's colours and its light.

Where the print is visible, photo and art are of the same thing: that determines the light, its
colour and its fall-off, and whether the print is in colour at all. What the print does not explain
lies on it. Differences that a small offset of the print explains are removed, as paper may be
shifted or wavy; shadow and light remain, in lightness only. Where the print has strokes, their
correlation with the photo tells in any light whether they show.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seeing.estimation.rectify import Rectified
from vision.seeing.pieces.prints import CONTRAST, BlockAgreement
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points

__all__ = [
    "BEYOND",
    "DARK",
    "LUMA",
    "OFF_MM",
    "Comparison",
    "PhotometricFit",
    "are_things",
    "beyond_range",
    "fit_photometry",
    "largest",
    "print_between",
    "print_range",
    "to_art_colours",
    "to_opponent_colours",
]

DARK = 30.0  # grey levels added to lightness before colours are divided by it: noise of dark things
LUMA = np.array([0.114, 0.587, 0.299], np.float32)
# least slope of the photo's colours on the art's: 0.3 in dim light, 0 of a grey print
_LEAST_SLOPE = 0.12
_COLOURFUL = 3.0  # least spread of the art's colour (grey levels) for that test
_REACH = 0.15  # smoothing of the light, of the board's longer side: light changes over about that
# bounds of slope of a channel: inks and light change colours by no more
_GAIN = (0.3, 2.0)
# lightness excepted, a colour has two parts: red against blue, and green against both
_HUES = ((-1.0, 0.0, 1.0), (-0.5, 1.0, -0.5))


@dataclass(frozen=True, slots=True, eq=False)
class PhotometricFit:
    """Photometric model of a photo.

    Art of a colour c (BGR) has the tone ``(gain * c + level) * light`` in the photo; ``light``
    (rows, columns) is given over the box of a board, table mm, and constant outside it.
    ``coloured`` is false if the board was printed without colours.
    """

    gain: FloatArray
    level: FloatArray
    light: NDArray[np.float32]
    origin_mm: FloatArray
    px_per_mm: FloatArray
    coloured: bool = True


def fit_photometry(art: ImageBGR, seen: Rectified, agreed: BlockAgreement) -> PhotometricFit:
    """Fit the photometric model to the blocks of a board, rectified alone, that agree with its art.

    ``art`` (H, W, 3) is upright, cut to the edge.
    """
    rows, columns = agreed.agrees.shape
    size = (columns, rows)
    one, other = (
        cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        for image in (art, seen.image)
    )
    good = agreed.agrees
    drawn, shown = one @ LUMA, other @ LUMA
    usual = float(np.median((shown / np.maximum(drawn, 1.0))[good])) if good.any() else 1.0
    sigma = _REACH * max(size)
    power, both = (  # least squares of the photo on the art: black print tells little of the light
        cv2.GaussianBlur(np.where(good, values, 0).astype(np.float32), (0, 0), sigma)
        for values in (drawn * drawn, drawn * shown)
    )
    light = (both + usual) / (power + 1.0)
    gain, level = np.ones(3), np.zeros(3)
    off = (other / np.maximum(light, 1e-6)[..., None] - one)[good]
    fine = _fine_pairs(art, seen, good, light)
    coloured = _is_coloured(*fine)
    # For a print in black and white the art's lightness is fitted alone, so that grey stays grey.
    inks = fine[0] if coloured else np.repeat((fine[0] @ LUMA)[:, None], 3, axis=1)
    for channel in range(3):
        x, y = inks[:, channel], fine[1][:, channel]
        if len(x) >= 8 and x.std() > 1:
            gain[channel], level[channel] = np.polyfit(x, y, 1)
            gain[channel] = np.clip(gain[channel], *_GAIN)
            level[channel] = float(np.median(y - gain[channel] * x))
        elif good.any():
            level[channel] = float(np.median(off[:, channel]))
    per_mm = np.array(size) / ((np.array(seen.image.shape[1::-1])) / seen.px_per_mm)
    return PhotometricFit(
        gain, level, np.asarray(light, np.float32), seen.origin_mm, per_mm, coloured
    )


def _fine_pairs(
    art: ImageBGR, seen: Rectified, good: BoolArray, light: NDArray[np.generic]
) -> tuple[FloatArray, FloatArray]:
    """Return colours (M, 3) of art and photo at two by two points of each agreeing block."""
    rows, columns = good.shape
    size = (2 * columns, 2 * rows)
    one, other = (
        cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.float64)
        for image in (art, seen.image)
    )
    mask = np.kron(good, np.ones((2, 2), bool))
    shade = cv2.resize(np.asarray(light, np.float64), size, interpolation=cv2.INTER_LINEAR)
    return one[mask], other[mask] / np.maximum(shade[mask], 1e-6)[:, None]


def _is_coloured(art: FloatArray, seen: FloatArray) -> bool:
    """Return whether colours of the art (M, 3) are colours in the photo (M, 3) too.

    The part that correlates with lightness is no colour: warm light tints everything bright. If the
    art has hardly any colour, or the photo gives no evidence, the result is True.
    """
    if len(art) < 8:
        return True
    light = np.column_stack([art @ LUMA, np.ones(len(art))])
    least = []
    for mix in _HUES:
        one, other = (
            c @ mix - light @ np.linalg.lstsq(light, c @ mix, rcond=None)[0] for c in (art, seen)
        )
        spread = float(one @ one)
        if spread < _COLOURFUL**2 * len(one):
            continue
        slope = float(one @ other) / spread
        error = float(np.std(other - slope * one)) / np.sqrt(spread)
        least.append(slope + 2 * error < _LEAST_SLOPE)
    return not (least and all(least))


def to_art_colours(rectified: Rectified, photometry: PhotometricFit | None) -> NDArray[np.float32]:
    """Convert a rectified image (H, W, 3) to the art's colours: BGR, 0..255 but for highlights."""
    image = rectified.image.astype(np.float32)
    if photometry is None:
        return image
    hats = []
    for axis, count in enumerate(photometry.light.shape[::-1]):
        mm = np.arange(image.shape[1 - axis]) / rectified.px_per_mm + rectified.origin_mm[axis]
        at = (mm - photometry.origin_mm[axis]) * photometry.px_per_mm[axis] - 0.5
        nodes = np.arange(count)
        hats.append(np.maximum(0, 1 - abs(np.clip(at, 0, count - 1)[:, None] - nodes)))
    light = (hats[1] @ photometry.light @ hats[0].T).astype(np.float32)
    image /= np.maximum(light, 1e-6)[..., None]
    image -= np.float32(photometry.level)
    image /= np.float32(photometry.gain)
    return image


def bgr_of(tone: str) -> FloatArray:
    """Return the colour (3,) of a tone ``#RRGGBB``."""
    return np.array([*bytes.fromhex(tone[1:])][::-1], np.float64)


def to_opponent_colours(bgr: NDArray[np.generic], coloured: bool) -> NDArray[np.float32]:
    """Convert BGR values to lightness, red minus it and blue minus it (..., 3).

    The latter two are 0 for every grey; without colours they are 0 everywhere.
    """
    image = np.asarray(bgr, np.float32)
    lightness = image @ LUMA
    out = np.zeros_like(image)
    out[..., 0] = lightness
    if coloured:
        out[..., 1] = image[..., 2] - lightness
        out[..., 2] = image[..., 0] - lightness
    return out


def print_range(
    wanted: NDArray[np.float32], near: NDArray[np.uint8]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and the highest tones (H, W, C) of a print, which may be slightly offset.

    ``near`` (K, K) of 0 and 1 is the neighbourhood.
    """
    lowest, highest = cv2.erode(wanted, near), cv2.dilate(wanted, near)
    return np.asarray(lowest, np.float32), np.asarray(highest, np.float32)


def beyond_range(
    seen: NDArray[np.float32] | FloatArray,
    lowest: NDArray[np.float32],
    highest: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the signed excess (..., C) of tones over a range of tones."""
    beyond = np.maximum(seen - highest, 0) - np.maximum(lowest - seen, 0)
    return np.asarray(beyond, np.float32)


OFF_MM = 0.6  # tolerated offset of the print: paper is wavy
BEYOND = 14.0  # least excess over the print (grey levels, any channel)
_FOREIGN = 22.0  # colour difference (grey levels) that shadows never have
_SHADOW = 110.0  # largest darkening by a shadow on the board (grey levels)

_Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A rectified board or sheet, and its difference from the print.

    ``image`` (H, W, 3) is BGR in the art's colours; ``wanted`` and ``seen`` (H, W, 3) are the print
    and the photo as lightness, red and blue (both relative to lightness); ``beyond`` (H, W, 3) is
    the signed excess of the photo over the range of the print there; ``on_board`` (H, W) marks the
    print inside the photo, outside of which nothing is beyond it.
    """

    rectified: Rectified
    image: _Floats
    wanted: _Floats
    seen: _Floats
    beyond: _Floats
    on_board: BoolArray

    @property
    def differs(self) -> BoolArray:
        """Where (H, W) the photo has other tones than the print."""
        return np.asarray(largest(np.abs(self.beyond)) > BEYOND, np.bool_)

    def correlation(self, radius_mm: float, off_mm: float = 0.0) -> tuple[_Floats, _Floats]:
        """Return how print and photo correlate round each pixel (H, W), and the print's spread.

        Parameters
        ----------
        radius_mm : float
            Of a disc as large as the compared square.
        off_mm : float
            Tolerated offset of the print, either way; the best counts.
        """
        scale = self.rectified.px_per_mm
        side = 2 * round((np.sqrt(np.pi) * radius_mm * scale - 1) / 2) + 1
        off = round(off_mm * scale)

        def mean(values: _Floats) -> _Floats:
            square = cv2.blur(values, (side, side), borderType=cv2.BORDER_REPLICATE)
            return np.asarray(square, np.float32)

        def moments(values: _Floats) -> tuple[_Floats, _Floats]:
            middle = mean(values)
            spread = np.sqrt(np.maximum(mean(values**2) - middle**2, 0))
            return middle, np.asarray(spread, np.float32)

        one, other = self.wanted[..., 0], self.seen[..., 0]
        middle, spread = moments(other)
        best: _Floats = np.full(one.shape, -np.inf, np.float32)
        rows, columns = one.shape
        wide = cv2.copyMakeBorder(one, off, off, off, off, cv2.BORDER_REPLICATE)
        for dy in range(2 * off + 1):
            for dx in range(2 * off + 1):
                moved = np.ascontiguousarray(wide[dy : dy + rows, dx : dx + columns], np.float32)
                own, varies = moments(moved)
                cross = mean(moved * other) - own * middle
                best = np.maximum(best, cross / np.maximum(varies, CONTRAST))
        best /= np.maximum(spread, CONTRAST)
        return best, moments(one)[1]


def largest(values: _Floats) -> _Floats:
    """Return the largest of the three channels (...) of values (..., 3)."""
    return np.maximum(np.maximum(values[..., 0], values[..., 1]), values[..., 2])


def are_things(beyond: _Floats) -> BoolArray:
    """Return where an excess over the print (..., 3) is of a thing: no shadow, no light."""
    light, red, blue = np.moveaxis(beyond, -1, 0)
    coloured = np.maximum(np.abs(red), np.abs(blue)) > _FOREIGN
    return np.asarray(coloured | (light > 2 * BEYOND) | (light < -_SHADOW), np.bool_)


def print_between(
    low_px: Points, high_px: Points, art: ImageBGR, shape_hw: tuple[int, ...]
) -> ImageBGR:
    """Return art (H, W, 3) drawn between two corners; beyond it its edge goes on."""
    scale = float(high_px[0] - low_px[0]) / art.shape[1]
    shrunk = cv2.GaussianBlur(art, (0, 0), max(0.3, 0.4 / scale)) if scale < 1 else art
    warp = np.column_stack([scale * np.eye(2), low_px + 0.5 * scale])
    size = shape_hw[1], shape_hw[0]
    drawn = cv2.warpAffine(shrunk, warp, size, None, cv2.INTER_LINEAR, cv2.BORDER_REPLICATE)
    return np.asarray(drawn, np.uint8)
