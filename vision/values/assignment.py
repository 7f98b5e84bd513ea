"""Joint assignment of rows to columns at the least total cost.

References
----------
.. [1] Jonker and Volgenant, A shortest augmenting path algorithm for dense and sparse linear
   assignment problems, 1987.
"""

import numpy as np

from vision.values.arrays import FloatArray, IntArray

__all__ = ["solve_assignment"]


def solve_assignment(cost: FloatArray) -> IntArray:
    """Assign rows to columns, one to one and as many as possible, at the least total cost.

    Parameters
    ----------
    cost : (N, K) float64
        What it costs to give each row each column; finite.

    Returns
    -------
    (N,) int
        The column of each row; -1 for the rows that get none, where N is greater than K.
    """
    cost = np.asarray(cost, np.float64)
    if not cost.size:
        return np.full(len(cost), -1)
    if len(cost) > cost.shape[1]:
        row_of = solve_assignment(cost.T)
        column_of = np.full(len(cost), -1)
        column_of[row_of] = np.arange(len(row_of))
        return column_of
    cheapest = cost.argmin(axis=1)
    if len(np.unique(cheapest)) == len(cheapest):  # no two want the same: most photos
        return np.asarray(cheapest, np.int64)
    rows, columns = (np.zeros(count) for count in cost.shape)  # what each takes off the costs
    row_of, column_of = (np.full(count, -1) for count in cost.shape[::-1])
    for row in range(len(cost)):
        _augment(row, cost, rows, columns, row_of, column_of)
    return column_of


def _augment(
    row: int,
    cost: FloatArray,
    rows: FloatArray,
    columns: FloatArray,
    row_of: IntArray,
    column_of: IntArray,
) -> None:
    """Assign one more row along the cheapest path to a free column; changes the last four."""
    shortest = np.full(len(columns), np.inf)
    came_from = np.full(len(columns), -1)
    is_left = np.zeros(len(columns), bool)
    at, length = row, 0.0
    while at >= 0:
        path = length + cost[at] - rows[at] - columns
        is_better = ~is_left & (path < shortest)
        shortest[is_better], came_from[is_better] = path[is_better], at
        reach = np.where(is_left, np.inf, shortest)
        column = int(np.lexsort((row_of >= 0, reach))[0])  # a free one of equal ones
        length, is_left[column] = float(reach[column]), True
        at = int(row_of[column])
    held = is_left & (row_of >= 0)
    rows[row] += length
    rows[row_of[held]] += length - shortest[held]
    columns[held] -= length - shortest[held]
    while at != row:
        at = int(came_from[column])
        row_of[column] = at
        column, column_of[at] = int(column_of[at]), column
