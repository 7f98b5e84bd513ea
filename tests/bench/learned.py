"""How well and how fast learned decks are read: ``python -m tests.bench.learned``

Draws 400 faces of every kind afresh, learns them from scans as people make them (cut by eye, of
differing sizes and tones, JPEG), photographs tables of them, and reads each photo with a deck of
44 faces and with one of 400, by turns. ``--photos N`` tables, ``--seed``.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy as np

from calibration.learned.decks import load_learned
from tests.learned import draw_deck, learn, shoot
from tests.seeing.tables import cards_of
from vision.errors import ScanError
from vision.geometry import rotation
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard

SIZES = (44, 400)
CLOTHS = ((70, 110, 60), (34, 32, 30), (225, 230, 232), (50, 50, 120))
CARDS = 18


def position_errors(
    found: tuple[PlacedCard, ...], truth: tuple[PlacedCard, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the errors (mm) after a rigid alignment, and after one with a common scale."""
    seen = {c.card_id: c for c in found}
    both = [c for c in truth if c.card_id in seen]
    a = np.array([(seen[c.card_id].x_mm, seen[c.card_id].y_mm) for c in both])
    b = np.array([(c.x_mm, c.y_mm) for c in both])
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    turn = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    laid = a @ rotation(float(turn)).T
    scale = (laid * b).sum() / (laid**2).sum()
    rigid, scaled = (np.linalg.norm(k * laid - b, axis=1) for k in (1.0, scale))
    return rigid, scaled


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--photos", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    drawn = draw_deck(max(SIZES))
    banks = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            some = dict(list(drawn.items())[:size])
            place = learn(some, Path(folder) / str(size)).folder
            banks[size] = load_learned(place).bank
        rows: dict[int, list[tuple[float, int, int, int]]] = {size: [] for size in SIZES}
        errors: dict[int, list[np.ndarray]] = {size: [] for size in SIZES}
        scaled: dict[int, list[np.ndarray]] = {size: [] for size in SIZES}
        for k in range(options.photos):
            rng = np.random.default_rng([options.seed, k])
            ids = [str(name) for name in rng.choice(list(drawn)[: min(SIZES)], CARDS, False)]
            photo, truth = shoot(
                drawn,
                ids,
                options.seed * 100 + k,
                tilt_deg=float(rng.uniform(0, 45)),
                roll_deg=float(rng.uniform(0, 360)),
                cloth_bgr=CLOTHS[k % len(CLOTHS)],
                size_wh=(4000, 3000),
            )
            for size, bank in banks.items():
                start = process_time()
                try:
                    found = cards_of(read_layout(photo, build_detector(bank)))
                except ScanError:
                    found = ()
                spent = process_time() - start
                names = {c.card_id for c in found if not c.card_id.startswith("unknown")}
                missed, false = len(set(ids) - names), len(names - set(ids))
                rows[size].append((spent, len(ids), missed, false))
                if names & set(ids):
                    rigid, free = position_errors(found, truth)
                    errors[size].append(rigid)
                    scaled[size].append(free)
    print("| faces | cards | missed | false | position median mm | p95 | up to scale | CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for size in SIZES:
        spent, cards, missed, false = (np.array(v) for v in zip(*rows[size], strict=True))
        rigid, free = np.concatenate(errors[size]), np.concatenate(scaled[size])
        print(
            f"| {size} | {cards.sum()} | {missed.sum()} | {false.sum()} | {np.median(rigid):.3f} "
            f"| {np.percentile(rigid, 95):.3f} | {np.median(free):.3f} | {np.median(spent):.1f} |"
        )
    ratio = np.median([row[0] for row in rows[400]]) / np.median([row[0] for row in rows[44]])
    print(f"\na deck of 400 faces takes {ratio:.2f} times as long as one of 44")
    return 0


if __name__ == "__main__":
    sys.exit(main())
