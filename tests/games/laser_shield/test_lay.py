"""Pawns as seen -> squares and headings with their chances, and what is told."""

import math
from dataclasses import replace

import numpy as np
import pytest

from vision.errors import TableNotFoundError
from vision.games.laser_shield.board import HEADINGS, centre_mm
from vision.games.laser_shield.lay import lay
from vision.games.laser_shield.resolve import resolve
from vision.games.laser_shield.values import Options, Pawn, Table
from vision.values.layout import Camera, Layout, Placed
from vision.values.messages import Issue

RIM = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]])
CAMERA = Camera(np.eye(3), np.zeros(2), np.eye(3))
SEEN = np.diag([0.25, 0.25, np.radians(1.0) ** 2])
BLIND = np.diag([1.0, 1.0, np.pi**2 / 3])


def placed(piece: str, kind: str, at: tuple[float, float], theta_deg: float = 0.0) -> Placed:
    covariance = BLIND if kind == "pawn" else SEEN
    theta = math.radians(theta_deg)
    return Placed(
        f"{piece}@{at}", piece, *at, theta, covariance, RIM, 1.0, 1.0, kind=kind
    )  # fmt: skip


def token(name: str, square: str, theta_deg: float, off: tuple[float, float] = (0, 0)) -> Placed:
    x, y = centre_mm(square)
    return placed(name, "token", (x + off[0], y + off[1]), theta_deg)


def pawn(
    team: str, square: str, theta_deg: float, *, side: float = 13.0, head: float = 0.999
) -> tuple[Placed, Placed]:
    """Return a thing and the stick beside it, at its right as it looks along ``theta_deg``."""
    x, y = centre_mm(square)
    theta = math.radians(theta_deg)
    at = (x + side * math.cos(theta), y + side * math.sin(theta))
    stick = replace(placed("match", "stick", at, theta_deg), confidence=head)
    return placed(team, "pawn", (x, y)), stick


def read(*things: Placed, doubts: tuple[Issue, ...] = (), options: Options | None = None) -> Table:
    joint = np.zeros((3 * len(things), 3 * len(things)))
    layout = Layout(tuple(things), joint, CAMERA, (640, 480), doubts=doubts)
    return lay([layout], options or Options())


def codes(table: Table) -> set[str]:
    return {issue.code for issue in table.doubts}


def only(table: Table) -> Pawn:
    (one,) = table.pawns
    return one


@pytest.mark.parametrize("way", range(8))
def test_a_token_in_its_place_is_sure(way: int) -> None:
    one = only(read(token("blue-2", "c2", 45.0 * way)))
    assert (one.id, one.square, one.heading) == ("blue-2", "c2", HEADINGS[way])
    assert one.readings[0].probability > 0.99


def test_chances_are_those_of_the_page() -> None:
    """Half way to the next square and heading, each of the four has a quarter."""
    one = only(read(token("orange-1", "c2", 22.5, (21.0, 0.0))))
    told = {(r.square, r.heading): r.probability for r in one.readings[:4]}
    assert set(told) == {(s, h) for s in ("c2", "d2") for h in ("n", "ne")}
    assert list(told.values()) == pytest.approx([0.25] * 4, abs=0.001)
    nearer = only(read(token("orange-1", "c2", 0.0, (18.0, 0.0))))
    odds = math.exp((24.0**2 - 18.0**2) / 2 / (36 + 0.25))
    ratio = nearer.readings[0].probability / nearer.readings[1].probability
    assert ratio == pytest.approx(odds, rel=0.01)


@pytest.mark.parametrize("way", range(8))
def test_a_pawn_looks_as_its_match_points(way: int) -> None:
    one = only(read(*pawn("blue", "d3", 45.0 * way)))
    assert (one.id, one.square, one.heading) == ("blue-1", "d3", HEADINGS[way])
    assert one.readings[0].probability > 0.99


def test_if_head_and_side_disagree_the_head_counts_with_a_doubt() -> None:
    table = read(*pawn("blue", "d3", 90.0, side=-13.0))
    assert only(table).heading == "e"
    assert 0.5 < only(table).readings[0].probability < 0.99
    assert {r.heading for r in only(table).readings} >= {"e", "w"}
    assert "piece_doubtful" in {issue.code for issue in resolve(table).issues}


def test_without_a_clear_head_the_side_tells_with_a_doubt() -> None:
    for head, side in ((0.55, 13.0), (0.55, -13.0)):
        one = only(read(*pawn("blue", "d3", 0.0, side=side, head=head)))
        assert one.heading == ("n" if side > 0 else "s")
        assert one.readings[0].probability < 0.99


def test_an_unread_heading_is_eight_equal_ones() -> None:
    thing, _ = pawn("orange", "e4", 0.0)
    table = read(thing)
    assert [r.heading for r in only(table).readings] == list(HEADINGS)
    assert [r.probability for r in only(table).readings] == pytest.approx([0.125] * 8)
    assert codes(table) == {"pawn_without_shield"}
    unsure = Issue("token_heading_unsure", "", ("blue-1",))
    again = read(token("blue-1", "e4", 10.0), doubts=(unsure,))
    assert len(only(again).readings) == 8


def test_a_faint_stick_may_be_none() -> None:
    thing, stick = pawn("blue", "d3", 90.0)
    one = only(read(thing, replace(stick, score=0.2)))
    assert one.heading == "e"
    assert one.readings[0].probability < 0.7
    assert len(one.readings) == 8


def test_kits_mix_and_things_without_numbers_take_those_left() -> None:
    table = read(
        token("blue-2", "e4", 0.0), *pawn("blue", "f2", 270.0), *pawn("blue", "d4", 0.0),
        *pawn("orange", "b1", 135.0),
    )  # fmt: skip
    told = {pawn.id: (pawn.square, pawn.heading) for pawn in table.pawns}
    assert told == {
        "blue-1": ("d4", "n"),
        "blue-2": ("e4", "n"),
        "blue-3": ("f2", "w"),
        "orange-1": ("b1", "se"),
    }


def test_the_order_of_things_means_nothing() -> None:
    things = [*pawn("blue", "f2", 270.0), *pawn("blue", "d4", 0.0), token("orange-3", "b1", 90.0)]
    there, back = read(*things), read(*reversed(things))
    assert there.pawns == back.pawns
    assert codes(there) == codes(back)


def test_a_fourth_pawn_is_told_and_left_out() -> None:
    four = [part for square in ("b4", "c4", "d4") for part in pawn("blue", square, 0.0)]
    table = read(*four, placed("blue", "pawn", centre_mm("e4")))
    assert [pawn.square for pawn in table.pawns] == ["b4", "c4", "d4"]  # who has a shield stays
    assert codes(table) == {"pawn_extra"}


def test_a_missing_pawn_is_told() -> None:
    table = read(token("orange-1", "b1", 0.0), token("orange-2", "c1", 0.0))
    missing = [issue for issue in resolve(table).issues if issue.code == "pawn_missing"]
    assert {issue.severity for issue in missing} == {"doubt"}
    assert [dict(issue.said.values)["seen"] for issue in missing if issue.said] == ["2", "0"]


def test_who_stands_beside_the_board_or_in_a_corner_does_not_play() -> None:
    corner = placed("blue", "pawn", (-105.0, -63.0))
    table = read(token("orange-1", "b1", 0.0), corner, token("blue-1", "e4", 0.0, (0.0, 60.0)))
    assert [pawn.id for pawn in table.pawns] == ["orange-1"]
    assert codes(table) == {"pawn_beside"}


def test_a_pawn_on_a_door_is_told() -> None:
    assert codes(read(token("orange-1", "a2", 0.0))) == {"pawn_on_door"}
    elsewhere = read(token("orange-1", "a2", 0.0), options=Options(doors="c2-d3"))
    assert not codes(elsewhere)


def test_two_on_a_square_are_never_played() -> None:
    table = read(token("orange-1", "c2", 0.0), token("blue-1", "c2", 0.0))
    assert len(table.pawns) == 1
    assert codes(table) == {"pawn_twice"}
    between = read(token("orange-1", "c2", 0.0), token("blue-1", "c2", 0.0, (20.0, 0.0)))
    assert {pawn.square for pawn in between.pawns} == {"c2", "d2"}


def test_no_pawn_at_all_is_said_in_one_line() -> None:
    with pytest.raises(TableNotFoundError, match=r"found the board.* needed at least one.* lay"):
        read(placed("board", "board", (0.0, 0.0)))
