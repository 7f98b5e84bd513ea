"""What measuring does to all cards alike -> the covariance that their poses share.

The edge of a white card reads outwards by some hundredths of a pixel. Were that the same
everywhere, all cards, and so the table, would only seem larger. Sharpening, shake and shadow move
sides by their direction, focus and light by their place in the picture: then the table seems
stretched, and larger towards one of its ends. No residual tells that from how the table lies.
"""

import numpy as np

from vision.seeing.estimation.model import Solution
from vision.values.arrays import FloatArray

__all__ = ["bias_covariance", "growth_covariance", "growth_variance", "stretch_covariance"]


def growth_covariance(poses: FloatArray, growth: float) -> FloatArray:
    """Return what it means (3N, 3N) for poses (N, 3) that all cards may seem larger by a share.

    The table they lie on seems larger with them.
    """
    away = _growth_direction(poses)
    return growth**2 * np.outer(away, away)


def stretch_covariance(poses: FloatArray, aspect: float) -> FloatArray:
    """Return what it means (3N, 3N) for poses that not the cards but the view may be so stretched.

    Cards that all lie one way look too long by an ``aspect`` (logarithm of width over height, over
    that told) if they are, or if the table is seen at another slant: then all of it is stretched
    along them, its area kept. Cards that lie every way tell the two apart.
    """
    if not len(poses):
        return np.zeros((0, 0))
    way = np.exp(2j * poses[:, 2]).mean()  # 0 of cards that lie every way; half turns are alike
    along = np.array([[way.real, way.imag], [way.imag, -way.real]])
    moved = np.zeros(poses.size)
    off = (poses[:, :2] - poses[:, :2].mean(axis=0)) @ along * aspect / 2
    moved[0::3], moved[1::3] = off.T
    return np.outer(moved, moved)


def growth_variance(poses: FloatArray, covariance: FloatArray) -> float:
    """Return how well poses (N, 3) of a covariance (3N, 3N) know the size of all: a share squared.

    Infinite for cards that lie in one place, of which none tells it.
    """
    away = _growth_direction(poses)
    length = float(away @ away)
    return float(away @ covariance @ away) / length**2 if length else np.inf


def _growth_direction(poses: FloatArray) -> FloatArray:
    """Return how poses (N, 3) move where all grows by its own size, as (3N,)."""
    away = np.zeros(poses.size)
    away[0::3], away[1::3] = (poses[:, :2] - poses[:, :2].mean(axis=0)).T
    return away


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
