"""Change and rest in small pictures: laws first."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.watch.motion import (
    STILL_S,
    absorb,
    begin_motion,
    find_changes,
    is_black,
    is_uncovered,
    observe,
    reduce_picture,
)

STEP = 1 / 30


def scene(seed: int = 0) -> np.ndarray:
    """Return a gray table with some print on it (270, 480)."""
    rng = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(rng.standard_normal((270, 480)).astype(np.float32), (0, 0), 2)
    picture = 110 + 25 * grain / grain.std()
    return np.clip(picture, 20, 220).astype(np.uint8)


def noisy(picture: np.ndarray, sigma: float, rng: np.random.Generator) -> np.ndarray:
    return np.clip(picture + sigma * rng.standard_normal(picture.shape) + 0.5, 0, 255).astype(
        np.uint8
    )


@settings(max_examples=15, deadline=None)
@given(sigma=st.floats(0, 4), gain=st.floats(0.75, 1.3), seed=st.integers(0, 99))
def test_noise_and_light_are_no_change(sigma, gain, seed):
    rng = np.random.default_rng(seed)
    still = np.clip(scene(seed), 0, 190).astype(np.uint8)
    motion = begin_motion(noisy(still, sigma, rng), 0.0)
    for k in range(1, 40):
        light = 1 + (gain - 1) * min(1.0, k / 20)
        picture = noisy(np.clip(still * light, 0, 255), sigma, rng)
        motion = observe(motion, picture, k * STEP)
        if k > 10:  # the noise has been seen
            assert find_changes(motion) == ()


@pytest.mark.parametrize("rate", [5, 12, 30, 60])
def test_a_thing_that_comes_is_news_and_quiet_after_a_while(rate):
    table = scene()
    with_card = table.copy()
    with_card[100:140, 200:230] = 230
    motion = begin_motion(table, 0.0)
    quiet_s = None
    for k in range(1, 2 * rate):
        motion = observe(motion, with_card, k / rate)
        changes = find_changes(motion)
        assert len(changes) == 1
        x, y, w, h = changes[0].box
        assert x <= 200 < 230 <= x + w
        assert y <= 100 < 140 <= y + h
        if changes[0].is_quiet and quiet_s is None:
            quiet_s = (k - 1) / rate
    assert quiet_s is not None
    assert STILL_S <= quiet_s + 1e-9 <= STILL_S + 2 / rate
    motion = absorb(motion, changes[0].mask)
    assert find_changes(motion) == ()


def test_a_slow_thing_is_seen_to_move():
    table = scene()
    motion = begin_motion(table, 0.0)
    for k in range(1, 90):
        picture = table.copy()
        x = 50 + k  # 30 px a second: a sixteenth of the picture
        picture[100:160, x : x + 60] = 225
        motion = observe(motion, picture, k * STEP)
        changes = find_changes(motion)
        assert changes
        assert not any(change.is_quiet for change in changes)


def test_what_passed_by_leaves_nothing():
    table = scene()
    motion = begin_motion(table, 0.0)
    for k in range(1, 30):
        picture = table.copy()
        if k < 20:
            picture[60:, 20 * k : 20 * k + 60] = 60
        motion = observe(motion, picture, k * STEP)
    assert find_changes(motion) == ()


def test_uncovered_is_told_from_covered():
    bare = np.full((270, 480), 120, np.uint8)
    covered = bare.copy()
    covered[80:180, 200:300] = 200
    mask = np.zeros(bare.shape, bool)
    mask[80:180, 200:300] = True
    came = observe(begin_motion(bare, 0.0), covered, 1.0)
    went = observe(begin_motion(covered, 0.0), bare, 1.0)
    assert not is_uncovered(came, mask)
    assert is_uncovered(went, mask)
    assert not is_uncovered(went, np.zeros_like(mask))


def test_absorb_everything():
    motion = observe(begin_motion(scene(0), 0.0), scene(1), 1.0)
    assert find_changes(motion)
    calm = absorb(motion)
    assert find_changes(replace(calm, time_s=5.0)) == ()


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720), (640, 480), (333, 251)])
def test_pictures_are_reduced_to_about_the_same(size):
    image = np.full((size[1], size[0], 3), 90, np.uint8)
    small = reduce_picture(image)
    assert 240 <= small.shape[1] <= 720
    assert (small == 90).all()


def test_black():
    assert is_black(np.zeros((270, 480), np.uint8))
    assert is_black(np.full((270, 480), 6, np.uint8))
    assert not is_black(scene())
