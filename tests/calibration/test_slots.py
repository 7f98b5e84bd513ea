"""Slots printed round cards are told from cards with a printed frame: by who moves with whom."""

import numpy as np
import pytest

from calibration.drafts.outlines import find_cards
from calibration.drafts.slots import find_slots
from tests.learned import SIZE, draw_deck, printed
from tests.synth import Scene, Slot, photograph
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.photo import Photo
from vision.seeing.estimation.model import solution_of
from vision.values.layout import Camera, PlacedCard

CARD = (SIZE.width_mm, SIZE.height_mm)
SLOT = (SIZE.width_mm + 8.0, SIZE.height_mm + 8.0)
HAND_RAD = np.radians(1.0)  # deviation of cards that a hand lays into slots
FROM_ABOVE = Camera(
    np.array([[1500.0, 0, 1000], [0, 1500.0, 750], [0, 0, 1]]),
    np.zeros(2),
    np.array([[3.0, 0, 400], [0, 3.0, 300], [0, 0, 1]]),
)
OFF_MM = 0.5  # a cut that is off by more follows something else


def outlines(size, middles, turns):
    """Return rectangles (N, 4, 2) of a size on the table, as the photo shows them."""
    on = [
        table_from_card(card_corners(*size), *middle, turn)
        for middle, turn in zip(middles, turns, strict=True)
    ]
    return np.array([photo_from_table(FROM_ABOVE, one) for one in on])


def places(rng):
    grid = np.array([(95.0 * (k % 4), 120.0 * (k // 4)) for k in range(12)])
    return grid, grid + rng.normal(0, 0.5, grid.shape)


@pytest.mark.parametrize("seed", range(5))
def test_slots_lie_still_and_cards_in_them_as_they_were_laid(seed):
    rng = np.random.default_rng(seed)
    grid, laid = places(rng)
    slots = outlines(SLOT, grid, np.full(12, 0.02))
    cards = outlines(CARD, laid, 0.02 + rng.normal(0, HAND_RAD, 12))
    told = find_slots(solution_of(FROM_ABOVE), slots, np.concatenate([cards, slots]), CARD)
    assert sorted(told.within) == list(range(12))
    assert told.outlines.tolist() == [False] * 12 + [True] * 12


@pytest.mark.parametrize("seed", range(5))
def test_frames_that_are_printed_in_cards_are_no_cards_in_slots(seed):
    rng = np.random.default_rng(seed)
    _, laid = places(rng)
    turns = rng.normal(0, HAND_RAD, 12)
    cards, frames = outlines(SLOT, laid, turns), outlines(CARD, laid, turns)
    told = find_slots(solution_of(FROM_ABOVE), cards, np.concatenate([cards, frames]), CARD)
    assert not len(told.within)
    assert not told.outlines.any()
    assert not told.may_be


def test_where_all_lies_exactly_parallel_either_may_be_the_card():
    grid, _ = places(np.random.default_rng(0))
    outer, inner = (outlines(size, grid, np.full(12, 0.02)) for size in (SLOT, CARD))
    told = find_slots(solution_of(FROM_ABOVE), outer, np.concatenate([outer, inner]), CARD)
    assert not len(told.within)
    assert told.may_be


@pytest.mark.parametrize(
    ("gap_mm", "line_mm", "light", "tilt_deg", "hand_deg", "corner_mm", "least"),
    [(4.0, 0.4, 0.66, 0.0, 0.6, 1.0, 0), (3.0, 0.4, 0.79, 0.0, 0.3, 4.0, 12)],
)  # fmt: skip
def test_cards_in_thin_light_slots_are_cut_at_their_own_edge_or_doubted(
    gap_mm, line_mm, light, tilt_deg, hand_deg, corner_mm, least
):
    """All of 19 were cut at the slot without a word: taken for cards, on a plane tilted for it."""
    rng = np.random.default_rng(0)
    faces = draw_deck(19)
    grid = np.array([(90.0 * (k % 5), 118.0 * (k // 5)) for k in range(19)])
    laid, turns = grid + rng.normal(0, 0.5, grid.shape), rng.normal(0, np.radians(hand_deg), 19)
    size = (SIZE.width_mm + 2 * gap_mm, SIZE.height_mm + 2 * gap_mm)
    slots = tuple(Slot(x, y, 0.0, size, line_mm, (light,) * 3, corner_mm) for x, y in grid)
    cards = tuple(
        PlacedCard(name, x, y, turn, np.zeros((3, 3)))
        for name, (x, y), turn in zip(faces, laid, turns, strict=True)
    )
    scene = Scene(cards, size_wh=(1600, 1200), tilt_deg=tilt_deg, texture=5.0, slots=slots)
    is_off, found = cut_off(scene, faces)
    assert found.may_be_slots[is_off].all()
    assert (~is_off).sum() >= least


def test_cards_in_slots_are_cut_at_their_own_edge_or_doubted():
    """Of 19 cards on a mat all were cut at the slot, 4 mm off, without a word."""
    rng = np.random.default_rng(4)
    faces = draw_deck(12)
    grid, laid = places(rng)
    tone = (0.01, 0.01, 0.01)
    slots = tuple(Slot(x, y, 0.0, SLOT, 1.0, tone) for x, y in grid)
    turns = rng.normal(0, HAND_RAD, 12)
    cards = tuple(
        PlacedCard(name, x, y, turn, np.zeros((3, 3)))
        for name, (x, y), turn in zip(faces, laid, turns, strict=True)
    )
    scene = Scene(cards, size_wh=(1600, 1200), tilt_deg=10.0, texture=5.0, slots=slots)
    is_off, found = cut_off(scene, faces)
    assert found.may_be_slots[is_off].all()
    assert (~is_off).sum() >= 9


def cut_off(scene, faces):
    """Return of each card that is found in a photo whether it is cut elsewhere, and all found."""
    image, camera = photograph(scene, printed(faces))
    found = find_cards(Photo(image), CARD)
    true = np.array(
        [
            photo_from_table(
                camera, table_from_card(card_corners(*CARD), one.x_mm, one.y_mm, one.theta_rad)
            )
            for one in scene.cards
        ]
    )
    nearest = np.linalg.norm(
        found.corners_px.mean(axis=1)[:, None] - true.mean(axis=1)[None], axis=2
    ).argmin(axis=1)
    width_px = np.linalg.norm(true[:, 1] - true[:, 0], axis=1)
    off_px = np.linalg.norm(found.corners_px - true[nearest], axis=2).mean(axis=1)
    return off_px / width_px[nearest] * CARD[0] > OFF_MM, found
