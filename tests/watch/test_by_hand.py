"""Corrections by a finger while a table is followed stay, follow the piece, and end with it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.film import Film, play
from tests.synth import random_cards
from vision.errors import TableFormatError
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.values import Deck
from vision.geometry import photo_from_table
from vision.texts import texts
from vision.values.layout import PlacedCard
from vision.values.pieces import Faces
from vision.watch import WatchSession, WatchSettings
from vision.watch.by_hand import Correction

NAMES = ["asteroid-1", "red-moth", "blue-ghost", "red-viper", "blue-destroyer"]
QUIET = WatchSettings(silence_s=None, stop_on_count=False)
PICTURES = 200
HAND_MM = 8.0  # by which a finger misses the middle of a card
POSE_TOL_MM = 0.5  # of a card that was put down beside its sides: as one that is seen by itself


@pytest.fixture(scope="module")
def cards() -> tuple[PlacedCard, ...]:
    return random_cards(NAMES, np.random.default_rng(3), gap_mm=15.0)


_STILLS: dict[object, np.ndarray] = {}


@pytest.fixture
def make(deck: Deck, bank: Faces, cards) -> Callable[..., tuple[Film, WatchSession]]:
    def build(settings: WatchSettings = QUIET) -> tuple[Film, WatchSession]:
        film = Film(cards, bank, stills=_STILLS)
        return film, WatchSession(LightSpeed(deck), bank, settings=settings)

    return build


def names(session: WatchSession) -> list[str]:
    return sorted(card.card for card in session.snapshot().cards)


def codes(events) -> list[str]:
    return [event.code for event in events]


def in_picture(film: Film, x_mm: float, y_mm: float) -> tuple[float, float]:
    x, y = photo_from_table(film.camera, np.array([[x_mm, y_mm]]))[0]
    return float(x), float(y)


def heading_of(film: Film, card: PlacedCard) -> float:
    """Return where a card's top points to in the picture."""
    ahead = np.array([np.sin(card.theta_rad), -np.cos(card.theta_rad)])
    here = np.array([card.x_mm, card.y_mm])
    x, y = np.subtract(in_picture(film, *(here + ahead)), in_picture(film, *here))
    return float(np.arctan2(x, -y))


def say(session: WatchSession, **said) -> list:
    return list(session.correct(Correction(**said)))


def over(film: Film, cards: Sequence[PlacedCard], seconds: float) -> None:
    """Yield pictures of a table at rest with a hand that passes over each card."""
    for card in cards:
        yield from film.visit(cards, cards, (card.x_mm, card.y_mm), seconds=0.4)
        yield from film.rest(cards, seconds)


def empty_place(cards: Sequence[PlacedCard]) -> tuple[float, float]:
    """Return a place on the table that is far from all cards."""
    grid = [(x, y) for x in range(-150, 151, 10) for y in range(-100, 101, 10)]
    far = [min(np.hypot(x - c.x_mm, y - c.y_mm) for c in cards) for x, y in grid]
    return grid[int(np.argmax(far))]


def test_corrections_stay_over_two_hundred_pictures_and_the_verdict_is_of_them(make, cards):
    film, session = make()
    play(session, film.rest(cards, 0.7))
    x_mm, y_mm = empty_place(cards)
    named = say(session, kind="identify", card="red-viper", identity="red-ghost")
    denied = say(session, kind="remove", card="blue-destroyer")
    at_px = in_picture(film, x_mm, y_mm)
    added = say(session, kind="add", identity="green-moth", at_px=at_px, heading_rad=0.5)
    assert codes(named + denied + added) == ["by_hand"] * 3
    assert [event.details["how"] for event in named + denied + added] == [
        "named", "denied", "placed",
    ]  # fmt: skip
    wanted = sorted(["asteroid-1", "red-moth", "blue-ghost", "red-ghost", "green-moth"])
    assert names(session) == wanted
    before = session.snapshot().pictures
    told = []
    while session.snapshot().pictures < before + PICTURES:
        told += play(session, over(film, cards, 1.0))
        assert names(session) == wanted
    assert told == []  # nothing is said again
    session.stop()
    told = play(session, film.rest(cards, 1.0))
    assert codes(told) == ["by_hand", "verdict"]  # says that it was corrected
    verdict = session.verdict
    assert sorted(c.card_id for c in verdict.scan.table.cards) == wanted
    assert sorted(c.card_id for c in verdict.read.table.cards) == sorted(NAMES)
    assert "corrected_by_hand" in {issue.code for issue in verdict.scan.issues}
    (put,) = [c for c in verdict.scan.table.cards if c.card_id == "green-moth"]
    shown = photo_from_table(verdict.scan.layout.camera, np.array([[put.x_mm, put.y_mm]]))[0]
    assert np.hypot(*(shown - at_px)) < 1.0  # px: where the finger put it


def test_a_card_that_a_finger_puts_down_is_measured_where_its_sides_show(make, cards):
    film, session = make()
    play(session, film.rest(cards, 0.7))
    truth = next(card for card in cards if card.card_id == "red-viper")
    lay = {card.card: card for card in session.snapshot().cards}["red-viper"]
    say(session, kind="remove", card="red-viper")
    assert "red-viper" not in names(session)
    session._state = _without_marks(session._state)  # as if it had never been seen
    at_px = in_picture(film, truth.x_mm + HAND_MM, truth.y_mm - HAND_MM / 2)
    heading = heading_of(film, truth) + 0.15
    say(session, kind="add", identity="red-viper", at_px=at_px, heading_rad=heading)
    now = {card.card: card for card in session.snapshot().cards}["red-viper"]
    assert np.hypot(now.x_mm - lay.x_mm, now.y_mm - lay.y_mm) < POSE_TOL_MM
    assert now.by_hand is True


def _without_marks(state):
    return replace(state, marks=())


def test_what_is_no_card_may_be_one_after_all(make, cards):
    film, session = make()
    play(session, film.rest(cards, 0.7))
    lay = {card.card: card for card in session.snapshot().cards}["red-viper"]
    say(session, kind="remove", card="red-viper")
    truth = next(card for card in cards if card.card_id == "red-viper")
    at_px = in_picture(film, truth.x_mm + HAND_MM, truth.y_mm)
    say(session, kind="add", identity="red-viper", at_px=at_px)
    now = {card.card: card for card in session.snapshot().cards}["red-viper"]
    assert (now.x_mm, now.y_mm) == (lay.x_mm, lay.y_mm)
    assert now.by_hand is False  # as the pictures have it


def test_a_name_follows_its_piece_and_does_not_stay_behind(make, cards):
    film, session = make()
    play(session, film.rest(cards, 0.7))
    card = next(c for c in cards if c.card_id == "red-viper")
    at = card.x_mm, card.y_mm
    say(session, kind="identify", card="red-viper", identity="red-ghost")
    less = tuple(c for c in cards if c is not card)
    told = play(session, film.visit(cards, less, at))
    told += play(session, film.rest(less, 1.0))
    assert [(e.code, e.cards) for e in told] == [("card_removed", ("red-ghost",))]
    told = play(session, film.visit(less, cards, at))
    told += play(session, film.rest(cards, 1.0))
    assert [(e.code, e.cards) for e in told] == [("card_laid", ("red-viper",))]
    assert names(session) == sorted(NAMES)
    assert session.corrections == ()


def test_a_card_laid_where_none_was_said_to_lie_is_told(make, cards):
    film, session = make()
    play(session, film.rest(cards, 0.7))
    card = next(c for c in cards if c.card_id == "red-viper")
    say(session, kind="remove", card="red-viper")
    less = tuple(c for c in cards if c is not card)
    told = play(session, film.visit(cards, less, (card.x_mm, card.y_mm)))
    told += play(session, film.rest(less, 1.0))
    assert told == []  # what was no card is gone
    assert session.corrections == ()
    told = play(session, film.visit(less, cards, (card.x_mm, card.y_mm)))
    told += play(session, film.rest(cards, 1.0))
    assert [(e.code, e.cards) for e in told] == [("card_laid", ("red-viper",))]


def test_a_card_carried_elsewhere_keeps_the_name_it_was_given(make, cards):
    film, session = make()
    play(session, film.rest(cards, 0.7))
    say(session, kind="identify", card="red-viper", identity="red-ghost")
    card = next(c for c in cards if c.card_id == "red-viper")
    there = replace(card, x_mm=card.x_mm - 30.0, y_mm=card.y_mm - 25.0)
    moved = tuple(there if c is card else c for c in cards)
    told = play(session, film.visit(cards, moved, (card.x_mm, card.y_mm)))
    told += play(session, film.rest(moved, 1.5))
    assert ("card_moved", ("red-ghost",)) in [(e.code, e.cards) for e in told]
    assert "red-ghost" in names(session)


def test_names_change_places_and_what_cannot_be_is_refused(make, cards):
    film, session = make()
    with pytest.raises(TableFormatError, match="no picture"):
        say(session, kind="remove", card="red-moth")
    play(session, film.rest(cards, 0.7))
    told = say(session, kind="identify", card="red-moth", identity="blue-ghost")
    assert sorted(event.cards for event in told) == [("blue-ghost",), ("red-moth",)]
    assert names(session) == sorted(NAMES)
    assert [c.by_hand for c in session.snapshot().cards].count(True) == 2
    say(session, kind="identify", card="red-moth", identity="blue-ghost")
    assert not any(card.by_hand for card in session.snapshot().cards)
    at_px = in_picture(film, *empty_place(cards))
    for wrong, why in (
        ({"kind": "identify", "card": "red-moth", "identity": "x"}, "no card"),
        ({"kind": "remove", "card": "green-moth"}, "taken away"),
        ({"kind": "add", "identity": "red-moth", "at_px": at_px}, "already"),
        ({"kind": "add", "identity": "green-moth", "at_px": in_picture(film, *_of(cards[1]))},
         "lies there"),
    ):  # fmt: skip
        with pytest.raises(TableFormatError, match=why):
            say(session, **wrong)


def _of(card: PlacedCard) -> tuple[float, float]:
    return card.x_mm, card.y_mm


def test_after_a_correction_of_a_verdict_only_what_changed_is_said(make, cards, deck):
    film, session = make()
    play(session, film.rest(cards, 0.7))
    session.stop()
    play(session, film.rest(cards, 1.0))
    first = session.verdict
    words = texts("en", LightSpeed(deck).texts)
    told = say(session, kind="identify", card="red-viper", identity="red-moth")
    assert codes(told) == ["by_hand", "by_hand", "verdict"]
    assert words.tell(told[-1].said).startswith("after the correction")
    again = say(session, kind="identify", card="red-viper", identity="red-moth")
    assert session.verdict.scan.ledger.final.scores == first.scan.ledger.final.scores
    assert again[-1].code == "verdict"
    say(session, kind="remove", card="red-moth")
    left = {card.card_id for card in session.verdict.scan.table.cards}
    assert left == set(NAMES) - {"red-moth"}


def test_a_watch_that_begins_anew_has_what_was_said(make, cards):
    film, session = make()
    play(session, film.rest(cards, 0.7))
    say(session, kind="identify", card="red-viper", identity="red-ghost")
    say(session, kind="remove", card="blue-destroyer")
    at_px = in_picture(film, *empty_place(cards))
    say(session, kind="add", identity="green-moth", at_px=at_px, heading_rad=0.5)
    kept, wanted = session.corrections, names(session)
    _, again = make()
    again.recall(kept)
    assert [one.card for one in again.corrections] == [one.card for one in kept]
    told = play(again, film.rest(cards, 0.7))
    assert names(again) == wanted
    found = {event.cards[0] for event in told if event.code == "card_found"}
    assert found == set(wanted) - {"green-moth"}
    play(again, over(film, cards, 0.7))
    assert names(again) == wanted
    assert {one.kind for one in again.corrections} == {"named", "none", "placed"}
    again.stop()
    play(again, film.rest(cards, 1.0))
    assert sorted(c.card_id for c in again.verdict.scan.table.cards) == wanted
