"""Photo -> the same at any level of its pyramid, in colour and in gray.

Scaling a picture by s takes a pixel centre x to ``(x + 0.5) s - 0.5``: that half pixel is minded
here, and nowhere else.
"""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.values.arrays import FloatArray, ImageBGR, ImageGray, Matrix3

__all__ = [
    "XY",
    "View",
    "from_level",
    "halved",
    "sample",
    "sample_grids",
    "scaled",
    "scaling",
    "shown_at",
    "to_gray",
    "to_level",
]

#: OpenCV's second map, where the first holds x and y: none, of which its types know nothing.
XY: Any = None

Made = TypeVar("Made")
_Tones = TypeVar("_Tones", np.uint8, np.float32)
_ROW = 4096  # points in a row, as they are handed to OpenCV, which takes 32,766 rows or columns
_SMALL_PX = 640  # of a level without noise, that shows a card's print
_COLOURED = 99.9  # percentile of that level: a card that shows some print is more than that
_COLOUR_TONES = 8  # between channels there: a gray photo's JPEG has 0 to 2, faint print 20
_LEAST_PX = 32  # of a side that is halved again: a card would be smaller than its print's strokes


class View:
    """A picture, halved again and again; each level is made when it is first asked for.

    Parameters
    ----------
    image : (H, W, 3) uint8
        Level 0.
    levels : int
        At most so many; a small picture has fewer.
    """

    def __init__(self, image: ImageBGR, levels: int = 4) -> None:
        side = min(image.shape[:2])
        while levels > 1 and side >> (levels - 2) < _LEAST_PX:
            levels -= 1
        self._levels = levels
        self._colour = {0: image}
        self._gray: dict[int, ImageGray] = {}
        self._made: dict[tuple[Hashable, int], Any] = {}

    def __len__(self) -> int:
        return self._levels

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height of the picture, pixels."""
        height, width = self._colour[0].shape[:2]
        return width, height

    def __getitem__(self, level: int) -> ImageBGR:
        """Return a level: each pixel is the mean of four of the one before."""
        if not 0 <= level < self._levels:
            msg = f"expected a level from 0 to {self._levels - 1}, got {level}"
            raise IndexError(msg)
        if level not in self._colour:
            self._colour[level] = halved(self[level - 1])
        return self._colour[level]

    def gray(self, level: int = 0) -> ImageGray:
        """Return the luma (H, W) uint8 of a level."""
        if level not in self._gray:
            self._gray[level] = to_gray(self[level])
        return self._gray[level]

    def once(self, what: Hashable, level: int, make: Callable[[ImageGray], Made]) -> Made:
        """Return what is made of a level in gray; by its name it is made only once."""
        if (what, level) not in self._made:
            self._made[what, level] = make(self.gray(level))
        found: Made = self._made[what, level]
        return found

    @cached_property
    def has_colour(self) -> bool:
        """Whether any stretch of the picture is neither white nor gray nor black."""
        small = self[self.level_within(_SMALL_PX)]
        b, g, r = cv2.split(small)
        spread = cv2.subtract(cv2.max(cv2.max(b, g), r), cv2.min(cv2.min(b, g), r))
        return float(np.percentile(spread, _COLOURED)) > _COLOUR_TONES

    def level_within(self, side_px: int) -> int:
        """Return the finest level of which no side is longer, or the last."""
        side = max(self._colour[0].shape[:2])
        return sum(side >> k > side_px for k in range(self._levels - 1))


def to_level(photo_px: FloatArray, level: int) -> FloatArray:
    """Bring points (..., 2) of the photo to a level of its pyramid."""
    return scaled(photo_px, 0.5**level)


def from_level(level_px: FloatArray, level: int) -> FloatArray:
    """Bring points (..., 2) of a level to the photo's own pixels."""
    return scaled(level_px, 2.0**level)


def scaled(points_px: FloatArray, scale: float) -> FloatArray:
    """Bring points (..., 2) of a picture to the same picture scaled."""
    return np.asarray((points_px + 0.5) * scale - 0.5, np.float64)


def scaling(scale: float) -> Matrix3:
    """Return what :func:`scaled` does to a point (x, y, 1)."""
    shift = 0.5 * scale - 0.5
    return np.array([[scale, 0, shift], [0, scale, shift], [0, 0, 1.0]])


def shown_at(view: View, photo_px: FloatArray, level: int) -> ImageBGR:
    """Return the tones (..., 3) that a level shows at places (R, C, 2) of the photo: bilinear.

    What lies outside the picture is black.
    """
    at_px = np.asarray(to_level(photo_px, level), np.float32)
    return np.asarray(cv2.remap(view[level], at_px, XY, cv2.INTER_LINEAR), np.uint8)


def sample(
    picture: NDArray[_Tones],
    at_px: FloatArray,
    beyond: int = cv2.BORDER_REPLICATE,
    how: int = cv2.INTER_LINEAR,
) -> NDArray[_Tones]:
    """Return the tones (...) or (..., 3) of a picture at any number of points (..., 2).

    Beyond the picture its rim goes on, or what OpenCV's border ``beyond`` says; ``how`` is its
    interpolation.
    """
    points = np.asarray(at_px, np.float32).reshape(-1, 2)
    width = min(max(len(points), 1), _ROW)
    rows = -(-len(points) // width)
    maps = np.zeros((rows * width, 2), np.float32)
    maps[: len(points)] = points
    tones = np.zeros((0, *picture.shape[2:]), picture.dtype)
    if rows:
        tones = cv2.remap(picture, maps.reshape(rows, width, 2), XY, how, None, beyond)
        tones = tones.reshape(-1, *picture.shape[2:])[: len(points)]
    return np.asarray(tones, picture.dtype).reshape(*at_px.shape[:-1], *picture.shape[2:])


def sample_grids(
    view: View,
    at_px: FloatArray,
    shape_hw: tuple[int, int],
    mesh_px: float,
    corners: tuple[int, int, int] | None = None,
) -> ImageBGR:
    """Sample the photo at grids on flat things, each in the level that suits its size there.

    Parameters
    ----------
    view : View
        The photo.
    at_px : (N, P, 2) float64
        Places on each of N things, photo frame: the grid row by row, and others after it.
    shape_hw : (int, int)
        Rows and columns of the grid.
    mesh_px : float
        How many pixels apart its places are to be in the level that is sampled.
    corners : (int, int, int), optional
        Which of the places are the grid's first, the last of its first row and the first of its
        last row, if they do not begin with the grid.

    Returns
    -------
    (N, P, 3) uint8
        Tones, BGR, bilinear; black outside the picture.
    """
    rows, columns = shape_hw
    grid = at_px[:, corners or (0, columns - 1, (rows - 1) * columns)]
    a, b = grid[:, 1] - grid[:, 0], grid[:, 2] - grid[:, 0]
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / ((rows - 1) * (columns - 1))
    mesh = np.sqrt(np.maximum(area, 1e-6))
    level = np.clip(np.round(np.log2(mesh / mesh_px)), 0, len(view) - 1)
    tones = np.empty((*at_px.shape[:2], 3), np.uint8)
    for k in np.unique(level).astype(int):
        things = np.flatnonzero(level == k)
        tones[things] = shown_at(view, at_px[things], k)
    return tones


def halved(image: NDArray[_Tones]) -> NDArray[_Tones]:
    """Halve a picture, each pixel the mean of four; an odd last row or column is left out."""
    even = image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2]
    size = (even.shape[1] // 2, even.shape[0] // 2)
    return np.asarray(cv2.resize(even, size, interpolation=cv2.INTER_AREA), image.dtype)


def to_gray(image: ImageBGR) -> ImageGray:
    """Return the luma (H, W) uint8 of a BGR picture."""
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
