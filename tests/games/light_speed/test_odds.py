"""The odds: the replay is exact, sample by sample, and what it adds up to keeps the laws."""

import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.reliability import joint_covariance, lay_table
from tests.strategies import LIGHT, random_table, tables
from vision.games.light_speed.battlefield import set_board
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.notation import format_table, parse_table
from vision.games.light_speed.odds import OddsSettings
from vision.games.light_speed.replay import NOT_FIRED, SPACE, replay
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.roster import call_roll
from vision.games.light_speed.tell_odds import tell_odds
from vision.games.light_speed.values import Deck, Ruling, TableState
from vision.games.light_speed.words import words
from vision.values.arrays import FloatArray
from vision.values.layout import PlacedCard
from vision.values.ledger import NO_MATTER

DECK = load_deck("light-speed")


def with_poses(table: TableState, ids: tuple[str, ...], poses: FloatArray) -> TableState:
    """Lay the cards of a table elsewhere; ``poses`` (M, 3) in the order of ``ids``."""
    cards = tuple(
        PlacedCard(c.card_id, *poses[ids.index(c.card_id)].tolist()) if c.card_id in ids else c
        for c in table.cards
    )
    return replace(table, cards=cards)


def nudged(
    table: TableState, deck: Deck, rng: np.random.Generator, n: int, mm: float, deg: float
) -> tuple[tuple[str, ...], FloatArray]:
    """Return the things of a table and n times their poses, each pushed and turned a little."""
    bodies = set_board(table, deck, call_roll(table, deck)).bodies
    push = rng.normal(0, 1, (n, len(bodies.ids), 3)) * [mm, mm, math.radians(deg)]
    return bodies.ids, bodies.poses + push * bodies.is_card[:, None]


def assert_exact(table: TableState, deck: Deck, ids: tuple[str, ...], poses: FloatArray) -> int:
    """Compare every replayed round with the round resolved by itself; count the courses."""
    roster = call_roll(table, deck)
    board = set_board(table, deck, roster)
    played = replay(board, roster, poses, table.rulings)
    for n, pose in enumerate(poses):
        said = with_poses(table, ids, pose)
        alone = resolve(said, deck)
        assert dict(zip(roster.teams, played.totals[n].tolist(), strict=True)) == {
            team: score.total for team, score in alone.scores.items()
        }, format_table(said)
        codes = {}
        for step in alone.steps:
            for shot in step.shots:
                hit = shot.hit
                code = SPACE if hit is None else 2 * ids.index(hit.card) + hit.shielded
                codes[shot.ship, shot.laser] = code
        told = {
            (ids[ship], laser): code
            for ship, laser, code in zip(
                board.beams.ship.tolist(),
                board.beams.laser.tolist(),
                played.codes[n].tolist(),
                strict=True,
            )
            if code != NOT_FIRED
        }
        assert told == codes, format_table(said)
    return played.strands


@pytest.mark.parametrize("spread", [0.05, 0.5, 5.0])
def test_every_replayed_round_is_the_round_resolved_alone(spread: float) -> None:
    rng = np.random.default_rng(3)
    ids = [*card_ids(DECK), "unknown-1"]
    courses = 0
    for _ in range(6):
        table = random_table(rng, ids, 24)
        courses += assert_exact(table, DECK, *nudged(table, DECK, rng, 8, spread, spread))
    assert courses > 6 * (1 if spread < 1 else 4)  # or nothing was tried


@given(tables(), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.01, 1.0, 20.0]))
@LIGHT
def test_replay_is_exact_on_any_table(
    drawn: tuple[TableState, Deck], seed: int, spread: float
) -> None:
    table, deck = drawn
    rng = np.random.default_rng(seed)
    ids, poses = nudged(table, deck, rng, 4, spread, spread)
    # some cards are exact: on a grid they touch and tie to the last digit only if nothing moves
    still = rng.random(len(ids)) < 0.3 if spread else np.ones(len(ids), bool)
    poses[:, still] = set_board(table, deck, call_roll(table, deck)).bodies.poses[still]
    assert_exact(table, deck, ids, poses)


@given(tables(max_size=6), st.integers(0, 2**32 - 1))
@LIGHT
def test_replay_follows_rulings(drawn: tuple[TableState, Deck], seed: int) -> None:
    table, deck = drawn
    rng = np.random.default_rng(seed)
    ids, poses = nudged(table, deck, rng, 3, 2.0, 2.0)
    ships = call_roll(table, deck).ships
    lasers = [(s, k) for s, (_, ship) in ships.items() for k in range(len(ship.lasers))]
    rulings = []
    for ship, laser in lasers:
        if rng.random() < 0.5:
            targets = [None, *(thing for thing in ids if thing != ship)]
            target = targets[int(rng.integers(len(targets)))]
            rulings.append(Ruling(ship, laser, target, target is not None and rng.random() < 0.3))
    assert_exact(replace(table, rulings=tuple(rulings)), deck, ids, poses)


# --- what the rounds add up to ---------------------------------------------------------------

# red moth's first laser points up; blue viper's left edge lies ``aside`` mm left of its beam
CLOSE = """
red moth @0,0 0deg cov=0.01,0,0,0.01,0,0.0000001
blue viper @{x},-200 0deg
green destroyer @300,-200 0deg
"""


def close_table(inside_mm: float) -> TableState:
    moth = next(ship for ship in DECK.ships if ship.name == "moth")
    muzzle = moth.lasers[0].muzzle_mm[0]
    return parse_table(CLOSE.format(x=muzzle + DECK.width_mm / 2 - inside_mm))


@pytest.mark.parametrize("inside_mm", [-0.15, -0.05, 0.0, 0.07, 0.2])
def test_one_close_shot_flips_as_often_as_its_margin_says(inside_mm: float) -> None:
    table = close_table(inside_mm)
    settings = JudgeSettings(odds=OddsSettings(samples=100))
    told = resolve(table, DECK, settings=settings)
    shot = told.steps[0].shots[0]
    assert (shot.hit is not None) == (inside_mm >= 0)
    roster = call_roll(table, DECK)
    board = set_board(table, DECK, roster)
    assert board.ships
    chance = shot.flip_probability
    expected = 0.5 * math.erfc(abs(inside_mm) / 0.1 / math.sqrt(2))
    assert chance == pytest.approx(expected, abs=0.01)


def test_the_same_table_gives_the_same_odds_in_any_order() -> None:
    rng = np.random.default_rng(5)
    table = random_table(rng, card_ids(DECK), 18)
    cards = tuple(replace(card, covariance=np.diag([0.3, 0.3, 1e-4])) for card in table.cards)
    table = replace(table, cards=cards)
    mixed = replace(table, cards=tuple(cards[i] for i in rng.permutation(len(cards))))
    told = resolve(table, DECK).odds
    assert told is not None
    assert told == resolve(table, DECK).odds == resolve(mixed, DECK).odds


def test_probabilities_add_up() -> None:
    rng = np.random.default_rng(8)
    for _ in range(3):
        table = random_table(rng, card_ids(DECK), 14)
        cards = tuple(replace(c, covariance=np.diag([1.0, 1.0, 4e-4])) for c in table.cards)
        settings = OddsSettings(samples=150, rare=0.0, told=10_000, depth=30)
        odds = resolve(
            replace(table, cards=cards), DECK, settings=JudgeSettings(odds=settings)
        ).odds
        assert odds is not None
        assert sum(p for _, p in odds.winners) == pytest.approx(1)
        assert sum(c.probability for c in odds.scores) == pytest.approx(1)
        by_score = {tuple(c.totals.items()): c.probability for c in odds.scores}
        told: dict[tuple[tuple[str, int], ...], float] = {}
        for reading in odds.readings:
            key = tuple(reading.totals.items())
            told[key] = told.get(key, 0.0) + reading.probability
        if len(odds.scores) > 1:
            assert told == pytest.approx(by_score)  # the readings are the whole truth


def test_a_shot_that_turns_changes_the_score_at_most_as_often_as_the_score_changes() -> None:
    """And where the score is as good as certain, no shot is doubted beside it (issue 16)."""
    rng = np.random.default_rng(31)
    sure = closed = 0
    for k in range(24):
        table = random_table(rng, card_ids(DECK), 5 + k % 5)
        block = np.diag([0.05, 0.05, 1e-6]) * (1 + k % 4)
        cards = tuple(replace(card, covariance=block) for card in table.cards)
        told = resolve(replace(table, cards=cards), DECK)
        assert told.odds is not None
        other = 1 - told.odds.score_probability
        assert all(0 <= chance <= other + 1e-9 for chance in told.odds.turning.values())
        close = [issue for issue in told.issues if issue.code == "close_call"]
        closed += len(close)
        if other <= NO_MATTER:
            sure += 1
            assert all(issue.severity == "note" for issue in close)
    assert sure > 5  # else nothing was shown
    assert closed > 5


def frail_vipers(health: int) -> Deck:
    """Return the deck with vipers of another health."""
    ships = (replace(s, health=health) if s.name == "viper" else s for s in DECK.ships)
    return replace(DECK, ships=tuple(ships))


@pytest.mark.parametrize(("health", "severity"), [(3, "note"), (2, "doubt")])
def test_a_close_shot_is_doubted_where_it_decides_the_score(health: int, severity: str) -> None:
    """The moth's first laser has power 2: on a ship of health 2 it kills, else it only hurts."""
    told = resolve(close_table(0.05), frail_vipers(health))
    assert [i.severity for i in told.issues if i.code == "close_call"] == [severity]


def test_a_reading_names_the_laser_as_it_is_counted_at_the_table() -> None:
    """The first laser is laser 1, in the words of each reading as in the account of the shots."""
    told = resolve(close_table(0.05), frail_vipers(2))
    assert told.odds is not None
    asked = [one for reading in told.odds.readings for one in reading.conditions]
    assert {one.laser for one in asked} == {0}
    said = [words().tell(line) for line in tell_odds(told).lines]
    assert [line for line in said if "laser 1 hits" in line]
    assert not [line for line in said if "laser 2" in line]


def test_exact_poses_have_no_odds() -> None:
    assert resolve(parse_table("red moth @0,0 0deg"), DECK).odds is None


def test_correlation_counts() -> None:
    """Two cards that move together keep their distance: then the shot is sure."""
    table = close_table(0.05)
    block = np.diag([0.01, 0.01, 1e-12])
    table = replace(table, cards=tuple(replace(c, covariance=block) for c in table.cards))
    apart = resolve(table, DECK)
    together = np.kron(np.ones((3, 3)), block)
    as_one = resolve(replace(table, joint_covariance=together), DECK)
    assert apart.steps[0].shots[0].flip_probability > 0.3
    assert as_one.steps[0].shots[0].flip_probability < 1e-6
    assert as_one.odds is not None
    assert as_one.odds.score_probability == 1.0


def test_two_thousand_samples_of_a_full_table_are_quick() -> None:
    """The budget on two busy cores, with poses as photos give them: 50 ms when measured alone."""
    rng = np.random.default_rng(6)
    table = lay_table(rng, DECK, 41)
    joint = joint_covariance(rng, len(table.cards), 0.07, 0.03)
    times = []
    for settings in [JudgeSettings(odds=None)] * 3 + [JudgeSettings()] * 3:
        start = time.perf_counter()
        told = resolve(replace(table, joint_covariance=joint), DECK, settings=settings)
        times.append(time.perf_counter() - start)
    assert told.odds is not None
    assert told.odds.samples == 2000
    assert min(times[3:]) - min(times[:3]) < 0.3


# --- lasers that somebody showed by hand ------------------------------------------------------


def by_hand(deck: Deck) -> Deck:
    return replace(deck, ships=tuple(replace(ship, is_by_hand=True) for ship in deck.ships))


def shots_of(resolution):
    return [shot for step in resolution.steps for shot in step.shots]


@given(tables(DECK))
@LIGHT
def test_a_deck_entered_by_hand_changes_no_round_and_is_never_surer(laid):
    table, _ = laid
    exact, shown = resolve(table, DECK), resolve(table, by_hand(DECK))
    assert {t: s.total for t, s in shown.scores.items()} == {
        t: s.total for t, s in exact.scores.items()
    }
    for one, other in zip(shots_of(shown), shots_of(exact), strict=True):
        assert (one.hit, one.path_mm) == (other.hit, other.path_mm)
        assert one.sigma_mm >= other.sigma_mm - 1e-9


def test_what_a_hand_shows_is_worth_a_degree_at_any_distance():
    """An exact table, for the poses; the sigma of a miss grows with the distance."""
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(30):
        table = random_table(rng, card_ids(DECK), 10)
        for shot in shots_of(resolve(table, by_hand(DECK))):
            if shot.feature is None or shot.feature.kind != "corner" or shot.feature.sigma_mm == 0:
                continue
            feature = shot.feature
            past = math.dist(shot.path_mm[0], feature.point_mm) ** 2 - feature.distance_mm**2
            along = math.sqrt(max(past, 0.0))  # how far along the beam it lies
            assert feature.sigma_mm >= 0.9 * 0.017 * (along - 60)  # turned about the card's middle
            assert feature.sigma_mm <= 0.017 * (along + 150) + 3  # what is hit may be as uncertain
            seen += 1
    assert seen > 30
