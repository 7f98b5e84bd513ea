"""What the API says of its replies is so: their form, their examples, the lists' next parts."""

from datetime import datetime
from typing import Any

import pytest
from jsonschema_rs import validator_for

from tests.apps.web_help import client_of, picture, send

LASER = "game laser-shield\nstart\norder orange fire c1>d2\norder blue fire f2>e3\n"
BOARD = "game asteroyds-capture\nlayout 2v2\n"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("replies")
    with client_of(folder, decks=folder / "decks") as client:
        yield client


@pytest.fixture(scope="module")
def told(client) -> dict[str, Any]:
    return client.get("/api/v1/openapi.json").json()


def forms(told: dict[str, Any]):
    """Yield every reply in JSON: its place, status and content."""
    for path, ways in told["paths"].items():
        for verb, way in ways.items():
            for status, reply in way["responses"].items():
                if "application/json" in reply.get("content", {}):
                    yield f"{verb} {path}", int(status), reply["content"]["application/json"]


def checked(told: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    whole = {"components": told["components"], **schema}
    return [f"{e.instance_path}: {e.message}" for e in validator_for(whole).iter_errors(value)]


def test_every_reply_is_typed_and_has_an_example_of_its_form(told):
    plain = {"get /healthz", "get /metrics"}  # a word, and no JSON
    for place, status, content in forms(told):
        schema = content["schema"]
        assert "$ref" in schema or place in plain, (place, status)
        if place not in plain and "$ref" in schema:
            assert not checked(told, schema, content["example"]), (place, status)


def test_clients_call_every_route_by_a_name_of_its_own(told):
    names = [way["operationId"] for ways in told["paths"].values() for way in ways.values()]
    assert len(set(names)) == len(names)
    assert "send_photo" in names


class Asked:
    """Asks, and holds each reply against what the description says of it."""

    def __init__(self, client, told):
        self.client, self.told, self.seen = client, told, set()

    def __call__(self, verb, template, json=None, content=None, headers=None, **parts):
        path = "/api/v1" + template.format(**parts)
        reply = self.client.request(verb, path, json=json, content=content, headers=headers)
        plain = template.partition("?")[0]
        way = self.told["paths"]["/api/v1" + plain][verb.lower()]
        body = reply.json()
        assert reply.status_code < 300, (path, body)
        schema = way["responses"][str(reply.status_code)]["content"]["application/json"]["schema"]
        assert not checked(self.told, schema, body), path
        self.seen.add((verb, template))
        return body


def test_replies_have_the_form_that_is_described(client, told):
    ask = Asked(client, told)
    sent = send(client, picture())
    schema = told["paths"]["/api/v1/scans"]["post"]["responses"]["200"]["content"]
    assert not checked(told, schema["application/json"]["schema"], sent.json())
    scan = sent.json()["id"]
    evening = ask("POST", "/evenings", {"name": "Friday"})["id"]
    ask("PATCH", "/scans/{scan_id}", {"evening": evening}, scan_id=scan)
    one = ask("GET", "/scans/{scan_id}", scan_id=scan)
    (listed,) = ask("GET", "/scans")["scans"]
    assert listed == one  # one shape, in a list and by itself
    assert one["number"] == 1
    of_evening = ask("GET", "/evenings/{evening_id}", evening_id=evening)["rounds"][0]
    assert {k: v for k, v in of_evening.items() if k in one} == one
    assert datetime.fromisoformat(one["created_at"]).timestamp() == pytest.approx(
        one["created"], abs=1e-3
    )
    view = ask("GET", "/scans/{scan_id}/round", scan_id=scan)
    events = [e for step in view["ledger"]["en"]["steps"] for e in step["events"]]
    event = next(e["id"] for e in events if e["choices"])
    ask("GET", "/scans/{scan_id}/rulings/{event_id}", scan_id=scan, event_id=event)
    change = {"kind": "remove", "id": view["cards"][0]["id"]}
    ask("POST", "/scans/{scan_id}/edits", {"change": change}, scan_id=scan)
    ask("GET", "/scans/{scan_id}/edits", scan_id=scan)
    ask("POST", "/scans/{scan_id}/undo", {}, scan_id=scan)
    for document in ("scan", "table", "resolution"):
        reply = client.get(f"/api/v1/scans/{scan}/{document}.json").json()
        assert reply["schema"] == f"sightline/{document}@1"
    ask("POST", "/scans/{scan_id}/shares", {}, scan_id=scan)
    ask("GET", "/scans/{scan_id}/shares", scan_id=scan)
    career = ask("POST", "/careers", {"game": "conflit-stellaire", "name": "Ann"})["id"]
    seats = {"game": "conflit-stellaire", "seats": {"A": career}}
    ask("PUT", "/evenings/{evening_id}/careers", seats, evening_id=evening)
    ask("POST", "/careers/{career_id}/points", {"points": 5}, career_id=career)
    for listing in ("/careers", "/evenings", "/decks", "/games", "/drafts", "/about", "/live"):
        ask("GET", listing)


def test_replies_of_games_by_orders_have_the_form_that_is_described(client, told):
    ask = Asked(client, told)
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
    assert all(set(one) == set(reply) for one in read)


@pytest.mark.parametrize(("listing", "name"), [("scans", "scans"), ("evenings", "evenings")])
def test_lists_lead_to_their_next_part(client, listing, name):
    if listing == "scans":
        for _ in range(3):
            client.post("/api/v1/tables", content=LASER)
    else:
        for k in range(3):
            client.post("/api/v1/evenings", json={"name": str(k)})
    whole = [one["id"] for one in client.get(f"/api/v1/{listing}?limit=200").json()[name]]
    found, address = [], f"/api/v1/{listing}?limit=2"
    while address is not None:
        part = client.get(address).json()
        assert len(part[name]) <= 2
        found += [one["id"] for one in part[name]]
        address = part["next"]
    assert found == whole
