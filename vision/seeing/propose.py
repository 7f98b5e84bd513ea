"""Poses that cards may have on the table: many, without judgement.

Outlines of a whole photo are the first (``hypotheses_from_quads``). On a rectified part of the
table, a corner of two straight edges is that of a card, or of a rectangle printed on one, in either
direction; a straight edge may be a whole side of either. What lies together and is no larger than a
card may be the print of one, in its middle.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import cv2
import numpy as np
import shapely
from shapely import STRtree

from vision.imaging.view import View
from vision.seeing.detection.corners import find_corners
from vision.seeing.estimation.model import Solution, with_poses
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.seeing.estimation.plane import Plane, poses_on_plane
from vision.seeing.estimation.rectify import Rectified
from vision.seeing.values import READ_SCORE, Hypotheses
from vision.values.arrays import BoolArray, FloatArray
from vision.values.pieces import Faces

__all__ = [
    "LEAST_ARM_MM",
    "assumed_picture",
    "hypotheses_from_quads",
    "propose_from_corners",
    "propose_from_print",
    "propose_from_sides",
    "rectangles_on",
]

_RIGHT_ANGLE_RAD = 0.10  # 6 degrees: arms of 16 px are good to 3 each
LEAST_ARM_MM = 9.0  # a corner that shows less cannot be told from clutter
_ARM_SLACK = 1.06  # an arm longer than the side is no side
_AGREE_MM = 3.0  # between what two corners of one card say of its middle
_AGREE_RAD = 0.05  # and of its angle
_APART_MM = 40.0  # between two corners, not one corner seen twice
_SIDE_OFF_MM = 7.0  # of a line that is a whole side: two rounded corners take as much
_MOST_MARGINS = 3  # sizes of pictures within their borders, the commonest: most decks have one
_BORDER_MM = 3.5  # round a card's picture: assumed where no face has a measured border or frame
_LEAST_PRINT_MM = 8.0  # across what may be the print of a card: smaller is dirt
_SHAPE_SHARE = 0.07  # largest rms of a card's corners on the plane, of the card's width
_SAME_SHARE = 0.5  # overlap, of a card's area, above which two poses are the same card


@lru_cache(maxsize=4)
def rectangles_on(faces: Faces) -> tuple[tuple[float, float], ...]:
    """Return the rectangles that show on cards, width and height, mm: the edge, then printed ones.

    They are the frames of a deck drawn with such, or the pictures within their borders.
    """
    inner = [(of.width_mm, of.height_mm) for of in faces.frames[:1]]
    bordered = faces.margins_mm[(faces.margins_mm > 0).all(axis=1)]
    sizes = np.rint(np.array(faces.size_mm) - bordered[:, :2] - bordered[:, 2:])
    each, counts = np.unique(sizes, axis=0, return_counts=True)
    commonest = each[np.argsort(-counts, kind="stable")[:_MOST_MARGINS]]
    return (faces.size_mm, *inner, *((width, height) for width, height in commonest.tolist()))


def assumed_picture(faces: Faces) -> tuple[float, float] | None:
    """Return the width and height of the picture in a border, mm, if nothing says it; else None."""
    if len(rectangles_on(faces)) > 1:
        return None
    width, height = (side - 2 * _BORDER_MM for side in faces.size_mm)
    return width, height


def hypotheses_from_quads(
    view: View,
    plane: Plane,
    quads_px: FloatArray,
    rectangles_mm: Sequence[tuple[float, float]],
    score: Callable[[View, Solution], FloatArray],
) -> Hypotheses:
    """Return the poses at which outlines may be cards, those that are read first.

    Parameters
    ----------
    view : View
        The photo.
    plane : Plane
        Camera and plane.
    quads_px : (N, 4, 2) float64
        Outlines, photo frame.
    rectangles_mm : sequence of (float, float)
        Width and height of the card, then of what is printed on it.
    score : callable
        Returns the best face's correlation (N,) of the cards of a solution.
    """
    size_mm = rectangles_mm[0]
    ways_px = np.concatenate([quads_px, np.roll(quads_px, -1, axis=1)])
    each = [poses_on_plane(plane.solution, ways_px, one) for one in rectangles_mm]
    poses, misfit_mm = (np.concatenate(of) for of in zip(*each, strict=True))
    fits = np.flatnonzero(misfit_mm < _SHAPE_SHARE * min(size_mm))
    poses = poses[fits[np.argsort(misfit_mm[fits], kind="stable")]]
    scores = score(view, with_poses(plane.solution, poses))
    order = np.argsort(-np.where(scores > READ_SCORE, scores, -1.0), kind="stable")
    kept = order[non_max_suppression(poses[order], size_mm, _SAME_SHARE)]
    return Hypotheses(poses[kept], scores[kept], plane, n_outlines=len(quads_px))


def propose_from_sides(
    rectified: Rectified, lines_px: FloatArray, rectangles_mm: Sequence[tuple[float, float]]
) -> FloatArray:
    """Return the poses (K, 3) of rectangles that have a line (L, 2, 2) as one whole side."""
    lines_mm = rectified.to_mm(lines_px.reshape(-1, 2)).reshape(-1, 2, 2)
    along = lines_mm[:, 1] - lines_mm[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    middles, theta = lines_mm.mean(axis=1), np.arctan2(along[:, 1], along[:, 0])
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.maximum(lengths, 1e-9)[:, None]
    poses = [np.zeros((0, 3))]
    for width, height in rectangles_mm:
        for side, other, turn in ((width, height, 0.0), (height, width, np.pi / 2)):
            whole = np.abs(lengths - side) < _SIDE_OFF_MM
            for away in (-other / 2, other / 2):
                centre = middles[whole] + away * across[whole]
                poses.append(np.column_stack([centre, theta[whole] + turn]))
    return np.concatenate(poses)


def propose_from_corners(
    rectified: Rectified, lines_px: FloatArray, rectangles_mm: Sequence[tuple[float, float]]
) -> tuple[FloatArray, BoolArray]:
    """Return the poses (K, 3), table frame, at which one of the rectangles has a visible corner.

    Also returns on which of them (K,) two corners agree. The half turn is open. A corner bounds
    what lies between its arms, which are no longer than the rectangle's sides.
    """
    corners = rectified.to_mm(find_corners(lines_px).reshape(-1, 2)).reshape(-1, 3, 2)
    at, arms = corners[:, 1], corners[:, [0, 2]] - corners[:, [1]]  # back, ahead
    lengths = np.linalg.norm(arms, axis=2)
    arms = arms / np.maximum(lengths, 1e-9)[..., None]
    skew = np.arcsin(np.clip((arms[:, 0] * arms[:, 1]).sum(axis=1), -1, 1))
    square = (np.abs(skew) < _RIGHT_ANGLE_RAD) & (lengths.min(axis=1) > LEAST_ARM_MM)
    at, arms, lengths = at[square], arms[square], lengths[square]
    each = [
        _poses_at_corners(at, arms, lengths, size_mm, is_width)
        for size_mm in rectangles_mm
        for is_width in (True, False)
    ]
    poses, corner = (np.concatenate(of) for of in zip(*each, strict=True))
    return poses, _agreed(poses, corner)


def _agreed(poses: FloatArray, corners: FloatArray) -> BoolArray:
    """Return with which poses (K, 3) one from another corner (K, 2) agrees."""
    middles = np.asarray(shapely.points(poses[:, :2]))
    a, b = STRtree(middles).query(middles, "dwithin", _AGREE_MM)
    agree = np.abs(np.sin(poses[a, 2] - poses[b, 2])) < _AGREE_RAD
    agree &= np.linalg.norm(corners[a] - corners[b], axis=1) > _APART_MM
    agreed = np.zeros(len(poses), np.bool_)
    agreed[a[agree]] = True
    return agreed


def _poses_at_corners(
    corner: FloatArray,
    arms: FloatArray,
    lengths: FloatArray,
    size_mm: tuple[float, float],
    ahead_is_width: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return the poses (K, 3) of rectangles whose sides the arms may be, and their corners (K, 2).

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


def propose_from_print(things: BoolArray, rectified: Rectified, longest_mm: float) -> FloatArray:
    """Return the poses (K, 3) of cards that have a thing's box in their middle, across and along.

    White paper on a white table has no visible edge, but its print is visible.

    Parameters
    ----------
    things : (H, W) bool
        Where something lies, on a rectified table.
    rectified : Rectified
        That table.
    longest_mm : float
        The longest thing that may be the print of a card, with the evidence's soft edge.
    """
    mask = things.astype(np.uint8)
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    poses = []
    for middle, sides, degrees in map(cv2.minAreaRect, found):
        short_mm, long_mm = sorted(side / rectified.px_per_mm for side in sides)
        if short_mm > _LEAST_PRINT_MM and long_mm < longest_mm:
            x, y = rectified.to_mm(np.array(middle)).tolist()
            poses += [(x, y, np.radians(degrees) + turn) for turn in (0.0, np.pi / 2)]
    return np.array(poses, np.float64).reshape(-1, 3)
