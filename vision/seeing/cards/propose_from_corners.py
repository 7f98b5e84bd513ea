"""Proposes cards on the known plane from visible corners.

A hand, a mug, counters or a touching neighbour break the outline of a card. On a known plane one
corner is enough: it gives the position and the angle up to half a turn, and leaves two choices for
the long side.
"""

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import table_from_photo
from vision.seeing.estimation.model import Solution, are_in_front, camera_of, with_poses
from vision.seeing.estimation.overlaps import BESIDE_SHARE, cover_shares
from vision.values.arrays import BoolArray, FloatArray

__all__ = [
    "AGREE_MM",
    "AGREE_RAD",
    "APART_MM",
    "UNDER",
    "find_corner_pairs",
    "have_support",
    "propose_from_corners",
]


_RIGHT_ANGLE_RAD = 0.10  # 6 degrees: arms of 16 px are good to 3 each
_ARM_MIN_MM = 9.0  # a corner that shows less cannot be told from clutter
_ARM_SLACK = 1.06  # an arm longer than the side is no side
_OVERLAP = 0.45  # of a card already found: the same card again
AGREE_MM = 3.0  # between what two corners of one card say of its middle
AGREE_RAD = 0.05  # and of its angle
APART_MM = 40.0  # between two corners, not one corner seen twice
UNDER = 0.8  # of one whose two corners show: a quarter of a face still has a name


def propose_from_corners(
    visible_corners_px: FloatArray,
    plane: Solution,
    rectangles_mm: tuple[tuple[float, float], ...],
    taken: FloatArray,
    overlap: float = _OVERLAP,
) -> FloatArray:
    """Return pose proposals from single corners.

    Parameters
    ----------
    visible_corners_px : (M, 3, 2) float64
        Photo frame: a point on one side, the corner, a point on the next side, clockwise.
    plane : Solution
        Camera and plane.
    rectangles_mm : tuple of (float, float)
        The card's edge first, then printed frames.
    taken : (N, 3) float64
        Poses of the cards already found.
    overlap : float
        Share of a card that is the same card again if those cover it.

    Returns
    -------
    (K, 3) float64
        x mm, y mm, theta rad; the half turn is open.
    """
    return _propose(visible_corners_px, plane, rectangles_mm, taken, overlap)[0]


def find_corner_pairs(
    visible_corners_px: FloatArray,
    plane: Solution,
    rectangles_mm: tuple[tuple[float, float], ...],
    taken: FloatArray,
    overlap: float = BESIDE_SHARE,
) -> FloatArray:
    """Return poses on which two corners agree, beside the known cards.

    Arguments as of :func:`propose_from_corners`.

    Returns
    -------
    (K, 3) float64
        Each pose that another agrees with: several for each such card, some of them a border off.
        Which of them is the card is told by what shows there.
    """
    poses, corners = _propose(visible_corners_px, plane, rectangles_mm, taken, overlap)
    return poses[have_support(poses, corners)]


def have_support(poses: FloatArray, corners: FloatArray) -> BoolArray:
    """Return which poses (K, 3) are supported by one from another corner (K, 2).

    Checked cloth gives thousands, so only those close along x are compared.
    """
    order = np.argsort(poses[:, 0], kind="stable")
    x = poses[order, 0]
    after = np.searchsorted(x, x + AGREE_MM) - np.arange(len(x)) - 1
    first = np.repeat(np.arange(len(x)), after)
    nth = np.arange(len(first)) - np.repeat(np.cumsum(after) - after, after)
    a, b = order[first], order[first + 1 + nth]
    near = np.linalg.norm(poses[a, :2] - poses[b, :2], axis=1) < AGREE_MM
    near &= np.abs(np.sin(poses[a, 2] - poses[b, 2])) < AGREE_RAD
    near &= np.linalg.norm(corners[a] - corners[b], axis=1) > APART_MM
    told = np.zeros(len(poses), np.bool_)
    told[a[near]] = told[b[near]] = True
    return told


def _propose(
    visible_corners_px: FloatArray,
    plane: Solution,
    rectangles_mm: tuple[tuple[float, float], ...],
    taken: FloatArray,
    overlap: float,
) -> tuple[FloatArray, FloatArray]:
    """Return proposed poses (K, 3) and the table corner (K, 2) that each comes from."""
    none = np.zeros((0, 3)), np.zeros((0, 2))
    if not len(visible_corners_px):
        return none
    try:
        seen = table_from_photo(camera_of(plane), visible_corners_px.reshape(-1, 2)).reshape(
            -1, 3, 2
        )
    except DegenerateGeometryError:
        return none
    corner, arms = seen[:, 1], seen[:, [0, 2]] - seen[:, [1]]  # back, ahead
    lengths = np.linalg.norm(arms, axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        arms = arms / lengths[..., None]
        skew = np.arcsin(np.clip((arms[:, 0] * arms[:, 1]).sum(axis=1), -1, 1))
    square = (np.abs(skew) < _RIGHT_ANGLE_RAD) & (lengths.min(axis=1) > _ARM_MIN_MM)
    corner, arms, lengths = corner[square], arms[square], lengths[square]
    parts = [
        _poses_at_corners(corner, arms, lengths, size_mm, ahead_is_width)
        for size_mm in rectangles_mm
        for ahead_is_width in (True, False)
    ]
    poses, corners = (np.concatenate(part) for part in zip(*parts, strict=True))
    card = rectangles_mm[0]
    good = are_in_front(with_poses(plane, poses), float(np.hypot(*card)) / 2)
    good &= cover_shares(poses, taken, card) < overlap
    return poses[good], corners[good]


def _poses_at_corners(
    corner: FloatArray,
    arms: FloatArray,
    lengths: FloatArray,
    size_mm: tuple[float, float],
    ahead_is_width: bool,
) -> tuple[FloatArray, FloatArray]:
    """Fit a rectangle into each corner whose arms are no longer than its sides.

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
    poses : (K, 3) float64
        x mm, y mm, theta rad.
    corners : (K, 2) float64
        The elbows' corners, table frame, mm.
    """
    width, height = size_mm
    sides = [height, width] if ahead_is_width else [width, height]
    fits = (lengths < _ARM_SLACK * np.array(sides)).all(axis=1)
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
    return np.column_stack([centre, theta]), corner
