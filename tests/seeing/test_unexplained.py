"""What ink of a card no face explains, and what it lacks: whatever light lies on a block of it."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import LAW
from vision.seeing.recognition.sign_fill import residual_ink

SHAPE_HW = (64, 48)
WHOLE = np.ones(SHAPE_HW, np.float32)
INK = 0.6  # of the paper's brightness: depth of a pip
SEEN = 0.5 * INK  # of a pip at least half shows in the worst cell, the rest is its block's mean
NOTHING = 0.09  # of the brightness: a contrast is told short in a block that a pip hardly enters
PIPS = [(12, 12), (12, 36), (32, 12), (32, 36), (52, 12), (52, 36)]


def face(pips: list[tuple[int, int]]) -> np.ndarray:
    """Draw round pips on white paper, softened as faces are compared."""
    picture = np.ones(SHAPE_HW, np.float32)
    for y, x in pips:
        cv2.circle(picture, (x, y), 3, 1 - INK, -1)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.2), np.float32)


def ink(card: np.ndarray, of: np.ndarray, weights: np.ndarray = WHOLE) -> tuple[float, float]:
    extra, lacking = residual_ink(card, of[None], weights)[0]
    return float(extra), float(lacking)


@LAW
@given(st.sampled_from(PIPS))
def test_a_pip_too_many_is_unexplained_and_one_too_few_is_lacking(gone):
    full, fewer = face(PIPS), face([pip for pip in PIPS if pip != gone])
    extra, lacking = ink(full, fewer)
    assert extra > SEEN
    assert lacking < NOTHING
    assert ink(fewer, full) == pytest.approx((lacking, extra), abs=1e-6)


@LAW
@given(st.floats(0.3, 1.0), st.floats(-0.2, 0.2))
def test_paled_ink_and_another_light_on_the_card_are_neither(pale, lift):
    card = np.asarray(1 + lift - pale * (1 - face(PIPS)), np.float32)
    assert max(ink(card, face(PIPS))) < NOTHING


def test_cloth_along_the_edge_and_what_does_not_count_are_neither():
    card = face(PIPS)
    card[:, :2] = 0.2  # the pose lies two cells beside the card
    assert max(ink(card, face(PIPS))) < NOTHING
    assert ink(card, face(PIPS[1:]), 0 * WHOLE) == (0, 0)
