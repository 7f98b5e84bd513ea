"""Which of two overlapping cards lies on the other: the one whose face shows where both lie."""

from collections.abc import Callable

import numpy as np

from vision.geometry import card_from_table
from vision.seeing.estimation.overlaps import points_on_cards
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["GAP_MM", "find_covers", "visible_cells"]

GAP_MM = 1.0  # round a card: its shadow, and what its place is off
_SHOWS = 0.5  # of what two cards share: the face of the upper one shows there


def visible_cells(
    cells_mm: Points, poses: FloatArray, lies_on: BoolArray, size_mm: tuple[float, float]
) -> BoolArray:
    """Return which cells (N, G) of cards at poses (N, 3) no card that lies on them hides.

    Parameters
    ----------
    cells_mm : (G, 2) float64
        Places on a card, card frame.
    poses : (N, 3) float64
        x mm, y mm, theta rad.
    lies_on : (N, N) bool
        Whether the second lies on the first.
    size_mm : (float, float)
        Width and height of a card.
    """
    visible = np.ones((len(poses), len(cells_mm)), np.bool_)
    for i, j in np.argwhere(lies_on):
        visible[i] &= ~_within(cells_mm, poses[i], poses[j], size_mm)
    return visible


def find_covers(
    cells_mm: Points,
    poses: FloatArray,
    size_mm: tuple[float, float],
    agree: Callable[[BoolArray], BoolArray],
) -> BoolArray:
    """Return (N, N) whether the second of two cards lies on the first.

    Of two whose outlines overlap the upper one agrees with its face there, where no third lies on
    it, and better than the other. What is beneath is compared again by what is left of it, until
    nothing changes.

    Parameters
    ----------
    cells_mm, poses, size_mm
        As for :func:`visible_cells`.
    agree : callable
        Returns which cells (N, G) agree with the face that each card is most like, by which of them
        (N, G) are visible.
    """
    n = len(poses)
    lies_on = np.zeros((n, n), np.bool_)
    near = np.linalg.norm(poses[:, None, :2] - poses[None, :, :2], axis=2) < np.hypot(*size_mm)
    pairs = np.argwhere(near & ~np.eye(n, dtype=np.bool_))
    common = {(i, j): _within(cells_mm, poses[i], poses[j], size_mm) for i, j in pairs.tolist()}
    common = {pair: cells for pair, cells in common.items() if cells.any()}
    for _ in range(n if common else 0):
        agreeing = agree(visible_cells(cells_mm, poses, lies_on, size_mm))
        above, shares = np.zeros((n, len(cells_mm)), np.int64), np.zeros((n, n))
        for pair, cells in common.items():
            above[pair[0]] += lies_on[pair] * cells
        for (i, j), cells in common.items():
            free = cells & (above[i] - lies_on[i, j] * cells == 0)
            shares[i, j] = agreeing[i, free].mean() if free.any() else 0.0
        now = (shares.T > _SHOWS) & (shares < shares.T)
        if (now == lies_on).all():
            break
        lies_on = now
    return lies_on


def _within(
    cells_mm: Points, pose: FloatArray, other: FloatArray, size_mm: tuple[float, float]
) -> BoolArray:
    """Return which cells (G,) of a card at a pose (3,) are on or beside another card."""
    on_table = points_on_cards(cells_mm, pose[None])[0]
    half = np.divide(size_mm, 2) + GAP_MM
    return np.asarray((np.abs(card_from_table(on_table, *other)) < half).all(axis=1), np.bool_)
