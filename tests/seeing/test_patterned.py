"""Patterned cloths: their squares are no cards, and told once; a strange card is told by itself."""

import cv2
import numpy as np
import pytest

from tests.drawn_faces import draw_face
from tests.learned import bank_of
from tests.seeing.cloths import lay_face, outline_of, paint_cloth
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout

_SHAPE, _WIDTH = (1000, 1400), 110.0
_LOW = (640, 1400)  # where one row of cards has room
_REACH_PX = 40.0  # a third of a card's width: another's middle is farther off
_STRANGE = [(250, 250, 250), (30, 30, 150)]


@pytest.fixture(scope="module")
def faces():
    kinds = ("landscape", "head", "marble", "panel")
    return {f"{kind}-{k}": draw_face(40 + k, kind=kind) for k, kind in enumerate(kinds)}


@pytest.fixture(scope="module")
def detector(faces):
    return build_detector(bank_of(faces))


def read(picture, detector):
    return read_layout(Photo(cv2.GaussianBlur(picture, (0, 0), 0.7)), detector)


def lay_deck(picture, faces):
    """Lay the deck in a row at the top; return the middles by name."""
    middles = {}
    for k, (name, face) in enumerate(faces.items()):
        middles[name] = (180 + 340 * k, 140)
        lay_face(picture, face, outline_of(*middles[name], 20 * k - 30, _WIDTH))
    return middles


def told_near(layout, x, y):
    """Tell whether something is placed or doubted at a place."""
    at = [card.outline_px.mean(axis=0) for card in layout.placed]
    at += [issue.at_px for issue in layout.doubts if issue.at_px is not None]
    return bool((np.linalg.norm(np.array(at) - [x, y], axis=1) < _REACH_PX).any())


@pytest.mark.parametrize(("kind", "side"), [("check", 55), ("gingham", 55), ("check", 26)])
def test_squares_of_a_cloth_are_no_cards(kind, side, faces, detector):
    picture = paint_cloth(kind, side, 24, 3, _SHAPE)
    middles = lay_deck(picture, faces)
    layout = read(picture, detector)
    for name, (x, y) in middles.items():
        (card,) = (c for c in layout.placed if c.piece == name)
        assert np.linalg.norm(card.outline_px.mean(axis=0) - [x, y]) < 3.0  # px: 2 mm
    assert all(card.identity is not None for card in layout.placed)


#: Each pair of cloth, gap and tone: 0 white, 1 red.
_ROWS = [
    ("check", 1, 4.0, 0), ("check", 1, 30.0, 1), ("gingham", 1, 4.0, 1), ("gingham", 1, 30.0, 0),
    ("plain", 3, 4.0, 0), ("plain", 3, 30.0, 1),
    ("check", 3, 4.0, 1), ("gingham", 3, 4.0, 0), ("stripes", 3, 4.0, 1), ("stripes", 3, 30.0, 0),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "rows", "gap", "tone"), _ROWS)
def test_strange_cards_in_rows_are_told_one_by_one(kind, rows, gap, tone, faces, detector):
    picture = paint_cloth(kind, 55, 0, 5, _SHAPE if rows > 1 else _LOW)
    lay_deck(picture, faces)
    blank = np.full((88, 63, 3), _STRANGE[tone], np.uint8)
    height = _WIDTH * 88 / 63
    middles = [
        (420 + column * (_WIDTH + gap), 400 + row * (height + gap))
        for row in range(rows)
        for column in range(4)
    ]
    for x, y in middles:
        lay_face(picture, blank, outline_of(x, y, 0, _WIDTH))
    layout = read(picture, detector)
    assert all(told_near(layout, x, y) for x, y in middles)
