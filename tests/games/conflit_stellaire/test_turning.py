"""Tables seen from any side -> the same seats: whose each card is, and whether it is engaged."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.conflit_stellaire.crowded import crowded_table
from tests.games.conflit_stellaire.drawn import Told, art
from tests.games.conflit_stellaire.test_lay import duel, lay, piece
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.seating import lean_of
from vision.games.conflit_stellaire.values import SEATS, Table
from vision.values.layout import Alternative, Other, Placed


def seen(told: Told, turn: float, dropped: int = -1) -> list[Placed]:
    """Return what lies on a table, turned; the sheet of a number is not seen."""
    laid = [(f"card-{k}", card.face, card.pose) for k, card in enumerate(told.cards)]
    sheets = []
    for p in told.pieces:
        if p.round or p.size_mm == deck().scale_mm or p.art is art("flagship"):
            name = "marker" if p.round else "distance-scale"
            sheets.append(("sheet", "flagship" if p.art is art("flagship") else name, p.pose))
    sheets = [sheet for k, sheet in enumerate(sheets) if k != dropped]
    c, s = math.cos(turn), math.sin(turn)
    return [
        Placed(
            spot, name, c * x - s * y, s * x + c * y, math.remainder(theta + turn, 2 * math.pi),
            np.eye(3) * 0.01, np.zeros((4, 2)),
        )
        for spot, name, (x, y, theta) in (*laid, *sheets)
    ]  # fmt: skip


def called(count: int, turn: float) -> dict[str, str]:
    """Return how seats are called that lie turned: A is nearest to the bottom."""
    step = 2 * math.pi / count
    first = min(range(count), key=lambda k: abs(math.remainder(k * step + turn, 2 * math.pi)))
    return {SEATS[k]: SEATS[(k - first) % count] for k in range(count)}


def told_of(table: Table) -> set[str]:
    """Return the cards in doubt; all of them where the seats are."""
    codes = {issue.code for issue in table.doubts}
    if codes & {"seats_turned", "seats_named"}:
        return {card.id for card in table.cards}
    return {name for issue in table.doubts for name in issue.cards}


@settings(max_examples=60, deadline=None)
@given(
    seats=st.integers(2, 4),
    count=st.integers(16, 70),
    seed=st.integers(0, 10_000),
    turn=st.floats(-math.pi, math.pi),
    dropped=st.one_of(st.just(-1), st.integers(0, 15)),
)
def test_owner_and_state_are_right_or_told_from_any_side(seats, count, seed, turn, dropped):
    """Whatever the side of the camera, and with a hull card, a strip or a marker not seen."""
    told = crowded_table(seats, count, np.random.default_rng(seed))
    table = lay(*seen(told, turn, dropped))
    by_spot = {card.pose.spot: card for card in table.cards}
    names, doubted = called(seats, turn), told_of(table)
    assert len(table.seats) == seats
    wrong = [
        card.face
        for k, card in enumerate(told.cards)
        if (found := by_spot[f"card-{k}"]).id not in doubted
        and (found.seat, found.engaged) != (names[card.seat], card.engaged)
    ]
    assert not wrong


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("eighth", range(8))
def test_nothing_is_askew_because_the_camera_stood_elsewhere(seats, eighth):
    """Cards laid as at home are read without a doubt from eight sides, but between two seats."""
    told = crowded_table(seats, 30, np.random.default_rng(eighth))
    turn = eighth * math.pi / 4 + 0.1
    here, home = lay(*seen(told, turn)), lay(*seen(told, 0.0))
    askew = [
        sorted(c for d in t.doubts if d.code == "askew" for c in d.cards) for t in (here, home)
    ]
    assert len(askew[0]) <= len(askew[1]) + 1  # one at the edge of what is askew may change
    codes = {issue.code for issue in here.doubts}
    assert "seats_turned" not in codes
    beside = abs(math.remainder(turn, 2 * math.pi / seats))
    assert ("seats_named" in codes) == (beside > math.pi / seats - math.radians(12.0))


def test_a_seat_that_lays_its_cards_slanting_has_none_askew():
    """Four cards alike show how one sits; a fifth is askew against them."""
    cards = [piece("twin-laser", 90 * k - 200, 250, 18) for k in range(4)]
    table = lay(*duel(*cards, piece("screen", 200, 250, 108), piece("deflector", 290, 250, 60)))
    states = {card.face: card.engaged for card in table.cards}
    assert states == {"twin-laser": False, "screen": True, "deflector": False}
    assert [issue.code for issue in table.doubts] == ["askew"]


@given(st.lists(st.floats(-3, 3), max_size=3), st.floats(-math.pi, math.pi))
def test_few_cards_lean_nowhere(turned, heading):
    assert lean_of(turned, heading) == 0.0


def test_two_hull_cards_in_one_sector_are_two_seats():
    sheets = [piece("flagship", -60, 300), piece("flagship", 280, 60, 180)]  # B's lies far aside
    table = lay(piece("distance-scale", 0, 0), *sheets, piece("twin-laser", 0, 250))
    assert [seat.pose.x_mm for seat in table.seats] == [-60, 280]
    assert {("B",)} <= {issue.cards for issue in table.doubts if issue.code == "marker_doubtful"}


def test_two_strips_are_of_three_seats():
    strips = [piece("distance-scale", x, y, 30) for x, y in ((-140, 80), (140, 80))]
    table = lay(*strips, piece("twin-laser", 0, 250))
    assert [seat.id for seat in table.seats] == ["A", "B", "C"]


def test_a_card_that_cannot_be_read_is_a_card_all_the_same():
    """It is played as what it is likely to be, or as a back; the rest are readings."""
    likely = (Other("energy-cell", 0.6), Other("screen", 0.3))
    open_ = (Other("energy-cell", 0.4), Other("screen", 0.39), Other("decoys", 0.38))
    table = lay(
        *duel(
            piece("unknown-1", -100, 250, others=likely),
            piece("unknown-2", 0, 250, others=open_),
            piece("unknown-3", 100, 250),
            piece("twin-laser", 200, 250),
        )
    )
    first, second, third, _ = sorted(table.cards, key=lambda card: card.pose.x_mm)
    assert (first.face, second.face, third.face) == ("energy-cell", "back", "back")
    assert {r.fields["face"] for r in first.readings} == {"screen", "back"}
    assert {r.fields["face"] for r in second.readings} == {"energy-cell", "screen", "decoys"}
    for card in (first, second):
        assert 0 < sum(reading.probability for reading in card.readings) < 1
    assert [issue.code for issue in table.doubts] == ["unread"] * 3


def test_what_hardly_shows_is_no_hull_card_where_strips_need_no_more():
    """A part of another card read as a hull card adds no seat: it is a card that is not read."""
    dim = piece("flagship", 120, 200, visible=0.3)
    table = lay(*duel(dim, piece("screen", 0, 250)))
    assert [(seat.id, seat.hull) for seat in table.seats] == [("A", 20), ("B", 7)]
    assert {issue.code for issue in table.doubts} == {"unread"}
    assert sorted(card.face for card in table.cards) == ["back", "screen"]
    strips = [p for p in duel() if p.piece != "flagship"]
    hulls = [p for p in duel() if p.piece == "flagship"]
    again = lay(*strips, hulls[0], piece("flagship", 200, -300, 180, visible=0.3), dim_card())
    assert len(again.seats) == 2
    assert again.seats[1].hull == 7  # in glare it is one all the same: the strip asks for two


def test_an_unread_card_is_played_as_what_it_is_likely_to_be_whatever_seeing_weighed():
    others = (Other("lance-missile", 0.5), Other("eye-missile", 0.2))
    weighed = (Alternative("lance-missile", 0.6), Alternative("eye-missile", 0.1))
    dark = piece("unknown-1", 0, 250, others=others, may_be=weighed)
    card = next(c for c in lay(*duel(dark, piece("screen", 90, 250))).cards if c.face != "screen")
    assert card.face == "lance-missile"
    assert {r.fields["face"] for r in card.readings} == {"eye-missile", "back"}


def dim_card():
    return piece("screen", 0, 250)


def test_where_seats_may_lie_otherwise_each_hull_and_distance_is_doubtful():
    hulls = [piece("flagship", 300 * math.sin(k), 300 * math.cos(k)) for k in (0.0, 2.1, 4.2)]
    table = lay(piece("distance-scale", 0, 0), *hulls, piece("screen", 0, 250))
    about = {name for i in table.doubts if i.code == "seats_turned" for name in i.cards}
    assert about == {"A", "B", "C", "A-B", "A-C", "B-C"}
