"""A board game over an evening, over HTTP: what was set up wrong, and the coach."""

import json

import pytest
from sqlalchemy import select

from tests.apps.web_help import picture
from vision.apps.server.storage.tables import scans
from vision.texts import LANGUAGES

FIRST = "game laser-shield\norange b3 s\norange b1 w\nblue d3 s\n"
ORDERS = {"orange": "fire b3>c3", "blue": None}


@pytest.fixture
def evening(client):
    return client.post("/api/v1/evenings", json={"name": "Friday"}).json()["id"]


def lay(client, text, evening=None):
    """Make a round of a table and return its address."""
    made = client.post("/api/v1/tables", content=text)
    assert made.status_code == 201, made.text
    path = f"/api/v1/scans/{made.json()['id']}"
    if evening is not None:
        assert client.patch(path, json={"evening": evening}).status_code == 200
    return path


def order(client, path, orders=None):
    change = {"kind": "orders", "orders": orders or ORDERS}
    reply = client.post(f"{path}/edits", json={"change": change})
    assert reply.status_code == 200, reply.text
    return reply.json()


def issues(client, path):
    return client.get(f"{path}/round").json()["issues"]


def test_a_pawn_that_was_set_up_wrong_is_told_and_corrected(client, evening):
    first = lay(client, FIRST, evening)
    order(client, first)  # blue-1 is thrown to e3, orange-2 dies
    second = lay(client, "game laser-shield\norange-1 b3 s\nblue-1 e4 s\n", evening)
    (told,) = issues(client, second)
    assert (told["code"], told["cards"], told["severity"]) == ("set_up_wrong", ["blue-1"], "doubt")
    assert "the last phase left it on e3" in told["words"]["en"]
    assert "la dernière phase l'a laissé en e3" in told["words"]["fr"]
    put = {"kind": "place", "piece": "blue-1", "square": "e3", "heading": "s"}
    client.post(f"{second}/edits", json={"change": put})
    assert issues(client, second) == []


def test_it_is_asked_of_both_rounds_as_they_stand(client, evening):
    """Orders that come later change what is expected; rounds of no evening follow nothing."""
    first = lay(client, FIRST, evening)
    second = lay(client, FIRST, evening)
    assert issues(client, second) == []  # without orders nothing has changed
    order(client, first)
    assert {one["code"] for one in issues(client, second)} == {"set_up_wrong", "set_up_extra"}
    assert issues(client, lay(client, FIRST)) == []


def test_a_position_without_orders_is_in_no_sum_until_they_are_given(client, evening):
    """Its pawns are no result: 2 : 1 stood in the sums before anybody had ordered."""
    path = lay(client, FIRST, evening)

    def told():
        body = client.get(f"/api/v1/evenings/{evening}").json()
        (game,), (only,) = body["games"], body["rounds"]
        assert game["unordered"] == body["unordered"] == ([only["id"]] if only["unordered"] else [])
        return only["unordered"], body["totals"], game["totals"]

    assert told() == (True, {}, {})
    order(client, path)
    is_waiting, totals, of_game = told()
    assert (is_waiting, set(totals)) == (False, {"orange", "blue"})
    assert totals == of_game
    client.post(f"{path}/undo", json={})
    assert told() == (True, {}, {})
    won = lay(client, "game laser-shield\norange b3 s\n", evening)  # nobody is left to order
    assert client.get(won).json()["unordered"] is False


def test_after_the_end_another_game_begins(client, evening):
    first = lay(client, "game laser-shield\norange b1 s\nblue c1 n\n", evening)
    order(client, first, {"orange": "fire b1>c1", "blue": None})
    (told,) = issues(client, lay(client, FIRST, evening))
    assert (told["code"], told["severity"]) == ("game_over", "note")


def test_the_coach_speaks_when_all_have_ordered(client):
    path = lay(client, "game laser-shield\norange b1 s\nblue c1 n\nblue d4 n\n")
    assert client.get(f"{path}/round").json()["has_coach"] is True
    early = client.get(f"{path}/coach")
    assert (early.status_code, early.json()["code"]) == (409, "orders_missing")
    order(client, path, {"blue": "move c1-c2"})
    half = client.get(f"{path}/coach")
    assert half.status_code == 409
    assert "still missing: orange" in half.json()["detail"]
    assert "fire" not in half.text
    order(client, path, {"orange": None})
    advice = client.get(f"{path}/coach").json()["advice"]
    first = advice[0]
    assert (first["side"], first["kind"], first["order"]) == ("orange", "kills", "fire b1>c1")
    assert set(first["said"]) == set(LANGUAGES)


def test_a_game_without_a_coach(client):
    path = lay(
        client,
        "game conflit-stellaire\nseat A hull 20\nseat B hull 20\n"
        "A a1 twin-laser\ndistance A B 3\nturn A\n",
    )
    assert client.get(f"{path}/coach").status_code == 404
    assert client.get(f"{path}/round").json()["has_coach"] is False


def test_the_coach_of_light_speed_says_what_a_small_move_was_worth(client):
    path = lay(client, "red Moth @0,0 0deg\nblue Moth @20,-250 0deg\n")
    advice = client.get(f"{path}/coach").json()["advice"]
    assert {one["side"] for one in advice} <= {"red", "blue"}
    assert {"turn", "push"} & {one["kind"] for one in advice}
    assert all(set(one["said"]) == set(LANGUAGES) for one in advice)


def table_rules(client, evening, **asked):
    """Send a photo into an evening; return what it will be read as."""
    query = {"evening": evening, **asked}
    sent = client.post(
        "/api/v1/scans", params=query, content=picture(), headers={"Content-Type": "image/jpeg"}
    )
    assert sent.status_code in (200, 202), sent.text
    database = client.app.state.services.storage.records.database
    query = select(scans.c.deck, scans.c.game, scans.c.rules)
    with database.read() as connection:
        row = connection.execute(query.where(scans.c.id == sent.json()["id"])).one()
    return row.deck, row.game, json.loads(row.rules)


def test_what_an_evening_plays_counts_for_photos_that_say_nothing_else(client, evening):
    path = f"/api/v1/evenings/{evening}"
    played = client.patch(path, json={"deck": "laser-shield", "rules": {"doors": "c2-d3"}})
    assert played.status_code == 200, played.text
    assert (played.json()["deck"], played.json()["rules"]["doors"]) == ("laser-shield", "c2-d3")
    deck, game, rules = table_rules(client, evening)
    assert (deck, rules["doors"]) == ("laser-shield", "c2-d3")
    assert game in (None, "laser-shield")  # found out: that is asked first
    assert table_rules(client, evening, rule="doors=b2-e3")[2]["doors"] == "b2-e3"
    other = table_rules(client, evening, deck="light-speed")
    assert other[:2] == ("light-speed", "light-speed")
    assert "doors" not in other[2]


def test_a_name_leaves_what_is_played_and_nonsense_changes_nothing(client, evening):
    path = f"/api/v1/evenings/{evening}"
    said = client.patch(path, json={"game": "light-speed", "rules": {"piracy": True}}).json()
    assert client.patch(path, json={"name": "Saturday"}).json() == {**said, "name": "Saturday"}
    for nonsense in ({"deck": "no such"}, {"rules": {"doors": "c2-d3"}}, {"rules": {"piracy": 7}}):
        refused = client.patch(path, json=nonsense)
        assert refused.status_code in (404, 422), refused.text
        assert client.get(path).json()["rules"] == said["rules"]


def test_the_coach_maps_where_a_ship_would_have_scored_best(client):
    path = lay(client, "red Moth @0,0 0deg\nblue Moth @20,-250 0deg\n")
    told = client.get(f"{path}/coach").json()
    assert {one["piece"] for one in told["maps"]} == {"red-moth", "blue-moth"}
    assert all(set(one["title"]) == set(LANGUAGES) for one in told["maps"])
    for one in told["advice"]:
        assert len(one["outline_px"]) == (0 if one["kind"] == "own_fire" else 4)
        heat = client.get(f"{path}/coach/{one['piece']}").json()
        assert heat["most"] == max(cell["worth"] for cell in heat["cells"])
        assert all(cell["worth"] > 0 and len(cell["outline_px"]) == 4 for cell in heat["cells"])
        assert len(heat["best_px"]) == 4
    assert client.get(f"{path}/coach/red-viper").status_code == 404


def test_an_evening_is_coached_by_its_rounds(client, evening):
    first = lay(client, "red Moth @0,0 0deg\nblue Moth @20,-250 0deg\n", evening)
    lay(client, "red Moth @0,0 0deg\nblue Moth @30,-250 0deg\nblue viper @0,300 0deg\n", evening)
    told = client.get(f"/api/v1/evenings/{evening}/coach").json()["advice"]
    sides = {one["side"] for one in told}
    assert "blue" in sides
    for side in sides:
        mine = [one for one in told if one["side"] == side]
        assert len(mine) <= 3
        worth = [one["worth"] for one in mine]
        assert worth == sorted(worth, reverse=True)
    assert {one["round"]["number"] for one in told} <= {1, 2}
    own = client.get(f"{first}/coach").json()["advice"]
    best = max(one["worth"] for one in own if one["side"] == "blue")
    assert max(one["worth"] for one in told if one["side"] == "blue") >= best
