"""Secret orders over HTTP: sealed until all are in or the time is over, then revealed and played.

The heart is silence: whatever the order of one player is, no reply to anybody else differs by a
byte before the reveal.
"""

import asyncio
import json
import logging
import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apps.web_help import client_of, picture, post, send
from vision.apps.server.routes.orders import sitting_events
from vision.games.laser_shield.board import SQUARES

START = "game laser-shield\nstart\n"
ORDERS = (  # legal ones, lost ones, none; long and short, as text and as JSON
    "fire d4>c3",
    "move d4-d3-c3-b3 left",
    "move e4-e3",
    "move e4-e3 right",
    "fire d4>d3",
    "turn d4 left",
    "move a1-b1",
    "pass",
    None,
    {"action": "move", "path": ["d4", "d3"], "turn": "left"},
    {"action": "fire", "from": "e4", "to": "d4"},
)


class Table:
    """A table with its players, and a clock that stands until it is moved."""

    begun = 2e9  # each later than those before, and than the clock of the machine

    def __init__(self, client, position=START, seconds=60.0, now=None):
        Table.begun += 1000.0
        self.client, self.now = client, now or Table.begun
        self.house = client.app.state.services
        self.house.orders.clock = lambda: self.now
        self.scan = lay(client, position)
        self.sitting = self.post(f"/scans/{self.scan}/sitting", {"seconds": seconds}, 201)
        self.id = self.sitting["id"]
        self.phones: dict[str, str] = {}
        self.look()

    def post(self, path, body=None, status=200):
        return post(self.client, path, body, status)

    def get(self, path, **headers):
        reply = self.client.get(f"/api/v1{path}", headers=headers)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def token(self, party):
        return self.tokens[party]

    def look(self):
        """Note the addresses that the table shows."""
        told = self.get(f"/scans/{self.scan}/sitting")["sitting"]["parties"]
        self.tokens = {one["id"]: one["join"].rpartition("/")[2] for one in told}

    def join(self, *parties):
        for party in parties:
            told = self.post(f"/seats/{self.token(party)}/join")
            self.phones[party] = told["phone"]

    def give(self, party, order, status=200, phone=None):
        reply = self.client.put(
            f"/api/v1/seats/{self.token(party)}/order",
            json={"order": order},
            headers={"X-Phone": phone or self.phones[party]},
        )
        assert reply.status_code == status, reply.text
        return reply.json()

    def seat(self, party, phone=None):
        phone = self.phones[party] if phone is None else phone
        return self.get(f"/seats/{self.token(party)}", **{"X-Phone": phone})

    @property
    def state(self):
        return self.get(f"/scans/{self.scan}/sitting")["sitting"]["state"]

    def played(self):
        return self.get(f"/scans/{self.scan}/resolution.json")["orders"]


def lay(client, position=START):
    reply = client.post("/api/v1/tables", content=position)
    assert reply.status_code == 201, reply.text
    return reply.json()["id"]


SERVER = {"reveal_seconds": 1e6}


@pytest.fixture
def table(client):
    made = Table(client)
    made.join("orange", "blue")
    return made


# --- how it goes -----------------------------------------------------------------------------


def test_players_join_order_and_all_is_revealed_and_played(client):
    table = Table(client)
    told = table.sitting
    assert (told["state"], told["left_s"]) == ("gathering", None)
    assert [(one["id"], one["name"]["fr"], one["phones"]) for one in told["parties"]] == [
        ("orange", "orange", 0),
        ("blue", "bleu", 0),
    ]
    table.join("orange")
    table.give("orange", "fire b1>c1", 409)
    assert table.state == "gathering"
    table.join("blue")
    assert table.seat("blue")["left_s"] == 60.0
    table.now += 12.5
    assert table.seat("orange")["left_s"] == 47.5
    mine = table.give("orange", "fire b1>b2")
    assert mine["order"]["order"] == "fire b1>b2"
    assert mine["order"]["warning"] is not None  # told to who gives it, and taken
    assert table.give("orange", "move b1-c2 left")["order"]["warning"] is None
    assert [one["in"] for one in table.seat("blue")["parties"]] == [True, False]
    assert table.state == "open"
    table.give("blue", {"action": "move", "path": ["d4", "d3"], "turn": "left"})
    assert table.state == "over"
    assert table.played() == {"orange": "move b1-c2 left", "blue": "move d4-d3 left"}
    view = table.get(f"/seats/{table.token('orange')}/round")
    assert [one["order"] for one in view["orders"]] == ["move b1-c2 left", "move d4-d3 left"]
    assert view["ledger"]["en"]["steps"]
    (entry,) = table.get(f"/scans/{table.scan}/edits")["edits"]
    assert entry["kind"] == "orders"
    table.give("blue", "pass", 409)


def test_who_gives_none_passes_when_the_time_is_over_and_late_orders_are_refused(table):
    table.give("blue", "fire d4>c3")
    table.now += 59.9
    assert not table.house.orders.reveal_due()
    table.now += 0.1
    refused = table.give("orange", "fire c1>d2", 409)
    assert (refused["code"], "time is up" in refused["detail"]) == ("orders_late", True)
    assert table.state == "open"
    assert table.house.orders.reveal_due()
    assert table.state == "over"
    assert table.played() == {"orange": None, "blue": "fire d4>c3"}


def test_the_table_starts_the_clock_without_those_who_do_not_come(client):
    table = Table(client)
    table.join("blue")
    assert table.post(f"/sittings/{table.id}/start")["state"] == "open"
    table.post(f"/sittings/{table.id}/start", status=409)
    table.give("blue", "fire d4>c3")
    table.now += 60
    assert table.house.orders.reveal_due()
    assert table.played() == {"orange": None, "blue": "fire d4>c3"}


def test_what_cannot_be_read_is_refused_in_words_and_what_stood_stays(table):
    table.give("blue", "fire d4>c3")
    refused = table.give("blue", "shoot them all", 422)
    assert "needed one like" in refused["detail"]
    for odd in (7, [], {"action": "move"}, {"action": ["fire"]}, {}):
        assert table.give("blue", odd, 422)["detail"]
    assert table.seat("blue")["order"]["order"] == "fire d4>c3"


def test_where_illegal_orders_are_errors_they_are_refused_at_once(client):
    table = Table(client, START + "rule illegal=error\n")
    table.join("orange", "blue")
    assert "not in line" in table.give("blue", "fire d4>e4", 422)["detail"]
    assert [one["in"] for one in table.seat("orange")["parties"]] == [False, False]


def test_a_table_that_was_corrected_meanwhile_is_played_as_it_lies_then(client):
    table = Table(client, START + "rule illegal=error\n")
    table.join("orange", "blue")
    table.give("blue", "fire d4>c3")
    turned = {"kind": "place", "piece": "blue-1", "square": "d4", "heading": "s"}
    table.post(f"/scans/{table.scan}/edits", {"change": turned})
    table.give("orange", "fire b1>d2", 422)
    table.give("orange", "fire c1>d2")
    assert table.state == "over"
    assert table.played() == {"orange": "fire c1>d2", "blue": None}  # it is no order any more


def test_it_ends_without_its_orders_when_it_is_called_off(table):
    table.give("blue", "fire d4>c3")
    assert table.client.delete(f"/api/v1/sittings/{table.id}").status_code == 204
    assert table.seat("blue")["state"] == "off"
    assert table.seat("blue")["order"] is None
    assert table.get(f"/scans/{table.scan}/edits")["edits"] == []
    assert table.get(f"/scans/{table.scan}/sitting")["sitting"] is None
    assert table.client.delete(f"/api/v1/sittings/{table.id}").status_code == 409


def test_players_come_over_to_the_next_round_with_their_phones(table):
    tokens = table.tokens
    table.give("blue", None)
    table.give("orange", "move b1-b2")
    following = table.post(f"/scans/{table.scan}/next", status=201)["id"]
    former = table.get(f"/scans/{following}/sitting")["former"]
    assert former == table.id
    table.scan = following
    moved = table.post(f"/scans/{following}/sitting", {"former": former, "seconds": 30}, 201)
    assert (moved["id"], moved["state"], moved["seconds"]) == (table.id, "gathering", 30)
    table.look()
    assert table.tokens == tokens
    table.post(f"/sittings/{table.id}/start")
    assert table.seat("orange")["scan"] == following
    table.post(f"/scans/{following}/sitting", {"former": table.id}, 409)  # they play
    table.give("orange", "move b2-b3")
    table.give("blue", "pass")
    assert table.played() == {"orange": "move b2-b3", "blue": None}


def test_a_game_without_orders_has_no_players_to_seat(client):
    scan = send(client, picture(seed=3)).json()["id"]
    reply = client.post(f"/api/v1/scans/{scan}/sitting", json={})
    assert (reply.status_code, reply.json()["code"]) == (409, "no_orders")
    assert client.get(f"/api/v1/scans/{scan}/round").json()["orders"] is None
    for path in ("choices", "read"):
        reply = client.post(f"/api/v1/scans/{scan}/orders/red/{path}", json={"order": None})
        assert reply.status_code in (409, 422)


# --- phones ----------------------------------------------------------------------------------


def test_another_phone_at_a_seat_learns_that_there_is_an_order_and_not_which(table):
    first = table.phones["blue"]
    table.give("blue", "fire d4>c3")
    table.join("blue")
    second = table.phones["blue"]
    seen = table.seat("blue", second)
    assert (seen["mine"], seen["order"], seen["parties"][1]["phones"]) == ("elsewhere", None, 2)
    assert table.seat("orange")["parties"][1]["phones"] == 2  # so everyone is told
    assert table.seat("blue", first)["order"]["order"] == "fire d4>c3"
    table.give("blue", "fire e4>d4", phone=second)
    assert table.seat("blue", first)["mine"] == "elsewhere"
    assert table.seat("blue", second)["order"]["order"] == "fire e4>d4"
    table.give("orange", None)
    assert table.played()["blue"] == "fire e4>d4"  # the last one counts


def test_a_lost_phone_is_replaced_and_its_address_opens_nothing(table):
    old = table.token("blue")
    table.give("blue", "fire d4>c3")
    told = table.post(f"/sittings/{table.id}/seats/blue/renew")
    table.look()
    assert told["parties"][1]["phones"] == 0
    assert table.token("blue") != old
    for path in ("", "/round", "/photo.jpg", "/events"):
        assert table.client.get(f"/api/v1/seats/{old}{path}").status_code == 404
    put = table.client.put(f"/api/v1/seats/{old}/order", json={"order": None})
    assert (put.status_code, put.json()["code"]) == (404, "no_seat")
    assert table.seat("blue")["mine"] == "here"  # the same phone, come again by the new code
    assert table.seat("blue", "other")["mine"] == "elsewhere"
    table.give("orange", None)
    assert table.played()["blue"] == "fire d4>c3"  # it is not lost with the phone


def test_addresses_are_not_to_be_guessed_and_open_one_seat_each(table):
    tokens = {table.token(party) for party in ("orange", "blue")}
    assert len(tokens) == 2
    assert all(len(token) >= 24 for token in tokens)
    orange = json.dumps(table.seat("orange"))
    assert not any(token in orange for token in tokens)
    for token in ("x" * 24, "orange", table.id, table.scan):
        assert table.client.get(f"/api/v1/seats/{token}").status_code in (404, 422)
    code = table.client.get(f"/api/v1/sittings/{table.id}/seats/blue/qr.svg")
    assert code.headers["content-type"].startswith("image/svg")


def test_players_need_no_token_of_the_server_and_get_nothing_else(tmp_path):
    with client_of(tmp_path, token="house-token") as client:
        client.headers["Authorization"] = "Bearer house-token"
        table = Table(client)
        token = table.token("blue")
        del client.headers["Authorization"]
        get = lambda path: client.get(path, follow_redirects=False)  # noqa: E731
        assert get(f"/api/v1/seats/{token}").status_code == 200
        assert get(f"/api/v1/seats/{token}/round").status_code == 200
        assert get(f"/j/{token}").status_code == 200
        for path in (
            f"/api/v1/scans/{table.scan}/sitting",
            f"/api/v1/scans/{table.scan}/round",
            f"/api/v1/sittings/{table.id}/events",
            f"/api/v1/sittings/{table.id}/seats/orange/qr.svg",
        ):
            assert get(path).status_code == 401, path


# --- a server that starts again ------------------------------------------------------------------


def test_a_server_that_starts_again_knows_what_is_sealed(tmp_path):
    with client_of(tmp_path, reveal_seconds=1e6) as client:
        table = Table(client)
        table.join("orange", "blue")
        table.give("blue", "fire d4>c3")
        before = table.seat("blue")
    with client_of(tmp_path, reveal_seconds=1e6) as client:
        table.client, table.house = client, client.app.state.services
        table.house.orders.clock = lambda: table.now
        assert table.seat("blue") == before
        table.now += 59
        table.give("orange", "fire c1>d2")
        assert table.played() == {"orange": "fire c1>d2", "blue": "fire d4>c3"}


def test_what_ran_out_while_no_server_was_there_is_revealed_when_one_is(tmp_path):
    with client_of(tmp_path, reveal_seconds=1e6) as client:
        table = Table(client, seconds=5, now=1000.0)
        table.join("orange", "blue")
        table.give("blue", "fire d4>c3")
    with client_of(tmp_path, reveal_seconds=0.01) as client:  # by its own clock, long after
        table.client = client
        for _ in range(500):
            if table.state == "over":
                break
            time.sleep(0.02)
        assert table.played() == {"orange": None, "blue": "fire d4>c3"}


def test_one_sitting_that_cannot_be_revealed_does_not_hold_up_the_others(
    client, monkeypatch, caplog
):
    tables = [Table(client, now=3e9), Table(client, now=3e9)]
    for table in tables:
        table.join("orange", "blue")
        table.give("blue", "fire d4>c3")
    sealed = tables[0].house.orders
    sealed.clock = lambda: 3e9 + 61
    reveal = sealed.reveal

    def stumble(sitting_id):
        if sitting_id == tables[0].id:
            raise RuntimeError("fire d4>c3")
        return reveal(sitting_id)

    monkeypatch.setattr(sealed, "reveal", stumble)
    assert sealed.reveal_due()
    assert tables[1].played()["blue"] == "fire d4>c3"
    assert "RuntimeError" in caplog.text
    assert "d4>c3" not in caplog.text
    monkeypatch.setattr(sealed, "reveal", reveal)
    assert sealed.reveal_due()
    assert tables[0].played()["blue"] == "fire d4>c3"


# --- silence ---------------------------------------------------------------------------------


def read_only(client) -> list[tuple[str, str]]:
    """Return every route of the API that may speak of a round and changes nothing."""
    found = []
    for path, methods in client.app.openapi()["paths"].items():
        if "get" in methods and not path.endswith("/events"):  # streams have a test of their own
            found.append(("GET", path))
        if "post" in methods and path.endswith(("/choices", "/read", "/sheet")):
            found.append(("POST", path))
    return [one for one in found if not one[1].startswith(OTHER)]


OTHER = ("/api/v1/decks", "/api/v1/games", "/api/v1/live", "/api/v1/about", "/healthz", "/readyz")


def replies(
    table: Table, party: str, everyone=("orange", "blue")
) -> dict[tuple[str, ...], tuple[object, ...]]:
    """Ask for all there is: as the table, as another player, as another phone of the same side.

    No phone of the party's own is among those that ask.
    """
    other = next(one for one in everyone if one != party)
    fill = {"scan_id": table.scan, "sitting_id": table.id, "kind": "svg", "evening_id": "0" * 20}
    fill["piece"] = "blue-1"
    seats = [(table.token(other), table.phones[other]), ("x" * 24, table.phones[other])]
    seats += [(table.token(party), phone) for phone in ("", table.phones[other])]
    told = {}
    for method, path in read_only(table.client):
        tokens = seats if "/seats/{token}" in path else [(table.share, ""), ("x" * 24, "")]
        for (token, phone), who, document in product(tokens, everyone, DOCUMENTS):
            here = {**fill, "token": token, "party": who, "document": document}
            url = re.sub(r"\{(\w+)\}", lambda m, here=here: here.get(m[1], "none"), path)
            if (method, url, phone) not in told:
                told[method, url, phone] = ask(table.client, method, url, phone)
    return told


DOCUMENTS = ("scan", "table", "resolution")


def ask(client, method, url, phone):
    body = {"so_far": ""} if url.endswith("/choices") else {"order": "fire c1>d2"}
    named = {"X-Phone": phone, "X-Request-ID": "asked"}  # the one thing that differs each time
    reply = client.request(method, url, headers=named, json=body if method == "POST" else None)
    headers = {k: v for k, v in reply.headers.items() if k != "date"}
    return reply.status_code, headers, reply.content


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A table at which orders are given and none is revealed; a round shared by a link."""
    with client_of(tmp_path_factory.mktemp("sealed"), reveal_seconds=1e6) as client:
        table = Table(client)
        table.share = table.post(f"/scans/{table.scan}/shares", status=201)["token"]
        table.join("orange", "blue")
        yield table


def test_no_reply_to_anybody_else_depends_on_an_order(sealed, caplog):
    caplog.set_level(logging.DEBUG)
    seen = []
    for order in ORDERS[1::3]:  # a long one, a lost one, none, JSON; below there are all kinds
        sealed.give("blue", order)
        told = replies(sealed, "blue")
        seen.append(told)
        assert len(told) > 40
        spoken = json.dumps(order) if not isinstance(order, str) else order
        assert order is None or spoken not in caplog.text
        assert sealed.state == "open"
    for told in seen[1:]:
        for key, reply in told.items():
            assert reply == seen[0][key], key
    assert sum(status == 200 for status, *_ in seen[0].values()) > 30  # they did answer


squares = st.sampled_from(SQUARES)
any_order = st.one_of(
    st.none(),
    st.just("pass"),
    st.builds("fire {}>{}".format, squares, squares),
    st.builds("turn {} {}".format, squares, st.sampled_from(["left", "right"])),
    st.builds(
        lambda path, turn: f"move {'-'.join(path)} {turn}",
        st.lists(squares, min_size=2, max_size=5),
        st.sampled_from(["", "left", "right"]),
    ),
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(order=any_order)
def test_whatever_the_order_is_the_other_player_and_the_table_are_told_the_same(sealed, order):
    sealed.give("blue", order)
    token, scan = sealed.token("orange"), sealed.scan
    seen = [
        ask(sealed.client, "GET", path, sealed.phones["orange"])
        for path in (
            f"/api/v1/seats/{token}",
            f"/api/v1/seats/{token}/round",
            f"/api/v1/seats/{sealed.token('blue')}",
            f"/api/v1/scans/{scan}/sitting",
            f"/api/v1/scans/{scan}/round",
            f"/api/v1/scans/{scan}/edits",
            f"/api/v1/scans/{scan}/resolution.json",
        )
    ]
    first = sealed.__dict__.setdefault("first", seen)
    assert seen == first


def test_events_tell_that_an_order_came_and_nothing_of_it(sealed):
    house = sealed.house
    look = lambda: house.orders.public(house.orders.sitting(sealed.id))  # noqa: E731
    sealed.give("blue", ORDERS[1])  # that the first has come is told to all

    async def follow() -> list[str]:
        stream = sitting_events(house, look, is_lasting=True).body_iterator
        told = [await anext(stream)]
        for order in ORDERS:
            house.orders.give(sealed.token("blue"), order, "some phone", "en")
            house.sitting_news.ring()
            with pytest.raises(TimeoutError):  # changing one's mind is nobody's business
                told.append(await asyncio.wait_for(asyncio.shield(following(stream)), 0.05))
        return told

    waiting: list[asyncio.Task] = []

    def following(stream):
        if not waiting:
            waiting.append(asyncio.ensure_future(anext(stream)))
        return waiting[0]

    with ThreadPoolExecutor(1) as other:  # a browser's test may have left a loop in this thread
        (first,) = other.submit(lambda: asyncio.run(follow())).result()
    told = json.loads(first.partition("data: ")[2])
    assert [one["in"] for one in told["parties"]] == [False, True]
    assert set(told["parties"][0]) == {"id", "name", "side", "phones", "in"}


def test_the_one_who_gave_it_is_told_his_order_and_only_he(sealed):
    sealed.give("blue", "fire d4>c3")
    assert sealed.seat("blue")["order"]["said"] == "blue 1 on d4 fires at c3"
    for phone in ("", "x", sealed.phones["orange"]):
        assert sealed.seat("blue", phone)["order"] is None
    assert sealed.seat("orange", sealed.phones["blue"])["order"] is None
