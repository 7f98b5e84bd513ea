"""What several photos of one table give together: ``python -m tests.bench.several TABLES...``

TABLES are folders, one a table: its photos in the order of their names, each with
``NAME.truth.json`` beside it. A card that lies elsewhere in the truth of a later photo was moved:
the first photo counts. Without any, tables are drawn (``tests.synth``), each photographed from
``--photos`` sides; a disc hides another card in each photo, and in every second table one card is
moved by 2 mm after the first. Told are for each photo alone and for all: the cards missed, whether
the round came out as from the true table (open: somebody is asked first), and how far the cards
that all of them name lie off. ``--json FILE`` writes the same as data.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.light_speed.looks import build_bank
from tests.bench.accuracy import true_round
from tests.seeing.tables import cards_of
from tests.synth import Scene, photograph, random_cards
from tests.truth import Truth, compare, load_truth
from vision.errors import ScanError
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.imaging.photo import Photo, decode_photo
from vision.imaging.view import View
from vision.judging.play import play
from vision.seeing.detector import Detector, build_detector
from vision.seeing.multiview.fusion import fuse_layouts
from vision.seeing.reading import read_layout
from vision.values.layout import Layout
from vision.values.pieces import Faces

MOVED_MM = 0.5  # from where on a truth counts as that of a moved card
MOVED_RAD = 0.005


@dataclass(frozen=True, slots=True)
class Table:
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


def from_folder(folder: Path) -> Table:
    files = sorted(p for p in folder.glob("*.jpg") if p.with_suffix(".truth.json").exists())
    photos = tuple(decode_photo(p.read_bytes()) for p in files)
    return Table(
        folder.name, photos, tuple(load_truth(p.with_suffix(".truth.json")) for p in files)
    )


def drawn(seed: int, photos: int, bank: Faces) -> Table:
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
    return Table(str(seed), tuple(taken), tuple(truths))


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


def read_table(table: Table, detector: Detector, game: LightSpeed) -> Row:
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


HEADER = "| table | cards | missed | false | round | rms, mm | angle, ° | moved | told |"


def line(row: Row) -> str:
    """Return a line of the table; of each photo alone, then of all."""
    every = (*row.each, row.all)

    def ended(read: Read) -> str:
        return ("right" if read.right else "wrong") + (", open" if read.open else "")

    def cells(of: Any) -> str:
        return " / ".join(of(read) for read in every)

    return "| " + " | ".join(
        (
            row.name,
            str(row.cards),
            cells(lambda r: str(r.missed)),
            cells(lambda r: str(r.false)),
            cells(ended),
            cells(lambda r: f"{rms(r.off_mm):.3f}"),
            cells(lambda r: f"{rms(r.off_deg):.3f}"),
            " ".join(row.moved),
            " ".join(row.told),
        )
    ) + " |"  # fmt: skip


def rms(values: Sequence[float] | np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else float("nan")


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of one photo and of all together, and of what was moved."""

    def about(reads: Sequence[Read]) -> dict[str, Any]:
        off = np.concatenate([r.off_mm for r in reads])
        deg = np.concatenate([r.off_deg for r in reads])
        nees = np.concatenate([r.nees for r in reads])
        return {
            "tables or photos": len(reads),
            "missed": sum(r.missed for r in reads),
            "false": sum(r.false for r in reads),
            "right": sum(r.right for r in reads),
            "right and not open": sum(r.right and not r.open for r in reads),
            "wrong, told": sum(not r.right and r.open for r in reads),
            "wrong in silence": sum(not r.right and not r.open for r in reads),
            "refused": sum(bool(r.refused) for r in reads),
            "median, rms, p95 mm": _figures(off),
            "median, rms, p95 deg": _figures(deg),
            "NEES/2": round(float(nees.mean() / 2), 2) if len(nees) else None,
            "in 95 %": round(float((nees < 5.991).mean()), 3) if len(nees) else None,
        }

    return {
        "one photo": about([read for row in rows for read in row.each]),
        "all photos": about([row.all for row in rows]),
        "moved": sum(len(row.moved) for row in rows),
        "moved, told": sum(len(set(row.moved) & set(row.told)) for row in rows),
        "told, not moved": sum(len(set(row.told) - set(row.moved)) for row in rows),
    }


def _figures(values: np.ndarray) -> list[float]:
    if not len(values):
        return []
    return [round(float(v), 4) for v in (np.median(values), rms(values), np.percentile(values, 95))]


def tables(options: argparse.Namespace, bank: Faces) -> Iterator[Table]:
    for folder in options.tables:
        yield from_folder(folder)
    if not options.tables:
        for seed in range(options.seed, options.seed + options.count):
            yield drawn(seed, options.photos, bank)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=30, help="tables that are drawn")
    parser.add_argument("--photos", type=int, default=2, help="of each drawn table")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    bank = build_bank(load_deck("light-speed"))
    detector, game, rows = build_detector(bank), LightSpeed(load_deck("light-speed")), []
    print(HEADER + "\n|" + " --- |" * (HEADER.count("|") - 1))
    for table in tables(options, bank):
        rows.append(read_table(table, detector, game))
        print(line(rows[-1]), flush=True)
    print()
    for name, value in summary(rows).items():
        print(f"{name}: {value}")
    for row in rows:
        if row.all.doubts or row.all.refused or not row.all.right:
            print(f"{row.name}: right {row.all.right} {row.all.refused} {row.all.doubts}")
    if options.json:
        data = [
            {"table": row.name, "doubts": [r.doubts for r in (*row.each, row.all)]} for row in rows
        ]
        options.json.write_text(json.dumps({"summary": summary(rows), "tables": data}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
