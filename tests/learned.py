"""Decks learned from drawn faces, and photos of them, for tests."""

from pathlib import Path

import numpy as np

from calibration.learned.decks import CUT_SD
from calibration.learned.learn import DeckSize, Learned, learn_deck
from tests.drawn_faces import draw_face, write_scans
from tests.synth import Scene, photograph, random_cards
from vision.imaging.photo import Photo
from vision.values.arrays import ImageBGR
from vision.values.layout import PlacedCard
from vision.values.pieces import Faces

SIZE = DeckSize(63.0, 88.0)


def draw_deck(count: int, first: int = 0) -> dict[str, ImageBGR]:
    """Draw faces of all kinds, by id."""
    return {f"pic-{first + k:03d}": draw_face(first + k) for k in range(count)}


def learn(faces: dict[str, ImageBGR], folder: Path, size: DeckSize = SIZE) -> Learned:
    """Learn a deck from scans of faces."""
    write_scans(faces, folder / "scans")
    return learn_deck("drawn", folder / "scans", size, folder / "decks", replace=True)


def printed(faces: dict[str, ImageBGR], size: DeckSize = SIZE, corner_mm: float = 3.0) -> Faces:
    """Return the cards themselves, to be photographed."""
    stack = np.stack(list(faces.values()))
    scale = stack.shape[2] / size.width_mm
    return Faces(
        tuple((name,) for name in faces), stack, scale, size.width_mm, size.height_mm, (), corner_mm
    )


def bank_of(faces: dict[str, ImageBGR], size: DeckSize = SIZE) -> Faces:
    """Return a bank of faces as they are."""
    stack = np.stack(list(faces.values()))
    return Faces(
        tuple((name,) for name in faces),
        stack,
        stack.shape[2] / size.width_mm,
        size.width_mm,
        size.height_mm,
        cut_sd=CUT_SD,
    )


def shoot(
    faces: dict[str, ImageBGR],
    ids: list[str],
    seed: int = 0,
    *,
    corner_mm: float = 3.0,
    size: DeckSize = SIZE,
    cards: tuple[PlacedCard, ...] | None = None,
    **scene,
) -> tuple[Photo, tuple[PlacedCard, ...]]:
    """Lay some of the cards at random and photograph them; the cards are the truth."""
    if cards is None:
        cards = random_cards(ids, np.random.default_rng([91, seed]), gap_mm=8.0)
    image, _ = photograph(Scene(cards, seed=seed, **scene), printed(faces, size, corner_mm))
    return Photo(image), cards
