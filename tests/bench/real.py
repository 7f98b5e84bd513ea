"""How real photographs of real decks are read: ``python -m tests.bench.real DATA_FOLDER``

The folder is not part of this project, for the photographs are not ours. Its ``manifest.json``:

    {"decks": {"set": {"folder": "decks/set", "variant": "-[0-9]+$", "own": ["felt"]}},
     "collections": {"wood": {"folder": "photos/wood", "split": "dev", "decks": ["set"]}}}

A deck's folder is one of ``sightline deck learn``; ``{photo}`` in it stands for the photo's name,
dashes for underscores (leave one out), and ``variant`` is what tells pictures of one face apart in
its ids; ``own`` are the collections that its pictures were cut from. A collection is a folder of
photos, JPEG or PNG, with annotations (``tests.bench.real_truth``); its ``split`` is ``dev`` or
``held-out``: nobody tunes on the second. For each pair of deck and collection a line is printed:
cards whole in sight whose face the deck has, and what was told of them; then the cards that are
partly hidden, those that the deck has no face of, what was placed where no card lies, and the time.
Where chances are told, a second table compares them with the truth, on collections other than the
decks' own. ``--deck``, ``--collection`` (both repeatable) and ``--split`` choose; ``--gray`` takes
the colour out of the photos; ``--json FILE`` writes what was told of every card.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.learned.decks import LearnedDeck, load_learned
from tests.bench.real_truth import Judged, Stray, judge, plain_name, read_truth
from vision.errors import ScanError
from vision.imaging.photo import Photo, decode_photo
from vision.seeing.detector import Detector, build_detector
from vision.seeing.reading import read_layout

PICTURES = {".jpg", ".png"}
CHANCES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)  # where bins of the told chance begin
HEADER = (
    "| deck | collection | photos (refused) | cards | found | right | unnamed | wrong, with doubt "
    "| **wrong, as certain** | hidden in part: right / wrong certain "
    "| no face in the deck: told / named certain | strays: unnamed / doubted / **certain** "
    "| median s | x decode |"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One photo, read with one deck."""

    deck: str
    collection: str
    photo: str
    cards: tuple[Judged, ...]
    strays: tuple[Stray, ...]
    refused: str | None
    seconds: float
    processor_s: float
    decode_s: float


class Decks:
    """The decks of a data folder, each made ready once."""

    def __init__(self, data: Path, said: dict[str, Any]) -> None:
        self._data, self._said = data, said
        self._ready: dict[Path, tuple[LearnedDeck, Detector]] = {}

    def of(self, deck: str, photo: Path) -> tuple[LearnedDeck, Detector]:
        """Return a deck and how it is looked for, as it stands for a photo."""
        folder = self._data / self._said[deck]["folder"].replace("{photo}", plain_name(photo.stem))
        if folder not in self._ready:
            learned = load_learned(folder)
            self._ready[folder] = learned, build_detector(learned.bank)
        return self._ready[folder]

    def variant(self, deck: str) -> str | None:
        """Return what tells pictures of one face apart in a deck's ids."""
        variant: str | None = self._said[deck].get("variant")
        return variant


def pairs(said: dict[str, Any], options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield the decks and collections that are asked for."""
    for collection, about in said["collections"].items():
        is_asked = not options.collection or collection in options.collection
        if not is_asked or about["split"] != options.split:
            continue
        for deck in about["decks"]:
            if not options.deck or deck in options.deck:
                yield deck, collection


def read_one(photo: Path, names: tuple[str, str], decks: Decks, *, gray: bool) -> Row:
    """Read one photo with one deck, and compare with what lies there."""
    deck, collection = names
    learned, detector = decks.of(deck, photo)
    variant = decks.variant(deck)

    def plain(card: str) -> str:
        return plain_name(card, variant)

    encoded = photo.read_bytes()
    start = time.process_time()
    decoded = decode_photo(encoded)
    decode_s = time.process_time() - start
    if gray:
        decoded = without_colour(decoded)
    layout, refused = None, None
    start, wall = time.process_time(), time.perf_counter()
    try:
        layout = read_layout(decoded, detector)
    except ScanError as error:
        refused = str(error)
    processor_s, seconds = time.process_time() - start, time.perf_counter() - wall
    truth = read_truth(photo, {plain(card) for card in learned.card_ids})
    cards, strays = judge(layout, truth, plain)
    told = tuple(cards), tuple(strays), refused
    return Row(deck, collection, photo.stem, *told, seconds, processor_s, decode_s)


def without_colour(photo: Photo) -> Photo:
    """Return a photo in shades of grey."""
    gray = cv2.cvtColor(photo.image, cv2.COLOR_BGR2GRAY)
    return replace(photo, image=np.asarray(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), np.uint8))


def line(deck: str, collection: str, rows: list[Row]) -> str:
    """Return a line of the table."""
    cards = [card for row in rows for card in row.cards]
    plain = Counter(c.verdict for c in cards if c.is_full and c.has_face)
    part = Counter(c.verdict for c in cards if not c.is_full and c.has_face)
    other = Counter(c.verdict for c in cards if not c.has_face)
    strays = [stray for row in rows for stray in row.strays]
    named = Counter("doubted" if s.doubts else "certain" for s in strays if s.is_named)
    ratios = [row.processor_s / max(row.decode_s, 1e-9) for row in rows]
    cells = (
        deck,
        collection,
        f"{len(rows)} ({sum(row.refused is not None for row in rows)})",
        plain.total(),
        plain.total() - plain["lost"],
        plain["right"],
        plain["unnamed"],
        plain["wrong, doubted"],
        f"**{plain['wrong, certain']}**",
        f"{part.total()}: {part['right']} / {part['wrong, certain']}",
        f"{other.total()}: {other.total() - other['lost']} / {other['wrong, certain']}",
        f"{len(strays) - named.total()} / {named['doubted']} / **{named['certain']}**",
        f"{np.median([row.seconds for row in rows]):.1f}",
        f"{np.median(ratios):.0f}",
    )
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def told_and_true(rows: list[Row], said: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a table: names told with some chance, and how many of them are right."""
    cards = [
        (card.chance, card.verdict == "right")
        for row in rows
        if row.collection not in said["decks"][row.deck].get("own", ())
        for card in row.cards
        if card.chance is not None and card.verdict != "unnamed" and card.is_full and card.has_face
    ]
    if not cards:
        return
    chance, is_right = (np.array(v, float) for v in zip(*cards, strict=True))
    yield "\n| chance told | names | told, mean | right |\n| --- | --- | --- | --- |"
    for low, high in pairwise(CHANCES):
        some = (chance >= low) & ((chance < high) | (high == CHANCES[-1]))
        if some.any():
            right = f"{is_right[some].mean():.1%} ({int(is_right[some].sum())})"
            yield f"| {low:g}-{high:g} | {some.sum()} | {chance[some].mean():.1%} | {right} |"


def wrong(rows: list[Row]) -> Iterator[str]:
    """Yield a line for each card that was lost, and for each name that is not so."""
    for row in rows:
        where = f"{row.deck} {row.collection} {row.photo}"
        for card in row.cards:
            if card.verdict.startswith("wrong") or (card.verdict == "lost" and card.is_full):
                lead = "" if card.lead is None else f", lead {card.lead:.3f}"
                yield f"- {where}: {card.name} {card.verdict}: {card.told}{lead} {card.doubts}"
        for stray in row.strays:
            if stray.is_named:
                yield f"- {where}: no card at {stray.at_px}: {stray.told} {stray.doubts}"


def to_json(rows: list[Row]) -> list[dict[str, Any]]:
    """Return what was told of every card, and of every stray."""
    return [asdict(row) for row in rows]


def parser_of(description: str) -> argparse.ArgumentParser:
    """Return how the data folder is named, and which pairs of deck and collection are read."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("--deck", action="append", default=[])
    parser.add_argument("--collection", action="append", default=[])
    parser.add_argument("--split", choices=("dev", "held-out"), default="dev")
    return parser


def main(argv: list[str] | None = None) -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--photo", default="", help="only photos whose name this pattern matches")
    parser.add_argument("--gray", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    said = json.loads((options.data / "manifest.json").read_text(encoding="utf-8"))
    decks = Decks(options.data, said["decks"])
    rows: list[Row] = []
    print(HEADER)
    print("|" + " --- |" * (HEADER.count("|") - 1), flush=True)
    for deck, collection in pairs(said, options):
        folder = options.data / said["collections"][collection]["folder"]
        photos = [
            p
            for p in sorted(folder.iterdir())
            if p.suffix in PICTURES and re.search(options.photo, p.stem)
        ]
        few = [read_one(p, (deck, collection), decks, gray=options.gray) for p in photos]
        if few:
            print(line(deck, collection, few), flush=True)
        rows += few
    if not rows:
        print("no photo of what was asked for", file=sys.stderr)
        return 1
    print("\n".join(told_and_true(rows, said)))
    print("\n" + "\n".join(wrong(rows)))
    if options.json is not None:
        options.json.write_text(json.dumps(to_json(rows), indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
