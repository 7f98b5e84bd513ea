"""Costs -> which column each row is given, so that all together cost least."""

import numpy as np

from vision.values.arrays import FloatArray, IntArray

__all__ = ["solve_assignment"]


def solve_assignment(cost: FloatArray) -> IntArray:
    """Give each row a column of its own, of the least sum.

    Parameters
    ----------
    cost : (N, K) float64
        What it costs to give each row each column; finite, and K at least N.

    Returns
    -------
    (N,) int
        The column of each row.
    """
    if not len(cost):
        return np.zeros(0, np.int64)
    cheapest = cost.argmin(axis=1)
    if len(np.unique(cheapest)) == len(cheapest):  # no two want the same: most photos
        return np.asarray(cheapest, np.int64)
    # a fifth of a second goes before it is ready, which is as long as a photo takes
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(cost)[1], np.int64)
