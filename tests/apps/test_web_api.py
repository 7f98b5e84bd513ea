"""The HTTP API: photos in, rounds out, corrections, links, evenings; and who may ask."""

import io
import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from tests.apps import web_readers
from tests.apps.web_help import client_of, picture, quick_settings, send, until_settled
from tests.test_codebase import kinds
from vision.apps.server import create_app
from vision.apps.server.guard import TokenBucket
from vision.apps.server.housekeeping import tidy
from vision.apps.server.page_files import MEDIA, STATIC
from vision.apps.server.problems import HTTP_STATUS, TITLES
from vision.apps.server.routes.models import clean_text
from vision.apps.server.settings import settings_from
from vision.errors import ScanError
from vision.games.light_speed.corrections import edit
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.files import read_table
from vision.games.registry import find_game
from vision.imaging.photo import decode_photo
from vision.imaging.strip import strip_jpeg


@pytest.fixture(scope="module")
def scan(client) -> str:
    reply = send(client, picture())
    assert reply.status_code == 200, reply.text
    return reply.json()["id"]


def problem(reply, status: int, code: str) -> None:
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    body = reply.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"].endswith(code)
    assert body["detail"]


def test_every_error_has_a_status_and_a_title():
    assert kinds(ScanError) == set(HTTP_STATUS)
    assert {kind.code for kind in HTTP_STATUS} <= set(TITLES)


def test_a_photo_is_read_and_resolved(client):
    reply = send(client, picture(seed=1))
    body = reply.json()
    assert reply.status_code == 200
    assert body["state"] == "done"
    assert body["scan"]["schema"] == "sightline/scan@1"
    assert body["scan"]["resolution"]["scores"]


def test_avif_is_read_where_pillow_can(client):
    if "image/avif" not in client.get("/api/v1/about").json()["formats"]:
        assert not os.environ.get("CI"), "CI installs a Pillow that reads it"
        pytest.skip("this Pillow reads no AVIF")
    assert send(client, picture(kind="AVIF")).json()["state"] == "done"


def test_without_waiting_it_is_accepted_and_can_be_followed(client):
    reply = client.post("/api/v1/scans", files={"photo": ("../../x.jpg", picture(seed=2))})
    assert reply.status_code == 202
    place = reply.headers["location"]
    assert place == f"/api/v1/scans/{reply.json()['id']}"
    assert until_settled(client, reply.json()["id"])["state"] == "done"
    assert "x.jpg" not in client.get(place).text


def test_stages_are_told_as_events(tmp_path):
    with client_of(tmp_path, web_readers.staged) as client:
        scan = client.post("/api/v1/scans", files={"photo": picture()}).json()["id"]
        reply = client.get(f"/api/v1/scans/{scan}/events")
        assert reply.headers["content-type"].startswith("text/event-stream")
        lines = [line[6:] for line in reply.text.splitlines() if line.startswith("data: ")]
        states = [json.loads(line) for line in lines]
        stages = [state["stage"] for state in states]
        assert states[-1]["state"] == "done"
        assert {"detect", "pose"} <= set(stages)


def test_a_retry_gives_the_same_scan(client):
    headers = {"Idempotency-Key": "abc-1", "Content-Type": "image/jpeg"}
    photo = picture(seed=3)
    first = client.post("/api/v1/scans", content=photo, headers=headers).json()["id"]
    again = client.post("/api/v1/scans", content=photo, headers=headers).json()["id"]
    assert first == again
    other = client.post("/api/v1/scans", content=picture(seed=4), headers=headers)
    problem(other, 409, "idempotency_conflict")


def test_a_photo_without_a_table_fails_with_the_code_of_the_command_line(tmp_path):
    with client_of(tmp_path, web_readers.finds_nothing) as client:
        body = send(client, picture()).json()
        assert body["state"] == "failed"
        assert body["error"]["code"] == "table_not_found"
        assert body["attempts"] == 1
        problem(client.get(f"/api/v1/scans/{body['id']}/round"), 409, "not_ready")


def test_the_round_view_holds_what_the_page_draws(client, scan):
    view = client.get(f"/api/v1/scans/{scan}/round").json()
    assert {card["id"] for card in view["cards"]} >= {"red-moth", "blue-ghost"}
    for ledger in view["ledger"].values():
        assert {piece["id"] for piece in ledger["pieces"]} == {card["id"] for card in view["cards"]}
        assert all(len(piece["outline_px"]) == 16 for piece in ledger["pieces"])
        events = [event for step in ledger["steps"] for event in step["events"]]
        paths = [m for event in events for m in event["marks"] if m["kind"] == "path"]
        assert all(path["points_px"] for path in paths)
        assert any(event["closeness"] and event["choices"] for event in events)


def test_corrections_are_kept_undone_and_done_again(client):
    scan = send(client, picture(seed=5)).json()["id"]
    url = f"/api/v1/scans/{scan}"
    before = client.get(url + "/round").json()
    moth = next(card for card in before["cards"] if card["id"] == "red-moth")
    turn = {
        "kind": "move",
        "card": "red-moth",
        "x_mm": moth["x_mm"],
        "y_mm": moth["y_mm"],
        "theta_deg": moth["theta_deg"] + 90,
    }
    after = client.post(url + "/edits", json={"change": turn, "revision": 0}).json()
    assert after["revision"] == 1
    assert after["ledger"] != before["ledger"]
    assert after["can_undo"]
    stale = client.post(url + "/edits", json={"change": turn, "revision": 0})
    problem(stale, 409, "conflict")
    undone = client.post(url + "/undo").json()
    assert undone["ledger"] == before["ledger"]
    assert undone["can_redo"]
    assert client.post(url + "/redo").json()["ledger"] == after["ledger"]
    problem(client.post(url + "/redo"), 409, "conflict")
    log = client.get(url + "/edits").json()["edits"]
    assert [entry["kind"] for entry in log] == ["move", "undo", "redo"]
    table = client.get(url + "/table.json").json()
    assert client.post("/api/v1/tables/resolve", json=table).status_code == 200


def test_every_kind_of_correction(client):
    scan = send(client, picture(seed=6)).json()["id"]
    url = f"/api/v1/scans/{scan}"

    def change(**body):
        reply = client.post(url + "/edits", json={"change": body})
        assert reply.status_code == 200, reply.text
        return reply.json()

    ids = lambda view: {card["id"] for card in view["cards"]}  # noqa: E731
    assert "green-moth" in ids(change(kind="identify", card="red-moth", identity="green-moth"))
    swapped = change(kind="identify", card="green-moth", identity="blue-ghost")
    assert {"green-moth", "blue-ghost"} <= ids(swapped)
    added = change(kind="add", card="purple-viper", x_mm=0, y_mm=0, theta_deg=0)
    assert "purple-viper" in ids(added)
    assert "purple-viper" not in ids(change(kind="remove", id="purple-viper"))
    square = [[0, 0], [80, 0], [80, 80], [0, 80]]
    marked = change(kind="object", id="object-1", outline_mm=square)
    assert [thing["id"] for thing in marked["objects"]] == ["object-1"]
    assert change(kind="rules", rules={"piracy": True, "rocks": 16})["rules"]["rocks"] == 16
    bad = client.post(url + "/edits", json={"change": {"kind": "remove", "id": "no-such-card"}})
    problem(bad, 422, "table_format")
    for wrong in ({}, {"kind": "undo"}, {"kind": 3}, {"kind": "x" * 21}):
        problem(client.post(url + "/edits", json={"change": wrong}), 422, "request_invalid")
    for wrong in (
        {"kind": "remove"},
        {"kind": "fly", "card": "red-moth"},
        {"kind": "move", "card": "red-moth", "x_mm": "far", "y_mm": 0, "theta_deg": 0},
        {"kind": "remove", "id": "red-moth", "more": 1},
    ):
        problem(client.post(url + "/edits", json={"change": wrong}), 422, "table_format")
    bow = [[0, 0], [80, 80], [80, 0], [0, 80]]
    bad = client.post(
        url + "/edits", json={"change": {"kind": "object", "id": "bow", "outline_mm": bow}}
    )
    problem(bad, 422, "table_format")


def test_edit_is_a_pure_function():
    document = json.loads(web_readers.CANNED.read_text(encoding="utf-8"))
    table, deck = read_table(document["table"]), load_deck("light-speed")
    before = [(c.card_id, c.x_mm) for c in table.cards]
    place = {"x_mm": 1.0, "y_mm": 2.0, "theta_deg": 0.0}
    moved = edit(table, {"kind": "move", "card": "red-moth", **place}, deck)
    assert [(c.card_id, c.x_mm) for c in table.cards] == before
    assert next(c for c in moved.cards if c.card_id == "red-moth").x_mm == 1.0
    other = {"kind": "identify", "card": "red-moth", "identity": "blue-ghost"}
    twice = edit(edit(table, other, deck), other, deck)
    assert [(c.card_id, c.x_mm) for c in twice.cards] == before
    assert len(edit(table, {"kind": "remove", "id": "red-moth"}, deck).cards) == len(before) - 1


def test_a_ruling_replays_the_round_and_can_be_taken_back(client):
    scan = send(client, picture(seed=8)).json()["id"]
    url = f"/api/v1/scans/{scan}"
    before = client.get(url + "/round").json()

    def events(view):
        return [e for step in view["ledger"]["en"]["steps"] for e in step["events"] if e["choices"]]

    shot = next(event for event in events(before) if event["pieces"][1:])
    ruling = next(c["change"] for c in shot["choices"] if c["change"]["target"] is None)
    foretold = client.get(f"{url}/rulings/{shot['id']}").json()["choices"]
    assert [c["change"] for c in foretold] == [c["change"] for c in shot["choices"]]
    mine = next(choice for choice in foretold if choice["change"] == ruling)
    problem(client.get(url + "/rulings/no-such-shot"), 404, "not_found")
    after = client.post(url + "/edits", json={"change": ruling}).json()
    assert mine["headline"] == after["headline"]
    final = after["ledger"]["en"]["steps"][-1]["tally"]["scores"]
    assert mine["scores"] == {side: parts["total"] for side, parts in final.items()}
    ruled = next(event for event in events(after) if event["id"] == shot["id"])
    assert ruled["ruled"]
    assert ruled["pieces"] == shot["pieces"][:1]
    assert after["rulings"] == [{k: v for k, v in ruling.items() if k != "kind"}]
    assert after["ledger"]["en"]["steps"] != before["ledger"]["en"]["steps"]
    back = ruled["undo"]
    assert client.post(url + "/edits", json={"change": back}).json()["ledger"] == before["ledger"]
    assert client.post(url + "/undo").json()["ledger"] == after["ledger"]
    for wrong in (
        {**ruling, "target": "green-bastion"},
        {**ruling, "laser": 77},
        {**ruling, "target": ruling["ship"]},
        {**ruling, "shielded": True},
    ):
        problem(client.post(url + "/edits", json={"change": wrong}), 422, "table_format")


@pytest.mark.parametrize(
    ("kind", "format_name"), [("png", "PNG"), ("jpg", "JPEG"), ("webp", "WEBP")]
)
def test_pictures(client, scan, kind, format_name):
    reply = client.get(f"/api/v1/scans/{scan}/picture.{kind}")
    assert reply.status_code == 200
    assert Image.open(io.BytesIO(reply.content)).format == format_name
    again = client.get(
        f"/api/v1/scans/{scan}/picture.{kind}", headers={"If-None-Match": reply.headers["etag"]}
    )
    assert again.headers["etag"] == reply.headers["etag"]


@pytest.mark.parametrize("kind", ["replay.webp", "replay.gif"])
def test_replays_move(client, scan, kind):
    reply = client.get(f"/api/v1/scans/{scan}/picture.{kind}")
    assert reply.status_code == 200
    moving = Image.open(io.BytesIO(reply.content))
    assert moving.n_frames > 8


def test_a_film_where_it_can_be_made(client, scan):
    kinds = client.get("/api/v1/about").json()["replays"]
    reply = client.get(f"/api/v1/scans/{scan}/picture.replay.mp4")
    if "mp4" not in kinds:
        assert not os.environ.get("CI"), "CI installs the extra"
        problem(reply, 406, "format_unavailable")
        return
    assert reply.headers["content-type"] == "video/mp4"
    assert reply.content[4:8] == b"ftyp"
    assert reply.content.index(b"moov") < reply.content.index(b"mdat")  # plays while it comes


def test_lists_are_light(client, scan):
    """A thumbnail of a few kB; the score without resolving again; the same as the round tells."""
    thumb = client.get(f"/api/v1/scans/{scan}/thumb.jpg")
    assert max(Image.open(io.BytesIO(thumb.content)).size) <= 256
    assert "immutable" in thumb.headers["cache-control"]
    for change in (None, {"kind": "remove", "id": "red-moth"}):
        if change is not None:
            client.post(f"/api/v1/scans/{scan}/edits", json={"change": change})
        view = client.get(f"/api/v1/scans/{scan}/round").json()
        rounds = client.get("/api/v1/scans?limit=200").json()["scans"]
        told = next(one for one in rounds if one["id"] == scan)
        ledger = view["ledger"]["en"]
        last = (ledger["steps"][-1] if ledger["steps"] else {"tally": ledger["opening"]})["tally"]
        assert told["scores"] == {side: p["total"] for side, p in last["scores"].items()}
        assert told["winners"] == ledger["winners"]
        assert told["cards"] == len(view["cards"])
        if change is not None:  # the canned scan was not resolved with the canned covariance
            assert told["headline"] == view["headline"]
            assert told["doubts"] == sum(i["severity"] == "doubt" for i in view["issues"])
    client.post(f"/api/v1/scans/{scan}/undo")


def test_the_drawing_holds_no_script_and_needs_nothing(client, scan):
    text = client.get(f"/api/v1/scans/{scan}/picture.svg").text
    assert "<script" not in text
    assert text.count("http") == 1  # the name of the format


def test_nothing_that_leaves_tells_where_the_photo_was_taken(client):
    marker = b"SECRETPLACE"
    exif = Image.Exif()
    exif[0x010F] = marker.decode()
    exif[0x010E] = marker.decode()
    gps = exif.get_ifd(0x8825)
    gps[1], gps[2] = "N", (48.0, 51.0, 30.0)
    gps[29] = marker.decode()
    photo = picture(seed=7, exif=exif, comment=marker)
    assert photo.count(marker) >= 3
    scan = send(client, photo + b"after the picture: " + marker).json()["id"]
    folder = client.app.state.services.settings.folder
    for path in folder.rglob("*"):  # nor does it stay
        assert not path.is_file() or marker not in path.read_bytes()
    token = client.post(f"/api/v1/scans/{scan}/shares").json()["token"]
    for path in (
        *(f"/api/v1/scans/{scan}/{name}" for name in ("photo.jpg", "scan.json", "round")),
        *(
            f"/api/v1/scans/{scan}/picture.{kind}"
            for kind in ("png", "jpg", "webp", "svg", "replay.webp", "replay.gif", "replay.mp4")
        ),
        f"/api/v1/scans/{scan}/thumb.jpg",
        f"/api/v1/shared/{token}/photo.jpg",
        f"/api/v1/shared/{token}/round",
    ):
        content = client.get(path).content  # of what cannot be made here, the refusal
        assert content
        assert marker not in content, path
        assert b"Exif" not in content, path


def test_stripping_changes_no_pixel_and_keeps_what_the_reading_needs():
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "maker"
    exif.get_ifd(0x8769)[0xA405] = 26
    for progressive in (False, True):
        photo = picture(exif=exif, progressive=progressive, comment=b"maker")
        bare = strip_jpeg(photo + b"maker")
        assert b"maker" not in bare
        before, after = decode_photo(photo), decode_photo(bare)
        assert (before.image == after.image).all()
        assert (after.orientation, after.focal_35mm) == (6, 26.0)
    assert strip_jpeg(picture(kind="PNG")) is None
    assert strip_jpeg(picture()[:-900]) is None


def test_links_show_one_round_until_they_end(client, scan):
    made = client.post(f"/api/v1/scans/{scan}/shares", json={"days": 1}).json()
    assert len(made["token"]) >= 22  # 128 bits and more
    shared = f"/api/v1/shared/{made['token']}"
    assert client.get(shared + "/round").json()["evening"] is None
    assert client.get(shared + "/picture.jpg").status_code == 200
    problem(client.post(shared + "/round"), 405, "method_not_allowed")
    assert client.delete(f"/api/v1/shares/{made['token']}").status_code == 204
    problem(client.get(shared + "/round"), 404, "not_found")
    short = client.post(f"/api/v1/scans/{scan}/shares", json={"days": 1e-9}).json()
    problem(client.get(f"/api/v1/shared/{short['token']}/round"), 404, "not_found")


def test_a_second_press_gives_the_same_link(client, scan):
    path = f"/api/v1/scans/{scan}/shares"
    before = len(client.get(path).json()["shares"])
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: client.post(path, json={"days": 7}).json(), range(4)))
    assert all(link == made[0] for link in made)
    longer = client.post(path, json={"days": 30}).json()
    assert longer["token"] != made[0]["token"]
    assert len(client.get(path).json()["shares"]) == before + 2
    client.delete(f"/api/v1/shares/{longer['token']}")
    assert client.post(path, json={"days": 30}).json()["token"] != longer["token"]


def test_what_has_no_id_s_form_is_not_there(client):
    """A person who comes by an address that cannot be is told so, not how ids are written."""
    paths = client.app.openapi()["paths"]
    asked = 0
    for path, ways in paths.items():
        named = [p for way in ways.values() for p in way.get("parameters", ()) if p["in"] == "path"]
        if "get" in ways and any("pattern" in p["schema"] for p in named):
            reply = client.get(re.sub(r"{[^}]*}", "NOTHING!", path))
            assert (reply.status_code, "pattern" in reply.text) == (404, False), path
            assert reply.json()["code"] in ("not_found", "deck")
            assert "404" in ways["get"]["responses"], path
            asked += 1
    assert asked > 20


def test_an_evening_adds_up(client):
    evening = client.post("/api/v1/evenings", json={"name": "Friday"}).json()["id"]
    typed = "red moth @0,0 0deg\nblue ghost @5,-300 0deg\n"  # exact: nothing of it is open
    for _ in range(2):
        sent = client.post("/api/v1/tables", params={"evening": evening}, content=typed)
        assert sent.status_code == 201
    client.patch(f"/api/v1/evenings/{evening}", json={"teams": {"red": "Zoé <b>"}})
    body = client.get(f"/api/v1/evenings/{evening}").json()
    one = body["rounds"][0]["scores"]
    assert body["wins"] == {"red": 2}
    assert any(one.values())
    assert body["totals"] == {team: 2 * points for team, points in one.items()}
    assert body["teams"] == {"red": "Zoé <b>"}
    assert client.delete(f"/api/v1/evenings/{evening}").status_code == 204
    scan = body["rounds"][0]["id"]
    assert client.get(f"/api/v1/scans/{scan}").json()["evening"] is None


def test_rounds_that_are_open_are_in_no_sum(client, monkeypatch):
    evening = client.post("/api/v1/evenings", json={"name": "Open"}).json()["id"]
    for seed in (23, 24, 25):
        send(client, picture(seed=seed), evening=evening)
    path = f"/api/v1/evenings/{evening}"
    told = client.get(path).json()
    for one in told["rounds"]:
        assert one["open"] == one["headline"]["open"]
        assert one["winners"] == one["headline"]["winners"]
        assert not (one["open"] and one["winners"])
    assert told["open"] == [one["id"] for one in told["rounds"] if one["open"]]
    rounds = client.app.state.services.rounds.played
    won = {"scores": {"red": 3, "blue": 1}, "winners": ["red"], "ends": True, "unordered": False}
    for carries_on, settled in product((False, True), product((False, True), repeat=3)):
        as_told = {
            one["id"]: {**one, **won, "open": not is_settled, "winners": ["red"] * is_settled}
            for one, is_settled in zip(told["rounds"], settled, strict=True)
        }
        monkeypatch.setattr(rounds, "summary", lambda scan, of=as_told: of[scan.id])
        monkeypatch.setattr(rounds, "carries_on", lambda _, it=carries_on: it)
        added = client.get(path).json()
        n = sum(settled)
        assert added["wins"] == ({"red": n} if n else {})
        assert added["totals"] == ({"red": 3 * n, "blue": n} if n else {})
        assert added["open"] == [one for one, of in as_told.items() if of["open"]]


def test_an_open_round_of_a_score_that_goes_on_waits_for_the_next(client, monkeypatch):
    """A score that goes on stands in the next round again: the sum lacks it only until then."""
    evening = client.post("/api/v1/evenings", json={"name": "On"}).json()["id"]
    for seed in (26, 27, 28):
        send(client, picture(seed=seed), evening=evening)
    path = f"/api/v1/evenings/{evening}"
    ids = [one["id"] for one in client.get(path).json()["rounds"]]
    rounds = client.app.state.services.rounds.played
    monkeypatch.setattr(rounds, "carries_on", lambda _: True)
    scores = ({"red": 1}, {"red": 4}, {"red": 6})
    as_told = {
        one: {
            "scores": points,
            "winners": [],
            "open": k == 1,
            "ends": False,
            "unordered": False,
        }
        for k, (one, points) in enumerate(zip(ids, scores, strict=True))
    }
    monkeypatch.setattr(rounds, "summary", lambda scan: as_told[scan.id])
    assert [one["totals"] for one in client.get(path).json()["rounds"]] == [
        {"red": 1},
        {"red": 1},
        {"red": 6},
    ]


def test_a_photo_that_comes_twice_counts_once_until_someone_says_so(client):
    evening = client.post("/api/v1/evenings", json={"name": "Twice"}).json()["id"]
    first, again = (send(client, picture(seed=22), evening=evening).json()["id"] for _ in range(2))

    def table():
        body = client.get(f"/api/v1/evenings/{evening}").json()
        return [(r["id"], r["number"], r["same_as"]) for r in body["rounds"]], body["totals"]

    def listed():
        scans = client.get("/api/v1/scans", params={"evening": evening}).json()["scans"]
        return {scan["id"]: scan["number"] for scan in scans}

    rounds, once = table()
    assert rounds == [(first, 1, None), (again, None, first)]
    assert listed() == {first: 1, again: None}
    client.patch(f"/api/v1/scans/{again}", json={"counted": True})
    rounds, twice = table()
    assert rounds == [(first, 1, None), (again, 2, None)]
    assert listed() == {first: 1, again: 2}
    assert twice == {team: 2 * points for team, points in once.items()}
    client.patch(f"/api/v1/scans/{again}", json={"counted": False})
    assert table()[1] == once


def test_a_game_brings_a_round_to_try(client):
    (offer,) = [one for one in client.get("/api/v1/games").json()["games"] if one["has_example"]]
    made = client.post(f"/api/v1/games/{offer['game']}/example")
    assert made.status_code == 201
    assert client.get(made.headers["location"] + "/round").json()["ledger"]["en"]["steps"]
    problem(client.post("/api/v1/games/none/example"), 404, "not_found")


def test_deleted_rounds_are_gone_and_can_come_back(client):
    scan = send(client, picture(seed=30)).json()["id"]
    token = client.post(f"/api/v1/scans/{scan}/shares").json()["token"]
    assert client.delete(f"/api/v1/scans/{scan}").status_code == 204
    problem(client.get(f"/api/v1/scans/{scan}"), 404, "not_found")
    problem(client.get(f"/api/v1/shared/{token}/round"), 404, "not_found")
    assert client.post(f"/api/v1/scans/{scan}/restore").status_code == 200
    assert client.get(f"/api/v1/scans/{scan}").status_code == 200


def test_a_table_without_a_photo(client):
    table = {
        "schema": "sightline/table@1",
        "cards": [{"card": "red-moth", "x_mm": 0.0, "y_mm": 0.0, "theta_deg": 0.0}],
    }
    reply = client.post("/api/v1/tables/resolve", json=table)
    assert reply.json()["schema"] == "sightline/resolution@1"
    table["cards"][0]["card"] = "red-moht"
    problem(client.post("/api/v1/tables/resolve", json=table), 422, "table_format")


def test_health_docs_and_pages_come_from_here(client):
    assert client.get("/healthz").json() == {"status": "alive"}
    assert client.get("/readyz").status_code == 200
    for path in ("/", "/docs", "/s/abcdefghijklmnopqrst", "/manifest.webmanifest", "/qr.svg"):
        reply = client.get(path)
        assert reply.status_code == 200, path
        assert "https://" not in reply.text
        assert reply.headers["x-content-type-options"] == "nosniff"
        policy = reply.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
    texts = [path for path in STATIC.rglob("*.*") if path.suffix in MEDIA]
    assert {path.suffix for path in set(STATIC.rglob("*.*")) - set(texts)} == {".webp"}
    for path in texts:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert "http://" not in text, path
        assert "https://" not in text, path


def test_catalogues_have_the_same_keys_and_the_page_uses_no_other():
    words = {
        lang: json.loads((STATIC / f"locales/{lang}.json").read_text(encoding="utf-8"))
        for lang in ("en", "fr")
    }
    assert set(words["en"]) == set(words["fr"])
    for key, english in words["en"].items():
        french = words["fr"][key]
        assert isinstance(english, str) == isinstance(french, str), key
        holes = [
            {part.split("}")[0] for text in values for part in text.split("{")[1:]}
            for values in (
                [english] if isinstance(english, str) else list(english.values()),
                [french] if isinstance(french, str) else list(french.values()),
            )
        ]
        assert holes[0] == holes[1], key
    import re

    for path in (STATIC / "js").rglob("*.js"):
        for key in re.findall(r'\bt\(\s*"([a-z_.0-9-]+)"\s*[,)]', path.read_text(encoding="utf-8")):
            assert key in words["en"], f"{path.name}: {key}"


# --- who may ask -----------------------------------------------------------------------------


def outside(folder, **changes):
    settings = quick_settings(folder, token="sesame-0123456789", **changes)
    app = create_app(web_readers.canned, settings)
    return TestClient(app, base_url="http://192.168.1.5", client=("192.168.1.9", 5000))


def test_the_network_needs_the_token(tmp_path):
    with outside(tmp_path) as client:
        problem(client.get("/api/v1/scans"), 401, "unauthorised")
        assert client.get("/healthz").status_code == 200
        refused = client.get("/", follow_redirects=False)
        assert refused.headers["location"] == "/static/closed.html"
        assert client.get("/?token=wrong", follow_redirects=False).status_code == 303
        assert "set-cookie" not in client.get("/?token=wrong", follow_redirects=False).headers
        bearer = {"Authorization": "Bearer sesame-0123456789"}
        assert client.get("/api/v1/scans", headers=bearer).status_code == 200
        entered = client.get("/?token=sesame-0123456789", follow_redirects=False)
        assert entered.status_code == 303
        cookie = entered.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert "secure" not in cookie
        assert client.get("/api/v1/scans").status_code == 200  # by the cookie


def test_over_https_the_cookie_never_leaves_in_plain(tmp_path):
    with outside(tmp_path) as client:
        client.base_url = "https://192.168.1.5"
        entered = client.get("/?token=sesame-0123456789", follow_redirects=False)
        assert "; secure" in entered.headers["set-cookie"].lower()
        assert client.get("/api/v1/scans").status_code == 200
        client.base_url = "http://192.168.1.5"  # the same server, started without
        problem(client.get("/api/v1/scans"), 401, "unauthorised")
        plain = client.get("/?token=sesame-0123456789", follow_redirects=False)
        ours = plain.headers["set-cookie"].partition("=")[0]
        assert ours != entered.headers["set-cookie"].partition("=")[0]
        assert client.get("/api/v1/scans").status_code == 200


def test_this_machine_needs_no_token_but_a_proxy_does(tmp_path):
    settings = quick_settings(tmp_path, token="sesame-0123456789")
    app = create_app(web_readers.canned, settings)
    with TestClient(app, base_url="http://localhost", client=("127.0.0.1", 5000)) as client:
        assert client.get("/api/v1/scans").status_code == 200
        through = {"X-Forwarded-For": "203.0.113.4"}
        problem(client.get("/api/v1/scans", headers=through), 401, "unauthorised")


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "", "[::1", "a b", "sightline.example:80"]
)
def test_other_names_are_refused(client, host):
    problem(client.get("/api/v1/scans", headers={"Host": host}), 421, "wrong_host")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:81"])
def test_changes_from_other_sites_are_refused(client, origin):
    reply = client.post("/api/v1/evenings", json={}, headers={"Origin": origin})
    problem(reply, 403, "wrong_origin")


def test_the_redirect_of_the_token_stays_here(tmp_path):
    with outside(tmp_path) as client:
        reply = client.get("//evil.example/?token=sesame-0123456789", follow_redirects=False)
        assert reply.headers.get("location", "/").count("//") == 0


# --- limits ----------------------------------------------------------------------------------


def test_the_body_has_a_limit_to_the_byte(tmp_path):
    with client_of(tmp_path, body_mb=0.2) as client:
        photo = picture()
        full = photo + b"\0" * (200_000 - len(photo))
        assert send(client, full, wait=0).status_code in (200, 202)
        problem(send(client, full + b"\0" * 65_537), 413, "body_too_large")

        def chunks():
            for _ in range(40):
                yield b"\xff" * 10_000

        reply = client.post(
            "/api/v1/scans", content=chunks(), headers={"Content-Type": "image/jpeg"}
        )
        problem(reply, 413, "body_too_large")
        deep = client.post(
            "/api/v1/tables/resolve",
            content=b"[" * 600_000,
            headers={"Content-Type": "application/json"},
        )
        problem(deep, 413, "body_too_large")


def test_forms_with_too_much_in_them_are_refused(client):
    many = [("photo", ("a.jpg", picture()))] * (find_game("light-speed").most_photos + 1)
    assert client.post("/api/v1/scans?game=light-speed", files=many).status_code in (400, 413, 422)
    fields = {f"f{k}": "x" for k in range(1001)}
    reply = client.post("/api/v1/scans", data=fields, files={"photo": picture()})
    assert reply.status_code in (400, 413, 422)
    problem(client.post("/api/v1/scans", files={"foto": picture()}), 422, "request_invalid")
    problem(client.post("/api/v1/scans", json={}), 415, "request_invalid")


def test_a_form_that_says_the_game_is_refused_and_told_where_to_say_it(client):
    before = client.get("/api/v1/scans").json()
    form = {"data": {"game": "toy"}, "files": {"photo": picture()}}
    reply = client.post("/api/v1/scans", **form)
    problem(reply, 422, "request_invalid")
    assert "/api/v1/scans?game=" in reply.json()["detail"]
    assert client.get("/api/v1/scans").json() == before


def test_the_rate_has_a_limit(tmp_path):
    with client_of(tmp_path, uploads_per_minute=6.0, upload_burst=2) as client:
        codes = [send(client, picture(seed=k), wait=0).status_code for k in range(4)]
        assert codes == [202, 202, 429, 429]
        reply = send(client, picture())
        problem(reply, 429, "rate_limited")
        assert 1 <= int(reply.headers["retry-after"]) <= 11


def test_a_bucket_fills_again():
    bucket = TokenBucket(60, 2)
    assert [bucket.take("a", 0.0), bucket.take("a", 0.0)] == [0, 0]
    assert bucket.take("a", 0.0) == pytest.approx(1.0)
    assert bucket.take("b", 0.0) == 0
    assert bucket.take("a", 1.01) == 0


def test_the_queue_has_a_limit(tmp_path):
    with client_of(tmp_path, web_readers.slow, queue_per_worker=2) as client:
        codes = [send(client, picture(seed=k), wait=0).status_code for k in range(5)]
        assert codes[:2] == [202, 202]
        assert 503 in codes
        reply = send(client, picture(seed=99), wait=0)
        if reply.status_code == 503:
            problem(reply, 503, "queue_full")
            assert "retry-after" in reply.headers


def test_a_full_disk_is_told(tmp_path):
    with client_of(tmp_path, disk_free_mb=1e12) as client:
        problem(send(client, picture()), 507, "disk_full")
        assert not list((tmp_path / "files" / "tmp").iterdir())
        assert client.get("/readyz").status_code == 503


def test_pixels_and_formats_have_limits(tmp_path):
    with client_of(tmp_path, pixels_mp=0.3, formats=("jpeg",)) as client:
        assert client.get("/api/v1/about").json()["formats"] == ["image/jpeg"]
        assert send(client, picture(size=(600, 480)), wait=0).status_code == 202
        problem(send(client, picture(size=(640, 480))), 422, "image_size")
        problem(send(client, picture(size=(600, 480), kind="PNG")), 415, "image_decode")


def test_heic_is_read_or_told_in_a_clear_word(client):
    if "image/heif" in client.get("/api/v1/about").json()["formats"]:
        assert send(client, picture(kind="HEIF")).json()["state"] == "done"
        return
    assert not os.environ.get("CI"), "CI installs the extra"
    reply = send(client, b"\0\0\0\x20ftypheic\0\0\0\0mif1heic" + b"\0" * 4000)
    problem(reply, 415, "image_decode")
    assert "HEIC" in reply.json()["detail"]


def test_originals_end_and_the_round_stays(tmp_path):
    with client_of(tmp_path, original_days=30.0) as client:
        photo = picture(size=(1280, 960), seed=40)
        scan = send(client, photo).json()["id"]
        services = client.app.state.services
        url = f"/api/v1/scans/{scan}"
        before = client.get(f"{url}/round").json()
        month_ago = time.time() - 31 * 86400
        with services.storage.records.database.write() as connection:
            connection.exec_driver_sql(f"UPDATE scans SET created={month_ago}")
        for path in (tmp_path / "files").rglob("*"):
            os.utime(path, (month_ago, month_ago))
        kept = services.rounds.scan(scan).photo
        tidy(services.storage, services.settings)
        assert services.rounds.scan(scan).photo != kept
        assert not services.storage.objects.has(kept)
        assert client.get(f"{url}/round").json()["ledger"] == before["ledger"]
        assert client.get(f"{url}/photo.jpg").status_code == 200
        for kind in ("png", "svg", "replay.webp"):
            assert client.get(f"{url}/picture.{kind}").status_code == 200


def test_settings_come_from_the_environment(tmp_path):
    found = settings_from(
        {"SIGHTLINE_BODY_MB": "12.5", "SIGHTLINE_ALLOWED_HOSTS": "a.example, b"}, folder=tmp_path
    )
    assert (found.body_mb, found.allowed_hosts) == (12.5, ("a.example", "b"))
    with pytest.raises(ValueError, match="SIGHTLINE_WORKERS: expected int"):
        settings_from({"SIGHTLINE_WORKERS": "many"}, folder=tmp_path)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  two   words ", "two words"),
        ("a\x00b\x1b[31m", "ab[31m"),
        ("\u202egnp.exe", "gnp.exe"),
        ("\ud800x", "x"),
        ("été", "été"),
    ],
)
def test_names_are_cleaned(given, kept):
    assert clean_text(given) == kept
