"""Outlines of planks and tiles are no cards, and are told once; a card differs from its table."""

from dataclasses import replace

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.drawn_faces import draw_face
from tests.learned import SIZE, bank_of
from tests.seeing.cloths import lay_face, outline_of
from vision.geometry import card_corners, table_from_card
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.detector import build_detector
from vision.seeing.pieces.rectify import Rectified
from vision.seeing.reading import read_layout
from vision.seeing.unexplained.line_patterns import _STEP, drop_line_patterns, edge_steps

FEW = settings(max_examples=25, deadline=None)
SIDE = 500  # mm, and pixels: one each
LINE = _STEP


def table(light, slope, seed):
    """Draw a table on which light fades to one side, by a share of it."""
    grain = np.random.default_rng(seed).normal(0, 4, (SIDE, SIDE, 3))
    fade = 1 - slope * np.linspace(0, 1, SIDE)[None, :, None]
    return (np.array([70.0, 110.0, 160.0]) + grain) * light * fade


def outline(pose):
    return table_from_card(card_corners(SIZE.width_mm, SIZE.height_mm), *pose)


def flat_of(picture):
    shown = np.clip(picture, 0, 255).astype(np.uint8)
    return Rectified(shown, np.ones((SIDE, SIDE), np.bool_), 1.0, np.array([-SIDE / 2.0] * 2))


poses = st.tuples(st.floats(-150, 150), st.floats(-150, 150), st.floats(-3, 3))


@FEW
@given(poses, st.floats(0.4, 1.0), st.floats(0, 0.5), st.floats(1.25, 1.6), st.integers(0, 99))
def test_tones_change_across_a_cards_sides_and_not_across_a_line(pose, light, slope, times, seed):
    """However turned, in dim light and where it fades; a plank beside may be another wood."""
    at = outline(pose)
    corners = np.rint(at + SIDE / 2).astype(np.int32)
    lined = table(light, slope, seed)
    beyond = outline((pose[0], pose[1], pose[2])) + (at[1] - at[0]) + SIDE / 2
    cv2.fillConvexPoly(lined, np.rint(beyond).astype(np.int32), (45.0, 75.0, 110.0))
    cv2.polylines(lined, [corners], True, (20.0, 20.0, 20.0), 1)
    card = table(light, slope, seed)
    inside = np.zeros((SIDE, SIDE), np.uint8)
    cv2.fillConvexPoly(inside, corners, 1)
    card[inside > 0] *= times if seed % 2 else 1 / times
    (line,), (step,) = (edge_steps(flat_of(of), at[None], []) for of in (lined, card))
    assert line < LINE < step


@FEW
@given(poses, st.floats(-20, 20), st.floats(-20, 20))
def test_of_an_outline_that_lies_on_read_cards_nothing_is_told(pose, x, y):
    at = outline(pose)
    wide = card_corners(SIZE.width_mm + 60, SIZE.height_mm + 60)
    over = table_from_card(wide, *pose) + np.array([x, y])
    told = edge_steps(flat_of(table(1.0, 0.0, 0)), at[None], [over])
    assert np.isinf(told).all()


FACES = {f"pic-{k}": draw_face(300 + k) for k in range(6)}
AT = [(350.0, 300.0), (900.0, 300.0), (1450.0, 300.0), (350.0, 900.0), (900.0, 900.0)]


def scene(places, *, filled):
    """Draw five known cards on wood, and outlines of a card's size, as lines or as cards."""
    rng = np.random.default_rng(5)
    wood = np.array([60.0, 100.0, 150.0]) + rng.normal(0, 3, (1400, 1900, 3))
    picture = np.clip(wood, 0, 255).astype(np.uint8)
    for x, y in places:
        box = np.rint(outline_of(x, y, 0.0, 190.0)).astype(np.int32)
        if filled:
            cv2.fillConvexPoly(picture, box, (110, 150, 190))
        cv2.polylines(picture, [box], True, (30, 55, 85), 3)
    for (x, y), face in zip(AT, FACES.values(), strict=False):
        lay_face(picture, face, outline_of(x, y, 8.0, 190.0))
    return Photo(cv2.GaussianBlur(picture, (0, 0), 0.8))


PLANKS = [(620.0, 300.0), (1180.0, 300.0), (620.0, 900.0), (1450.0, 900.0), (1200.0, 1150.0)]


def test_planks_are_told_once_and_strange_cards_one_by_one():
    detector = build_detector(bank_of(FACES))
    planks, cards = (read_layout(scene(PLANKS, filled=of), detector) for of in (False, True))
    unread = [one for one in cards.placed if one.piece.startswith("unknown")]
    assert len(unread) == len(PLANKS)
    assert not [one for one in planks.placed if one.piece.startswith("unknown")]
    assert {one.piece for one in planks.placed} == set(list(FACES)[: len(AT)])
    assert [d.code for d in planks.doubts].count("pattern_like_cards") == 1
    assert not any(name.startswith("unknown") for d in planks.doubts for name in d.cards)
    assert planks.joint_covariance.shape == (3 * len(AT), 3 * len(AT))


def test_two_outlines_alone_stay_as_they_are():
    photo = scene(PLANKS, filled=True)
    layout = read_layout(photo, build_detector(bank_of(FACES)))
    few = replace(
        layout,
        placed=layout.placed[:2],
        joint_covariance=layout.joint_covariance[:6, :6],
    )
    assert drop_line_patterns(View(photo.image, 8), few) is few
