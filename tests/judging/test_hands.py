"""What a hand says of a piece: a pose of three numbers, and the place nearest to it."""

import math

import pytest

from vision.errors import TableFormatError
from vision.judging.grids import hexes, squares
from vision.judging.hands import cell_at, nearest_place, read_pose

BOARD = squares(3, 4, 30.0)


def test_a_pose_is_three_numbers_degrees_clockwise():
    assert read_pose("a", {"x_mm": 1, "y_mm": -2.5, "theta_deg": 90}) == (1.0, -2.5, math.pi / 2)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"x_mm": 1, "y_mm": 2},
        {"x_mm": 1, "y_mm": 2, "theta_deg": "90"},
        {"x_mm": 1, "y_mm": math.inf, "theta_deg": 0},
        {"x_mm": 1, "y_mm": 2, "theta_deg": math.nan},
        {"x_mm": 1, "y_mm": 2, "theta_deg": 0, "z_mm": 3},
    ],
)
def test_any_other_pose_is_refused(fields):
    with pytest.raises(TableFormatError, match="a: needed x_mm, y_mm and theta_deg"):
        read_pose("a", fields)


def test_the_nearest_place_is_taken_unless_all_are_too_far():
    assert nearest_place({"near": 4.0, "far": 5.0}, 4.0) == "near"
    assert nearest_place({"near": 4.0, "far": 5.0}, 3.9) is None


def test_each_cell_is_where_its_middle_is_and_half_a_step_round_it():
    for name in BOARD.names:
        x, y = BOARD.centre(name)
        assert {cell_at("a", (x + dx, y + dy), BOARD) for dx in (-14, 14) for dy in (-14, 14)} == {
            name
        }
    with pytest.raises(TableFormatError, match="a would lie beside the board"):
        cell_at("a", (45.0 + 15.1, 0.0), squares(3, 3, 30.0))


@pytest.mark.parametrize("board", [BOARD, hexes(2, 30.0)], ids=["squares", "hexes"])
def test_ahead_is_one_step_and_back_again(board):
    ways = 4 if board is BOARD else 6
    for name in board.names:
        for k in range(ways):
            other = board.ahead(name, k * math.tau / ways)
            if other is None:
                continue
            assert math.dist(board.centre(name), board.centre(other)) == pytest.approx(30.0)
            assert board.ahead(other, k * math.tau / ways + math.pi) == name
    assert board.step_mm == pytest.approx(30.0)
    assert board.centres_mm.mean(axis=0) == pytest.approx([0.0, 0.0], abs=1e-9)


def test_ahead_of_the_edge_is_nothing_and_up_is_up():
    assert BOARD.ahead("a1", 0.0) is None
    assert BOARD.ahead("a2", 0.0) == "a1"
    assert BOARD.ahead("a1", math.pi / 2) == "b1"
    assert BOARD.ahead("c4", math.pi / 2) is None
