"""Where a cloth repeats itself, and what lies on it (vision.seeing.cards.background_texture)."""

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.seeing.cloths import outline_of, paint_cloth
from tests.strategies import PICTURES
from vision.seeing.cards.background_texture import find_periodic_texture
from vision.values.arrays import ImageBGR, ImageGray

_WIDTH, _SHAPE = 30.0, (300, 400)
kinds, seeds, turns = st.sampled_from(["gingham", "check"]), st.integers(0, 999), st.integers(0, 89)
#: Of squares: from a fifth of a card's width to all of it.
sides = st.floats(6.0, 30.0)
ALL = np.ones(_SHAPE, np.bool_)


def mask_of(x: int, y: int, turn: int, width: float) -> ImageGray:
    card = np.zeros(_SHAPE, np.uint8)
    cv2.fillConvexPoly(card, np.rint(outline_of(x, y, turn, width)).astype(np.int32), 255)
    return card


def assert_all_but_the_card_repeats(cloth: ImageBGR, card: ImageGray) -> None:
    repeats = find_periodic_texture(cloth, ALL, _WIDTH)
    assert repeats is not None
    inner = cv2.erode(card, np.ones((5, 5), np.uint8)) > 0
    assert (repeats[inner] == -1).mean() > 0.9
    beside = cv2.dilate(card, np.ones((7, 7), np.uint8)) == 0
    assert (repeats[beside] == 1).mean() > 0.8


@PICTURES
@given(kinds, sides, turns, seeds)
def test_a_patterned_cloth_is_its_own_like_all_over(
    kind: str, side: float, turn: int, seed: int
) -> None:
    repeats = find_periodic_texture(paint_cloth(kind, side, turn, seed, _SHAPE), ALL, _WIDTH)
    assert repeats is not None
    assert (repeats == 1).mean() > 0.9  # the rest is where lines meet the noise of a rim


@PICTURES
@given(kinds, sides, turns, seeds, st.integers(60, 340), st.integers(60, 240))
def test_a_card_on_it_is_not(kind: str, side: float, turn: int, seed: int, x: int, y: int) -> None:
    cloth = paint_cloth(kind, side, turn, seed, _SHAPE)
    card = mask_of(x, y, seed, _WIDTH)
    cloth[card > 0] = (5, 250, 5)
    assert_all_but_the_card_repeats(cloth, card)


@PICTURES
@given(kinds, sides, turns, seeds, st.integers(80, 320), st.integers(80, 220))
def test_a_faint_cloth_is_known_beside_a_bright_card(
    kind: str, side: float, turn: int, seed: int, x: int, y: int
) -> None:
    cloth = 40 + paint_cloth(kind, side, turn, seed, _SHAPE) // 8
    card = mask_of(x, y, seed, 1.5 * _WIDTH)
    cloth[card > 0] = 250
    assert_all_but_the_card_repeats(cloth, card)


@PICTURES
@given(seeds, st.integers(0, 6), st.booleans())
def test_a_few_cards_in_rows_are_no_cloth(seed: int, gap: int, blank: bool) -> None:
    """Three rows of four, each like the other to the pixel."""
    rng = np.random.default_rng(seed)
    table = paint_cloth("plain", 1.0, 0, seed, _SHAPE)
    face = np.full((42, 30, 3), 250, np.uint8)
    if not blank:
        face[3:-3, 3:-3] = rng.integers(0, 256, (36, 24, 3))
    for row in range(3):
        for column in range(4):
            y, x = 60 + row * (42 + gap), 90 + column * (30 + gap)
            table[y : y + 42, x : x + 30] = face
    assert find_periodic_texture(table, ALL, _WIDTH) is None


@PICTURES
@given(seeds, st.floats(0.0, 20.0))
def test_cloth_without_a_pattern_does_not_repeat_itself(seed: int, grain: float) -> None:
    rng = np.random.default_rng(seed)
    soft = cv2.GaussianBlur(rng.normal(0.0, 1.0, (*_SHAPE, 3)), (0, 0), 2.0)
    cloth = np.clip(120 + grain * soft / soft.std(), 0, 255).astype(np.uint8)
    assert find_periodic_texture(cloth, ALL, _WIDTH) is None


def test_nothing_free_repeats_nothing() -> None:
    cloth = paint_cloth("check", 20.0, 10, 0, _SHAPE)
    assert find_periodic_texture(cloth, np.zeros(_SHAPE, np.bool_), _WIDTH) is None
