"""Live games over HTTP: pictures in, cards told once, the verdict an ordinary round."""

import json
import os
import queue
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from tests.apps import web_readers
from tests.apps.live_help import NAMES, Producer, film_of, jpeg, laying, slow_table
from tests.apps.test_web_api import problem
from tests.apps.web_help import client_of, picture, quick_settings
from tests.film import Film
from tests.patience import PATIENCE_S
from vision.apps.cli.main import create_app as create_cli
from vision.apps.server import create_app
from vision.apps.server.live.process import Frame, LiveProcess
from vision.apps.server.live.verdicts import keep_verdict
from vision.apps.server.live.worker import LiveTask
from vision.apps.server.storage.objects import FolderObjects
from vision.imaging.photo import DecodeLimits

SERVER = {"live_games": 2, "live_frame_mb": 0.5}


@pytest.fixture(scope="module")
def played(client) -> tuple[Producer, Film]:
    """A game of two cards with its verdict."""
    producer, film = Producer(client, name="At the club"), film_of()
    producer.play(laying(film, 2))
    assert producer.post("stop").status_code == 200
    producer.play(film.rest(film.cards[:2], 0.9))
    until(lambda: producer.state()["rounds"])
    return producer, film


def until(ask: Any) -> Any:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = ask()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come to be")


def told(client: TestClient, place: str, **query: object) -> list[dict]:
    headers = {"Last-Event-ID": str(query.pop("resume"))} if "resume" in query else {}
    reply = client.get(f"{place}/events", params={"seconds": 0, **query}, headers=headers)
    assert reply.headers["content-type"].startswith("text/event-stream")
    parts = [part.splitlines() for part in reply.text.split("\n\n") if part]
    return [json.loads(part[-1][6:]) for part in parts if part[0] == "event: told"]


def codes(client: TestClient, place: str, after: int = 0) -> list[str]:
    return [event["code"] for event in told(client, place, after=after)]


def test_each_card_is_told_once_and_the_verdict_is_an_ordinary_round(client, played):
    producer, _ = played
    events = told(client, producer.place)
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    laid = [event["cards"][0] for event in events if event["code"] == "card_laid"]
    assert laid == list(NAMES[:2])
    state = producer.state()
    assert state["watch"]["counts"] == {"red": 1, "green": 0, "purple": 0, "blue": 1}
    assert [card["card"] for card in state["watch"]["cards"]] == list(NAMES[:2])
    kept = state["rounds"][0]
    assert kept["round"] == 1
    scan = client.get(f"/api/v1/scans/{kept['scan']}").json()
    assert (scan["state"], scan["name"]) == ("done", "At the club")
    shown = client.get(f"/api/v1/scans/{kept['scan']}/round").json()
    assert {card["id"] for card in shown["cards"]} == set(NAMES[:2])
    assert (shown["photo"]["width_px"], shown["photo"]["height_px"]) == (960, 540)
    photo = client.get(f"/api/v1/scans/{kept['scan']}/photo.jpg")
    assert photo.headers["content-type"] == "image/jpeg"
    changed = client.post(  # and may be corrected as any other
        f"/api/v1/scans/{kept['scan']}/edits",
        json={"change": {"kind": "rules", "rules": {"piracy": True}}},
    )
    assert changed.status_code == 200, changed.text
    client.post(f"/api/v1/scans/{kept['scan']}/undo")


def test_a_viewer_that_was_away_gets_what_it_has_missed(client, played):
    producer, _ = played
    everything = told(client, producer.place)
    assert told(client, producer.place, resume=2) == everything[2:]
    assert told(client, producer.place, after=len(everything)) == []
    french = told(client, producer.place, lang="fr")
    assert french[1]["message"] != everything[1]["message"]
    names = [line for line in client.get(
        f"{producer.place}/events", params={"seconds": 0}
    ).text.splitlines() if line.startswith("event: ")]  # fmt: skip
    assert names[-1] == "event: state"  # what happened, then how things stand


def test_many_viewers_share_one_picture(client, played):
    producer, film = played
    game = client.app.state.services.live.games[producer.id]
    client.get(producer.place + "/picture")  # someone looks
    producer.play(film.rest(film.cards[:2], 0.1))
    before, newest = game.encoded, game.picture.number
    with ThreadPoolExecutor(6) as pool:
        viewers = [
            pool.submit(client.get, producer.place + "/picture", params={"after": newest})
            for _ in range(6)
        ]
        time.sleep(0.1)
        producer.play(film.rest(film.cards[:2], 0.1))
        replies = [viewer.result() for viewer in viewers]
    assert {reply.status_code for reply in replies} == {200}
    (number,) = {int(reply.headers["x-picture"]) for reply in replies}
    assert number > newest  # by the time, so that another server's next picture is newer
    assert len({reply.content for reply in replies}) == 1
    assert game.encoded == before + 1
    known = {"If-None-Match": replies[0].headers["etag"]}
    assert client.get(producer.place + "/picture", headers=known).status_code == 304


def test_a_card_that_comes_too_late_replaces_the_verdict_unless_someone_worked_on_it(
    client, played
):
    producer, film = played
    first = producer.state()["rounds"][0]["scan"]
    last = producer.state()["last_event"]
    at = film.cards[2].x_mm, film.cards[2].y_mm
    producer.play(film.visit(film.cards[:2], film.cards, at, seconds=0.6))
    producer.play(film.rest(film.cards, 1.6))
    second = until(
        lambda: [one["scan"] for one in producer.state()["rounds"] if one["scan"] != first]
    )[0]
    late = [event for event in told(client, producer.place, after=last) if event["has_picture"]]
    assert [event["code"] for event in late][:1] == ["laid_after_stop"]
    shown = client.get(f"{producer.place}/events/{late[0]['number']}/picture")
    assert shown.headers["content-type"] == "image/jpeg"
    assert client.get(f"/api/v1/scans/{first}").status_code == 200  # it was corrected above
    game = client.app.state.services.live.games[producer.id]
    storage = client.app.state.services.storage
    kept, content = storage.records.scans.read(second), storage.objects.read
    result = web_readers.ReadResult(kept.document, content(kept.joint), content(kept.view))
    photo = content(storage.records.scans.find(second).photo)
    keep_verdict(storage, game.order, {"photo": photo, "result": result}, second)
    problem(client.get(f"/api/v1/scans/{second}"), 404, "not_found")


def test_a_camera_that_stalls_goes_black_or_changes_its_size_keeps_the_game(client):
    producer, film = Producer(client), film_of()
    producer.play(laying(film, 1))
    cards = film.cards[:1]
    until(lambda: "picture_stalled" in codes(client, producer.place))
    assert producer.state()["watch"]["picture"] == "stalled"
    assert producer.state()["watch"]["age_s"] > 0
    film.time_s += 4.0
    producer.play(film.rest(cards, 0.2))
    last = producer.state()["last_event"]
    size = (540, 960, 3)
    producer.send(np.zeros(size, np.uint8), film.time_s)
    assert codes(client, producer.place, last) == ["picture_black"]
    film.time_s += 0.1
    producer.play(film.rest(cards, 0.1))
    image, time_s = next(film.rest(cards, 0.1))
    producer.send(np.ascontiguousarray(image[::2, ::2]), time_s)
    assert codes(client, producer.place, last) == [
        "picture_black", "picture_back", "picture_size",
    ]  # fmt: skip
    state = producer.state()["watch"]
    assert [card["card"] for card in state["cards"]] == [NAMES[0]]
    assert state["size_px"] == [480, 270]
    assert producer.post("stop").status_code == 200
    until(lambda: producer.state()["rounds"])  # settled though no more pictures come
    assert producer.post("round").status_code == 200
    assert producer.state()["watch"]["round"] == 2
    producer.end()
    problem(client.get(producer.place), 404, "not_found")


def test_a_process_that_dies_is_replaced_and_that_is_told(client, monkeypatch, tmp_path):
    producer, film = Producer(client), film_of()
    producer.play(film.rest([], 0.3))
    process = client.app.state.services.live.games[producer.id].process
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: "watch_restarted" in codes(client, producer.place))
    film.time_s += 1.0
    until(lambda: producer.state()["state"] == "ready")
    producer.play(laying(film, 1))
    events = told(client, producer.place)
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    assert [event["code"] for event in events] == [
        "picture_first", "watch_restarted", "picture_first", "card_laid",
    ]  # fmt: skip
    game = client.app.state.services.live.games[producer.id]
    full = FolderObjects(tmp_path)
    monkeypatch.setattr(full, "put", lambda content: 1 / 0)  # a full disk
    game.storage = replace(game.storage, objects=full)
    producer.post("stop")
    producer.play(film.rest(film.cards[:1], 0.9))
    assert until(lambda: producer.state()["trouble"])["code"] == "not_stored"
    assert client.get(producer.place + "/picture").status_code == 200  # though no new one comes
    os.kill(game.process.pid, signal.SIGKILL)
    until(lambda: producer.state()["restarts"] == 2 and producer.state()["state"] == "ready")
    film.time_s += 1.0
    producer.play(film.rest(film.cards[:1], 0.2))
    assert producer.state()["watch"]["round"] == 2  # the first has its verdict
    pid = game.process.pid
    producer.end()
    until(lambda: not Path(f"/proc/{pid}").exists())


def test_what_is_refused_says_why(client):
    producer, film = Producer(client), film_of()
    frames, key = producer.place + "/frames", producer.headers
    kind = {"Content-Type": "image/jpeg"}
    good = jpeg(film.still([]))
    problem(client.post(frames, content=good, headers=kind), 403, "live_not_yours")
    wrong = {**kind, "X-Live-Key": "x" * 24}
    problem(client.post(frames, content=good, headers=wrong), 403, "live_not_yours")
    for what in ("stop", "round"):
        problem(client.post(f"{producer.place}/{what}"), 403, "live_not_yours")
    problem(client.delete(producer.place), 403, "live_not_yours")
    missing = frames.replace(producer.id, "0" * 20)
    problem(client.post(missing, content=good, headers={**kind, **key}), 404, "not_found")
    for tail in ("", "/events", "/picture", "/events/1/picture"):
        place = "/api/v1/live/" + "0" * 20 + tail
        problem(client.get(place), 404, "not_found")
    problem(client.get(producer.place + "/events/99/picture"), 404, "not_found")

    def send(content: bytes, kind: str = "image/jpeg") -> Any:
        return client.post(frames, content=content, headers={**key, "Content-Type": kind})

    problem(send(bytes(600_000)), 413, "body_too_large")
    problem(send(good, "text/plain"), 415, "image_decode")
    problem(send(b"no picture"), 415, "image_decode")
    problem(send(picture(size=(100, 80))), 422, "image_size")
    problem(send(picture(size=(4000, 3000), quality=1)), 422, "image_size")
    cut_off = picture(kind="PNG")
    problem(send(cut_off[: len(cut_off) // 2], "image/png"), 415, "image_decode")
    assert send(good).status_code == 200  # and none of it has harmed the game
    assert producer.state()["restarts"] == 0
    problem(producer.post("stop"), 409, "nothing_to_stop")
    producer.end()
    problem(client.post("/api/v1/live", json={"deck": "none"}), 404, "deck")
    problem(client.post("/api/v1/live", json={"rules": ["piracy=maybe"]}), 422, "table_format")
    problem(client.post("/api/v1/live", json={"evening": "0" * 20}), 404, "not_found")
    source = {"source": "http://169.254.169.254/"}  # the operator's alone
    problem(client.post("/api/v1/live", json=source), 422, "request_invalid")
    problem(client.post("/api/v1/live", json={"camera": "0"}), 422, "request_invalid")


def test_games_are_few_and_the_idle_ones_end(client, played):
    assert played[0].id in {game["id"] for game in client.get("/api/v1/live").json()["games"]}
    other = Producer(client, rules=["piracy=true"])
    assert other.state()["rules"]["piracy"] is True
    problem(client.post("/api/v1/live"), 429, "live_full")
    game = client.app.state.services.live.games[other.id]
    assert not game.tidy()
    game.touched -= 31 * 60
    assert game.tidy()
    other.end()


def test_the_network_needs_the_token_here_too(tmp_path):
    settings = quick_settings(tmp_path, token="sesame-0123456789")
    app = create_app(web_readers.canned, settings)
    with TestClient(app, base_url="http://192.168.1.5", client=("192.168.1.9", 5000)) as client:
        problem(client.post("/api/v1/live"), 401, "unauthorised")
        problem(client.get("/api/v1/live"), 401, "unauthorised")
        bearer = {"Authorization": "Bearer sesame-0123456789"}
        assert client.get("/api/v1/live", headers=bearer).json() == {"games": []}
        strange = {**bearer, "Origin": "http://elsewhere.example"}
        problem(client.post("/api/v1/live", headers=strange), 403, "wrong_origin")


def test_the_operators_source_is_followed_and_everyone_may_stop_it(tmp_path):
    film, folder = film_of(), tmp_path / "film"
    folder.mkdir()
    film.time_s = 0.0
    for image, time_s in [*laying(film, 1), *film.rest(film.cards[:1], 1.0)]:
        (folder / f"p-{time_s:05.1f}s.jpg").write_bytes(jpeg(image))
    settings = {"camera": str(folder), "camera_rules": ("piracy=true",)}
    with client_of(tmp_path / "data", **settings) as client:
        game = client.get("/api/v1/live").json()["games"][0]
        place = f"/api/v1/live/{game['id']}"
        assert (game["source"], game["is_open"]) == ("server", True)
        until(lambda: "card_laid" in codes(client, place))
        assert client.post(place + "/stop").status_code == 200
        until(lambda: client.get(place).json()["rounds"])
        until(lambda: (client.get(place).json()["trouble"] or {}).get("code") == "ended")
        told_cards = [event["cards"] for event in told(client, place) if event["cards"]]
        assert told_cards == [[NAMES[0]]]
        kind = {"Content-Type": "image/jpeg"}
        frame = client.post(place + "/frames", content=picture(), headers=kind)
        problem(frame, 409, "live_operator")
        problem(client.delete(place), 409, "live_operator")


def test_a_source_that_gives_nothing_says_so(tmp_path):
    (tmp_path / "empty").mkdir()
    with client_of(tmp_path / "data", camera=str(tmp_path / "empty")) as client:
        ask = lambda: client.get("/api/v1/live").json()["games"][0]["trouble"]  # noqa: E731
        assert until(ask)["code"] == "source"


def _task(folder: Path) -> LiveTask:
    return LiveTask("light-speed", {}, folder, 100, 100, 2048.0, DecodeLimits())


def test_of_the_pictures_that_come_too_fast_the_newest_is_looked_at(tmp_path):
    heard: queue.Queue[dict] = queue.Queue()
    process = LiveProcess(_task(tmp_path), heard.put, patience_s=30, run=slow_table)
    process.start()
    process.offer(Frame(1, b"", 0.0))
    assert heard.get(timeout=PATIENCE_S) == {"kind": "ready"}
    until(lambda: process._frame is None)  # the first is being looked at
    for number in (2, 3, 4):
        process.offer(Frame(number, b"", 0.1 * number))
    answers = {}
    while 4 not in answers:
        message = heard.get(timeout=PATIENCE_S)
        answers[message["answers"]] = message["kind"]
    assert answers == {1: "told", 2: "skipped", 3: "skipped", 4: "told"}
    process.end()
    process.join(PATIENCE_S)


def test_a_process_that_hangs_or_keeps_dying_is_given_up(tmp_path):
    heard: queue.Queue[dict] = queue.Queue()
    process = LiveProcess(_task(tmp_path), heard.put, patience_s=0.3, lives=2, run=slow_table)
    process.start()
    kinds = []
    for content in (b"hang", b"die"):
        process.offer(Frame(1, content, 0.0))
        while (message := heard.get(timeout=PATIENCE_S))["kind"] in ("ready", "skipped"):
            pass
        kinds.append((message["kind"], message["reason"]))
    assert kinds == [("died", "hung"), ("failed", "died")]
    process.join(PATIENCE_S)
    assert not process._thread.is_alive()


def test_the_last_words_of_a_game_are_told_to_who_follows(client):
    producer = Producer(client)
    game = client.app.state.services.live.games[producer.id]
    with ThreadPoolExecutor(1) as pool:
        follower = pool.submit(client.get, producer.place + "/events")  # without an end of its own
        until(lambda: game.viewers == 1)
        producer.end()
        assert "event: end" in follower.result(PATIENCE_S).text
    assert client.get(producer.place + "/picture").status_code == 204  # asked a moment too late
    assert game.viewers == 0


def test_a_camera_that_is_not_there_is_said_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_FOLDER", str(tmp_path))
    done = CliRunner().invoke(create_cli(), ["serve", "--camera", str(tmp_path / "no.mp4")])
    assert done.exit_code == 1
    assert "no such file or folder" in done.stderr
    done = CliRunner().invoke(create_cli(), ["serve", "--rule", "piracy=true"])
    assert done.exit_code == 2
    assert "--camera" in done.stderr
