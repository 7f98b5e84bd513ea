"""How a batch spreads: a plain loop against 1 and 2 processes and a Dask cluster.

PHOTOS is one folder to work in; the photos are drawn into it if they are not there. All ways take
turns, a chunk of photos each, so that what else the machine does weighs on all alike; told are
ratios in one run, of the clock and of the processor's time (of all processes of a way, less what
they take at rest). The results are compared byte for byte, timings aside, also with those of a
batch killed half-way and given again.
"""

import asyncio
import json
import multiprocessing
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from bench.common.light_speed import light_speed
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from tests.synth import Scene, photograph, random_cards
from vision.apps.batch.entries import Entry, find_entries
from vision.apps.batch.journal import Journal
from vision.apps.batch.run import Batch, run_batch
from vision.apps.pools.opening import open_pool
from vision.apps.pools.values import PoolLimits
from vision.apps.reading import ReadTask, read
from vision.games.light_speed.deck import card_ids
from vision.imaging.photo import encode_image, use_one_thread

COUNT = 500
CARDS = 12
SIZE_WH = (2000, 1500)  # a quarter of a phone's: 500 of them are read in minutes
REST_S = 15.0
NICE = 5  # as the readers of a pool


def draw(folder: Path, count: int) -> None:
    """Draw tables of a few cards, each another, those that are not there."""
    bank, ids = light_speed().bank, card_ids(light_speed().deck)
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(count):
        place = folder / f"{k:04}.jpg"
        if not place.exists():
            rng = np.random.default_rng(k)
            cards = random_cards([str(one) for one in rng.choice(ids, CARDS, replace=False)], rng)
            tilt, azimuth = rng.uniform(5, 35), rng.uniform(0, 360)
            scene = Scene(cards, SIZE_WH, tilt_deg=tilt, azimuth_deg=azimuth, seed=k)
            place.write_bytes(encode_image(photograph(scene, bank)[0], ".jpg", 90))


# --- the ways, each in a process of its own ------------------------------------------------------


def loop(pipe: "Connection[Any, Any]", out: Path, game: str | None) -> None:
    """Read one after the other."""
    os.nice(NICE)
    use_one_thread()
    while entries := pipe.recv():
        for entry in entries:
            document = read(ReadTask(entry.photos, game=game)).document
            (out / f"{entry.name}.json").write_text(document, encoding="utf-8")
        pipe.send("done")


def spread(
    pipe: "Connection[Any, Any]", out: Path, game: str | None, workers: int, cluster: str = ""
) -> None:
    """Read by the loop of a batch."""
    order = Batch(out, game=game, limits=PoolLimits(workers))

    async def run() -> None:
        with Journal(out, {}) as journal:
            async with open_pool(read, order.limits, cluster) as pool:
                while entries := await asyncio.to_thread(pipe.recv):
                    await run_batch(order, entries, journal, pool, lambda line: None)
                    pipe.send("done")

    asyncio.run(run())


WAYS: dict[str, tuple[Callable[..., None], tuple[object, ...]]] = {
    "plain loop": (loop, ()),
    "1 process": (spread, (1,)),
    "2 processes": (spread, (2,)),
    "Dask, 2 workers": (spread, (2, "local")),
}


class Way:
    """A way, and what it took, chunk by chunk."""

    def __init__(self, name: str, folder: Path, game: str | None) -> None:
        self.name, self.out = name, folder / name.replace(" ", "-")
        self.out.mkdir()
        self.wall_s: list[float] = []
        self.at_rest = 0.0  #: of a core
        self.cpu_s: list[float] = []
        self.peak_mb: list[float] = []  #: the largest process, after each chunk
        context = multiprocessing.get_context("spawn")
        self.pipe, there = context.Pipe()
        run, arguments = WAYS[name]
        self.process = context.Process(target=run, args=(there, self.out, game, *arguments))
        self.process.start()

    def turn(self, entries: tuple[Entry, ...]) -> None:
        """Take a turn."""
        spent, begin = self.processor_s(), time.perf_counter()
        self.pipe.send(entries)
        self.pipe.recv()
        self.wall_s.append(time.perf_counter() - begin)
        self.cpu_s.append(self.processor_s() - spent)
        self.peak_mb.append(max(memory_mb(one) for one in self.family()))

    def end(self) -> None:
        self.pipe.send(())
        self.process.join()

    def family(self) -> list[psutil.Process]:
        """Return its process and all below it."""
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]

    def processor_s(self) -> float:
        """Return the seconds of a processor that all have used, those that are gone too."""
        total = 0.0
        for one in self.family():
            with suppress(psutil.NoSuchProcess):
                times = one.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
        return total

    def row(self, first: "Way", count: int, expected: dict[str, str]) -> tuple[Cell, ...]:
        """Return the row of the table; the first chunk, in which processes start, is left out."""
        faster = 1 / statistics.median(
            mine / other for mine, other in zip(self.wall_s[1:], first.wall_s[1:], strict=True)
        )
        each, plain = self.each_s(count), first.each_s(count)
        quarter = max(1, len(self.peak_mb) // 4)
        early, late = max(self.peak_mb[:quarter]), max(self.peak_mb[-quarter:])
        same = "yes" if results(self.out) == expected else "NO"
        return (
            self.name,
            f"{sum(self.wall_s):.0f}",
            f"{faster:.2f} x",
            f"{each:.3f}",
            f"{each / plain - 1:+.1%}",
            f"{self.at_rest:.3f}",
            f"{early:.0f} / {late:.0f}",
            same,
        )

    def each_s(self, count: int) -> float:
        """Return the processor's time of a photo, beyond what it takes at rest meanwhile."""
        return (sum(self.cpu_s[1:]) - self.at_rest * sum(self.wall_s[1:])) / count


def memory_mb(one: psutil.Process) -> float:
    try:
        return float(one.memory_info().rss / 1e6)
    except psutil.NoSuchProcess:
        return 0.0


def results(out: Path) -> dict[str, str]:
    """Return what was read, timings aside."""
    found = {}
    for path in sorted(out.glob("*.json")):
        scan = json.loads(path.read_text(encoding="utf-8"))
        found[path.stem] = json.dumps({**scan, "timings_ms": {}})
    return found


# --- the runs ----------------------------------------------------------------------------------


def take_turns(entries: tuple[Entry, ...], folder: Path, chunk: int, game: str | None) -> list[Way]:
    """Have all ways read all photos, chunk by chunk in turn."""
    ways = [Way(name, folder, game) for name in WAYS]
    for k in range(0, len(entries), chunk):
        first = k // chunk % len(ways)
        for way in ways[first:] + ways[:first]:
            way.turn(entries[k : k + chunk])
        if k == 0:
            rest(ways)
        say(f"{k + chunk} of {len(entries)}, {os.getloadavg()[0]:.1f} load")
    for way in ways:
        way.end()
    return ways


def rest(ways: list[Way]) -> None:
    """Note what the ways take of a core while they have nothing to do."""
    spent = [way.processor_s() for way in ways]
    time.sleep(REST_S)
    for way, before in zip(ways, spent, strict=True):
        way.at_rest = (way.processor_s() - before) / REST_S


def killed_and_continued(photos: Path, out: Path, count: int, game: str | None) -> tuple[int, int]:
    """Kill the command half-way and give it again; return what was done, and the status."""
    command = [sys.executable, "-m", "vision.apps.cli.main", "batch", str(photos)]
    command += ["--out", str(out), "--jobs", "2", *(["--game", game] if game else [])]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while len(list(out.glob("*.json"))) < count / 2:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    done = len(list(out.glob("*.json")))
    return done, subprocess.run(command, stdout=subprocess.DEVNULL).returncode


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--chunk", type=int, default=50)
    parser.add_argument("--game", help="that lies there; else it is found out")


def run(options: Namespace) -> Result:
    """Have all ways read the photos, then kill a batch and give it again."""
    if len(options.photos) != 1:
        return Result((), ("say one folder to work in",))
    drawn = options.photos[0] / f"photos-{options.count}"
    draw(drawn, options.count)
    folder = options.photos[0] / "results"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    entries = find_entries([str(drawn)])
    ways = take_turns(entries, folder, options.chunk, options.game)
    expected = results(ways[0].out)
    heads = ("way", "s", "against the loop", "processor s each", "more than the loop")
    heads += ("cores at rest", "MB first / last quarter", "same results")
    rows = tuple(way.row(ways[0], len(entries) - options.chunk, expected) for way in ways)
    done, status = killed_and_continued(drawn, folder / "killed", len(entries), options.game)
    same = "the same" if results(folder / "killed") == expected else "OTHER"
    note = f"killed after {done}, given again (status {status}): {same} results"
    return Result((Table(f"{len(expected)} photos", heads, rows),), (note,))
