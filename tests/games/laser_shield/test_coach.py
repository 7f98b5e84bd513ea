"""The coach: what it tells comes true when it is played, and nothing better is left out."""

import json
import random
from dataclasses import replace
from itertools import product

import pytest

from tests.games.laser_shield.test_laws import random_table
from tests.typed import command
from vision.games.laser_shield.board import SQUARES
from vision.games.laser_shield.coach import advise, effects, legal_orders
from vision.games.laser_shield.game import LaserShield
from vision.games.laser_shield.orders import IllegalOrder, check_order, parse_order
from vision.games.laser_shield.phase import play
from vision.games.laser_shield.values import TEAMS, Fire, Move, Pass, Table, Turn
from vision.games.laser_shield.words import TEXTS
from vision.judging.game import Game
from vision.texts import texts

GAME = LaserShield()
FEW = 2  # pawns of a team, for brute force
SAMPLE = 15  # orders of a team, for the same: each is played against every order of the other
CROWDED = """
orange c2 s; orange b3 e; orange d1 w; blue d3 n; blue e2 w; blue c4 nw
order orange fire c2>d2; order blue fire c4>b4
""".replace(";", chr(10))
OTHER = {"orange": "blue", "blue": "orange"}


def tables(count, most=6):
    """Random tables of which both teams have pawns, at most so many together."""
    found, seed = [], 0
    while len(found) < count:
        pawns, orders, options = random_table(random.Random(1000 + seed))
        seed += 1
        if len(pawns) <= most:
            found.append(Table(tuple(pawns), orders, options))
    return found


def by_check(team, table):
    """Every order that the rules let pass: tried one by one, paths longer as long as they pass."""

    def checked(order):
        try:
            return check_order(team, order, table.pawns, table.options)
        except IllegalOrder:
            return None

    starts = [pawn.square for pawn in table.pawns if pawn.team == team]
    tried = [Fire(start, target) for start, target in product(starts, SQUARES)]
    tried += [Turn(start, side) for start in starts for side in ("left", "right")]
    paths = [(start,) for start in starts]
    while paths:
        longer = [checked(Move((*path, target))) for path, target in product(paths, SQUARES)]
        paths = list(dict.fromkeys(order.path for order in longer if order is not None))
        tried += [Move(path, side) for path in paths for side in (None, "left", "right")]
    return {order for order in map(checked, tried) if order is not None} | {Pass()}


@pytest.mark.parametrize("table", tables(6), ids=str)
def test_every_legal_order_is_weighed_once(table):
    for team in TEAMS:
        orders = legal_orders(team, table.pawns, table.options)
        assert len(orders) == len(set(orders))
        assert set(orders) == by_check(team, table)


@pytest.mark.parametrize("table", tables(3, FEW), ids=str)
def test_each_order_comes_to_what_brute_force_finds(table):
    """All pairs of orders, each played whole."""
    told = effects(table)
    for team in TEAMS:
        other = OTHER[team]
        given = check_order(other, table.orders[other], table.pawns, table.options)
        theirs = legal_orders(other, table.pawns, table.options)
        for effect in random.Random(7).sample(told[team], min(SAMPLE, len(told[team]))):
            ends = [
                play(table.pawns, {team: effect.order, other: order}, table.options).killed
                for order in theirs
            ]
            costs = [sum(pawn.startswith(team) for pawn in killed) for killed in ends]
            assert (effect.worst, effect.risks) == (max(costs), sum(cost > 0 for cost in costs))
            killed = play(table.pawns, {team: effect.order, other: given}, table.options).killed
            assert effect.kills + effect.losses == tuple(
                sorted(killed, key=lambda pawn: (pawn.startswith(team), pawn))
            )


@pytest.mark.parametrize("table", tables(16), ids=str)
def test_what_is_told_comes_true_and_nothing_better_is_left_out(table):
    was = GAME.resolve(table)
    told = effects(table)
    for advice in advise(table):
        team, other = advice.side, OTHER[advice.side]
        lost = sum(pawn.startswith(team) for pawn in was.killed)
        if advice.kind in ("no_kill", "no_more"):
            most = max(len(effect.kills) for effect in told[team])
            assert most == len(was.killed) - lost
        if advice.order is None:
            continue
        orders = {**table.orders, team: parse_order(advice.order)}
        then = GAME.resolve(replace(table, orders=orders))
        assert not then.lost.get(team)
        costs = sum(pawn.startswith(team) for pawn in then.killed)
        if advice.kind == "kills":
            kills = sum(pawn.startswith(other) for pawn in then.killed)
            assert kills == max(len(effect.kills) for effect in told[team])
            assert kills > len(was.killed) - lost
        if advice.kind == "saves":
            assert costs == min(len(effect.losses) for effect in told[team]) < lost
        if advice.kind in ("safe", "safest"):
            assert costs <= dict(advice.said.values)["n"]


def test_every_advice_can_be_said_in_both_languages():
    kinds = set()
    for table in (*tables(40, 4), GAME.read(CROWDED)):
        advices = GAME.coach(table)
        kinds |= {advice.kind for advice in advices}
        for words in map(texts, ("en", "fr"), (TEXTS, TEXTS)):
            assert all(words.tell(advice.said) for advice in advices)
    assert kinds == {
        "kills", "no_more", "no_kill", "saves", "no_rescue",
        "safe", "was_safe", "safest", "was_safest",
    }  # fmt: skip


def test_a_shot_that_was_there_is_told():
    table = GAME.read("orange b1 s\nblue c1 n\nblue d4 n\norder blue move c1-c2")
    assert GAME.overrides(Game.coach)
    told = {advice.kind: advice for advice in GAME.coach(table) if advice.side == "orange"}
    assert told["kills"].order == "fire b1>c1"
    words = texts("en", TEXTS)
    assert words.tell(told["kills"].said) == "Orange could have killed blue 1 with: fire b1>c1"


def test_with_one_team_alone_there_is_nothing_to_say():
    assert GAME.coach(GAME.read("orange b1 s\norder orange fire b1>c1")) == ()


def test_the_command_line_tells_it_when_asked(tmp_path, capsys):
    table = tmp_path / "table.txt"
    table.write_text("game laser-shield\norange b1 s\nblue c1 n\norder blue move c1-c2\n")
    code, told = command(capsys, "resolve", table)
    assert code == 0
    assert "could have killed" not in told.out
    code, told = command(capsys, "resolve", table, "--coach")
    assert code == 0
    assert "Orange could have killed blue 1 with: fire b1>c1" in told.out
    code, told = command(capsys, "resolve", table, "--coach", "--json", "-")
    advice = json.loads(told.out)["coach"]
    assert {"side": "orange", "kind": "kills", "order": "fire b1>c1"}.items() <= advice[0].items()
    silent = tmp_path / "silent.txt"
    silent.write_text("game laser-shield\norange b1 s\nblue c1 n\n")
    code, told = command(capsys, "resolve", silent, "--coach")
    assert "nothing would have been better" in told.out


def test_a_game_without_a_coach_says_so(tmp_path, capsys):
    table = tmp_path / "table.txt"
    table.write_text(
        "game conflit-stellaire\nseat A hull 20\nseat B hull 20\n"
        "A a1 twin-laser\ndistance A B 3\nturn A\n"
    )
    code, told = command(capsys, "resolve", table, "--coach")
    assert code == 2
    assert "--coach: conflit-stellaire has no coach" in told.err
