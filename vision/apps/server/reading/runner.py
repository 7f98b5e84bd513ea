"""Has the waiting photos read, one for each worker at a time, and tells who listens."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress

import anyio
import anyio.to_thread

from vision.apps.decks import find_known
from vision.apps.logs import about_request
from vision.apps.pools.values import Pool, explain
from vision.apps.reading import ReadResult, ReadTask
from vision.apps.server.metrics import Metrics
from vision.apps.server.reading.bell import Bell, in_thread
from vision.apps.server.reading.owners import is_dead, own_name
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Job, Kept, ReadAs, ReadPhoto, Storage, needed_by

__all__ = ["Runner", "free_the_dead"]

_log = logging.getLogger(__name__)
_IDLE_POLL_S = 2.0  # another server may have put a photo into the same database
_AGAIN_S = 1.0  # between tries to note what came of a photo
_RENEW_S = 10.0  # a sixth of a lease


class Runner:
    """The reading of photos, outside the event loop."""

    def __init__(self, storage: Storage, settings: Settings, pool: Pool, metrics: Metrics) -> None:
        self.storage, self.settings, self.pool = storage, settings, pool
        self.metrics = metrics
        self.jobs, self.owner = storage.records.jobs, own_name()
        self.news = Bell()  # a scan changed
        self.work = Bell()  # a photo waits
        self.stopping = False
        #: told the id of a scan that was read, and whether for the first time
        self.on_read: Callable[[str, bool], None] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Free what a dead server held and begin to read."""
        await anyio.to_thread.run_sync(free_the_dead, self.storage)
        self._tasks = [
            asyncio.create_task(self._loop(), name=f"reader {k}") for k in range(self.pool.slots)
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
                with about_request(job.request):
                    await self._read(job)
            except asyncio.CancelledError:
                raise
            except Exception:  # noqa: BLE001 - one photo must not stop the reading
                _log.exception("the reader stumbled; it goes on")
                await asyncio.sleep(1.0)

    async def _take(self) -> Job | None:
        taken: list[Job | None] = []
        limits = self.settings.job_limits
        try:
            await in_thread(lambda: taken.append(self.jobs.take(self.owner, limits, time.time())))
        except asyncio.CancelledError:
            for job in taken:
                if job is not None:  # taken while this server was told to stop
                    await anyio.to_thread.run_sync(self.jobs.give_back, job.scan)
            raise
        return taken[0]

    async def _read(self, job: Job) -> None:
        """Read one photo and note what came of it."""
        self.news.ring()
        stages: asyncio.Queue[str] = asyncio.Queue()
        watcher = asyncio.create_task(self._hold(job.scan, stages))
        outcome: ReadResult | BaseException
        try:
            with needed_by(job.scan):
                outcome = await self.pool.read(self._task(job), stages.put_nowait)
        except asyncio.CancelledError:
            watcher.cancel()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self.jobs.give_back, job.scan)
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            outcome = error
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)
        await self._note_at_last(job, outcome)
        self.news.ring()

    def _task(self, job: Job) -> ReadTask:
        """Return what is to be read; FileNotFoundError if a photo is not there."""
        return ReadTask(
            tuple(self.storage.objects.source(photo) for photo in job.photos),
            job.deck,
            json.loads(job.rules),
            self.settings.decks,
            self.settings.view_px,
            self.settings.decode_limits,
            job.game,
            request=job.request,
            finds=job.game is None,
        )

    async def _hold(self, scan: str, stages: "asyncio.Queue[str]") -> None:
        """Renew the lease of a photo while it is read, and note the stages as they begin."""
        while True:
            stage = None
            with suppress(TimeoutError):
                stage = await asyncio.wait_for(stages.get(), _RENEW_S)
            until = time.time() + self.settings.lease_seconds
            try:
                await in_thread(self.jobs.renew, scan, self.owner, until, stage)
            except Exception:  # noqa: BLE001 - a database that is away comes back
                _log.warning("the lease of scan %s was not renewed", scan, exc_info=True)
            self.news.ring()

    async def _note_at_last(self, job: Job, outcome: ReadResult | BaseException) -> None:
        """Note what came of a photo, also if the database or the store is away for a moment.

        Else it would be read again, once its lease has run out.
        """
        until = time.monotonic() + self.settings.lease_seconds / 3
        while True:
            try:
                await in_thread(self._note, job, outcome)
            except Exception:
                if time.monotonic() > until:
                    raise
                _log.warning("scan %s: not noted yet; tried again", job.scan, exc_info=True)
                await asyncio.sleep(_AGAIN_S)
            else:
                return

    def _note(self, job: Job, outcome: ReadResult | BaseException) -> None:
        if isinstance(outcome, ReadResult):
            put = self.storage.objects.put
            played = None if job.game is not None else self._played(job, outcome)
            kept = Kept(outcome.document, put(outcome.view), put(outcome.joint), played)
            is_first = self.storage.records.scans.read(job.scan) is None
            views = dict(zip(outcome.order, (kept.view, *map(put, outcome.more)), strict=True))
            blank = [k for k in range(len(job.photos)) if k not in views]
            shown = [ReadPhoto(job.photos[k], view) for k, view in views.items()]
            self.jobs.finish(
                job.scan, kept, (*shown, *(ReadPhoto(job.photos[k], "") for k in blank))
            )
            _log.info("read", extra={"scan": job.scan, "attempt": job.attempt})
            self._tell_read(job.scan, is_first)
            self.metrics.read(outcome.document)
            return
        failure = explain(outcome, self.settings.pool_limits)
        self.metrics.failed(failure.code)
        if failure.again:
            code, reason = failure.code, failure.reason
            again = self.jobs.stumble(job.scan, code, reason, self.settings.attempts)
            _log.warning(
                "scan %s, attempt %d: %s%s",
                job.scan,
                job.attempt,
                reason,
                "; trying again" if again else "",
                exc_info=outcome,
            )
        else:
            self.jobs.fail(job.scan, failure.code, failure.reason)
            _log.info("not read", extra={"scan": job.scan, "code": failure.code})

    def _played(self, job: Job, outcome: ReadResult) -> ReadAs:
        """Return what lay there; rules are those of the likeliest game, another has its usual."""
        likely = find_known(job.deck, None, self.settings.decks).game.name
        deck, game = outcome.found or (job.deck, likely)
        return ReadAs(deck, game, job.rules if game == likely else "{}")

    def _tell_read(self, scan: str, is_first: bool) -> None:
        try:
            if self.on_read is not None:
                self.on_read(scan, is_first)
        except Exception:  # noqa: BLE001 - the photo is read, whatever is made of that
            _log.exception("what follows from reading %s was not done", scan)


def free_the_dead(storage: Storage) -> int:
    """Free what servers of this machine held when they died; return how many that were."""
    held = storage.records.jobs.held()
    dead = [scan for scan, owner in held.items() if is_dead(owner)]
    for scan in dead:
        storage.records.jobs.give_back(scan)
    return len(dead)
