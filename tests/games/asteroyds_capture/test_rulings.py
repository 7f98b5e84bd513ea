"""What rules page and rulebook leave open, as ruled: a table each, and a law over random turns.

``docs/asteroyds.md``, section "Rulings", says the same in words.
"""

import json
import random
from dataclasses import replace

import pytest

from tests.games.asteroyds_capture.test_laws import mapped, same
from tests.games.asteroyds_capture.turns import random_table
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.turn import after, play
from vision.games.asteroyds_capture.values import Program, Table

GAME = AsteroydsCapture()
START = "game asteroyds-capture\nlayout 2v2\n"  # homes f2 and f10, platforms d2 and h8
TURNS = 500  # random turns of a law: a second


def rocks(*lines: str) -> list[tuple[str, str, str]]:
    outcome = GAME.resolve(GAME.read(START + "\n".join(lines)))
    return [(m.rock, m.start, m.end) for m in outcome.rounds[0].rocks]


# --- rocks and bases -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "moves"),
    [
        ("zone", []),
        ("home", [("rock-1", "f5", "f4"), ("rock-2", "f7", "f8")]),
        ("platform", [("rock-1", "f5", "f4"), ("rock-2", "f7", "f8")]),
    ],
)
def test_a_base_is_what_the_option_says_rocks_may_drift_into_the_rest(base, moves):
    """Rock 1 would come within two cells of the red home, rock 2 of the white one."""
    table = (f"rule base={base}", "dice blue 1", "pod 1 @-", "pod 2 @-")
    assert rocks(*table, "rock 1 @f5 180", "rock 2 @f7 0") == moves


@pytest.mark.parametrize(("base", "moves"), [("home", []), ("platform", [("rock-1", "f3", "f2")])])
def test_no_rock_comes_to_lie_in_a_base_of_one_cell(base, moves):
    """On the red home: it is the base, or a flat tile like any other."""
    table = (f"rule base={base}", "dice blue 1", "red asteroyd @k3", "rock 1 @f3 180")
    assert rocks(*table) == moves


def test_rocks_stay_where_the_blue_die_was_not_seen():
    """Red and white dice turn turrets alone; that the blue one is missing is told."""
    lines = START + "rule base=home\ndice red 3 white 5\nrock 1 @f5 180\nplan red 1 F"
    outcome = GAME.resolve(GAME.read(lines))
    assert outcome.rounds[0].rocks == ()
    missing = [issue for issue in outcome.issues if issue.code == "die_missing"]
    assert [issue.cards for issue in missing] == [("rock-1",)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), True),
        (({"kind": "nothing", "at_px": [70, 90]},), False),
        (
            (
                {"kind": "set", "piece": "rock-1", "cell": "f5"},
                {"kind": "dice", "dice": {"blue": 3}},
            ),
            False,
        ),
    ],
)
def test_the_blue_die_may_be_missing_while_something_on_the_board_is_unread(words, told):
    """It may be a rock; once the players say what lies there, it is known what the die turns."""
    table = GAME.read(START + "dice red 3 white 5\nplan red 1 F")
    table = replace(table, unread=((frozenset({"f5"}), (70.0, 90.0)),))
    for word in words:
        table = GAME.edit(table, word)
    codes = {issue.code for issue in GAME.resolve(table).issues}
    assert ("die_missing" in codes) == told
    alone = GAME.read(START + "dice red 3 white 5\nplan red 1 F")
    assert "die_missing" not in {issue.code for issue in GAME.resolve(alone).issues}


# --- the final pieces ----------------------------------------------------------------------------


def test_pods_and_rocks_off_the_table_are_not_among_the_final_pieces():
    """Rock 1 is shot, pod 3 was never there; read again, the table is the same without them."""
    table = GAME.read(START + "pod 3 @-\nrock 1 @f5 0\nrock 2 @-\nred 1 @f4 0\nplan red 1 X")
    outcome = GAME.resolve(table)
    assert outcome.rounds[0].destroyed == ("rock-1",)
    final = GAME.write_outcome(outcome)["final"]
    names = {piece["piece"] for piece in final["pieces"]}
    assert not names & {"pod-3", "rock-1", "rock-2"}
    assert names >= {"pod-1", "pod-2", "pod-4", "pod-5"}
    assert GAME.read(json.dumps(final)) == outcome.final
    whole = GAME.resolve(GAME.read(START))
    assert (outcome.final.layout, whole.final.layout) == (None, "2v2")


def test_what_is_off_the_table_means_nothing_for_the_next_turn():
    for seed in range(TURNS // 2):
        table = random_table(random.Random(seed))
        final = after(table, play(table))
        assert all(p.cell or p.on for p in final.pieces), seed
        assert GAME.read(json.dumps(GAME.write(final))) == final, seed
        pieces = tuple(play(table).position.pieces.values())
        programs = {k: v for k, v in table.programs.items() if k in {p.id for p in final.pieces}}
        kept = replace(final, pieces=pieces, programs=programs)
        assert play(kept).rounds == play(replace(final, programs=programs)).rounds, seed


# --- sides and files -----------------------------------------------------------------------------


def test_sides_stand_in_the_game_s_own_order():
    """Red, white, blue, whatever the file's order and the alphabet are."""
    table = GAME.read("game asteroyds-capture\nlayout 2v2v2\nscore blue 1 red 0 white 1")
    told = GAME.write_outcome(GAME.resolve(table))
    assert list(told["scores"]) == ["red", "white", "blue"]
    assert all(list(r["scores"]) == ["red", "white", "blue"] for r in told["rounds"])
    assert [side.id for side in GAME.tell(table, GAME.resolve(table)).sides] == [
        *("red", "white", "blue")
    ]


@pytest.mark.parametrize("first", ["jeu asteroyds-capture", "Jeu asteroyds-capture; board 5"])
def test_the_first_line_may_name_the_game_in_french(first):
    text = "game asteroyds-capture\nlayout 2v2"
    assert GAME.read(text.replace("game asteroyds-capture", first)) == GAME.read(text)


# --- a law ---------------------------------------------------------------------------------------

_MIRRORED = {"left": "right", "right": "left"}
_MIRRORED |= {f"power-{k}": f"power-{360 - k}" for k in range(60, 360, 60)}


def in_a_mirror(table: Table) -> Table:
    """Return a table with left and right exchanged; a die's number counts the other way round."""
    pieces = tuple(
        replace(p, cell=p.cell and other_side(p.cell, table.radius), way=-p.way % 6)
        for p in table.pieces
    )
    programs = {
        ship: Program(tuple(_MIRRORED.get(a or "", a) for a in p.columns), p.mode, p.rounds)
        for ship, p in table.programs.items()
    }
    dice = {colour: (7 - die) % 6 + 1 for colour, die in table.dice.items()}
    return replace(table, pieces=pieces, programs=programs, dice=dice, layout=None)


def other_side(cell: str, radius: int) -> str:
    board = board_of(radius)
    q, r = board.cells[cell]
    return board.name((-q, r + q)) or ""


def test_a_mirror_mirrors_the_turn():
    happened = 0
    for seed in range(TURNS):
        table = random_table(random.Random(seed))
        one, other = play(table), play(in_a_mirror(table))

        def cell(name: str, radius: int = table.radius) -> str:
            return other_side(name, radius)

        def action(name: str) -> str:
            return _MIRRORED.get(name, name)

        def way(k: int) -> int:
            return -k % 6

        assert mapped(one.rounds, cell, action, way) == mapped(other.rounds, same, same, same), seed
        assert (one.winners, one.refused) == (other.winners, other.refused), seed
        happened += sum(bool(r.rocks) + bool(r.teleports) for r in one.rounds)
        assert {kind_of(p.id) for p in table.pieces if p.cell is None and p.on is None} <= {
            *("pod", "rock", "ship")
        }
    assert happened > TURNS
