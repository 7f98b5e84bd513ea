"""Solved poses + outlines -> unnamed cards where their outlines lie, and which are cards for sure.

A card whose face is not of the deck was laid by the outline that it has, then drawn aside by the
print of the face that it is most like. Once it is known to be none of them, its outline counts.
"""

from dataclasses import replace

import numpy as np

from vision.seeing.estimation.model import with_poses
from vision.seeing.estimation.plane import poses_on_plane
from vision.seeing.values import PoseEstimate
from vision.values.arrays import FloatArray, IntArray

__all__ = ["restore_outline_poses"]


# What an outline says.
OUTLINE_SHARE = 0.04  # of the card's width: rms of its corners; seen on cards: 0.032
#: How well it tells the place, of the card's width, and the turn, rad; seen: 0.003-0.012.
_SD = 0.01


def restore_outline_poses(
    located: PoseEstimate,
    faces: IntArray,
    outlined_px: FloatArray | None,
    size_mm: tuple[float, float],
) -> PoseEstimate:
    """Put unnamed cards back to where their outlines lie on the solved plane.

    Parameters
    ----------
    located : PoseEstimate
        N cards, solved.
    faces : (N,) int
        The face of each, -1 for none.
    outlined_px : (N, 4, 2) float64, optional
        Corners of the outlines, photo frame; nan where there is none.
    size_mm : (float, float)
        Width and height of a card.

    Returns
    -------
    PoseEstimate
        With ``outlined`` told: who still has a card's shape on the plane as it was solved.
    """
    if outlined_px is None:
        return located
    known = np.flatnonzero(np.isfinite(outlined_px).all(axis=(1, 2)))
    outline_poses, misfit = poses_on_plane(located.solution, outlined_px[known], size_mm)
    fits = misfit < OUTLINE_SHARE * min(size_mm)
    known, outline_poses = known[fits], outline_poses[fits]
    outlined = np.zeros(len(faces), np.bool_)
    outlined[known] = True
    unnamed = faces[known] < 0
    known, outline_poses = known[unnamed], outline_poses[unnamed]
    poses = located.solution.poses.copy()
    # an outline leaves the half turn open
    outline_poses[:, 2] += np.pi * np.round((poses[known, 2] - outline_poses[:, 2]) / np.pi)
    poses[known] = outline_poses
    rows = (3 * known[:, None] + np.arange(3)).ravel()
    covariance = located.pose_covariance.copy()
    covariance[rows] = covariance[:, rows] = 0.0
    place = (_SD * min(size_mm)) ** 2
    covariance[rows, rows] = np.tile([place, place, _SD**2], len(known))
    solution = with_poses(located.solution, poses)
    return replace(located, solution=solution, pose_covariance=covariance, outlined=outlined)
