"""Rectifies a photo to a plane at or above the table's height.

A rectified image has a constant scale in table millimetres. Things above its plane are displaced
away from the camera, so things of a known height are examined in an image rectified at that height.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import XY, View, to_level
from vision.seeing.estimation.model import Solution, are_in_front, project, with_poses
from vision.seeing.estimation.overlaps import points_on_cards
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points

__all__ = [
    "Bend",
    "Box",
    "Rectified",
    "bend_basis",
    "bounding_box",
    "box_in_photo",
    "map_plane",
    "px_per_mm_at",
    "raise_plane",
    "rectify",
]

Box = tuple[float, float, float, float]  #: left, top, right, bottom; table mm

_STEP = 8  # pixels between exactly projected nodes; linear interpolation in between
_ORIGIN = np.zeros((1, 3))
_BOX_STEPS = 40  # of a box that is clipped to the photo


@dataclass(frozen=True, slots=True, eq=False)
class Bend:
    """How far the print of a sheet that is not flat lies off its plane's: a smooth shift.

    ``terms`` (6, 2) mm are the coefficients of a polynomial of degree 2 in the place, in units of
    ``half_mm`` (2,): half the sheet's size.
    """

    terms: FloatArray
    half_mm: FloatArray

    def at(self, points_mm: Points) -> FloatArray:
        """Return the shift (N, 2) mm of points of the print."""
        return bend_basis(np.asarray(points_mm, float) / self.half_mm) @ self.terms


def bend_basis(at: Points) -> FloatArray:
    """Return the terms (N, 6) of a polynomial of degree 2 at points (N, 2)."""
    x, y = at.T
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Rectified:
    """A rectified part of the table.

    ``image`` (H, W, 3) BGR has table point (x, y) at pixel ``((x, y) - origin_mm) * px_per_mm``
    (whole numbers at pixel centres); ``inside`` (H, W) marks the pixels within the photo.
    ``height_mm`` is the height above the table at which it is exact.
    """

    image: ImageBGR
    inside: BoolArray
    px_per_mm: float
    origin_mm: FloatArray
    height_mm: float = 0.0

    @property
    def box_mm(self) -> Points:
        """The corners (4, 2) of the image, table mm."""
        height, width = self.image.shape[:2]
        return self.to_mm(np.array([[0, 0], [width, 0], [width, height], [0, height]]))

    def to_mm(self, points_px: Points) -> Points:
        """Map pixels (N, 2) to table mm."""
        return np.asarray(points_px, float) / self.px_per_mm + self.origin_mm

    def to_px(self, points_mm: Points) -> Points:
        """Map table mm (N, 2) to pixels."""
        return (np.asarray(points_mm, float) - self.origin_mm) * self.px_per_mm

    def on_cards(self, points_mm: Points, poses: FloatArray) -> FloatArray:
        """Map points (P, 2) of a card at poses (N, 3) to pixels (N, P, 2)."""
        poses_px = np.column_stack([self.to_px(poses[:, :2]), poses[:, 2]])
        return points_on_cards(points_mm * self.px_per_mm, poses_px)

    def filled(self, outlines_mm: Iterable[Points]) -> NDArray[np.uint8]:
        """Return a mask (H, W), 255 within outlines (N, 2) of table mm, else 0."""
        mask = np.zeros(self.image.shape[:2], np.uint8)
        for outline in outlines_mm:
            cv2.fillPoly(mask, [np.rint(self.to_px(outline)).astype(np.int32)], 255)
        return mask


def raise_plane(solution: Solution, height_mm: float) -> Solution:
    """Return the solution with its plane raised above the table."""
    up = -solution.rotation[:, 2]
    return replace(solution, translation_mm=solution.translation_mm + height_mm * up)


def map_plane(solution: Solution, points_mm: Points, height_mm: float = 0.0) -> Points:
    """Map table points (N, 2) at a height to the photo (N, 2)."""
    points = np.asarray(points_mm, float).reshape(-1, 2)
    raised = with_poses(raise_plane(solution, height_mm), _ORIGIN)
    return project(raised, np.zeros(len(points), np.int64), points)


def px_per_mm_at(solution: Solution, point_mm: Points, height_mm: float = 0.0) -> float:
    """Return the photo's scale at a table point: the square root of the area scale."""
    at = map_plane(solution, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]) + point_mm, height_mm)
    return float(np.sqrt(abs(np.linalg.det(at[1:] - at[:1]))))


def bounding_box(points_mm: Points, margin_mm: float = 0.0) -> Box:
    """Return the bounding box of points (N, 2), with a margin."""
    low, high = points_mm.min(axis=0) - margin_mm, points_mm.max(axis=0) + margin_mm
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def box_in_photo(view: View, solution: Solution, box: Box) -> Box:
    """Return the bounding box of the part of a box (table mm) inside the photo."""
    left, top, right, bottom = box
    grid = np.meshgrid(np.linspace(left, right, _BOX_STEPS), np.linspace(top, bottom, _BOX_STEPS))
    points = np.stack(grid, axis=-1).reshape(-1, 2)
    before = are_in_front(with_poses(solution, np.pad(points, [(0, 0), (0, 1)])), 0)
    at = map_plane(solution, points[before])
    size = np.array(view.size_wh)
    seen = points[before][((at > 0) & (at < size - 1)).all(axis=1)]
    if not len(seen):
        return box
    own = bounding_box(seen, max(right - left, bottom - top) / (_BOX_STEPS - 1))
    return max(left, own[0]), max(top, own[1]), min(right, own[2]), min(bottom, own[3])


def rectify(
    view: View,
    solution: Solution,
    box_mm: Box,
    px_per_mm: float,
    height_mm: float = 0.0,
    bend: Bend | None = None,
) -> Rectified:
    """Rectify a part of the table, so that it is exact at a height above it.

    The pyramid level of the photo that is nearest in scale is sampled. With a ``bend`` a sheet that
    is not flat appears as its print.
    """
    left, top, right, bottom = box_mm
    width, height = (max(2, int(np.ceil(s * px_per_mm))) for s in (right - left, bottom - top))
    nodes = [np.arange(-1, n // _STEP + 2) * _STEP + (_STEP - 1) / 2 for n in (width, height)]
    grid = np.stack(np.meshgrid(*nodes), axis=-1)
    points = grid.reshape(-1, 2) / px_per_mm + [left, top]
    points = points if bend is None else points + bend.at(points)
    seen = are_in_front(
        with_poses(raise_plane(solution, height_mm), np.pad(points, [(0, 0), (0, 1)])), 0
    )
    points[~seen] = [(left + right) / 2, (top + bottom) / 2]
    high = np.array(view.size_wh) - 1
    seen &= _are_near_photo(solution, points, height_mm, high)
    at = map_plane(solution, points, height_mm)
    at[~seen] = -1e4  # beyond the horizon, or far outside the lens' range: outside the photo
    at = at.reshape(*grid.shape[:2], 2)
    level = _level(at, high, len(view))
    dense = cv2.resize(
        to_level(at, level).astype(np.float32),
        (grid.shape[1] * _STEP, grid.shape[0] * _STEP),
        interpolation=cv2.INTER_LINEAR,
    )[_STEP : _STEP + height, _STEP : _STEP + width]
    first, last = to_level(np.array([[0, 0], high], float), level)
    inside = cv2.inRange(dense, first, last) > 0
    image = cv2.remap(view[level], dense, XY, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Rectified(
        np.asarray(image, np.uint8), inside, px_per_mm, np.array([left, top], float), height_mm
    )


def _are_near_photo(
    solution: Solution, points_mm: Points, height_mm: float, high_px: FloatArray
) -> BoolArray:
    """Return which table points (N, 2) are less than a quarter of a photo outside the photo.

    Lens distortion is left out: its model holds inside the photo only, and far outside it folds
    back in.
    """
    straight = replace(solution, k1=0.0, k2=0.0)
    at = map_plane(straight, points_mm, height_mm)
    return np.asarray(((at > -high_px / 4) & (at < 5 * high_px / 4)).all(axis=1), np.bool_)


def _level(at_px: FloatArray, high_px: FloatArray, levels: int) -> int:
    """Return the pyramid level whose scale is nearest to the rectified image's, never much finer.

    ``at_px`` (R, C, 2) are the projected nodes in a photo that ends at ``high_px`` (2,).
    """
    step = np.hypot(*np.moveaxis(at_px[:-1, 1:] - at_px[:-1, :-1], -1, 0)) / _STEP
    inside = np.asarray(((at_px > 0) & (at_px < high_px)).all(axis=2), np.bool_)
    here = step[inside[:-1, :-1]]
    if not here.size:
        return 0
    return int(np.clip(np.round(np.log2(max(float(np.median(here)), 1e-6))), 0, levels - 1))
