"""What would come of a table while it is laid: as its game resolves it, and only where asked."""

import numpy as np
import pytest

from tests.film import Film, play
from tests.synth import random_cards
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.geometry import photo_from_table
from vision.values.ledger import Path
from vision.watch import WatchSession, WatchSettings

NAMES = ["asteroid-1", "red-moth", "blue-ghost", "red-viper", "blue-destroyer", "green-intruder"]
QUIET = WatchSettings(silence_s=None, stop_on_count=False)
GAME = LightSpeed(load_deck("light-speed"))
SAME_CHANCE = 0.03  # of a shot within 0.1 mm of a corner: the verdict has five pictures, this one
AWAY_PX = 1.5  # of a beam's start: the cards are good to half a pixel, lasers to a little more


@pytest.fixture(scope="module")
def cards():
    return random_cards(NAMES, np.random.default_rng(3), gap_mm=12.0)


@pytest.fixture
def table(bank, cards):
    film = Film(cards, bank)
    return film, WatchSession(GAME, bank, settings=QUIET)


def told(ledger) -> list[tuple]:
    """Return each shot: its name and what it hits."""
    return [
        (event.id, event.pieces[1:])
        for step in ledger.steps
        for event in step.events
        if any(isinstance(mark, Path) for mark in event.marks)
    ]


def test_what_is_foreseen_is_what_the_game_resolves_as_each_card_lies(table, cards):
    film, session = table
    session.show_foreseen(True)
    play(session, film.rest([], 0.6))
    assert session.foreseen is None  # nothing lies there
    for k, card in enumerate(cards):
        play(session, film.visit(cards[:k], cards[: k + 1], (card.x_mm, card.y_mm)))
        play(session, film.rest(cards[: k + 1], 0.7))
        assert session.foreseen is not None
        laid = session.foreseen.ledger
        assert {piece.id for piece in laid.pieces} >= {card.card_id for card in cards[: k + 1]}
    seen = session.foreseen
    session.finish()
    judged = session.verdict.scan
    assert told(seen.ledger) == told(judged.ledger) != []
    ours = seen.camera, seen.ledger
    theirs = judged.layouts[0].camera, judged.ledger
    for mine, other in zip(starts(*ours), starts(*theirs), strict=True):
        assert np.hypot(*(mine - other)) < AWAY_PX


def starts(camera, ledger) -> list:
    paths = [m for s in ledger.steps for e in s.events for m in e.marks if isinstance(m, Path)]
    return [photo_from_table(camera, path.points_mm[:1])[0] for path in paths]


@pytest.mark.parametrize("seed", [54, 274])  # of 400, those with the closest shots
def test_a_shot_is_contested_as_on_the_page_of_its_round(bank, seed):
    cards = random_cards(NAMES, np.random.default_rng(seed), gap_mm=12.0)
    film, session = Film(cards, bank), WatchSession(GAME, bank, settings=QUIET)
    session.show_foreseen(True)
    play(session, film.rest(cards, 1.2))
    seen = session.foreseen.ledger
    session.stop()
    play(session, film.rest(cards, 1.2))
    ours, theirs = (
        {event.id: event.closeness.chance for event in ledger.contested()}
        for ledger in (seen, session.verdict.scan.ledger)
    )
    assert len(theirs) == 1
    assert ours == pytest.approx(theirs, abs=SAME_CHANCE)


def test_nothing_is_foreseen_unless_it_is_asked_and_once_for_each_table(table, cards, monkeypatch):
    film, session = table
    count = []
    known = LightSpeed.foresee
    monkeypatch.setattr(LightSpeed, "foresee", lambda *a: count.append(1) or known(*a))
    play(session, film.rest(cards[:3], 1.2))
    assert session.foreseen is None
    assert not count
    session.show_foreseen(True)  # at once, of the picture that is there
    assert session.foreseen is not None
    assert len(count) == 1
    play(session, film.rest(cards[:3], 1.0))
    assert len(count) == 1  # nothing came to rest
    last = cards[3]
    play(session, film.visit(cards[:3], cards[:4], (last.x_mm, last.y_mm)))
    play(session, film.rest(cards[:4], 1.0))
    assert len(count) == 2
    gone = film.visit(cards[:4], cards[1:4], (cards[0].x_mm, cards[0].y_mm))
    play(session, gone)
    play(session, film.rest(cards[1:4], 1.0))
    assert cards[0].card_id not in {piece.id for piece in session.foreseen.ledger.pieces}
    session.show_foreseen(False)
    assert session.foreseen is None
