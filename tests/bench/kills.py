"""One of two servers killed at random moments under load, with a live game that goes on.

    python -m tests.bench.kills [--kills 20] [--database postgresql+psycopg://…]

Prints what was acknowledged and what was lost, and after how many seconds the other server had
taken a live game over and looked at its first picture. Without a database one is started, if
PostgreSQL is installed.
"""

import argparse
import os
import random
import signal
import statistics
import tempfile
import time
from pathlib import Path

import httpx2

from tests.apps.conftest import start_postgres
from tests.apps.killed import kill_in_turn, lost_of, two_servers, under_load
from tests.apps.live_help import Producer, film_of, jpeg, laying
from tests.apps.web_help import Server


class Table:
    """A live game, fed at whichever server has it."""

    def __init__(self, servers: list[Server]) -> None:
        self.clients = {
            server.url: httpx2.Client(base_url=server.url, timeout=60) for server in servers
        }
        self.film = film_of()
        self.producer = Producer(self.clients[servers[0].url])
        self.producer.play(laying(self.film, 2))
        self.picture = jpeg(self.film.still(self.film.cards[:2]))
        self.taken_s: list[float] = []
        self.looked_s: list[float] = []
        self.at = servers[0].url

    def feed(self, url: str) -> int:
        """Send a picture; return the status, 0 if nobody answered."""
        self.film.time_s += 0.1
        try:
            return (
                self.clients[url]
                .post(
                    self.producer.place + "/frames",
                    params={"taken": 1000 + self.film.time_s},
                    content=self.picture,
                    headers={**self.producer.headers, "Content-Type": "image/jpeg"},
                )
                .status_code
            )
        except httpx2.HTTPError:
            return 0

    def after(self, dead: Server, left: Server) -> None:
        """Time how the game goes on, if its server was the one that died."""
        begin, url = time.monotonic(), left.url
        self.at = url
        if self.feed(url) != 503:
            return  # it was followed there already
        while self.feed(url) not in (200, 202):
            time.sleep(0.05)
        self.taken_s.append(time.monotonic() - begin)
        while self.feed(url) != 200:
            time.sleep(0.05)
        self.looked_s.append(time.monotonic() - begin)

    def numbers(self) -> list[int]:
        """Return the numbers of all events, as a viewer gets them."""
        reply = self.clients[self.at].get(f"{self.producer.place}/events", params={"seconds": 0})
        return [int(line[4:]) for line in reply.text.splitlines() if line.startswith("id: ")]


def report(name: str, seconds: list[float]) -> None:
    """Print times, middle and worst."""
    if seconds:
        middle, worst = statistics.median(seconds), max(seconds)
        print(
            f"{name}: {middle:.1f} s in the middle, {worst:.1f} s at worst ({len(seconds)} times)"
        )


def run(folder: Path, url: str, kills: int, seed: int) -> None:
    """Print what came of it."""
    with two_servers(folder, url) as servers:
        table = Table(servers)
        with under_load(servers) as uploads:
            kill_in_turn(servers, kills, random.Random(seed), table.after)
        lost = lost_of(uploads, servers)
        numbers = table.numbers()
        whole = numbers == list(range(1, len(numbers) + 1))
        print(f"killed {kills} times; {len(uploads.known)} photos acknowledged, {len(lost)} lost")
        print(f"live game: {len(numbers)} events, {'none' if whole else 'SOME'} lost")
        report("taken over after", table.taken_s)
        report("first picture looked at after", table.looked_s)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--database", default=os.environ.get("SIGHTLINE_TEST_POSTGRES", ""))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = given.database or start_postgres(folder)
        if not url:
            parser.error("PostgreSQL is not installed; name one with --database")
        try:
            run(folder, url, given.kills, given.seed)
        finally:
            if not given.database:
                pid = int((folder / "pg" / "postmaster.pid").read_text().split()[0])
                os.kill(pid, signal.SIGQUIT)


if __name__ == "__main__":
    main()
