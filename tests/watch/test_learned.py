"""A deck learned from pictures is followed as a drawn one is: cards as they lie, the verdict."""

import numpy as np

from calibration.learned.learn import DeckSize
from tests.drawn_faces import draw_face
from tests.film import Film, play
from tests.learned import bank_of, printed
from tests.synth import Scene, random_cards
from vision.games.light_speed.game import LightSpeed
from vision.watch import WatchSession, WatchSettings

NAMES = ["asteroid-1", "red-moth", "blue-ghost", "red-viper"]


def test_cards_are_told_as_they_are_laid_and_the_verdict_names_them_all(deck):
    size = DeckSize(deck.width_mm, deck.height_mm)
    faces = {
        name: draw_face(40 + k, (size.width_mm, size.height_mm), px_per_mm=6)
        for k, name in enumerate([*NAMES, "blue-viper", "red-ghost"])
    }
    cards = random_cards(NAMES, np.random.default_rng(3), gap_mm=15.0)
    scene = Scene((), (1280, 720), tilt_deg=6.0, noise=0.0)
    film = Film(cards, printed(faces, size), scene=scene)
    quiet = WatchSettings(stop_on_count=False, silence_s=None)
    session = WatchSession(LightSpeed(deck), bank_of(faces, size), settings=quiet)
    events = play(session, film.rest(cards[:2], 0.7))
    for k in (2, 3):
        place = (cards[k].x_mm, cards[k].y_mm)
        events += play(session, film.visit(cards[:k], cards[: k + 1], place))
        events += play(session, film.rest(cards[: k + 1], 0.9))
    laid = [event.cards[0] for event in events if event.code in ("card_laid", "card_found")]
    assert sorted(laid) == sorted(NAMES), [event.code for event in events]
    session.stop()
    play(session, film.rest(cards, 1.0))
    session.finish()
    assert session.verdict is not None
    placed = session.verdict.scan.layout.placed
    assert [card.piece for card in placed] == sorted(NAMES)
