"""What a name's chance hangs on: the numbers of ``PosteriorSettings`` fitted again, and checked.

``--data FOLDER`` is that of ``bench.common.real_data``; of its collections those of the split are
used. Every annotated card is compared with every deck, its corners moved by 0, 1 and 2 % of its
width, for poses are as good as that at worst; of a deck that has its face once more with that left
out, of small weight, for a deck may lack a card. Pairs whose pictures come from the collection
itself are left out by ``--without DECK``. Shown are the numbers that make what was seen likeliest,
and for these and for those of the program how often what is told with a chance is so. ``--seed``
chooses the moves.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from scipy.optimize import minimize

from bench.common.arguments import add_collections
from bench.common.real_data import RealData
from bench.common.real_truth import plain_name, read_truth
from bench.common.record import Result
from bench.common.tables import Table
from vision.geometry import card_corners, map_points
from vision.imaging.photo import decode_photo
from vision.imaging.view import View, sample_grids
from vision.seeing.cards.face_comparers import PICTURE_CANDIDATES, PictureComparer
from vision.seeing.cards.posterior import FaceComparison, PosteriorSettings, face_posterior
from vision.seeing.recognition.fine_matching import (
    compare_amplitudes,
    fine_match_face,
)
from vision.seeing.recognition.picture_faces import (
    compare_coarse,
    compare_fine,
    face_features,
    fine_grid,
)
from vision.seeing.recognition.smoothing import MESH_PX
from vision.values.arrays import FloatArray

MOVED = (0.0, 0.01, 0.02)  # of a card's width
MISSING = 0.02  # weight of a card whose face was left out: decks lack few
FITTED = (
    *("near", "similarity", "far", "trust", "filled", "filled_share"),
    *("none", "none_similar", "none_ink", "none_darker", "none_filled"),
)
BINS = (0.0, 0.5, 0.8, 0.95, 0.99, 0.995, 1.0)


@dataclass(frozen=True, slots=True)
class Seen:
    """A comparison, the face that is true (-1 for none of the deck), and what it weighs."""

    compared: FaceComparison
    truth: int
    weight: float


def look(
    plain: PictureComparer, view: View, corners_px: FloatArray, gone: Sequence[int]
) -> FaceComparison:
    """Compare a card at known corners with all pictures but some."""
    index, close = plain.index, plain.close
    unit = card_corners(1.0, 1.0).astype(np.float32)
    photo_from_unit = cv2.getPerspectiveTransform(unit, corners_px.astype(np.float32))

    def tones(grid: Any, mesh_px: float) -> FloatArray:
        at = map_points(np.asarray(photo_from_unit, np.float64), grid.unit)
        return sample_grids(view, at[None], grid.shape_hw, mesh_px)

    rough = compare_coarse(tones(index.grid, MESH_PX), index.whole)
    rough = rough.reshape(2, -1).T
    rough[list(gone)] = -2.0
    nearest = np.argsort(-rough.max(axis=1), kind="stable")[:PICTURE_CANDIDATES]
    grid = fine_grid(index.bank)
    faces = np.array([face_features(index, int(k), grid) for k in nearest], np.float64)
    fine = np.full(rough.shape, -1.0)
    seen = tones(grid, MESH_PX)[0]
    fine[nearest] = compare_fine(seen, faces, grid)
    fine[list(gone)] = -1.0
    best = fine.max(axis=1)
    which = np.array([k for k in close.choose(best) if k not in gone], np.int64)
    turn = np.where(best[:, None] > -1, fine, rough).argmax(axis=1)
    pictures = [fine_match_face(np.asarray(plain.faces.images[k]), close.grid) for k in which]
    amplitude = compare_amplitudes(
        tones(close.grid, MESH_PX)[0],
        pictures,
        np.asarray(turn[which] == 1),
        close.grid,
    )
    return FaceComparison(best, close.face, which, amplitude)


def cards_of(options: Namespace) -> Iterator[tuple[Path, PictureComparer]]:
    """Yield each photo with each deck; pictures of one face count as such."""
    data, ready = RealData(options), dict[str, PictureComparer]()
    for collection in sorted({collection for _, collection in data.pairs()}):
        for photo in data.photos(collection)[:: options.every]:
            for deck, how in data.said["decks"].items():
                if deck in options.without:
                    continue
                name = f"{deck} {photo.stem}" if "{photo}" in how["folder"] else deck
                if name not in ready:
                    bank, variant = data.deck(deck, photo)[0].bank, how.get("variant")
                    names = tuple((plain_name(of[0], variant),) for of in bank.names)
                    ready[name] = PictureComparer(replace(bank, names=names))
                yield photo, ready[name]


def gather(options: Namespace) -> list[Seen]:
    """Compare all annotated cards."""
    rng = np.random.default_rng(options.seed)
    found: list[Seen] = []
    for photo, plain in cards_of(options):
        names = [of[0] for of in plain.faces.names]
        view = View(decode_photo(photo.read_bytes()).image)
        for card in read_truth(photo, set(names)).cards:
            if not card.is_full:
                continue
            corners = np.asarray(card.corners_px, np.float64)
            sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
            is_wide = sides[0] > sides[1]
            if is_wide != (plain.faces.width_mm > plain.faces.height_mm):
                corners = np.roll(corners, 1, axis=0)
            moved = corners + rng.normal(0, rng.choice(MOVED) * sides.min(), (4, 2))
            own = [k for k, name in enumerate(names) if name == card.name]
            truth = -1 if not own else int(plain.close.face[own[0]])
            found.append(Seen(look(plain, view, moved, ()), truth, 1.0))
            if own:
                found.append(Seen(look(plain, view, moved, own), -1, MISSING))
    return found


def chance_of_truth(seen: Seen, settings: PosteriorSettings) -> float:
    """Return the chance that was given to what is so."""
    chances = face_posterior(seen.compared, settings)
    return float(chances[seen.truth] if seen.truth >= 0 else 1 - chances.sum())


def fit(found: Sequence[Seen]) -> PosteriorSettings:
    """Find the settings under which what was seen is likeliest."""
    start = PosteriorSettings()
    total = sum(one.weight for one in found)

    def made(x: FloatArray) -> PosteriorSettings:
        return replace(start, **dict(zip(FITTED, x.tolist(), strict=True)))

    def surprise(x: FloatArray) -> float:
        if x[0] <= 0 or min(x[1:4]) < 0:
            return float("inf")
        each = [one.weight * np.log(max(chance_of_truth(one, made(x)), 1e-7)) for one in found]
        return -float(sum(each)) / total

    first = np.array([getattr(start, name) for name in FITTED])
    best = minimize(surprise, first, method="Nelder-Mead", options={"maxfev": 600})
    return made(np.asarray(best.x))


def table(found: Sequence[Seen], settings: PosteriorSettings, title: str) -> Table:
    """Return told against true, of cards whose face the deck has and of those it has not."""
    lines = []
    told = [
        (float(chances.max()), int(chances.argmax()) == one.truth, one)
        for one in found
        for chances in [face_posterior(one.compared, settings)]
    ]
    for low, high in pairwise(BINS):
        within = [t for t in told if low <= t[0] < high or t[0] == high == BINS[-1]]
        known = [t[1] for t in within if t[2].truth >= 0]
        share = f"{np.mean(known):.3f}" if known else ""
        left_out = sum(t[2].weight == MISSING for t in within)
        foreign = len(within) - len(known) - left_out
        cells = (f"{low:g} to {high:g}", len(known), sum(known), share, left_out, foreign)
        lines.append(cells)
    return Table(title, ("told", "cards", "true", "share", "left out", "of no deck"), tuple(lines))


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    add_collections(parser)
    parser.add_argument("--without", action="append", default=[], metavar="DECK")
    parser.add_argument("--every", type=int, default=1, help="only every so many photos")


def run(options: Namespace) -> Result:
    """Compare, fit, compare again."""
    found = gather(options)
    if not found:
        return Result((), ("no annotated card",))
    fitted = fit(found)
    numbers = tuple(
        (name, f"{getattr(PosteriorSettings(), name):.3g}", f"{getattr(fitted, name):.3g}")
        for name in FITTED
    )
    tables = (
        table(found, PosteriorSettings(), f"{len(found)} comparisons, as the program weighs them"),
        table(found, fitted, "As fitted"),
        Table("The numbers", ("name", "of the program", "fitted"), numbers),
    )
    return Result(tables)
