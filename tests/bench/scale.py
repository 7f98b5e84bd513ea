"""Where it ends: a day of a thousand readers, simulated with task times that were recorded.

    python -m tests.bench.scale                      # with the times below
    python -m tests.bench.scale --times OUT/batch.jsonl   # with those of a batch of one's own

A day's photos come by a curve (few at night, most in the evening); each is taken in, waits for the
scheduler, is read by a free worker for as long as some recorded photo took, and is written down.
Scheduler and database are queues of one: each holds so many a second and no more. Told are waits,
how busy each part is, and what is full first.
"""

import argparse
import heapq
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision.values.arrays import FloatArray

#: Seconds of reading a photo on one core, of the sample photos (12 MP), one by one. Measured with
#: ``sightline batch sample_photos --jobs 1`` on the machine of ``docs/measured.md``.
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
    free = [0.0] * workers
    heapq.heapify(free)
    database = scheduler = 0.0  # when each is free again
    waits, busy_by_hour = np.empty(photos), np.zeros(48)
    for k, at in enumerate(come):
        database = max(database, at) + costs.database_s
        scheduler = max(scheduler, database) + costs.scheduler_s
        begin = max(scheduler, heapq.heappop(free))
        heapq.heappush(free, begin + took[k])
        waits[k] = begin - at
        busy_by_hour[min(47, int(begin // 3600))] += took[k]
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


def most_photos(
    workers: int, times_s: FloatArray, costs: Costs, seed: int, patience_s: float = 60.0
) -> int:
    """Return how many photos a day may have, 19 of 20 waiting no longer than ``patience_s``."""
    low, high = 0, int(2 * workers * DAY_S / times_s.mean())
    while high - low > max(10, low // 50):
        middle = (low + high) // 2
        day = simulate(middle, workers, times_s, costs, np.random.default_rng(seed))
        if np.percentile(day.wait_s, 95) <= patience_s:
            low = middle
        else:
            high = middle
    return low


def recorded(path: Path | None) -> FloatArray:
    """Return seconds of reading: of a batch's journal, or those of this file."""
    if path is None:
        return np.array(RECORDED_S)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return np.array([line["seconds"] for line in lines if line.get("result")])


def show(workers: int, day: Day) -> str:
    """Return a row of the table."""
    middle, late = np.percentile(day.wait_s, [50, 95])
    return (
        f"| {workers} | {day.photos:,} | {middle:.2f} | {late:.1f} | {day.peak_busy:.0%} | "
        f"{day.scheduler_busy:.0%} | {day.database_busy:.1%} | {day.stored_gb:,.0f} |"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=Path, help="batch.jsonl of a batch with --jobs 1")
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--scheduler-ms", type=float, default=1.0)
    parser.add_argument("--database-ms", type=float, default=4.0)
    given = parser.parse_args()
    costs = Costs(given.scheduler_ms / 1000, given.database_ms / 1000)
    times = recorded(given.times)
    print(f"{len(times)} recorded times, {times.mean():.2f} s on average\n")
    heads = ("workers", "photos a day", "wait s, half", "wait s, 19 of 20", "readers at the peak")
    heads += ("scheduler at the peak", "database at the peak", "GB a day")
    print("| " + " | ".join(heads) + " |\n" + "| --- " * len(heads) + "|")
    for workers in (2, 20, 1000):
        photos = most_photos(workers, times, costs, given.seed)
        rng = np.random.default_rng(given.seed + 1)
        print(show(workers, simulate(photos, workers, times, costs, rng)))


if __name__ == "__main__":
    main()
