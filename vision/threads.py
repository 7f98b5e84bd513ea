"""How many threads linear algebra uses."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread within.

    Our matrices are small: threads would wait for one another, and for other programs.
    """
    with _linear_algebra().limit(limits=1, user_api="blas"):
        yield


@cache
def _linear_algebra() -> ThreadpoolController:
    return ThreadpoolController()
