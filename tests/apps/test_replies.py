"""Replies have the form that the description says, and a round one form wherever it is told."""

from datetime import datetime
from typing import Any

import pytest

from tests.apps.described import forms, unlike
from tests.apps.web_help import picture, send
from vision.errors import DeckError

TYPED = "red moth @0,0 0deg\nblue ghost @5,-300 0deg\n"
LASER = "game laser-shield\nstart\norder orange fire c1>d2\norder blue fire f2>e3\n"
BOARD = "game asteroyds-capture\nlayout 2v2\n"


@pytest.fixture(scope="module")
def told(client) -> dict[str, Any]:
    return client.get("/api/v1/openapi.json").json()


@pytest.fixture(scope="module")
def evening(client):
    """An evening with a round that was typed, a photo, and the same photo again."""
    made = client.post("/api/v1/evenings", json={"name": "Replies"})
    evening = made.json()["id"]
    client.post("/api/v1/tables", params={"evening": evening}, content=TYPED)
    for _ in range(2):
        send(client, picture(seed=91), evening=evening)
    return evening


def test_a_round_is_told_alike_in_lists_and_by_itself(client, evening):
    table = client.get(f"/api/v1/evenings/{evening}").json()
    listed = client.get("/api/v1/scans", params={"evening": evening}).json()
    assert [one["id"] for one in listed["scans"]] == [r["id"] for r in table["rounds"]][::-1]
    for one, of_table in zip(listed["scans"], table["rounds"][::-1], strict=True):
        alone = client.get(f"/api/v1/scans/{one['id']}").json()
        assert alone == one
        assert of_table | alone == of_table
        view = client.get(f"/api/v1/scans/{one['id']}/round").json()
        scan = client.get(f"/api/v1/scans/{one['id']}/scan.json").json()
        resolution = client.get(f"/api/v1/scans/{one['id']}/resolution.json").json()
        assert one["headline"] == view["headline"] == scan["headline"]
        assert one["open"] == one["headline"]["open"] == resolution["open"]
        winners = one["winners"]
        assert winners == one["headline"]["winners"] == resolution["winners"]
        assert winners == view["ledger"]["fr"]["winners"] == scan["resolution"]["winners"]
        assert bool(winners) is not one["open"]
        told = sum(issue["severity"] == "doubt" for issue in view["issues"])
        assert one["doubts"] == one["headline"]["doubts"] == told


def test_a_round_that_cannot_be_played_any_more_says_why_and_hides_no_other(
    client, evening, monkeypatch
):
    rounds = client.app.state.services.rounds.played
    before = client.get("/api/v1/scans", params={"evening": evening}).json()["scans"]
    lost, summary = before[-1]["id"], rounds.summary

    def without(scan):
        if scan.id == lost:
            raise DeckError("there is no such deck any more")
        return summary(scan)

    monkeypatch.setattr(rounds, "summary", without)
    after = client.get("/api/v1/scans", params={"evening": evening}).json()
    assert after["scans"][:-1] == before[:-1]
    assert after["scans"][-1]["error"]["code"] == "deck"
    assert client.get(f"/api/v1/scans/{lost}").json() == after["scans"][-1]
    assert lost not in client.get(f"/api/v1/evenings/{evening}").json()["open"]


def test_a_list_goes_on_where_its_link_leads(client, evening):
    path, seen = f"/api/v1/scans?evening={evening}&limit=1", []
    while path:
        page = client.get(path).json()
        seen += [one["id"] for one in page["scans"]]
        path = page["links"]["next"]
    whole = client.get(f"/api/v1/scans?evening={evening}").json()
    assert seen == [one["id"] for one in whole["scans"]]
    assert len(seen) == 3


def test_times_are_told_both_ways(client, evening):
    for one in client.get("/api/v1/scans").json()["scans"]:
        at = datetime.fromisoformat(one["created_at"].replace("Z", "+00:00"))
        assert at.timestamp() == pytest.approx(one["created"], abs=1e-5)  # microseconds


def test_every_reply_is_typed_and_has_an_example_of_its_form(told):
    plain = {"get /healthz", "get /metrics"}  # a word, and no JSON
    for place, status, content in forms(told):
        schema = content["schema"]
        assert "$ref" in schema or place in plain, (place, status)
        if place not in plain and "$ref" in schema:
            assert not unlike(told, schema, content["example"]), (place, status)


def test_what_is_not_described_is_refused(client, monkeypatch):
    desk = client.app.state.services.rounds
    summary = desk.summary
    client.post("/api/v1/tables", content=TYPED)
    monkeypatch.setattr(desk, "summary", lambda scan: {**summary(scan), "colour": "red"})
    with pytest.raises(AssertionError, match="colour"):
        client.get("/api/v1/scans")


def test_clients_call_every_route_by_a_name_of_its_own(told):
    names = [way["operationId"] for ways in told["paths"].values() for way in ways.values()]
    assert len(set(names)) == len(names)
    assert "send_photo" in names


@pytest.fixture
def ask(client):
    """Ask for something that is there; the client holds each reply against the description."""

    def ask(verb, template, json=None, content=None, headers=None, **parts):
        path = "/api/v1" + template.format(**parts)
        reply = client.request(verb, path, json=json, content=content, headers=headers)
        assert reply.status_code < 300, (path, reply.text)
        return reply.json()

    return ask


def test_replies_have_the_form_that_is_described(client, ask):
    scan = send(client, picture()).json()["id"]
    evening = ask("POST", "/evenings", {"name": "Friday"})["id"]
    moved = ask("PATCH", "/scans/{scan_id}", {"evening": evening}, scan_id=scan)
    assert moved["number"] == 1
    assert ask("GET", "/scans/{scan_id}", scan_id=scan) == moved
    ask("GET", "/scans")
    ask("GET", "/evenings/{evening_id}", evening_id=evening)
    view = ask("GET", "/scans/{scan_id}/round", scan_id=scan)
    events = [e for step in view["ledger"]["en"]["steps"] for e in step["events"]]
    event = next(e["id"] for e in events if e["choices"])
    ask("GET", "/scans/{scan_id}/rulings/{event_id}", scan_id=scan, event_id=event)
    change = {"kind": "remove", "id": view["cards"][0]["id"]}
    ask("POST", "/scans/{scan_id}/edits", {"change": change}, scan_id=scan)
    ask("GET", "/scans/{scan_id}/edits", scan_id=scan)
    ask("POST", "/scans/{scan_id}/undo", {}, scan_id=scan)
    for document in ("scan", "table", "resolution"):
        reply = ask("GET", "/scans/{scan_id}/{document}.json", scan_id=scan, document=document)
        assert reply["schema"] == f"sightline/{document}@1"
    ask("POST", "/scans/{scan_id}/shares", {}, scan_id=scan)
    ask("GET", "/scans/{scan_id}/shares", scan_id=scan)
    career = ask("POST", "/careers", {"game": "conflit-stellaire", "name": "Ann"})["id"]
    seats = {"game": "conflit-stellaire", "seats": {"A": career}}
    ask("PUT", "/evenings/{evening_id}/careers", seats, evening_id=evening)
    ask("POST", "/careers/{career_id}/points", {"points": 5}, career_id=career)
    ask("GET", "/scans/{scan_id}/coach", scan_id=scan)
    ask("GET", "/scans/{scan_id}/coach/{piece}", scan_id=scan, piece="red-moth")
    ask("GET", "/evenings/{evening_id}/coach", evening_id=evening)
    for listing in ("/careers", "/evenings", "/decks", "/games", "/drafts", "/about", "/live"):
        ask("GET", listing)


def test_replies_of_games_by_orders_have_the_form_that_is_described(ask):
    board = ask("POST", "/tables", content=BOARD)["id"]
    ask("GET", "/scans/{scan_id}/round", scan_id=board)
    ship = {"scan_id": board, "party": "red-1"}
    ask("POST", "/scans/{scan_id}/orders/{party}/sheet", {"order": None}, **ship)
    ask("POST", "/scans/{scan_id}/orders/{party}/read", {"order": "F L X"}, **ship)
    ask("GET", "/scans/{scan_id}/pieces/{piece}/settings", scan_id=board, piece="red-1")
    laser = ask("POST", "/tables", content=LASER)["id"]
    ask("GET", "/scans/{scan_id}/coach", scan_id=laser)
    team = {"scan_id": laser, "party": "orange"}
    ask("POST", "/scans/{scan_id}/orders/{party}/choices", {"so_far": ""}, **team)
    ask("POST", "/tables/resolve", content=LASER)
    following = ask("POST", "/scans/{scan_id}/next", scan_id=laser)["id"]
    sitting = ask("POST", "/scans/{scan_id}/sitting", {"seconds": 60}, scan_id=following)
    ask("GET", "/scans/{scan_id}/sitting", scan_id=following)
    token = sitting["parties"][0]["join"].rpartition("/")[2]
    phone = ask("POST", "/seats/{token}/join", token=token)["phone"]
    ask("POST", "/sittings/{sitting_id}/start", sitting_id=sitting["id"])
    headers = {"X-Phone": phone}
    ask("PUT", "/seats/{token}/order", {"order": None}, headers=headers, token=token)
    ask("GET", "/seats/{token}", headers=headers, token=token)
    ask("GET", "/seats/{token}/round", token=token)
    live = ask("POST", "/live", {})["id"]
    ask("GET", "/live/{live_id}", live_id=live)


def test_a_round_that_is_not_read_has_the_same_fields(client, told):
    reply = client.post("/api/v1/scans", files={"photo": picture(seed=7)}).json()
    read = client.get("/api/v1/scans").json()["scans"]
    assert len(read) > 1
    assert all(set(one) == set(reply) for one in read)
    assert set(told["components"]["schemas"]["RoundReply"]["required"]) == set(reply)


def test_lists_lead_to_their_next_part(client):
    for k in range(3):
        send(client, picture(seed=70 + k))
        client.post("/api/v1/evenings", json={"name": str(k)})
        client.post("/api/v1/careers", json={"game": "conflit-stellaire", "name": str(k)})
    for name in ("scans", "evenings", "careers"):
        whole = client.get(f"/api/v1/{name}?limit=60").json()
        assert whole["links"] == {"next": None}
        found, address = [], f"/api/v1/{name}?limit=2"
        while address is not None:
            part = client.get(address).json()
            assert len(part[name]) <= 2
            found += [one["id"] for one in part[name]]
            address = part["links"]["next"]
        assert found == [one["id"] for one in whole[name]]
        assert len(found) > 2
