"""Pose hypotheses of cards from detected outlines on the known plane.

An outline is the edge of a card, or a rectangle printed on one, if it has that shape on the plane.
Which hypotheses are cards, their faces tell, or what else is visible of them (``explain``).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from vision.imaging.view import View
from vision.seeing.estimation.model import Solution, with_poses
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.seeing.estimation.plane import Plane, poses_on_plane, transfer_poses
from vision.seeing.values import READ_SCORE, Hypotheses, PoseEstimate
from vision.values.arrays import FloatArray, IntArray

__all__ = ["hypotheses_from_quads", "restore_unnamed"]

_SHAPE_SHARE = 0.07  # largest rms of a card's corners on the plane, of the card's width
_SAME_SHARE = 0.5  # overlap, of a card's area, above which two poses are the same card
#: Error of a hypothesis's place, of the card's width, and of its turn, rad (1 sd): outlines have
#: 0.003 to 0.012, corners are allowed 3 mm.
_OUTLINE_SD = 0.03


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
    return Hypotheses(poses[kept], scores[kept], plane, outlines=len(quads_px))


def restore_unnamed(
    located: PoseEstimate, faces: IntArray, found: Hypotheses, size_mm: tuple[float, float]
) -> PoseEstimate:
    """Move unnamed cards back to the poses of their hypotheses, if poses come from the print.

    The print of the face that such a card resembles most has moved it, but it shows another. A card
    that was measured before the others were looked for stays where its print led it then, with the
    error of an outline. Cards that a watch knows stay where these photos show them.

    Parameters
    ----------
    located : PoseEstimate
        N cards, solved.
    faces : (N,) int
        The face of each, -1 for none.
    found : Hypotheses
        The N hypotheses, on their plane.
    size_mm : (float, float)
        Width and height of a card.
    """
    unnamed = np.flatnonzero(faces < 0)
    unnamed = unnamed[unnamed >= len(found.before)]
    if found.plane is None or located.visible is None or not len(unnamed):
        return located
    planes = found.plane.solution, located.solution
    outlined, _ = transfer_poses(found.poses[unnamed], *planes, size_mm)
    poses = located.solution.poses.copy()
    # an outline leaves the half turn open
    outlined[:, 2] += np.pi * np.round((poses[unnamed, 2] - outlined[:, 2]) / np.pi)
    poses[unnamed] = outlined
    rows = (3 * unnamed[:, None] + np.arange(3)).ravel()
    covariance = located.pose_covariance.copy()
    covariance[rows] = covariance[:, rows] = 0.0
    place = (_OUTLINE_SD * min(size_mm)) ** 2
    covariance[rows, rows] = np.tile([place, place, _OUTLINE_SD**2], len(unnamed))
    solution = with_poses(located.solution, poses)
    return replace(located, solution=solution, pose_covariance=covariance)
