"""Declarations and ripostes on phones: one after the other, each told what the rules tell.

Before the reveal nothing of a declaration shows at the table, and on the phones of those who answer
nothing but what the game lets them hear.
"""

import json
import re

import pytest

from tests.apps.test_web_secret import Table, ask, read_only

TABLE = """game conflit-stellaire
seat A hull 20
seat B hull 20
seat C hull 20
A a-e1 energy-cell
A a-e2 energy-cell
A a-e3 energy-cell
A a-e4 energy-cell
A a1 pulse-laser
A a2 hunter-missile face-down
A a3 thruster
A a4 main-engine
A a5 back
A a6 fighter face-down
B b1 screen
B b2 ir-jammer
B b3 point-defence
B b-e1 energy-cell
B b-e2 energy-cell
C c1 screen
C c-e1 energy-cell
distance A B 5
distance B C 5
distance A C 5
turn A
"""


SERVER = {"reveal_seconds": 1e6}


def begun(client) -> Table:
    table = Table(client, TABLE)
    table.share = table.post(f"/scans/{table.scan}/shares", status=201)["token"]
    table.join("A", "B", "C")
    return table


def heard(table, seat):
    return table.seat(seat)["heard"]


def test_who_answers_is_told_what_was_declared_and_the_clock_runs_anew(client):
    table = begun(client)
    assert table.seat("B")["turn"] == ["A"]
    refused = table.give("B", "jam b2", 409)
    assert (refused["code"], "others order first" in refused["detail"]) == ("orders_early", True)
    table.now += 50
    mine = table.give("A", "launch a2 at B; approach a3 at B")["order"]
    assert [line["said"] for line in mine["lines"]] == [
        "launches: Hunter (a2) → flagship B (4 points)",
        "approaches: Thruster (a3) → flagship B (1 point)",
    ]
    assert table.give("A", "pass", 409)["code"] == "orders_stand"
    assert (table.seat("B")["turn"], table.seat("B")["left_s"]) == (["B", "C"], 60.0)
    assert heard(table, "A") == []
    assert heard(table, "B") == [
        "A launches: a card face down (a2) → flagship B: 1 echo, for 4 points of energy",
        "A approaches → flagship B, for 1 point of energy",
        "guidance among the missiles aimed at you: infra-red",
    ]
    assert heard(table, "C") == [
        "A launches: a card face down (a2) → flagship B, for 4 points of energy",
        "A approaches → flagship B, for 1 point of energy",
    ]
    told = table.post(f"/seats/{table.token('B')}/choices", {"so_far": "intercept b3"})["choices"]
    assert [choice["piece"] for choice in told] == ["a2"]
    table.give("B", "intercept b3 at a2")
    table.give("C", None)
    assert table.state == "over"
    played = table.get(f"/scans/{table.scan}/resolution.json")
    assert [(e["card"], e["result"]) for e in played["ledger"]] == [("a2", "intercepted")]
    assert "Hunter" in json.dumps(table.get(f"/seats/{table.token('B')}/round")["ledger"]["en"])


def test_who_declares_nothing_in_time_is_answered_all_the_same(client):
    table = begun(client)
    table.now += 60
    assert table.house.orders.reveal_due()
    assert (table.state, heard(table, "B")) == ("open", ["A declares nothing"])
    table.give("B", [{"do": "approach", "cards": ["b1"], "target": "A"}])
    table.now += 59
    assert not table.house.orders.reveal_due()
    table.now += 1
    assert table.house.orders.reveal_due()
    assert table.state == "over"
    played = table.get(f"/scans/{table.scan}/table.json")
    assert (played["declarations"], len(played["ripostes"])) == ([], 1)
    issues = table.get(f"/scans/{table.scan}/resolution.json")["issues"]
    assert [issue["code"] for issue in issues] == ["wrong_kind"]


def test_the_players_go_on_to_the_next_commanders_turn(client):
    table = begun(client)
    for seat in ("A", "B", "C"):
        table.give(seat, "fire a1 at B" if seat == "A" else None)
    following = table.post(f"/scans/{table.scan}/next", status=201)["id"]
    former = table.get(f"/scans/{following}/sitting")["former"]
    moved = table.post(f"/scans/{following}/sitting", {"former": former}, 201)
    assert (moved["id"], moved["turn"]) == (table.id, ["B"])


# --- silence ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sealed(client):
    return begun(client)


def declared(table: Table, order) -> None:
    """Seat the players anew and let A declare."""
    table.sitting = table.post(f"/scans/{table.scan}/sitting", {"seconds": 60}, 201)
    table.id = table.sitting["id"]
    table.look()
    table.join("A", "B", "C")
    table.give("A", order)


def nameless(table: Table, told: list) -> str:
    """Return replies without the addresses that are drawn anew each time."""
    words = repr(told)
    for name in (table.id, *table.tokens.values()):
        words = words.replace(name, "ID")
    return words


def told_at_table(table: Table) -> dict[str, str]:
    """Return all that is told to who has no seat, by what is asked."""
    told = {}
    fill = {"scan_id": table.scan, "sitting_id": table.id, "token": table.share, "kind": "svg"}
    fill |= {"event_id": "attack-1", "piece": "a5", "evening_id": "0" * 20}
    for method, path in read_only(table.client):
        for document, party in (("table", "A"), ("resolution", "B"), ("scan", "C")):
            here = {**fill, "document": document, "party": party}
            url = re.sub(r"\{(\w+)\}", lambda m, here=here: here.get(m[1], "none"), path)
            asked = nameless(table, [method, url])
            if asked not in told and not url.endswith(
                "qr.svg"
            ):  # the address of a seat, drawn anew each time
                told[asked] = nameless(table, [ask(table.client, method, url, "")])
    return told


ASKED = {"X-Request-ID": "asked"}  # else each reply has an id of its own


def told_to(table: Table, seat: str) -> str:
    """Return all that a phone that answers can ask."""
    at, phone = f"/api/v1/seats/{table.token(seat)}", table.phones[seat]
    told = [ask(table.client, "GET", at + path, phone) for path in ("", "?lang=fr", "/round")]
    for so_far in ("", "shield b1", "intercept b3", "jam b2", "shield c1"):
        reply = table.client.post(f"{at}/choices", json={"so_far": so_far}, headers=ASKED)
        told.append((reply.status_code, reply.content))
    for card in ("a1", "a2", "a3", "a4", "a5", "a6", "A"):
        for deed in (f"shield b1 against {card}", f"intercept b3 at {card}", f"{card} is screen"):
            reply = table.client.post(f"{at}/read", json={"order": deed}, headers=ASKED)
            told.append((reply.status_code, reply.content))
    return nameless(table, told)


def test_the_table_is_told_nothing_of_a_declaration(sealed):
    seen = []
    for order in ("fire a1 at B", "launch a2 at C; a5 is eye-missile", None):
        declared(sealed, order)
        seen.append(told_at_table(sealed))
    for asked, reply in seen[0].items():
        assert [other[asked] for other in seen[1:]] == [reply, reply], asked


HIDDEN = (  # what sounds the same to B and to C
    ("approach a3 at B spend 3", "approach a4 at B spend 3"),
    ("retreat a3 at C spend 3", "retreat a3 a4 at C spend 3"),
    ("launch a2 at C spend 5", "launch a2 at C spend 5; a5 is bomber"),
    ("a5 is eye-missile; launch a5 at B spend 5", "a5 is lance-missile; launch a5 at B spend 5"),
    (None, "fire a1 at B spend 90; a5 is shuttle"),
)


@pytest.mark.parametrize("pair", HIDDEN)
def test_who_answers_is_told_nothing_that_the_rules_hide(sealed, pair):
    told = []
    for order in pair:
        declared(sealed, order)
        assert sealed.state == "open"
        told.append([told_to(sealed, seat) for seat in ("B", "C")])
    assert told[0] == told[1]


def test_what_lies_face_down_shows_to_its_owner_alone(sealed):
    declared(sealed, None)
    own, other = (
        json.dumps(sealed.get(f"/seats/{sealed.token(seat)}/round")["ledger"]) for seat in "AB"
    )
    assert ("Hunter" in own, "Hunter" in other) == (True, False)
    assert "Hunter" not in json.dumps(sealed.get(f"/scans/{sealed.scan}/round"))
    for card, shown in (("a6", False), ("a2", False)):
        told = sealed.get(f"/scans/{sealed.scan}/pieces/{card}/settings")["settings"]
        assert any(one["id"] == "hull" for one in told) == shown
