"""Doubts about outlines that were found but became no card."""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.overlaps import BESIDE_SHARE, card_outlines, max_overlap
from vision.seeing.values import Hypotheses, HypothesisSource
from vision.texts import make_issue, where_px
from vision.values.arrays import FloatArray
from vision.values.messages import Issue

__all__ = ["report_unread_outlines", "unread_poses", "visible_centres"]


# Which outlines are worth a word.


def unread_poses(
    found: Hypotheses, solution: Solution, places: Sequence[int], size_mm: tuple[float, float]
) -> FloatArray:
    """Return poses (K, 3) of outlines that became no card.

    Parameters
    ----------
    found : Hypotheses
        N supposed cards.
    solution : Solution
        The same, solved.
    places : sequence of int
        Which of them are cards of the layout.
    size_mm : (float, float)
        Width and height of a card.
    """
    outlines = card_outlines(solution.poses, size_mm)
    taken = [outlines[i] for i in places]
    unread = []
    for i in np.flatnonzero(found.source >= HypothesisSource.SHAPED).tolist():
        if i in places or max_overlap(outlines[i], np.array(taken)) >= BESIDE_SHARE:
            continue
        taken.append(outlines[i])
        unread.append(i)
    return np.asarray(solution.poses[unread], np.float64)


def report_unread_outlines(unread_px: FloatArray, size_wh: tuple[int, int]) -> tuple[Issue, ...]:
    """Report card-shaped outlines (K, 4, 2), photo frame, that became no card."""
    return tuple(
        make_issue("outline_unread", "issue.outline_unread", **where_px(*at))
        for at in visible_centres(unread_px, size_wh)
    )


def visible_centres(outlines_px: FloatArray, size_wh: tuple[int, int]) -> FloatArray:
    """Return the centres of the visible parts of outlines; none for those outside the photo.

    Parameters
    ----------
    outlines_px : (N, 4, 2) float64
        Convex, photo frame.
    size_wh : (int, int)
        Of the photo.

    Returns
    -------
    (K, 2) float64
        Photo frame, in the order of the outlines.
    """
    width, height = size_wh
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    middles = []
    for outline in outlines_px:
        if ((outline >= frame[0]) & (outline <= frame[2])).all():
            middles.append(outline.mean(axis=0))
            continue
        area, part = cv2.intersectConvexConvex(frame, outline.astype(np.float32))
        if area > 0:
            of = cv2.moments(part)
            middles.append(np.array([of["m10"], of["m01"]]) / of["m00"])
    return np.array(middles, np.float64).reshape(-1, 2)
