"""Is what is said to have 90 % right 90 % of the time? ``python -m tests.bench.reliability``

Synthetic tables are "measured" with an error drawn from a known joint covariance (correlated, as
a common solution leaves it), resolved with that covariance, and compared with the true table:
every score told with its probability, the winner, and every shot with its chance to have gone
another way. Then the photos (``--photos``, by default the samples) with their own covariance, and
the time and memory of the probability stage by the size of the table. ``--json FILE`` writes it
as data.
"""

import argparse
import json
import math
import sys
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.accuracy import find_photos, hits, true_round
from tests.truth import load_truth
from vision.games.light_speed.battlefield import set_board
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.odds import OddsSettings
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.roster import call_roll
from vision.games.light_speed.values import Deck, Resolution, RuleOptions, TableState
from vision.values.arrays import FloatArray
from vision.values.layout import PlacedCard

EDGES = (0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0)
CERTAIN = 0.99


@dataclass
class Tally:
    """Probabilities that were told, and whether what was told came true."""

    told: list[float] = field(default_factory=list)
    came: list[bool] = field(default_factory=list)

    def add(self, probability: float, came: bool) -> None:
        self.told.append(probability)
        self.came.append(came)

    def rows(self) -> list[dict[str, float]]:
        """Return for each band of probability: how many, what was told, what came true."""
        told, came = np.array(self.told), np.array(self.came)
        band = np.clip(np.digitize(told, EDGES) - 1, 0, len(EDGES) - 2)
        rows = []
        for k in range(len(EDGES) - 1):
            mine = band == k
            if mine.any():
                rows.append(
                    {
                        "from": EDGES[k],
                        "to": EDGES[k + 1],
                        "count": int(mine.sum()),
                        "told": float(told[mine].mean()),
                        "came": float(came[mine].mean()),
                        "sigma": float(np.sqrt((told[mine] * (1 - told[mine])).sum()))
                        / int(mine.sum()),
                    }
                )
        return rows

    def wrong_and_certain(self) -> int:
        """Count what was told as more than 99 % sure and did not come true."""
        return sum(p > CERTAIN and not came for p, came in zip(self.told, self.came, strict=True))

    def worst(self) -> float:
        """Return the largest misfit of a band, in standard deviations (at least one case wide)."""
        return max(
            abs(r["told"] - r["came"]) / max(r["sigma"], 1 / r["count"]) for r in self.rows()
        )


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


def run(tables: int, cards: int, *, samples: int = 2000, seed: int = 1, mm: float = 0.5) -> Tallies:
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
    from calibration.light_speed.looks import build_bank
    from vision.games.light_speed.game import LightSpeed
    from vision.pipeline import scan as read_scan
    from vision.seeing.detector import build_detector

    deck = load_deck("light-speed")
    bank = build_bank(deck)
    rows = []
    for photo in photos:
        truth = load_truth(photo.with_suffix(".truth.json"))
        scan, _ = read_scan(photo.read_bytes(), LightSpeed(deck), build_detector(bank))
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


def print_tally(name: str, tally: Tally) -> None:
    print(f"\n| {name} | cases | told | came true | ± |\n| --- | --- | --- | --- | --- |")
    for r in tally.rows():
        band = f"{r['from']:.0%} to {r['to']:.0%}"
        print(f"| {band} | {r['count']} | {r['told']:.1%} | {r['came']:.1%} | {r['sigma']:.1%} |")
    print(f"wrong and said to be over 99 %: {tally.wrong_and_certain()}")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--cards", type=int, default=20)
    parser.add_argument("--photos", nargs="*", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    tallies = run(options.tables, options.cards)
    parts = {
        "exact score as resolved": tallies.scores,
        "winner as resolved": tallies.winners,
        "every score told": tallies.all_scores,
        "shot of the first step": tallies.shots,
    }
    print(f"{options.tables} tables of {options.cards} cards")
    for name, tally in parts.items():
        print_tally(name, tally)
    photos = []
    if options.photos is not None:
        photos = read_photos(find_photos(options.photos))
        print("\n| photo | cards | contested | score | winner | truth's score | right |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for r in photos:
            print(
                f"| {r['photo']} | {r['cards']} | {r['contested']} | {r['score_probability']:.1%} "
                f"| {r['winner_probability']:.1%} | {r['truth_told']:.1%} "
                f"| {'yes' if r['right'] else 'no'} |"
            )
        wrong = sum(not r["right"] and r["score_probability"] > CERTAIN for r in photos)
        print(f"wrong and said to be over 99 %: {wrong}")
    costs = [cost(cards) for cards in (10, 42, 200)]
    print("\n| cards | resolve ms | odds ms | peak MB | contested | scores |")
    print("| --- | --- | --- | --- | --- | --- |")
    for c in costs:
        print(
            f"| {c['cards']} | {c['resolve_ms']:.0f} | {c['odds_ms']:.0f} | {c['peak_mb']:.0f} "
            f"| {c['contested']} | {c['scores']} |"
        )
    if options.json:
        data = {name: tally.rows() for name, tally in parts.items()}
        out = {"reliability": data, "photos": photos, "costs": costs}
        options.json.write_text(json.dumps(out, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
