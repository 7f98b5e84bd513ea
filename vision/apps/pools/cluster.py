"""A pool on a Dask cluster (the extra ``cluster``): every worker of it reads as this machine does.

A plugin gives each Dask worker a ``LocalPool`` of its own; a task only hands a photo to it. So the
limits of memory and time, the renewal of readers and what is told of a failure are the same code
here and there, and a reader that dies costs one try and no Dask worker. Files of this machine go as
bytes, for another one may not have them; addresses go as they are.
"""

import io
import logging
import os
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import dask
from distributed import Client, LocalCluster, WorkerPlugin, get_worker
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from calibration.learned.shelf import place_in_store
from vision.apps.addresses import content_of
from vision.apps.pools.local import LocalPool
from vision.apps.pools.values import PoolLimits
from vision.apps.pools.worker import DrawTask
from vision.apps.reading import Read, ReadResult, ReadTask
from vision.errors import SourceError

__all__ = ["LOCAL", "ClusterPool"]

#: In place of an address: a cluster of this machine's own.
LOCAL = "local"

_log = logging.getLogger(__name__)
_PLUGIN = "sightline-readers"
_CONNECT_S = 30.0  # a scheduler and its workers start within a few seconds
#: By it Dask has its workers give back all memory at once: a photo takes 0.7 s for 0.4.
_TRIM = "MALLOC_TRIM_THRESHOLD_"
#: Of a cluster of our own: Dask looks a hundred times a second at what its processes do, and fifty
#: times whether they still do anything.
_SPARING = {
    "distributed.admin.tick.interval": "500ms",
    "distributed.worker.profile.enabled": False,
    f"distributed.nanny.pre-spawn-environ.{_TRIM}": None,
}
#: Dask keeps its last thousand messages for its developers, each with a photo in it.
_FORGETFUL = {"distributed.admin.low-level-log-length": 0}
_AGAIN_S = 1.0  # between tries to reach a scheduler that is gone
_GONE_S = 300.0  # after so long without a scheduler a photo fails: someone must look


class _Readers(WorkerPlugin):  # type: ignore[misc]
    """A plugin of a Dask worker: the readers of its machine."""

    name = _PLUGIN

    def __init__(self, read: Read, limits: PoolLimits, decks: bytes) -> None:
        self._read, self._limits, self._zipped = read, limits, decks
        self.pool: LocalPool | None = None
        self.decks: Path | None = None
        self._folder: Path | None = None

    def setup(self, worker: Any) -> None:
        """Make room for the readers; the decks come with them, once."""
        os.environ.pop(_TRIM, None)  # readers are started with this environment
        folder = self._folder = Path(tempfile.mkdtemp(prefix="sightline-"))
        limits = replace(self._limits, workers=worker.state.nthreads)
        self.pool = LocalPool(self._read, limits, lambda: folder / secrets.token_hex(8))
        if self._zipped:
            self.decks = folder / "decks"
            with zipfile.ZipFile(io.BytesIO(self._zipped)) as archive:
                archive.extractall(self.decks)

    def teardown(self, worker: Any) -> None:
        """Leave nothing behind."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _readers() -> tuple[_Readers, Any]:
    worker = get_worker()
    return worker.plugins[_PLUGIN], worker


async def _read_there(task: ReadTask, topic: str, number: int) -> ReadResult:
    """Read a photo; runs in the event loop of a Dask worker."""
    readers, worker = _readers()
    assert readers.pool is not None  # set up before any task comes
    here = replace(task, decks=readers.decks) if readers.decks is not None else task

    def tell(stage: str) -> None:
        worker.log_event(topic, (number, stage))

    return await readers.pool.read(here, tell if topic else None)


async def _draw_there(task: DrawTask) -> bytes:
    """Draw a picture; runs in the event loop of a Dask worker."""
    readers, _ = _readers()
    assert readers.pool is not None
    return await readers.pool.draw(task)


class ClusterPool:
    """Reads and draws on a cluster; goes on when its scheduler was gone for a while.

    Parameters
    ----------
    address : str
        Of the scheduler, ``tcp://host:8786`` or ``tls://host:8786``; ``local`` starts one here.
    read : callable
        Reads a photo; a function of a module that every worker has.
    limits : PoolLimits
        Of each worker; it reads as many photos at once as it has threads.
    decks : sequence of Path
        Folders of learned decks; they go to each worker once.
    """

    def __init__(
        self, address: str, read: Read, limits: PoolLimits, decks: Sequence[Path] = ()
    ) -> None:
        self._address = address
        self._plugin = (read, limits, _zip(decks))
        self._limits = limits
        self._client: Client | None = None
        self._own: LocalCluster | None = None
        self._threads = 1
        self._opening = anyio.Lock()
        self._count = 0
        #: One for all photos, since a scheduler forgets none; of all its clients it is ours.
        self._topic = f"sightline-{secrets.token_hex(8)}"
        self._told: dict[int, Callable[[str], None]] = {}  # by the number of a photo under way

    @property
    def slots(self) -> int:
        """How many photos are under way at once: one read and one waiting for each thread."""
        return 2 * self._threads

    async def open(self) -> None:
        """Find the cluster.

        Raises
        ------
        SourceError
            If there is no scheduler at the address, or it has no workers.
        """
        if self._address == LOCAL:
            with dask.config.set(_SPARING | _FORGETFUL):
                self._own = await LocalCluster(
                    n_workers=self._limits.workers,
                    threads_per_worker=1,
                    dashboard_address=None,
                    asynchronous=True,
                    memory_limit=None,  # readers are held to theirs
                )
            self._address = self._own.scheduler_address
        try:
            client = await self._connected()
            with anyio.fail_after(_CONNECT_S):
                while not (threads := await client.nthreads()):
                    await anyio.sleep(0.1)
            self._threads = sum(threads.values())
        except (OSError, TimeoutError) as error:
            msg = f"{self._address}: no Dask cluster with workers answers there ({error or 'time'})"
            raise SourceError(msg) from error

    async def close(self) -> None:
        """Leave the cluster."""
        if self._client is not None:
            await self._client.close()
        if self._own is not None:
            await self._own.close()

    async def read(self, task: ReadTask, tell: Callable[[str], None] | None = None) -> ReadResult:
        """Read a photo; ``tell`` is given each stage, in the event loop."""
        photos = [await _to_send(photo) for photo in task.photos]
        sent = replace(task, photos=tuple(photos))
        self._count += 1
        number, topic = self._count, ""
        if tell is not None:
            self._told[number], topic = tell, self._topic
        try:
            result: ReadResult = await self._run(_read_there, sent, topic, number)
        finally:
            self._told.pop(number, None)
        return result

    async def draw(self, task: DrawTask) -> bytes:
        """Draw a picture."""
        sent = replace(task, photo=await _to_send(task.photo))
        drawn: bytes = await self._run(_draw_there, sent)
        return drawn

    async def _run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Have something done; what a lost scheduler forgot is asked for again."""
        until = anyio.current_time() + _GONE_S
        while True:
            client = await self._connected_until(until)
            future = client.submit(work, *arguments, pure=False)
            try:
                return await future
            except KilledWorker as error:
                msg = "the Dask workers died on this photo"
                raise anyio.BrokenWorkerProcess(msg) from error
            except (FutureCancelledError, CommClosedError) as error:
                _log.warning("%s: the scheduler is gone; asked again: %s", self._address, error)
            finally:
                future.release()

    def _hear(self, event: tuple[float, tuple[int, str]]) -> None:
        """Tell a stage to whoever asked for the photo."""
        number, stage = event[1]
        if number in self._told:
            self._told[number](stage)

    async def _connected_until(self, until: float) -> Client:
        """Return a client that has a scheduler, waiting for one.

        Raises
        ------
        anyio.BrokenWorkerProcess
            If there is none by then.
        """
        while True:
            try:
                return await self._connected()
            except OSError as error:
                if anyio.current_time() > until:
                    msg = f"no scheduler at {self._address} for {_GONE_S:g} s"
                    raise anyio.BrokenWorkerProcess(msg) from error
                await anyio.sleep(_AGAIN_S)

    async def _connected(self) -> Client:
        """Return a client that has a scheduler, with the readers known to every worker."""
        async with self._opening:
            if self._client is not None and self._client.status == "running":
                return self._client
            old, self._client = self._client, None
            if old is not None:
                with suppress(Exception):
                    await old.close(timeout=1)
            with dask.config.set(_FORGETFUL):
                client = await Client(self._address, asynchronous=True, timeout=_CONNECT_S)
            client.subscribe_topic(self._topic, self._hear)
            await client.register_plugin(_Readers(*self._plugin), name=_PLUGIN)
            self._client = client
            return client


async def _to_send(source: Any) -> Any:
    """Return a photo in a form that another machine can use."""
    if isinstance(source, Path):
        return await anyio.to_thread.run_sync(content_of, source)
    return source


def _zip(decks: Sequence[Path]) -> bytes:
    """Pack folders of learned decks; nothing if there are none."""
    if not decks:
        return b""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for deck in decks:
            for file in sorted(deck.rglob("*")):
                if file.is_file():
                    archive.write(file, place_in_store(deck) / file.relative_to(deck))
    return packed.getvalue()
