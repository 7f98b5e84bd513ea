"""Corrections of a live table over HTTP: they stay, survive a death, and are those of its round."""

import os
import signal
from typing import Any

import numpy as np

from tests.apps.live_help import NAMES, Producer, film_of
from tests.apps.test_live import told, until
from tests.apps.test_web_api import problem
from tests.apps.web_help import client_of
from vision.geometry import photo_from_table

WANTED = ["blue-destroyer", "red-moth"]  # after the three corrections that every test makes


SERVER = {"live_games": 4}


def correct(producer: Producer, **said: Any) -> Any:
    place = producer.place + "/corrections"
    return producer.client.post(place, json=said, headers=producer.headers)


def names(producer: Producer) -> list[str]:
    watch = producer.state()["watch"]
    return sorted(card["card"] for card in watch["cards"]) if watch else []


def begin(producer: Producer) -> Any:
    """Lay three cards; name one, take one out, put it back under another name."""
    film = film_of()
    producer.play(film.rest(film.cards, 1.0))
    assert names(producer) == sorted(NAMES)
    assert correct(producer, kind="remove", card="asteroid-1").status_code == 200
    return film


def say_what_it_is(producer: Producer) -> None:
    reply = correct(producer, kind="identify", card="blue-ghost", identity="blue-destroyer")
    assert reply.status_code == 200, reply.text
    assert names(producer) == WANTED
    cards = {card["card"]: card["by_hand"] for card in reply.json()["watch"]["cards"]}
    assert cards == {"blue-destroyer": True, "red-moth": False}


def test_a_correction_is_told_once_stays_and_is_that_of_the_round(client, producer):
    film = begin(producer)
    say_what_it_is(producer)
    last = producer.state()["last_event"]
    producer.play(film.visit(film.cards, film.cards, (0.0, 0.0), seconds=0.6))
    producer.play(film.rest(film.cards, 1.0))
    assert told(client, producer.place, after=last) == []
    assert names(producer) == WANTED
    french = told(client, producer.place, lang="fr")
    assert "corrigé : Blue Ghost est Blue Destroyer" in {e["message"] for e in french}
    producer.post("stop")
    producer.play(film.rest(film.cards, 0.9))
    until(lambda: producer.state()["rounds"])
    (kept,) = producer.state()["rounds"]
    place = f"/api/v1/scans/{kept['scan']}"
    shown = client.get(place + "/round").json()
    assert sorted(card["id"] for card in shown["cards"]) == WANTED
    assert shown["headline"] == kept["headline"]
    assert "corrected_by_hand" in {issue["code"] for issue in shown["issues"]}
    log = client.get(place + "/edits").json()["edits"]
    assert {entry["change"]["kind"] for entry in log} == {"identify", "remove"}
    for _ in log:  # as any correction
        assert client.post(place + "/undo").status_code == 200
    shown = client.get(place + "/round").json()
    assert sorted(card["id"] for card in shown["cards"]) == sorted(NAMES)


def test_a_later_verdict_takes_the_place_of_a_corrected_one(client, producer):
    film = begin(producer)
    producer.post("stop")
    producer.play(film.rest(film.cards, 0.9))
    first = until(lambda: producer.state()["rounds"])[0]["scan"]
    say_what_it_is(producer)
    second = until(lambda: [r for r in producer.state()["rounds"] if r["scan"] != first])[0]
    problem(client.get(f"/api/v1/scans/{first}"), 404, "not_found")
    shown = client.get(f"/api/v1/scans/{second['scan']}/round").json()
    assert sorted(card["id"] for card in shown["cards"]) == WANTED
    assert len(producer.state()["rounds"]) == 1
    said = told(client, producer.place)[-1]
    assert (said["code"], said["message"][:20]) == ("verdict", "after the correction")


def test_a_card_that_is_not_seen_is_added_and_counted(client, producer):
    film = film_of()
    producer.play(film.rest(film.cards[:2], 1.0))
    card = film.cards[2]
    x, y = photo_from_table(film.camera, np.array([[card.x_mm, card.y_mm]]))[0].tolist()
    said = {"kind": "add", "identity": "red-viper", "at_px": [x, y], "heading_deg": 30}
    reply = correct(producer, **said)
    assert reply.status_code == 200, reply.text
    watch = producer.state()["watch"]
    assert watch["counts"]["red"] == 2
    (added,) = [one for one in watch["cards"] if one["card"] == "red-viper"]
    middle = np.mean(added["corners_px"], axis=0)
    assert np.hypot(*(middle - (x, y))) < 1.0
    problem(correct(producer, **said), 422, "table_format")
    again = {**said, "identity": "red-ghost"}
    problem(correct(producer, **again), 422, "table_format")


def test_only_the_host_corrects_and_only_cards(client, producer):
    film = begin(producer)
    reply = client.post(producer.place + "/corrections", json={"kind": "remove", "card": "x"})
    problem(reply, 403, "live_not_yours")
    problem(correct(producer, kind="remove", card="x"), 422, "table_format")
    assert correct(producer, kind="turn").status_code == 422
    assert len(film.cards) == len(names(producer)) + 1
    board = Producer(client, game="laser-shield")
    assert board.state()["has_cards"] is False
    problem(correct(board, kind="remove", card="x"), 409, "not_now")
    board.end()


def test_a_new_process_keeps_what_was_said(client, producer):
    film = begin(producer)
    say_what_it_is(producer)
    os.kill(client.app.state.services.live.games[producer.id].process.pid, signal.SIGKILL)
    until(lambda: producer.state()["restarts"] == 1 and producer.state()["state"] == "ready")
    last = producer.state()["last_event"]
    film.time_s += 1.0
    producer.play(film.rest(film.cards, 1.2))
    assert names(producer) == WANTED
    found = [e["cards"] for e in told(client, producer.place, after=last) if e["cards"]]
    assert sorted(found) == [[name] for name in WANTED]  # under their names at once


def test_a_server_that_goes_on_keeps_what_was_said(tmp_path):
    with client_of(tmp_path) as first:
        producer = Producer(first)
        film = begin(producer)
        say_what_it_is(producer)
    with client_of(tmp_path) as second:
        producer.client = second
        until(lambda: producer.state()["state"] == "ready")
        film.time_s += 5.0
        producer.play(film.rest(film.cards, 1.2))
        assert names(producer) == WANTED
        producer.end()
