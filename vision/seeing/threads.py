"""How many threads work: one in libraries, two of our own side by side where much is sampled."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TypeVar

import cv2
from threadpoolctl import ThreadpoolController

from vision.values.arrays import FloatArray, IntArray

__all__ = ["halves", "one_thread", "side_by_side"]

Part = TypeVar("Part")
Result = TypeVar("Result")
Rows = TypeVar("Rows", FloatArray, IntArray, range)

_lock = Lock()
_within = 0  # how many are at work that let OpenCV use one thread
_outside = 1  # how many it uses beside them


def side_by_side(work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
    """Return what work makes of each part, in order; all but the first in threads of their own."""
    if len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(len(parts) - 1) as pool:
        others = [pool.submit(work, part) for part in parts[1:]]
        return [work(parts[0]), *(other.result() for other in others)]


def halves(rows: Rows, fewest: int = 8) -> list[Rows]:
    """Return the halves of rows, or the whole that is not worth a thread."""
    half = len(rows) // 2
    return [rows[:half], rows[half:]] if len(rows) >= fewest else [rows]


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
