"""Outlines of planks and tiles are no cards; a card differs from its table."""

import cv2
import numpy as np

from tests.learned import bank_of, draw_deck
from tests.seeing.cloths import lay_face, outline_of
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout

AT = [(350.0, 300.0), (900.0, 300.0), (1450.0, 300.0), (350.0, 900.0), (900.0, 900.0)]


def scene(faces, places, *, filled):
    """Draw five known cards on wood, and outlines of a card's size, as lines or as cards."""
    rng = np.random.default_rng(5)
    wood = np.array([60.0, 100.0, 150.0]) + rng.normal(0, 3, (1400, 1900, 3))
    picture = np.clip(wood, 0, 255).astype(np.uint8)
    for x, y in places:
        box = np.rint(outline_of(x, y, 0.0, 190.0)).astype(np.int32)
        if filled:
            cv2.fillConvexPoly(picture, box, (110, 150, 190))
        cv2.polylines(picture, [box], True, (30, 55, 85), 3)
    for (x, y), face in zip(AT, faces.values(), strict=False):
        lay_face(picture, face, outline_of(x, y, 8.0, 190.0))
    return Photo(cv2.GaussianBlur(picture, (0, 0), 0.8))


PLANKS = [(620.0, 300.0), (1180.0, 300.0), (620.0, 900.0), (1450.0, 900.0), (1200.0, 1150.0)]


def test_planks_are_no_cards_and_strange_cards_are_told_one_by_one():
    faces = draw_deck(len(AT) + 1, first=300)
    detector = build_detector(bank_of(faces))
    planks, cards = (read_layout(scene(faces, PLANKS, filled=of), detector) for of in (False, True))
    unread = [one.piece for one in cards.placed if one.identity is None]
    assert len(unread) == len(PLANKS)
    assert [d.cards for d in cards.doubts if d.code == "unreadable_card"] == [(k,) for k in unread]
    assert {one.piece for one in planks.placed} == set(list(faces)[: len(AT)])
    assert not [d for d in planks.doubts if d.at_px is not None and not d.cards]
