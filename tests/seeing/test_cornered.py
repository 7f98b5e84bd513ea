"""White cards on a white table, in light from aside: two sides of each show, as a thin shadow."""

import cv2
import numpy as np
import pytest

from tests.learned import bank_of, printed
from tests.seeing.tables import cards_of
from tests.seeing.test_by_print import EDGED, FACES, PAPER
from tests.synth import Scene, photograph, random_cards
from vision.errors import TableNotFoundError
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.photo import Photo
from vision.seeing.detection.corners import complete_corners
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout

PLAIN = sorted(FACES)[EDGED:]  # nothing but a sign in the middle of white paper
SHADOW_PX = 1.6  # how wide the shadow of a card's side is, in a picture of 1280 px
SIZE = (63.0, 88.0)


def shaded(seed, step, ids=PLAIN, tilt_deg=10.0):
    """Photograph eight of the cards, edges drawn by shadows of so many tones on two sides each."""
    rng = np.random.default_rng([3, seed])
    cards = random_cards([str(of) for of in rng.choice(ids, 8, replace=False)], rng, gap_mm=8.0)
    look = {"texture": 0.5, "falloff": 0.15, "noise": 1.0, "jpeg_quality": 85, "seed": seed}
    aim = {"size_wh": (1280, 960), "tilt_deg": tilt_deg, "roll_deg": float(rng.uniform(0, 360))}
    image, camera = photograph(Scene(cards, cloth_bgr=PAPER, **aim, **look), printed(FACES))
    turn = rng.uniform(0, 2 * np.pi)
    move = np.float32([[1, 0, SHADOW_PX * np.cos(turn)], [0, 1, SHADOW_PX * np.sin(turn)]])
    shadow = np.zeros(image.shape[:2], np.float32)
    for card in cards:
        corners = table_from_card(card_corners(*SIZE), card.x_mm, card.y_mm, card.theta_rad)
        at_px = np.rint(16 * photo_from_table(camera, corners)).astype(np.int32)
        own = cv2.fillConvexPoly(np.zeros_like(shadow), at_px, 1.0, cv2.LINE_AA, 4)
        cast = cv2.warpAffine(own, move, own.shape[::-1])
        shadow = np.maximum(shadow, np.clip(cast - own, 0, 1))
    shadow = cv2.GaussianBlur(shadow, (0, 0), 0.8)
    return np.clip(image - step * shadow[..., None], 0, 255).astype(np.uint8), cards


@pytest.fixture(scope="module")
def detector():
    return build_detector(bank_of(FACES))


def test_two_arms_are_completed_to_a_parallelogram():
    elbow = np.array([[[10.0, 100.0], [10.0, 20.0], [70.0, 20.0]]])
    found = complete_corners(elbow, least_px=50.0, least_aspect=0.5, rounded=0.0)
    assert found[0] == pytest.approx(np.array([[10, 100], [10, 20], [70, 20], [70, 100]]))
    grown = complete_corners(elbow, least_px=50.0, least_aspect=0.5, rounded=0.1)
    assert grown[0] == pytest.approx(np.array([[10, 106], [10, 20], [76, 20], [76, 106]]))


@pytest.mark.parametrize(("least_px", "least_aspect"), [(61.0, 0.5), (50.0, 0.8)])
def test_arms_that_are_short_or_too_unlike_are_no_sides(least_px, least_aspect):
    elbow = np.array([[[10.0, 100.0], [10.0, 20.0], [70.0, 20.0]]])
    assert not len(complete_corners(elbow, least_px, least_aspect, rounded=0.0))


@pytest.mark.parametrize("step", [25.0, 60.0])
@pytest.mark.parametrize("seed", [20, 21, 22])
def test_cards_of_which_two_sides_show_are_found_and_named(detector, seed, step):
    image, cards = shaded(seed, step)
    seen = read_layout(Photo(image), detector)
    assert {c.card_id for c in cards_of(seen)} == {c.card_id for c in cards}


def test_those_of_another_game_give_no_table():
    image, _ = shaded(20, 60.0)
    ink = {name: 255 - face[:, ::-1] for name, face in FACES.items()}  # white signs on black
    with pytest.raises(TableNotFoundError):
        read_layout(Photo(image), build_detector(bank_of(ink)))
