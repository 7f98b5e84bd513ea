"""Things in rare colours on a cloth with a pattern (vision.seeing.detection.edge_quads)."""

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import PICTURES
from vision.seeing.detection.edge_quads import find_edge_quads, find_rare_colours
from vision.values.arrays import FloatArray, ImageBGR

_SHAPE = (480, 640)
seeds, turns = st.integers(0, 999), st.integers(0, 179)


def _pattern(seed: int, side: float, turn_deg: float) -> ImageBGR:
    """Draw gingham: two colours, and the one between them."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: _SHAPE[0], : _SHAPE[1]]
    turn = np.radians(turn_deg)
    u, v = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    mixed = ((u // side % 2) + (v // side % 2))[..., None] / 2
    first, second = rng.integers(20, 120, 3), rng.integers(130, 230, 3)
    picture = cv2.GaussianBlur(first * mixed + second * (1 - mixed), (0, 0), 1.0)
    noise = rng.normal(0, 3, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def _outline(x: float, y: float, turn_deg: float) -> FloatArray:
    return cv2.boxPoints(((x, y), (75, 105), turn_deg)).astype(np.float64)


def _lay(picture: ImageBGR, outline: FloatArray, tone: tuple[int, int, int]) -> None:
    cv2.fillConvexPoly(picture, np.rint(outline).astype(np.int32), tone, cv2.LINE_AA)


def _found(seed: int) -> float:
    """Return the share of six cards on a cloth that have an outline."""
    rng = np.random.default_rng(seed)
    picture = _pattern(seed, rng.uniform(8, 60), rng.uniform(0, 180))
    places = [(x, y) for x in (120, 320, 520) for y in (120, 360)]
    outlines = [_outline(x, y, rng.uniform(0, 180)) for x, y in places]
    for outline in outlines:
        middle = outline.mean(axis=0)
        for size in (1.0, 0.85, 0.4):
            blue, green, red = rng.integers(0, 256, 3).tolist()
            _lay(picture, middle + size * (outline - middle), (blue, green, red))
    quads = find_edge_quads(picture)
    ways = np.stack([np.roll(quads, k, axis=1) for k in range(4)], axis=1)
    away = [np.linalg.norm(ways - of, axis=3).max(axis=2).min(initial=np.inf) for of in outlines]
    # a mask's outline runs a pixel or two beside the edge: it is sharpened after
    return float(np.mean(np.array(away) < 3.0))


def test_cards_on_gingham_have_outlines() -> None:
    found = [_found(seed) for seed in range(12)]
    # by edges alone, which join those of the cloth: 0.72
    assert np.mean(found) > 0.9


@PICTURES
@given(seeds, st.floats(8, 60), turns)
def test_what_has_colours_of_its_own_is_rare_and_the_cloth_is_not(
    seed: int, side: float, turn: int
) -> None:
    picture = _pattern(seed, side, turn)
    thing = np.zeros(_SHAPE, np.uint8)
    cv2.fillConvexPoly(thing, np.rint(_outline(300, 200, turn + 30)).astype(np.int32), 255)
    picture[thing > 0] = (250, 5, 250)
    masks = find_rare_colours(cv2.GaussianBlur(picture, (5, 5), 1.0))
    beside = cv2.dilate(thing, np.ones((9, 9), np.uint8)) == 0
    within = cv2.erode(thing, np.ones((9, 9), np.uint8)) > 0
    told = [(mask[within] > 0).mean() - (mask[beside] > 0).mean() for mask in masks]
    # where squares meet, and blur mixes their colours, some are rare
    assert max(told) > 0.7


@PICTURES
@given(seeds)
def test_where_colours_stand_says_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, 256, (32, 40, 3), dtype=np.uint8)
    picture[:24] = 90
    # all pixels are counted where each stands for its neighbours
    picture = np.kron(picture, np.ones((2, 2, 1), np.uint8)).astype(np.uint8)
    turned = np.ascontiguousarray(picture[::-1, ::-1])
    for mask, of_turned in zip(find_rare_colours(picture), find_rare_colours(turned), strict=True):
        assert (of_turned == mask[::-1, ::-1]).all()
