"""Cells and ways: laws of their chances."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.judging.grids import hexes, read_way, squares

SEEN = np.eye(2) * 0.1**2
BOARD = squares(3, 3, 50.0)


def test_a_board_of_squares_lies_round_the_origin():
    assert BOARD.centre("b2") == (0.0, 0.0)
    assert BOARD.centre("a1") == (-50.0, -50.0)
    assert BOARD.centre("a3") == (-50.0, 50.0)


def test_hexes_are_as_far_apart_as_they_are_across():
    grid = hexes(5, 38.0)
    assert len(grid.names) == 91
    x, y = grid.centre("1,0")
    assert math.hypot(x, y) == pytest.approx(38.0)
    assert grid.centre("0,1") == (0.0, 38.0)


@given(st.floats(-90, 90), st.floats(-90, 90), st.floats(0.5, 20))
def test_chances_add_up_and_the_nearest_cell_is_the_likeliest(x, y, laid):
    read = BOARD.read((x, y), SEEN, laid)
    assert sum(chance for _, chance in read) == pytest.approx(1.0)
    away = np.hypot(*(BOARD.centres_mm - [x, y]).T)
    assert math.dist(BOARD.centre(read[0][0]), (x, y)) == pytest.approx(away.min())


def test_on_a_line_two_cells_are_as_likely():
    (one, half), (other, rest), *_ = BOARD.read((25.0, 0.0), SEEN, 6.0)
    assert {one, other} == {"b2", "c2"}
    assert half == pytest.approx(rest)


@given(st.floats(-math.pi, math.pi), st.sampled_from([4, 6, 8]))
def test_ways_turn_with_the_piece(theta, ways):
    read = dict(read_way(theta, 1e-4, ways, 0.1))
    turned = dict(read_way(theta + 2 * math.pi / ways, 1e-4, ways, 0.1))
    for way, chance in read.items():
        assert turned.get((way + 1) % ways, 0.0) == pytest.approx(chance, abs=1e-3)
