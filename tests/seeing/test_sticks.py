"""Sticks: what is hidden beyond the ends of one may be more of it."""

import numpy as np
import pytest

from vision.seeing.pieces.sticks import _head_odds, hidden_beyond


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


@pytest.mark.parametrize("is_head_last", [False, True])
@pytest.mark.parametrize("smear", [0, 4, 8])
def test_a_blurred_end_is_no_head(is_head_last, smear):
    """On a dark frame the end of a match is darker than a red head; a mixture explains it."""
    wood, red, frame = np.array([[215, 30, -60], [120, 75, -40], [40, 2, 4]], np.float32)
    tone = np.tile(wood, (176, 1))
    share = np.linspace(1, 0, smear)[:, None]
    tone[:smear] = share * frame + (1 - share) * wood
    tone[-10:] = red
    below = np.tile(frame, (176, 1))
    way = -1 if is_head_last else 1
    odds = _head_odds(tone[::-way], below, np.zeros(176, bool), (0, 175))
    assert -way * odds > 4
