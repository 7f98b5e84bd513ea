"""What measuring does to all cards alike -> the covariance that their poses share.

The edge of a white card reads outwards by some hundredths of a pixel. Were that the same
everywhere, all cards, and so the table, would only seem larger. Sharpening, shake and shadow move
sides by their direction, focus and light by their place in the picture: then the table seems
stretched, and larger towards one of its ends. No residual tells that from how the table lies.
"""

import numpy as np

from vision.seeing.solve.model import Solution
from vision.values.arrays import FloatArray

__all__ = ["bias_covariance", "growth_covariance"]


def growth_covariance(solution: Solution, growth: float) -> FloatArray:
    """Return what it means (3N, 3N) that all cards, and so the table, may seem larger."""
    by_pose = np.zeros(solution.poses.size)
    away = solution.poses[:, :2] - solution.poses[:, :2].mean(axis=0)
    by_pose[0::3], by_pose[1::3] = growth * away.T
    return np.outer(by_pose, by_pose)


def bias_covariance(solution: Solution, share: float) -> FloatArray:
    """Return what it means (3N, 3N) that sides may seem to lie further out here than there.

    Parameters
    ----------
    solution : Solution
        N cards on their plane.
    share : float
        Standard deviation of the growth: of the whole, of one axis of the table against the other
        and along its diagonals, and at the cards' rms distance from their middle.
    """
    if len(solution.poses) < 2:
        return np.zeros((solution.poses.size,) * 2)
    away = solution.poses[:, :2] - solution.poses[:, :2].mean(axis=0)
    x, y = away.T
    reach = max(float(np.sqrt((away**2).sum(axis=1).mean())), 1e-9)  # mm; cards may lie as one
    none = np.zeros(len(x))
    ways = [(x, y), (x, -y), (y, x), (x * x / reach, x * y / reach), (x * y / reach, y * y / reach)]
    moves = share * np.stack([np.stack([*way, none], axis=1).ravel() for way in ways], axis=1)
    return np.asarray(moves @ moves.T, np.float64)
