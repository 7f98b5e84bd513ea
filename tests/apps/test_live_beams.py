"""Beams while cards are laid: sent to those to whom they are shown, and to nobody else."""

import json
import os
import signal
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.apps.live_help import Producer, close_film, film_of, laying
from tests.apps.test_live import until
from tests.apps.test_web_api import problem
from tests.apps.web_help import client_of
from vision.apps.server.live.beams import beams_of
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.values import RuleOptions, TableState
from vision.values.ledger import Path
from vision.watch import Foreseen

GAME = LightSpeed(load_deck("light-speed"))
NAMES = ("red-moth", "blue-ghost", "asteroid-1")


SERVER = {"live_games": 3}


def show(producer: Producer, whom: str) -> dict[str, Any]:
    reply = producer.client.put(
        producer.place + "/beams", json={"for": whom}, headers=producer.headers
    )
    assert reply.status_code == 200, reply.text
    return reply.json()


def heard(producer: Producer, **query: Any) -> str:
    """Return all that a page is sent that comes now."""
    client, place = producer.client, producer.place
    asked = {"after": 0, "seconds": 0, **query}
    key = {name: query[name] for name in ("spectator",) if name in query}
    replies = [
        client.get(f"{place}/events", params=asked),
        client.get(place, params=key),
        client.get("/api/v1/live"),
    ]
    return "".join(reply.text for reply in replies)


def beams(producer: Producer, **query: Any) -> list[dict[str, Any]] | None:
    watch = producer.client.get(producer.place, params=query).json()["watch"]
    return watch.get("beams") if watch else None


def lay(producer: Producer) -> None:
    film = film_of(NAMES)
    producer.play(laying(film))


def test_nobody_is_sent_beams_unless_the_host_has_them_shown(client, producer):
    lay(producer)
    state = producer.state()
    assert len(state["watch"]["cards"]) == len(NAMES)
    assert (state["has_beams"], state["beams_for"]) == (True, "nobody")
    assert "points_px" not in heard(producer, spectator="x")
    assert '"beams"' not in heard(producer)
    game = client.app.state.services.live.games[producer.id]
    assert game.beams is None  # not worked out either
    denied = client.put(producer.place + "/beams", json={"for": "all"})
    problem(denied, 403, "live_not_yours")
    wrong = client.put(producer.place + "/beams", json={"for": "me"}, headers=producer.headers)
    assert wrong.status_code == 422


def test_beams_are_those_of_the_resolver_and_contested_ones_are_marked(client, producer):
    show(producer, "all")
    lay(producer)
    shown = until(lambda: beams(producer))
    truth = TableState(film_of(NAMES).cards, rules=RuleOptions())
    ledger = GAME.foresee(truth)
    events = [event for step in ledger.steps for event in step.events]
    shots = [e for e in events if any(isinstance(mark, Path) for mark in e.marks)]
    assert [(b["id"], tuple(b["pieces"])) for b in shown] == [(e.id, e.pieces) for e in shots]
    game = client.app.state.services.live.games[producer.id]
    assert not any(beam["contested"] for beam in shown)  # none is near a corner here
    width, height = producer.state()["watch"]["size_px"]
    for beam in shown:
        card = next(c for c in producer.state()["watch"]["cards"] if c["card"] == beam["pieces"][0])
        corners = np.array(card["corners_px"])
        start = np.array(beam["points_px"][0])
        reach = np.ptp(corners, axis=0).max()
        assert np.hypot(*(start - corners.mean(axis=0))) < reach  # it begins at its own card
        assert (np.array(beam["points_px"]) < np.array([width, height]) * 1.1).all()
    show(producer, "nobody")
    assert game.beams is None
    assert "points_px" not in heard(producer)
    show(producer, "all")  # also while no card comes
    again = until(lambda: beams(producer))
    assert [beam["id"] for beam in again] == [beam["id"] for beam in shown]


def test_a_contested_beam_is_marked():
    film = close_film()
    known = tuple(replace(c, covariance=np.diag([0.2, 0.2, 0.003]) ** 2) for c in film.cards)
    ledger = GAME.foresee(TableState(known, rules=RuleOptions()))
    (close,) = ledger.contested()
    size_wh = film.scene.size_wh
    seen = Foreseen(ledger, film.camera, size_wh)
    marked = [beam["id"] for beam in beams_of(seen, size_wh) if beam["contested"]]
    assert marked == [close.id]
    small = beams_of(seen, (size_wh[0] // 2, size_wh[1] // 2))  # the picture shown may be smaller
    half = np.array(beams_of(seen, size_wh)[0]["points_px"]) / 2
    assert np.array(small[0]["points_px"]) == pytest.approx(half, abs=0.1)


def test_a_spectators_screen_is_sent_what_players_are_not(client, producer):
    key = show(producer, "spectators")["spectator_key"]
    assert key != producer.headers["X-Live-Key"]
    lay(producer)
    assert until(lambda: beams(producer, spectator=key))
    assert '"beams": [' in heard(producer, spectator=key)
    for nothing in (heard(producer), heard(producer, spectator="0" * 32)):
        assert '"beams"' not in nothing
        assert "points_px" not in nothing
        assert key not in nothing
    for what in ("stop", "round"):  # what it is told whoever controls it
        assert "points_px" not in json.dumps(producer.post(what).json())
    stop = client.post(producer.place + "/stop", headers={"X-Live-Key": key})
    problem(stop, 403, "live_not_yours")
    again = show(producer, "spectators")
    assert again["spectator_key"] == key  # links go on


def test_a_board_has_no_beams(client):
    producer = Producer(client, game="laser-shield")
    assert producer.state()["has_beams"] is False
    reply = client.put(producer.place + "/beams", json={"for": "all"}, headers=producer.headers)
    problem(reply, 409, "not_now")
    producer.end()


def test_a_new_process_goes_on_with_the_beams(client, producer):
    show(producer, "all")
    film = film_of(NAMES)
    producer.play(film.rest(film.cards, 1.0))
    until(lambda: beams(producer))
    process = client.app.state.services.live.games[producer.id].process
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: producer.state()["restarts"] == 1 and producer.state()["state"] == "ready")
    assert beams(producer) is None  # of cards that nobody follows just now
    film.time_s += 1.0
    producer.play(film.rest(film.cards, 1.2))
    assert until(lambda: beams(producer))


def test_a_server_that_goes_on_keeps_from_players_what_was_kept_from_them(tmp_path):
    film = film_of(NAMES)
    with client_of(tmp_path) as first:
        producer = Producer(first)
        key = show(producer, "spectators")["spectator_key"]
        producer.play(film.rest(film.cards, 1.0))
        until(lambda: beams(producer, spectator=key))
    with client_of(tmp_path) as second:
        producer.client = second
        until(lambda: producer.state()["state"] == "ready")
        assert producer.state()["beams_for"] == "spectators"
        film.time_s += 5.0
        producer.play(film.rest(film.cards, 1.2))
        assert until(lambda: beams(producer, spectator=key))
        assert "points_px" not in heard(producer)
        producer.end()


def test_of_a_camera_that_everyone_controls_nothing_is_kept_from_players(tmp_path):
    (tmp_path / "empty").mkdir()
    with client_of(tmp_path / "data", camera=str(tmp_path / "empty")) as client:
        (game,) = client.get("/api/v1/live").json()["games"]
        place = f"/api/v1/live/{game['id']}/beams"
        problem(client.put(place, json={"for": "spectators"}), 409, "live_operator")
        told = client.put(place, json={"for": "all"}).json()
        assert (told["beams_for"], told["spectator_key"]) == ("all", None)
