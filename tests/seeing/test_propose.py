"""Proposed poses: one corner of a card, of its edge or its frame, is enough; so is its print."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.seeing.tables import CARD_MM, FRAME_MM
from tests.strategies import PICTURES
from vision.geometry import rotation
from vision.imaging.view import to_gray
from vision.seeing.detection.corners import find_lines
from vision.seeing.estimation.overlaps import card_outlines, points_on_cards
from vision.seeing.estimation.rectify import Rectified
from vision.seeing.propose import (
    LEAST_ARM_MM,
    propose_from_corners,
    propose_from_print,
    propose_from_sides,
    rectangles_on,
)

SCALE = 1.0  # pixels per mm, as cards are looked at closely
NEAR_MM = (
    1.5  # a line segment of 60 mm or more is good to a pixel, and the card's far corner to two
)
BOTH_MM = (CARD_MM, FRAME_MM)


def pictured(poses, size_mm=CARD_MM, cover=None):
    """Return a rectified table of 300 mm with light cards, and dark discs over places."""
    image = np.full((300, 300, 3), 60, np.uint8)
    for outline in card_outlines(np.atleast_2d(poses), size_mm):
        at = np.rint(outline * SCALE * 16).astype(np.int32)
        cv2.fillConvexPoly(image, at, (225, 225, 225), cv2.LINE_AA, 4)
    for x, y, radius in cover or ():
        at = round(SCALE * x), round(SCALE * y)
        cv2.circle(image, at, round(SCALE * radius), (60, 60, 60), -1, cv2.LINE_AA)
    return Rectified(image, np.ones((300, 300), np.bool_), SCALE, np.zeros(2))


def cornered(rectified, rectangles_mm):
    """Return the poses proposed from corners of a rectified table, and where two agree."""
    lines = find_lines(to_gray(rectified.image), LEAST_ARM_MM * SCALE, fine=True)
    return propose_from_corners(rectified, lines, rectangles_mm)


def nearest_mm(proposed, pose):
    """Return the least error of proposed poses, mm: of turns over 40 mm, modulo half a turn."""
    apart = np.linalg.norm(proposed[:, :2] - pose[:2], axis=1)
    return float(np.maximum(apart, 40 * np.abs(np.sin(proposed[:, 2] - pose[2]))).min())


@PICTURES
@given(st.floats(0, np.pi), st.floats(-20, 20), st.floats(-20, 20), st.integers(0, 3))
def test_one_corner_gives_the_card(theta, x, y, corner):
    pose = np.array([150 + x, 150 + y, theta])
    outline = card_outlines(pose[None], CARD_MM)[0]
    opposite = outline[(corner + 2) % 4] - outline[corner]
    far = outline[corner] + 0.75 * opposite  # all but a corner lies under a disc
    hidden = pictured(pose, cover=[(*far, 0.62 * float(np.linalg.norm(opposite)))])
    assert nearest_mm(cornered(hidden, (CARD_MM,))[0], pose) < NEAR_MM


def test_two_corners_of_a_card_agree_on_it_and_one_does_not():
    pose = np.array([150.0, 150.0, 0.3])
    outline = card_outlines(pose[None], CARD_MM)[0]
    saucer = pictured(pose, cover=[(*pose[:2], 45.0)])  # of each corner some 10 mm show
    poses, agreed = cornered(saucer, (CARD_MM,))
    assert nearest_mm(poses[agreed], pose) < NEAR_MM
    far = outline[0] + 0.75 * (outline[2] - outline[0])
    poses, agreed = cornered(pictured(pose, cover=[(*far, 68.0)]), (CARD_MM,))
    assert nearest_mm(poses, pose) < NEAR_MM
    assert not agreed.any()


@pytest.mark.parametrize("size_mm", BOTH_MM, ids=["edge", "frame"])
def test_a_frame_gives_the_card_round_it(size_mm):
    pose = np.array([150.0, 140.0, 0.4])
    assert nearest_mm(cornered(pictured(pose, size_mm), BOTH_MM)[0], pose) < NEAR_MM


def test_a_table_without_corners_proposes_none():
    blank = pictured(np.zeros((0, 3)))
    round_ = pictured(np.zeros((0, 3)))
    cv2.circle(round_.image, (300, 300), 80, (225, 225, 225), -1, cv2.LINE_AA)
    for table in (blank, round_):
        assert cornered(table, BOTH_MM)[0].shape == (0, 3)


def test_a_deck_shows_its_edge_and_its_frame(bank):
    frame = bank.frames[0]
    edge, first, *_ = rectangles_on(bank)
    assert edge == bank.size_mm
    assert first == (frame.width_mm, frame.height_mm)


@given(st.floats(0, np.pi), st.floats(10, 25), st.floats(0, 1), st.floats(0, 1))
def test_a_hidden_corner_is_where_its_arms_meet(theta, hidden, across, along):
    """As much of either arm shows as what lies on the corner hides, or more."""
    pose = np.array([150.0, 150.0, theta])
    width, height = CARD_MM
    x, y = (
        2 * hidden + share * (side - 2 * hidden)
        for share, side in zip((across, along), CARD_MM, strict=True)
    )
    arms = np.array([[hidden, 0], [x, 0], [0, hidden], [0, y]]) - [width / 2, height / 2]
    lines_px = SCALE * points_on_cards(arms[None], pose[None])[0].reshape(2, 2, 2)
    proposed, _ = propose_from_corners(pictured(np.zeros((0, 3))), lines_px, (CARD_MM,))
    assert nearest_mm(proposed, pose) < 1e-6


def test_print_is_in_the_middle_of_its_card_in_either_direction():
    table = pictured(np.zeros((0, 3)))
    things = np.zeros((300, 300), np.uint8)
    print_ = np.array([130.0, 160.0, 0.3])
    corners = card_outlines(print_[None], (30.0, 55.0))[0]
    cv2.fillConvexPoly(things, np.rint(corners * SCALE).astype(np.int32), 1)
    proposed = propose_from_print(things > 0, table, max(CARD_MM))
    assert len(proposed) == 2
    assert nearest_mm(proposed, print_) < NEAR_MM
    assert nearest_mm(proposed, print_ + np.array([0, 0, np.pi / 2])) < NEAR_MM
    cv2.circle(things, (250, 250), 2, 1, -1)  # dirt
    cv2.rectangle(things, (5, 5), (295, 30), 1, -1)  # a ruler
    among = propose_from_print(things > 0, table, max(CARD_MM))
    assert np.array_equal(np.sort(among, axis=0), np.sort(proposed, axis=0))


@PICTURES
@given(st.floats(0, np.pi), st.floats(-20, 20), st.integers(0, 3))
def test_one_whole_side_gives_the_card(theta, x, side):
    """A strip of 8 mm along it is all that shows: its corners have too short an arm."""
    pose = np.array([150 + x, 150, theta])
    away = np.array([(0, 8), (8, 0), (0, -8), (-8, 0)][side])
    shown = pictured(pose)
    cover = pose + np.append(rotation(theta) @ away, 0.0)
    over = np.rint(card_outlines(cover[None], CARD_MM)[0] * SCALE * 16).astype(np.int32)
    cv2.fillConvexPoly(shown.image, over, (120, 120, 120), cv2.LINE_AA, 4)
    lines = find_lines(to_gray(shown.image), LEAST_ARM_MM * SCALE, fine=True)
    assert nearest_mm(propose_from_sides(shown, lines, (CARD_MM,)), pose) < NEAR_MM
