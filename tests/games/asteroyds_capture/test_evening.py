"""A table under hands, from turn to turn: laws over random turns, then the words."""

import json
import math
import random
from dataclasses import replace

import pytest

from tests.games.asteroyds_capture.turns import random_table
from vision.apps.cli.follow import Before
from vision.errors import TableFormatError
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.check import check_tiles, layout_meant
from vision.games.asteroyds_capture.evening import place_of
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.asteroyds_capture.layouts import LAYOUTS, lay_out
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.values import Piece
from vision.games.asteroyds_capture.words import TEXTS
from vision.texts import texts

GAME = AsteroydsCapture()
START = "game asteroyds-capture\nlayout 2v2\n"
WORDS = texts("en", TEXTS)
NUDGE_MM = 12.0  # 13 mm off its cell it is still nearer there than to the next, 25 mm away


def tables(count, seed=0):
    return [random_table(random.Random(seed + k)) for k in range(count)]


def positions(table):
    return {p.id: place_of(p) for p in table.pieces}


def codes(issues):
    return [issue.code for issue in issues]


# --- hands ---------------------------------------------------------------------------------------


def test_a_piece_that_is_taken_up_and_laid_back_lies_as_it_did():
    rng = random.Random(1)
    for table in tables(40):
        for piece in GAME.standing(table):
            off, way = rng.uniform(0, NUDGE_MM), rng.uniform(0, 2 * math.pi)
            change = {
                "kind": "move",
                "piece": piece.piece,
                "x_mm": piece.x_mm + off * math.cos(way),
                "y_mm": piece.y_mm + off * math.sin(way),
                "theta_deg": math.degrees(piece.theta_rad) + rng.uniform(-25, 25),
            }
            assert positions(GAME.edit(table, change)) == positions(table)


def test_a_piece_goes_to_the_nearest_cell_and_way_and_is_no_more_in_doubt():
    options = [{"value": "d2", "p": 0.6}, {"value": "d3", "p": 0.4}]
    doubt = {"of": "red-1", "what": "cell", "options": options}
    table = {"schema": "sightline/table@1", "game": "asteroyds-capture", "layout": "2v2"}
    read = GAME.read(json.dumps(table | {"alternatives": [doubt]}))
    x, y = board_of(5).centre_mm("g4")
    pose = {"x_mm": x + 9, "y_mm": y - 9, "theta_deg": 128}
    after = GAME.edit(read, {"kind": "move", "piece": "red-1", **pose})
    assert positions(after)["red-1"] == ("g4", None, 2)
    assert not after.alternatives


def test_what_is_taken_off_can_be_put_back_and_leaves_what_it_carried():
    table = GAME.read(START + "red 1 @e4 60; white asteroyd on red 1; plan red 1 F; plan red 2 F")
    off = GAME.edit(table, {"kind": "remove", "id": "red-1"})
    assert positions(off)["white-asteroyd"] == ("e4", None, 0)
    assert set(off.programs) == {"red-2"}
    assert "red-1" in GAME.spare(off)
    x, y = board_of(5).centre_mm("e4")
    change = {"kind": "add", "piece": "red-1", "x_mm": x, "y_mm": y, "theta_deg": 60}
    assert positions(GAME.edit(off, change))["red-1"] == ("e4", None, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "move", "piece": "red-1", "x_mm": 900, "y_mm": 0, "theta_deg": 0},
        {"kind": "move", "piece": "red-1", "x_mm": "a", "y_mm": 0, "theta_deg": 0},
        {"kind": "move", "piece": "red-3", "x_mm": 0, "y_mm": 0, "theta_deg": 0},
        {"kind": "add", "piece": "red-1", "x_mm": 0, "y_mm": 0, "theta_deg": 0},
        {"kind": "add", "piece": "blue-1", "x_mm": 0, "y_mm": 0, "theta_deg": 0},
        {"kind": "identify", "piece": "red-1", "identity": "pod-1"},
        {"kind": "remove", "id": "moon"},
        {"kind": "carry", "scores": {"red": "1"}, "pilots": {}, "spent": []},
    ],
)
def test_what_no_hand_can_do_is_refused(change):
    with pytest.raises(TableFormatError):
        GAME.edit(GAME.read(START), change)


def test_two_ships_that_were_taken_for_each_other_change_names_with_what_is_in_doubt():
    text = START + "red 1 @e4 60; red 2 @g4 0; white asteroyd on red 1; plan red 1 F"
    after = GAME.edit(GAME.read(text), {"kind": "identify", "piece": "red-1", "identity": "red-2"})
    there = positions(after)
    assert (there["red-2"], there["red-1"]) == (("e4", None, 1), ("g4", None, 0))
    assert there["white-asteroyd"] == (None, "red-2", 0)
    assert set(after.programs) == {"red-1"}  # its sheet is named
    assert GAME.read(json.dumps(GAME.write(after))) == after


def test_every_tap_sets_what_it_says_and_nothing_else():
    for table in tables(30, 100):
        for setting in GAME.settings(table):
            for k, (_, change) in enumerate(setting.choices):
                try:
                    after = GAME.edit(table, dict(change))
                except TableFormatError:
                    continue
                found = {one.id: one.chosen for one in GAME.settings(after)}
                assert found.get(setting.id, k) == k
                same = GAME.edit(after, dict(setting.choices[setting.chosen][1]))
                assert same.dice == table.dice
                assert {**table.scores, **same.scores} == same.scores


# --- from turn to turn ---------------------------------------------------------------------------


def test_what_a_turn_leaves_is_what_the_next_expects():
    for table in tables(60, 200):
        outcome = GAME.resolve(table)
        expected = GAME.next_table(table, outcome)
        assert (expected is None) == bool(outcome.winners)
        if expected is not None:
            assert GAME.expect(expected, expected).doubts == ()
            assert GAME.changes(expected, expected) == ()


def test_each_piece_that_was_set_up_otherwise_is_told_and_no_other():
    rng = random.Random(4)
    for table in tables(60, 300):
        ships = [p for p in table.pieces if kind_of(p.id) == "ship" and p.cell]
        if not ships:
            continue
        ship = rng.choice(ships)
        cell, way = rng.choice(list(board_of(table.radius).cells)), rng.randrange(6)
        after = replace(
            table,
            pieces=tuple(
                replace(p, cell=cell, way=way) if p.id == ship.id else p for p in table.pieces
            ),
        )
        is_same = (cell, way) == (ship.cell, ship.way)
        told = GAME.expect(after, table).doubts
        assert [issue.cards for issue in told] == ([] if is_same else [(ship.id,)])
        assert len(GAME.changes(table, after)) == (not is_same)


def test_what_is_wrong_is_said_in_words():
    left = GAME.read(START + "score red 1; red 1 @e4 60; white asteroyd on red 1; rock 1 @g5")
    seen = GAME.read(
        START + "red 1 @e4 120; red 2 @c3 0; white asteroyd @f9; pod 3 @c6; white 2 @-; rock 1 @-"
    )
    assert [WORDS.issue(issue) for issue in GAME.expect(seen, left).doubts] == [
        "red 1 looks to 120°; the previous turn left it looking to 60°",
        "red 2 is on c3; the previous turn left it on d2",
        "rock 1 is missing; the previous turn left it on g5",
        "white 2 is missing; the previous turn left it on h8",
        "the white asteroyd is on f9; the previous turn left it on red 1",
        "pod 3 is on c6; the previous turn left it on f6",
        "the previous turn ended at Red: 1; here the score is different",
    ]
    assert codes(GAME.expect(seen, None).doubts) == ["set_up_over"]
    assert [WORDS.tell(change.said) for change in GAME.changes(left, seen)][:3] == [
        "red 1 turned to 120°",
        "red 2 moved to c3",
        "rock 1 was taken off the board",
    ]


def test_pods_are_alike():
    left = GAME.read(START)
    names = {"pod-1": "pod-2", "pod-2": "pod-1"}
    swapped = replace(left, pieces=tuple(replace(p, id=names.get(p.id, p.id)) for p in left.pieces))
    assert GAME.expect(swapped, left).doubts == ()
    assert GAME.changes(left, swapped) == ()


def test_score_pilots_and_spent_powers_come_over():
    left = GAME.read(START + "rule pilots=true; score red 2 white 1; red 1 pilot hector spent")
    seen = GAME.read(START + "rule pilots=true")
    change = GAME.carried(seen, left)
    after = GAME.edit(seen, change)
    assert after.scores == left.scores
    assert GAME.expect(after, left).doubts == ()
    assert next(p for p in after.pieces if p.id == "red-1") == next(
        p for p in left.pieces if p.id == "red-1"
    )
    assert GAME.carried(after, left) is None
    assert GAME.carried(GAME.read(START + "score red 1"), GAME.read(START)) is None


def test_the_score_goes_on_at_the_command_line():
    before = Before("asteroyds-capture", GAME.options(), GAME.read(START + "score red 2"))
    from vision.values.scan import Scan

    table = GAME.read(START + "red 1 @e4 180; white asteroyd on red 1; plan red 1 F")
    outcome = GAME.resolve(table)
    scan = Scan(GAME.name, (), table, outcome, GAME.tell(table, outcome), {})
    followed = before.bring_to(scan, GAME)
    assert followed.outcome.winners == ("red",)
    assert "set_up_score" not in codes(followed.outcome.issues)


# --- the tiles -----------------------------------------------------------------------------------


def laid(layout, **changes):
    pieces = {**lay_out(layout, 5)}
    for name, piece in changes.items():
        pieces[name.replace("_", "-")] = piece
    return tuple(piece for piece in pieces.values() if piece is not None)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_is_known_and_has_nothing_odd(layout):
    assert check_tiles(laid(layout)) == ()
    assert LAYOUTS[layout_meant(laid(layout))] == LAYOUTS[layout]


@pytest.mark.parametrize("layout", ["2v2", "3v3", "3v2", "2v2v2"])
def test_one_tile_that_is_wrong_is_told_and_no_other(layout):
    rng = random.Random(layout)
    cells = list(board_of(5).cells)
    tiles = [p for p in lay_out(layout, 5).values() if kind_of(p.id) not in ("ship", "asteroyd")]
    for tile in tiles:
        name = tile.id.replace("-", "_")
        (missing,) = check_tiles(laid(layout, **{name: None}))
        assert missing.code == "tile_missing"
        free = rng.choice([c for c in cells if c not in {p.cell for p in tiles}])
        told = check_tiles(laid(layout, **{name: replace(tile, cell=free)}))
        assert codes(told) == ["tile_elsewhere"]
        if kind_of(tile.id) == "turret":
            (turned,) = check_tiles(laid(layout, **{name: replace(tile, way=(tile.way + 2) % 6)}))
            assert turned.code == "tile_turned"


def test_a_tile_too_many_is_told():
    (extra,) = check_tiles(laid("2v2", red_turret_2=Piece("red-turret-2", "c3", 0)))
    assert (extra.code, extra.cards) == ("tile_extra", ("red-turret-2",))


def test_ships_may_stand_anywhere_and_some_be_out_of_sight():
    ships = {"red_1": Piece("red-1", "g7", 2), "white_2": None, "rock_1": Piece("rock-1", "a2")}
    assert check_tiles(laid("2v2", **ships)) == ()


def test_of_a_table_that_is_laid_freely_nothing_is_said():
    rng = random.Random(8)
    cells = list(board_of(5).cells)
    for _ in range(50):
        strewn = tuple(replace(p, cell=rng.choice(cells)) for p in laid("2v2"))
        assert check_tiles(strewn) == ()
