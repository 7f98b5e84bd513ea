"""Mining pulses and kill credit: the rulebook's sentences, and laws."""

from collections import Counter
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.mining import settle_pool
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.roster import Roster, call_roll
from vision.games.light_speed.settle import credit_kill
from vision.games.light_speed.words import words

POWERS = st.lists(st.integers(1, 3), max_size=12)


@pytest.mark.parametrize(
    ("left", "powers", "rocks", "vaporised"),
    [
        (12, [3, 2, 1], (3, 2, 1), 0),
        (6, [3, 2, 1], (3, 2, 1), 0),  # asked for exactly: all of it, nothing lost
        (5, [3, 2, 1], (2, 2, 1), 0),  # the third pulse finds nothing
        (4, [3, 2, 1], (1, 1, 1), 1),  # two ask in the second, one is left
        (3, [3, 2, 1], (1, 1, 1), 0),
        (2, [3, 2, 1], (0, 0, 0), 2),
        (2, [3], (2,), 0),
        (7, [3, 3, 3], (2, 2, 2), 1),
        (1, [1, 1], (0, 0), 1),
        (0, [], (), 0),
    ],
)
def test_pulses(left, powers, rocks, vaporised):
    settled = settle_pool(left, powers)
    assert (settled.rocks, settled.vaporised) == (rocks, vaporised)


@given(st.integers(0, 20), POWERS)
def test_no_rock_is_made_or_forgotten(left, powers):
    settled = settle_pool(left, powers)
    assert sum(settled.rocks) + settled.vaporised <= left
    assert all(0 <= got <= power for got, power in zip(settled.rocks, powers, strict=True))
    if sum(powers) > left:
        assert sum(settled.rocks) + settled.vaporised == left
        told = Counter(i for p in settled.pulses if not p.vaporised for i in p.lasers)
        last = settled.pulses[-1]
        if not last.vaporised:
            told -= Counter(last.lasers)  # it asked, but nothing was left
        assert [told[i] for i in range(len(powers))] == list(settled.rocks)
    else:
        assert settled.rocks == tuple(powers)


@given(st.integers(0, 20), POWERS)
def test_the_order_of_the_lasers_changes_nothing(left, powers):
    turned = settle_pool(left, powers[::-1])
    assert turned.rocks[::-1] == settle_pool(left, powers).rocks


def roster(teams: str, credit: Literal["auto", "opponent", "most-damage"] = "auto") -> Roster:
    rule = f"rule kill_credit={credit}\n" if credit != "auto" else ""
    cards = "".join(f"{team} moth @{300 * i},0 0deg\n" for i, team in enumerate(teams.split()))
    return call_roll(parse_table(rule + cards), load_deck("light-speed"))


@pytest.mark.parametrize(
    ("teams", "damage", "taker"),
    [
        ("red blue", {"red": 3}, "blue"),
        ("red blue", {"blue": 3}, "blue"),
        ("red blue green", {"blue": 2, "green": 3}, "green"),
        ("red blue green", {"blue": 2, "green": 2}, None),
        ("red blue green", {"blue": 2, "green": 2, "red": 2}, "red"),
        ("red blue green", {"blue": 3, "green": 3, "red": 2}, None),
        ("red blue green", {"blue": 2, "red": 3}, "red"),
        ("red", {"red": 2}, "red"),
    ],
)
def test_who_takes_a_red_ship(teams, damage, taker):
    assert credit_kill(roster(teams), "red", damage)[0] == taker


def test_the_option_overrules_the_number_of_teams():
    assert credit_kill(roster("red blue", "most-damage"), "red", {"red": 2})[0] == "red"
    assert credit_kill(roster("red", "opponent"), "red", {"red": 2})[0] is None


def test_the_reason_is_a_sentence_a_person_can_check():
    three = roster("red blue green")
    most = credit_kill(three, "red", {"blue": 2, "green": 3})[1]
    assert words().tell(most) == "green did the most damage (3)"
    tie = credit_kill(three, "red", {"blue": 2, "red": 2})[1]
    assert words().tell(tie) == (
        "red is tied with blue at 2 on its own ship, and the owner goes first"
    )
