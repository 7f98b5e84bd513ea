"""Doubts played out: the ways a table may be, and which doubts change how it ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.judging.doubted import (
    Doubted,
    Way,
    doubted_names,
    find_ways,
    how_much,
    how_much_together,
)
from vision.values.layout import MayBe, PlacedCard
from vision.values.ledger import NO_MATTER


@st.composite
def doubts(draw: st.DrawFn, most: int = 3) -> tuple[Doubted, ...]:
    found = []
    for k in range(draw(st.integers(0, most))):
        weights = draw(st.lists(st.floats(0.01, 1), min_size=1, max_size=3))
        total = sum(weights)
        readings = tuple((f"{k}-{r}", w / total) for r, w in enumerate(weights))
        found.append(Doubted((f"piece-{k}",), ("doubt",), readings))
    return tuple(found)


def always(_: tuple[int, ...]) -> bool:
    return True


@given(doubts(), st.integers(1, 40), st.integers(0, 9))
def test_chances_of_the_ways_add_up_to_one_and_what_is_taken_is_first(several, most, seed):
    ways = find_ways(several, always, most, seed)
    assert sum(way.chance for way in ways) == pytest.approx(1)
    assert not any(ways[0].chosen)
    assert len({way.chosen for way in ways}) == len(ways)
    assert ways == find_ways(several, always, most, seed)


@given(doubts())
def test_what_is_not_drawn_is_told_exactly(several):
    for way in find_ways(several, always, 1000):
        readings = [doubt.readings[r][1] for doubt, r in zip(several, way.chosen, strict=True)]
        assert way.chance == pytest.approx(float(np.prod(readings)))


@given(doubts(), st.data())
def test_a_doubt_settled_is_the_ways_in_which_it_is_so(several, data):
    """Settling one doubt gives the others the chances that they have where it is so."""
    if not several:
        return
    k = data.draw(st.integers(0, len(several) - 1))
    r = data.draw(st.integers(0, len(several[k].readings) - 1))
    mine = [w for w in find_ways(several, always, 1000) if w.chosen[k] == r]
    whole = sum(way.chance for way in mine)
    rest = (*several[:k], *several[k + 1 :])
    alone = {way.chosen: way.chance for way in find_ways(rest, always, 1000)}
    for way in mine:
        chosen = (*way.chosen[:k], *way.chosen[k + 1 :])
        assert way.chance / whole == pytest.approx(alone[chosen])


def test_of_too_many_ways_the_likeliest_have_their_own_chance():
    several = tuple(Doubted((f"{k}",), (), ((0, 0.97), (1, 0.02), (2, 0.01))) for k in range(8))
    told = {way.chosen: way.chance for way in find_ways(several, always, 40)}
    assert sum(told.values()) == pytest.approx(1)
    assert told[0, 0, 0, 0, 0, 0, 0, 0] == pytest.approx(0.97**8)
    for k in range(8):  # rarer than one in forty, and known all the same
        one = tuple(int(j == k) for j in range(8))
        assert told[one] == pytest.approx(0.97**7 * 0.02)


def test_a_way_that_cannot_be_is_left_out():
    both = (
        Doubted(("a",), (), (("moth", 0.5), ("viper", 0.5))),
        Doubted(("b",), (), (("viper", 0.8), ("moth", 0.2))),
    )

    def once_each(chosen: tuple[int, ...]) -> bool:
        return both[0].readings[chosen[0]][0] != both[1].readings[chosen[1]][0]

    told = {way.chosen: way.chance for way in find_ways(both, once_each)}
    assert told == pytest.approx({(0, 0): 0.8, (1, 1): 0.2})


def test_chances_that_are_none_are_refused():
    with pytest.raises(ValueError, match="add up to 1"):
        Doubted(("a",), (), (("moth", 0.5), ("viper", 0.4)))


@given(doubts(), st.integers(0, 9))
def test_a_doubt_matters_as_often_as_it_changes_how_it_ends(several, seed):
    """What a doubt changes is counted over everything else, draw by draw."""
    ways = find_ways(several, always, 1000)
    rng = np.random.default_rng(seed)
    endings = [rng.integers(0, 2, 6) for _ in ways]
    at = {way.chosen: k for k, way in enumerate(ways)}
    for k, told in enumerate(how_much(several, ways, endings)):
        expected = 0.0
        for i, way in enumerate(ways):
            base = at[(*way.chosen[:k], 0, *way.chosen[k + 1 :])]
            expected += way.chance * float((endings[i] != endings[base]).mean())
        assert told == pytest.approx(expected)


@given(doubts(), st.integers(1, 4))
def test_doubts_that_change_nothing_do_not_matter(several, most):
    ways = find_ways(several, always, most)
    told = how_much(several, ways, [np.zeros(5 + k % 2, np.int64) for k in range(len(ways))])
    assert told == (0.0,) * len(several)


def test_ways_that_were_drawn_tell_what_each_doubt_alone_changes():
    several = tuple(Doubted((f"{k}",), (), ((0, 0.5), (1, 0.5))) for k in range(12))
    ways = find_ways(several, always, 30)
    endings = [np.array([way.chosen[3]]) for way in ways]  # the fourth alone decides
    told = how_much(several, ways, endings)
    drawn = sum(way.chance for way in ways if way.chosen[3])
    assert told[3] == pytest.approx(drawn)
    assert 0.2 < drawn < 0.8
    assert max(told[:3] + told[4:]) == 0.0


def test_doubts_that_change_something_together_matter():
    """Of three, two change the round if both are otherwise; the third changes nothing."""
    several = tuple(Doubted((f"{k}",), (), ((0, 0.8), (1, 0.2))) for k in range(3))
    ways = find_ways(several, always, 1000)
    endings = [np.array([way.chosen[0] * way.chosen[1]]) for way in ways]
    told = how_much_together(ways, endings, (0.0,) * 3)
    assert told[:2] == pytest.approx((0.04, 0.04))
    assert told[2] == pytest.approx(0.2 * 0.04)  # in so many of these it is otherwise, too
    assert how_much_together(ways, endings, (0.3, 0.0, 0.0)) == (0.3, 0.0, 0.0)


@given(doubts(), st.integers(0, 9))
def test_a_round_that_ends_otherwise_has_a_doubt_that_matters(several, seed):
    """What is told of none of the doubts is at most as likely as what nobody asks for."""
    ways = find_ways(several, always, 1000)
    rng = np.random.default_rng(seed)
    endings = [np.array([0 if not any(way.chosen) else rng.integers(0, 2)]) for way in ways]
    told = how_much_together(ways, endings, (0.0,) * len(several))
    quiet = [k for k, chance in enumerate(told) if chance <= NO_MATTER]
    silent = sum(
        way.chance
        for way, ending in zip(ways, endings, strict=True)
        if ending[0] and all(k in quiet for k, r in enumerate(way.chosen) if r)
    )
    assert silent <= NO_MATTER * max(len(quiet), 1)


def test_names_that_are_doubted_are_readings():
    sure = PlacedCard("a", 0, 0, 0)
    open_ = PlacedCard("b", 0, 0, 0, may_be=(MayBe("c", 0.3), MayBe(None, 0.1), MayBe("d", 0.0)))
    (told,) = doubted_names([sure, open_], ("doubtful",))
    assert told.pieces == ("b",)
    assert dict(told.readings) == pytest.approx({"b": 0.6, "c": 0.3, None: 0.1})
    assert doubted_names([sure], ("doubtful",)) == ()
    assert find_ways((), always) == (Way((), 1.0),)
