"""Reads the waiting photos in worker processes, one for each core, and tells who listens."""

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.to_process
import anyio.to_thread

from vision.apps.reading import Read, ReadResult, ReadTask
from vision.apps.server.reading.jobs import Job, Ledger
from vision.apps.server.reading.worker import DrawTask, draw, read_within, retire
from vision.apps.server.routes.problems import Problem
from vision.apps.server.settings import Settings
from vision.apps.server.storage.store import Store
from vision.errors import ScanError

__all__ = ["Bell", "Runner", "in_thread"]

T = TypeVar("T")
_log = logging.getLogger(__name__)
_STAGE_POLL_S = 0.1
_IDLE_POLL_S = 2.0  # another server may have put a photo into the same database


async def in_thread(call: Callable[..., T], *args: Any) -> T:
    """Call in a thread and see it end, even if this task is cancelled meanwhile.

    Else the thread goes on with a connection of the database that is closed under it.
    """
    work = asyncio.ensure_future(anyio.to_thread.run_sync(call, *args))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})
        raise


class Bell:
    """Wakes everyone who waits for news, without keeping any of it."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def ring(self) -> None:
        """Wake all; called in the event loop."""
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        """Wait for the next ring, or so long."""
        event = self._event
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)


class Runner:
    """The reading of photos and the drawing of pictures, outside the event loop."""

    def __init__(self, store: Store, settings: Settings, read: Read) -> None:
        self.store, self.settings, self.read = store, settings, read
        self.ledger = Ledger(store, settings)
        self.news = Bell()  # a scan changed
        self.work = Bell()  # a photo waits
        self.stopping = False
        self._tasks: list[asyncio.Task[None]] = []
        self._readers = anyio.CapacityLimiter(settings.worker_count)
        self._drawers = anyio.CapacityLimiter(max(1, settings.worker_count // 2))

    async def start(self) -> None:
        """Free what a dead server held and begin to read."""
        await anyio.to_thread.run_sync(self.ledger.recover)
        self._tasks = [
            asyncio.create_task(self._loop(), name=f"reader {k}")
            for k in range(self.settings.worker_count)
        ]

    async def stop(self) -> None:
        """Stop reading; what is under way goes back to the queue."""
        self.stopping = True
        self.news.ring()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def is_alive(self) -> bool:
        """Tell whether every reader runs."""
        return bool(self._tasks) and not any(task.done() for task in self._tasks)

    async def _loop(self) -> None:
        while True:
            try:
                job = await self._take()
                if job is None:
                    await self.work.wait(_IDLE_POLL_S)
                    continue
                await self._read(job)
            except asyncio.CancelledError:
                raise
            except Exception:  # noqa: BLE001 - one photo must not stop the reading
                _log.exception("the reader stumbled; it goes on")
                await asyncio.sleep(1.0)

    async def _take(self) -> Job | None:
        taken: list[Job | None] = []
        try:
            await in_thread(lambda: taken.append(self.ledger.take()))
        except asyncio.CancelledError:
            for job in taken:
                if job is not None:  # taken while this server was told to stop
                    await anyio.to_thread.run_sync(self.ledger.give_back, job.scan)
            raise
        return taken[0]

    async def _read(self, job: Job) -> None:
        """Read one photo and note what came of it."""
        self.news.ring()
        stage_file = self.store.blobs.temporary / f"{job.scan}-{job.attempt}.stage"
        task = ReadTask(
            self.store.blobs.path(job.photo),
            job.deck,
            json.loads(job.rules),
            self.settings.decks,
            self.settings.view_px,
            self.settings.decode_limits,
        )
        watcher = asyncio.create_task(self._watch(job.scan, stage_file))
        outcome: ReadResult | BaseException
        looked_at = 0
        try:
            with anyio.fail_after(self.settings.scan_seconds):
                outcome, looked_at = await anyio.to_process.run_sync(
                    read_within,
                    self.read,
                    task,
                    self.settings.worker_mb,
                    stage_file,
                    cancellable=True,
                    limiter=self._readers,
                )
        except asyncio.CancelledError:
            watcher.cancel()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self.ledger.give_back, job.scan)
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            outcome = error
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)
        await in_thread(self._note, job, outcome)
        stage_file.unlink(missing_ok=True)
        self.news.ring()
        if looked_at >= self.settings.recycle_after:
            with suppress(anyio.BrokenWorkerProcess):
                await anyio.to_process.run_sync(retire, limiter=self._readers)

    def _note(self, job: Job, outcome: ReadResult | BaseException) -> None:
        if isinstance(outcome, ReadResult):
            view, joint = (self.store.blobs.put(part) for part in (outcome.view, outcome.joint))
            self.ledger.finish(job.scan, document=outcome.document, view=view, joint=joint)
        elif isinstance(outcome, ScanError):
            self.ledger.fail(job.scan, outcome.code, str(outcome))
        else:
            code, reason = self._explain(outcome)
            again = self.ledger.stumble(job.scan, code, reason)
            _log.warning(
                "scan %s, attempt %d: %s%s",
                job.scan,
                job.attempt,
                reason,
                "; trying again" if again else "",
                exc_info=outcome,
            )

    def _explain(self, error: BaseException) -> tuple[str, str]:
        """Say why a reader came down."""
        if isinstance(error, TimeoutError):
            limit = self.settings.scan_seconds
            return "timed_out", f"reading took longer than {limit:g} seconds; try a simpler photo"
        if isinstance(error, MemoryError) or "Insufficient memory" in str(error):
            limit = self.settings.worker_mb
            return (
                "out_of_memory",
                f"reading needed more than {limit:g} MB of memory; try a smaller photo",
            )
        if isinstance(error, anyio.BrokenWorkerProcess):
            return "worker_failed", "the reading process died on this photo"
        return "worker_failed", f"the reading process failed on this photo ({type(error).__name__})"

    async def _watch(self, scan: str, stage_file: Path) -> None:
        """Note the stages of a reading as they begin; renew the lease by it."""
        last, beats = "", 0
        while True:
            await asyncio.sleep(_STAGE_POLL_S)
            beats += 1
            stage = ""
            with suppress(OSError):
                stage = stage_file.read_text(encoding="ascii")[:20]
            if stage and stage != last:
                last = stage
                await in_thread(self.ledger.note_stage, scan, stage)
                self.news.ring()
            elif beats % 100 == 0:
                await in_thread(self.ledger.renew, scan)

    async def draw(self, task: DrawTask) -> bytes:
        """Draw a picture in a worker process.

        Raises
        ------
        Problem
            If it took too long or too much memory.
        """
        try:
            with anyio.fail_after(self.settings.draw_seconds):
                return await anyio.to_process.run_sync(
                    draw, task, cancellable=True, limiter=self._drawers
                )
        except TimeoutError as error:
            raise Problem(503, "timed_out", "drawing took too long; try again") from error
        except (anyio.BrokenWorkerProcess, MemoryError) as error:
            raise Problem(503, "worker_failed", "the drawing process failed; try again") from error
