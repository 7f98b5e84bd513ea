"""Points that match between two planes of one scale -> the turn and shift on which most agree."""

import numpy as np

from vision.geometry import rotation
from vision.values.arrays import BoolArray, FloatArray, IntArray, Points

__all__ = ["fit_rigid", "rigid_consensus"]


# When matches agree on a place.
_PAIR_MM = 20.0  # between two features that give a place: nearer, the turn is poor
_PAIR_OFF_MM = 1.5  # of that distance in the photo
_SAME_MM = 2.5  # a feature that agrees with a place; paper waves by a millimetre
_ENOUGH = 7  # that agree: fewer do so by chance


def rigid_consensus(art: Points, table: Points) -> tuple[FloatArray, BoolArray, float] | None:
    """Find where a print lies on a plane.

    Parameters
    ----------
    art, table : (M, 2) float64
        Places on the print and those that match them on the plane, mm.

    Returns
    -------
    pose : (3,) float64
        On which most matches agree: x mm, y mm, theta rad.
    inliers : (M,) bool
        Which do.
    sd_mm : float
        Their spread, as that of the place.

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
    """Return on how many matches the best of some places agrees, and which (-1: none) it is.

    A place lays match ``i`` (N,) exactly, turned by ``theta`` (N,) rad.
    """
    c, sn = np.cos(theta), np.sin(theta)
    shift = table[i] - np.stack(
        [c * art[i, 0] - sn * art[i, 1], sn * art[i, 0] + c * art[i, 1]], axis=1
    )
    ones, rows = np.ones(len(art)), np.ones_like(c)
    across, along = (  # products of matrices: a turn, a shift and what is there already
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
    """Return the turn (2, 2) and shift (2,) that bring points (N, 2) nearest to others."""
    a, b = one - one.mean(axis=0), other - other.mean(axis=0)
    angle = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    turn = rotation(float(angle))
    return turn, other.mean(axis=0) - turn @ one.mean(axis=0)
