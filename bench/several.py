"""What several photos of one table give together, against each photo alone.

PHOTOS are folders, one a table: its photos in the order of their names, each with
``NAME.truth.json`` beside it. A card that lies elsewhere in the truth of a later photo was moved:
the first photo counts. Without any, ``--count`` tables are drawn (``tests.synth``), each
photographed from ``--sides`` sides; a disc hides another card in each photo, and in every second
table one card is moved by 2 mm after the first. Told are for each photo alone and for all: the
cards missed, whether the round came out as from the true table (open: somebody is asked first), and
how far the cards that all of them name lie off.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.common.counting import bound_of_none, rms, share
from bench.common.light_speed import light_speed, true_round
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from tests.seeing.tables import cards_of
from tests.synth import Scene, photograph, random_cards
from tests.truth import Truth, compare, load_truth
from vision.errors import ScanError
from vision.games.light_speed.game import LightSpeed
from vision.imaging.photo import Photo, decode_photo
from vision.imaging.view import View
from vision.judging.play import play
from vision.seeing.detector import Detector
from vision.seeing.multiview.fusion import fuse_layouts
from vision.seeing.reading import read_layout
from vision.values.layout import Layout
from vision.values.pieces import Faces

SEED, COUNT = 20, 30
MOVED_MM = 0.5  # from where on a truth counts as that of a moved card
MOVED_RAD = 0.005


@dataclass(frozen=True, slots=True)
class Laid:
    """Photos of one table, each with how the cards lay when it was taken."""

    name: str
    photos: tuple[Photo, ...]
    truths: tuple[Truth, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """How one photo was read, or all together."""

    missed: int = 0
    false: int = 0
    right: bool = False  #: the round ends as on the true table
    open: bool = True  #: somebody is asked to look
    doubts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    off_mm: tuple[float, ...] = ()
    off_deg: tuple[float, ...] = ()
    nees: tuple[float, ...] = ()  #: squared errors over their covariance, 2 in the mean
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A table: its photos alone, and all of them together."""

    name: str
    cards: int
    each: tuple[Read, ...]
    all: Read
    moved: tuple[str, ...]
    told: tuple[str, ...]  #: cards told as moved


def from_folder(folder: Path) -> Laid:
    files = sorted(p for p in folder.glob("*.jpg") if p.with_suffix(".truth.json").exists())
    photos = tuple(decode_photo(p.read_bytes()) for p in files)
    return Laid(folder.name, photos, tuple(load_truth(p.with_suffix(".truth.json")) for p in files))


def drawn(seed: int, photos: int, bank: Faces) -> Laid:
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(bank.card_ids)[:14].tolist()
    cards = random_cards([n for n in chosen if "back" not in n], rng, gap_mm=4, spread=100)
    after, way = list(cards), float(rng.uniform(0, 2 * np.pi))
    if seed % 2:
        x, y = cards[3].x_mm + 2 * np.cos(way), cards[3].y_mm + 2 * np.sin(way)
        after[3] = replace(cards[3], x_mm=x, y_mm=y)
    taken, truths = [], []
    for k in range(photos):
        laid, hidden = tuple(after) if k else cards, cards[5 + k]
        scene = Scene(
            laid,
            size_wh=(1600, 1200),
            seed=seed * 7 + k,
            tilt_deg=float(rng.uniform(5, 40)),
            azimuth_deg=float(rng.uniform(0, 360)),
            roll_deg=float(rng.uniform(-10, 10)),
            covers=((hidden.x_mm, hidden.y_mm, 45.0),),
        )
        taken.append(Photo(photograph(scene, bank)[0], 26.0))
        poses = {c.card_id: (c.x_mm, c.y_mm, c.theta_rad) for c in laid}
        visible = {name: float(name != hidden.card_id) for name in poses}
        truths.append(Truth(poses, visible, dict.fromkeys(poses, 0.0), {}))
    return Laid(str(seed), tuple(taken), tuple(truths))


def moved_cards(truths: Sequence[Truth], visible_from: float = 0.6) -> tuple[str, ...]:
    """Return the cards that lie elsewhere in a later photo, which shows them."""

    def is_moved(name: str, later: Truth) -> bool:
        off = np.array(later.poses[name]) - truths[0].poses[name]
        is_far = np.hypot(off[0], off[1]) > MOVED_MM or abs(off[2]) > MOVED_RAD
        return bool(is_far) and min(later.visible[name], truths[0].visible[name]) >= visible_from

    return tuple(n for n in truths[0].poses if any(is_moved(n, later) for later in truths[1:]))


def judge(layout: Layout, truth: Truth, names: set[str], game: LightSpeed) -> Read:
    """Compare a layout with a truth; errors are of the named cards alone."""
    found = compare(cards_of(layout), truth)
    off = compare(tuple(c for c in cards_of(layout) if c.card_id in names), truth)
    scan = play([layout], game, None, {})
    doubts = tuple((i.code, i.cards) for i in scan.issues if i.severity == "doubt")
    return Read(
        len(found.missed),
        len(found.false) + len(found.stray),
        scan.outcome.scores == true_round(truth, game.deck).scores,
        scan.verdict.is_open or bool(scan.verdict.details),
        doubts,
        tuple(off.position_mm.tolist()),
        tuple(np.abs(off.angle_deg).tolist()),
        tuple(off.nees.tolist()),
    )


def read_table(table: Laid, detector: Detector, game: LightSpeed) -> Row:
    layouts, kept, each = [], [], {}
    for k, photo in enumerate(table.photos):
        try:
            layouts.append(read_layout(photo, detector))
            kept.append(k)
        except ScanError as error:
            each[k] = Read(len(table.truths[k].poses), refused=str(error))
    moved = moved_cards(table.truths)
    common = set(table.truths[0].poses) - set(moved)
    for layout in layouts:
        common &= {placed.piece for placed in layout.placed}
    each |= {
        k: judge(one, table.truths[k], common, game) for k, one in zip(kept, layouts, strict=True)
    }
    best = [max(truth.visible[n] for truth in table.truths) for n in table.truths[0].poses]
    truth = replace(
        table.truths[kept[0] if kept else 0],
        visible=dict(zip(table.truths[0].poses, best, strict=True)),
    )
    told: tuple[str, ...] = ()
    try:
        views = [View(table.photos[k].image) for k in kept]
        joined = fuse_layouts(layouts, views, detector.faces, [k + 1 for k in kept])
        together = judge(joined, truth, common, game)
        told = tuple(i.cards[0] for i in joined.doubts if i.code == "card_moved")
        hidden = set(moved_cards(table.truths, 0.0)) - set(moved)  # told rightly, if they are
        told = tuple(card for card in told if card not in hidden)
    except (ScanError, IndexError) as error:
        together = Read(len(truth.poses), refused=str(error))
    rows = tuple(each[k] for k in range(len(table.photos)))
    return Row(table.name, len(truth.poses), rows, together, moved, told)


COLUMNS = (
    "table",
    "cards",
    "missed",
    "false",
    "round",
    "rms mm",
    "rms °",
    "moved",
    "told as moved",
)


def line(row: Row) -> tuple[Cell, ...]:
    """Return a row of the table; of each photo alone, then of all."""

    def cells(of: Callable[[Read], object]) -> str:
        return " / ".join(str(of(read)) for read in (*row.each, row.all))

    return (
        row.name,
        row.cards,
        cells(lambda r: r.missed),
        cells(lambda r: r.false),
        cells(lambda r: ("right" if r.right else "wrong") + (", open" if r.open else "")),
        cells(lambda r: f"{rms(r.off_mm):.3f}"),
        cells(lambda r: f"{rms(r.off_deg):.3f}"),
        " ".join(row.moved),
        " ".join(row.told),
    )


def summary(rows: Sequence[Row]) -> Table:
    """Return the figures of one photo and of all together."""

    def about(name: str, reads: Sequence[Read]) -> tuple[Cell, ...]:
        off = np.concatenate([r.off_mm for r in reads])
        nees = np.concatenate([r.nees for r in reads])
        some = len(off) > 0
        return (
            name,
            len(reads),
            sum(r.missed for r in reads),
            sum(r.false for r in reads),
            share(sum(r.right for r in reads), len(reads)),
            sum(not r.right and r.open for r in reads),
            bound_of_none(sum(not r.right and not r.open for r in reads), len(reads)),
            f"{np.median(off):.3f}, {np.percentile(off, 95):.3f}" if some else "",
            share(int((nees < 5.991).sum()), len(nees)),
        )

    heads = ("", "how many", "missed", "false", "rounds right (90 % interval)", "wrong, told")
    more = ("wrong in silence", "position median, p95, mm", "in 95 % ellipse")
    each = about("one photo", [read for row in rows for read in row.each])
    every = about("all photos of a table", [row.all for row in rows])
    return Table("One photo and several", (*heads, *more), (each, every))


def moved_table(rows: Sequence[Row]) -> Table:
    """Return how many cards were moved, and told so."""
    moved = sum(len(row.moved) for row in rows)
    told = sum(len(set(row.moved) & set(row.told)) for row in rows)
    false = sum(len(set(row.told) - set(row.moved)) for row in rows)
    cells = (share(told, moved), false)
    return Table("Moved cards", ("told (90 % interval)", "told, not moved"), (cells,))


def tables(options: Namespace) -> Iterator[Laid]:
    """Yield the tables of folders, or drawn ones."""
    for folder in options.photos:
        yield from_folder(folder)
    if not options.photos:
        for seed in range(options.seed, options.seed + options.count):
            yield drawn(seed, options.sides, light_speed().bank)


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--sides", type=int, default=2, help="photos of each drawn table")


def run(options: Namespace) -> Result:
    """Read each table's photos alone and together."""
    rows = []
    for table in tables(options):
        rows.append(read_table(table, light_speed().detector, light_speed().game))
        say(*line(rows[-1]))
    if not rows:
        return Result((), ("no table",))
    wrong = tuple(
        f"{row.name}: right {row.all.right} {row.all.refused} {row.all.doubts}"
        for row in rows
        if row.all.refused or not row.all.right
    )
    each: tuple[dict[str, Any], ...] = tuple(asdict(row) for row in rows)
    by_table = Table("By table", COLUMNS, tuple(line(row) for row in rows))
    return Result((summary(rows), moved_table(rows), by_table), wrong, each)
