"""Costs -> which column each row is given, so that all together cost least.

SciPy can do this as well, but a fifth of a second goes before it is ready, which is as long as a
photo takes; a table has some forty cards.

References
----------
.. [1] Jonker and Volgenant, A Shortest Augmenting Path Algorithm for Dense and Sparse Linear
   Assignment Problems, 1987.
"""

import numpy as np

from vision.values.arrays import FloatArray, IntArray

__all__ = ["assign"]


def assign(cost: FloatArray) -> IntArray:
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
    n, k = cost.shape
    row_price, column_price = np.zeros(n), np.zeros(k)
    row_of, column_of = np.full(k, -1), np.full(n, -1)
    for new in range(n):
        far, before = np.full(k, np.inf), np.full(k, new)
        is_open = np.ones(k, np.bool_)
        row, reached = new, 0.0
        while row >= 0:  # the nearest column that is not looked at, until one is free
            through = reached + cost[row] - row_price[row] - column_price
            nearer = is_open & (through < far)
            far[nearer], before[nearer] = through[nearer], row
            column = int(np.where(is_open, far, np.inf).argmin())
            reached, is_open[column] = float(far[column]), False
            row = int(row_of[column])
        seen = np.flatnonzero(~is_open & (row_of >= 0))
        row_price[new] += reached
        row_price[row_of[seen]] += reached - far[seen]
        column_price[seen] -= reached - far[seen]
        row = -1
        while row != new:  # back along the way: each row on it is moved one column on
            row = int(before[column])
            row_of[column] = row
            column, column_of[row] = int(column_of[row]), column
    return column_of
