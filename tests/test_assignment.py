"""One-to-one assignment: SciPy's is the oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from tests.strategies import LAW
from vision.values.assignment import solve_assignment


@LAW
@given(st.integers(0, 9), st.integers(0, 9), st.booleans(), st.integers(0, 2**32 - 1))
def test_as_many_rows_as_can_are_given_columns_of_their_own_at_the_least_cost(
    rows, columns, ties, seed
):
    cost = np.random.default_rng(seed).normal(0, 1, (rows, columns))
    cost = np.round(cost) if ties else cost
    column_of = solve_assignment(cost)
    assert column_of.shape == (rows,)
    (given_,) = np.nonzero(column_of >= 0)
    assert len(set(column_of[given_].tolist())) == len(given_) == min(rows, columns)
    least = cost[linear_sum_assignment(cost)].sum()
    assert cost[given_, column_of[given_]].sum() == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("shape", [(60, 60), (40, 90), (90, 40)])
def test_large_tables_with_forbidden_pairs_cost_as_little_as_with_the_oracle(shape):
    rng = np.random.default_rng(5)
    cost = np.where(rng.random(shape) < 0.7, 1e9, rng.uniform(0, 100, shape))
    column_of = solve_assignment(cost)
    (given_,) = np.nonzero(column_of >= 0)
    least = cost[linear_sum_assignment(cost)].sum()
    assert cost[given_, column_of[given_]].sum() == pytest.approx(least, rel=1e-12)
