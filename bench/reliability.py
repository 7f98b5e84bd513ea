"""Is what is said to have 90 % right 90 % of the time? Rounds of Light Speed with known errors.

Drawn tables are "measured" with an error drawn from a known joint covariance (correlated, as a
common solution leaves it), resolved with that covariance, and compared with the true table: every
score told with its probability, the winner, and every shot with its chance to have gone another
way. Then the photos (PHOTOS, by default the samples) with their own covariance, and the time and
memory of the probability stage by the size of the table.
"""

import math
import time
import tracemalloc
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.common.arguments import photos_with_truth
from bench.common.counting import CERTAIN, Tally, bound_of_none
from bench.common.light_speed import hits, light_speed, true_round
from bench.common.record import Result
from bench.common.tables import Table
from tests.truth import load_truth
from vision.games.light_speed.battlefield import set_board
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.odds import OddsSettings
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.roster import call_roll
from vision.games.light_speed.values import Deck, Resolution, RuleOptions, TableState
from vision.pipeline import scan as read_scan
from vision.values.arrays import FloatArray
from vision.values.layout import PlacedCard

SEED, COUNT = 1, 400


@dataclass
class Tallies:
    scores: Tally = field(default_factory=Tally)  #: of the resolution's own totals
    winners: Tally = field(default_factory=Tally)
    all_scores: Tally = field(default_factory=Tally)  #: every score told
    shots: Tally = field(default_factory=Tally)  #: that a shot hits what it is said to hit


def lay_table(rng: np.random.Generator, deck: Deck, cards: int) -> TableState:
    """Lay a table as players do: no overlaps, half of the ships aimed at something."""
    teams = list(rng.permutation(deck.teams)[: int(rng.integers(2, 5))])
    ids = [f"{team}-{ship.name}" for team in teams for ship in deck.ships]
    chosen = ["asteroid-1", *rng.permutation(ids)[: cards - 1].tolist()]
    ships = {f"{team}-{ship.name}": ship for team in teams for ship in deck.ships}
    width, height = (math.sqrt(cards) * side for side in (150.0, 115.0))
    placed: list[PlacedCard] = []
    for card in chosen:
        for _ in range(200):
            x, y = rng.uniform(-0.5, 0.5, 2) * [width, height]
            if all(math.hypot(x - c.x_mm, y - c.y_mm) > 112 for c in placed):
                break
        else:
            continue
        theta = float(rng.uniform(-math.pi, math.pi))
        if card in ships and placed and rng.random() < 0.5:
            at = placed[int(rng.integers(len(placed)))]
            laser = ships[card].lasers[0]
            way = math.atan2(at.x_mm - x, -(at.y_mm - y)) - laser.heading_rad
            theta = way + float(rng.normal(0, 0.12))
        placed.append(PlacedCard(card, float(x), float(y), theta))
    return TableState(tuple(placed), (), RuleOptions(piracy=bool(rng.random() < 0.3)))


def joint_covariance(rng: np.random.Generator, cards: int, mm: float, deg: float) -> FloatArray:
    """Return a covariance with half of the variance shared between the cards in random ways."""
    size = np.tile([mm, mm, math.radians(deg)], cards)
    shared = rng.normal(size=(3 * cards, 4)) / 2
    joint: FloatArray = np.outer(size, size) * (0.5 * np.eye(3 * cards) + 0.5 * shared @ shared.T)
    return joint


def measure(rng: np.random.Generator, table: TableState, joint: FloatArray) -> TableState:
    """Return a table with an error of that covariance."""
    error = rng.multivariate_normal(np.zeros(len(joint)), joint, method="cholesky").reshape(-1, 3)
    cards = (
        replace(c, x_mm=c.x_mm + e[0], y_mm=c.y_mm + e[1], theta_rad=c.theta_rad + e[2])
        for c, e in zip(table.cards, error.tolist(), strict=True)
    )
    return replace(table, cards=tuple(cards))


def compare(tallies: Tallies, told: Resolution, true: Resolution) -> None:
    """Count what was told against the truth."""
    odds = told.odds
    assert odds is not None
    truth = {team: score.total for team, score in true.scores.items()}
    measured = {team: score.total for team, score in told.scores.items()}
    tallies.scores.add(odds.score_probability, measured == truth)
    tallies.winners.add(odds.winner_probability, told.winners == true.winners)
    for chance in odds.scores:
        tallies.all_scores.add(chance.probability, dict(chance.totals) == truth)
    # the first step in which both rounds still are the same: later ones may differ without a flip
    one, other = told.steps[0].shots, true.steps[0].shots
    for shot, real in zip(one, other, strict=True):
        same = (shot.hit and (shot.hit.card, shot.hit.shielded)) == (
            real.hit and (real.hit.card, real.hit.shielded)
        )
        tallies.shots.add(1 - shot.flip_probability, same)


def measure_tables(
    tables: int, cards: int, *, samples: int = 2000, seed: int = 1, mm: float = 0.5
) -> Tallies:
    """Measure and resolve many tables; half of them with a tenth of the error."""
    rng = np.random.default_rng(seed)
    deck = load_deck("light-speed")
    settings = JudgeSettings(odds=OddsSettings(samples=samples, rare=0.0, told=10_000))
    tallies = Tallies()
    for i in range(tables):
        table = lay_table(rng, deck, cards)
        size = mm if i % 2 else mm / 10
        joint = joint_covariance(rng, len(table.cards), size, 0.4 * size)
        measured = measure(rng, table, joint)
        told = resolve(replace(measured, joint_covariance=joint), deck, settings=settings)
        true = resolve(table, deck)
        if told.steps and true.steps:
            compare(tallies, told, true)
    return tallies


# --- photos ----------------------------------------------------------------------------------


def read_photos(photos: Sequence[Path]) -> list[dict[str, Any]]:
    """Return what is told of each photo's round, and whether it is so."""
    deck = light_speed().deck
    rows = []
    for photo in photos:
        truth = load_truth(photo.with_suffix(".truth.json"))
        scan, _ = read_scan(photo.read_bytes(), light_speed().game, light_speed().detector)
        told, true = scan.outcome, true_round(truth, deck)
        odds = told.odds
        totals = {team: score.total for team, score in true.scores.items()}
        told_truth = (
            [c.probability for c in odds.scores if dict(c.totals) == totals] if odds else []
        )
        doubts = {i.code for i in scan.issues if i.severity == "doubt"} - {"close_call"}
        rows.append(
            {
                "photo": photo.stem,
                "cards": len(scan.table.cards),
                "contested": len(told.contested()),
                "score_probability": odds.score_probability if odds else None,
                "winner_probability": odds.winner_probability if odds else None,
                "truth_told": told_truth[0] if told_truth else 0.0,
                "right": told.scores == true.scores,
                "same_hits": hits(told) == hits(true),
                "other_doubts": sorted(doubts),
            }
        )
    return rows


# --- time and memory -------------------------------------------------------------------------


def big_deck(teams: int) -> Deck:
    """Return the deck with more teams, for tables larger than any game's."""
    deck = load_deck("light-speed")
    return replace(deck, teams=tuple(f"team{i}" for i in range(teams)))


def cost(cards: int, *, mm: float = 0.07, deg: float = 0.03) -> dict[str, Any]:
    """Measure time and memory of the probability stage on a table; errors as photos have them."""
    rng = np.random.default_rng(7)
    deck = load_deck("light-speed") if cards <= 42 else big_deck(math.ceil(cards / 10))
    if cards <= 42:
        ids = [i for i in card_ids(deck) if "back" not in i]
    else:
        ids = [f"{team}-{ship.name}" for team in deck.teams for ship in deck.ships]
    columns = math.ceil(math.sqrt(cards * 1.3))
    placed = tuple(
        PlacedCard(
            card,
            130.0 * (i % columns) + float(rng.uniform(-10, 10)),
            125.0 * (i // columns) + float(rng.uniform(-10, 10)),
            float(rng.uniform(-math.pi, math.pi)),
        )
        for i, card in enumerate(rng.permutation(ids)[:cards].tolist())
    )
    table = TableState(placed, deck=deck.name)
    joint = joint_covariance(rng, cards, mm, deg)
    set_board(table, deck, call_roll(table, deck))

    def seconds(settings: JudgeSettings) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            resolve(replace(table, joint_covariance=joint), deck, settings=settings)
            times.append(time.perf_counter() - start)
        return float(np.median(times))

    bare, whole = seconds(JudgeSettings(odds=None)), seconds(JudgeSettings())
    tracemalloc.start()
    told = resolve(replace(table, joint_covariance=joint), deck)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return {
        "cards": cards,
        "resolve_ms": 1000 * bare,
        "odds_ms": 1000 * (whole - bare),
        "peak_mb": peak,
        "contested": len(told.contested()),
        "scores": len(told.odds.scores) if told.odds else 0,
    }


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--cards", type=int, default=20, help="of each drawn table")


def photos_table(rows: list[dict[str, Any]]) -> Table:
    """Return what is told of the photos' rounds."""
    heads = ("photo", "cards", "contested", "score", "winner", "the true score", "right")

    def chance(p: float | None) -> str:
        return "-" if p is None else f"{p:.1%}"

    return Table(
        "Photos, with their own covariance",
        heads,
        tuple(
            (
                r["photo"],
                r["cards"],
                r["contested"],
                chance(r["score_probability"]),
                chance(r["winner_probability"]),
                chance(r["truth_told"]),
                "yes" if r["right"] else "no",
            )
            for r in rows
        ),
    )


def run(options: Namespace) -> Result:
    """Measure drawn tables, photos and costs, and tell."""
    tallies = measure_tables(options.count, options.cards, seed=options.seed)
    photos = read_photos(photos_with_truth(options.photos))
    costs = [cost(cards) for cards in (10, 42, 200)]
    parts = {
        "exact score as resolved": tallies.scores,
        "winner as resolved": tallies.winners,
        "every score told": tallies.all_scores,
        "shot of the first step": tallies.shots,
    }
    certain = tuple(
        (
            name,
            len(tally.told),
            bound_of_none(tally.wrong_and_certain(), sum(p > CERTAIN for p in tally.told)),
            f"{tally.worst():.1f}",
        )
        for name, tally in parts.items()
    )
    sizes = tuple(
        (c["cards"], c["resolve_ms"], c["odds_ms"], c["peak_mb"], c["contested"], c["scores"])
        for c in costs
    )
    by_size = ("cards", "resolve ms", "odds ms", "peak MB", "contested", "scores")
    heads = ("what is told", "cases", "over 99 % and not so", "worst band, deviations")
    return Result(
        (
            Table(f"{options.count} tables of {options.cards} cards", heads, certain),
            *(tally.table(name.capitalize()) for name, tally in parts.items()),
            photos_table(photos),
            Table("Time and memory of the odds", by_size, sizes),
        ),
        rows=tuple(photos),
    )
