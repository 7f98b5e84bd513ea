"""Where photos are read and pictures drawn: a protocol, and the processes of this machine."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_process

from vision.apps.reading import Read, ReadResult, ReadTask
from vision.apps.server.reading.worker import DrawTask, draw, read_within, retire
from vision.apps.server.settings import Settings

__all__ = ["LocalPool", "Pool"]

_STAGE_POLL_S = 0.1


class Pool(Protocol):
    """Reads photos and draws pictures elsewhere than in the event loop.

    Besides the errors of the work itself, a call raises ``TimeoutError``, ``MemoryError`` or, if
    what did the work is gone, ``anyio.BrokenWorkerProcess``.
    """

    async def read(self, task: ReadTask, tell: Callable[[str], None]) -> ReadResult:
        """Read a photo; ``tell`` is given each stage, in the event loop."""
        ...

    async def draw(self, task: DrawTask) -> bytes:
        """Draw a picture."""
        ...


class LocalPool:
    """Worker processes of this machine, each held to its limits and renewed now and then.

    Parameters
    ----------
    read : callable
        Reads a photo; a function of a module, since the workers import it.
    settings : Settings
        How many workers, how much memory and time.
    scratch : callable
        Gives a fresh name for a file, by which a worker tells its stages.
    """

    def __init__(self, read: Read, settings: Settings, scratch: Callable[[], Path]) -> None:
        self._read, self._settings, self._scratch = read, settings, scratch
        self._readers = anyio.CapacityLimiter(settings.worker_count)
        self._drawers = anyio.CapacityLimiter(max(1, settings.worker_count // 2))

    async def read(self, task: ReadTask, tell: Callable[[str], None]) -> ReadResult:
        """Read a photo; ``tell`` is given each stage, in the event loop."""
        stage_file = self._scratch().with_suffix(".stage")
        watcher = asyncio.create_task(_watch(stage_file, tell))
        try:
            with anyio.fail_after(self._settings.scan_seconds):
                result, looked_at = await anyio.to_process.run_sync(
                    read_within,
                    self._read,
                    task,
                    self._settings.worker_mb,
                    stage_file,
                    cancellable=True,
                    limiter=self._readers,
                )
        finally:
            watcher.cancel()
            stage_file.unlink(missing_ok=True)
        if looked_at >= self._settings.recycle_after:
            with suppress(anyio.BrokenWorkerProcess):
                await anyio.to_process.run_sync(retire, limiter=self._readers)
        return result

    async def draw(self, task: DrawTask) -> bytes:
        """Draw a picture."""
        with anyio.fail_after(self._settings.draw_seconds):
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
