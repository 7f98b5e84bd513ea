"""Learned decks: places and time by how many faces, told size, and how pictures are cut.

Faces of every kind are drawn afresh. They are learned from scans as people make them (cut by eye,
of differing sizes and tones, JPEG), 44 of them and 400; and from pictures as they are, told one
length too small, told both too small, and from pictures cut inside the cards' edges, on each side
otherwise. ``--count`` tables of the first 44 are photographed and read with each of these decks: as
learned and, where something is told wrong, after ``deck fit`` on one other photo with a measured
height. Told are how far the cards are off their true places after the best rigid alignment, how
many lie in the ellipse that is to hold 95 of 100, what the scans say, and the processor's time.
"""

import tempfile
from argparse import ArgumentParser, Namespace
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

import cv2
import numpy as np

from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from calibration.learned.decks import load_learned
from calibration.learned.learn import DeckSize, learn_deck
from tests.drawn_faces import write_scans
from tests.learned import SIZE, draw_deck, shoot
from tests.seeing.tables import cards_of
from vision.apps.fits import fit_deck
from vision.errors import ScanError
from vision.geometry import rotation
from vision.imaging.photo import Photo, encode_image
from vision.seeing.detector import Detector, build_detector
from vision.seeing.reading import read_layout
from vision.values.arrays import FloatArray, ImageBGR
from vision.values.layout import PlacedCard

COUNT = 6
CLOTHS = ((70, 110, 60), (34, 32, 30), (225, 230, 232), (50, 50, 120))
CARDS = 18
FACES, MANY = 44, 400
WH = (4000, 3000)
INSIDE_95 = 5.991  # chi squared of two degrees of freedom
EXACT = (0.0, 0.0, 0.0, 0.0)
COLUMNS = (
    *("the deck", "missed", "false", "median mm", "p95", "worst", "worst, of half the table"),
    *("in 95 % ellipse", "processor s, median", "said (photos)"),
)


@dataclass(frozen=True)
class Way:
    """How a deck is learned: the size told, how far inside the edges pictures end (shares)."""

    faces: int = FACES
    is_scanned: bool = False
    size: DeckSize = SIZE
    inside: tuple[float, float, float, float] = EXACT

    @property
    def is_right(self) -> bool:
        """Whether the deck is told as it is."""
        return self.size == SIZE and self.inside == EXACT


WAYS = {
    f"scans, {FACES} faces": Way(is_scanned=True),
    f"scans, {MANY} faces": Way(MANY, is_scanned=True),
    "pictures as they are": Way(),
    "told 63 x 86 mm": Way(size=DeckSize(63.0, 86.0)),
    "told 61.5 x 86 mm": Way(size=DeckSize(61.5, 86.0)),
    "pictures 2 to 3 % inside": Way(inside=(0.02, 0.025, 0.03, 0.022)),
}


@dataclass(slots=True)
class Told:
    """What came of a way."""

    missed: int = 0
    false: int = 0
    errors_mm: list[float] = field(default_factory=list)
    worst_share: list[float] = field(default_factory=list)  #: of the table's half width, a photo
    inside: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)

    def row(self, name: str) -> tuple[Cell, ...]:
        """Return the row of the table."""
        errors = np.array(self.errors_mm)
        said = ", ".join(f"{code} {count}" for code, count in sorted(self.said.items()))
        return (
            name,
            self.missed,
            self.false,
            f"{np.median(errors):.2f}",
            f"{np.percentile(errors, 95):.2f}",
            f"{errors.max():.2f}",
            f"{max(self.worst_share):.1%}",
            f"{sum(self.inside)} of {len(self.inside)}",
            f"{np.median(self.seconds):.1f}",
            said or "nothing",
        )


def learn(faces: dict[str, ImageBGR], folder: Path, way: Way) -> Path:
    """Learn a deck in one of the ways; return its folder."""
    left, top, right, bottom = way.inside
    pictures = folder / "pictures"
    some = dict(list(faces.items())[: way.faces])
    if way.is_scanned:
        write_scans(some, pictures)
    else:
        pictures.mkdir(parents=True)
        for card, face in some.items():
            h, w = face.shape[:2]
            rows = slice(round(top * h), h - round(bottom * h))
            columns = slice(round(left * w), w - round(right * w))
            cv2.imwrite(str(pictures / f"{card}.png"), face[rows, columns])
    return learn_deck("drawn", pictures, way.size, folder / "decks").folder


def position_errors(
    found: tuple[PlacedCard, ...], truth: tuple[PlacedCard, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return the errors (mm) after a rigid alignment, and after one with a common scale."""
    a, b, _, _ = aligned(found, truth)
    scale = (a * b).sum() / (a**2).sum()
    rigid, scaled = (np.linalg.norm(k * a - b, axis=1) for k in (1.0, scale))
    return rigid, scaled


def aligned(
    found: tuple[PlacedCard, ...], truth: tuple[PlacedCard, ...]
) -> tuple[FloatArray, FloatArray, FloatArray, list[PlacedCard]]:
    """Return places (n, 2) turned onto the true ones, both about their middle; turn, cards."""
    true = {c.card_id: c for c in truth}
    both = [c for c in found if c.card_id in true]
    a = np.array([(c.x_mm, c.y_mm) for c in both])
    b = np.array([(true[c.card_id].x_mm, true[c.card_id].y_mm) for c in both])
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    turn = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    turned = rotation(float(turn))
    return a @ turned.T, b, turned, both


def look(detector: Detector, photo: Photo, truth: tuple[PlacedCard, ...], told: Told) -> None:
    """Read a photo and add what came of it."""
    ids = {c.card_id for c in truth}
    start = process_time()
    try:
        seen = read_layout(photo, detector)
    except ScanError as error:
        told.missed += len(ids)
        told.said[type(error).__name__] += 1
        return
    told.seconds.append(process_time() - start)
    cards = tuple(c for c in cards_of(seen) if c.identity is not None)
    names = {c.card_id for c in cards}
    told.missed += len(ids - names)
    told.false += len(names - ids)
    a, b, turned, both = aligned(tuple(c for c in cards if c.covariance is not None), truth)
    covariances = np.array([turned @ np.asarray(c.covariance)[:2, :2] @ turned.T for c in both])
    squares = np.einsum("ni,nij,nj->n", a - b, np.linalg.inv(covariances), a - b)
    errors = np.linalg.norm(a - b, axis=1)
    reach = np.ptp([(c.x_mm, c.y_mm) for c in truth], axis=0).max() / 2
    told.errors_mm += errors.tolist()
    told.worst_share.append(float(errors.max() / reach))
    told.inside += (squares < INSIDE_95).tolist()
    told.said.update(sorted({i.code for i in seen.doubts if i.code.startswith("deck_")}))


def tables(
    faces: dict[str, ImageBGR], count: int, seed: int
) -> list[tuple[Photo, tuple[PlacedCard, ...]]]:
    """Photograph tables of some of the cards."""
    shots = []
    for k in range(count):
        rng = np.random.default_rng([seed, k])
        ids = [str(name) for name in rng.choice(list(faces)[:FACES], CARDS, replace=False)]
        tilt, roll = float(rng.uniform(0, 45)), float(rng.uniform(0, 360))
        cloth = CLOTHS[k % len(CLOTHS)]
        number = seed * 100 + k
        shots.append(
            shoot(faces, ids, number, tilt_deg=tilt, roll_deg=roll, cloth_bgr=cloth, size_wh=WH)
        )
    return shots


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--way", action="append", choices=WAYS, help="only this; repeatable")


def run(options: Namespace) -> Result:
    """Read all tables with each deck."""
    faces = draw_deck(MANY if not options.way or f"scans, {MANY} faces" in options.way else FACES)
    (first, _), *shots = tables(faces, options.count + 1, options.seed)
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for name in options.way or WAYS:
            way = WAYS[name]
            folder = learn(faces, Path(work) / name.replace(" ", "-"), way)
            for after in ("",) if way.is_right else ("", ", after `deck fit`"):
                if after:
                    shown = encode_image(first.image, ".jpg", 95)
                    fit_deck(folder, [shown], height_mm=SIZE.height_mm)
                detector, told = build_detector(load_learned(folder).bank), Told()
                for photo, truth in shots:
                    look(detector, photo, truth, told)
                rows.append(told.row(name + after))
                say(*rows[-1])
    return Result((Table("Learned decks", COLUMNS, tuple(rows)),))
