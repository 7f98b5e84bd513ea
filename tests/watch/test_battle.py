"""Two tables that share an asteroid are one: resolved as in one picture, and the earlier stands."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.film import Film, play
from tests.synth import random_cards
from tests.watch.test_foresight import told
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.geometry import rotation
from vision.values.layout import PlacedCard, poses_of
from vision.watch import WatchSession, WatchSettings
from vision.watch.battle import SharedCard, SharedTable, join_tables

GAME = LightSpeed(load_deck("light-speed"))
RULES = GAME.referee
SIZE = (GAME.deck.width_mm, GAME.deck.height_mm)
QUIET = WatchSettings(silence_s=None, stop_on_count=False)
NAMES = ["asteroid-1", "red-moth", "blue-ghost", "red-viper", "blue-destroyer", "red-ghost"]
OURS, THEIRS = ("asteroid-1", "red-moth", "red-viper", "red-ghost"), ("asteroid-1", "blue-ghost")
THEIRS += ("blue-destroyer",)
EXACT_MM = 1e-9
PLACE_TOL_MM = 1.5  # of a card half a metre from the asteroid, whose heading is good to 0.1 degree
ELSEWHERE = (1.1, 400.0, -250.0)  # how the other table lies: turned, and about itself


def carried(card: PlacedCard, turn: float, x_mm: float, y_mm: float) -> PlacedCard:
    x, y = rotation(turn) @ [card.x_mm, card.y_mm] + [x_mm, y_mm]
    return replace(card, x_mm=float(x), y_mm=float(y), theta_rad=card.theta_rad + turn)


def shared(cards: Sequence[PlacedCard], at: dict[str, float], *, first: bool) -> SharedTable:
    poses = poses_of(cards)
    told = zip(cards, poses, strict=True)
    return SharedTable(
        tuple(SharedCard(c.card_id, p, at.get(c.card_id, 0.0)) for c, p in told), first
    )


@pytest.fixture(scope="module")
def cards() -> tuple[PlacedCard, ...]:
    return random_cards(NAMES, np.random.default_rng(8), gap_mm=15.0)


def of(cards: Sequence[PlacedCard], names: Sequence[str]) -> tuple[PlacedCard, ...]:
    return tuple(card for card in cards if card.card_id in names)


@given(st.floats(-3, 3), st.floats(-900, 900), st.floats(-900, 900))
def test_the_other_table_lies_where_it_would_in_one_frame(turn, x_mm, y_mm):
    cards = random_cards(NAMES, np.random.default_rng(8), gap_mm=15.0)
    own = shared(of(cards, OURS), {}, first=True)
    there = [carried(card, turn, x_mm, y_mm) for card in of(cards, THEIRS)]
    joined = join_tables(own, shared(there, {}, first=False), RULES, SIZE)
    assert joined.shared == "asteroid-1"
    assert joined.conflicts == ()
    truth = {c.card_id: poses_of([c])[0] for c in of(cards, THEIRS)}
    assert {card.card for card in joined.others} == set(THEIRS) - {"asteroid-1"}
    for card in joined.others:
        off = card.pose - truth[card.card]
        assert np.hypot(*off[:2]) < EXACT_MM
        assert abs(np.sin(off[2])) < EXACT_MM


@pytest.mark.parametrize("ours_s", [3.0, 5.0, 4.0])
def test_the_earlier_stands_at_both_tables_and_of_ties_the_first_table(cards, ours_s):
    own_cards = of(cards, OURS)
    moth = next(card for card in own_cards if card.card_id == "red-moth")
    on_it = replace(moth, card_id="blue-ghost", x_mm=moth.x_mm + 20.0)
    twin = replace(cards[-1], card_id="red-viper", x_mm=cards[-1].x_mm + 500.0)
    there = [carried(c, *ELSEWHERE) for c in (cards[0], on_it, twin)]
    own = shared(own_cards, {"red-moth": ours_s, "red-viper": ours_s}, first=True)
    other = shared(there, {"blue-ghost": 4.0, "red-viper": 4.0}, first=False)
    here, at_them = (join_tables(a, b, RULES, SIZE) for a, b in ((own, other), (other, own)))
    stands = "own" if ours_s <= 4.0 else "other"
    assert {(c.own, c.other, c.why, c.stands) for c in here.conflicts} == {
        ("red-moth", "blue-ghost", "overlap", stands),
        ("red-viper", "red-viper", "twin", stands),
    }
    mirrored = {"own": "other", "other": "own"}
    assert {(c.other, c.own, c.why, mirrored[c.stands]) for c in at_them.conflicts} == {
        (c.own, c.other, c.why, c.stands) for c in here.conflicts
    }
    assert here.yielding("own") == at_them.yielding("other")


def test_a_card_that_yields_takes_no_place_from_a_later_one(cards):
    moth = next(card for card in cards if card.card_id == "red-moth")
    first = replace(moth, card_id="blue-ghost", x_mm=moth.x_mm + 30.0)
    own = shared((cards[0], moth, replace(moth, card_id="red-viper", x_mm=moth.x_mm + 85.0)),
                 {"red-moth": 1.0, "red-viper": 3.0}, first=True)  # fmt: skip
    other = shared((cards[0], first), {"blue-ghost": 2.0}, first=False)
    joined = join_tables(own, other, RULES, SIZE)
    assert [(c.own, c.other, c.stands) for c in joined.conflicts] == [
        ("red-moth", "blue-ghost", "own"),
    ]  # fmt: skip


def test_without_a_piece_on_both_nothing_is_joined(cards):
    own = shared(of(cards, OURS), {}, first=True)
    other = shared(of(cards, ("blue-ghost",)), {}, first=False)
    assert join_tables(own, other, RULES, SIZE) is None


def test_two_films_are_resolved_as_the_same_table_in_one_picture(bank, cards):
    one_film = Film(cards, bank)
    one = WatchSession(GAME, bank, settings=QUIET)
    films = [
        Film(of(cards, OURS), bank, seed=1),
        Film(tuple(carried(c, *ELSEWHERE) for c in of(cards, THEIRS)), bank, seed=2),
    ]
    two = [WatchSession(GAME, bank, settings=QUIET) for _ in films]
    for k, (film, session) in enumerate(zip(films, two, strict=True)):
        session.show_foreseen(True)
        session.is_first = k == 0
        session.begin_battle()
        play(session, film.rest(film.cards[:1], 0.7))  # the asteroid
        play(session, film.rest(film.cards, 1.2))
    codes = [event.code for event in two[0].meet(two[1].shared)]
    assert codes == ["battle_joined"]
    two[1].meet(two[0].shared)
    foreseen = [told(session.foreseen.ledger) for session in two]
    shown = {card: corners for card, _, corners in two[0].meeting.shown(two[0]._state.ground)}
    assert set(shown) == set(THEIRS) - {"asteroid-1"}
    two[0].stop()
    stopped = two[1].meet(two[0].shared)
    assert [event.code for event in stopped] == ["stopped"]  # at the other table too
    for film, session in zip(films, two, strict=True):
        play(session, film.rest(film.cards, 1.0))
        assert session.verdict is not None
    both = [two[0].meet(two[1].shared), two[1].meet(two[0].shared)]
    assert [[event.code for event in events] for events in both] == [["verdict"]] * 2
    assert two[0].meet(two[1].shared) == ()  # told once
    play(one, one_film.rest(cards, 1.2))
    one.stop()
    play(one, one_film.rest(cards, 1.0))
    truth = one.verdict.scan.ledger
    assert foreseen == [told(truth)] * 2  # beams while cards are laid are those of both tables
    for session in two:
        ledger = session.verdict.scan.ledger
        assert told(ledger) == told(truth) != []
        assert ledger.final.scores == truth.final.scores
    own, other = (session.verdict.scan.layout for session in two)
    by_name = {placed.piece: placed for placed in own.placed}
    assert set(by_name) == set(NAMES) == {placed.piece for placed in other.placed}
    here = by_name["asteroid-1"]
    for card in cards:
        placed = by_name[card.card_id]
        apart = np.hypot(placed.x_mm - here.x_mm, placed.y_mm - here.y_mm)
        truly = np.hypot(card.x_mm - cards[0].x_mm, card.y_mm - cards[0].y_mm)
        assert abs(apart - truly) < PLACE_TOL_MM
    spread = np.linalg.eigvalsh(own.joint_covariance)
    assert spread.min() > -1e-9
