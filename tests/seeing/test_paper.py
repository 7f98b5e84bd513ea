"""Cards of white paper that lie under others are placed or told."""

import cv2
import numpy as np
import pytest

from tests.learned import SIZE, bank_of, printed
from tests.synth import Scene, photograph
from vision.geometry import table_from_photo
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard


def signs(k):
    """Draw one to three filled or empty signs of a colour on white paper."""
    colour = tuple(np.random.default_rng([900, k]).integers(0, 170, 3).tolist())
    face = np.full((352, 252, 3), 236, np.uint8)
    for j in range(k % 3 + 1):
        y = 176 + int((j - (k % 3) / 2) * 90)
        width = 8 if k % 4 > 1 else -1
        if k % 2:
            cv2.ellipse(face, (126, y), (70, 32), 0, 0, 360, colour, width)
        else:
            sides = np.array([[40, y], [126, y - 38], [212, y], [126, y + 38]])
            cv2.drawContours(face, [sides], -1, colour, width)
    return face


PLACED_MM = 5.0  # an unread card's corner, and its print off centre: a tenth of its width
CLEAR = [
    PlacedCard(f"signs-{k}", x, y, 0.1 * k)
    for k, (x, y) in enumerate([(-120.0, -100.0), (120.0, -100.0), (-120.0, 100.0), (120.0, 100.0)])
]
HEAP = [
    PlacedCard("signs-4", -25.0, 20.0, 0.1),
    PlacedCard("signs-5", 25.0, 25.0, -0.1),
    PlacedCard("signs-6", -20.0, -30.0, 0.2),
    PlacedCard("signs-7", 0.0, 0.0, 0.05),
]


@pytest.mark.parametrize("tilt_deg", [0.0, 25.0])
def test_cards_under_another_are_placed_or_told_and_without_them_nothing_is(tilt_deg):
    """Three lie under one, on a photo; where that lies by itself, and none beside it, no doubt."""
    faces = {f"signs-{k}": signs(k) for k in range(12)}
    detector = build_detector(bank_of(faces))
    for cards in ((*CLEAR, HEAP[-1]), (*CLEAR, *HEAP)):
        image, camera = photograph(Scene(cards, tilt_deg=tilt_deg), printed(faces))
        layout = read_layout(Photo(image), detector)
        assert {c.piece for c in layout.placed} >= {c.card_id for c in (*CLEAR, HEAP[-1])}
        told = [d for d in layout.doubts if d.code in ("table_covered", "card_hidden")]
        unread = [p for p in layout.placed if p.identity is None]
        doubted = {one for d in layout.doubts if d.code == "unreadable_card" for one in d.cards}
        assert doubted == {p.piece for p in unread}
        places = np.array([p.outline_px.mean(axis=0) for p in unread]).reshape(-1, 2)
        at_mm = table_from_photo(camera, places)
        lost = {c.card_id: (c.x_mm, c.y_mm) for c in cards}
        for name in {p.piece for p in layout.placed}:
            lost.pop(name, None)
        lost = {k: at for k, at in lost.items() if not is_near(at_mm, at, PLACED_MM)}
        assert bool(told) == bool(lost)
        told_mm = table_from_photo(camera, np.array([d.at_px for d in told]).reshape(-1, 2))
        assert all(is_near(told_mm, at, SIZE.height_mm) for at in lost.values())


def is_near(places_mm, at_mm, most_mm):
    away = np.linalg.norm(places_mm - np.array(at_mm), axis=1)
    return bool((away < most_mm).any())
