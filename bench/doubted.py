"""Is what is told beside doubtful readings true? Drawn tables of Light Speed, hard to read.

Tables are drawn (``tests.synth``) so that cards are hard to name: small in the picture, blurred,
half under counters; on every third something as large as a hand lies anywhere among them, and may
hide one wholly; on every fifth a card overlaps another, and was laid so. Each photo is read and the
round played with every doubt in it; the score and the winner told, with their chances, are compared
with those of the true table, and the chance that a card lies unseen with whether one does. Beside
it stands what the same photos give where the poses alone are played, as before doubts were, and
what is said while something is open that the odds do not play.
"""

from argparse import Namespace
from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from bench.common.counting import Tally, bound_of_none
from bench.common.light_speed import light_speed
from bench.common.record import Result
from bench.common.tables import Table
from tests.synth import Scene, photograph, random_cards
from vision.errors import ScanError
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import TableState
from vision.geometry import photo_from_table
from vision.imaging.photo import Photo
from vision.judging.play import play
from vision.seeing.reading import read_layout
from vision.values.layout import Camera, Layout, PlacedCard
from vision.values.pieces import Faces
from vision.values.scan import Scan
from vision.values.verdict import CLOSE_CALL, count_doubts

SEED, COUNT = 1, 200


@dataclass
class Counts:
    """What was told of all tables, and whether it was so."""

    scores: Tally = field(default_factory=Tally)  #: of the score as played, doubts played
    winners: Tally = field(default_factory=Tally)
    every: Tally = field(default_factory=Tally)  #: of every score told
    before: Tally = field(default_factory=Tally)  #: of the score as played, names for granted
    readings: Tally = field(default_factory=Tally)  #: that a doubtful card is what it may be
    unseen: dict[str, Tally] = field(default_factory=dict)  #: that a card lies unseen, by code
    open_codes: Counter[str] = field(default_factory=Counter)  #: of doubts that are not played
    tables: int = 0
    unread: int = 0
    missed: int = 0  #: cards that are not in what was read
    doubted: int = 0  #: tables with a doubt about what a card is
    demoted: int = 0  #: doubts that were found to change nothing
    left_open: int = 0  #: tables with a doubt that the odds do not play
    sure_and_wrong: int = 0  #: told without any doubt, and not so
    crowned_and_wrong: int = 0  #: another winner shown than the true one


def hard_scene(rng: np.random.Generator, bank: Faces, seed: int) -> Scene:
    """Lay a table whose cards are hard to name."""
    ids = [name for name in rng.permutation(bank.card_ids).tolist() if "back" not in name]
    teams = {"asteroid", *rng.permutation(["red", "green", "blue", "purple"])[:2].tolist()}
    chosen = [name for name in ids if name.split("-")[0] in teams][: int(rng.integers(8, 15))]
    cards = random_cards(chosen, rng, gap_mm=5, spread=float(rng.uniform(95, 130)))
    covers = []
    if seed % 5 == 0:
        cards = _overlapped(cards, rng)
    if seed % 3 == 0:
        places = np.array([(c.x_mm, c.y_mm) for c in cards])
        x, y = rng.uniform(places.min(axis=0), places.max(axis=0))
        covers.append((x, y, float(rng.uniform(45, 70))))
    for card in cards:
        if rng.random() < 0.5:  # counters on the face
            for _ in range(int(rng.integers(2, 6))):
                x, y = rng.normal(0, 18, 2)
                covers.append((card.x_mm + x, card.y_mm + y, float(rng.uniform(10, 24))))
    return Scene(
        cards,
        size_wh=(960, 720) if rng.random() < 0.6 else (1280, 960),
        tilt_deg=float(rng.uniform(0, 40)),
        azimuth_deg=float(rng.uniform(0, 360)),
        blur_px=float(rng.uniform(0.6, 1.8)),
        noise=float(rng.uniform(2, 9)),
        light=float(rng.uniform(0.4, 1.1)),
        seed=seed,
        covers=tuple(covers),
    )


def _overlapped(cards: tuple[PlacedCard, ...], rng: np.random.Generator) -> tuple[PlacedCard, ...]:
    """Lay the last card on another, so that some of it lies over that."""
    places = np.array([(c.x_mm, c.y_mm) for c in cards])
    top, other = places[-1], places[int(rng.integers(len(cards) - 1))]
    x, y = other + (top - other) / np.linalg.norm(top - other) * rng.uniform(60, 75)
    return (*cards[:-1], replace(cards[-1], x_mm=float(x), y_mm=float(y)))


def count(counts: Counts, scan: Scan, layout: Layout, game: LightSpeed, scene: Scene) -> None:
    """Count what was told of one table against the truth."""
    true = resolve(TableState(scene.cards), game.deck)
    totals = {team: score.total for team, score in true.scores.items()}
    told = {team: score.total for team, score in scan.outcome.scores.items()}
    odds = scan.outcome.odds
    counts.tables += 1
    counts.doubted += bool(scan.ledger.weighed)
    issues = scan.issues
    open_ = [i for i in issues if i.code != CLOSE_CALL]
    unweighed = [i for i in open_ if not any(w.is_of(i) for w in scan.ledger.weighed)]
    left = count_doubts(unweighed)
    counts.left_open += bool(left)
    counts.open_codes.update({i.code for i in unweighed if i.severity == "doubt"})
    counts.demoted += sum(w.chance <= 0.005 for w in scan.ledger.weighed)
    over = scan.verdict
    is_right = told == totals
    counts.sure_and_wrong += not over.is_open and not over.details and not is_right
    counts.crowned_and_wrong += not over.is_open and over.winners != true.winners
    if odds is not None and not left:
        counts.scores.add(odds.score_probability, is_right)
        counts.winners.add(odds.winner_probability, scan.outcome.winners == true.winners)
        for chance in odds.scores:
            counts.every.add(chance.probability, dict(chance.totals) == totals)
        sure = tuple(replace(placed, may_be=()) for placed in layout.placed)
        plain = play([replace(layout, placed=sure, doubts=())], game, None, {})
        if plain.outcome.odds is not None:
            counts.before.add(plain.outcome.odds.score_probability, is_right)
    _count_names(counts, scan, scene)


def _count_names(counts: Counts, scan: Scan, scene: Scene) -> None:
    """Count how often doubtful cards are what they may be; frames are laid on each other."""
    true = {c.card_id: (c.x_mm, c.y_mm) for c in scene.cards}
    known = [c for c in scan.table.cards if c.card_id in true and not c.may_be]
    if len(known) < 3:
        return
    a = np.array([complex(c.x_mm, c.y_mm) for c in known])
    b = np.array([complex(*true[c.card_id]) for c in known])
    turn = np.vdot(a - a.mean(), b - b.mean())
    turn /= abs(turn)

    def there(x_mm: float, y_mm: float) -> complex:
        return complex((complex(x_mm, y_mm) - a.mean()) * turn + b.mean())

    seen = [there(card.x_mm, card.y_mm) for card in scan.table.cards]
    missed = [c for c in (complex(*at) for at in true.values()) if _away(c, seen) > 30]
    for one in scan.table.unseen:
        tally = counts.unseen.setdefault(one.code, Tally())
        tally.add(one.chance, _away(there(one.x_mm, one.y_mm), missed) < 60)
    counts.missed += len(missed)
    for card in scan.table.cards:
        counts.unread += card.identity is None
        if not card.may_be:
            continue
        at = there(card.x_mm, card.y_mm)
        near = min(true, key=lambda name: abs(complex(*true[name]) - at))
        is_there = abs(complex(*true[near]) - at) < 30
        own = 1 - sum(one.chance for one in card.may_be)
        counts.readings.add(own, is_there and near == card.card_id)  # no card is of another deck
        for one in card.may_be:
            came = not is_there if one.piece is None else is_there and near == one.piece
            counts.readings.add(one.chance, came)


def _away(place: complex, others: list[complex]) -> float:
    return min((abs(place - other) for other in others), default=np.inf)


def _all_inside(scene: Scene, camera: Camera, bank: Faces) -> bool:
    """Tell whether the photo shows all of every card."""
    half = np.hypot(bank.width_mm, bank.height_mm) / 2
    ring = half * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    around = np.array([(c.x_mm, c.y_mm) for c in scene.cards])[:, None] + ring
    at_px = photo_from_table(camera, around.reshape(-1, 2))
    return bool((at_px >= 0).all() and (at_px <= scene.size_wh).all())


def count_tables(tables: int, seed: int = 1) -> Counts:
    """Draw, read and play many tables."""
    bank, game, detector = light_speed().bank, light_speed().game, light_speed().detector
    counts = Counts()
    for k in range(tables):
        rng = np.random.default_rng([seed, k])
        try:
            scene = hard_scene(rng, bank, k)
            image, camera = photograph(scene, bank)
            if not _all_inside(scene, camera, bank):
                continue  # of a card outside the photo nobody could tell
            layout = read_layout(Photo(image, 26.0), detector)
        except (ScanError, ValueError):  # too little is read, or the cards do not fit
            continue
        count(counts, play([layout], game, None, {}), layout, game, scene)
    return counts


def run(options: Namespace) -> Result:
    """Draw, read and play many tables, and tell."""
    counts = count_tables(options.count, options.seed)
    tallies = {
        "exact score as played": counts.scores,
        "the same, names for granted": counts.before,
        "winner as played": counts.winners,
        "every score told": counts.every,
        "every reading of a doubtful card": counts.readings,
        **{f"a card unseen, {code}": tally for code, tally in counts.unseen.items()},
    }
    numbers = {name: value for name, value in vars(counts).items() if isinstance(value, int)}
    for name in ("sure_and_wrong", "crowned_and_wrong"):
        numbers[name] = bound_of_none(numbers[name], counts.tables)
    names = tuple(name.replace("_", " ") for name in numbers)
    return Result(
        (
            Table("Tables", names, (tuple(numbers.values()),)),
            *(tally.table(name.capitalize()) for name, tally in tallies.items() if tally.told),
        ),
        (f"not played: {dict(counts.open_codes)}",),
    )
