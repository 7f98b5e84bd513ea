"""Rule options as KEY=VALUE."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import rule_options
from vision.errors import TableFormatError
from vision.games.light_speed.values import RuleOptions
from vision.games.registry import find_game, game_names
from vision.judging.options import (
    format_options,
    help_of,
    options_from_json,
    options_of,
    options_to_json,
    parse_options,
    presets_of,
)


def test_each_option_is_read():
    settings = ["piracy=yes", "rocks=16", "asteroids=Joined", "kill-credit=most_damage"]
    settings += ["teams=red, blue", "face_down=ignored"]
    assert parse_options(RuleOptions, settings) == RuleOptions(
        True, 16, "joined", "most-damage", ("red", "blue"), "ignored"
    )


def test_options_are_laid_over_others():
    base = RuleOptions(piracy=True, rocks=20, teams=("red",))
    assert parse_options(RuleOptions, ["rocks=auto", "teams=auto"], base) == RuleOptions(
        piracy=True
    )
    assert parse_options(RuleOptions, [], base) is not None
    assert parse_options(RuleOptions, [], base) == base


@given(rule_options(), st.sampled_from([None, ("red",), ("red", "blue")]))
def test_writing_and_reading_gives_the_same_options(options, teams):
    options = RuleOptions(
        options.piracy, options.rocks, options.asteroids, options.kill_credit, teams
    )
    assert parse_options(RuleOptions, format_options(options)) == options


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("piracy", "expected KEY=VALUE, such as piracy=true or fifteen-rocks"),
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
        parse_options(RuleOptions, [setting])


def test_an_option_is_set_once():
    with pytest.raises(TableFormatError, match="set twice"):
        parse_options(RuleOptions, ["rocks=3", "rocks=4"])


@given(rule_options())
def test_json_and_back_gives_the_same_options(options):
    assert options_from_json(RuleOptions, options_to_json(options)) == options


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"piracy": 1}, "expected true or false"),
        ({"rocks": True}, "the rulebook's number"),
        ({"asteroids": "both"}, "joined or separate"),
        ({"teams": "red"}, "names with commas"),
        ({"pirates": True}, 'did you mean "piracy"'),
    ],
)
def test_a_mistake_in_json_is_told(given_, said):
    with pytest.raises(TableFormatError, match=said):
        options_from_json(RuleOptions, given_)


def test_a_form_offers_each_option_but_names():
    offers = {one.name: one for one in options_of(RuleOptions)}
    usual = [name for name, one in offers.items() if not one.is_rare]
    assert usual == ["piracy", "rocks", "asteroids", "kill_credit", "face_down"]
    assert len(offers) == len(usual) + 10, "ten questions that the rulebook leaves open"
    assert offers["piracy"].kind == "flag"
    assert offers["rocks"].choices[:2] == (None, 6)
    assert offers["asteroids"].choices == ("auto", "joined", "separate")
    assert all(help_of(RuleOptions).values())


@pytest.mark.parametrize("name", ["fifteen-rocks", "Fifteen rocks", " fifteen_rocks "])
def test_a_preset_stands_for_its_settings(name):
    assert parse_options(RuleOptions, [name]) == RuleOptions(rocks=15)
    assert parse_options(RuleOptions, ["piracy=true", name]) == RuleOptions(True, 15)
    with pytest.raises(TableFormatError, match='"rocks": set twice'):
        parse_options(RuleOptions, [name, "rocks=12"])


def test_every_preset_of_a_game_is_one_of_its_options():
    for name in game_names():
        form = find_game(name).options
        for preset, settings in presets_of(form).items():
            read = options_to_json(parse_options(form, [preset]))
            assert {key: read[key] for key in settings} == dict(settings)
            offered = {one.name: one.choices for one in options_of(form)}
            assert all(value in offered[key] for key, value in settings.items())
