"""Leave one piece out: each card read is taken from the layout, and must be told as unexplained.

Each photo is read as it is; then each card of which at least 40 % shows is taken out of the layout,
and what nothing explains (``vision.seeing.residual``) must tell that something lies there. The
labels cost nothing, so any photo will do: PHOTOS of Light Speed, without any the samples and the
hard set, and with ``--data FOLDER`` real photographs of learned decks (``bench.common.real_data``).
Counted by kind of deck, by the share in sight, by surface (of a real photo: its collection). What
is told while every card is known may be clutter, or needless.
"""

import json
import time
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.common.arguments import HARD, SAMPLES, add_collections
from bench.common.counting import share
from bench.common.light_speed import light_speed
from bench.common.real_data import RealData
from bench.common.record import Result, say
from bench.common.tables import Table
from vision.errors import ScanError
from vision.geometry import table_from_photo
from vision.imaging.photo import decode_photo
from vision.imaging.view import View
from vision.seeing.detector import Detector
from vision.seeing.reading import read_layout
from vision.seeing.residual import Region, find_unexplained
from vision.seeing.scene import rectify_around, scene_of_pieces
from vision.values.arrays import Points

LEAST_VISIBLE = 0.4  # of a card: what shows less is a matter of the cards that cover it
WORST = 6  # surfaces that are told on the page of what was measured
BANDS = (0.4, 0.6, 0.8, 0.95)  # from which share in sight on a row of the table begins


@dataclass(frozen=True)
class Case:
    """A card that was left out."""

    photo: str
    deck: str  #: its kind: drawn or learned
    surface: str
    card: str
    visible: float
    is_told: bool


@dataclass(frozen=True)
class Read:
    """A photo: its cases, how much is told while all cards are known, and how long that takes."""

    cases: tuple[Case, ...]
    told_besides: int
    ms: float


def is_there(region: Region, card_mm: Points) -> bool:
    """Tell whether a region lies on a card: either has its middle in the other."""
    places = [(card_mm, region.at_mm), (region.hull_mm, card_mm.mean(axis=0))]
    return any(
        cv2.pointPolygonTest(outline.astype(np.float32), at.tolist(), measureDist=False) >= 0
        for outline, at in places
    )


def leave_out(path: Path, detector: Detector, deck: str, surface: str) -> Read | None:
    """Read a photo, and leave each card out; None of a photo that is refused."""
    try:
        photo = decode_photo(path.read_bytes())
        layout = read_layout(photo, detector)
    except ScanError:
        return None
    view, size_mm = View(photo.image, 8), detector.faces.size_mm
    known = [table_from_photo(layout.camera, one.outline_px) for one in layout.placed]
    begin = time.process_time()
    table = rectify_around(view, layout, size_mm)
    scene = scene_of_pieces(table, layout.placed, detector.faces)
    found = find_unexplained(scene, size_mm)
    ms = 1000 * (time.process_time() - begin)
    cases = []
    for place, card in enumerate(layout.placed):
        if card.visible >= LEAST_VISIBLE and len(known) > 1:  # one at least tells the table
            rest = [*layout.placed[:place], *layout.placed[place + 1 :]]
            left = scene_of_pieces(table, rest, detector.faces)
            regions = find_unexplained(left, size_mm)
            is_told = any(one.may_hide_card and is_there(one, known[place]) for one in regions)
            case = Case(path.name, deck, surface, card.piece, float(card.visible), is_told)
            cases.append(case)
    return Read(tuple(cases), sum(region.may_hide_card for region in found), ms)


def surface_of(photo: Path) -> str:
    """Return the surface of a photo of Light Speed as its truth names it."""
    truth = photo.with_suffix(".truth.json")
    if not truth.exists():
        return "not told"
    said: dict[str, Any] = json.loads(truth.read_text(encoding="utf-8"))
    return str(said.get("origin", said)["conditions"]["surface"])


def photos_of(options: Namespace) -> Iterator[tuple[Path, Detector, str, str]]:
    """Yield each photo with how it is read, the kind of its deck, and its surface."""
    places = options.photos or ([] if options.data else [SAMPLES, HARD])
    for place in places:
        for path in sorted(place.glob("*.jpg")) if place.is_dir() else [place]:
            yield path, light_speed().detector, "drawn", surface_of(path)
    if options.data:
        data = RealData(options)
        for deck, collection in data.pairs():
            for path in data.photos(collection):
                yield path, data.deck(deck, path)[1], "learned", f"photos of {collection}"


def told_by(cases: list[Case], key: Callable[[Case], str]) -> dict[str, list[bool]]:
    """Return which cases of each kind are told."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for case in cases:
        groups[key(case)].append(case.is_told)
    return groups


def told_table(title: str, head: str, groups: Iterable[tuple[str, list[bool]]]) -> Table:
    """Return how many cases of each kind are told, as a table."""
    rows = tuple((name, share(sum(told), len(told))) for name, told in groups)
    return Table(title, (head, "told (90 % interval)"), rows)


def by(cases: list[Case], key: Callable[[Case], str], title: str) -> Table:
    """Return how many cases of each kind are told."""
    return told_table(title, title.removeprefix("By ").lower(), sorted(told_by(cases, key).items()))


def worst_surfaces(cases: list[Case]) -> Table:
    """Return how many cases are told on the surfaces where fewest are."""
    groups = told_by(cases, lambda case: case.surface)
    worst = sorted(groups.items(), key=lambda one: (np.mean(one[1]), one[0]))[:WORST]
    head = f"surface, of {len(groups)} the {WORST} where fewest are told"
    return told_table("Worst surfaces", head, worst)


def band_of(case: Case) -> str:
    """Return the row of a share in sight."""
    low = max(edge for edge in BANDS if edge <= case.visible)
    return f"{low:.0%} and more".replace("%", " %")


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    add_collections(parser)


def run(options: Namespace) -> Result:
    """Leave out every card of every photo."""
    cases, besides, times, refused, photos = list[Case](), 0, list[float](), 0, 0
    for path, detector, deck, surface in photos_of(options):
        read = leave_out(path, detector, deck, surface)
        photos += 1
        if read is None:
            refused += 1
            continue
        cases += read.cases
        besides += read.told_besides
        times.append(read.ms)
        told = sum(case.is_told for case in read.cases)
        say(f"{path.name}: {told} of {len(read.cases)} told, {read.told_besides} besides")
    if not cases:
        return Result((), ("no card that could be left out",))
    every = (
        f"{photos} ({refused})",
        share(sum(c.is_told for c in cases), len(cases)),
        besides,
        f"{np.median(times):.0f}, {max(times):.0f}",
    )
    heads = ("photos (refused)", "cards told (90 % interval)", "told while all are known")
    tables = (
        Table("All", (*heads, "processor ms: median, most"), (every,)),
        by(cases, lambda case: case.deck, "By kind of deck"),
        by(cases, band_of, "By share in sight"),
        by(cases, lambda case: case.surface, "By surface"),
        worst_surfaces(cases),
    )
    missed = tuple(f"{c.photo}: {c.card} is not told" for c in cases if not c.is_told)
    return Result(tables, missed, tuple(asdict(case) for case in cases))
