"""Decks over HTTP: looked at, renamed, copied, deleted; as files, by links; remembered."""

import io
import unicodedata
import zipfile

import cv2
import numpy as np
import pytest

from calibration.learned.decks import learned_names
from tests.apps.test_web_api import problem
from tests.apps.web_help import client_of, send, until_settled
from tests.learned import draw_deck, learn, shoot
from vision.apps.reading import read
from vision.imaging.photo import encode_image
from vision.values.layout import PlacedCard

API = "/api/v1"


@pytest.fixture(scope="module")
def faces():
    return draw_deck(6)


@pytest.fixture
def client(faces, tmp_path):
    learn(faces, tmp_path)  # as "drawn"
    with client_of(tmp_path / "data", decks=tmp_path / "decks") as client:
        yield client


def names(client):
    return [deck["name"] for deck in client.get(f"{API}/decks").json()["learned"]]


def opened(reply):
    assert reply.status_code == 200, reply.text
    return cv2.imdecode(np.frombuffer(reply.content, np.uint8), cv2.IMREAD_COLOR)


def test_decks_are_things(client):
    (deck,) = client.get(f"{API}/decks").json()["learned"]
    assert (deck["name"], len(deck["cards"])) == ("drawn", 6)
    assert (deck["width_mm"], deck["height_mm"], deck["game"]) == (63, 88, "none")
    assert opened(client.get(f"{API}/decks/drawn/preview.jpg?width=500")).shape[1] <= 500
    assert opened(client.get(f"{API}/decks/drawn/cards/pic-003.jpg")).shape == (264, 189, 3)
    made = client.post(f"{API}/decks/drawn/copy", json={"name": "copied"})
    assert (made.status_code, made.json()["name"]) == (201, "copied")
    assert client.patch(f"{API}/decks/copied", json={"name": "zoo"}).json()["name"] == "zoo"
    assert names(client) == ["drawn", "zoo"]
    assert client.delete(f"{API}/decks/zoo").status_code == 204
    assert names(client) == ["drawn"]
    assert client.post(f"{API}/decks/zoo/restore").json()["name"] == "zoo"
    assert {game["deck"] for game in client.get(f"{API}/games").json()["games"]} >= {"drawn", "zoo"}


def test_decks_and_cards_have_names_of_any_script(tmp_path):
    faces = dict(zip(("дама-пик", "ハート", "ملكة"), draw_deck(3).values(), strict=True))
    learn(faces, tmp_path)
    with client_of(tmp_path / "data", decks=tmp_path / "decks") as client:
        (deck,) = client.get(f"{API}/decks").json()["learned"]
        assert sorted(deck["cards"]) == sorted(faces)
        assert client.patch(f"{API}/decks/drawn", json={"name": "Пики"}).status_code == 422
        decomposed = unicodedata.normalize("NFD", "игральные-карты")
        assert client.patch(f"{API}/decks/drawn", json={"name": decomposed}).json()["name"] == (
            "игральные-карты"
        )
        for card in faces:
            opened(client.get(f"{API}/decks/игральные-карты/cards/{card}.jpg"))
        packed = client.get(f"{API}/decks/игральные-карты/file")
        assert packed.headers["content-disposition"].isascii()
    with client_of(tmp_path / "other", decks=tmp_path / "elsewhere") as other:
        assert other.post(f"{API}/decks", content=packed.content).json()["name"] == (
            "игральные-карты"
        )


def test_what_cannot_be_is_told(client):
    problem(client.get(f"{API}/decks/light-speed/preview.jpg"), 404, "deck")
    problem(client.get(f"{API}/decks/none/file"), 404, "deck")
    problem(client.get(f"{API}/decks/drawn/cards/none.jpg"), 404, "deck")
    problem(client.delete(f"{API}/decks/light-speed"), 404, "deck")
    problem(client.patch(f"{API}/decks/drawn", json={"name": "drawn"}), 422, "deck_file")
    problem(client.patch(f"{API}/decks/drawn", json={"name": "light-speed"}), 422, "deck_file")
    problem(client.patch(f"{API}/decks/drawn", json={"name": "../x"}), 422, "request_invalid")
    problem(client.post(f"{API}/decks/drawn/restore"), 422, "deck_file")
    problem(client.post(f"{API}/decks", content=b"hello"), 422, "deck_file")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w") as archive:
        archive.writestr("../../evil", b"x")
    problem(client.post(f"{API}/decks", content=bomb.getvalue()), 422, "deck_file")
    assert names(client) == ["drawn"]


def test_a_deck_goes_to_another_house_as_one_file(client, tmp_path):
    reply = client.get(f"{API}/decks/drawn/file")
    assert 'filename="drawn.sightline-deck"' in reply.headers["content-disposition"]
    with client_of(tmp_path / "theirs", decks=tmp_path / "their decks") as other:
        made = other.post(f"{API}/decks", content=reply.content)
        assert made.status_code == 201
        assert made.json() == client.get(f"{API}/decks").json()["learned"][0]
        assert other.post(f"{API}/decks?name=zoo", content=reply.content).status_code == 201
        assert names(other) == ["drawn", "zoo"]
    with client_of(tmp_path / "small", deck_mb=0.01) as small:
        problem(small.post(f"{API}/decks", content=reply.content), 413, "body_too_large")


def test_a_link_shows_the_deck_as_it_was_without_the_token(client, tmp_path):
    link = client.post(f"{API}/decks/drawn/shares", json={"days": 1}).json()
    assert [s["token"] for s in client.get(f"{API}/decks/drawn/shares").json()["shares"]] == [
        link["token"]
    ]
    assert client.post(f"{API}/decks/drawn/shares", json={"days": 1}).json() == link
    packed = client.get(f"{API}/decks/drawn/file").content
    client.delete(f"{API}/decks/drawn")
    shared = f"{API}/shared-decks/{link['token']}"
    with client_of(tmp_path / "data", decks=tmp_path / "decks", token="secret") as locked:
        guest = {"Host": "192.0.2.1"}
        assert locked.get(f"{API}/decks", headers=guest).status_code == 401
        assert len(locked.get(shared, headers=guest).json()["cards"]) == 6
        assert locked.get(f"{shared}/file", headers=guest).content == packed
        assert opened(locked.get(f"{shared}/preview.jpg", headers=guest)).shape[2] == 3
        assert b"<svg" in locked.get(f"{shared}/qr.svg", headers=guest).content
        assert locked.get(link["url"], headers=guest).status_code == 200
        assert locked.delete(f"{API}/deck-shares/{link['token']}", headers=guest).status_code == 401
    assert client.delete(f"{API}/deck-shares/{link['token']}").status_code == 204
    problem(client.get(shared), 404, "not_found")
    problem(client.get(f"{API}/shared-decks/{'x' * 20}/file"), 404, "not_found")


def test_a_round_remembers_its_deck(faces, tmp_path):
    learn(faces, tmp_path)
    photo, _ = shoot(faces, sorted(faces)[:4], 1, size_wh=(1280, 960))
    with client_of(tmp_path / "data", read, decks=tmp_path / "decks") as client:
        scan = send(client, encode_image(photo.image, ".jpg", 95), deck="drawn").json()["id"]
        assert until_settled(client, scan)["state"] == "done"  # a busy machine reads on
        before = client.get(f"{API}/scans/{scan}/round").json()
        assert before["deck"] == "drawn"
        assert [piece["id"] for piece in before["offer"]["pieces"]] == sorted(faces)
        assert client.get(f"{API}/scans/{scan}").json()["deck"] == "drawn"
        client.delete(f"{API}/decks/drawn")
        learn({"other": faces["pic-000"], "another": faces["pic-001"]}, tmp_path)
        assert learned_names(tmp_path / "decks") == ("drawn",)
    with client_of(tmp_path / "data", read, decks=tmp_path / "decks") as client:
        after = client.get(f"{API}/scans/{scan}/round").json()
        assert after["offer"] == before["offer"]
        assert {piece["id"] for piece in after["offer"]["pieces"]} == set(faces)
        told = client.get(f"{API}/scans/{scan}").json()
        again = send(client, encode_image(photo.image, ".jpg", 94), wait=0, deck="drawn").json()
        assert again["deck"] == told["deck"] == "drawn"
        assert again["deck_digest"] != told["deck_digest"]


def test_a_deck_is_made_of_photos(faces, tmp_path):
    """Two photos of four cards, the second laid elsewhere, to a deck that can be chosen."""
    order = sorted(faces)[:4]
    photos = []
    for seed, lot in enumerate((order, order[::-1])):
        cards = tuple(
            PlacedCard(name, k % 2 * 80.0, k // 2 * 105.0, np.radians(2.0 * seed))
            for k, name in enumerate(lot)
        )
        photo, _ = shoot(faces, lot, seed, cards=cards, size_wh=(1000, 1200), tilt_deg=10)
        photos.append(encode_image(photo.image, ".jpg", 95))
    with client_of(tmp_path / "data", decks=tmp_path / "decks") as client:
        drafts = f"{API}/drafts"
        problem(client.post(drafts, json={"name": "mine"}), 422, "deck_file")
        assert client.post(drafts, json={"name": "mine", "size_mm": [63, 88]}).status_code == 201
        problem(client.post(f"{drafts}/none/photos", content=photos[0]), 404, "not_found")
        problem(client.post(f"{drafts}/mine/photos", content=b"no photo"), 415, "image_decode")
        for photo in (*photos, photos[0]):
            draft = client.post(f"{drafts}/mine/photos", content=photo).json()
        assert (draft["photos"], [card["seen"] for card in draft["cards"]]) == (2, [2] * 4)
        ids = [card["id"] for card in draft["cards"]]
        assert opened(client.get(f"{drafts}/mine/cards/{ids[0]}.jpg")).shape[0] > 300
        problem(client.post(f"{drafts}/mine/deck", json={}), 422, "deck_file")
        named = client.post(f"{drafts}/mine/names", json={"text": "Fool\nMage\nStar"}).json()
        assert [card["name"] for card in named["cards"]] == ["fool", "mage", "star", ""]
        one = f"{drafts}/mine/cards/{ids[3]}"
        assert client.patch(one, json={"back_of": ids[0]}).json()["cards"][3]["name"] == "fool-back"
        problem(client.patch(one, json={"name": "Star"}), 422, "deck_file")
        assert client.patch(one, json={"dropped": True}).json()["cards"][3]["dropped"]
        problem(client.post(f"{drafts}/mine/names", json={"template": "none"}), 422, "deck_file")
        listed = client.get(drafts).json()
        assert listed["drafts"] == [{"name": "mine", "cards": 3, "named": 3, "photos": 2}]
        assert listed["templates"] == ["light-speed-2003"]
        made = client.post(f"{drafts}/mine/deck", json={})
        assert (made.status_code, made.json()["cards"]) == (201, ["fool", "mage", "star"])
        problem(client.post(f"{drafts}/mine/deck", json={}), 422, "deck_file")
        assert client.post(f"{drafts}/mine/deck", json={"replace": True}).status_code == 201
        assert "mine" in client.get(f"{API}/decks").json()["decks"]
        assert client.delete(f"{drafts}/mine").status_code == 204
        problem(client.get(f"{drafts}/mine"), 404, "not_found")


def test_a_damaged_draft_is_told_and_forgotten(client, tmp_path):
    drafts = f"{API}/drafts"
    client.post(drafts, json={"name": "mine", "size_mm": [63, 88]})
    (tmp_path / "decks" / ".drafts" / "mine" / "draft.json").write_bytes(b"{")
    photo = encode_image(np.zeros((300, 400, 3), np.uint8), ".png")
    problem(client.post(f"{drafts}/mine/photos", content=photo), 422, "deck_file")
    listed = client.get(drafts).json()["drafts"]
    assert listed == [{"name": "mine", "cards": 0, "named": 0, "photos": 0}]
    assert client.delete(f"{drafts}/mine").status_code == 204
    assert client.get(drafts).json()["drafts"] == []
