"""Where it ends: a day of a thousand readers, simulated with task times that were recorded.

A day's photos come by a curve (few at night, most in the evening); each is taken in, waits for the
scheduler, is read by a free worker for as long as some recorded photo took, and is written down.
Scheduler and database are queues of one: each holds so many a second and no more. Told are waits,
how busy each part is, and what is full first. ``--times OUT/batch.jsonl`` takes the times of a
batch of one's own.
"""

import heapq
import json
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.common.record import Result
from bench.common.tables import Cell, Table
from vision.values.arrays import FloatArray

SEED = 18
#: Seconds of a processor that reading took, of each of the Light Speed sample photos.
RECORDED_S = (0.56, 0.5, 0.7, 0.48, 0.83, 1.53, 0.67, 1.08, 1.01, 0.5, 0.58)
DAY_S = 86_400.0
#: Photos by hour of a day, relative: tables are played after work.
CURVE = (1, 0.5, 0.3, 0.2, 0.2, 0.2, 0.3, 0.5, 1, 2, 3, 3, 4, 4, 4, 5, 6, 8, 12, 16, 18, 14, 8, 3)


@dataclass(frozen=True)
class Costs:
    """What a photo costs besides its reading; seconds of the one part that all share."""

    scheduler_s: float = 0.001  # of Dask: taken as that, not measured
    database_s: float = 0.004  # of its writes: taken in, taken, renewed, done
    bytes_kept: float = 6.5e6  # the photo, its view, its document


@dataclass(frozen=True)
class Day:
    """What came of a day."""

    photos: int
    wait_s: FloatArray  #: from coming in to the beginning of its reading
    workers_busy: float  #: share of all their time
    peak_busy: float  #: share in the busiest hour
    scheduler_busy: float  #: share in the busiest hour
    database_busy: float  #: likewise
    stored_gb: float


def arrivals(photos: int, rng: np.random.Generator) -> FloatArray:
    """Return when photos come in, sorted, seconds of the day."""
    weights = np.array(CURVE) / np.sum(CURVE)
    hours = rng.choice(len(CURVE), size=photos, p=weights)
    return np.sort((hours + rng.random(photos)) * 3600.0)


def simulate(
    photos: int, workers: int, times_s: FloatArray, costs: Costs, rng: np.random.Generator
) -> Day:
    """Play a day.

    Parameters
    ----------
    photos : int
        How many come.
    workers : int
        How many are read at once.
    times_s : (N,) float64
        Recorded seconds of reading, drawn from.
    costs : Costs
        What the shared parts take.
    rng : Generator
        Chance.
    """
    come = arrivals(photos, rng)
    took = rng.choice(times_s, size=photos)
    ready = served(served(come, costs.database_s), costs.scheduler_s)
    free = [0.0] * workers  # a heap: when each reader is free again
    begins = np.empty(photos)
    for k, (at, seconds) in enumerate(zip(ready.tolist(), took.tolist(), strict=True)):
        begins[k] = begin = max(at, free[0])
        heapq.heapreplace(free, begin + seconds)
    waits = begins - come
    busy_by_hour = np.bincount((begins // 3600).astype(int), weights=took, minlength=24)
    peak = np.bincount((come // 3600).astype(int), minlength=24).max()
    return Day(
        photos,
        waits,
        float(took.sum() / (workers * DAY_S)),
        float(busy_by_hour.max() / (workers * 3600.0)),
        float(peak * costs.scheduler_s / 3600.0),
        float(peak * costs.database_s / 3600.0),
        photos * costs.bytes_kept / 1e9,
    )


def served(come: FloatArray, each_s: float) -> FloatArray:
    """Return when what comes is done by a part that takes one at a time, for so long each.

    Each is done at the latest of: any before it came, and all from that one on after each other.
    """
    count = np.arange(len(come))
    begun = np.maximum.accumulate(come - count * each_s)
    return np.asarray(begun + (count + 1) * each_s, float)


def most_photos(workers: int, times_s: FloatArray, costs: Costs, share: float = 0.95) -> int:
    """Return how many photos a day may have so that no part is busier at the peak than a share."""
    rates = [workers / times_s.mean(), 1 / costs.scheduler_s, 1 / costs.database_s]
    peak = max(CURVE) / sum(CURVE)
    return int(share * min(rates) * 3600.0 / peak)


def recorded(path: Path | None) -> FloatArray:
    """Return seconds of reading: of a batch's journal, or those of this file."""
    if path is None:
        return np.array(RECORDED_S)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return np.array([line["seconds"] for line in lines if line.get("result")])


def line(workers: int, day: Day) -> tuple[Cell, ...]:
    """Return a row of the table."""
    middle, late = np.percentile(day.wait_s, [50, 95])
    return (
        workers,
        f"{day.photos:,}",
        f"{middle:.2f}",
        f"{late:.1f}",
        f"{day.peak_busy:.0%}",
        f"{day.scheduler_busy:.0%}",
        f"{day.database_busy:.1%}",
        f"{day.stored_gb:,.0f}",
    )


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--times", type=Path, help="batch.jsonl of a batch with --jobs 1")
    parser.add_argument("--scheduler-ms", type=float, default=1.0)
    parser.add_argument("--database-ms", type=float, default=4.0)


def run(options: Namespace) -> Result:
    """Play a day of few and of many readers."""
    costs = Costs(options.scheduler_ms / 1000, options.database_ms / 1000)
    times = recorded(options.times)
    heads = ("workers", "photos a day", "wait s, half", "wait s, 19 of 20", "readers at the peak")
    heads += ("scheduler at the peak", "database at the peak", "GB a day")
    rows = []
    for workers in (2, 20, 1000):
        photos = most_photos(workers, times, costs)
        rng = np.random.default_rng(options.seed + 1)
        rows.append(line(workers, simulate(photos, workers, times, costs, rng)))
    title = f"{len(times)} recorded times, {times.mean():.2f} s on average"
    return Result((Table(title, heads, tuple(rows)),))
