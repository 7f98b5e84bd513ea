"""Replies have the form that the description says, and a round one form wherever it is told."""

from datetime import datetime

import pytest

from tests.apps.web_help import client_of, picture, send
from vision.apps.server.routes import replies
from vision.errors import DeckError

TYPED = "red moth @0,0 0deg\nblue ghost @5,-300 0deg\n"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with client_of(tmp_path_factory.mktemp("replies")) as client:
        yield client


@pytest.fixture(scope="module")
def evening(client):
    """An evening with a round that was typed, a photo, and the same photo again."""
    made = client.post("/api/v1/evenings", json={"name": "Replies"})
    replies.EveningModel.model_validate(made.json())
    evening = made.json()["id"]
    client.post("/api/v1/tables", params={"evening": evening}, content=TYPED)
    for _ in range(2):
        told = send(client, picture(seed=91), evening=evening).json()
        replies.ScanStateModel.model_validate(told)
    return evening


def test_a_round_is_told_alike_in_lists_and_by_itself(client, evening):
    table = client.get(f"/api/v1/evenings/{evening}").json()
    replies.TableModel.model_validate(table)
    listed = client.get("/api/v1/scans", params={"evening": evening}).json()
    replies.RoundsModel.model_validate(listed)
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
    replies.EveningsModel.model_validate(client.get("/api/v1/evenings").json())


def test_a_round_that_cannot_be_played_any_more_says_why_and_hides_no_other(
    client, evening, monkeypatch
):
    rounds = client.app.state.services.desk.rounds
    before = client.get("/api/v1/scans", params={"evening": evening}).json()["scans"]
    lost, summary = before[-1]["id"], rounds.summary

    def without(scan):
        if scan.id == lost:
            raise DeckError("there is no such deck any more")
        return summary(scan)

    monkeypatch.setattr(rounds, "summary", without)
    after = client.get("/api/v1/scans", params={"evening": evening}).json()
    replies.RoundsModel.model_validate(after)
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


def test_what_is_told_of_rounds_is_typed_with_an_example(client):
    told = client.get("/api/v1/openapi.json").json()
    for path, way in (
        ("/api/v1/scans", "get"),
        ("/api/v1/scans", "post"),
        ("/api/v1/scans/{scan_id}", "get"),
        ("/api/v1/evenings", "post"),
        ("/api/v1/evenings/{evening_id}", "get"),
    ):
        ways = told["paths"][path][way]["responses"]
        (good,) = {s for s in ways if s.startswith("2")} - {"202"}
        name = ways[good]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        assert told["components"]["schemas"][name]["properties"]
    for name in ("ScanStateModel", "RoundModel", "EveningModel"):
        (example,) = told["components"]["schemas"][name]["examples"]
        getattr(replies, name).model_validate(example)
