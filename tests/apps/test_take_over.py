"""A live game whose server is gone goes on: on another server, or on the same after a restart."""

import asyncio
import json
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest

from tests.apps.live_help import Producer, film_of, laying
from tests.apps.test_live import codes, told, until
from tests.apps.web_help import Server, apart, client_of
from tests.patience import PATIENCE_S
from vision.apps.server.live.carried import CARRY_S, Carrier, LiveBells, fetch
from vision.apps.server.live.games import DistantGame, LiveGames
from vision.apps.server.live.standing import Begun, Shown
from vision.apps.server.live.verdicts import LiveOrder
from vision.apps.server.reading.bell import Bell
from vision.apps.server.reading.owners import own_name
from vision.apps.server.storage import new_id
from vision.apps.server.storage.live import KeptEvent, KeptGame
from vision.apps.server.storage.objects import FolderObjects
from vision.apps.server.storage.sql import Records
from vision.apps.server.storage.tables import live_events, live_games
from vision.imaging.photo import decode_photo


@pytest.fixture(params=["sqlite", "postgresql"])
def records(request, tmp_path) -> Iterator[Records]:
    url = "" if request.param == "sqlite" else request.getfixturevalue("postgres")
    records = Records(tmp_path, url)
    _forget_all(records)
    yield records
    _forget_all(records)
    records.close()


def _forget_all(records: Records) -> None:
    with records.database.write() as connection:
        for table in (live_events, live_games):
            connection.execute(table.delete())


def kept(owner: str = "one") -> KeptGame:
    return KeptGame(new_id(), "k" * 64, "{}", "", 1.0, '{"state": "ready"}', owner)


def event(number: int) -> KeptEvent:
    return KeptEvent(number, json.dumps({"en": number}), None if number % 2 else "p" * 64)


# --- what is kept ------------------------------------------------------------------------------


def test_what_a_game_tells_is_kept_in_order_the_newest_of_it(records):
    game = kept()
    records.live.begin(game, 9.0)
    assert records.live.tell(game.id, "one", "{}", (event(1), event(2)), 3)
    assert records.live.tell(game.id, "one", '{"a": 1}', (event(3), event(4)), 3)
    assert records.live.events(game.id) == (event(2), event(3), event(4))
    assert records.live.events(game.id, 3) == (event(4),)
    assert records.live.find(game.id).standing == '{"a": 1}'
    assert records.live.pictures() == {"p" * 64}
    assert records.live.end(game.id)
    assert not records.live.end(game.id)
    assert records.live.find(game.id) is None
    assert records.live.events(game.id) == ()


def test_a_game_is_one_servers_and_who_lost_it_says_nothing_more(records):
    game = kept()
    records.live.begin(game, 0.0)
    found = records.live.find(game.id)
    assert found.left_s <= 0
    assert records.live.take(found, "two", 9.0)
    assert not records.live.take(found, "three", 9.0)  # as it was found: too late
    assert not records.live.tell(game.id, "one", "{}", (event(1),), 9)
    assert records.live.events(game.id) == ()
    assert records.live.renew("one", 9.0, {game.id: 0.0}) == set()
    assert records.live.renew("two", 9.0, {game.id: 2.0, new_id(): 0.0}) == {game.id}
    now = records.live.find(game.id)
    assert now.left_s > 0
    assert now.age_s == pytest.approx(2.0, abs=0.001)  # by one clock, to the rounding of floats
    records.live.release("two", [game.id])
    assert records.live.find(game.id).left_s <= 0


def test_a_sign_of_life_that_comes_in_time_keeps_a_game(records):
    """Another server found it free, and was slow to take it."""
    game = kept()
    records.live.begin(game, 0.0)
    found = records.live.find(game.id)
    assert records.live.renew("one", 9.0, {game.id: 0.0}) == {game.id}
    assert not records.live.take(found, "two", 9.0)
    assert records.live.find(game.id).owner == "one"


@pytest.mark.parametrize(
    ("of", "left_s", "is_free"),
    [
        ("elsewhere", 0.1, False),
        ("elsewhere", -0.1, True),
        ("dead", 0.1, True),
        ("alive", -3.0, False),  # late on a busy machine
        ("alive", -31.0, True),  # it hangs
        ("own", -0.1, True),  # taken over and not followed: tried again
    ],
)
def test_a_game_is_left_alone_when_its_server_is_gone(of, left_s, is_free):
    mine, dead = own_name(), subprocess.Popen(["true"])
    dead.wait()
    machine = mine.partition(":")[0]
    owners = {"elsewhere": "other:1:1", "dead": f"{machine}:{dead.pid}:1"}
    here = SimpleNamespace(owner=mine if of == "own" else "here")
    game = replace(kept(owners.get(of, mine)), left_s=left_s)
    assert LiveGames._is_left_alone(here, game) == is_free


def test_of_many_servers_one_takes_a_game_over(records):
    game = kept()
    records.live.begin(game, 0.0)
    found, took = records.live.find(game.id), []
    start = threading.Barrier(4)

    def take(name: str) -> None:
        start.wait()
        if records.live.take(found, name, 9.0):
            took.append(name)

    threads = [threading.Thread(target=take, args=(f"server {k}",)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [records.live.find(game.id).owner] == took


def test_viewers_that_ask_at_once_are_told_each_event_once():
    """Of a table that another server follows: all of them look at the same records."""
    all_told = (event(1), event(2))

    def events(_: str, after: int) -> tuple[KeptEvent, ...]:
        return tuple(one for one in all_told if one.number > after)

    storage = SimpleNamespace(records=SimpleNamespace(live=SimpleNamespace(events=events)))

    async def look() -> list[int]:
        begun = Begun("g", "k", LiveOrder("d", "g", {}), 1.0, 9)
        game, found = DistantGame(begun, storage, 9, LiveBells()), replace(kept(), left_s=1.0)
        await asyncio.gather(game.look(found), game.look(found))
        return [told.number for told in game.events_after(0)]

    assert apart(lambda: asyncio.run(look())) == [1, 2]


# --- servers -----------------------------------------------------------------------------------


@contextmanager
def two_servers(folder: Path, url: str) -> Iterator[tuple[Server, Server]]:
    """Start two servers of one database and one folder of files."""
    shared = {"SIGHTLINE_DATABASE_URL": url, "SIGHTLINE_WORKERS": "1"}
    shared["SIGHTLINE_LIVE_SECONDS"] = str(PATIENCE_S)
    servers = [Server(folder, **shared) for _ in range(2)]
    try:
        for server in servers:
            server.start(PATIENCE_S)
        yield servers[0], servers[1]
    finally:
        for server in servers:
            server.stop()


def moved(producer: Producer, client: httpx2.Client) -> Producer:
    """Return who began a game, at another server."""
    other = object.__new__(Producer)
    other.__dict__ |= {**producer.__dict__, "client": client}
    return other


def test_a_game_goes_on_at_the_other_server_when_its_own_is_killed(tmp_path, postgres):
    """What was told, the rounds and the counts stay; who watches the other server sees it go on."""
    with (
        two_servers(tmp_path, postgres) as (one, two),
        httpx2.Client(base_url=one.url, timeout=PATIENCE_S) as at_one,
        httpx2.Client(base_url=two.url, timeout=PATIENCE_S) as at_two,
    ):
        producer, film = Producer(at_one, name="The club"), film_of()
        there = moved(producer, at_two)
        producer.play(laying(film, 2))
        assert producer.post("stop").status_code == 200
        producer.play(film.rest(film.cards[:2], 0.9))
        until(lambda: producer.state()["rounds"])
        assert producer.post("round").status_code == 200
        before, rounds = told(at_one, producer.place), producer.state()["rounds"]
        counts = producer.state()["watch"]["counts"]
        assert sum(counts.values()) == 2
        until(lambda: there.state()["watch"]["counts"] == counts)
        assert told(at_two, producer.place)[: len(before)] == before  # the other shows it already
        elsewhere = there.send(film.still(film.cards[:2]), film.time_s)
        assert (elsewhere.status_code, elsewhere.json()["code"]) == (503, "live_elsewhere")
        seen = follow(there)
        shown = picture_after(there, 0)  # made there, kept for here, since someone asks here

        one.kill()
        until(lambda: "watch_taken_over" in codes(at_two, producer.place))
        until(lambda: there.state()["state"] == "ready")
        film.time_s += 1.0
        there.play(film.rest(film.cards[:2], 1.5))
        assert picture_after(there, shown) > shown
        state = there.state()
        assert state["name"] == "The club"
        assert state["rounds"] == rounds
        assert state["watch"]["round"] == 2
        until(lambda: there.state()["watch"]["counts"] == counts)  # read anew
        after = told(at_two, producer.place)
        assert after[: len(before)] == before
        assert [one["number"] for one in after] == list(range(1, len(after) + 1))
        until(lambda: "watch_taken_over" in [event["code"] for event in list(seen)])
        for shown in (one for one in before if one["has_picture"]):
            picture = at_two.get(f"{producer.place}/events/{shown['number']}/picture")
            assert picture.headers["content-type"] == "image/jpeg"
        assert at_two.get(f"/api/v1/scans/{rounds[0]['scan']}/round").status_code == 200
        there.end()
        assert at_two.get(producer.place).status_code == 404


def picture_after(producer: Producer, number: int) -> int:
    """Return the number of the next picture that a viewer is shown."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        reply = producer.client.get(f"{producer.place}/picture", params={"after": number})
        if reply.status_code == 200:
            assert decode_photo(reply.content).image.size
            return int(reply.headers["x-picture"])
    raise AssertionError("no picture came")


def follow(producer: Producer) -> list[dict]:
    """Collect what a viewer is told from now on, on one connection."""
    seen: list[dict] = []
    is_open = threading.Event()

    def listen() -> None:
        with producer.client.stream("GET", f"{producer.place}/events") as reply:
            for line in reply.iter_lines():
                is_open.set()
                if line.startswith("data: ") and "sightline/watch-event@1" in line:
                    seen.append(json.loads(line[6:]))

    threading.Thread(target=listen, daemon=True).start()
    assert is_open.wait(PATIENCE_S)
    return seen


def test_pictures_are_carried_only_while_asked_for_and_the_newest_of_them(tmp_path):
    objects, shows = FolderObjects(tmp_path), Bell()
    carried: list[str] = []
    pictures = [Shown(k, b"\n\xff picture %d\n" % k, time.monotonic()) for k in range(1, 40)]

    async def carry() -> None:
        carrier = Carrier("g", objects, shows)
        for shown in pictures:
            carrier.offer(shown)
        await asyncio.sleep(0.1)
        assert await fetch("g", objects) is None  # nobody asked
        carrier.ask()
        for shown in pictures:
            carrier.offer(shown)
            await asyncio.sleep(0.01)
        begin = time.monotonic()
        while (found := await fetch("g", objects)) is None or found.number < len(pictures):
            assert time.monotonic() - begin < PATIENCE_S
            await asyncio.sleep(0.05)
        assert found.content == pictures[-1].content
        while len(carried) < 2:  # a picture is kept first, then others are told that it is there
            assert time.monotonic() - begin < PATIENCE_S
            await asyncio.sleep(0.05)

    begin = time.monotonic()
    shows.on_ring = carried.append
    apart(lambda: asyncio.run(carry()))
    assert len(carried) <= 1 + (time.monotonic() - begin) / CARRY_S


def test_a_game_outlives_the_restart_of_its_server(tmp_path):
    film = film_of()
    with client_of(tmp_path, live_seconds=PATIENCE_S) as client:
        producer = Producer(client, name="Here")
        producer.play(laying(film, 1))
        before, counts = told(client, producer.place), producer.state()["watch"]["counts"]
    with client_of(tmp_path, live_seconds=PATIENCE_S) as client:
        again = moved(producer, client)
        assert [game["id"] for game in client.get("/api/v1/live").json()["games"]] == [producer.id]
        assert again.state()["watch"]["counts"] == counts  # as they were, until cards are read
        until(lambda: again.state()["state"] == "ready")
        film.time_s += 1.0
        again.play(film.rest(film.cards[:1], 1.5))
        until(lambda: again.state()["watch"]["counts"] == counts)
        after = told(client, producer.place)
        assert after[: len(before)] == before
        assert after[len(before)]["code"] == "watch_taken_over"
        game = client.app.state.services.live.games[producer.id]
        assert game.process.pid
        again.end()
    with client_of(tmp_path) as client:
        assert client.get("/api/v1/live").json()["games"] == []


def test_a_game_that_nobody_plays_any_more_is_not_taken_over(tmp_path):
    with client_of(tmp_path, live_idle_minutes=0.0) as client:
        records = client.app.state.services.storage.records
        records.live.begin(replace(kept(), asked='{"deck": "d", "game": "g", "rules": {}}'), 0.0)
        until(lambda: records.live.list() == ())
        assert client.app.state.services.live.games == {}


def test_a_game_of_a_deck_that_is_not_here_hides_no_other(tmp_path):
    with client_of(tmp_path, live_seconds=PATIENCE_S) as client:
        records = client.app.state.services.storage.records
        strange = replace(kept(), asked='{"deck": "d", "game": "g", "rules": {}}')
        records.live.begin(strange, 2 * PATIENCE_S)
        producer = Producer(client, name="Here")
        assert [game["id"] for game in client.get("/api/v1/live").json()["games"]] == [producer.id]
        assert client.get(f"/api/v1/live/{strange.id}").status_code == 404
        producer.end()
