"""Decks as a family teaches them: by a picture of each card, or by photos of cards in rows."""

from importlib import resources
from pathlib import Path

import numpy as np

from calibration.drafts.draft import add_photo, name_all, new_draft
from calibration.drafts.finish import finish_draft
from calibration.learned.learn import DeckSize, learn_deck
from calibration.light_speed.art import deck_art
from calibration.printing import write_pictures
from tests import synth
from vision.apps.decks import KnownDeck
from vision.games.light_speed.values import Deck
from vision.imaging.photo import Photo, encode_image
from vision.values.layout import PlacedCard
from vision.values.pieces import Faces

__all__ = ["by_photos", "by_pictures"]

DOES = resources.files("vision.games.light_speed") / "editions" / "light-speed.toml"
ROWS, COLUMNS = 3, 4  # of cards in a photo
APART_MM = 14.0
HAND = (1.5, 1.5, 0.02)  # mm, mm, rad (1 sd): cards laid in rows by hand; slots on a mat lie still


def by_pictures(deck: Deck, folder: Path) -> KnownDeck:
    """Learn Light Speed from a picture of each card as it is printed, its frame included."""
    write_pictures(deck_art(deck), folder / "art")
    size = DeckSize(deck.width_mm, deck.height_mm)
    with resources.as_file(DOES) as does:
        told = learn_deck("pictures", folder / "art", size, folder / "decks", lasers=does)
    return KnownDeck(told.deck.deck, told.deck)


def by_photos(faces: Faces, folder: Path, *, is_light_speed: bool) -> KnownDeck:
    """Learn a deck from photos of its cards, twelve in each, named in the order in which they lie.

    Of Light Speed it is told what the cards do.
    """
    draft = new_draft(folder / "draft", "photographed", faces.size_mm)
    names, each = faces.card_ids, ROWS * COLUMNS
    across, down = (side + APART_MM for side in faces.size_mm)
    for seed, first in enumerate(range(0, len(names), each)):
        some = names[first : first + each]
        at = np.array([(k % COLUMNS * across, k // COLUMNS * down, 0.0) for k in range(len(some))])
        at += np.random.default_rng(seed).normal(0, HAND, at.shape)
        cards = tuple(PlacedCard(name, *pose) for name, pose in zip(some, at.tolist(), strict=True))
        scene = synth.Scene(cards, (2400, 1800), tilt_deg=10, falloff=0.15, seed=seed)
        image, _ = synth.photograph(scene, faces)
        draft = add_photo(draft, Photo(image, scene.focal_35mm), encode_image(image, ".png"))
    named = name_all(draft, names)
    with resources.as_file(DOES) as does:
        told = finish_draft(named, folder / "decks", does=does if is_light_speed else None)
    return KnownDeck(told.deck.deck, told.deck)
