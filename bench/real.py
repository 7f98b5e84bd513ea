"""How real photographs of real decks are read: cards found, names right, wrong as certain.

The photographs are not ours: ``--data FOLDER`` (``bench.common.real_data``). For each pair of deck
and collection a line tells of the cards whole in sight whose face the deck has; then of cards that
are partly hidden, those that the deck has no face of, what was placed where no card lies, and the
time. Where chances are told, a second table compares them with the truth, on collections other than
the decks' own. ``--gray`` takes the colour out of the photos.
"""

import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.common.arguments import add_collections
from bench.common.counting import Tally, bound_of_none
from bench.common.real_data import RealData
from bench.common.real_truth import Judged, Stray, judge, read_truth
from bench.common.record import Result
from bench.common.tables import Table
from vision.errors import ScanError
from vision.imaging.photo import Photo, decode_photo
from vision.seeing.reading import read_layout

CHANCES = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)  # where bins of the told chance begin
COLUMNS = (
    *("deck", "collection", "photos (refused)", "cards", "found", "right", "unnamed"),
    *("wrong, with doubt", "wrong, as certain", "hidden in part: right / wrong certain"),
    "no face in the deck: told / named certain",
    *("strays: unnamed / doubted / certain", "median s", "x decode"),
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


def read_one(photo: Path, names: tuple[str, str], data: RealData, *, gray: bool) -> Row:
    """Read one photo with one deck, and compare with what lies there."""
    deck, collection = names
    learned, detector = data.deck(deck, photo)
    plain = data.plain(deck)
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


def line(deck: str, collection: str, rows: list[Row]) -> tuple[str | int, ...]:
    """Return a row of the table."""
    cards = [card for row in rows for card in row.cards]
    plain = Counter(c.verdict for c in cards if c.is_full and c.has_face)
    part = Counter(c.verdict for c in cards if not c.is_full and c.has_face)
    other = Counter(c.verdict for c in cards if not c.has_face)
    strays = [stray for row in rows for stray in row.strays]
    named = Counter("doubted" if s.doubts else "certain" for s in strays if s.is_named)
    ratios = [row.processor_s / max(row.decode_s, 1e-9) for row in rows]
    return (
        deck,
        collection,
        f"{len(rows)} ({sum(row.refused is not None for row in rows)})",
        plain.total(),
        plain.total() - plain["lost"],
        plain["right"],
        plain["unnamed"],
        plain["wrong, doubted"],
        bound_of_none(plain["wrong, certain"], plain.total()),
        f"{part.total()}: {part['right']} / {part['wrong, certain']}",
        f"{other.total()}: {other.total() - other['lost']} / {other['wrong, certain']}",
        f"{len(strays) - named.total()} / {named['doubted']} / {named['certain']}",
        f"{np.median([row.seconds for row in rows]):.1f}",
        f"{np.median(ratios):.0f}",
    )


def told_and_true(rows: list[Row], said: dict[str, Any]) -> Table | None:
    """Return names told with some chance and how many are right; None where none was told."""
    tally = Tally()
    for row in rows:
        if row.collection in said["decks"][row.deck].get("own", ()):
            continue
        for card in row.cards:
            is_counted = card.is_full and card.has_face and card.verdict != "unnamed"
            if is_counted and card.chance is not None:
                tally.add(card.chance, card.verdict == "right")
    return tally.table("Chances of names", CHANCES) if tally.told else None


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


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    add_collections(parser)
    parser.add_argument("--photo", default="", help="only photos whose name this pattern matches")
    parser.add_argument("--gray", action="store_true")


def run(options: Namespace) -> Result:
    """Read all that is asked for and compare."""
    data, rows, lines = RealData(options), list[Row](), []
    for deck, collection in data.pairs():
        photos = data.photos(collection, options.photo)
        few = [read_one(p, (deck, collection), data, gray=options.gray) for p in photos]
        if few:
            lines.append(line(deck, collection, few))
        rows += few
    if not rows:
        return Result((), ("no photo of what was asked for",))
    tables = [Table("Names on real photographs", COLUMNS, tuple(lines))]
    if (chances := told_and_true(rows, data.said)) is not None:
        tables.append(chances)
    return Result(tuple(tables), tuple(wrong(rows)), tuple(asdict(row) for row in rows))
