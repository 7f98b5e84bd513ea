"""In how many parts a card agrees with a face: each for itself, whatever light lies on it."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import LAW
from vision.seeing.faces.agreeing import AgreeingSettings, agreement

SHAPE_HW = (64, 48)
WHOLE = np.ones(SHAPE_HW, np.float32)
SURE = 1.0  # Fisher's z in the mean: 24 of 48 blocks show art, so 2 in each, or 0.96 in correlation


def art(seed: int) -> np.ndarray:
    """Draw a picture whose detail is a few cells large, in a frame that all pictures share."""
    noise = np.random.default_rng(seed).normal(0, 1, SHAPE_HW)
    picture = 0.5 + 0.4 * cv2.GaussianBlur(noise, (0, 0), 1.5)
    framed = np.full(SHAPE_HW, 0.05)
    framed[8:-8, 8:-8] = picture[8:-8, 8:-8]  # the frame fills whole blocks
    return framed.astype(np.float32)


@LAW
@given(st.integers(0, 999), st.integers(1, 999), st.floats(0.5, 1.5), st.floats(-0.05, 0.05))
def test_a_card_agrees_with_its_own_face_block_for_block_and_not_with_another(
    seed, other, gain, wash
):
    faces = np.array([art(seed), art(1000 + other)])
    slope = np.linspace(-wash, wash, SHAPE_HW[1], dtype=np.float32)
    own, stranger = agreement(gain * faces[0] + slope, faces, WHOLE)
    assert own > SURE
    assert stranger < SURE / 2


def test_one_correlation_over_a_framed_card_does_not_tell_them_apart_so_well():
    card, other = art(0), art(1)
    assert np.corrcoef(card.ravel(), other.ravel())[0, 1] > 0.5  # by the frame alone
    assert agreement(card, other[None], WHOLE)[0] < SURE / 2


@LAW
@given(st.floats(0.2, 1.0))
def test_each_block_has_its_own_light(dim):
    face, shaded = art(0), art(0)
    shaded[:, 24:] *= np.float32(dim)  # the edge lies between two blocks
    told = agreement(shaded, face[None], WHOLE)[0]
    assert told == pytest.approx(agreement(face, face[None], WHOLE)[0], abs=1e-3)


def test_blocks_without_detail_and_those_that_do_not_count_tell_nothing():
    s, paper = AgreeingSettings(), np.full(SHAPE_HW, 0.9, np.float32)
    assert agreement(art(0), paper[None], WHOLE)[0] == 0
    assert agreement(art(0), art(0)[None], 0 * WHOLE)[0] == 0
    half = paper.copy()
    half[: SHAPE_HW[0] // 2] = art(0)[: SHAPE_HW[0] // 2]
    full = float(np.arctanh(s.most))
    inner = np.zeros(SHAPE_HW, np.float32)
    inner[8:-8, 8:-8] = 1  # without the frame
    assert agreement(half, half[None], inner)[0] == pytest.approx(full / 2, rel=1e-4)
    assert agreement(art(0), art(0)[None], inner)[0] == pytest.approx(full, rel=1e-4)
