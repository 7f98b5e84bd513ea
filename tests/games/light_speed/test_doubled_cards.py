"""Cards that lie twice, where one of the two counts: what is told of the round is calibrated.

Issue 35: with five or more of them all doubts became notes, and the table as it was taken was
told as certain.
"""

import numpy as np
import pytest

from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.odds import OddsSettings
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.tell import tell
from vision.games.light_speed.values import TableState
from vision.judging.odds import OPEN
from vision.values.layout import Alternative, PlacedCard
from vision.values.ledger import NO_MATTER
from vision.values.verdict import judge

DECK = load_deck("light-speed")
FRONTS = [name for name in card_ids(DECK) if "back" not in name]
SPREAD = np.diag([0.15, 0.15, 1e-6])  # mm², rad²: of cards in a sharp photo
TABLES = 12  # of each number of doubled cards; 200 of each were measured beside the tests
MOST = 8  # doubled cards of most tables; of more there are 4,096 ways to play each
PLAYED = OddsSettings(samples=40, least=10, rare=0.0, told=10_000)
QUITE_SURE = 0.9


def doubled_table(seed: int, count: int, sure: int = 4) -> tuple[TableState, TableState]:
    """Return a table on which cards lie twice as it is read, and as it truly is.

    Of each two either may be the one that counts; the other plays nothing.
    """
    rng = np.random.default_rng([seed, count])
    teams = {"asteroid", *rng.permutation(list(DECK.teams))[:2].tolist()}
    names = [name for name in FRONTS if name.split("-")[0] in teams]
    names = rng.permutation(names).tolist()[: count + sure]
    n = len(names) + count
    side = int(np.ceil(np.sqrt(n)))
    cells = rng.permutation(side * side)[:n]
    place = np.column_stack([cells % side, cells // side]) * 105.0 + rng.uniform(-6, 6, (n, 2))
    theta = rng.choice(4, n) * np.pi / 2 + rng.normal(0, 0.1, n)
    poses = [(float(x), float(y), float(t)) for (x, y), t in zip(place, theta, strict=True)]
    read, true = [], []
    for k, name in enumerate(names):
        if k >= count:
            read.append(PlacedCard(name, *poses[k], SPREAD))
            true.append(PlacedCard(name, *poses[k]))
            continue
        copy, both = f"unknown-{k + 1}", (poses[k], poses[len(names) + k])
        read.append(PlacedCard(name, *both[0], SPREAD, may_be=(Alternative(copy, 0.5),)))
        read.append(PlacedCard(copy, *both[1], SPREAD, may_be=(Alternative(name, 0.5),)))
        real = int(rng.integers(2))
        true.append(PlacedCard(name, *both[real]))
        true.append(PlacedCard(copy, *both[1 - real]))
    return TableState(tuple(read)), TableState(tuple(true))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8, 12])  # twelve: 4,096 tables each
def test_what_is_told_of_doubled_cards_is_as_often_so(count: int) -> None:
    """The winner told is right as often as told, and no near-certain one is often wrong."""
    told, right, sure_wrong = [], [], 0
    tables = TABLES if count <= MOST else TABLES // 2
    for seed in range(tables):
        read, true = doubled_table(seed, count)
        won = resolve(true, DECK, settings=JudgeSettings(odds=None)).winners
        odds = resolve(read, DECK, settings=JudgeSettings(odds=PLAYED)).odds
        assert odds is not None
        assert sum(p for _, p in odds.winners) + odds.unknown == pytest.approx(1)
        assert odds.unknown <= NO_MATTER
        best, chance = odds.winners[0]
        told.append(chance)
        right.append(best == won)
        sure_wrong += chance > QUITE_SURE and best != won
    spread = np.sqrt(np.sum(np.array(told) * (1 - np.array(told)))) + 0.5
    assert sum(right) >= sum(told) - 3 * spread  # three standard deviations of so many tables
    assert sure_wrong <= tables * (1 - QUITE_SURE) + 1


@pytest.mark.parametrize("count", [5, 8, 12])
def test_of_doubled_cards_those_that_decide_the_round_stay_doubts(count: int) -> None:
    for seed in range(3):
        read, _ = doubled_table(seed, count)
        told = resolve(read, DECK, settings=JudgeSettings(odds=PLAYED))
        assert told.odds is not None
        if told.odds.score_probability < 1 - 10 * NO_MATTER:
            matter = [one for one in told.weighed if one.chance > NO_MATTER]
            assert matter
            assert judge(tell(read, DECK, told), told.issues).is_open


def test_where_too_little_can_be_played_the_round_is_open_and_it_is_said_why() -> None:
    """Eighteen cards that may each be any of two teams: more than can be counted."""
    ships = [name for name in FRONTS if name.startswith(("red-", "blue-"))]
    names = [name for name in ships if name not in ("red-moth", "blue-moth")]
    laid = [PlacedCard("red-moth", -200.0, 0.0, 0.0), PlacedCard("blue-moth", -200.0, -200.0, 0.0)]
    laid += (
        PlacedCard(f"unknown-{k + 1}", 110.0 * (k % 6), 110.0 * (k // 6), 0.0, may_be=may_be)
        for k in range(18)
        for may_be in [tuple(Alternative(name, 1 / len(names)) for name in names)]
    )
    game, table = LightSpeed(DECK), TableState(tuple(laid))
    told = game.resolve(table)
    assert told.odds is not None
    assert told.odds.unknown > OPEN
    (issue,) = [issue for issue in told.issues if issue.code == "not_known"]
    assert issue.severity == "doubt"
    ledger = game.tell(table, told)
    assert ledger.odds is not None
    assert ledger.odds.unknown == told.odds.unknown
    assert ledger.odds.lines[-1].key == "odds.unknown"
    assert judge(ledger, told.issues).is_open
    assert all(one.chance > NO_MATTER for one in told.weighed)
