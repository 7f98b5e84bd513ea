"""Ways that a table may be: their chances add up, by all of them or by lot."""

import pytest

from vision.judging.odds import endings, joint_readings

READINGS = {"die": [(3, 0.7), (5, 0.3)], "sun": [("a1", 0.9), ("b1", 0.1)]}


def test_all_ways_are_yielded_with_their_chances():
    ways = list(joint_readings(READINGS))
    assert len(ways) == 4
    assert sum(chance for _, chance in ways) == pytest.approx(1.0)
    assert ({"die": 3, "sun": "b1"}, pytest.approx(0.07)) in ways


def test_too_many_ways_are_drawn_by_their_chances():
    ways = list(joint_readings(READINGS, most=3))
    assert len(ways) == 3
    many = {k: [(True, 0.8), (False, 0.2)] for k in range(14)}
    share = sum(way[0] * chance for way, chance in joint_readings(many, most=4000))
    assert share == pytest.approx(0.8, abs=0.03)  # four standard deviations of 4,000 draws


def test_ways_that_cannot_be_are_left_out():
    told = endings(joint_readings(READINGS), lambda way: None if way["die"] == 5 else way["sun"])
    assert told == (("a1", pytest.approx(0.9)), ("b1", pytest.approx(0.1)))
