"""Orders that are filled in on sheets over HTTP: sealed on phones, or shown by the photo."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apps.test_web_secret import Table, ask, lay, replies
from tests.games.asteroyds_capture.turns import random_program
from vision.games.asteroyds_capture.notation import format_program

START = "game asteroyds-capture\nlayout 2v2\ndice red 3 white 5\n"
SHIPS = ("red-1", "red-2", "white-1", "white-2")


SERVER = {"reveal_seconds": 1e6}


class Game(Table):
    """A table of ships; what is played are programmes."""

    def played(self):
        table = self.get(f"/scans/{self.scan}/table.json")
        return {ship: one["columns"] for ship, one in table["programs"].items()}


def test_four_players_fill_in_their_sheets_and_all_are_revealed_and_played(client):
    game = Game(client, START)
    game.join(*SHIPS)
    columns = game.post(f"/seats/{game.token('red-1')}/sheet", {"order": None})["sheet"]
    assert [column["id"] for column in columns] == [*"123456", "rounds", "mode"]
    assert [pick["said"] for pick in columns[0]["picks"]][:2] == ["forward", "left"]
    filled = {column["id"]: column["chosen"] for column in columns}
    filled |= {"1": ["forward"], "3": ["fire"], "mode": ["shield"], "rounds": ["2"]}
    said = game.post(f"/seats/{game.token('red-1')}/read", {"order": filled})
    assert (said["order"], said["said"]) == ("F - X shield 2", "F – X shield 2")
    game.give("red-1", filled)
    again = game.post(f"/seats/{game.token('red-1')}/sheet", {"order": "F - X shield 2"})
    assert {one["id"]: one["chosen"] for one in again["sheet"]} == filled
    game.give("red-2", "F F")
    game.give("white-1", None)
    assert game.state == "open"
    game.give("white-2", {"columns": ["back", None], "mode": None, "rounds": []})
    assert game.state == "over"
    assert game.played()["red-1"] == ["forward", None, "fire", None, None, None]
    view = game.get(f"/seats/{game.token('red-1')}/round")
    assert [one["order"] for one in view["orders"]] == ["F - X shield 2", "F F", None, "U"]
    assert len(view["ledger"]["fr"]["steps"]) == 6


def test_who_gives_none_has_an_empty_sheet_when_the_time_is_over(client):
    game = Game(client, START)
    game.join(*SHIPS)
    game.give("white-1", "X")
    game.now += 60
    assert game.house.orders.reveal_due()
    assert {ship for ship, columns in game.played().items() if any(columns)} == {"white-1"}
    assert set(game.played()) == set(SHIPS)
    assert client.get(f"/api/v1/scans/{game.scan}/coach").status_code == 200


# --- paper and phones ----------------------------------------------------------------------------

PAPER = "plan red 1 F L X\nplan white 2 U fire 1\nplan red 2\n"


def test_whose_sheet_the_photo_shows_need_not_type(client):
    game = Game(client, START + PAPER)
    assert set(game.tokens) == {"red-2", "white-1"}  # an empty sheet is still to be filled in
    game.join("red-2", "white-1")
    assert game.seat("red-2")["state"] == "open"
    game.give("red-2", "F F F")
    game.give("white-1", "R")
    assert game.state == "over"
    told = {ship: [a for a in columns if a] for ship, columns in game.played().items()}
    assert told == {
        "red-1": ["forward", "left", "fire"],
        "red-2": ["forward", "forward", "forward"],
        "white-1": ["right"],
        "white-2": ["back"],
    }


def test_who_types_nothing_leaves_the_paper_of_others_as_it_was(client):
    game = Game(client, START + PAPER)
    game.join("red-2")
    game.post(f"/sittings/{game.id}/start")
    game.now += 60
    assert game.house.orders.reveal_due()
    assert any(game.played()["red-1"])
    assert not any(game.played()["red-2"])


def test_phones_are_told_nothing_of_what_lies_on_paper_until_all_is_revealed(client):
    told = []
    for paper in (PAPER, PAPER.replace("F L X", "X P120 shield 3").replace("U fire 1", "F")):
        game = Game(client, START + "rule pilots=true\n" + paper)
        game.join("red-2", "white-1")
        view = game.get(f"/seats/{game.token('red-2')}/round")
        assert view["headline"]["words"]["en"].startswith("Orders are being given")
        assert not any(step["events"] for step in view["ledger"]["en"]["steps"])  # as yet unplayed
        own = {"id", "created", "created_at", "name", "revision"}
        told.append({key: value for key, value in view.items() if key not in own})
        game.give("red-2", "F")
        game.give("white-1", "F")
        after = game.get(f"/seats/{game.token('red-2')}/round")
        assert after["orders"][0]["order"] in ("F L X", "X P120 shield 3")
    assert told[0] == told[1]
    assert all(one["order"] is None for one in told[0]["orders"])


# --- silence -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sealed(client):
    """A table at which orders are given and none is revealed; a round shared by a link."""
    game = Game(client, START)
    game.share = game.post(f"/scans/{game.scan}/shares", status=201)["token"]
    game.join(*SHIPS)
    return game


def test_no_reply_to_anybody_else_depends_on_a_programme(sealed):
    seen = []
    for order in ("F F L R U X shield 6", None, {"1": ["left"], "mode": ["fire"]}):
        sealed.give("white-1", order)
        seen.append(replies(sealed, "white-1", SHIPS))
        assert sealed.state == "open"
    assert len(seen[0]) > 60
    assert any(url.endswith("/sheet") for _, url, _ in seen[0])
    for told in seen[1:]:
        for key, reply in told.items():
            assert reply == seen[0][key], key


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 10_000))
def test_whatever_the_programme_is_others_and_the_table_are_told_the_same(sealed, seed):
    program = random_program(random.Random(seed), "mhand")
    sealed.give("white-1", format_program(program) or None)
    token, scan = sealed.token("red-2"), sealed.scan
    paths = (
        *(f"seats/{token}", f"seats/{token}/round", f"seats/{sealed.token('white-1')}"),
        *(f"scans/{scan}/sitting", f"scans/{scan}/round", f"scans/{scan}/resolution.json"),
    )
    seen = [ask(sealed.client, "GET", f"/api/v1/{p}", sealed.phones["red-2"]) for p in paths]
    assert all(status == 200 for status, *_ in seen)
    first = sealed.__dict__.setdefault("first", seen)
    assert seen == first


# --- hands, the evening, the coach ---------------------------------------------------------------


def test_dice_and_what_is_carried_are_set_by_taps_and_pieces_by_hand(client):
    scan = lay(client, START)

    def post(change):
        reply = client.post(f"/api/v1/scans/{scan}/edits", json={"change": change})
        assert reply.status_code == 200, reply.text
        return reply.json()

    view = client.get(f"/api/v1/scans/{scan}/round").json()
    settings = {one["id"]: one for one in view["settings"]}
    assert settings["red-die"]["name"] == {"en": "the red die", "fr": "le dé rouge"}
    assert settings["red-die"]["chosen"] == 2
    view = post(settings["red-die"]["choices"][5]["change"])
    assert {one["id"]: one["chosen"] for one in view["settings"]}["red-die"] == 5
    ship = next(one for one in view["hands"]["pieces"] if one["id"] == "red-1")
    moved = {"x_mm": ship["x_mm"], "y_mm": ship["y_mm"] - 38, "theta_deg": 60}
    post({"kind": "move", "piece": "red-1", **moved})
    table = client.get(f"/api/v1/scans/{scan}/table.json").json()
    assert {"piece": "red-1", "cell": "d3", "heading_deg": 60} in table["pieces"]
    assert table["dice"]["red"] == 6


def test_the_score_goes_on_through_an_evening_and_is_not_added_up(client):
    evening = client.post("/api/v1/evenings", json={"name": "Friday"}).json()["id"]

    def turn(text):
        reply = client.post("/api/v1/tables", params={"evening": evening}, content=text)
        return reply.json()["id"]

    home = "white asteroyd on red 1; red 1 @e4 180; plan red 1 F\n"
    home += "plan red 2 -; plan white 1 -; plan white 2 -\n"
    first = turn(START + home)
    second = turn(START + "white asteroyd @g5\n")  # set up again, otherwise than it was left
    view = client.get(f"/api/v1/scans/{second}/round").json()
    assert view["can_undo"]
    assert view["ledger"]["en"]["opening"]["scores"]["red"]["total"] == 1
    assert {"set_up_elsewhere"} == {
        one["code"] for one in view["issues"] if one["code"].startswith("set_up")
    }
    third = turn(START + "score red 2\n" + home)
    told = client.get(f"/api/v1/evenings/{evening}").json()
    assert told["unordered"] == [second]  # a position: nobody has ordered
    assert told["open"] == [third]  # set up otherwise than it was left
    assert [one["totals"]["red"] for one in told["rounds"]] == [1, 1, 1]
    assert told["wins"] == {}  # nobody has won yet: the third round is open
    turn(START + home)  # another game: as it was read, the third round ended the first
    told = client.get(f"/api/v1/evenings/{evening}").json()
    assert told["totals"]["red"] == 2
    issues = client.get(f"/api/v1/scans/{third}/round").json()["issues"]
    assert "set_up_score" in [one["code"] for one in issues]
    assert client.get(f"/api/v1/scans/{first}/next.png").status_code == 200


def test_the_coach_waits_until_all_have_programmed(client):
    scan = lay(client, START + "red 1 @h3 180; red 2 @h4 180; white asteroyd on red 1\n")
    assert client.get(f"/api/v1/scans/{scan}/coach").status_code == 409
    orders = {"red-1": "F", "red-2": "F R", "white-1": "- X", "white-2": None}
    change = {"kind": "orders", "orders": orders}
    client.post(f"/api/v1/scans/{scan}/edits", json={"change": change})
    reply = client.get(f"/api/v1/scans/{scan}/coach")
    assert reply.status_code == 200
    assert reply.json()["advice"]
    assert "column" in json.dumps(reply.json()["advice"][0]["said"]["en"])
