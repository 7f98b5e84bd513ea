"""Films of a table with known truth: what is told, once, in order, and nothing else."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.film import Film, moved, play
from tests.synth import random_cards
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import Deck, TableState
from vision.games.light_speed.words import words
from vision.values.layout import PlacedCard
from vision.values.pieces import Faces
from vision.watch import WatchSession, WatchSettings, event_to_json, snapshot_to_json
from vision.watch.shown import fit_picture

REPORT_S = 1.0  # from the hand's leaving to the report
MOVE_TOL_MM = 0.3  # of a told distance: a third of a pixel at 960 x 540
TURN_TOL_DEG = 0.25
POSE_TOL_MM = 0.3  # after alignment; half a pixel
NAMES = ["asteroid-1", "red-moth", "blue-ghost", "red-viper", "blue-destroyer"]
QUIET = WatchSettings(silence_s=None)


def at(card: PlacedCard) -> tuple[float, float]:
    return card.x_mm, card.y_mm


def told(events: list, *codes: str) -> list:
    return [event for event in events if event.code in codes]


@pytest.fixture(scope="module")
def cards() -> tuple[PlacedCard, ...]:
    return random_cards(NAMES, np.random.default_rng(3), gap_mm=15.0)


@pytest.fixture
def make(
    deck: Deck, bank: Faces, cards: tuple[PlacedCard, ...]
) -> Callable[..., tuple[Film, WatchSession]]:
    stills = _STILLS.setdefault(id(bank), {})

    def build(
        settings: WatchSettings = QUIET, of: Deck | None = None, seed: int = 0
    ) -> tuple[Film, WatchSession]:
        film = Film(cards, bank, stills=stills, seed=seed)
        return film, WatchSession(LightSpeed(of or deck), bank, settings=settings)

    return build


_STILLS: dict[int, dict] = {}


def begin(film: Film, session: WatchSession, cards: tuple[PlacedCard, ...]) -> list:
    """Start with cards that lie there already."""
    return play(session, film.rest(cards, 0.7))


def test_every_card_is_told_once_in_order_and_at_once(make, cards):
    film, session = make()
    events = play(session, film.rest([], 0.6))
    left = []
    for k, card in enumerate(cards):
        events += play(session, film.visit(cards[:k], cards[: k + 1], at(card)))
        left.append(film.time_s)
        events += play(session, film.rest(cards[: k + 1], 0.9))
    assert [event.code for event in events] == ["picture_first"] + ["card_laid"] * len(cards)
    laid = told(events, "card_laid")
    assert [event.cards[0] for event in laid] == NAMES
    for event, left_s in zip(laid, left, strict=True):
        assert event.time_s <= left_s + REPORT_S
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    state = session.snapshot()
    assert [card.card for card in state.cards] == NAMES
    assert [card.order for card in state.cards] == [1, 2, 3, 4, 5]
    assert state.counts == {"red": 2, "green": 0, "purple": 0, "blue": 2}
    assert state.phase == "playing"
    # and the verdict is that of the true table
    done = told([*session.finish()], "verdict")
    assert len(done) == 1
    assert session.verdict is not None
    truth = resolve(TableState(cards), load_deck("light-speed"))
    scan = session.verdict.scan
    assert scan.outcome.scores == truth.scores
    seen = {card.card_id: card for card in scan.table.cards}
    assert set(seen) == set(NAMES)
    from vision.seeing.cards.view_fusion import align_poses

    motion, rest = align_poses(
        np.array([[seen[n].x_mm, seen[n].y_mm, seen[n].theta_rad] for n in NAMES]),
        np.array([[c.x_mm, c.y_mm, c.theta_rad] for c in cards]),
    )
    assert rest.max() < POSE_TOL_MM, (motion, rest)


def test_cards_that_lie_there_already(make, cards):
    film, session = make()
    events = begin(film, session, cards)
    assert {e.cards[0] for e in told(events, "card_found")} == set(NAMES)
    assert len(events) == 1 + len(NAMES)
    assert play(session, film.rest(cards, 2.0)) == []


def test_hands_over_a_still_table_are_nothing(make, cards):
    film, session = make()
    begin(film, session, cards)
    rng = np.random.default_rng(0)
    events = []
    for k in range(6):  # each hold with each rest
        place = rng.uniform(-150, 150, 2)
        hold_s = (0.0, 0.5, 1.5)[k % 3]  # a hand that rests a while
        visit = film.visit(cards, cards, (float(place[0]), float(place[1])), hold_s=hold_s)
        events += play(session, visit)
        events += play(session, film.rest(cards, 0.1 + 0.4 * (k % 2)))
    assert events == []


@pytest.mark.parametrize(
    ("dx_mm", "dy_mm", "turn_deg"),
    [(2.0, 0.0, 0.0), (0.0, -2.0, 0.0), (0.0, 0.0, 1.0), (9.0, 4.0, -6.0), (40.0, 30.0, 50.0)],
)
def test_a_moved_card_is_told(make, cards, dx_mm, dy_mm, turn_deg):
    film, session = make()
    begin(film, session, cards)
    card = cards[2]
    there = replace(
        card,
        x_mm=card.x_mm + dx_mm,
        y_mm=card.y_mm + dy_mm,
        theta_rad=card.theta_rad + np.radians(turn_deg),
    )
    after = (*cards[:2], there, *cards[3:])
    events = play(session, film.visit(cards, after, at(card)))
    events += play(session, film.rest(after, 1.0))
    hit = told(events, "card_moved")
    assert [event.cards for event in hit] == [(card.card_id,)]
    assert hit[0].details["mm"] == pytest.approx(np.hypot(dx_mm, dy_mm), abs=MOVE_TOL_MM)
    assert hit[0].details["deg"] == pytest.approx(abs(turn_deg), abs=TURN_TOL_DEG)
    assert hit[0].severity == "warning"
    assert hit[0].picture is not None
    assert not told(events, "card_laid", "card_removed", "unreadable_card")


def test_a_small_nudge_is_not_worth_a_word_but_many_are(make, cards):
    film, session = make()
    begin(film, session, cards)
    card, before, events = cards[2], cards, []
    for k in range(1, 4):
        there = replace(card, x_mm=card.x_mm + 0.9 * k)
        after = (*cards[:2], there, *cards[3:])
        seen = play(session, film.visit(before, after, at(card)))
        seen += play(session, film.rest(after, 0.8))
        assert bool(seen) == (k == 2), k  # 1.8 mm in all; then from there on anew
        events += seen
        before = after
    assert [event.code for event in events] == ["card_moved"]


def test_a_card_carried_elsewhere_has_moved(make, cards):
    film, session = make()
    begin(film, session, cards[:4])
    card = cards[3]
    there = replace(cards[4], card_id=card.card_id)
    lifted = cards[:3]
    after = (*cards[:3], there)
    events = play(session, film.visit(cards[:4], lifted, at(card)))
    events += play(session, film.visit(lifted, after, at(there)))
    events += play(session, film.rest(after, 1.0))
    # between the two visits the table was bare there for a moment: gone, then laid, or moved
    assert {event.cards[0] for event in events} == {card.card_id}
    assert [c.card for c in session.snapshot().cards].count(card.card_id) == 1


def test_a_removed_card_is_told(make, cards):
    film, session = make()
    begin(film, session, cards)
    after = (*cards[:3], cards[4])
    events = play(session, film.visit(cards, after, at(cards[3])))
    events += play(session, film.rest(after, 1.0))
    assert [(event.code, event.cards) for event in events] == [("card_removed", ("red-viper",))]


@pytest.mark.parametrize(("shift", "turn_deg"), [((3.0, 1.0), 0.0), ((14.0, -9.0), 1.5)])
def test_a_bumped_camera_is_noticed_and_found_again(make, cards, shift, turn_deg):
    film, session = make()
    begin(film, session, cards)
    camera = moved(film.camera, shift, turn_deg)
    events = play(session, film.rest(cards, 1.2, camera))
    assert [event.code for event in events] == ["camera_moved"]
    assert events[0].severity == "doubt"
    # and goes on as before
    film.camera = camera
    there = replace(cards[1], x_mm=cards[1].x_mm + 3.0)
    after = (cards[0], there, *cards[2:])
    events = play(session, film.visit(cards, after, at(there)))
    events += play(session, film.rest(after, 1.0))
    assert [(event.code, event.cards) for event in events] == [("card_moved", ("red-moth",))]


def test_a_card_moved_with_the_camera_is_told_of_both(make, cards):
    film, session = make()
    begin(film, session, cards)
    there = replace(cards[1], x_mm=cards[1].x_mm + 6.0)
    after = (cards[0], there, *cards[2:])
    events = play(session, film.rest(after, 1.2, moved(film.camera, (12.0, 5.0))))
    assert [event.code for event in events] == ["camera_moved", "card_moved"]
    assert events[1].details["mm"] == pytest.approx(6.0, abs=2 * MOVE_TOL_MM)


def test_touching_and_overlapping_are_told(make, cards):
    film, session = make()
    begin(film, session, cards[:2])
    moth = cards[1]
    for far_mm, code in ((63.6, "cards_touch"), (50.0, "cards_overlap")):
        film, session = make()
        begin(film, session, cards[:2])
        c, s = np.cos(moth.theta_rad), np.sin(moth.theta_rad)
        beside = PlacedCard(
            "blue-ghost", moth.x_mm + far_mm * c, moth.y_mm + far_mm * s, moth.theta_rad
        )
        after = (*cards[:2], beside)
        events = play(session, film.visit(cards[:2], after, at(beside)))
        events += play(session, film.rest(after, 1.2))
        assert [event.code for event in events] == ["card_laid", code]
        assert set(events[1].cards) == {"red-moth", "blue-ghost"}


def test_two_at_once_and_a_card_face_down(make, cards):
    film, session = make()
    begin(film, session, cards[:1])
    down = replace(cards[4], card_id="ship-back")
    after = (*cards[:2], cards[3])
    middle = ((cards[1].x_mm + cards[3].x_mm) / 2, (cards[1].y_mm + cards[3].y_mm) / 2)
    events = play(session, film.visit(cards[:1], after, middle))
    events += play(session, film.rest(after, 1.0))
    warned = told(events, "two_at_once")
    assert [set(event.cards) for event in warned] == [{"red-moth", "red-viper"}]
    assert warned[0].team == "red"
    events = play(session, film.visit(after, (*after, down), at(down)))
    events += play(session, film.rest((*after, down), 1.0))
    assert [event.code for event in events] == ["card_laid", "face_down"]


def test_cards_that_came_in_a_gap_of_the_pictures_accuse_nobody(make, cards):
    film, session = make()
    begin(film, session, cards[:1])
    after = (*cards[:2], cards[3])
    later = ((image, time_s + 6.0) for image, time_s in film.rest(after, 1.2))
    events = play(session, later)
    assert [event.code for event in events if event.severity == "news"].count("card_laid") == 2
    assert not [event for event in events if event.severity == "warning"]


def test_the_last_card_of_a_team_stops_the_round(make, cards, deck):
    two = [ship for ship in deck.ships if ship.name in ("moth", "viper")]
    small = replace(deck, ships=tuple(two))
    film, session = make(WatchSettings(silence_s=None), small)
    begin(film, session, cards[:2])
    assert session.snapshot().phase == "playing"
    after = (*cards[:2], cards[3])
    events = play(session, film.visit(cards[:2], after, at(cards[3])))
    events += play(session, film.rest(after, 1.6))
    codes = [event.code for event in events]
    assert codes == ["card_laid", "all_laid", "stopped", "verdict"]
    assert events[2].details == {"by": "count"}
    assert events[1].team == "red"
    assert session.snapshot().phase == "verdict"
    late = PlacedCard("blue-moth", cards[4].x_mm, cards[4].y_mm, 0.3)
    events = play(session, film.visit(after, (*after, late), at(late)))
    events += play(session, film.rest((*after, late), 1.6))
    assert [e.code for e in events] == ["card_laid", "laid_after_stop", "verdict"]
    # the table is cleared: cards leave without a word, and a new round begins
    bare = cards[:1]
    events = play(session, film.visit((*after, late), bare, at(cards[1])))
    events += play(session, film.rest(bare, 1.0))
    assert [event.code for event in events] == ["new_round"]
    state = session.snapshot()
    assert (state.round, state.phase, [c.card for c in state.cards]) == (
        2,
        "waiting",
        ["asteroid-1"],
    )


def test_silence_stops_and_a_further_card_goes_on(make, cards):
    film, session = make(WatchSettings(silence_s=1.5))
    begin(film, session, cards[:3])
    events = play(session, film.rest(cards[:3], 3.0))
    assert [event.code for event in events] == ["stopped", "verdict"]
    assert events[0].details == {"by": "silence"}
    events = play(session, film.visit(cards[:3], cards[:4], at(cards[3])))
    events += play(session, film.rest(cards[:4], 0.8))
    assert [event.code for event in events] == ["card_laid", "resumed"]
    assert session.verdict is None
    events = play(session, film.rest(cards[:4], 2.5))
    assert [event.code for event in events] == ["stopped", "verdict"]


def test_stop_by_key(make, cards):
    film, session = make()
    assert session.stop() == ()  # nothing lies there
    begin(film, session, cards[:3])
    assert [event.code for event in session.stop()] == ["stopped"]
    assert session.stop() == ()
    events = play(session, film.rest(cards[:3], 1.2))
    assert [event.code for event in events] == ["verdict"]
    assert events[0].details == {
        team: score.total for team, score in session.verdict.scan.outcome.scores.items()
    }


def test_a_stalled_a_black_and_another_picture_keep_the_game(make, cards):
    film, session = make()
    assert session.snapshot(1.0).age_s is None
    begin(film, session, cards)
    last = film.time_s - film.step_s
    assert session.tick(last + 1.9) == ()
    stalled = session.tick(last + 2.0)
    assert [event.code for event in stalled] == ["picture_stalled"]
    assert session.tick(last + 3.0) == ()  # once
    state = session.snapshot(last + 3.0)
    assert (state.picture, state.age_s, len(state.cards)) == ("stalled", pytest.approx(3.0), 5)
    film.time_s += 3.0
    assert [e.code for e in play(session, film.rest(cards, 0.5))] == ["picture_back"]
    dark = np.zeros_like(film.still(cards))
    events = [e for k in range(5) for e in session.look(dark, film.time_s + 0.1 * k)]
    assert [event.code for event in events] == ["picture_black"]
    film.time_s += 0.6
    assert [e.code for e in play(session, film.rest(cards, 0.5))] == ["picture_back"]
    events = []
    for image, time_s in film.rest(cards, 1.5):
        events += session.look(fit_picture(image, (640, 360)), time_s)
    assert [event.code for event in events] == ["picture_size"]
    assert {card.card for card in session.snapshot().cards} == set(NAMES)
    assert max(card.corners_px.max() for card in session.snapshot().cards) < 640
    assert play(session, film.rest(cards, 1.0))[0].code == "picture_size"


def test_other_proportions_are_found_again(make, cards):
    film, session = make()
    begin(film, session, cards)
    events = []
    for image, time_s in film.rest(cards, 1.5):
        events += session.look(np.ascontiguousarray(image[20:-20, 40:]), time_s)
    codes = [event.code for event in events]
    assert codes[0] == "picture_size"
    assert set(codes) <= {"picture_size", "camera_moved"}
    assert {card.card for card in session.snapshot().cards} == set(NAMES)


def test_the_same_film_tells_the_same(make, cards):
    film, _ = make()
    frames = list(film.rest([], 0.5))
    frames += list(film.visit([], cards[:1], at(cards[0]))) + list(film.rest(cards[:1], 0.8))
    runs = []
    for _ in range(2):
        _, session = make()
        events = play(session, frames)
        runs.append(
            (
                [event_to_json(e, words()) for e in events],
                snapshot_to_json(session.snapshot(), words("fr")),
            )
        )
    assert runs[0] == runs[1]
    assert told(events, "card_laid")


def test_time_does_not_run_backwards(make, cards):
    film, session = make()
    session.look(film.still([]), 1.0)
    with pytest.raises(ValueError, match="at least"):
        session.look(film.still([]), 0.5)


# --- a mirrored picture ----------------------------------------------------------------------


@pytest.mark.parametrize("at_start", [0, 5])
def test_a_mirrored_film_is_told_and_has_no_verdict(make, cards, at_start):
    """Whether the cards are laid one by one or lie there already: turned faces fire elsewhere."""
    film, session = make()
    events: list = []
    lying = list(cards[:at_start])
    shown = list(film.rest(lying, 1.0))
    for card in cards[at_start:]:
        shown += film.visit(lying, [*lying, card], at(card))
        lying.append(card)
        shown += film.rest(lying, 0.8)
    shown += film.rest(lying, 2.0)
    for image, time_s in shown:
        events += session.look(np.ascontiguousarray(image[:, ::-1]), time_s)
    events += session.finish()
    (mirrored,) = told(events, "picture_mirrored")
    assert mirrored.severity == "doubt"
    assert "turn off mirroring" in words().tell(mirrored.said)
    assert session.verdict is None
    assert not told(events, "verdict")


def test_a_film_that_is_not_mirrored_is_not_told_so(make, cards):
    film, session = make()
    events = begin(film, session, cards)
    events += [e for image, t in film.rest(cards, 6.0) for e in session.look(image, t)]
    events += session.finish()
    assert not told(events, "picture_mirrored", "no_verdict")
    assert session.verdict is not None
