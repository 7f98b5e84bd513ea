"""From turn to turn: the table that is to be set up for the next commander."""

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest

from tests.games.conflit_stellaire.random_turns import random_table
from tests.games.conflit_stellaire.test_files import GAME
from vision.games.conflit_stellaire.check import check_table
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.markers import _hull_cells, _strip_cells
from vision.games.conflit_stellaire.values import Pose, Reading
from vision.games.conflit_stellaire.words import doubt
from vision.judging.game import Game
from vision.values.layout import Placed


def onward(text: str):
    table = GAME.read(text)
    return GAME.next_table(table, GAME.resolve(table))


def test_the_table_after_any_turn_may_be_and_holds_what_is_left():
    assert GAME.overrides(Game.next_table)
    went_on = 0
    for seed in range(250):
        table = random_table(random.Random(seed))
        outcome = GAME.resolve(table)
        after = GAME.next_table(table, outcome)
        assert not (outcome.over and after is not None), seed
        if after is None:
            continue
        went_on += 1
        assert check_table(after) == after
        assert outcome.fates[after.active] is None, seed
        assert {seat.id: seat.hull for seat in after.seats} == {
            seat.id: outcome.ships[seat.id].hull for seat in table.seats
        }
        left = {card.id for card in after.cards}
        assert left <= {card.id for card in table.cards} - set(outcome.gone), seed
        assert {c.id: c.up for c in after.cards if c.up} == {
            name: faced for name, faced in outcome.raised.items() if name in left
        }, seed
        assert not any(c.engaged and not c.up for c in after.cards if c.seat == after.active)
        assert {d.between: d.uds for d in after.distances} == outcome.distances
        for seat, energy in outcome.energy.items():
            ready = sum(
                deck().faces[card.face].capacity
                for card in after.cards
                if card.seat == seat and card.face == "energy-cell" and not card.engaged
            )
            if seat != after.active:  # whose turn begins has all of it back
                assert ready <= energy.left, seed
    assert went_on > 100


TURN = """
game conflit-stellaire
seat A hull 20
seat B hull 20
A a-e1 energy-cell @0,0 0deg
A a-e2 energy-cell
A a1 twin-laser @70,0 0deg
A a2 screen
B b1 screen
B b2 pulse-laser engaged @0,-300 -90deg
B b-e1 energy-cell
B b-e2 energy-cell engaged
distance A B 5
turn A
A fire a1 at B
A raise a2 against B
B shield b1 against A
"""


def test_what_was_used_is_turned_and_the_next_commander_has_all_of_his_ready():
    after = onward(TURN)
    state = {card.id: (card.engaged, card.up) for card in after.cards}
    assert after.active == "B"
    assert state == {
        "a-e1": (True, None),  # two points for the laser, two for the screen
        "a-e2": (True, None),
        "a1": (True, None),
        "a2": (True, "B"),
        "b1": (True, "A"),
        "b2": (False, None),
        "b-e1": (False, None),
        "b-e2": (False, None),
    }
    poses = {card.id: card.pose for card in after.cards if card.pose is not None}
    assert poses["a1"].theta_rad == pytest.approx(math.pi / 2)
    assert math.sin(poses["b2"].theta_rad) == pytest.approx(0.0)  # upside down is ready, too
    assert after.declarations == after.ripostes == ()


def test_a_photo_of_what_is_turned_already_goes_on_as_it_lies():
    """Cards that were photographed engaged, and are so after the turn, are drawn so: not back."""
    text = """
    seat A hull 20
    seat B hull 20
    A a1 twin-laser engaged @70,0 90deg
    A a2 screen engaged up B @140,0 90deg
    A a3 pulse-laser @210,0 0deg
    A a-e1 energy-cell engaged @0,0 90deg
    A a-e2 energy-cell engaged @20,0 90deg
    A a-e3 energy-cell @40,0 0deg
    B b1 screen engaged up A @0,-300 90deg
    B b-e1 energy-cell engaged @70,-300 -90deg
    B b-e2 energy-cell @90,-300 180deg
    distance A B 5
    turn A
    """
    table = GAME.read(text)
    said = "turn A\nA fire a1 at B\nA raise a2 against B\nB shield b1 against A"
    seen = {card.id: card.pose for card in table.cards}
    table = GAME.take_turn(table, said)
    assert {card.id: card.pose for card in table.cards} == seen  # the photo shows them so
    after = GAME.next_table(table, GAME.resolve(table))
    lies = {card.id: abs(math.sin(card.pose.theta_rad)) > 0.7 for card in after.cards}
    assert lies == {card.id: card.engaged for card in after.cards}
    assert {"a1", "a2", "a-e1", "a-e2", "b1"} <= {name for name, across in lies.items() if across}


def test_what_the_turn_has_not_settled_is_doubtful_on_the_next_table():
    """How a card lies that nobody used or made ready, and what it is; not what is ready now."""
    cards = [("a1", "screen"), ("a2", "screen"), ("b1", "screen"), ("b2", "screen")]
    text = "\n".join(
        ["seat A hull 20", "seat B hull 20", "distance A B 5", "turn A", "A a-e energy-cell"]
        + [f"{name[0].upper()} {name} {face}" for name, face in cards]
        + ["A a-f energy-cell", "A raise a2 against B"]
    )
    table = GAME.read(text)
    askew, other = Reading({"engaged": True}, 0.4), Reading({"face": "deflector"}, 0.3)
    readings = {"a1": (askew, other), "a2": (askew,), "b1": (askew,), "b2": (other,)}
    doubts = [doubt("askew", "conflit.doubt.askew", (name,), what=name) for name in readings]
    doubts += [doubt("not_turned", "conflit.doubt.not_turned", ("a1",), what="a1")]
    seen = tuple(replace(c, readings=readings.get(c.id, ())) for c in table.cards)
    table = replace(table, cards=seen, doubts=tuple(doubts))
    after = GAME.next_table(table, GAME.resolve(table))
    assert {c.id: c.readings for c in after.cards if c.readings} == {
        "a1": (askew, other),
        "b2": (other,),
    }
    assert [(one.code, one.cards) for one in after.doubts] == [("askew", ("a1",))]


def test_a_captured_auxiliary_is_its_captors():
    text = """
    seat A hull 20
    seat B hull 20
    A a1 assault-barge
    A a2 veterans on a1
    B b1 shuttle
    B b2 crew on b1
    B b3 energy-cell on b1
    A a-e1 energy-cell
    A a-e2 energy-cell
    A a-e3 energy-cell
    distance A B 1
    turn A
    A board a1 at b1
    """
    owners = {card.id: card.seat for card in onward(text).cards}
    assert owners["b1"] == owners["b3"] == "A"
    assert "b2" not in owners


def test_what_is_to_be_set_up_shows_strips_and_markers_and_a_photo_shows_its_own():
    """Each marker lies on the cell of its hull or distance, read back as seeing would."""
    shown = 0
    for seed in range(40):
        table = random_table(random.Random(seed))
        after = GAME.next_table(table, GAME.resolve(table))
        if after is None:
            continue
        pieces = {p.id: p for p in GAME.tell(after, GAME.resolve(after)).pieces}
        hulls = [seat for seat in after.seats if 0 <= seat.hull < deck().hull_cells]
        wanted = {"-".join(d.between) for d in after.distances}
        assert {name for name, p in pieces.items() if p.face == "distance-scale"} == wanted
        assert {name for name, p in pieces.items() if p.face == "marker"} == {
            f"marker-{name}" for name in [*wanted, *(seat.id for seat in hulls)]
        }
        placed = [laid(p) for p in pieces.values() if p.face in ("marker", "flagship")]
        places = {p.spot: p for p in placed}
        for seat in hulls:
            cells = list(_hull_cells(places[seat.id], [places[f"marker-{seat.id}"]]))
            assert cells == [(seat.hull, 1.0)]
        for one in after.distances:
            name = "-".join(one.between)
            cells = list(_strip_cells(laid(pieces[name]), [places[f"marker-{name}"]]))
            assert cells == [(one.uds, 1.0)]
        shown += len(hulls)
    assert shown > 20
    seats = tuple(replace(seat, pose=Pose(0, 0, 0)) for seat in table.seats)
    seen = replace(table, seats=seats, seen={table.cards[0].id: (1.0, 2.0)})
    kept = GAME.read(json.dumps(GAME.write(seen)))  # as a server keeps the table of a photo
    for one in (seen, kept):
        told = GAME.tell(one, GAME.resolve(one))
        assert not {p.face for p in told.pieces} & {"marker", "distance-scale"}


def laid(view):
    """A piece as it would be seen where it is drawn."""
    x, y = view.outline_mm.mean(axis=0).tolist()
    along = view.outline_mm[1] - view.outline_mm[0]
    theta = math.atan2(along[1], along[0])
    return Placed(view.id, view.face, x, y, theta, np.eye(3), view.outline_mm)
