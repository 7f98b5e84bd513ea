"""Work side by side: the same answers in the same order, errors told."""

import cv2
import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from vision.seeing.threads import halves, one_thread, side_by_side


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9])
def test_halves_together_are_the_whole_in_its_order(rows):
    whole = np.arange(rows, dtype=np.float64)
    parts = halves(whole)
    assert len(parts) == (2 if rows >= 8 else 1)
    np.testing.assert_array_equal(np.concatenate(side_by_side(np.negative, parts)), -whole)


def test_an_error_in_any_part_is_raised():
    def work(part):
        if part == 2:
            raise ValueError(part)
        return part

    assert side_by_side(work, [0, 1]) == [0, 1]
    for parts in ([2, 0], [0, 2]):
        with pytest.raises(ValueError, match="2"):
            side_by_side(work, parts)


def test_the_limit_on_linear_algebra_ends_with_its_context():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        assert set(before) <= {2}
        with one_thread():
            assert set(threads()) <= {1}
        assert threads() == before


def test_opencv_has_its_threads_again_when_the_last_is_done(request):
    request.addfinalizer(lambda: cv2.setNumThreads(1))  # as all tests have it
    cv2.setNumThreads(2)
    with one_thread():
        with one_thread():
            assert cv2.getNumThreads() == 1
        assert cv2.getNumThreads() == 1
        with pytest.raises(ValueError, match="on"), one_thread():
            raise ValueError("on")
        assert cv2.getNumThreads() == 1
    assert cv2.getNumThreads() == 2
