"""How many threads libraries use: one, while a photo is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

import cv2
from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


_lock = Lock()
_within = 0  # how many are at work that let OpenCV use one thread
_outside = 1  # how many it uses beside them


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra and OpenCV use one thread within.

    Our matrices and pictures are small: threads would wait for one another, and for other
    programs. (OpenCV's take a sixth of all processor time on two cores, and save a twentieth of
    the time by the clock.)
    """
    with _linear_algebra().limit(limits=1, user_api="blas"), _opencv():
        yield


@contextmanager
def _opencv() -> Iterator[None]:
    """Let OpenCV use one thread within, or as long as it is used so elsewhere."""
    global _within, _outside
    with _lock:
        if not _within:
            _outside = cv2.getNumThreads()
            cv2.setNumThreads(1)
        _within += 1
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            if not _within:
                cv2.setNumThreads(_outside)


@cache
def _linear_algebra() -> ThreadpoolController:
    return ThreadpoolController()
