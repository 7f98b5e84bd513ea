"""How a batch spreads: a plain loop in one process against 1 and 2 processes, and a Dask cluster.

    python -m tests.bench.batch [PHOTOS] [--count 40]

Every way reads the same photos, by turns in one run; the ratios are what counts. The results are
compared byte for byte, timings aside.
"""

import argparse
import json
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import anyio

from vision.apps.batch.entries import Entry, find_entries
from vision.apps.batch.journal import Journal
from vision.apps.batch.run import Batch, run_batch
from vision.apps.pools.opening import open_pool
from vision.apps.pools.values import PoolLimits
from vision.apps.reading import ReadTask, read
from vision.imaging.photo import use_one_thread

SAMPLES = Path(__file__).parents[2] / "sample_photos"


def loop(entries: tuple[Entry, ...], out: Path) -> None:
    """Read one after the other, here."""
    for entry in entries:
        document = read(ReadTask(entry.photos)).document
        (out / f"{entry.name}.json").write_text(document, encoding="utf-8")


def batch(workers: int, cluster: str = "") -> Callable[[tuple[Entry, ...], Path], None]:
    """Return a batch on so many processes."""

    def run(entries: tuple[Entry, ...], out: Path) -> None:
        order = Batch(out, limits=PoolLimits(workers))

        async def go() -> None:
            with Journal(out, {}) as journal:
                async with open_pool(read, order.limits, cluster) as pool:
                    await run_batch(order, entries, journal, pool, lambda line: None)

        anyio.run(go)

    return run


WAYS = {
    "plain loop": loop,
    "1 process": batch(1),
    "2 processes": batch(2),
    "Dask, 2 workers": batch(2, "local"),
}


def results(out: Path) -> dict[str, str]:
    """Return what was read, timings aside."""
    found = {}
    for path in sorted(out.glob("*.json")):
        scan = json.loads(path.read_text(encoding="utf-8"))
        found[path.stem] = json.dumps({**scan, "timings_ms": {}})
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", nargs="?", type=Path, default=SAMPLES)
    parser.add_argument("--count", type=int, default=40)
    given = parser.parse_args()
    use_one_thread()
    with tempfile.TemporaryDirectory() as folder:
        photos = Path(folder) / "photos"
        photos.mkdir()
        found = sorted(given.photos.glob("*.jpg"))
        for k in range(given.count):
            shutil.copy(found[k % len(found)], photos / f"{k:04}.jpg")
        entries = find_entries([str(photos)])
        print(f"| way | s | photos/s | against the loop | same results | MB |\n{'| --- ' * 6}|")
        first, expected = 0.0, {}
        for name, way in WAYS.items():
            out = Path(folder) / name.replace(" ", "-")
            out.mkdir()
            begin = time.perf_counter()
            way(entries, out)
            took = time.perf_counter() - begin
            first, expected = first or took, expected or results(out)
            same = "yes" if results(out) == expected else "NO"
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
            rate = len(entries) / took
            print(
                f"| {name} | {took:.1f} | {rate:.2f} | {first / took:.2f} x | {same} | {peak:.0f} |"
            )


if __name__ == "__main__":
    main()
