"""The simulation of a day keeps to what queues do."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.scale import CURVE, DAY_S, Costs, arrivals, most_photos, served, simulate

TIMES = np.array([1.0, 2.0, 6.0])


def day(photos: int, workers: int, costs: Costs | None = None, seed: int = 1):
    return simulate(photos, workers, TIMES, costs or Costs(), np.random.default_rng(seed))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 400), st.integers(1, 30), st.integers(0, 9))
def test_more_readers_never_make_anyone_wait_longer(photos, workers, seed):
    few, many = day(photos, workers, seed=seed), day(photos, workers + 1, seed=seed)
    assert np.all(many.wait_s <= few.wait_s + 1e-9)  # sums of floats
    least = Costs().database_s + Costs().scheduler_s
    assert np.all(few.wait_s >= least - 1e-9)
    assert few.workers_busy <= photos * TIMES.max() / (workers * DAY_S)


def test_one_at_a_time_waits_for_all_before_it():
    """Photos that come almost at once and one reader: each waits for the sum of the others."""
    costs = Costs(0.0, 0.0)
    busy = simulate(5000, 1, np.array([60.0]), costs, np.random.default_rng(2))
    come = arrivals(5000, np.random.default_rng(2))
    free, expected = 0.0, []
    for at in come:
        begin = max(at, free)
        expected.append(begin - at)
        free = begin + 60.0
    np.testing.assert_allclose(busy.wait_s, expected, atol=1e-6)  # seconds of a day in floats


def test_arrivals_follow_the_curve():
    come = arrivals(100_000, np.random.default_rng(3))
    counts = np.bincount((come // 3600).astype(int), minlength=24)
    shares = np.array(CURVE) / sum(CURVE)
    spread = np.sqrt(shares * (1 - shares) * len(come))
    assert np.all(np.abs(counts - shares * len(come)) < 5 * spread)
    assert np.all(np.diff(come) >= 0)


@given(st.lists(st.floats(0.0, 100.0), max_size=30), st.floats(0.0, 9.0))
def test_a_part_that_takes_one_at_a_time_does_them_in_turn(come, each_s):
    come, free, expected = sorted(come), 0.0, []
    for at in come:
        free = max(at, free) + each_s
        expected.append(free)
    np.testing.assert_allclose(served(np.array(come), each_s), expected, atol=1e-9)


def test_the_most_photos_of_a_day_are_what_the_tightest_part_bears():
    slow = Costs(scheduler_s=60.0, database_s=0.0001)
    assert most_photos(40, TIMES, slow) == most_photos(4000, TIMES, slow)
    assert most_photos(40, TIMES, Costs()) > most_photos(40, TIMES, slow)
    photos = most_photos(40, TIMES, Costs())
    assert 0.9 < day(photos, 40).peak_busy <= 1.0
