"""Cards not cut round their print: beams follow the print, hits the cut edge."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import LAW, decks, random_table
from vision.games.light_speed.battlefield import as_printed
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.files import read_table, table_to_json
from vision.games.light_speed.notation import format_table, parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import Laser, Shield, Ship, TableState
from vision.values.layout import PlacedCard, PrintOffset

SIZE_MM = (60.0, 90.0)
EXACT = 1e-12
SHIP = Ship(
    "wasp",
    1,
    2,
    (Laser(1, (0.0, -10.0), 0.0), Laser(2, (5.0, 20.0), 2.0)),
    (Shield("top", -10.0, 12.0), Shield("right", -45.0, 45.0), Shield("left", -45.0, 3.0)),
)


def test_a_card_cut_round_its_print_is_as_designed():
    assert as_printed(SHIP, None, SIZE_MM) is SHIP
    assert as_printed(SHIP, PrintOffset(0.0, 0.0, 0.0), SIZE_MM) == SHIP


def test_lasers_and_shields_lie_where_the_card_shows_them():
    turn = math.radians(0.1)
    ship = as_printed(SHIP, PrintOffset(0.3, -0.2, turn), SIZE_MM)
    c, s = math.cos(turn), math.sin(turn)
    first, second = ship.lasers
    assert first.muzzle_mm == pytest.approx((0.3 + 10 * s, -0.2 - 10 * c), abs=EXACT)
    assert first.heading_rad == pytest.approx(turn, abs=EXACT)
    assert second.muzzle_mm == pytest.approx(
        (0.3 + 5 * c - 20 * s, -0.2 + 5 * s + 20 * c), abs=EXACT
    )
    assert second.heading_rad == pytest.approx(2.0 + turn, abs=EXACT)
    top, right, left = ship.shields
    assert top.from_mm == pytest.approx(0.3 - 10 * c + 45 * s, abs=EXACT)
    assert top.to_mm == pytest.approx(0.3 + 12 * c + 45 * s, abs=EXACT)
    assert (right.from_mm, right.to_mm) == (-45.0, 45.0)  # a whole side stays whole
    assert left.from_mm == -45.0
    assert left.to_mm == pytest.approx(-0.2 + 3 * c - 30 * s, abs=EXACT)


def test_a_shield_does_not_leave_its_edge():
    ship = as_printed(SHIP, PrintOffset(25.0, 0.0, 0.0), SIZE_MM)
    assert (ship.shields[0].from_mm, ship.shields[0].to_mm) == (15.0, 30.0)


@given(
    decks(),
    st.floats(-0.5, 0.5),
    st.floats(-0.5, 0.5),
    st.floats(-0.01, 0.01),
)
@LAW
def test_the_print_of_a_print_is_one_print(deck, x, y, turn):
    """Two offsets behind one another are the second, moved along by the first."""
    size = (deck.width_mm, deck.height_mm)
    one, other = PrintOffset(x, y, turn), PrintOffset(0.2, -0.1, 0.004)
    c, s = math.cos(turn), math.sin(turn)
    both = PrintOffset(x + 0.2 * c + 0.1 * s, y + 0.2 * s - 0.1 * c, turn + 0.004)
    for ship in deck.ships:
        bare = replace(ship, shields=())
        twice = as_printed(as_printed(bare, other, size), one, size)
        once = as_printed(bare, both, size)
        for a, b in zip(twice.lasers, once.lasers, strict=True):
            assert a.muzzle_mm == pytest.approx(b.muzzle_mm, abs=1e-9)
            assert math.remainder(a.heading_rad - b.heading_rad, 2 * math.pi) == pytest.approx(
                0, abs=1e-9
            )


def test_beams_start_from_the_print_and_bodies_stay_where_they_were_cut():
    """The moth's print 0.3 mm to the right shifts its own shots and nobody else's."""
    deck = load_deck("light-speed")
    plain = parse_table("red moth @0,0 0deg\nblue ghost @10,-300 0deg\ngreen viper @200,10 180deg")
    moth = replace(plain.cards[0], printed=PrintOffset(0.3, 0.0, 0.0))
    shifted = replace(plain, cards=(moth, *plain.cards[1:]))
    before, after = (
        [s for step in resolve(t, deck).steps for s in step.shots] for t in (plain, shifted)
    )
    for one, other in zip(before, after, strict=True):
        if one.ship != "red-moth":
            assert one.path_mm == other.path_mm
    shot = {s.laser: s for s in after if s.ship == "red-moth"}
    was = {s.laser: s for s in before if s.ship == "red-moth"}
    moved = shot[0].path_mm[0][0] - was[0].path_mm[0][0]
    assert moved == pytest.approx(0.3, abs=1e-9)  # the first laser points straight up
    assert shot[0].path_mm[0][1] == pytest.approx(
        -deck.height_mm / 2, abs=1e-9
    )  # from the cut edge


def printed_table() -> TableState:
    import numpy as np

    rng = np.random.default_rng(8)
    cards = []
    for card in random_table(rng, card_ids(load_deck("light-speed")), 6).cards:
        root = rng.normal(size=(3, 3)) * [0.1, 0.1, 0.001]
        x, y, turn = (float(v) for v in rng.normal(0, 0.2, 3) * [1, 1, 0.01])
        covariance = root.T @ root if len(cards) % 2 else None
        cards.append(replace(card, printed=PrintOffset(x, y, turn, covariance)))
    return TableState(tuple(cards))


def same(one: PlacedCard, other: PlacedCard) -> bool:
    a, b = one.printed, other.printed
    if a is None or b is None:
        return a is b
    if (a.covariance is None) != (b.covariance is None):
        return False
    near = a.covariance is None or a.covariance == pytest.approx(b.covariance, rel=1e-12)
    return near and (a.x_mm, a.y_mm, a.turn_rad) == (b.x_mm, b.y_mm, b.turn_rad)


def test_prints_go_through_text_and_files():
    table = printed_table()
    again = parse_table(format_table(table))
    from_json = read_table(table_to_json(table))
    for cards in (again.cards, from_json.cards):
        by_id = {card.card_id: card for card in cards}
        assert all(same(card, by_id[card.card_id]) for card in table.cards)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("red moth @0,0 0deg print=0.1,0.2", "print: expected x mm, y mm and degrees"),
        ("red moth @0,0 0deg print=0.1,0.2,x", 'a number for print, got "x"'),
        ("red moth @0,0 0deg printcov=1,0,0,1,0,1", 'expected "print="'),
        ("red moth @0,0 0deg print=0,0,0 print=0,0,0", "each once"),
    ],
)
def test_what_is_wrong_with_a_print_is_told(line, told):
    from vision.errors import TableFormatError

    with pytest.raises(TableFormatError, match=told):
        parse_table(line)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_print_is_finite(bad):
    with pytest.raises(ValueError, match="finite"):
        PrintOffset(bad, 0.0, 0.0)
