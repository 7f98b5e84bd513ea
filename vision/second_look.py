"""The known plane -> where else a card could lie, from the corners that still show.

A hand, a mug, a pile of counters or a touching neighbour breaks a card's outline, but one elbow of
it is enough once the plane is known: it gives the place, the angle up to a half turn, and leaves
two ways to lay the long side.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.adjustment import Solution, camera_of
from vision.errors import DegenerateGeometryError
from vision.geometry import card_corners, polygon_area, table_from_card, table_from_photo
from vision.types import FloatArray, Points

__all__ = ["SecondLookSettings", "overlap_share", "suppose_cards"]


@dataclass(frozen=True, slots=True)
class SecondLookSettings:
    """Which elbows can be a card's."""

    right_angle_rad: float = 0.10  # 6 degrees: arms of 16 px are good to 3 each
    arm_min_mm: float = 9.0  # a corner that shows less cannot be told from clutter
    arm_slack: float = 1.06  # an arm longer than the side is no side
    overlap: float = 0.45  # of a card already found: the same card again


def suppose_cards(
    elbows_px: FloatArray,
    plane: Solution,
    rectangles_mm: tuple[tuple[float, float], ...],
    taken: FloatArray,
    settings: SecondLookSettings | None = None,
) -> FloatArray:
    """Turn elbows into poses of supposed cards.

    Parameters
    ----------
    elbows_px : (M, 3, 2) float64
        Photo frame: a point on one side, the corner, a point on the next side, clockwise.
    plane : Solution
        Camera and plane.
    rectangles_mm : tuple of (float, float)
        The card's edge first, then printed frames.
    taken : (N, 3) float64
        Poses of the cards already found.

    Returns
    -------
    (K, 3) float64
        x mm, y mm, theta rad; the half turn is open.
    """
    settings = settings or SecondLookSettings()
    if not len(elbows_px):
        return np.zeros((0, 3))
    try:
        seen = table_from_photo(camera_of(plane), elbows_px.reshape(-1, 2)).reshape(-1, 3, 2)
    except DegenerateGeometryError:
        return np.zeros((0, 3))
    back, corner, ahead = seen[:, 0], seen[:, 1], seen[:, 2]
    u1, u2 = back - corner, ahead - corner
    l1, l2 = np.linalg.norm(u1, axis=1), np.linalg.norm(u2, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        u1, u2 = u1 / l1[:, None], u2 / l2[:, None]
        skew = np.arcsin(np.clip((u1 * u2).sum(axis=1), -1, 1))
    square = (np.abs(skew) < settings.right_angle_rad) & (np.minimum(l1, l2) > settings.arm_min_mm)
    supposed: list[FloatArray] = []
    card = rectangles_mm[0]
    for width, height in rectangles_mm:
        for first, second, along_x in ((l2, l1, True), (l1, l2, False)):
            fits = (
                square
                & (first < settings.arm_slack * width)
                & (second < settings.arm_slack * height)
            )
            # x axis from both arms, the longer one trusted more
            if along_x:
                axis = l2[:, None] * u2 + l1[:, None] * np.stack([u1[:, 1], -u1[:, 0]], 1)
            else:
                axis = -l1[:, None] * u1 + l2[:, None] * np.stack([u2[:, 1], -u2[:, 0]], 1)
            theta = np.arctan2(axis[:, 1], axis[:, 0])
            local = np.array([width / 2 if along_x else -width / 2, height / 2])
            c, s = np.cos(theta), np.sin(theta)
            centre = corner + np.stack(
                [c * local[0] - s * local[1], s * local[0] + c * local[1]], axis=1
            )
            supposed.append(np.column_stack([centre, theta])[fits])
    poses = np.concatenate(supposed)
    shapes = [table_from_card(card_corners(*card), *pose) for pose in taken]
    keep = [
        k
        for k, pose in enumerate(poses)
        if all(
            np.hypot(*(pose[:2] - other[:2])) > 110
            or overlap_share(table_from_card(card_corners(*card), *pose), shape) < settings.overlap
            for other, shape in zip(taken, shapes, strict=True)
        )
    ]
    return poses[keep]


def overlap_share(a: Points, b: Points) -> float:
    """Return the area common to two convex polygons as a share of the first's."""
    common, _ = cv2.intersectConvexConvex(a.astype(np.float32), b.astype(np.float32))
    return float(common) / abs(polygon_area(a))
