"""The board's print: any part of it fixes place and half-turn, on a grey print too."""

from itertools import combinations

import cv2
import numpy as np
import pytest

from calibration.laser_shield.art import art_of, draw
from calibration.printing import print_pieces
from vision.games.laser_shield.board import SQUARE_MM, SQUARES, centre_mm
from vision.games.laser_shield.game import LaserShield
from vision.games.laser_shield.pieces import BOARD_MM

SCALE = 2.0  # px/mm: a whole table in a web camera
INNER_MM = 17.0  # of a square's middle: without its lines and name, which all share
MOST_ALIKE = 0.45  # of squares: a like one would have 1; the doors, drawn alike, have the most
PART_MM = 50.0  # a part that is left in view: little more than a square
MARGIN = 0.2  # by how much a part fits its own place better: all share lines and frame


@pytest.fixture(scope="module")
def grey():
    board = cv2.cvtColor(draw("board", SCALE), cv2.COLOR_BGR2GRAY)
    return cv2.GaussianBlur(board, (0, 0), 0.7).astype(np.float32)


def inner(grey, square):
    x, y = ((np.array(centre_mm(square)) + np.array(BOARD_MM) / 2) * SCALE).round().astype(int)
    r = round(INNER_MM * SCALE)
    return grey[y - r : y + r, x - r : x + r]


def likeness(one, other):
    """The best correlation at shifts of up to 4 mm."""
    cut = round(4 * SCALE)
    return float(cv2.matchTemplate(one, other[cut:-cut, cut:-cut], cv2.TM_CCOEFF_NORMED).max())


def test_no_two_squares_are_alike_at_any_quarter_turn(grey):
    worst = max(
        (likeness(inner(grey, one), np.rot90(inner(grey, other), turn).copy()), one, other, turn)
        for one, other in combinations(SQUARES, 2)
        for turn in range(4)
        if {one, other} not in ({"a2", "f1"}, {"c3", "d2"})
    )
    assert worst[0] < MOST_ALIKE, worst


def test_doors_and_red_squares_differ_from_their_own_kind(grey):
    for one, other in (("a2", "f1"), ("c3", "d2")):
        for turn in range(4):
            assert likeness(inner(grey, one), np.rot90(inner(grey, other), turn).copy()) < 0.95


@pytest.mark.parametrize("turned", [False, True])
def test_any_part_fixes_place_and_half_turn(grey, turned):
    """The upright part is found at its own place alone; a part of the turned board nowhere."""
    size = round(PART_MM * SCALE)
    sought = np.rot90(grey, 2).copy() if turned else grey
    height, width = grey.shape
    for top in np.linspace(0, height - size, 5).astype(int):
        for left in np.linspace(0, width - size, 7).astype(int):
            part = grey[top : top + size, left : left + size]
            fits = cv2.matchTemplate(sought, part, cv2.TM_CCOEFF_NORMED)
            if not turned:
                assert fits[top, left] > 0.999
                near = round(3 * SCALE)
                rows = slice(max(0, top - near), top + near + 1)
                fits[rows, max(0, left - near) : left + near + 1] = -1
            assert fits.max() < 1 - MARGIN, (top, left)


def test_each_token_is_another_on_a_grey_print():
    names = [f"{team}-{number}" for team in ("orange", "blue") for number in (1, 2, 3)]
    drawn = {n: cv2.cvtColor(draw(n, SCALE), cv2.COLOR_BGR2GRAY).astype(float) for n in names}
    for one, other in combinations(names, 2):
        differing = np.abs(drawn[one] - drawn[other]) > 40
        # the pips alone: two of 1.8 mm or more beside each other
        assert differing.sum() / SCALE**2 > 6.0, (one, other)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_board_fits_a_page_and_bars_and_slips_are_printed(tmp_path, paper):
    art = art_of(LaserShield())
    each = {piece.id: (piece.size_mm, piece.copies) for piece in art.pieces.pieces}
    assert each["bar"] == ((3.0, 40.0), 6)
    assert {"slip-orange", "slip-blue", "board", "blue-3"} <= set(each)
    assert all(len(art.shapes(name)) > 3 for name in each)
    assert print_pieces(art, tmp_path / "all.pdf", paper) == 3  # board; tokens and bars; slips


def test_a_square_is_as_large_as_the_rules_say():
    assert np.subtract(centre_mm("d1"), centre_mm("c1")) == pytest.approx([SQUARE_MM, 0])
