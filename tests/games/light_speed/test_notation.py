"""The text form of a table: there and back, and every mistake with its line."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import LAW, tables
from vision.apps.decks import known_of_table
from vision.errors import TableFormatError
from vision.games.light_speed.notation import format_card, format_table, parse_table
from vision.games.light_speed.values import TableState
from vision.judging.notation import lines_of
from vision.values.layout import PlacedCard


def same(one: object, other: object) -> bool:
    """Compare values that hold arrays, bit for bit."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(np.asarray(one), np.asarray(other))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "__dataclass_fields__"):
        return type(one) is type(other) and all(
            same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one)
        )
    return one == other


NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def covariances(draw: st.DrawFn) -> np.ndarray | None:
    if draw(st.booleans()):
        return None
    upper = draw(st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6))
    a, b, c, d, e, f = upper
    return np.array([[a, b, c], [b, d, e], [c, e, f]])


@LAW
@given(tables(), st.lists(st.tuples(covariances(), st.floats(0, 1)), min_size=8, max_size=8))
def test_reading_what_was_written_gives_the_same_table(drawn, extras):
    table, _ = drawn
    cards = tuple(
        replace(card, covariance=cov, confidence=conf)
        for card, (cov, conf) in zip(table.cards, extras, strict=False)
    )
    table = replace(table, cards=cards)
    assert same(parse_table(format_table(table)), table)


@LAW
@given(NUMBERS, NUMBERS, st.floats(-math.pi, math.pi))
def test_every_bit_of_a_pose_is_kept(x, y, theta):
    card = PlacedCard("red-moth", x, y, theta)
    assert same(parse_table(format_card(card)).cards[0], card)


def test_the_form_is_the_one_of_the_readme():
    table = parse_table(
        """
        rule piracy=true   # a remark
        red Moth @120,-85 90deg
        asteroid-1-back @0, 0  0deg
        ship-back-2 @1e2,.5 -12.5deg conf=0.5
        object Coaster asteroid 0,0 90,0 90,90
        """
    )
    assert [card.card_id for card in table.cards] == ["red-moth", "asteroid-1-back", "ship-back-2"]
    assert table.cards[0].theta_rad == math.pi / 2
    assert table.rules.piracy
    assert table.objects[0].id == "Coaster"
    assert format_table(table) == (
        "rule piracy=true\n"
        "red moth @120,-85 90deg\n"
        "asteroid-1-back @0,0 0deg\n"
        "ship-back-2 @100,0.5 -12.5deg conf=0.5\n"
        "object Coaster asteroid 0,0 90,0 90,90\n"
    )


def test_degrees_are_read_as_in_files():
    for degrees in (33.0, -179.999, 0.1, 12.345678):
        card = parse_table(f"red moth @0,0 {degrees}deg").cards[0]
        assert card.theta_rad == math.radians(degrees)
        assert format_card(card) == f"red moth @0,0 {degrees!r}deg".replace(".0deg", "deg")


def test_an_empty_text_is_an_empty_table():
    assert same(parse_table(" \n# nothing\n"), TableState(()))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("red moth", 'expected a card such as "red moth @120,-85 90deg", got "red moth"'),
        ("@1,2 3deg", "expected a card"),
        ("red moth @1,2", "expected an angle"),
        ("red moth @1,2 90", 'expected an angle such as "90deg" after the place, got "90"'),
        ("red moth @1,2 northdeg", 'expected a number for the angle, got "north"'),
        ("red moth @one,2 90deg", 'expected a number for x, got "one"'),
        ("red moth @1,y 90deg", 'expected a number for y, got "y"'),
        ("red moth @1,nan 90deg", 'expected a number for y, got "nan"'),
        ("red moth @1,2e999 90deg", "expected a number for y"),
        ("red moth @1,2 90deg cov=1,2", "cov: expected the 6 numbers of an upper triangle, got 2"),
        (
            "red moth @1,2 90deg size=3",
            'expected "conf=", "cov=", "print=", "printcov=" or "or=" after the angle',
        ),
        ("red moth @1,2 90deg conf=1 conf=1", "each once"),
        ("object coaster asteroid 0,0 1,1", "three corners or more"),
        ("object coaster", "three corners or more"),
        ("object coaster asteroid 0,0 1,1 2", 'expected a corner such as "90,0", got "2"'),
        ("rule pirates=true", 'no rule of this name; did you mean "piracy"?'),
        ("rule piracy", "expected KEY=VALUE"),
        ("deck a b", 'expected "deck NAME"'),
        ("blue moth @0,0 0deg", '"blue-moth" is already on line 1'),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_reason(line, said):
    with pytest.raises(TableFormatError) as caught:
        parse_table(f"blue moth @0,0 0deg\n\n{line}\n")
    assert str(caught.value).startswith("line 3: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "name", ["light-speed", "laser-shield", "conflit-stellaire", "asteroyds-capture"]
)
@pytest.mark.parametrize("word", ["game", "jeu", "Jeu"])
def test_the_first_line_may_name_any_game_in_french(name, word):
    """It says which game reads the file."""
    text = f"{word} {name}  # a table\nred moth @0,0 0deg\n"
    assert known_of_table(text).game.name == name
    assert next(lines_of(text)) == (1, f"game {name}")
