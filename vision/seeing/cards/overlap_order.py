"""Which of two overlapping cards lies on the other: the one whose face shows where both lie."""

from collections.abc import Callable

import numpy as np

from vision.seeing.estimation.overlaps import Covers, points_in_card
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["find_covers"]

_SHOWS = 0.5  # of what two cards share: the face of the upper one shows there


def find_covers(
    cells_mm: Points,
    poses: FloatArray,
    size_mm: tuple[float, float],
    agree: Callable[[BoolArray], BoolArray],
) -> Covers:
    """Return which cards lie on which.

    Of two whose outlines overlap the upper one agrees with its face there, where no third lies on
    it, and better than the other. What is beneath is compared again by what is left of it, until
    nothing changes.

    Parameters
    ----------
    cells_mm : (G, 2) float64
        Places on a card, card frame.
    poses : (N, 3) float64
        x mm, y mm, theta rad.
    size_mm : (float, float)
        Width and height of a card.
    agree : callable
        Returns which cells (N, G) agree with the face that each card is most like, by which of them
        (N, G) are visible.
    """
    n = len(poses)
    covers = Covers(np.zeros((n, n), np.bool_), size_mm)
    near = np.linalg.norm(poses[:, None, :2] - poses[None, :, :2], axis=2) < np.hypot(*size_mm)
    pairs = np.argwhere(near & ~np.eye(n, dtype=np.bool_)).tolist()
    common = {(i, j): points_in_card(cells_mm, poses[i], poses[j], size_mm) for i, j in pairs}
    common = {pair: cells for pair, cells in common.items() if cells.any()}
    for _ in range(n if common else 0):
        agreeing = agree(covers.visible(cells_mm, poses))
        above, shares = np.zeros((n, len(cells_mm)), np.int64), np.zeros((n, n))
        for pair, cells in common.items():
            above[pair[0]] += covers.lies_on[pair] * cells
        for (i, j), cells in common.items():
            free = cells & (above[i] - covers.lies_on[i, j] * cells == 0)
            shares[i, j] = agreeing[i, free].mean() if free.any() else 0.0
        now = (shares.T > _SHOWS) & (shares < shares.T)
        if (now == covers.lies_on).all():
            break
        covers = Covers(now, size_mm)
    return covers
