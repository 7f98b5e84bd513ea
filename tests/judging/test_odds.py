"""Every way a table may be: its chance is exact, and what was not played is told.

Doubts that compete for a name are held against ways that are counted one by one.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judging.coupled import doubts, enumerated, random_doubts
from vision.judging import odds
from vision.judging.doubted import Doubted, Way, Ways
from vision.judging.odds import OPEN, endings, find_ways, not_known, unknown_lines
from vision.values.ledger import NO_MATTER

SAME = 1e-9  # chances are sums and products of a few numbers
CASES = 1000  # random cases of coupled doubts


@given(doubts(), st.integers(1, 40), st.integers(0, 9))
def test_chances_of_the_ways_add_up_to_one_and_what_is_taken_is_first(several, most, seed):
    found = find_ways(several, most=most, seed=seed)
    ways = found.several
    assert found.unknown == 0
    assert sum(way.chance for way in ways) == pytest.approx(1)
    assert not any(ways[0].chosen)
    assert len({way.chosen for way in ways}) == len(ways)
    assert found == find_ways(several, most=most, seed=seed)


@given(doubts())
def test_what_is_not_drawn_is_told_exactly(several):
    for way in find_ways(several, most=1000).several:
        readings = [doubt.readings[r][1] for doubt, r in zip(several, way.chosen, strict=True)]
        assert way.chance == pytest.approx(float(np.prod(readings)))


@given(doubts(), st.data())
def test_a_doubt_settled_is_the_ways_in_which_it_is_so(several, data):
    """Settling one doubt gives the others the chances that they have where it is so."""
    if not several:
        return
    k = data.draw(st.integers(0, len(several) - 1))
    r = data.draw(st.integers(0, len(several[k].readings) - 1))
    mine = [w for w in find_ways(several, most=1000).several if w.chosen[k] == r]
    whole = sum(way.chance for way in mine)
    rest = (*several[:k], *several[k + 1 :])
    alone = {way.chosen: way.chance for way in find_ways(rest, most=1000).several}
    for way in mine:
        chosen = (*way.chosen[:k], *way.chosen[k + 1 :])
        assert way.chance / whole == pytest.approx(alone[chosen])


def test_of_too_many_ways_the_likeliest_have_their_own_chance():
    several = tuple(Doubted((f"{k}",), (), ((0, 0.97), (1, 0.02), (2, 0.01))) for k in range(8))
    told = {way.chosen: way.chance for way in find_ways(several, most=40).several}
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

    told = {way.chosen: way.chance for way in find_ways(both, once_each).several}
    assert told == pytest.approx({(0, 0): 0.8, (1, 1): 0.2})


def points(chosen: tuple[int, ...], seed: int = 0) -> int:
    """Return how a way ends: one of four endings, at random, but always the same."""
    return int(np.random.default_rng([seed, *chosen]).integers(4))


@pytest.mark.parametrize("part", range(10))
def test_ways_of_coupled_doubts_are_those_that_are_counted_one_by_one(part):
    """Chances of ways and of endings agree exactly, where there is a way at all."""
    for seed in range(part, CASES, 10):
        rng = np.random.default_rng(seed)
        several = random_doubts(rng)
        held = {f"name-{k}" for k in range(12) if rng.random() < 0.05}
        found, expected = find_ways(several, most=100_000, held=held), enumerated(several, held)
        told = {way.chosen: way.chance for way in found.several if way.chance}
        assert found.unknown == (0.0 if expected else 1.0), seed
        assert told == pytest.approx({c: p for c, p in expected.items() if p}, abs=SAME), seed
        ends: dict[int, float] = {}
        for chosen, chance in expected.items():
            ends[points(chosen)] = ends.get(points(chosen), 0.0) + chance
        assert dict(endings(found, points)) == pytest.approx(ends, abs=SAME), seed


def test_what_has_no_chance_is_played_once_for_each_reading_at_most():
    """A way that was not drawn is played only to learn what one reading changes: rounds cost."""
    rng = np.random.default_rng(3)
    idle = 0
    for _ in range(60):
        several = random_doubts(rng)
        ways = find_ways(several, most=4).several
        without = sum(not way.chance for way in ways)
        assert without <= 1 + sum(len(doubt.readings) - 1 for doubt in several)
        idle += without
    assert idle > 60  # else nothing was shown


def counted(several):
    """Count the joint readings of doubts, as those of a group that is too large to list."""
    claimed = [
        [(r, *rest) for r, rest in enumerate(zip(d.readings, d.claims, strict=True))]
        for d in several
    ]
    return odds._Counted.of([[(r, p, claim) for r, (_, p), claim in own] for own in claimed])


def test_joint_readings_that_are_counted_are_as_likely_as_those_that_are_listed():
    for seed in range(200):
        several = random_doubts(np.random.default_rng([7, seed]))
        found = find_ways(several, most=100_000)
        total = counted(several).total
        raw = {
            way.chosen: np.prod(
                [d.readings[r][1] for d, r in zip(several, way.chosen, strict=True)]
            )
            for way in found.several
            if way.chance
        }
        assert total == pytest.approx(sum(raw.values()), abs=SAME), seed


def test_what_is_drawn_of_a_counted_group_has_its_exact_distribution():
    cases = (random_doubts(np.random.default_rng([11, seed])) for seed in range(1000))
    several, listed = next(
        (one, ways)
        for one in cases
        if len(ways := enumerated(one)) >= 20 and max(ways.values()) < 0.5
    )
    group = counted(several)
    n = 4000
    drawn = Counter(group.draw(np.random.default_rng(0), n))
    assert set(drawn) <= set(listed)
    for chosen, chance in listed.items():
        spread = np.sqrt(chance * (1 - chance) / n)
        assert abs(drawn[chosen] / n - chance) <= 4.5 * spread + 1 / n, chosen


def twins(pairs: int, chance: float = 0.5) -> list[Doubted]:
    """Return pairs of cards that may be each other."""
    found = []
    for k in range(pairs):
        for own, other in ((f"a-{k}", f"b-{k}"), (f"b-{k}", f"a-{k}")):
            readings = ((own, 1 - chance), (other, chance))
            found.append(Doubted((own,), (), readings, claims=(own, other)))
    return found


@pytest.mark.parametrize("pairs", range(1, 16))
def test_however_many_cards_compete_as_taken_is_no_likelier_than_it_is(pairs):
    """Issue 35: of ten pairs each of which may be swapped as taken has one chance in 1024."""
    found = find_ways(twins(pairs))
    assert sum(way.chance for way in found.several) + found.unknown == pytest.approx(1)
    assert found.unknown <= NO_MATTER
    drawn = 1 / (200 if 2**pairs > 64 else np.inf)  # one that was drawn stands for a part in 200
    assert found.several[0].chance <= 0.5**pairs + drawn + SAME


def test_of_what_nobody_can_count_the_most_is_not_known():
    """Twenty cards that may each be any of thirty, or nothing that could be counted."""
    names = [f"name-{k}" for k in range(30)]
    several = [
        Doubted(
            (f"card-{k}",),
            (),
            tuple((name, 1 / 30) for name in names),
            claims=tuple(names),
        )
        for k in range(20)
    ]
    found = find_ways(several)
    assert found.unknown > 0.99
    assert sum(way.chance for way in found.several) + found.unknown == pytest.approx(1)


def test_where_no_way_can_be_nothing_is_known():
    both = [Doubted((f"{k}",), (), (("moth", 1.0),), claims=("moth",)) for k in range(2)]
    assert find_ways(both) == Ways((Way((0, 0), 0.0),), 1.0)
    free = [Doubted((f"{k}",), (), ((0, 0.5), (1, 0.5))) for k in range(9)]
    for most in (64, 1000):
        assert find_ways(free, lambda _: False, most) == Ways((Way((0,) * 9, 0.0),), 1.0)


def test_the_fewer_of_those_drawn_can_be_the_more_is_not_known():
    free = [Doubted((f"{k}",), (), ((0, 0.5), (1, 0.5))) for k in range(16)]
    few = find_ways(free, lambda chosen: sum(chosen) == 8 and chosen[:6] == (1,) * 6)
    assert few.unknown > OPEN
    assert sum(way.chance for way in few.several) + few.unknown == pytest.approx(1)
    (issue,) = not_known(few.unknown)
    assert issue.severity == "doubt"
    assert unknown_lines(few.unknown)
    assert not_known(OPEN) == unknown_lines(0.0) == ()


def test_endings_are_told_the_likeliest_first_and_what_is_not_known_is_none_of_them():
    ways = Ways((Way((0,), 0.2), Way((1,), 0.5), Way((2,), 0.0)), 0.3)
    assert endings(ways, lambda chosen: chosen[0]) == ((1, 0.5), (0, 0.2))
