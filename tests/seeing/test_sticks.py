"""Sticks: which lines are of one, and what is hidden beyond the ends of one may be more of it."""

import numpy as np
import pytest

from vision.seeing.pieces.sticks import _continued, _Line, hidden_beyond


@pytest.mark.parametrize(
    ("hidden", "ends", "steps"),
    [
        ("..##[..]##.", (4, 5), (2, 2)),  # between two tokens: on both sides
        ("#.#[...].#", (3, 5), (1, 0)),  # what lies farther off does not count
        ("[...]", (0, 2), (0, 0)),
        ("###[.]###", (3, 3), (3, 3)),  # as far as was looked
    ],
)
def test_what_adjoins_the_ends_of_a_stick_may_hide_more_of_it(hidden, ends, steps):
    mask = np.array([step == "#" for step in hidden if step not in "[]"])
    assert hidden_beyond(mask, ends) == steps


@pytest.mark.parametrize(
    ("middle_mm", "way_deg", "is_one"),
    [
        ((4.0, 0.5), 3.0, True),  # the same one, seen again
        ((0.0, 6.0), 60.0, True),  # across it: a stroke of the print
        ((10.0, 17.3), 60.0, False),  # its end touches the middle of the first
        ((27.0, 0.5), 9.0, False),  # end beside end
        ((0.0, 6.0), 0.0, False),  # side by side
    ],
)
def test_sticks_may_touch_and_do_not_cross(middle_mm, way_deg, is_one):
    first = _Line(np.zeros(2), 0.0, 20.0)
    other = _Line(np.array(middle_mm), np.radians(way_deg), 15.0)
    assert first.is_near(other, 43.0, 2.7) == is_one
    assert other.is_near(first, 43.0, 2.7) == is_one


@pytest.mark.parametrize(
    ("beyond", "missing_mm", "ends"),
    [
        ((40, 0), 5.0, (30, 99)),  # its head lies over the edge of the board
        ((0, 40), 5.0, (50, 119)),
        ((8, 0), 5.0, (42, 99)),  # something covers the rest
        ((40, 40), 5.0, (50, 99)),  # which end goes on is not known
        ((40, 0), -1.0, (50, 99)),
    ],
)
def test_a_stick_goes_on_over_the_edge_as_far_as_it_is_long(beyond, missing_mm, ends):
    assert _continued((50, 99), beyond, missing_mm) == ends
