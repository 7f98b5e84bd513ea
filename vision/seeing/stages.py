"""Times of the stages of a reading, and progress reports."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Stages"]


class Stages:
    """Times the stages of a reading; a stage that is entered again adds to its time.

    Parameters
    ----------
    progress : callable, optional
        Called with the name of each stage when it starts for the first time, so that progress never
        goes back.
    """

    def __init__(self, progress: Callable[[str], None] | None = None) -> None:
        self._progress = progress
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of the enclosed block to that of a stage."""
        if self._progress is not None and stage not in self.timings_ms:
            self._progress(stage)
        self.timings_ms.setdefault(stage, 0.0)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings_ms[stage] += (time.perf_counter() - start) * 1000
