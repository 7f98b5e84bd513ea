"""What clear cards leave of a picture to be searched (vision.seeing.detection.search_regions)."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import PICTURES
from vision.imaging.view import View
from vision.seeing.detection.search_regions import Part, crops_of, scaled_part, unsearched_parts
from vision.values.arrays import FloatArray, ImageBGR

_WIDTH, _SHAPE = 36.0, (480, 640)


def _cloth(seed: int, grain: float) -> ImageBGR:
    rng = np.random.default_rng(seed)
    soft = cv2.GaussianBlur(rng.standard_normal((*_SHAPE, 3), np.float32), (0, 0), 1.0)
    return np.clip(90 + grain / float(soft.std()) * soft, 0, 255).astype(np.uint8)


def _outline(x: float, y: float, turn_deg: float) -> FloatArray:
    return cv2.boxPoints(((x, y), (_WIDTH, 1.4 * _WIDTH), turn_deg)).astype(np.float64)


def _card(picture: ImageBGR, outline: FloatArray, tone: int) -> None:
    cv2.fillConvexPoly(picture, np.rint(outline).astype(np.int32), (tone,) * 3, cv2.LINE_AA)


def _parts(picture: ImageBGR, known: FloatArray) -> tuple[Part, ...]:
    parts = unsearched_parts(picture, known, _WIDTH)
    return ((slice(0, _SHAPE[0]), slice(0, _SHAPE[1])),) if parts is None else parts


seeds, grains, turns = st.integers(0, 99), st.sampled_from([0.0, 2.0, 6.0]), st.integers(0, 179)


@PICTURES
@given(seeds, grains, turns)
def test_bare_cloth_and_known_cards_leave_next_to_nothing(
    seed: int, grain: float, turn: int
) -> None:
    picture = _cloth(seed, grain)
    known = np.array([_outline(120 + 130 * k, 200, turn + 40 * k) for k in range(4)])
    for outline in known:
        _card(picture, outline, 230)
    left = np.zeros(_SHAPE, bool)
    for part in _parts(picture, known):
        left[part] = True
    # one place of some hundreds may stand out by chance: with what is near, 4 % of the picture each
    assert left.mean() < (0.13 if grain else 1e-9)


@PICTURES
@given(seeds, grains, turns, st.integers(60, 580), st.integers(320, 420))
def test_a_card_that_is_not_known_is_left_whole(
    seed: int, grain: float, turn: int, x: int, y: int
) -> None:
    picture = _cloth(seed, grain)
    known = np.array([_outline(120 + 130 * k, 150, turn) for k in range(4)])
    more = _outline(x, y, turn + 20)
    for outline in (*known, more):
        _card(picture, outline, 230)
    low, high = np.clip(more.min(axis=0), 0, None), np.minimum(more.max(axis=0), _SHAPE[::-1])
    assert any(
        rows.start <= low[1]
        and high[1] <= rows.stop
        and columns.start <= low[0] <= high[0] <= columns.stop
        for rows, columns in _parts(picture, known)
    )


def _whole(part: Part, outline: FloatArray) -> bool:
    (left, top), (right, bottom) = outline.min(axis=0), outline.max(axis=0)
    rows, columns = part
    return bool(
        rows.start <= top
        and bottom <= rows.stop
        and columns.start <= left
        and right <= columns.stop
    )


@PICTURES
@given(seeds, st.sampled_from([12.0, 25.0, 60.0]), turns, st.booleans())
def test_a_plain_card_on_a_busy_cloth_is_left_whole(
    seed: int, grain: float, turn: int, known: bool
) -> None:
    # there it shows by what it has less of, however much the cloth has; four cards or none known
    picture = _cloth(seed, grain)
    outlines = np.array([_outline(120 + 130 * k, 130, turn) for k in range(4 * known)])
    more = _outline(330, 330, turn + 20)
    for outline in (*outlines, more):
        _card(picture, outline, 230)
    parts = _parts(picture, outlines.reshape(-1, 4, 2))
    assert any(_whole(part, more) for part in parts)


@PICTURES
@given(seeds, st.integers(5, 24), turns)
def test_a_plain_card_on_a_pattern_is_left_whole(seed: int, step: int, turn: int) -> None:
    rng, (rows, columns) = np.random.default_rng(seed), np.indices(_SHAPE)
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    squares = ((columns * cos + rows * sin) // step + (rows * cos - columns * sin) // step) % 2
    tones = np.where(squares[..., None] > 0, 200, 60) + rng.normal(0, 3, (*_SHAPE, 3))
    picture, more = np.clip(tones, 0, 255).astype(np.uint8), _outline(330, 300, turn + 20)
    _card(picture, more, 230)
    assert any(_whole(part, more) for part in _parts(picture, np.zeros((0, 4, 2))))


@PICTURES
@given(seeds, st.integers(2, 5))
def test_parts_do_not_overlap(seed: int, cards: int) -> None:
    rng, picture = np.random.default_rng(seed), _cloth(seed, 2.0)
    for _ in range(cards):
        _card(picture, _outline(*rng.uniform(20, 460, 2), rng.uniform(0, 180)), 30)
    times = np.zeros(_SHAPE, int)
    parts = _parts(picture, np.zeros((0, 4, 2)))
    for part in parts:
        times[part] += 1
    assert parts
    assert times.max() == 1


def test_a_table_full_of_things_is_searched_all_over() -> None:
    picture, rng = _cloth(0, 2.0), np.random.default_rng(1)
    for _ in range(60):
        at, to = rng.uniform(0, 480, (2, 2)).astype(int).tolist()
        cv2.line(picture, at, to, rng.uniform(0, 255, 3).tolist(), 4)
    assert unsearched_parts(picture, np.zeros((0, 4, 2)), _WIDTH) is None
    (cut,) = crops_of(View(picture), 1)
    assert cut.picture.shape == (240, 320, 3)


def test_a_narrow_gap_between_known_cards_is_searched() -> None:
    picture = _cloth(3, 2.0)
    known = np.array([_outline(200, 200, 0), _outline(200 + 1.35 * _WIDTH, 200, 0)])
    for outline in known:
        _card(picture, outline, 230)
    ((rows, columns),) = _parts(picture, known)
    assert columns.start < 200 + 0.67 * _WIDTH < columns.stop
    assert rows.start < 200 < rows.stop


@pytest.mark.parametrize("times", [1.0, 0.8, 0.5])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_a_cut_shows_its_part_of_a_look_and_knows_where_it_lies(level: int, times: float) -> None:
    image = np.zeros((*_SHAPE, 3), np.uint8)
    image[160:200, 240:300] = 255
    part = scaled_part((slice(60, 120), slice(100, 180)), 2.0)
    (cut,) = crops_of(View(image), level, [part], times=times)
    scale = times * 0.5**level
    light = cut.picture[..., 0].astype(float)
    middle = np.array([(light * at).sum() / light.sum() for at in np.indices(light.shape)[::-1]])
    off = (cut.to_photo(middle) - [269.5, 179.5]) * scale
    assert np.abs(off).max() < 0.1  # of a pixel: area means of parts of pixels are good to 0.08
    assert light.sum() / 255 == pytest.approx(60 * 40 * scale**2, rel=0.01)  # of tones, too
    assert cut.side_px == round(max(_SHAPE) * scale)
