"""Two servers, a film each, one battle: as one table, whatever their clocks say and cables do."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest

from tests.apps.live_help import Producer
from tests.apps.test_live import told, until
from tests.apps.test_web_api import problem
from tests.apps.web_help import Server, client_of, running, served
from tests.film import Film, play
from tests.light_speed import drawn_bank
from tests.patience import PATIENCE_S
from tests.synth import random_cards
from tests.watch.test_battle import ELSEWHERE, GAME, NAMES, OURS, QUIET, carried
from vision.apps.server.live.clock import RoundTrip, ahead_of
from vision.watch import WatchSession

OFF_S = -60.0  # of the guest's clock: as it says, its cards would always be the earlier ones
AWAY_S = 6.0  # that the cable is pulled

_SCRIPT = served(
    "brief",
    first="""
    from vision.apps.server.live import games
    from vision.apps.server.live.clock import steady_clock
    games.steady_clock = lambda: steady_clock() + float(sys.argv[5])
    """,
)


class Cable:
    """A way to a server, until it is pulled."""

    def __init__(self, to: int) -> None:
        self.to, self.is_whole = to, True
        self.ends: list[socket.socket] = []
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = self.door.getsockname()[1]
        self.threads = [threading.Thread(target=self._serve)]
        self.threads[0].start()

    def pull(self) -> None:
        self.is_whole = False
        for end in self.ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.pull()
        with suppress(OSError):  # whoever waits at it wakes up
            self.door.shutdown(socket.SHUT_RDWR)
        self.door.close()
        for thread in self.threads:
            thread.join()
        for end in self.ends:
            end.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self.door.accept()
                self.ends.append(here)
                if self.is_whole:
                    there = socket.create_connection(("127.0.0.1", self.to))
                    self.ends.append(there)
                    self._pass_on(here, there)
                    self._pass_on(there, here)
                else:
                    here.shutdown(socket.SHUT_RDWR)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        def run() -> None:
            with suppress(OSError):
                while part := source.recv(65536):
                    target.sendall(part)
                target.shutdown(socket.SHUT_WR)

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()


@contextmanager
def two_servers(folder: Path) -> Iterator[list[Server]]:
    servers = []
    for name, off_s in (("host", 0.0), ("guest", OFF_S)):
        (folder / name).mkdir()
        servers.append(Server(folder / name, script=_SCRIPT, arguments=[str(off_s)]))
    with running(servers):
        yield servers


class Table:
    """A table with its film, its server, and who feeds it in time."""

    def __init__(self, server: Server, cards: tuple, seed: int) -> None:
        self.client = httpx2.Client(base_url=server.url, timeout=PATIENCE_S)
        self.producer = Producer(self.client)
        self.film = Film(cards, drawn_bank(), seed=seed)
        self.lying: tuple = ()
        self.begin = 0.0

    def close(self) -> None:
        self.client.close()

    def rest(self, seconds: float) -> None:
        self._send(self.film.rest(self.lying, seconds))

    def lay(self, *names: str) -> None:
        for name in names:
            card = next(card for card in self.film.cards if card.card_id == name)
            before, self.lying = self.lying, (*self.lying, card)
            at = card.x_mm, card.y_mm
            self._send(self.film.visit(before, self.lying, at, seconds=0.6))
            self.rest(0.7)

    def _send(self, frames: Any) -> None:
        self.film.time_s = max(self.film.time_s, time.monotonic() - self.begin)
        for image, time_s in frames:
            time.sleep(max(0.0, self.begin + time_s - time.monotonic()))
            reply = self.producer.send(image, time_s)
            assert reply.status_code in (200, 202), reply.text

    def take_part(self, **body: Any) -> Any:
        producer = self.producer
        place = producer.place + "/battle"
        return producer.client.post(place, json=body, headers=producer.headers)

    @property
    def battle(self) -> dict[str, Any]:
        return self.producer.state()["battle"]

    def told(self, *codes: str) -> list[dict]:
        everything = told(self.producer.client, self.producer.place)
        return [event for event in everything if event["code"] in codes]


def together(*acts: Any) -> None:
    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(act) for act in acts]:
            done.result()


@pytest.fixture(scope="module")
def cards() -> tuple:
    return random_cards(NAMES, np.random.default_rng(8), gap_mm=15.0)


def on(card: Any, name: str) -> Any:
    """Return a card that lies half on another one."""
    return replace(card, card_id=name, x_mm=card.x_mm + 15.0, y_mm=card.y_mm + 10.0)


def test_two_films_one_battle_a_clock_off_by_a_minute_and_a_pulled_cable(tmp_path, cards):
    by_name = {card.card_id: card for card in cards}
    late, lost = on(by_name["red-moth"], "green-moth"), on(by_name["red-ghost"], "green-viper")
    there = (cards[0], by_name["blue-ghost"], by_name["blue-destroyer"], late, lost)
    here = tuple(by_name[name] for name in OURS)
    with (
        two_servers(tmp_path) as (one, two),
        closing(Cable(one.port)) as cable,
        closing(Table(one, here, seed=1)) as host,
        closing(Table(two, tuple(carried(c, *ELSEWHERE) for c in there), seed=2)) as guest,
    ):
        tables = (host, guest)
        for table in tables:
            until(lambda table=table: table.producer.state()["state"] == "ready")
            table.begin = time.monotonic() + 0.1
        link = host.take_part().json()["link"].replace(f":{one.port}/", f":{cable.port}/")
        assert guest.take_part(link=link).json()["link"] is None
        together(lambda: host.lay("asteroid-1", "red-moth"), lambda: guest.lay("asteroid-1"))
        until(lambda: all(table.battle["shared"] == "asteroid-1" for table in tables))
        until(lambda: [card["card"] for card in guest.battle["others"]] == ["red-moth"])
        together(lambda: host.rest(2.0), lambda: guest.lay("green-moth", "blue-ghost"))
        # the later one is told at once, though its clock says that it was there a minute before
        until(lambda: guest.told("battle_overlap"))
        (conflict,) = guest.battle["conflicts"]
        assert conflict == {
            "own": "green-moth", "other": "red-moth", "why": "overlap", "stands": "other",
        }  # fmt: skip
        until(lambda: host.battle["conflicts"])
        assert host.battle["conflicts"][0]["stands"] == "own"

        cable.pull()
        pulled = time.monotonic()
        together(lambda: host.lay("red-viper"), lambda: guest.rest(1.0))
        together(lambda: host.lay("red-ghost"), lambda: guest.rest(1.0))
        together(lambda: host.rest(1.0), lambda: guest.lay("green-viper", "blue-destroyer"))
        for table in tables:
            until(lambda table=table: table.battle["state"] == "away")
            assert table.battle["away_s"] > 1
            assert len(table.told("battle_away")) == 1
        while time.monotonic() < pulled + AWAY_S:
            together(*(lambda table=table: table.rest(0.5) for table in tables))
        seen = {card["card"] for card in guest.battle["others"]}
        assert seen == {"red-moth"}  # as they were; the rest is not known here
        cable.is_whole = True
        until(lambda: all(table.battle["state"] == "joined" for table in tables))
        until(lambda: len(guest.battle["others"]) == 3 and len(host.battle["others"]) == 4)
        assert {(c["own"], c["stands"]) for c in guest.battle["conflicts"]} == {
            ("green-moth", "other"), ("green-viper", "other"),
        }  # fmt: skip
        assert all(table.told("battle_back") for table in tables)

        host.producer.post("stop")
        until(lambda: guest.producer.state()["watch"]["phase"] != "playing")
        together(*(lambda table=table: table.rest(1.5) for table in tables))
        for table in tables:
            until(lambda table=table: "both tables" in str(table.told("verdict")))
        rounds = [table.producer.state()["rounds"] for table in tables]
        assert [len(one) for one in rounds] == [1, 1]
        truth = in_one_picture(cards)
        assert len(truth.scores) > 0
        for table, (kept,) in zip(tables, rounds, strict=True):
            assert kept["scores"] == {side: s["total"] for side, s in truth.scores.items()}
            place = f"/api/v1/scans/{kept['scan']}/round"
            shown = table.producer.client.get(place).json()
            assert {card["id"] for card in shown["cards"]} == set(NAMES)


def in_one_picture(cards: tuple) -> Any:
    """Return how the same table is resolved that one camera sees."""
    film = Film(cards, drawn_bank())
    session = WatchSession(GAME, film.bank, settings=QUIET)
    play(session, film.rest(cards, 1.2))
    session.stop()
    play(session, film.rest(cards, 1.0))
    return session.verdict.scan.ledger.final


def test_a_clock_is_told_by_the_shortest_round_trip():
    assert ahead_of([]) is None
    rng = np.random.default_rng(4)
    trips = []
    for k in range(20):
        there, here, work = rng.uniform(0.002, 0.3, 3)
        asked = 1000.0 + k
        received = asked + there - OFF_S  # the other's clock
        trips.append(RoundTrip(asked, received, received + work, asked + there + work + here))
    assert ahead_of(trips) == pytest.approx(OFF_S, abs=min(trip.way_s for trip in trips) / 2)
    assert ahead_of([RoundTrip(0.0, 60.01, 60.01, 0.02)]) == pytest.approx(OFF_S)


SERVER = {"live_games": 4}


def test_who_may_begin_a_battle_and_with_whom(client):
    producer = Producer(client)
    place = producer.place + "/battle"
    problem(client.post(place, json={}), 403, "live_not_yours")

    def begin(**body: Any) -> Any:
        return client.post(place, json=body, headers=producer.headers)

    for link in ("x", "http://localhost/api/v1/live", "ftp://localhost/api/v1/battles/" + "0" * 53):
        problem(begin(link=link), 422, "battle_link")
    far = "http://192.0.2.7.example.invalid/api/v1/battles/" + "0" * 20 + "/" + "0" * 32
    problem(begin(link=far), 422, "battle_link")
    public = "http://8.8.8.8/api/v1/battles/" + "0" * 20 + "/" + "0" * 32
    problem(begin(link=public), 422, "battle_link")
    damaged = "https://localhost/api/v1/battles/" + "0" * 20 + "/" + "0" * 32 + "#" + "0" * 63
    problem(begin(link=damaged), 422, "battle_link")
    link = begin().json()["link"]
    path = link[link.index("/api/"):]  # fmt: skip
    assert producer.headers["X-Live-Key"] not in link
    asked = table_of(producer, id="1" * 20)
    problem(client.post(path[:-1] + "x", json=asked), 404, "not_found")
    wrong = path[:-1] + ("0" if path[-1] != "0" else "1")
    problem(client.post(wrong, json=asked), 404, "not_found")
    told = client.post(path, json=asked).json()
    assert told["id"] == producer.id
    assert told["cards"] == []
    problem(client.post(path, json=table_of(producer, id="2" * 20)), 409, "battle_full")
    other = table_of(producer, id="1" * 20, rules={"piracy": True})
    problem(client.post(path, json=other), 409, "battle_other")
    assert producer.state()["battle"]["state"] == "joined"
    assert client.delete(place, headers=producer.headers).status_code == 204
    assert producer.state()["battle"] is None
    until(lambda: producer.state()["state"] == "ready")
    pid = client.app.state.services.live.games[producer.id].process.pid
    assert pid > 0
    os.kill(pid, signal.SIGKILL)
    until(lambda: producer.state()["restarts"] == 1 and producer.state()["state"] == "ready")
    assert producer.state()["battle"] is None  # nor after a death of its process
    problem(client.post(path, json=asked), 404, "not_found")
    producer.end()
    board = Producer(client, game="laser-shield")
    reply = client.post(board.place + "/battle", json={}, headers=board.headers)
    problem(reply, 409, "not_now")
    board.end()


def test_a_battle_outlives_the_restart_of_its_server(tmp_path):
    with client_of(tmp_path) as first:
        producer = Producer(first)
        reply = first.post(producer.place + "/battle", json={}, headers=producer.headers)
        link = reply.json()["link"]
    with client_of(tmp_path) as second:
        producer.client = second
        until(lambda: producer.state()["state"] == "ready")
        path = link[link.index("/api/") :]
        assert second.post(path, json=table_of(producer, id="1" * 20)).status_code == 200
        assert producer.state()["battle"]["state"] == "joined"
        producer.end()


def table_of(producer: Producer, **changes: Any) -> dict[str, Any]:
    state = producer.state()
    return {
        "schema": "sightline/battle-table@1", "game": "light-speed", "deck": state["deck"],
        "rules": state["rules"], "received": 1.0, "sent": 1.0, "ahead_s": 0.0, "knows": None,
        "cards": [], "stopped": None, "judged": None, "read": None, **changes,
    }  # fmt: skip
