"""Rule options as KEY=VALUE."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import rule_options
from vision.errors import TableFormatError
from vision.games.light_speed.options import format_options, parse_options
from vision.games.light_speed.values import RuleOptions


def test_each_option_is_read():
    settings = ["piracy=yes", "rocks=16", "asteroids=Joined", "kill-credit=most_damage"]
    settings += ["teams=red, blue", "face_down=ignored"]
    assert parse_options(settings) == RuleOptions(
        True, 16, "joined", "most-damage", ("red", "blue"), "ignored"
    )


def test_options_are_laid_over_others():
    base = RuleOptions(piracy=True, rocks=20, teams=("red",))
    assert parse_options(["rocks=auto", "teams=auto"], base) == RuleOptions(piracy=True)
    assert parse_options([], base) is not None
    assert parse_options([], base) == base


@given(rule_options(), st.sampled_from([None, ("red",), ("red", "blue")]))
def test_writing_and_reading_gives_the_same_options(options, teams):
    options = RuleOptions(
        options.piracy, options.rocks, options.asteroids, options.kill_credit, teams
    )
    assert parse_options(format_options(options)) == options


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("piracy", "expected KEY=VALUE, such as piracy=true"),
        ("pirates=true", 'no rule of this name; did you mean "piracy"?'),
        ("xyz=1", "the rules are piracy, rocks, asteroids, kill_credit, teams, face_down"),
        ("piracy=maybe", 'expected true or false: a shot that damages .*; got "maybe"'),
        ("rocks=many", 'expected auto or a whole number from 1 to 999; got "many"'),
        ("rocks=-3", 'got "-3"'),
        ("rocks=0", 'got "0"'),
        ("rocks=" + "9" * 5000, "from 1 to 999"),
        ("rocks=2.5", 'got "2.5"'),
        ("asteroids=both", "expected auto .*, joined or separate"),
        ("kill_credit=mine", "most-damage"),
        ("teams=red,,blue", "names with commas between"),
        ("teams=red,red", "names with commas between"),
    ],
)
def test_a_mistake_is_told(setting, said):
    with pytest.raises(TableFormatError, match=said):
        parse_options([setting])


def test_an_option_is_set_once():
    with pytest.raises(TableFormatError, match="set twice"):
        parse_options(["rocks=3", "rocks=4"])
