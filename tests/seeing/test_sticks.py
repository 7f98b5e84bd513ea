"""Sticks: what is hidden beyond the ends of one may be more of it."""

import numpy as np
import pytest

from vision.seeing.pieces.sticks import hidden_beyond


@pytest.mark.parametrize(
    ("hidden", "ends", "steps"),
    [
        ("..##[..]##.", (4, 5), 4),  # between two tokens: on both sides
        ("#.#[...].#", (3, 5), 1),  # what lies farther off does not count
        ("[...]", (0, 2), 0),
        ("###[.]###", (3, 3), 6),  # as far as was looked
    ],
)
def test_what_adjoins_the_ends_of_a_stick_may_hide_more_of_it(hidden, ends, steps):
    mask = np.array([step == "#" for step in hidden if step not in "[]"])
    assert hidden_beyond(mask, ends) == steps
