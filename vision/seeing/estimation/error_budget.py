"""Covariances of systematic errors that all cards share.

The edge of a white card is measured some hundredths of a pixel too far outward. If that were
uniform, all cards, and so the table, would only appear larger. Sharpening, camera shake and shadow
shift edges by their direction, focus and light by their position in the image: then the table
appears stretched, and larger towards one end. No residual separates that from the table's pose.
"""

import numpy as np

from vision.seeing.estimation.model import Solution
from vision.values.arrays import FloatArray

__all__ = ["bias_covariance", "growth_covariance", "growth_variance", "stretch_covariance"]


def growth_covariance(poses: FloatArray, growth: float) -> FloatArray:
    """Return the covariance (3N, 3N) of poses (N, 3) for an apparent common growth of all cards.

    The table appears larger with them by the same share, ``growth`` (1 sd).
    """
    away = _growth_direction(poses)
    return growth**2 * np.outer(away, away)


def stretch_covariance(poses: FloatArray, aspect: float) -> FloatArray:
    """Return the covariance (3N, 3N) of poses for a stretch of the view instead of the cards.

    Cards that all lie in one direction appear too long by an ``aspect`` (logarithm of width over
    height, relative to the nominal one) if they are, or if the table's slant is wrong: then all of
    it is stretched along them, its area kept. Cards in all directions separate the two.
    """
    if not len(poses):
        return np.zeros((0, 0))
    # 0 for cards in all directions; half turns are equivalent
    way = np.exp(2j * poses[:, 2]).mean()
    along = np.array([[way.real, way.imag], [way.imag, -way.real]])
    moved = np.zeros(poses.size)
    off = (poses[:, :2] - poses[:, :2].mean(axis=0)) @ along * aspect / 2
    moved[0::3], moved[1::3] = off.T
    return np.outer(moved, moved)


def growth_variance(poses: FloatArray, covariance: FloatArray) -> float:
    """Return the variance (share squared) of the common scale of poses (N, 3), covariance (3N, 3N).

    Infinite for cards in one place, which do not determine it.
    """
    away = _growth_direction(poses)
    length = float(away @ away)
    return float(away @ covariance @ away) / length**2 if length else np.inf


def _growth_direction(poses: FloatArray) -> FloatArray:
    """Return the displacement (3N,) of poses (N, 3) under unit relative growth of the table."""
    away = np.zeros(poses.size)
    away[0::3], away[1::3] = (poses[:, :2] - poses[:, :2].mean(axis=0)).T
    return away


def bias_covariance(solution: Solution, share: float) -> FloatArray:
    """Return the covariance (3N, 3N) of poses for edge biases that differ over the image.

    Parameters
    ----------
    solution : Solution
        N cards on their plane.
    share : float
        Standard deviation of the growth: of the whole, of one axis of the table against the other
        and along its diagonals, and of its gradient at the cards' rms distance from their mean.
    """
    if len(solution.poses) < 2:
        return np.zeros((solution.poses.size,) * 2)
    away = solution.poses[:, :2] - solution.poses[:, :2].mean(axis=0)
    x, y = away.T
    # mm; all cards may be in one place
    reach = max(float(np.sqrt((away**2).sum(axis=1).mean())), 1e-9)
    none = np.zeros(len(x))
    ways = [(x, y), (x, -y), (y, x), (x * x / reach, x * y / reach), (x * y / reach, y * y / reach)]
    moves = share * np.stack([np.stack([*way, none], axis=1).ravel() for way in ways], axis=1)
    return np.asarray(moves @ moves.T, np.float64)
