"""Detects corners in contours: two straight segments that meet at about a right angle.

A card that is partly covered, or that touches another, has no four-sided contour, but some of its
corners still stand out. Once the table plane is known, one corner is enough to propose a card.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import meet
from vision.values.arrays import BoolArray, ContourArray, FloatArray, IntArray

__all__ = ["MIN_ARM_PX", "complete_corners", "find_corners"]


# Criteria of a corner; lengths are pixels of the reduced image.
_BEND_PX = 2.5  # tolerance of the polygon approximation: a straight segment's largest bend
MIN_ARM_PX = 16.0  # gives a direction to 3 degrees
_MOST_BETWEEN = 2  # short segments between a corner's arms, at a rounded corner
_ARM_ENDS = 8  # an eighth of an arm is left out at each end: rounded corners
_MIN_SINE = 0.5  # arms within 30 degrees of parallel form no corner
_GAP = 0.35  # largest gap from an arm's end to the intersection, of the shorter arm
_GAP_PX = 3.0  # added to that
_MOST = 1500  # corners kept, longest arms first: photos have 100 to 700, checked cloth thousands


@dataclass(frozen=True, slots=True, eq=False)
class _Segments:
    """The S straight segments of all contours, in order.

    ``owner`` (S,) is the contour of each; ``start``, ``end`` (S, 2) its end points; ``first`` and
    ``last`` (S,) their indices in the concatenated contour points, each contour occurring twice.
    """

    owner: IntArray
    start: FloatArray
    end: FloatArray
    first: IntArray
    last: IntArray


def find_corners(contours: Sequence[ContourArray], size_wh: tuple[int, int]) -> FloatArray:
    """Detect corners in closed contours.

    Parameters
    ----------
    contours : sequence of (N, 2) int32
        Pixels of the reduced image, each beside the next.
    size_wh : (int, int)
        Size of the image, whose border is no edge of a card.

    Returns
    -------
    (M, 3, 2) float64
        A point on the one segment, the intersection, a point on the other: clockwise round the
        enclosed region.
    """
    pieces = _with_long_arms(_vertices(contours), MIN_ARM_PX)
    if not pieces:
        return np.zeros((0, 3, 2))
    points = np.concatenate([c for contour, _ in pieces for c in (contour, contour)])
    stretches = _segments(pieces)
    a, b = _arm_pairs(stretches, size_wh)
    if not len(a):
        return np.zeros((0, 3, 2))
    point, direction = _line_along(points, stretches)
    d, e = direction[a], direction[b]
    corner, sine = meet(point[a], d, point[b], e)
    square = np.abs(sine) >= _MIN_SINE
    arms = np.linalg.norm(stretches.end - stretches.start, axis=1)
    gap = np.linalg.norm(corner - stretches.end[a], axis=1)
    square &= gap <= _GAP * np.minimum(arms[a], arms[b]) + _GAP_PX
    back, ahead = corner - arms[a, None] * d, corner + arms[b, None] * e
    # a dent in a white region is a corner of the dark frame inside it
    dent = (sine < 0)[:, None]
    visible_corners = np.stack(
        [np.where(dent, ahead, back), corner, np.where(dent, back, ahead)], axis=1
    )
    visible_corners, shorter = visible_corners[square], np.minimum(arms[a], arms[b])[square]
    longest = np.sort(np.argsort(-shorter, kind="stable")[:_MOST])
    return np.asarray(visible_corners[longest], np.float64)


def complete_corners(
    visible_corners: FloatArray, least_px: float, least_aspect: float, rounded: float
) -> FloatArray:
    """Complete corners to parallelograms, taking their arms for whole sides.

    Parameters
    ----------
    visible_corners : (M, 3, 2) float64
        As of :func:`find_corners`.
    least_px : float
        Least length of the shorter arm.
    least_aspect : float
        Least ratio of the shorter arm to the longer.
    rounded : float
        Share of the shorter arm that a rounded corner takes from the far end of either.

    Returns
    -------
    (N, 4, 2) float64
        Parallelograms, clockwise: a distant card's projection.
    """
    arms = visible_corners[:, [0, 2]] - visible_corners[:, [1]]
    lengths = np.linalg.norm(arms, axis=2)
    shorter = lengths.min(axis=1)
    long = (shorter > least_px) & (shorter > least_aspect * lengths.max(axis=1))
    grown = 1 + rounded * shorter[long, None] / lengths[long]
    corner, arms = visible_corners[long, 1], arms[long] * grown[..., None]
    back, ahead = corner + arms[:, 0], corner + arms[:, 1]
    return np.stack([back, corner, ahead, back + ahead - corner], axis=1)


def _vertices(contours: Sequence[ContourArray]) -> list[tuple[ContourArray, ContourArray]]:
    """Return the contours with corners, clockwise, and the vertices (V, 2) of each."""
    pieces = []
    for contour in contours:
        rough = np.asarray(cv2.approxPolyDP(contour, _BEND_PX, True)[:, 0], np.int32)
        if len(rough) < 3:
            continue
        if cv2.contourArea(rough, True) < 0:
            pieces.append((contour[::-1], rough[::-1]))
        else:
            pieces.append((contour, rough))
    return pieces


def _with_long_arms(
    pieces: list[tuple[ContourArray, ContourArray]], least_px: float
) -> list[tuple[ContourArray, ContourArray]]:
    """Return contours with two segments long enough for arms; background texture has few."""
    if not pieces:
        return []
    counts = np.array([len(vertices) for _, vertices in pieces])
    corners = np.concatenate([vertices for _, vertices in pieces])
    long = np.linalg.norm(corners[_next_in_ring(counts)] - corners, axis=1) >= least_px
    arms = np.add.reduceat(long.astype(np.int64), np.cumsum(counts) - counts)
    return [piece for piece, many in zip(pieces, arms.tolist(), strict=True) if many > 1]


def _next_in_ring(counts: IntArray) -> IntArray:
    """Return each member's successor index in concatenated closed rings of ``counts`` members."""
    after = np.arange(int(counts.sum())) + 1
    ends, some = np.cumsum(counts), counts > 0
    after[ends[some] - 1] = (ends - counts)[some]  # the ring's last member is followed by its first
    return after


def _segments(pieces: list[tuple[ContourArray, ContourArray]]) -> _Segments:
    """Split contours at their vertices."""
    lengths = np.array([len(contour) for contour, _ in pieces])
    counts = np.array([len(vertices) for _, vertices in pieces])
    begin = np.concatenate([[0], np.cumsum(2 * lengths)[:-1]])
    owner = np.repeat(np.arange(len(pieces)), counts)

    def code(owners: IntArray, pixels: ContourArray) -> IntArray:
        x, y = pixels.T.astype(np.int64)
        return np.asarray((owners << 40) + (x << 20) + y, np.int64)

    pixel_owner = np.repeat(np.arange(len(pieces)), lengths)
    codes = code(pixel_owner, np.concatenate([contour for contour, _ in pieces]))
    vertices = np.concatenate([vertices for _, vertices in pieces])
    order = np.argsort(codes, kind="stable")
    place = order[np.searchsorted(codes, code(owner, vertices), sorter=order)]
    single = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    first = place - single[owner] + begin[owner]

    after = _next_in_ring(counts)
    last = first[after]
    last = np.where(last <= first, last + lengths[owner], last)
    corners = vertices.astype(np.float64)
    return _Segments(owner, corners, corners[after], first, last)


def _arm_pairs(stretches: _Segments, size_wh: tuple[int, int]) -> tuple[IntArray, IntArray]:
    """Return pairs (E,), (E,) of segments that may be the arms of a corner."""
    owner = stretches.owner
    counts = np.bincount(owner)
    arms = np.linalg.norm(stretches.end - stretches.start, axis=1)
    long = np.flatnonzero(arms >= MIN_ARM_PX)
    if not len(long):
        return long, long
    many = np.bincount(owner[long], minlength=len(counts))
    following = long[_next_in_ring(many)]
    between = (following - long) % counts[owner[long]]
    rim = _are_on_picture_edge(stretches, size_wh)
    good = (following != long) & (between <= _MOST_BETWEEN + 1)
    good &= ~rim[long] & ~rim[following]
    return long[good], following[good]


def _are_on_picture_edge(stretches: _Segments, size_wh: tuple[int, int]) -> BoolArray:
    """Return which segments (S,) run along the image border."""
    far = np.array(size_wh) - 1
    low = (stretches.start == 0) & (stretches.end == 0)
    high = (stretches.start == far) & (stretches.end == far)
    return np.asarray((low | high).any(axis=1))


def _line_along(points: ContourArray, stretches: _Segments) -> tuple[FloatArray, FloatArray]:
    """Return a point (S, 2) and the forward direction (S, 2) of the line fitted to each segment."""
    count = stretches.last - stretches.first
    cut = np.maximum(1, count // _ARM_ENDS)
    first = np.minimum(stretches.first + cut, stretches.last - 1)
    last = np.maximum(stretches.last - cut, first + 1)
    moments = np.zeros((5, len(points) + 1))  # prefix sums over all points; millions on loud cloth
    moments[:2, 1:] = points.T
    x, y = moments[:2, 1:]
    for k, (u, v) in enumerate(((x, x), (y, y), (x, y)), start=2):
        np.multiply(u, v, out=moments[k, 1:])
    np.cumsum(moments, axis=1, out=moments)
    x, y, xx, yy, xy = (moments[:, last] - moments[:, first]) / (last - first)
    angle = 0.5 * np.arctan2(2 * (xy - x * y), (xx - x * x) - (yy - y * y))
    direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    forward = ((stretches.end - stretches.start) * direction).sum(axis=1) >= 0
    return np.stack([x, y], axis=1), np.where(forward[:, None], direction, -direction)
