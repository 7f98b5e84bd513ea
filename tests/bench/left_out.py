"""Photos read with decks that lack a face: ``python -m tests.bench.left_out DATA_FOLDER``

The folder is that of ``tests.bench.real``, and so are its choices. Each photo is read with the
deck as it is, and once for each face that lies on it, with a deck without that face (no other is
left out with it, so its near twins are all there): the card of that face must be unnamed or
doubted. For each pair of deck and collection a line is printed: with the whole deck the cards
whole in sight, right without a doubt and with one, unnamed, wrong; then with their face left out
the cards, those found, named with a doubt, and **named as certain**.
"""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from calibration.learned.decks import load_learned
from tests.bench.real import PICTURES, pairs, parser_of
from tests.bench.real_truth import Judged, judge, plain_name, read_truth
from vision.errors import ScanError
from vision.imaging.photo import decode_photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.values.pieces import Faces

HEADER = (
    "| deck | collection | photos (refused) | cards | right: sure / doubted | unnamed "
    "| wrong: doubted / **certain** | left out: cards | found | named with a doubt "
    "| **named as certain** |"
)


def without_face(bank: Faces, gone: str) -> Faces:
    """Return a deck without the pictures of one face, named as truths name it."""
    kept = np.array([plain_name(names[0]) != gone for names in bank.names])
    rows = {
        name: getattr(bank, name)[kept]
        for name in ("images", "margins_mm", "is_symmetric", "copies", "unsure")
    }
    names = tuple(n for n, is_kept in zip(bank.names, kept, strict=True) if is_kept)
    kinds = tuple(n for n, is_kept in zip(bank.kinds, kept, strict=False) if is_kept)
    return replace(bank, names=names, kinds=kinds, **rows)


def read_cards(photo: Path, bank: Faces, known: set[str]) -> tuple[list[Judged], bool]:
    """Read a photo with a deck; return what was told of its cards, and whether it was refused."""
    try:
        layout = read_layout(decode_photo(photo.read_bytes()), build_detector(bank))
    except ScanError:
        layout = None
    cards, _ = judge(layout, read_truth(photo, known), plain_name)
    return [card for card in cards if card.is_full and card.has_face], layout is None


def main(argv: list[str] | None = None) -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--whole", action="store_true", help="leave out no face")
    options = parser.parse_args(argv)
    said = json.loads((options.data / "manifest.json").read_text(encoding="utf-8"))
    print(HEADER)
    print("|" + " --- |" * (HEADER.count("|") - 1), flush=True)
    is_any, wrong = False, list[str]()
    for deck, collection in pairs(said, options):
        bank = load_learned(options.data / said["decks"][deck]["folder"]).bank
        known = {plain_name(names[0]) for names in bank.names}
        folder = options.data / said["collections"][collection]["folder"]
        photos = [p for p in sorted(folder.iterdir()) if p.suffix in PICTURES]
        is_any |= bool(photos)
        whole, left = Counter[str](), Counter[str]()
        refused = 0
        for photo in photos:
            cards, is_refused = read_cards(photo, bank, known)
            refused += is_refused
            for card in cards:
                doubt = "doubted" if card.doubts else "sure"
                whole[f"right, {doubt}" if card.verdict == "right" else card.verdict] += 1
            for gone in () if options.whole else sorted({card.name for card in cards}):
                read, _ = read_cards(photo, without_face(bank, gone), known)
                told = [card for card in read if card.name == gone]
                left.update(card.verdict for card in told)
                wrong += [
                    f"- {deck} {collection} {photo.stem}: {gone} as {card.told}, {card.score:.3f}"
                    for card in told
                    if card.verdict == "wrong, certain"
                ]
        cells = (
            deck,
            collection,
            f"{len(photos)} ({refused})",
            whole.total(),
            f"{whole['right, sure']} / {whole['right, doubted']}",
            whole["unnamed"],
            f"{whole['wrong, doubted']} / **{whole['wrong, certain']}**",
            left.total(),
            left.total() - left["lost"],
            left["wrong, doubted"],
            f"**{left['wrong, certain']}**",
        )
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
    print("\n" + "\n".join(wrong))
    return 0 if is_any else 1


if __name__ == "__main__":
    sys.exit(main())
