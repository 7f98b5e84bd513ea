"""Which decks' cards are white paper to their edge, and what their paper tells under others."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learned import bank_of, printed
from tests.synth import Scene, photograph
from vision.apps.decks import known_game
from vision.geometry import photo_from_table
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.seeing.unexplained.residual_map import is_white_paper
from vision.values.layout import PlacedCard

FEW = settings(max_examples=30, deadline=None)


def deck(rims, light=1.0):
    """Faces with print in the middle, each with a rim of some colour."""
    rng = np.random.default_rng(7)
    faces = {}
    for k, rim in enumerate(rims):
        face = np.full((88, 63, 3), rim, np.float64)
        face[14:74, 12:51] = rng.uniform(0, 200, (60, 39, 3))
        faces[f"pic-{k}"] = np.clip(face * light, 0, 255).astype(np.uint8)
    return bank_of(faces)


@FEW
@given(st.floats(0.6, 1.0), st.floats(-12, 12), st.integers(1, 8))
def test_white_rims_are_paper_in_warm_and_in_dim_light(light, warm, count):
    assert is_white_paper(deck([(235 - warm, 235, 235 + warm)] * count, light))


@pytest.mark.parametrize(
    "rim", [(20, 20, 20), (60, 200, 235), (200, 120, 90), (110, 110, 110)], ids=str
)
def test_dark_and_coloured_rims_are_no_paper(rim):
    assert not is_white_paper(deck([rim] * 5))
    assert not is_white_paper(deck([rim] * 2 + [(235, 235, 235)] * 3))
    assert is_white_paper(deck([rim] + [(235, 235, 235)] * 5)), "a joker may be otherwise"


def test_one_printed_side_is_no_rim():
    bank = deck([(235, 235, 235)] * 3)
    printed = np.array(bank.images)
    printed[:, :, :3] = (40, 90, 160)
    assert not is_white_paper(replace(bank, images=printed))


def test_a_white_border_round_a_frame_is_told_by_its_frame():
    assert not is_white_paper(known_game("conflit-stellaire").detector().cards.faces)


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
        told = [d for d in layout.doubts if d.code in ("place_unread", "card_hidden")]
        lost = {c.card_id for c in cards} - {c.piece for c in layout.placed}
        assert bool(told) == bool(lost)
        hidden = np.array([(c.x_mm, c.y_mm) for c in cards if c.card_id in lost]).reshape(-1, 2)
        for place in hidden:
            assert any(_is_in_box(place, doubt, camera) for doubt in told)


def _is_in_box(place_mm, doubt, camera):
    said = {key: float(value) for key, value in doubt.said.values}
    x, y = photo_from_table(camera, place_mm[None])[0]
    wide, high = said.get("wide", 200.0), said.get("high", 200.0)
    return abs(x - said["x"]) <= wide / 2 and abs(y - said["y"]) <= high / 2
