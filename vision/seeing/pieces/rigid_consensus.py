"""Finds the rotation and shift on which most point matches of one scale agree.

References
----------
.. [1] Fischler and Bolles, Random Sample Consensus, 1981.
"""

import cv2
import numpy as np

from vision.geometry import rotation
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["fit_rigid", "rigid_consensus"]


_SAME_MM = 2.5  # largest error of an inlier; paper waves by a millimetre
_ENOUGH = 7  # least inliers; fewer agree by chance
_SAMPLES = 5000  # two of them are right once in a thousand


def rigid_consensus(art: Points, table: Points) -> tuple[FloatArray, BoolArray] | None:
    """Estimate the pose of a print on a plane.

    Parameters
    ----------
    art, table : (M, 2) float64
        Points of the print and the matching points of the plane, mm.

    Returns
    -------
    pose : (3,) float64
        Pose with most inliers: x mm, y mm, theta rad.
    inliers : (M,) bool
        Matches that agree with it.

    None if too few agree.
    """
    if len(art) < _ENOUGH:
        return None
    found, mask = cv2.estimateAffinePartial2D(
        art, table, None, cv2.RANSAC, _SAME_MM, _SAMPLES, 1 - 1e-6, 0
    )
    if found is None:
        return None
    inliers = mask.ravel() > 0
    for _ in range(3):
        if inliers.sum() < _ENOUGH:
            return None
        turn, shift = fit_rigid(art[inliers], table[inliers])
        off = art @ turn.T + shift - table
        inliers = np.asarray((off**2).sum(axis=1) < _SAME_MM**2, np.bool_)
    pose = np.array([*shift, np.arctan2(turn[1, 0], turn[0, 0])])
    return (pose, inliers) if inliers.sum() >= _ENOUGH else None


def fit_rigid(one: Points, other: Points) -> tuple[FloatArray, FloatArray]:
    """Return the rotation (2, 2) and shift (2,) that best map points (N, 2) to others."""
    a, b = one - one.mean(axis=0), other - other.mean(axis=0)
    angle = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    turn = rotation(float(angle))
    return turn, other.mean(axis=0) - turn @ one.mean(axis=0)
