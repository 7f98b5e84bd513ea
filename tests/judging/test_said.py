"""Players' words and the doubts that they close: those about what was said, and no other."""

import json
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.asteroyds_capture import test_lay as asteroyds
from tests.games.conflit_stellaire import test_lay as conflit
from tests.games.laser_shield import test_lay as shield
from vision.errors import TableFormatError
from vision.games.laser_shield.game import LaserShield
from vision.judging.game import Game
from vision.judging.play import play, replay
from vision.judging.said import closed_by, left_open, nothing_more
from vision.values.layout import Layout, Placed
from vision.values.messages import Issue
from vision.values.scan import Scan

CLOSES = {"cell": ("lost", "strange"), "way": ("turned",)}
SEEN = {"a": (10.0, 20.0), "b": (30.0, 40.0)}
CODES = ("lost", "strange", "turned", "table_covered", "other")
WORDS = st.frozensets(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["cell", "way", "x"])))


def issues() -> list[Issue]:
    """Return every kind of doubt about each piece, by its name and by its place alone."""
    named = [Issue(code, "", (of,)) for code, of in product(CODES, SEEN)]
    placed = [Issue(code, "", ("else",), at_px=at) for code, at in product(CODES, SEEN.values())]
    return [*named, *placed]


@given(WORDS)
def test_a_word_closes_what_it_is_about_by_name_and_by_place(said: frozenset[Any]) -> None:
    over = list(closed_by(said, CLOSES, SEEN))
    for issue in issues():
        of = next(name for name, at in SEEN.items() if name in issue.cards or issue.at_px == at)
        is_answered = any((of, what) in said and issue.code in CLOSES[what] for what in CLOSES)
        assert any(one.is_of(issue) for one in over) == is_answered


def test_that_nothing_more_lies_there_closes_doubts_of_that_place_alone() -> None:
    word = nothing_more({"kind": "nothing", "at_px": [10, 20]})
    assert word is not None
    left = [(one.code, one.at_px) for one in left_open(issues(), {word}, CLOSES)]
    every = [(one.code, one.at_px) for one in issues()]
    every.remove(("table_covered", (10.0, 20.0)))
    assert left == every


@pytest.mark.parametrize("at", [None, [1], [1, 2, 3], ["1", 2], [float("nan"), 2], 5])
def test_nothing_without_a_place_is_refused(at: Any) -> None:
    with pytest.raises(TableFormatError):
        nothing_more({"kind": "nothing", "at_px": at})
    assert nothing_more({"kind": "set", "at_px": [1, 2]}) is None


# --- each game -----------------------------------------------------------------------------------


def at(thing: Placed, x: float, y: float) -> Placed:
    return replace(thing, outline_px=thing.outline_px * 0 + [x, y])


def open_codes(scan: Scan) -> set[str]:
    return {issue.code for issue in scan.issues if issue.severity == "doubt"}


def about(code: str, thing: Placed, *, by_spot: bool = False) -> Issue:
    name = thing.spot if by_spot else thing.piece
    return Issue(code, "", (name,), at_px=thing.at_px)


def laser_scan(*codes: str) -> tuple[Scan, Game]:
    """Return six pawns, real ones of which the foot of one is doubted."""
    things = []
    for k, (team, square) in enumerate(product(("orange", "blue"), ("c1", "c2", "c3"))):
        own = square if team == "orange" else square.replace("c", "d")
        foot, stick = shield.pawn(team, own, 90.0)
        things += [replace(at(foot, 100.0 * k, 7.0), spot=f"pawn-{k}"), stick]
    doubts = tuple(about(code, things[0], by_spot=True) for code in codes)
    layout = Layout(tuple(things), np.zeros((0, 0)), shield.CAMERA, (640, 480), doubts)
    return play([layout], LaserShield(), None, {}), LaserShield()


def test_who_says_where_a_pawn_stands_closes_what_seeing_doubts_of_its_foot() -> None:
    scan, game = laser_scan("pawn_hidden")
    assert "pawn_hidden" in open_codes(scan)
    own = next(pawn for pawn in scan.table.pawns if scan.table.seen[pawn.id] == (0.0, 7.0))
    other = next(pawn for pawn in scan.table.pawns if pawn.id != own.id)
    for name, field, is_open in (
        (own.id, "square", False),
        (own.id, "heading", True),
        (other.id, "square", True),
    ):
        pawn = own if name == own.id else other
        said = {"kind": "set", "piece": name, field: getattr(pawn, field)}
        after = replay(scan, game, game.edit(scan.table, said))
        assert ("pawn_hidden" in open_codes(after)) == is_open


def test_what_is_said_is_said_of_a_table_from_a_file_too() -> None:
    """The page reads a round from what was kept of it."""
    scan, game = laser_scan("pawn_hidden")
    table = game.read(json.dumps(game.write(scan.table)))
    own = next(name for name, at_px in table.seen.items() if at_px == (0.0, 7.0))
    square = next(pawn.square for pawn in table.pawns if pawn.id == own)
    said = {"kind": "set", "piece": own, "square": square}
    assert "pawn_hidden" not in open_codes(replay(scan, game, game.edit(table, said)))


def asteroyds_scan(*more: Placed, doubts: tuple[Issue, ...] = ()) -> tuple[Scan, Game]:
    placed = tuple(asteroyds.pieces_of("2v2", leave=("white-2",)))
    layout = replace(asteroyds.photo(*placed, *more), doubts=doubts)
    return play([layout], asteroyds.GAME, None, {}), asteroyds.GAME


def test_a_thing_on_the_board_is_answered_by_what_lies_in_its_cell_or_by_nothing() -> None:
    x, y = asteroyds.BOARD.centre_mm("b3")
    outline = np.array([[-9, -9], [9, -9], [9, 9], [-9, 9]]) + np.array([x, y])
    thing = replace(asteroyds.put("unknown-1", x, y, score=0.0), outline_px=outline)
    scan, game = asteroyds_scan(thing, doubts=(about("thing_unread", thing),))
    assert "thing_unread" in open_codes(scan)
    for change, is_open in (
        ({"kind": "set", "piece": "white-2", "cell": "b3"}, False),
        ({"kind": "set", "piece": "white-2", "cell": "b4"}, True),
        ({"kind": "nothing", "at_px": list(thing.at_px)}, False),
        ({"kind": "nothing", "at_px": [thing.at_px[0] + 1, thing.at_px[1]]}, True),
    ):
        after = replay(scan, game, game.edit(scan.table, change))
        assert ("thing_unread" in open_codes(after)) == is_open, change


def test_a_pod_in_another_cell_is_one_doubt_that_one_word_closes() -> None:
    placed = asteroyds.pieces_of("2v2")
    k = next(k for k, one in enumerate(placed) if one.piece == "pod")
    x, y = asteroyds.BOARD.centre_mm("a1")
    placed[k] = replace(placed[k], x_mm=x, y_mm=y)
    scan = play([asteroyds.photo(*placed)], asteroyds.GAME, None, {})
    (told,) = [i for i in scan.issues if i.code.startswith("tile_")]
    assert told.code == "tile_elsewhere"
    said = {"kind": "set", "piece": told.cards[0], "cell": "a1"}
    after = replay(scan, asteroyds.GAME, asteroyds.GAME.edit(scan.table, said))
    assert not {code for code in open_codes(after) if code.startswith("tile_")}


def test_a_pod_that_is_not_there_is_said_to_be_gone() -> None:
    placed = asteroyds.pieces_of("2v2")
    placed.remove(next(one for one in placed if one.piece == "pod"))
    scan = play([asteroyds.photo(*placed)], asteroyds.GAME, None, {})
    (told,) = [i for i in scan.issues if i.code == "tile_missing"]
    gone = asteroyds.GAME.edit(scan.table, {"kind": "remove", "id": told.cards[0]})
    assert "tile_missing" not in open_codes(replay(scan, asteroyds.GAME, gone))


def conflit_scan() -> tuple[Scan, Game, list[Placed]]:
    """Return two energy cells side by side, each of which seeing doubts, and an unread card."""
    cells = [at(conflit.piece("energy-cell", 60.0 * k, 250), 60.0 * k, 9.0) for k in range(2)]
    cells = [replace(c, others=(conflit.Other("marines", 0.8, 0.2),)) for c in cells]
    unread = at(conflit.piece("unknown-3", 200, 250), 500.0, 9.0)
    things = conflit.duel(*cells, unread)
    doubts = (
        *(about("doubtful_card", cell) for cell in cells),
        about("unreadable_card", unread),
        about("glare", cells[0]),
    )
    joint = np.zeros((3 * len(things), 3 * len(things)))
    layout = Layout(tuple(things), joint, conflit.CAMERA, (1000, 800), doubts)
    return play([layout], conflit.GAME, None, {}), conflit.GAME, cells


def card_at(scan: Scan, at_px: tuple[float, float]) -> str:
    return next(name for name, place in scan.table.seen.items() if place == at_px)


@pytest.mark.parametrize("face", ["energy-cell", "marines"])
def test_to_say_what_a_card_is_closes_its_own_doubts_and_not_those_of_its_like(face: str) -> None:
    scan, game, cells = conflit_scan()
    name = card_at(scan, cells[0].at_px)
    said = {"kind": "card", "id": name, "set": {"card": face}}
    after = replay(scan, game, game.edit(scan.table, said))
    left = [i.at_px for i in after.issues if i.code == "doubtful_card" or name in i.cards]
    assert left == [cells[1].at_px]
    told = {card for i in after.issues if i.code == "piece_doubtful" for card in i.cards}
    assert told == {card_at(scan, cells[1].at_px)}
    assert "glare" in open_codes(after)  # another card may lie there


def test_of_a_card_that_cannot_be_read_one_doubt_is_told_until_it_is_said() -> None:
    scan, game, _ = conflit_scan()
    told = [i for i in scan.issues if i.code in ("unread", "unreadable_card")]
    assert [i.code for i in told] == ["unread"]
    (name,) = told[0].cards
    said = {"kind": "card", "id": name, "set": {"engaged": True}}
    assert "unread" in open_codes(replay(scan, game, game.edit(scan.table, said)))
    said = {"kind": "card", "id": name, "set": {"card": "screen"}}
    after = replay(scan, game, game.edit(scan.table, said))
    assert not {"unread", "unreadable_card"} & open_codes(after)


def test_that_nothing_more_is_there_closes_the_glare() -> None:
    scan, game, cells = conflit_scan()
    said = {"kind": "nothing", "at_px": list(cells[0].at_px)}
    after = replay(scan, game, game.edit(scan.table, said))
    assert "glare" not in open_codes(after)
    assert open_codes(scan) - open_codes(after) == {"glare"}


def test_a_die_in_doubt_is_told_with_its_place_also_of_a_table_from_a_file() -> None:
    die = at(asteroyds.die("red", 3, others=((4, 0.4),)), 700.0, 90.0)
    scan, game = asteroyds_scan(die)
    kept = game.read(json.dumps(game.write(scan.table)))
    for one in (scan, replay(scan, game, kept)):
        places = [issue.at_px for issue in one.issues if issue.code == "die_doubtful"]
        assert places == [(700.0, 90.0)]
