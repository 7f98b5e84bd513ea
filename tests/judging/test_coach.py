"""Advice of several rounds: of each side what was worth most, three at most. The map drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.judging.coach import MOST_HINTS, Advice, Coaching, best_of
from vision.values.heat import HeatMap
from vision.values.messages import message

ADVICE = st.builds(
    Advice,
    st.sampled_from(["red", "blue", None]),
    st.just("turn"),
    st.just(message("hint.move")),
    worth=st.none() | st.integers(1, 12),
)
ROUNDS = st.lists(st.lists(ADVICE, max_size=6), max_size=5)


@given(ROUNDS)
def test_of_an_evening_each_side_is_told_what_was_worth_most(rounds):
    told = best_of(rounds)
    sides = {one.side for advice in rounds for one in advice}
    for side in sides:
        every = [one for advice in rounds for one in advice if one.side == side]
        counted = sorted((one.worth for one in every if one.worth is not None), reverse=True)
        mine = [one.worth for _, one in told if one.side == side]
        assert mine == ([] if side is None else counted[:MOST_HINTS])
    assert all(one in rounds[number] for number, one in told)


def test_of_equals_the_earlier_round_comes_first():
    one = Advice("red", "turn", message("hint.move"), worth=2)
    assert [number for number, _ in best_of([[one], [one, one], [one]])] == [0, 1, 1]


@pytest.mark.parametrize("said", ["viper", "juggernaut"])
def test_of_equal_maps_that_is_drawn_whose_place_is_said(said):
    square = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0))
    place = np.zeros((1, 2))
    names = ("juggernaut", "viper", "moth")
    maps = tuple(
        HeatMap(name, "blue", place, np.array([worth]), 1.0, np.array(square))
        for name, worth in zip(names, (11.0, 11.0, 3.0), strict=True)
    )
    advice = (
        Advice("blue", "place", message("hint.place"), worth=11, piece=said, outline_mm=square),
        Advice("blue", "own_fire", message("hint.own_fire"), worth=11, piece="juggernaut"),
        Advice("blue", "place", message("hint.place"), worth=3, piece="moth", outline_mm=square),
    )
    hottest = Coaching(advice, maps).hottest
    assert hottest is not None
    assert hottest.piece == said
    assert Coaching((), maps[2:]).hottest is maps[2]
