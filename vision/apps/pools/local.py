"""A pool of processes of this machine."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import anyio
import anyio.to_process

from vision.apps.logs import about_request, logged_again
from vision.apps.pools.values import PoolLimits
from vision.apps.pools.worker import DrawTask, draw, read_within, retire
from vision.apps.reading import Read, ReadResult, ReadTask

__all__ = ["LocalPool"]

_STAGE_POLL_S = 0.1


class LocalPool:
    """Worker processes of this machine, each held to its limits and renewed now and then.

    Parameters
    ----------
    read : callable
        Reads a photo; a function of a module, since the workers import it.
    limits : PoolLimits
        How many workers, how much memory and time.
    scratch : callable
        Gives a fresh name for a file, by which a worker tells its stages.
    """

    def __init__(self, read: Read, limits: PoolLimits, scratch: Callable[[], Path]) -> None:
        self._read, self._limits, self._scratch = read, limits, scratch
        self._readers = anyio.CapacityLimiter(limits.workers)
        self._drawers = anyio.CapacityLimiter(max(1, limits.workers // 2))

    @property
    def slots(self) -> int:
        """How many photos it reads at once."""
        return self._limits.workers

    async def open(self) -> None:
        """Get ready: workers start when they are needed."""

    async def close(self) -> None:
        """Let go of the workers, which end with the event loop."""

    async def read(self, task: ReadTask, tell: Callable[[str], None] | None = None) -> ReadResult:
        """Read a photo; ``tell`` is given each stage, in the event loop."""
        stage_file = self._scratch().with_suffix(".stage")
        watcher = None if tell is None else asyncio.create_task(_watch(stage_file, tell))
        try:
            async with self._readers:  # the time counts when a reader is free
                with anyio.fail_after(self._limits.scan_seconds * len(task.photos)):
                    result, looked_at = await anyio.to_process.run_sync(
                        read_within,
                        self._read,
                        task,
                        self._limits.worker_mb,
                        stage_file,
                        cancellable=True,
                        limiter=anyio.CapacityLimiter(1),
                    )
        finally:
            if watcher is not None:
                watcher.cancel()
            stage_file.unlink(missing_ok=True)
            with about_request(task.request):
                logged_again(stage_file.with_suffix(".log"))
        if looked_at >= self._limits.recycle_after:
            with suppress(anyio.BrokenWorkerProcess):
                await anyio.to_process.run_sync(retire, limiter=self._readers)
        return result

    async def draw(self, task: DrawTask) -> bytes:
        """Draw a picture."""
        with anyio.fail_after(self._limits.draw_seconds):
            return await anyio.to_process.run_sync(
                draw, task, cancellable=True, limiter=self._drawers
            )


async def _watch(stage_file: Path, tell: Callable[[str], None]) -> None:
    """Tell the stages of a reading as they begin."""
    last = ""
    while True:
        await asyncio.sleep(_STAGE_POLL_S)
        stage = ""
        with suppress(OSError):
            stage = stage_file.read_text(encoding="ascii")[:20]
        if stage and stage != last:
            last = stage
            tell(stage)
