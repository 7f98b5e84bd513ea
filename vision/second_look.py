"""The known plane -> where else a card could lie, from the corners that still show.

A hand, a mug, a pile of counters or a touching neighbour breaks a card's outline, but one elbow of
it is enough once the plane is known: it gives the place, the angle up to a half turn, and leaves
two ways to lay the long side.
"""

from dataclasses import dataclass

import numpy as np

from vision.adjustment import Solution, camera_of, is_before_camera, with_poses
from vision.errors import DegenerateGeometryError
from vision.geometry import table_from_photo
from vision.overlaps import cover_shares
from vision.types import FloatArray

__all__ = ["SecondLookSettings", "suppose_cards"]


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
    corner, arms = seen[:, 1], seen[:, [0, 2]] - seen[:, [1]]  # back, ahead
    lengths = np.linalg.norm(arms, axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        arms = arms / lengths[..., None]
        skew = np.arcsin(np.clip((arms[:, 0] * arms[:, 1]).sum(axis=1), -1, 1))
    square = (np.abs(skew) < settings.right_angle_rad) & (lengths.min(axis=1) > settings.arm_min_mm)
    corner, arms, lengths = corner[square], arms[square], lengths[square]
    poses = np.concatenate(
        [
            _lay_on_elbows(corner, arms, lengths, size_mm, ahead_is_width, settings)
            for size_mm in rectangles_mm
            for ahead_is_width in (True, False)
        ]
    )
    card = rectangles_mm[0]
    poses = poses[is_before_camera(with_poses(plane, poses), float(np.hypot(*card)) / 2)]
    return poses[cover_shares(poses, taken, card) < settings.overlap]


def _lay_on_elbows(
    corner: FloatArray,
    arms: FloatArray,
    lengths: FloatArray,
    size_mm: tuple[float, float],
    ahead_is_width: bool,
    settings: SecondLookSettings,
) -> FloatArray:
    """Lay a rectangle into each elbow that is no longer than its sides, in one of two ways.

    Parameters
    ----------
    corner : (M, 2) float64
        Table frame, mm.
    arms : (M, 2, 2) float64
        Unit vectors back along the one side and ahead along the other.
    lengths : (M, 2) float64
        How far each arm is seen, mm.
    size_mm : (float, float)
        Width and height of the rectangle.
    ahead_is_width : bool
        Whether the arm ahead lies along the rectangle's width.

    Returns
    -------
    (K, 3) float64
        x mm, y mm, theta rad.
    """
    width, height = size_mm
    sides = [height, width] if ahead_is_width else [width, height]
    fits = (lengths < settings.arm_slack * np.array(sides)).all(axis=1)
    corner, (back, ahead) = corner[fits], arms[fits].transpose(1, 0, 2)
    l_back, l_ahead = lengths[fits].T[..., None]
    # the x axis from both arms, the longer one trusted more
    if ahead_is_width:
        axis = l_ahead * ahead + l_back * np.stack([back[:, 1], -back[:, 0]], 1)
    else:
        axis = -l_back * back + l_ahead * np.stack([ahead[:, 1], -ahead[:, 0]], 1)
    theta = np.arctan2(axis[:, 1], axis[:, 0])
    cos, sin = np.cos(theta), np.sin(theta)
    x, y = (width if ahead_is_width else -width) / 2, height / 2
    centre = corner + np.stack([cos * x - sin * y, sin * x + cos * y], axis=1)
    return np.column_stack([centre, theta])
