"""Decks learned from pictures, over HTTP: listed, read, corrected, followed; and only by name."""

from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from calibration.learned.learn import DeckSize, learn_deck
from tests.apps.live_help import Producer, laying
from tests.apps.test_live import told, until
from tests.apps.test_web_api import problem
from tests.apps.web_help import client_of, send
from tests.drawn_faces import draw_face, write_scans
from tests.film import Film
from tests.learned import draw_deck, learn, printed, shoot
from tests.synth import random_cards
from vision.apps.reading import read
from vision.games.light_speed.deck import load_deck
from vision.imaging.photo import encode_image

LASER_IDS = ["red-moth", "blue-ghost", "asteroid-1", "red-viper", "blue-viper"]


def laser_faces():
    """Draw another printing of some cards of the program's own deck."""
    deck = load_deck("light-speed")
    size = (deck.width_mm, deck.height_mm)
    return {
        name: draw_face(40 + k, size, px_per_mm=6) for k, name in enumerate(LASER_IDS)
    }, DeckSize(*size)


@pytest.fixture(scope="module")
def faces():
    return draw_deck(8)


@pytest.fixture(scope="module")
def client(faces, tmp_path_factory):
    folder = tmp_path_factory.mktemp("learned")
    learn(faces, folder)
    printing, size = laser_faces()
    write_scans(printing, folder / "printing")
    numbers = folder / "numbers.toml"
    known = resources.files("vision.games.light_speed") / "editions" / "light-speed.toml"
    numbers.write_bytes(known.read_bytes())
    store = folder / "decks"
    learn_deck("second-printing", folder / "printing", size, store, lasers=numbers)
    with client_of(folder / "data", read, decks=store) as client:
        yield client


def shot(faces, ids, seed, **more) -> bytes:
    picture, _ = shoot(faces, ids, seed, size_wh=(1280, 960), **more)
    return encode_image(picture.image, ".jpg", 95)


@pytest.fixture(scope="module")
def scan(client, faces) -> str:
    reply = send(client, shot(faces, sorted(faces)[:5], 1, tilt_deg=15), wait=60, deck="drawn")
    assert reply.status_code == 200, reply.text
    assert reply.json()["state"] == "done", reply.text
    return reply.json()["id"]


def test_learned_decks_are_listed_beside_the_programs_own(client):
    assert client.get("/api/v1/decks").json()["decks"] == [
        "light-speed", "drawn", "second-printing",
    ]  # fmt: skip
    deck = client.get("/api/v1/decks/drawn").json()
    assert deck["cards"] == [f"pic-{k:03d}" for k in range(8)]
    games = {offer["deck"]: offer for offer in client.get("/api/v1/games").json()["games"]}
    assert games["drawn"]["game"] == "none"
    assert [piece["id"] for piece in games["drawn"]["pieces"]] == deck["cards"]
    assert games["second-printing"]["game"] == "light-speed"


def test_a_deck_without_lasers_gives_a_round_without_scores(client, scan):
    url = f"/api/v1/scans/{scan}"
    found = client.get(url + "/scan.json").json()
    assert (found["game"], found["resolution"]) == ("none", None)
    view = client.get(url + "/round").json()
    assert (view["game"], view["deck"]) == ("none", "drawn")
    ids = [f"pic-{k:03d}" for k in range(5)]
    assert [card["id"] for card in view["cards"]] == ids
    for words in view["ledger"].values():
        assert [piece["id"] for piece in words["pieces"]] == ids
        assert all(len(piece["outline_px"]) == 16 for piece in words["pieces"])
        assert (words["sides"], words["winners"]) == ([], [])
    listed = next(one for one in client.get("/api/v1/scans").json()["scans"] if one["id"] == scan)
    assert (listed["scores"], listed["winners"], listed["cards"]) == ({}, [], 5)
    problem(client.get(url + "/resolution.json"), 404, "not_found")
    assert client.get(url + "/table.json").json()["deck"] == "drawn"
    move = {"kind": "move", "card": ids[0], "x_mm": 0, "y_mm": 0, "theta_deg": 0}
    problem(client.post(url + "/edits", json={"change": move}), 422, "table_format")


@pytest.mark.parametrize("kind", ["png", "svg", "replay.webp"])
def test_its_pictures_are_drawn(client, scan, kind):
    reply = client.get(f"/api/v1/scans/{scan}/picture.{kind}")
    assert reply.status_code == 200, reply.text
    assert len(reply.content) > 10_000
    assert client.get(f"/api/v1/scans/{scan}/thumb.jpg").status_code == 200


def test_a_learned_deck_with_lasers_is_played_and_corrected(client):
    printing, size = laser_faces()
    photo = shot(printing, LASER_IDS, 2, size=size)
    sent = send(client, photo, wait=60, deck="second-printing", rule=["piracy=true"]).json()
    assert sent["state"] == "done", sent
    assert sorted(sent["scan"]["resolution"]["scores"]) == ["blue", "red"]
    url = f"/api/v1/scans/{sent['id']}"
    change = {"change": {"kind": "remove", "id": "red-moth"}}
    view = client.post(url + "/edits", json=change).json()
    assert {card["id"] for card in view["cards"]} == set(LASER_IDS) - {"red-moth"}
    assert (view["deck"], view["rules"]["piracy"]) == ("second-printing", True)
    assert client.get(url + "/picture.png").status_code == 200


@pytest.mark.parametrize("name", ["zoo", "../drawn", "./drawn", "", "drawn/deck.toml"])
def test_a_deck_is_a_name_and_never_a_path(client, faces, name, tmp_path):
    photo = shot(faces, sorted(faces)[:2], 3)
    problem(send(client, photo, wait=0, deck=name), 404, "deck")
    absolute = str(Path(client.app.state.services.settings.decks) / "drawn")
    problem(send(client, photo, wait=0, deck=absolute), 404, "deck")
    problem(client.post("/api/v1/live", json={"deck": absolute}), 404, "deck")


def test_a_learned_deck_is_followed_over_the_table(client):
    printing, size = laser_faces()
    names = LASER_IDS[:2]
    cards = random_cards(names, np.random.default_rng(5), gap_mm=25.0)
    film = Film(cards, printed(printing, size))
    producer = Producer(client, deck="second-printing")
    producer.play(laying(film))
    laid = [event["cards"][0] for event in told(client, producer.place) if event["cards"]]
    assert laid == names
    assert producer.post("stop").status_code == 200
    producer.play(film.rest(film.cards, 0.9))
    verdict = until(lambda: producer.state()["rounds"])[0]
    view = client.get(f"/api/v1/scans/{verdict['scan']}/round").json()
    assert (view["deck"], view["game"]) == ("second-printing", "light-speed")
    assert {card["id"] for card in view["cards"]} == set(names)
    producer.end()


def test_a_deck_without_ships_is_not_followed(client):
    refused = client.post("/api/v1/live", json={"deck": "drawn"})
    problem(refused, 404, "deck")
    assert "has no rounds to follow" in refused.json()["detail"]
