"""Cards whose edges do not show: found by what is printed on them."""

import cv2
import numpy as np
import pytest

from tests.learned import bank_of, printed
from tests.seeing.tables import cards_of
from tests.synth import Scene, photograph
from vision.geometry import photo_from_table
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard

PAPER = (238, 240, 240)
NEAR_PX = 20.0  # half the width of a card: the place that is told lies on it
EDGED = 7  # signs whose face has a line along its edge


def sign(k: int) -> np.ndarray:
    """Draw a white face with one to three signs in the middle: shape, ink and number by ``k``."""
    face = np.full((352, 252, 3), PAPER, np.uint8)
    ink = [(40, 40, 200), (60, 140, 40), (130, 40, 90)][k % 3]
    count, shape = 1 + k // 3 % 3, k // 9 % 2
    for y in 176 + 96 * (np.arange(count) - (count - 1) / 2):
        if shape:
            cv2.ellipse(face, (126, int(y)), (80, 34), 0, 0, 360, ink, -1, cv2.LINE_AA)
        else:
            points = np.array([[46, y], [126, y - 38], [206, y], [126, y + 38]], np.int32)
            cv2.fillPoly(face, [points], ink, cv2.LINE_AA)
    if k < EDGED:
        cv2.rectangle(face, (0, 0), (251, 351), (150, 150, 150), 6)
    return face


FACES = {f"sign-{k:02d}": sign(k) for k in range(18)}


def table_of(seed: int) -> tuple[PlacedCard, ...]:
    """Lay nine cards in rows, nearly straight."""
    rng = np.random.default_rng([12, seed])
    edged, plain = (sorted(FACES)[:EDGED], sorted(FACES)[EDGED:])
    ids = [*rng.choice(edged, 3, replace=False), *rng.choice(plain, 6, replace=False)]
    return tuple(
        PlacedCard(
            str(name), 80.0 * (k % 3) + rng.normal(0, 2), 105.0 * (k // 3), rng.normal(0, 0.04)
        )
        for k, name in enumerate(ids)
    )


def shot(cards, cloth_bgr, *, small=True):
    """Photograph cards on a table of a colour; the paper shows as light as ``PAPER``."""
    size = (640, 480) if small else (1600, 1200)
    look = {"texture": 1.0, "falloff": 0.1, "noise": 1.5, "tilt_deg": 12.0, "jpeg_quality": 85}
    return photograph(Scene(cards, size_wh=size, cloth_bgr=cloth_bgr, **look), printed(FACES))


@pytest.mark.parametrize("seed", range(2))
def test_cards_without_an_edge_that_shows_are_named_beside_those_that_have_one(seed):
    cards = table_of(seed)
    image, _ = shot(cards, PAPER)
    seen = read_layout(Photo(image), build_detector(bank_of(FACES)))
    assert {c.card_id for c in cards_of(seen)} == {c.card_id for c in cards}


def test_a_card_whose_print_is_hardly_read_is_named_or_told():
    """Forty pixels wide, soft and noisy: one agrees too little to be a card for sure."""
    cards = table_of(0)
    look = {"texture": 1.0, "falloff": 0.1, "noise": 3.0, "tilt_deg": 15.0, "jpeg_quality": 70}
    scene = Scene(cards, size_wh=(480, 360), cloth_bgr=PAPER, blur_px=1.0, **look)
    image, camera = photograph(scene, printed(FACES))
    seen = read_layout(Photo(image), build_detector(bank_of(FACES)))
    named = {c.piece for c in seen.placed if c.identity is not None}
    others = [c for c in cards if c.card_id not in named]
    at_px = photo_from_table(camera, np.array([[c.x_mm, c.y_mm] for c in others]).reshape(-1, 2))
    told = [i.at_px for i in seen.doubts if i.code == "unreadable_card"]
    assert named <= {c.card_id for c in cards}
    assert len(others) < len(cards) - EDGED // 2
    assert all(min(np.linalg.norm(np.array(told) - at, axis=1)) < NEAR_PX for at in at_px)
