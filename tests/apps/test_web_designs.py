"""What cards do, entered over HTTP: design by design, looked over, played, taken along."""

import shutil
import tomllib

import cv2
import numpy as np
import pytest

from calibration.learned.learn import DeckSize, learn_deck
from calibration.light_speed.faces import draw_face
from tests.apps.test_web_api import problem
from tests.apps.web_help import client_of
from vision.games.light_speed.deck import deck_to_json, load_deck
from vision.imaging.photo import encode_image

API = "/api/v1"
DESIGNS = f"{API}/decks/mine/designs"
FRONTS = [f"{team}-{ship}" for team in ("blue", "red") for ship in ("moth", "sidewinder")]
TABLE = """deck mine
asteroid-1 @0,-150 0deg
red moth @0,0 0deg
blue moth @300,0 0deg
"""


@pytest.fixture(scope="module")
def art(tmp_path_factory):
    """The faces of two ships of two teams, and of an asteroid."""
    deck = load_deck("light-speed")
    folder = tmp_path_factory.mktemp("art")
    for card in (*FRONTS, "asteroid-1"):
        face = encode_image(draw_face(deck, card, 4.0), ".png")
        (folder / f"{card}.png").write_bytes(face)
    return folder


@pytest.fixture
def client(art, tmp_path):
    learn_deck("mine", art, DeckSize(63.5, 88.9), tmp_path / "decks")
    with client_of(tmp_path / "data", decks=tmp_path / "decks") as client:
        yield client


def enter(client, name, revision=0, deck="mine", **changes):
    """Enter what the program's own deck says of a ship."""
    ship = next(s for s in deck_to_json(load_deck("light-speed"))["ships"] if s["name"] == name)
    body = {key: ship[key] for key in ("speed", "health", "lasers", "shields")}
    body |= {"revision": revision, **changes}
    return client.put(f"{API}/decks/{deck}/designs/{name}", json=body)


def test_a_deck_is_entered_played_and_taken_along(client, art, tmp_path):
    empty = client.get(DESIGNS).json()
    assert (empty["teams"], empty["asteroids"]) == (["blue", "red"], ["asteroid-1"])
    assert empty["card"] == {"width_mm": 63.5, "height_mm": 88.9}
    assert [ship["cards"] for ship in empty["ships"]] == [
        {team: f"{team}-{ship}" for team in ("blue", "red")} for ship in ("moth", "sidewinder")
    ]
    problem(client.post(DESIGNS), 422, "deck_file")
    problem(client.get(f"{DESIGNS}.toml"), 422, "deck_file")
    half = enter(client, "moth").json()
    assert half["ships"][0]["problems"] == []
    assert half["problems"][0]["fr"] == "vaisseau 'sidewinder', vitesse : valeur manquante"
    assert client.get(f"{API}/decks/mine").json()["ships"] == []
    whole = enter(client, "sidewinder").json()
    assert (whole["problems"], whole["is_played"]) == ([], False)
    played = client.post(DESIGNS).json()
    assert played["is_played"]
    ships = client.get(f"{API}/decks/mine").json()["ships"]
    assert {ship.pop("provenance").partition(":")[0] for ship in ships} == {"entered by hand"}
    known = deck_to_json(load_deck("light-speed"))["ships"][:2]
    assert ships == [{k: v for k, v in ship.items() if k != "provenance"} for ship in known]
    (deck,) = client.get(f"{API}/decks").json()["learned"]
    assert (deck["game"], deck["copies"]) == ("light-speed", 1)
    round_ = client.post(f"{API}/tables/resolve", content=TABLE).json()
    (moved,) = round_["steps"][0]["mined"]
    assert (moved["ship"], moved["rocks"]) == ("red-moth", 2)
    file = client.get(f"{DESIGNS}.toml")
    (tmp_path / "mine.toml").write_bytes(file.content)
    again = learn_deck(
        "again", art, DeckSize(63.5, 88.9), tmp_path / "decks", lasers=tmp_path / "mine.toml"
    )
    assert [ship.lasers for ship in again.deck.deck.ships] == [
        ship.lasers for ship in load_deck("light-speed").ships[:2]
    ]
    assert tomllib.loads(file.text)["ships"][0]["provenance"]["speed"] == "entered by hand"


def test_steps_are_undone_design_by_design(client):
    enter(client, "moth")
    ship = enter(client, "moth", 1, lasers=[]).json()["ships"][0]
    assert (ship["lasers"], ship["can_undo"], ship["can_redo"], ship["revision"]) == (
        [],
        True,
        False,
        2,
    )
    enter(client, "sidewinder")
    back = client.post(f"{DESIGNS}/moth/undo", json={"revision": 2}).json()["ships"]
    assert [len(ship["lasers"]) for ship in back] == [2, 2]
    again = client.post(f"{DESIGNS}/moth/redo", json={"revision": 3}).json()["ships"]
    assert [len(ship["lasers"]) for ship in again] == [0, 2]


def test_of_two_phones_one_is_told_that_the_other_was_first(client):
    enter(client, "moth")
    problem(enter(client, "moth", 0, health=3), 409, "conflict")
    assert enter(client, "sidewinder").status_code == 200  # another card is nobody's business
    assert client.get(DESIGNS).json()["ships"][0]["health"] == 1


def test_what_has_not_the_form_is_refused_and_nothing_is_kept(client):
    weapon = {"power": 4, "muzzle_mm": [0, 0], "heading_deg": 0}
    problem(enter(client, "moth", lasers=[weapon]), 422, "request_invalid")
    problem(enter(client, "moth", health=0), 422, "request_invalid")
    problem(enter(client, "moth", hull=3), 422, "request_invalid")
    problem(client.put(f"{DESIGNS}/whale", json={"revision": 0}), 404, "not_found")
    problem(client.get(f"{API}/decks/light-speed/designs"), 404, "deck")
    assert client.get(DESIGNS).json()["ships"][0]["revision"] == 0


def test_a_weapon_off_the_card_is_told_and_keeps_the_deck_as_it_was(client):
    off = {"power": 1, "muzzle_mm": [40, 0], "heading_deg": 0}
    enter(client, "sidewinder")
    ship = enter(client, "moth", lasers=[off]).json()["ships"][0]
    assert "must lie on the card" in ship["problems"][0]["en"]
    problem(client.post(DESIGNS), 422, "deck_file")
    assert client.get(f"{API}/decks/mine").json()["ships"] == []


def test_cards_that_were_looked_at_are_kept_until_something_changes(client):
    enter(client, "moth")
    body = {"card": "red-moth", "revision": 1}
    looked = client.put(f"{DESIGNS}/moth/looked_at", json=body).json()["ships"][0]
    assert (looked["looked_at"], looked["revision"]) == (["red-moth"], 1)
    assert enter(client, "moth", 1, health=2).json()["ships"][0]["looked_at"] == []


def test_what_is_entered_goes_where_the_deck_goes(client):
    """Renamed, deleted and brought back: nothing is lost, and a deck in use keeps its digest."""
    before = client.get(f"{API}/decks").json()["learned"][0]["digest"]
    enter(client, "moth")
    assert client.get(f"{API}/decks").json()["learned"][0]["digest"] == before
    client.patch(f"{API}/decks/mine", json={"name": "ours"})
    client.delete(f"{API}/decks/ours")
    client.post(f"{API}/decks/ours/restore")
    ours = client.get(f"{API}/decks/ours/designs").json()
    assert ours["ships"][0]["speed"] == 1
    enter(client, "sidewinder", deck="ours")
    assert client.post(f"{API}/decks/ours/designs").json()["is_played"]
    packed = client.get(f"{API}/decks/ours/file").content
    client.delete(f"{API}/decks/ours")
    client.post(f"{API}/decks", content=packed)  # the file has what is played, and goes on from it
    again = client.get(f"{API}/decks/ours/designs").json()
    assert again["is_played"]
    assert [ship["can_undo"] for ship in again["ships"]] == [False, False]
    assert again["ships"] != ours["ships"]
    power = [dict(again["ships"][0]["lasers"][0], power=3)]
    changed = [{k: v for k, v in one.items() if k != "provenance"} for one in power]
    assert not enter(client, "moth", deck="ours", lasers=changed).json()["is_played"]


def test_a_picture_that_lies_the_other_way_up_is_told(art, tmp_path):
    shutil.copytree(art, tmp_path / "art")
    file = tmp_path / "art" / "red-moth.png"
    face = cv2.imread(str(file))
    file.write_bytes(encode_image(np.ascontiguousarray(face[::-1, ::-1]), ".png"))
    learn_deck("mine", tmp_path / "art", DeckSize(63.5, 88.9), tmp_path / "decks")
    with client_of(tmp_path / "data", decks=tmp_path / "decks") as client:
        told = client.get(DESIGNS).json()["ships"]
    assert [one["turned"] for one in told] == [["red-moth"], []]
