"""Corrections by hand and by a tap: faces, states, owners, what lies on what, markers, doubts."""

import json
import math

import pytest

from tests.games.conflit_stellaire.test_files import GAME
from vision.errors import TableFormatError
from vision.games.conflit_stellaire.deck import deck
from vision.texts import texts

EN, FR = (texts(language, GAME.texts) for language in ("en", "fr"))
TABLE = """
seat A hull 20
seat B hull 7 or hull 6 0.3
A a1 pulse-laser @0,100 0deg or engaged 0.2 or seat B engaged 0.1
A a2 shuttle @80,100 0deg
A a3 spacesuit @90,110 0deg
A a4 crew @160,100 0deg
B b1 screen @0,-100 90deg engaged up A or ready 0.4
distance A B 5 or 6 0.25
turn A
"""


def card(table, name):
    return next(card for card in table.cards if card.id == name)


def tap(table, piece: str, setting: str, said: str):
    """Tap a setting, as it is said in English."""
    for one in (*GAME.settings(table), *(GAME.settings_of(table, piece) if piece else ())):
        assert EN.tell(one.name)
        assert FR.tell(one.name)
        if one.id != setting:
            continue
        for words, change in one.choices:
            assert FR.tell(words)
            if EN.tell(words).startswith(said):
                return GAME.edit(table, change)
    raise AssertionError((piece, setting, said))


def chosen(table, piece: str, setting: str) -> str:
    one = next(one for one in GAME.settings_of(table, piece) if one.id == setting)
    return EN.tell(one.choices[one.chosen][0])


def test_it_offers_what_pages_ask_for():
    table = GAME.read(TABLE)
    assert {one.piece for one in GAME.standing(table)} == {"A", "B", "a1", "a2", "a3", "a4", "b1"}
    assert {one.piece for one in GAME.standing(table) if one.is_fixed} == {"A", "B"}
    assert set(GAME.spare(table)) == set(deck().faces)
    assert GAME.settings_of(table, "nothing") == ()


def test_every_tap_leads_to_a_table_on_which_it_stands():
    table = GAME.read(TABLE)
    tapped = 0
    for piece in ("A", "B", "a1", "a2", "a3", "a4", "b1"):
        for one in GAME.settings_of(table, piece):
            for k, (_, change) in enumerate(one.choices):
                after = GAME.edit(table, change)
                again = [s for s in GAME.settings_of(after, piece) if s.id == one.id]
                assert again == [] if one.is_doubtful else again[0].chosen == k, (piece, one.id, k)
                tapped += 1
    assert tapped > 80


def test_doubts_are_settled_by_a_tap_and_nothing_else_with_them():
    table = GAME.read(TABLE)
    assert [one.of for one in GAME.settings(table) if one.is_doubtful] == ["B", "a1", "b1", "A-B"]
    ready = tap(table, "", "read-a1", "ready")
    assert (card(ready, "a1").engaged, card(ready, "a1").readings) == (False, ())
    other = tap(table, "", "read-a1", "of flagship B")
    assert (card(other, "a1").seat, card(other, "a1").engaged) == ("B", True)
    assert tap(table, "", "read-A-B", "6 uds").distances[0].uds == 6
    # that it is engaged says nothing of whose it is
    state = tap(table, "a1", "state", "engaged")
    assert [dict(r.fields) for r in card(state, "a1").readings] == [{"seat": "B"}]
    whose = tap(state, "a1", "owner", "seat B")
    assert card(whose, "a1").readings == ()
    with pytest.raises(TableFormatError, match="2 other readings"):
        GAME.edit(table, {"kind": "settle", "id": "a1", "reading": 2})
    with pytest.raises(TableFormatError, match="nothing is called"):
        GAME.edit(table, {"kind": "settle", "id": "c1"})


def test_state_owner_attachment_and_marker_are_tapped():
    table = GAME.read(TABLE)
    assert chosen(table, "b1", "state") == "up against flagship A"
    assert card(tap(table, "b1", "state", "ready"), "b1").up is None
    suit = tap(table, "a3", "on", "on Crew (a4)")
    assert card(suit, "a3").on == "a4"
    theirs = tap(suit, "a3", "owner", "seat B")
    assert (card(theirs, "a3").seat, card(theirs, "a3").on) == ("B", None)
    assert tap(table, "B", "hull", "hull 3").seats[1].hull == 3
    aboard = tap(table, "A", "commander", "commander on Shuttle (a2)")
    assert aboard.seats[0].commander == "a2"
    assert tap(table, "", "turn", "seat B").active == "B"
    assert tap(table, "", "distance-A-B", "9 uds").distances[0].uds == 9


def test_cards_are_named_moved_turned_added_and_taken_away():
    table = GAME.read(TABLE)
    named = GAME.edit(table, {"kind": "identify", "piece": "a1", "identity": "twin-laser"})
    assert (card(named, "a1").face, card(named, "a1").readings) == ("twin-laser", ())
    at = {"x_mm": 5.0, "y_mm": 90.0}
    moved = GAME.edit(table, {"kind": "move", "piece": "a1", **at, "theta_deg": 10.0})
    assert (card(moved, "a1").pose.x_mm, card(moved, "a1").engaged) == (5.0, False)
    for turn, engaged in ((90.0, True), (180.0, False), (-90.0, True), (60.0, True)):
        turned = GAME.edit(table, {"kind": "move", "piece": "a1", **at, "theta_deg": turn})
        assert card(turned, "a1").engaged == engaged, turn
    place = {"x_mm": 10.0, "y_mm": -120.0, "theta_deg": 0.0}
    added = GAME.edit(table, {"kind": "add", "piece": "screen", **place})
    new = card(added, "b2")
    assert (new.face, new.seat) == ("screen", "B")
    assert GAME.edit(added, {"kind": "remove", "id": "b2"}).cards == table.cards
    for wrong in (
        {"kind": "identify", "piece": "a9", "identity": "screen"},
        {"kind": "identify", "piece": "a1", "identity": "nothing"},
        {"kind": "move", "piece": "a1", "x_mm": math.inf, "y_mm": 0, "theta_deg": 0},
        {"kind": "remove", "id": "A"},
    ):
        with pytest.raises(TableFormatError):
            GAME.edit(table, wrong)


def test_where_a_hull_card_lies_is_kept_in_files():
    at = {"x_mm": -40.0, "y_mm": 300.0, "theta_deg": 12.0}
    moved = GAME.edit(GAME.read(TABLE), {"kind": "move", "piece": "A", **at})
    again = GAME.read(json.dumps(GAME.write(moved)))
    (there,) = [one for one in GAME.standing(again) if one.piece == "A"]
    turn = math.degrees(there.theta_rad)
    assert (there.x_mm, there.y_mm, turn) == pytest.approx((-40.0, 300.0, 12.0))


def test_a_table_without_places_is_laid_by_hand_too():
    table = GAME.read("seat A hull 20\nseat B hull 20\nA a1 pulse-laser\nB b1 screen\n"
                      "distance A B 5\nturn A\n")  # fmt: skip
    (at,) = [one for one in GAME.standing(table) if one.piece == "b1"]
    near = {"x_mm": at.x_mm + 70, "y_mm": at.y_mm, "theta_deg": 0.0}
    added = GAME.edit(table, {"kind": "add", "piece": "crew", **near})
    assert card(added, "b2").seat == "B"
    assert {one.piece: (one.x_mm, one.y_mm) for one in GAME.standing(added)}["b1"] == (
        at.x_mm,
        at.y_mm,
    )
