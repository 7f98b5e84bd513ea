"""The stages of a reading: how long each takes, and who is told as it begins."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Stages"]


class Stages:
    """Times the stages of a reading; a stage that is come back to goes on being timed.

    Parameters
    ----------
    progress : callable, optional
        Told the name of each stage as it begins for the first time, so that what it shows never
        goes back.
    """

    def __init__(self, progress: Callable[[str], None] | None = None) -> None:
        self._progress = progress
        self.timings_ms: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of what is done inside to that of a stage."""
        if self._progress is not None and stage not in self.timings_ms:
            self._progress(stage)
        self.timings_ms.setdefault(stage, 0.0)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings_ms[stage] += (time.perf_counter() - start) * 1000
