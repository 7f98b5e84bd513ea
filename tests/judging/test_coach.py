"""Advice of several rounds: of each side what was worth most, three at most."""

from hypothesis import given
from hypothesis import strategies as st

from vision.judging.coach import MOST_HINTS, Advice, best_of
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
