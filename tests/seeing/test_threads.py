"""The limit on the threads of libraries while a photo is read."""

import cv2
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from vision.seeing.threads import one_thread


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
