"""The loop of a batch: every table that is not done goes to the pool."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from vision.apps.addresses import stamp_of
from vision.apps.batch.entries import Entry
from vision.apps.batch.journal import Journal, Line
from vision.apps.pools.values import Failure, Pool, PoolLimits, explain
from vision.apps.reading import ReadResult, ReadTask
from vision.files.whole import explain_os_error, write_atomically

__all__ = ["Batch", "run_batch"]

#: Photos under way for each that is read at once: one waits, so that no reader idles while files
#: are written, which takes about a tenth of the time of reading.
_UNDER_WAY = 2


@dataclass(frozen=True, slots=True)
class Batch:
    """What all tables of a batch have in common."""

    folder: Path
    deck: str | None = None
    game: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    pictures: bool = False
    limits: PoolLimits = field(default_factory=PoolLimits)
    attempts: int = 3  #: a reader may have died of something else, hardly three times

    def task(self, entry: Entry) -> ReadTask:
        """Return how a table is read."""
        deck, game = entry.deck or self.deck, entry.game or self.game
        return ReadTask(entry.photos, deck, self.options, game=game, draws=self.pictures)


async def run_batch(
    batch: Batch,
    entries: tuple[Entry, ...],
    journal: Journal,
    pool: Pool,
    told: Callable[[Line], None],
) -> None:
    """Read what the journal does not have yet.

    Parameters
    ----------
    batch : Batch
        How they are read.
    entries : tuple of Entry
        What is to be read.
    journal : Journal
        What is done; it is added to.
    pool : Pool
        Reads them.
    told : callable
        Given the line of each table, of those that were done before too.
    """
    waiting = iter(entries)

    async def work() -> None:
        for entry in waiting:
            stamp = await anyio.to_thread.run_sync(_stamp, entry)
            line = journal.done.get(entry.name)
            if line is None or not _holds(batch, line, stamp):
                line = await _read(batch, entry, stamp, pool)
                journal.add(line)
            told(line)

    async with anyio.create_task_group() as group:
        for _ in range(min(_UNDER_WAY * pool.slots, len(entries))):
            group.start_soon(work)


def _stamp(entry: Entry) -> str:
    """Return what is another if a photo is; empty if one is not there."""
    try:
        return " ".join(stamp_of(photo) for photo in entry.photos)
    except OSError:
        return ""


def _holds(batch: Batch, line: Line, stamp: str) -> bool:
    """Tell whether a table is read and its files are there; one that failed is tried again.

    So is one of an older version, which did not say whether the round is open or unordered.
    """
    if line.error or line.stamp != stamp or not {"open", "unordered"} <= line.result.keys():
        return False
    return all(path.exists() for path in _files(batch, line.name))


def _files(batch: Batch, name: str) -> Iterator[Path]:
    yield batch.folder / f"{name}.json"
    if batch.pictures:
        yield batch.folder / f"{name}.jpg"


async def _read(batch: Batch, entry: Entry, stamp: str, pool: Pool) -> Line:
    """Read a table and write its files."""
    photos = tuple(str(photo) for photo in entry.photos)
    begin = time.monotonic()
    failure, tries = Failure("", "", again=True), 0
    while failure.again and tries < batch.attempts:
        tries += 1
        try:
            result = await pool.read(batch.task(entry))
            await anyio.to_thread.run_sync(_write, batch, entry.name, result)
        except OSError as error:
            failure = _explain_os(error, batch.limits)
        except Exception as error:  # noqa: BLE001 - one bad photo never stops the rest
            failure = explain(error, batch.limits)
        else:
            took = time.monotonic() - begin
            scan = json.loads(result.document)
            return Line(entry.name, photos, stamp, took, tries, result=_outcome(scan))
    took = time.monotonic() - begin
    return Line(entry.name, photos, stamp, took, tries, failure.code, failure.reason)


def _explain_os(error: OSError, limits: PoolLimits) -> Failure:
    """Say what became of a file; a pool's own errors of this kind are explained as all are."""
    if isinstance(error, TimeoutError):
        return explain(error, limits)
    return Failure("io_error", explain_os_error(error), again=False)


def _write(batch: Batch, name: str, result: ReadResult) -> None:
    *pictures, document = reversed(list(_files(batch, name)))  # what is named last is there last
    document.parent.mkdir(parents=True, exist_ok=True)
    for place in pictures:
        write_atomically(place, result.picture)
    write_atomically(document, result.document.encode())


def _outcome(scan: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the table of results says of a scan."""
    scores = (scan["resolution"] or {}).get("scores", {})
    over = scan.get("headline") or {}  # a reader of a cluster may be of another version
    return {
        "game": scan["game"],
        "winners": over.get("winners", []),
        "open": over.get("open"),
        "unordered": over.get("unordered"),
        "scores": {side: one["total"] for side, one in scores.items() if "total" in one},
        "outcome": over.get("words", {}).get("en", ""),
        "doubts": over.get("doubts"),
        "timings_ms": scan["timings_ms"],
    }
