"""Whole rounds of Light Speed, strictly right or not, and the stage at which they are lost.

PHOTOS have ``NAME.truth.json`` beside them; without any, ``--count`` tables are drawn, every second
one hard to read (the tables of the bench ``doubted``). A round is strictly right if every shot of
it and the score are those of the true table; a share has its 90 % interval (Wilson), and beside a
zero stands its bound, 3/n. The oracle replaces what one stage gave by the truth and plays again:

- detection: cards that were not placed are added, things that are no card are taken away;
- names: each card that was placed has its true name;
- poses: each card that was placed lies where it truly does.

A round is lost by the stage whose truth alone makes it right; by several if it takes more.
"""

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from bench.common.arguments import photos_with_truth
from bench.common.counting import bound_of_none, share
from bench.common.light_speed import hits, light_speed
from bench.common.record import Result, say
from bench.common.tables import Table
from bench.doubted import hard_scene
from tests.synth import Scene, photograph, random_cards
from tests.truth import load_truth
from vision.errors import ScanError
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import Resolution, TableState
from vision.geometry import rotation, wrap_angle
from vision.imaging.photo import Photo, decode_photo
from vision.judging.play import play
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard

SEED, COUNT = 1370, 60
STAGES = ("detection", "names", "poses")
SAME_MM = 30.0  # of a card's middle from where it truly lies: half a card's width


@dataclass(frozen=True, eq=False)
class Shot:
    """A photo of a round, with its true cards."""

    name: str
    kind: str
    photo: Photo
    cards: tuple[PlacedCard, ...]


@dataclass(frozen=True)
class Case:
    """What came of a round."""

    name: str
    kind: str
    is_strict: bool  #: every shot and the score
    is_scored: bool  #: the score alone
    is_told: bool  #: somebody is asked to look
    lost_by: str = ""
    refused: str = ""


def drawn(count: int, seed: int) -> Iterator[Shot]:
    """Draw tables, every second one hard to read."""
    bank, number, given = light_speed().bank, 0, 0
    while given < count:
        rng = np.random.default_rng([seed, number])
        kind = ("plain", "hard")[number % 2]
        try:
            scene = hard_scene(rng, bank, number) if kind == "hard" else plain_scene(rng, number)
            image, _ = photograph(scene, bank)
            yield Shot(f"{kind} {number}", kind, Photo(image, scene.focal_35mm), scene.cards)
            given += 1
        except ValueError:  # the cards do not fit
            if number > 3 * count:
                raise
        number += 1


def plain_scene(rng: np.random.Generator, seed: int) -> Scene:
    """Lay a table as most are: two teams or three, aslant, a counter here and there."""
    bank = light_speed().bank
    teams = {"asteroid", *rng.permutation(["red", "green", "blue", "purple"])[:3].tolist()}
    ids = [n for n in rng.permutation(bank.card_ids).tolist() if n.split("-")[0] in teams]
    count = int(rng.integers(10, 22))
    cards = random_cards([n for n in ids if "back" not in n][:count], rng, gap_mm=4, spread=110)
    covers = [
        (card.x_mm + float(rng.normal(0, 15)), card.y_mm + float(rng.normal(0, 15)), 9.0)
        for card in cards
        if rng.random() < 0.15
    ]
    return Scene(
        cards,
        size_wh=(2000, 1500),
        tilt_deg=float(rng.uniform(0, 40)),
        azimuth_deg=float(rng.uniform(0, 360)),
        noise=float(rng.uniform(1, 4)),
        light=float(rng.uniform(0.6, 1.1)),
        seed=seed,
        covers=tuple(covers),
    )


def photographed(paths: list[Path]) -> Iterator[Shot]:
    """Yield photos with their truth; of cards of which nothing shows nobody could tell."""
    for path in paths:
        truth = load_truth(path.with_suffix(".truth.json"))
        cards = tuple(PlacedCard(name, *pose) for name, pose in sorted(truth.poses.items()))
        yield Shot(path.stem, "photos", decode_photo(path.read_bytes()), cards)


@dataclass(frozen=True, eq=False)
class Pair:
    """A card as it was read, in the true frame, and the true card there; either may be missing."""

    read: PlacedCard | None
    true: PlacedCard | None


def pair(read: tuple[PlacedCard, ...], true: tuple[PlacedCard, ...]) -> list[Pair] | None:
    """Turn what was read into the true frame and pair it; None if too little is named right."""
    by_name = {card.card_id: card for card in true}
    both = [card for card in read if card.card_id in by_name]
    if len(both) < 2:
        return None
    a = np.array([(c.x_mm, c.y_mm) for c in both])
    b = np.array([(by_name[c.card_id].x_mm, by_name[c.card_id].y_mm) for c in both])
    is_kept = np.ones(len(both), bool)
    for _ in range(3):  # a wrong name may be that of a card elsewhere: the farthest are left out
        middle_a, middle_b = a[is_kept].mean(axis=0), b[is_kept].mean(axis=0)
        p, q = (a - middle_a)[is_kept], (b - middle_b)[is_kept]
        turn = float(np.arctan2((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum(), (p * q).sum()))
        off = np.linalg.norm((a - middle_a) @ rotation(turn).T + middle_b - b, axis=1)
        is_kept = off <= max(SAME_MM / 2, float(np.median(off)))
    moved = []
    for card in read:
        x, y = rotation(turn) @ (np.array([card.x_mm, card.y_mm]) - middle_a) + middle_b
        theta = wrap_angle(card.theta_rad + turn)
        moved.append(PlacedCard(card.card_id, float(x), float(y), float(theta)))
    far = sorted(
        (float(np.hypot(r.x_mm - t.x_mm, r.y_mm - t.y_mm)), r.card_id != t.card_id, i, k)
        for i, r in enumerate(moved)
        for k, t in enumerate(true)
    )
    taken: dict[int, int] = {}
    for away, _, i, k in far:
        if away < SAME_MM and i not in taken and k not in taken.values():
            taken[i] = k
    pairs = [Pair(r, true[taken[i]] if i in taken else None) for i, r in enumerate(moved)]
    missed = [t for k, t in enumerate(true) if k not in taken.values()]
    return [*pairs, *(Pair(None, card) for card in missed)]


def with_truth(pairs: list[Pair], stages: tuple[str, ...]) -> tuple[PlacedCard, ...]:
    """Return the cards as they were read, what some stages gave being replaced by the truth."""
    cards = []
    for one in pairs:
        if one.read is None or one.true is None:
            card = one.true if "detection" in stages else one.read
        else:
            name = one.true.card_id if "names" in stages else one.read.card_id
            card = replace(one.true if "poses" in stages else one.read, card_id=name)
        if card is not None and card.card_id not in {other.card_id for other in cards}:
            cards.append(card)
    return tuple(cards)


def is_same(one: Resolution, other: Resolution) -> bool:
    """Tell whether two rounds have the same shots and scores."""
    return hits(one) == hits(other) and one.scores == other.scores


def lost_by(pairs: list[Pair] | None, true: Resolution) -> str:
    """Return the stage, or the stages, whose truth makes a round right."""
    if pairs is None:
        return "too little read"
    deck = light_speed().deck
    if is_same(resolve(TableState(with_truth(pairs, ())), deck), true):
        return "the choice of ids"  # the round as played differs from that of its own cards
    for count in (1, 2, 3):
        for stages in combinations(STAGES, count):
            if is_same(resolve(TableState(with_truth(pairs, stages)), deck), true):
                return " and ".join(stages)
    return "none of them"


def judge(shot: Shot) -> Case:
    """Read and play a photo, and find where it was lost."""
    game, deck = light_speed().game, light_speed().deck
    true = resolve(TableState(shot.cards), deck)
    try:
        scan = play([read_layout(shot.photo, light_speed().detector)], game, None, {})
    except ScanError as error:
        return Case(shot.name, shot.kind, False, False, True, "no table found", str(error))
    is_strict = is_same(scan.outcome, true)
    told = scan.verdict.is_open or bool(scan.verdict.details)
    lost = "" if is_strict else lost_by(pair(scan.table.cards, shot.cards), true)
    is_scored = scan.outcome.scores == true.scores
    return Case(shot.name, shot.kind, is_strict, is_scored, told, lost)


def run(options: Namespace) -> Result:
    """Read and play all rounds."""
    paths = photos_with_truth(options.photos, [])
    shots = photographed(paths) if options.photos else drawn(options.count, options.seed)
    cases = []
    for shot in shots:
        cases.append(judge(shot))
        say(*asdict(cases[-1]).values())
    if not cases:
        return Result((), ("no photo with a truth file beside it",))
    rows = []
    for kind in [*sorted({case.kind for case in cases}), "**all**"]:
        some = [case for case in cases if kind in (case.kind, "**all**")]
        strict, scored = (sum(getattr(c, n) for c in some) for n in ("is_strict", "is_scored"))
        silent = sum(not case.is_scored and not case.is_told for case in some)
        sure = sum(case.is_strict and not case.is_told for case in some)
        cells = (share(strict, len(some)), share(scored, len(some)), sure)
        rows.append((kind, len(some), *cells, bound_of_none(silent, len(some))))
    heads = ("tables", "rounds", "strictly right (90 % interval)", "score right (90 % interval)")
    more = ("strictly right, nothing in doubt", "score wrong without a word")
    lost = Counter(case.lost_by for case in cases if case.lost_by)
    stages = tuple((stage, n, share(n, len(cases))) for stage, n in lost.most_common())
    return Result(
        (
            Table("Rounds", (*heads, *more), tuple(rows)),
            Table("Lost by", ("stage", "rounds", "of all (90 % interval)"), stages),
        ),
        rows=tuple(asdict(case) for case in cases),
    )
