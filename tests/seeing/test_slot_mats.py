"""Slots printed round cards: no edges of cards on reading, and no word for decks cut at them."""

import numpy as np
import pytest

from calibration.drafts.cutting import cut_cards
from calibration.drafts.outlines import LaidOut
from tests.learned import SIZE, bank_of, draw_deck, printed
from tests.synth import Scene, Slot, photograph
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard

CARD = (SIZE.width_mm, SIZE.height_mm)
HAND_RAD = np.radians(1.0)  # deviation of cards that a hand lays into slots
PLACE_TOL_MM = 3.0  # of distances up to 450 mm; 12 to 50 where the slot is taken for the edge
#: gap (mm), line (mm), its tone: dark and light, wide and narrow
MATS = {"dark": (4.0, 1.0, 0.01), "light": (3.0, 0.8, 0.79), "narrow": (2.0, 0.6, 0.7)}
WOOD = (90, 130, 170)


@pytest.fixture(scope="module")
def faces():
    return draw_deck(12)


def lay(mat, names, seed, *, by_hand_rad=HAND_RAD):
    """Lay cards into the slots of a mat by hand; return the cards and the slots."""
    gap, line, tone = MATS[mat]
    rng = np.random.default_rng([12, seed])
    grid = np.array([(90.0 * (k % 4), 118.0 * (k // 4)) for k in range(len(names))])
    at, turns = grid + rng.normal(0, 0.5, grid.shape), rng.normal(0, by_hand_rad, len(grid))
    size = (CARD[0] + 2 * gap, CARD[1] + 2 * gap)
    slots = tuple(Slot(x, y, 0.0, size, line, (tone,) * 3) for x, y in grid)
    cards = tuple(
        PlacedCard(name, float(x), float(y), float(turn), np.zeros((3, 3)))
        for name, (x, y), turn in zip(names, at, turns, strict=True)
    )
    return cards, slots


def shoot(cards, faces, slots=(), **scene):
    image, camera = photograph(
        Scene(cards, slots=slots, tilt_deg=12.0, texture=5.0, **scene), printed(faces)
    )
    return Photo(image), camera


@pytest.fixture(scope="module")
def cut(faces):
    """The decks whose pictures were cut from a photo of a mat, at its slots."""
    return {mat: cut_at_slots(mat, faces) for mat in MATS}


def cut_at_slots(mat, faces):
    cards, slots = lay(mat, list(faces), 7)
    photo, camera = shoot(cards, faces, slots, size_wh=(2400, 1800))
    corners = [
        photo_from_table(camera, table_from_card(card_corners(*one.size_mm), one.x_mm, one.y_mm, 0))
        for one in slots
    ]
    none = np.zeros(len(slots), np.bool_)
    laid = LaidOut(np.array(corners), np.zeros(len(slots)), np.ones(len(slots)), CARD, none, none)
    return bank_of(dict(zip(faces, cut_cards(photo, laid), strict=True)))


def codes(photo, bank):
    layout = read_layout(photo, build_detector(bank))
    return layout, {issue.code for issue in layout.doubts if issue.severity == "doubt"}


def off_mm(layout, cards):
    """Return by how much a distance between two cards is off, at most."""
    true = {one.card_id: np.array([one.x_mm, one.y_mm]) for one in cards}
    read = {one.identity: np.array([one.x_mm, one.y_mm]) for one in layout.placed if one.identity}
    apart = [
        np.linalg.norm(read[a] - read[b]) - np.linalg.norm(true[a] - true[b])
        for a in read
        for b in read
    ]
    return np.abs(apart).max()


@pytest.mark.parametrize("mat", MATS)
def test_cards_in_slots_lie_where_they_lie(faces, mat):
    """The outermost line round most cards was the slot: 6 to 24 mm off, without a word."""
    cards, slots = lay(mat, list(faces), 1)
    photo, _ = shoot(cards, faces, slots)
    layout, said = codes(photo, bank_of(faces))
    assert "deck_edges" not in said
    assert {one.card_id for one in cards} == {one.identity for one in layout.placed} - {None}
    assert off_mm(layout, cards) < PLACE_TOL_MM


@pytest.mark.parametrize("mat", MATS)
@pytest.mark.parametrize("table", ["the mat", "plain", "wood"])
def test_a_deck_that_was_cut_at_slots_is_told_or_corrected(faces, cut, mat, table):
    """Its cards were read for sure, 12 % nearer to each other than they lie."""
    cards, slots = lay(mat, list(faces), 2)
    slots = slots if table == "the mat" else ()
    scene = {"cloth_bgr": WOOD} if table == "wood" else {}
    layout, said = codes(shoot(cards, faces, slots, **scene)[0], cut[mat])
    assert said & {"deck_edges", "deck_size"} or off_mm(layout, cards) < PLACE_TOL_MM


@pytest.mark.parametrize("by_hand_rad", [0.0, HAND_RAD, 0.3])
def test_a_deck_that_was_cut_right_is_not(faces, by_hand_rad):
    cards, _ = lay("dark", list(faces), 3, by_hand_rad=by_hand_rad)
    layout, said = codes(shoot(cards, faces)[0], bank_of(faces))
    assert len(layout.placed) == len(cards)
    assert not said & {"deck_edges", "deck_size"}
