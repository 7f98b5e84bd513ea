"""Detects corners: two straight edges that meet at about a right angle.

A card that is partly covered, or that touches another, has no four-sided outline, but some of its
corners still stand out. Once the table plane is known, one corner is enough to propose a card.
"""

import cv2
import numpy as np
import shapely
from shapely import STRtree

from vision.geometry import meet
from vision.values.arrays import FloatArray, ImageGray, IntArray

__all__ = ["complete_corners", "find_corners", "find_lines"]

_LEAST_ARM_PX = 16.0  # gives a direction to 3 degrees
_ARM_GAP = 1.0  # largest gap from an arm's end to the intersection, of the shorter arm
_ARM_GAP_PX = 4.0  # added to that: corners are rounded
_CORNER_SINE = 0.5  # arms within 30 degrees of parallel form no corner
_MOST_SEGMENTS = 3000  # longest segments that are used: cloth has any number


def find_lines(
    gray: ImageGray, least_px: float = _LEAST_ARM_PX, *, fine: bool = False
) -> FloatArray:
    """Detect straight edges (L, 2, 2) of some length, the longest first; pixels of ``gray``.

    They are looked for at 0.8 of the size, where noise makes none; the ``fine`` ones, of cards that
    touch or show little, at full size.
    """
    detector = cv2.createLineSegmentDetector()
    if fine:
        detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD, 1.0)
    found = detector.detect(gray)[0]
    if found is None:
        return np.zeros((0, 2, 2))
    lines = found.reshape(-1, 2, 2).astype(np.float64)
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    keep = np.argsort(-lengths, kind="stable")
    return np.asarray(lines[keep[lengths[keep] >= least_px][:_MOST_SEGMENTS]])


def find_corners(lines: FloatArray) -> FloatArray:
    """Return the corners of lines (L, 2, 2), the longest first, whose ends nearly meet.

    Returns
    -------
    (M, 3, 2) float64
        A point on the one edge, the intersection, a point on the other, clockwise round the
        enclosed region. The longest arms come first.
    """
    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    way = (lines[:, 1] - lines[:, 0]) / lengths[:, None]
    a, b = _segment_pairs(lines, lengths)
    cross = way[a, 0] * way[b, 1] - way[a, 1] * way[b, 0]
    a, b = a[np.abs(cross) > _CORNER_SINE], b[np.abs(cross) > _CORNER_SINE]
    corner, _ = meet(lines[a, 0], way[a], lines[b, 0], way[b])
    gaps = [
        np.linalg.norm(lines[k] - corner[:, None], axis=2) for k in (a, b)
    ]  # (P, 2) each: of both ends
    allowed = _ARM_GAP * np.minimum(lengths[a], lengths[b]) + _ARM_GAP_PX
    meets = (gaps[0].min(axis=1) < allowed) & (gaps[1].min(axis=1) < allowed)
    a, b, corner = a[meets], b[meets], corner[meets]
    ends = [
        lines[k][np.arange(len(k)), gap[meets].argmax(axis=1)]
        for k, gap in zip((a, b), gaps, strict=True)
    ]
    visible_corners = np.stack([ends[0], corner, ends[1]], axis=1)
    back, ahead = visible_corners[:, 0] - corner, visible_corners[:, 2] - corner
    # clockwise round the inside: ahead is a quarter turn counterclockwise of back, y down
    wrong = ahead[:, 0] * back[:, 1] - ahead[:, 1] * back[:, 0] < 0
    visible_corners[wrong] = visible_corners[wrong][:, ::-1]
    arms = np.linalg.norm(visible_corners[:, ::2] - visible_corners[:, 1:2], axis=2).min(axis=1)
    return np.asarray(visible_corners[np.argsort(-arms, kind="stable")], np.float64)


def _segment_pairs(lines: FloatArray, lengths: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the pairs (P,), (P,) of segments that may meet, the longer segment first.

    The allowed gap depends on the shorter segment, so one radius query per segment end finds all
    pairs.
    """
    count = len(lines)
    ends = lines.reshape(-1, 2)
    radius = 2 * np.repeat(_ARM_GAP * lengths + _ARM_GAP_PX, 2)
    points = np.asarray(shapely.points(ends))
    shorter, longer = STRtree(points).query(points, "dwithin", radius) // 2
    pairs = np.unique((longer * count + shorter)[longer < shorter])
    return pairs // count, pairs % count


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
