"""One of two servers killed at random moments under load, with a live game that goes on.

Both have one database, one S3-compatible store and one Dask cluster, all started here. Told are how
soon either shows what the other was sent, what was acknowledged and what was lost, and after how
many seconds the other server had taken a live game over, had its process ready, and had looked at
its first picture. ``--count`` is how often one is killed.
"""

import multiprocessing
import os
import random
import statistics
import tempfile
import threading
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2

from bench.common.record import Result
from bench.common.tables import Cell, Table
from tests.apps.killed import kill_in_turn, lost_of, post_photo, two_servers, under_load
from tests.apps.live_help import Producer, film_of, jpeg, laying
from tests.apps.parts import Cluster, Postgres, Store
from tests.apps.test_live import told
from tests.apps.web_help import Server, picture
from tests.patience import PATIENCE_S

SEED, COUNT = 18, 20
UPLOADS = 20  # to tell how soon they are shown
WATCHED_S = 10.0


class LiveTable:
    """A live game, fed all the time at whichever server has it."""

    def __init__(self, servers: list[Server]) -> None:
        self.clients = {
            server.url: httpx2.Client(base_url=server.url, timeout=PATIENCE_S) for server in servers
        }
        self.film = film_of()
        self.producer = Producer(self.clients[servers[0].url])
        self.producer.play(laying(self.film, 2))
        self.picture = jpeg(self.film.still(self.film.cards[:2]))
        self.looked = (time.monotonic(), servers[0].url)  #: when at last, and by which
        self.took_s: dict[str, list[float]] = {"taken over": [], "ready": [], "looked at": []}
        self.forgotten = 0  #: events that were told and are told no more
        self.is_over = threading.Event()

    def feed(self) -> None:
        """Send picture after picture, at the other server where this one has not the game."""
        urls, which = list(self.clients), 0
        while not self.is_over.is_set():
            self.film.time_s += 0.1
            status = self._send(urls[which])
            if status == 200:
                self.looked = (time.monotonic(), urls[which])
            elif status != 202:
                which = 1 - which
            time.sleep(0.05)

    def _send(self, url: str) -> int:
        """Send a picture; return the status, 0 if nobody answered."""
        headers = {**self.producer.headers, "Content-Type": "image/jpeg"}
        place, taken = f"{self.producer.place}/frames", {"taken": 1000 + self.film.time_s}
        try:
            reply = self.clients[url].post(
                place, params=taken, content=self.picture, headers=headers
            )
        except httpx2.HTTPError:
            return 0
        return reply.status_code

    def after(self, dead: Server, left: Server) -> None:
        """Time how the game goes on, if its server was the one that died."""
        begin, at_left = time.monotonic(), self.clients[left.url]
        if self.looked[1] != dead.url:
            return
        before = told(at_left, self.producer.place)
        last = before[-1]["number"]

        def state() -> dict:
            return at_left.get(self.producer.place).json()

        self._time("taken over", begin, lambda: state()["last_event"] > last)
        self._time("ready", begin, lambda: state()["state"] == "ready")
        self._time("looked at", begin, lambda: self.looked[0] > begin)
        now = told(at_left, self.producer.place)
        self.forgotten += sum(event not in now for event in before)

    def _time(self, what: str, begin: float, is_so: object) -> None:
        while not is_so():  # type: ignore[operator]
            time.sleep(0.02)
        self.took_s[what].append(time.monotonic() - begin)


@contextmanager
def fed(table: LiveTable) -> Iterator[None]:
    """Have a table fed while the block lasts."""
    thread = threading.Thread(target=table.feed)
    thread.start()
    try:
        yield
    finally:
        table.is_over.set()
        thread.join()


def shown_after(one: Server, other: Server) -> tuple[float, float]:
    """Send a photo to one; return after how many seconds the other said that it began, was done."""
    scan = post_photo(one.url, picture(seed=1), f"shown-{one.port}-{time.monotonic()}")
    begin, heard = time.monotonic(), []
    url = f"{other.url}/api/v1/scans/{scan}/events"
    with httpx2.stream("GET", url, timeout=PATIENCE_S) as reply:
        for line in reply.iter_lines():
            if line.startswith("data: "):
                heard.append(time.monotonic() - begin)
            if '"done"' in line:
                break
    return heard[0], heard[-1]


def watched(table: LiveTable, server: Server) -> str:
    """Look at the moving picture on a server; return how often it moves, and what that weighs."""
    number, sizes, ages = 0, [], []
    end = time.monotonic() + WATCHED_S
    while time.monotonic() < end:
        place = f"{table.producer.place}/picture"
        reply = table.clients[server.url].get(place, params={"after": number})
        if reply.status_code == 200:
            number = int(reply.headers["x-picture"])
            sizes.append(len(reply.content))
            ages.append(float(reply.headers["x-age"]))
    return (
        f"{len(sizes) / WATCHED_S:.1f} pictures/s of {statistics.fmean(sizes) / 1000:.0f} kB, "
        f"{statistics.median(ages):.2f} s old"
    )


def spread(what: str, seconds: list[float]) -> tuple[Cell, ...]:
    """Return a row: median and most seconds."""
    if not seconds:
        return (what, 0, None, None)
    return (what, len(seconds), f"{statistics.median(seconds):.2f}", f"{max(seconds):.2f}")


def measure(servers: list[Server], kills: int, seed: int) -> Result:
    """Send, kill, and tell what came of it."""
    one, other = servers
    shown_after(one, other)  # the first waits for the readers to start
    own, others = ([shown_after(one, by)[1] for _ in range(UPLOADS)] for by in (one, other))
    rows = [spread("shown by the server that was sent it", own)]
    rows.append(spread("shown by the other", others))
    table = LiveTable(servers)
    with fed(table):
        notes = [
            f"moving picture at {name}: {watched(table, server)}"
            for name, server in (("its own server", one), ("the other", other))
        ]
    table.is_over.clear()
    with under_load(servers) as uploads, fed(table):
        kill_in_turn(uploads, kills, random.Random(seed), table.after)
    lost = lost_of(uploads, servers)
    notes.append(f"killed {kills} times; {len(uploads.known)} acknowledged, {len(lost)} lost")
    numbers = [event["number"] for event in told(table.clients[one.url], table.producer.place)]
    is_whole = numbers == list(range(1, len(numbers) + 1)) and not table.forgotten
    notes.append(f"live game: {len(numbers)} events, {'none' if is_whole else 'SOME'} lost")
    rows += [spread(f"live game {what}", seconds) for what, seconds in table.took_s.items()]
    heads = ("what", "times", "median s", "most s")
    return Result((Table("Two servers", heads, tuple(rows)),), tuple(notes))


def burn() -> None:
    """Keep a core busy."""
    while True:
        pass


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--apart", action="store_true", help="each as on a machine of its own")
    parser.add_argument("--busy", type=int, default=0, help="so many cores are busy elsewise")


def run(options: Namespace) -> Result:
    """Start all parts, measure, end them."""
    if not Postgres.is_there():
        return Result((), ("PostgreSQL is not installed",))
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder, database = Path(name), Postgres(Path(name))
        url = database.start()
        stack.callback(database.kill)
        store, cluster = Store(folder), Cluster(folder)
        stack.callback(store.kill)
        stack.callback(cluster.kill)
        store.make_bucket("club")
        os.environ.update(store.environment())
        cluster.start()
        for _ in range(options.busy):
            process = multiprocessing.Process(target=burn, daemon=True)
            process.start()
            stack.callback(process.kill)
        shared = {"SIGHTLINE_OBJECTS_URL": "s3://club/here", "SIGHTLINE_CLUSTER": cluster.address}
        with two_servers(folder, url, are_apart=options.apart, **shared) as servers:
            return measure(servers, options.count, options.seed)
