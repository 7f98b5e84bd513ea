"""Decks told a wrong size, or whose pictures are cut wrong: ``python -m tests.bench.cuts``

Faces of every kind are drawn afresh and learned four ways: as they are, told one length too small,
told both too small, and from pictures cut inside the cards' edges, on each side otherwise. Tables
of them are photographed and read with each of these decks: as learned, and after ``deck fit`` on
one other photo with a measured height. Told are what the scans say, how far the cards are off
their true places, and how many lie in the ellipse that is to hold 95 of 100. ``--photos``,
``--seed``.
"""

import argparse
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from calibration.learned.decks import load_learned
from calibration.learned.learn import DeckSize, learn_deck
from tests.bench.learned import CARDS, CLOTHS
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

FACES = 44
WH = (4000, 3000)
INSIDE_95 = 5.991  # chi squared of two degrees of freedom
EXACT = (0.0, 0.0, 0.0, 0.0)
#: Each way: the size that is told, and how far inside the edges pictures end (shares of a side).
WAYS: dict[str, tuple[DeckSize, tuple[float, float, float, float]]] = {
    "as it is": (SIZE, EXACT),
    "told 63 x 86 mm": (DeckSize(63.0, 86.0), EXACT),
    "told 61.5 x 86 mm": (DeckSize(61.5, 86.0), EXACT),
    "pictures 2 to 3 % inside": (SIZE, (0.02, 0.025, 0.03, 0.022)),
}


@dataclass(slots=True)
class Told:
    """What came of a way."""

    missed: int = 0
    false: int = 0
    errors_mm: list[float] = field(default_factory=list)
    worst_share: list[float] = field(default_factory=list)  #: of the table's half width, a photo
    inside: list[bool] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)

    def row(self, name: str) -> str:
        errors = np.array(self.errors_mm)
        said = ", ".join(f"{code} {count}" for code, count in sorted(self.said.items()))
        return (
            f"| {name} | {self.missed} | {self.false} | {np.median(errors):.2f} | "
            f"{errors.max():.2f} | {max(self.worst_share):.1%} | {np.mean(self.inside):.1%} "
            f"({len(self.inside)}) | {said} |"
        )


def learn(faces: dict[str, ImageBGR], folder: Path, name: str) -> Path:
    """Learn a deck in one of the ways; return its folder."""
    size, (left, top, right, bottom) = WAYS[name]
    pictures = folder / "pictures"
    pictures.mkdir(parents=True)
    for card, face in faces.items():
        h, w = face.shape[:2]
        part = face[round(top * h) : h - round(bottom * h), round(left * w) : w - round(right * w)]
        cv2.imwrite(str(pictures / f"{card}.png"), part)
    return learn_deck("drawn", pictures, size, folder / "decks").folder


def off(
    found: tuple[PlacedCard, ...], truth: tuple[PlacedCard, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return errors (mm) after the best rigid alignment and their squares by what is told, (n,)."""
    true = {c.card_id: c for c in truth}
    both = [c for c in found if c.card_id in true and c.covariance is not None]
    a = np.array([(c.x_mm, c.y_mm) for c in both])
    b = np.array([(true[c.card_id].x_mm, true[c.card_id].y_mm) for c in both])
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    turn = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    rest = a - b @ rotation(float(-turn)).T
    covariances = np.array([np.asarray(c.covariance)[:2, :2] for c in both])
    squares = np.einsum("ni,nij,nj->n", rest, np.linalg.inv(covariances), rest)
    return np.linalg.norm(rest, axis=1), squares


def look(detector: Detector, photo: Photo, truth: tuple[PlacedCard, ...], told: Told) -> None:
    """Read a photo and add what came of it."""
    ids = {c.card_id for c in truth}
    try:
        seen = read_layout(photo, detector)
    except ScanError as error:
        told.missed += len(ids)
        told.said[type(error).__name__] += 1
        return
    cards = tuple(c for c in cards_of(seen) if not c.card_id.startswith("unknown"))
    names = {c.card_id for c in cards}
    told.missed += len(ids - names)
    told.false += len(names - ids)
    errors, squares = off(cards, truth)
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
        ids = [str(name) for name in rng.choice(list(faces), CARDS, replace=False)]
        tilt, roll = float(rng.uniform(0, 45)), float(rng.uniform(0, 360))
        cloth = CLOTHS[k % len(CLOTHS)]
        number = seed * 100 + k
        shots.append(
            shoot(faces, ids, number, tilt_deg=tilt, roll_deg=roll, cloth_bgr=cloth, size_wh=WH)
        )
    return shots


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(argv)
    faces = draw_deck(FACES)
    (first, _), *shots = tables(faces, given.photos + 1, given.seed)
    heads = (
        "the deck",
        "missed",
        "false",
        "median mm",
        "worst",
        "worst, of half the table's width",
    )
    print(
        "| "
        + " | ".join((*heads, "in 95 % ellipse", "said (photos)"))
        + " |\n"
        + "| --- " * 8
        + "|"
    )
    with tempfile.TemporaryDirectory() as work:
        for k, name in enumerate(WAYS):
            folder = learn(faces, Path(work) / str(k), name)
            for consent in ("", ", after `deck fit`"):
                if consent:
                    shown = encode_image(first.image, ".jpg", 95)
                    fit_deck(folder, [shown], height_mm=SIZE.height_mm)
                detector, told = build_detector(load_learned(folder).bank), Told()
                for photo, truth in shots:
                    look(detector, photo, truth, told)
                print(told.row(name + consent), flush=True)


if __name__ == "__main__":
    main()
