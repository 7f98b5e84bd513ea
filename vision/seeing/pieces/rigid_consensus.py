"""Finds the rotation and shift on which most point matches of one scale agree."""

import numpy as np

from vision.geometry import rotation
from vision.values.arrays import BoolArray, FloatArray, IntArray, Points

__all__ = ["fit_rigid", "rigid_consensus"]


# Consensus of matches.
_PAIR_MM = 20.0  # least distance of two features that define a pose: nearer, the rotation is poor
_PAIR_OFF_MM = 1.5  # largest error of that distance in the photo
_SAME_MM = 2.5  # largest error of an inlier; paper waves by a millimetre
_ENOUGH = 7  # least inliers; fewer agree by chance


def rigid_consensus(art: Points, table: Points) -> tuple[FloatArray, BoolArray, float] | None:
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
    sd_mm : float
        Position error (1 sd), from their scatter.

    None if too few agree.
    """
    if len(art) < _ENOUGH:
        return None
    i, j = np.triu_indices(len(art), 1)
    one, other = art[j] - art[i], table[j] - table[i]
    long, longs = np.hypot(*one.T), np.hypot(*other.T)
    fits = (long > _PAIR_MM) & (np.abs(long - longs) < _PAIR_OFF_MM)
    i, one, other = i[fits], one[fits], other[fits]
    if not len(i):
        return None
    theta = np.arctan2(other[:, 1], other[:, 0]) - np.arctan2(one[:, 1], one[:, 0])
    best = _most_inliers(art, table, i, theta)
    if best[0] < _ENOUGH:
        return None
    k = best[1]
    turn = rotation(float(theta[k]))
    shift = table[i[k]] - turn @ art[i[k]]
    for _ in range(3):
        off = art @ turn.T + shift - table
        inliers = np.asarray((off**2).sum(axis=1) < _SAME_MM**2, np.bool_)
        if inliers.sum() < _ENOUGH:
            return None
        turn, shift = fit_rigid(art[inliers], table[inliers])
    off = (art @ turn.T + shift - table)[inliers]
    sd = float(np.sqrt((off**2).mean() / max(1, inliers.sum() - 2)))
    pose = np.array([*shift, np.arctan2(turn[1, 0], turn[0, 0])])
    return pose, inliers, sd


def _most_inliers(art: Points, table: Points, i: IntArray, theta: FloatArray) -> tuple[int, int]:
    """Return the inlier count of the best of some poses, and its index (-1: none).

    A pose maps match ``i`` (N,) exactly, with a rotation ``theta`` (N,) rad.
    """
    c, sn = np.cos(theta), np.sin(theta)
    shift = table[i] - np.stack(
        [c * art[i, 0] - sn * art[i, 1], sn * art[i, 0] + c * art[i, 1]], axis=1
    )
    ones, rows = np.ones(len(art)), np.ones_like(c)
    across, along = (  # as matrix products: rotation, shift and observed point
        np.stack([*art.T, ones, -table[:, axis]]) for axis in (0, 1)
    )
    turned = (
        np.stack([c, -sn, shift[:, 0], rows], axis=1),
        np.stack([sn, c, shift[:, 1], rows], axis=1),
    )
    best = (0, -1)
    for part in np.array_split(np.arange(len(i)), len(i) // 1000 + 1):
        off = (turned[0][part] @ across) ** 2
        off += (turned[1][part] @ along) ** 2
        count = (off < _SAME_MM**2).sum(axis=1)
        top = int(count.argmax())
        if count[top] > best[0]:
            best = (int(count[top]), int(part[top]))
    return best


def fit_rigid(one: Points, other: Points) -> tuple[FloatArray, FloatArray]:
    """Return the rotation (2, 2) and shift (2,) that best map points (N, 2) to others."""
    a, b = one - one.mean(axis=0), other - other.mean(axis=0)
    angle = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    turn = rotation(float(angle))
    return turn, other.mean(axis=0) - turn @ one.mean(axis=0)
