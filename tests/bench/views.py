"""Real photographs of one table, read together: ``python -m tests.bench.views DATA_FOLDER DECK``

The folder is that of ``tests.bench.real``. Photos of a collection (``--collection``) that name the
same cards in the same places are of one table: laid on each other by what is annotated. For each
table a line tells what was told of the cards' names, of each photo alone and of all, and how far
the poses of the photos lie off one another: of two alone, and, where there are three, of the third
alone from the other two together.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np

from calibration.learned.decks import load_learned
from tests.bench.real_truth import Truth, judge, plain_name, read_truth
from tests.bench.several import rms
from tests.seeing.tables import rigidly_apart
from vision.errors import ScanError
from vision.imaging.photo import Photo, decode_photo
from vision.imaging.view import View
from vision.seeing.detector import Detector, build_detector
from vision.seeing.multiview.fusion import fuse_layouts
from vision.seeing.reading import read_layout
from vision.values.layout import Layout, poses_of

SAME = 0.03  # of a table's breadth: cards of one table, as a plane shows in two photos


def is_same_table(one: Truth, other: Truth) -> bool:
    """Tell whether two photos show the same cards in the same places, by their annotations."""
    a, b = ({c.name: np.mean(c.corners_px, axis=0) for c in t.cards} for t in (one, other))
    names = sorted(set(a) & set(b))
    if len(names) < 4 or len(names) < 0.7 * max(len(a), len(b)):
        return False
    src, dst = (np.array([of[n] for n in names]) for of in (a, b))
    plane, _ = cv2.findHomography(src, dst, cv2.RANSAC, SAME * float(np.ptp(dst)))
    if plane is None:
        return False
    seen = cv2.perspectiveTransform(src[None].astype(np.float64), plane)[0]
    off = np.linalg.norm(seen - dst, axis=1)
    return bool(np.median(off) < SAME * float(np.ptp(dst)) and len(names) > 4)


def tables(truths: Sequence[Truth]) -> list[list[int]]:
    """Gather photos of one table."""
    found: list[list[int]] = []
    for k, truth in enumerate(truths):
        mine = next((group for group in found if is_same_table(truths[group[0]], truth)), None)
        if mine is None:
            found.append([k])
        else:
            mine.append(k)
    return [group for group in found if len(group) > 1]


def apart_mm(one: Layout, other: Layout) -> tuple[float, float, int]:
    """Return how far the cards that both name lie off: rms mm, rms degrees, how many."""
    a, b = ({p.piece: p for p in layout.placed} for layout in (one, other))
    names = sorted(n for n in set(a) & set(b) if not n.startswith("unknown"))
    off = rigidly_apart(poses_of([a[n] for n in names]), poses_of([b[n] for n in names]))
    turned = (off[:, 2] + np.pi / 2) % np.pi - np.pi / 2  # either way up, faces may be alike
    return rms(np.hypot(*off[:, :2].T).tolist()), rms(np.degrees(turned).tolist()), len(off)


def read(photos: Sequence[Photo], detector: Detector) -> list[Layout | None]:
    layouts: list[Layout | None] = []
    for photo in photos:
        try:
            layouts.append(read_layout(photo, detector))
        except ScanError as error:
            print(f"  refused: {error}")
            layouts.append(None)
    return layouts


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("deck", help="the folder of a learned deck, within the data folder")
    parser.add_argument("--collection", action="append", required=True)
    parser.add_argument("--variant", help="what tells pictures of one face apart in ids")
    parser.add_argument("--most", type=int, default=3, help="photos of one table")
    options = parser.parse_args(argv)
    bank = load_learned(options.data / options.deck).bank
    detector = build_detector(bank)

    def plain(card: str) -> str:
        return plain_name(card, options.variant)

    faces = {plain(card) for card in bank.card_ids}
    for collection in options.collection:
        folder = options.data / "photos" / collection
        files = sorted(p for p in folder.glob("*.jpg") if p.with_suffix(".json").exists())
        truths = [read_truth(p, faces) for p in files]
        for group in tables(truths):
            group = group[: options.most]
            photos = [decode_photo(files[k].read_bytes()) for k in group]
            layouts = read(photos, detector)
            kept = [(k, g) for k, g in enumerate(group) if layouts[k] is not None]
            if len(kept) > 1:
                tell(
                    [files[g].stem for _, g in kept],
                    [truths[g] for _, g in kept],
                    [photos[k] for k, _ in kept],
                    [layouts[k] for k, _ in kept],
                    detector,
                    plain,
                )
    return 0


def tell(names, truths, photos, layouts, detector, plain) -> None:
    """Print what was told of one table."""
    print(f"{' '.join(names)}: {len(truths[0].cards)} cards")
    for name, layout, truth in zip(names, layouts, truths, strict=True):
        print(f"  {name} alone: {verdicts(layout, truth, plain)}")
    numbers = range(1, len(photos) + 1)
    views = [View(photo.image) for photo in photos]
    try:
        fused = fuse_layouts(layouts, views, detector.faces, numbers)
    except ScanError as error:
        print(f"  together refused: {error}")
        return
    print(f"  together: {verdicts(fused, truths[0], plain)}")
    print(
        f"  doubts together: {[(i.code, i.cards) for i in fused.doubts if i.severity == 'doubt']}"
    )
    for a, b in combinations(range(len(photos)), 2):
        mm, degrees, count = apart_mm(layouts[a], layouts[b])
        print(f"  {names[a]} from {names[b]}: {mm:.3f} mm, {degrees:.3f} deg, {count} cards")
    if len(photos) < 3:
        return
    for k in range(3):
        rest = [j for j in range(3) if j != k]
        both = fuse_layouts(
            [layouts[j] for j in rest], [views[j] for j in rest], detector.faces, [1, 2]
        )
        mm, degrees, count = apart_mm(both, layouts[k])
        print(
            f"  the others together from {names[k]}: {mm:.3f} mm, {degrees:.3f} deg, {count} cards"
        )


def verdicts(layout, truth, plain) -> str:
    """Return how many names are right, wrong or open, and what lies where no card does."""
    cards, strays = judge(layout, truth, plain)
    return f"{dict(Counter(c.verdict for c in cards))}, strays {len(strays)}"


if __name__ == "__main__":
    sys.exit(main())
