"""Leave one face out: photos read with decks that lack one of the faces that lie on them.

``--data FOLDER`` is that of ``bench.common.real_data``. Each photo is read with the deck as it is,
and once for each face that lies on it, with a deck without that face (no other is left out with it,
so its near twins are all there): the card of that face must be unnamed or doubted. What lies there
is told by the photo's annotation. With ``--own-truth`` it is told, of photos without one, by what
the whole deck reads without a doubt, nine tenths of the card in sight: labels that cost nothing,
but of names alone that the program is sure of.
"""

from argparse import ArgumentParser, Namespace
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bench.common.arguments import add_collections
from bench.common.counting import bound_of_none
from bench.common.real_data import RealData
from bench.common.real_truth import Judged, TrueCard, Truth, judge, plain_name, read_truth
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from vision.errors import ScanError
from vision.imaging.photo import decode_photo
from vision.seeing.detector import Detector, build_detector
from vision.seeing.reading import read_layout
from vision.values.layout import Layout
from vision.values.pieces import Faces

WHOLE = 0.9  # of a card in sight, from which on its own reading may stand for the truth
COLUMNS = (
    *("deck", "collection", "photos (refused)", "cards", "right: sure / doubted", "unnamed"),
    *("wrong: doubted / certain", "left out: cards", "found", "named with a doubt"),
    "named as certain",
)


@dataclass
class Counts:
    """What was told of the cards of a collection, with the whole deck and without their face."""

    photos: int = 0
    refused: int = 0
    whole: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def cells(self) -> tuple[Cell, ...]:
        """Return the cells of the table, but for deck and collection."""
        whole, left = self.whole, self.left
        return (
            f"{self.photos} ({self.refused})",
            whole.total(),
            f"{whole['right, sure']} / {whole['right, doubted']}",
            whole["unnamed"],
            f"{whole['wrong, doubted']} / {whole['wrong, certain']}",
            left.total(),
            left.total() - left["lost"],
            left["wrong, doubted"],
            bound_of_none(left["wrong, certain"], left.total()),
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


def read(photo: Path, detector: Detector) -> Layout | None:
    """Read a photo; None where it is refused."""
    try:
        return read_layout(decode_photo(photo.read_bytes()), detector)
    except ScanError:
        return None


def own_truth(layout: Layout | None) -> Truth:
    """Return as truth what a reading names without a doubt, of cards wholly in sight."""
    if layout is None:
        return Truth((), ())
    doubted = {c for issue in layout.doubts if issue.severity == "doubt" for c in issue.cards}
    return Truth(
        tuple(
            TrueCard(plain_name(card.piece), np.asarray(card.outline_px), True, True)
            for card in layout.placed
            if card.piece not in doubted and card.identity is not None and card.visible > WHOLE
        ),
        (),
    )


def judged(layout: Layout | None, truth: Truth) -> list[Judged]:
    """Return what was told of the cards whole in sight whose face the deck has."""
    cards, _ = judge(layout, truth, plain_name)
    return [card for card in cards if card.is_full and card.has_face]


def count_photo(photo: Path, bank: Faces, counts: Counts, options: Namespace) -> None:
    """Read a photo with the whole deck, then without each face that lies there."""
    layout = read(photo, build_detector(bank))
    counts.photos += 1
    counts.refused += layout is None
    is_annotated = photo.with_suffix(".json").exists() or not options.own_truth
    known = {plain_name(names[0]) for names in bank.names}
    truth = read_truth(photo, known) if is_annotated else own_truth(layout)
    cards = judged(layout, truth)
    for card in cards:
        doubt = "doubted" if card.doubts else "sure"
        counts.whole[f"right, {doubt}" if card.verdict == "right" else card.verdict] += 1
    for gone in () if options.whole else sorted({card.name for card in cards}):
        without = read(photo, build_detector(without_face(bank, gone)))
        told = [card for card in judged(without, truth) if card.name == gone]
        counts.left.update(card.verdict for card in told)
        counts.wrong += [
            f"{photo.parent.name} {photo.stem}: {gone} as {card.told}, {card.score:.3f}"
            for card in told
            if card.verdict == "wrong, certain"
        ]


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    add_collections(parser)
    parser.add_argument("--photo", default="", help="only photos whose name this pattern matches")
    parser.add_argument("--whole", action="store_true", help="leave out no face")
    parser.add_argument(
        "--own-truth",
        action="store_true",
        help="of photos without annotation, sure names are the truth",
    )


def run(options: Namespace) -> Result:
    """Read all photos of what is asked for."""
    data, rows, wrong = RealData(options), [], list[str]()
    for deck, collection in data.pairs():
        counts = Counts()
        for photo in data.photos(collection, options.photo):
            learned, _ = data.deck(deck, photo)
            count_photo(photo, learned.bank, counts, options)
            say(deck, collection, photo.stem, dict(counts.left))
        if counts.photos:
            rows.append((deck, collection, *counts.cells()))
        wrong += [f"{deck} {line}" for line in counts.wrong]
    if not rows:
        return Result((), ("no photo of what was asked for",))
    return Result((Table("One face left out", COLUMNS, tuple(rows)),), tuple(wrong))
