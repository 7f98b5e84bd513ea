"""The repeating pattern of a cloth is known, but for what lies on it; nothing else repeats."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.seeing.background_texture import off_plane, pattern_of

FEW = settings(max_examples=20, deadline=None)  # each correlates a picture
REACH, NOISE = 54.0, 0.01  # px: a card's diagonal at half a pixel per mm
ROWS, COLUMNS = 300, 400
Y, X = np.mgrid[:ROWS, :COLUMNS].astype(np.float32)
LIGHT = (0.3 * X / COLUMNS - 0.2 * Y / ROWS)[..., None]
HIDDEN = (np.abs(X - 210) < 16) & (np.abs(Y - 140) < 22)  # a card

seeds = st.integers(0, 99)
sides = st.floats(5, 22)  # px: squares and stripes of 10 to 44 mm
turns = st.floats(0, np.pi)
contrasts = st.floats(0.4, 1.5)  # below, its noise is more than a third of it


def cloth(kind, side, turn, contrast):
    """Return the log tones (H, W, 3) of a cloth; its second colour is darker and of another hue."""
    u = np.floor((np.cos(turn) * X + np.sin(turn) * Y) / side) % 2
    v = np.floor((np.cos(turn) * Y - np.sin(turn) * X) / side) % 2
    share = {"check": np.abs(u - v), "gingham": (u + v) / 2, "stripes": u}[kind]
    soft = cv2.GaussianBlur(share, (0, 0), 0.7)
    return 4.5 - soft[..., None] * contrast * np.float32([1.0, 0.6, -0.2])


def seen(cloth, seed):
    rng = np.random.default_rng(seed)
    return (cloth + LIGHT + rng.normal(0, NOISE, cloth.shape)).astype(np.float32)


@FEW
@given(st.sampled_from(["check", "gingham", "stripes"]), sides, turns, contrasts, seeds)
def test_what_repeats_is_the_table_and_a_card_on_it_is_not(kind, side, turn, contrast, seed):
    """Of any colours, at any turn, in light that fades."""
    of = cloth(kind, side, turn, contrast)
    tones = seen(of, seed)
    tones[HIDDEN] = 5.0
    pattern = pattern_of(tones, np.ones(HIDDEN.shape, np.bool_), REACH)
    assert pattern is not None
    known = np.isfinite(pattern[..., 0])
    assert known[~HIDDEN].mean() > 0.9  # but for corners, from which few steps lead to the table
    off, spread = off_plane(np.moveaxis(tones - pattern, 2, 0), known & ~HIDDEN, np.full(3, NOISE))
    assert (spread < 3 * NOISE).all()  # that of the cloth, and of the places a step away
    off = np.abs(off).max(axis=0)
    assert np.median(off[known & ~HIDDEN]) < 3 * NOISE
    assert np.median(off[known & HIDDEN]) > 0.3  # log tones of 5.0 on 4.5 and less


def grain(seed):
    rng = np.random.default_rng(seed)
    soft = cv2.GaussianBlur(rng.normal(0, 1, (ROWS, COLUMNS)).astype(np.float32), (0, 0), 2.0)
    return 4.0 + np.repeat(0.2 * (soft / soft.std())[..., None], 3, axis=2)


def blocks(seed):
    """Return pages and papers of any tones, side by side."""
    tones = np.random.default_rng(seed).normal(4.0, 0.3, (6, 8, 1)).astype(np.float32)
    large = cv2.resize(tones, (COLUMNS, ROWS), interpolation=cv2.INTER_NEAREST)
    return np.repeat(large[..., None], 3, axis=2)


def planks(seed):
    rng = np.random.default_rng(seed)
    ends, of = np.cumsum(rng.uniform(20, 60, 20)), rng.normal(4.0, 0.2, 21)
    return np.repeat(of[np.searchsorted(ends, X)][..., None], 3, axis=2)


def shadow(seed):
    return np.repeat(4.0 - 0.3 * (X + seed * Y / 100 < 150)[..., None], 3, axis=2)


@pytest.mark.parametrize("table", [grain, blocks, planks, shadow])
@FEW
@given(seeds)
def test_what_does_not_repeat_has_no_pattern(table, seed):
    tones = seen(table(seed), seed)
    assert pattern_of(tones, np.ones(HIDDEN.shape, np.bool_), REACH) is None


def test_a_plain_table_has_no_pattern():
    tones = seen(np.full((ROWS, COLUMNS, 3), 4.0), 3)
    assert pattern_of(tones, np.ones(HIDDEN.shape, np.bool_), REACH) is None


@pytest.mark.parametrize("shape", [(20, 50), (50, 30), (40, 40), (3, 3)])
def test_of_a_table_no_larger_than_a_card_nothing_is_known(shape):
    """No step leads to another place of it."""
    tones = seen(cloth("check", 6.0, 0.0, 1.0), 0)[: shape[0], : shape[1]]
    table = np.ones(shape, np.bool_)
    pattern = pattern_of(tones, table, 2.0 * max(shape))
    assert pattern is None
    assert pattern_of(tones, table, REACH) is None


def test_where_the_table_is_not_seen_often_enough_the_plane_stands_alone():
    """A spot apart from the rest has no place a step away; elsewhere the pattern is known."""
    tones = seen(cloth("check", 8.0, 0.0, 1.0), 0)
    table = X < 250
    table[10, 399] = True
    pattern = pattern_of(tones, table, REACH)
    assert pattern is not None
    assert not pattern[10, 399].any()
    assert pattern[100:200, 60:190].any(axis=2).all()


@pytest.mark.parametrize(("columns", "is_known"), [(180, False), (300, True)])
def test_a_pattern_that_is_known_on_less_than_half_the_table_is_none(columns, is_known):
    """Each row of tones is like itself 57 and 114 px farther on, and like no other row.

    Three of those four places are seen 57 px off both ends of 300, and hardly ever of 180.
    """
    rng = np.random.default_rng(5)
    one = cv2.GaussianBlur(rng.normal(0, 1, (ROWS, 57)).astype(np.float32), (0, 0), 2.0)
    tones = np.tile(4.0 + 0.3 * one / one.std(), (1, 6))[:, :columns, None].repeat(3, axis=2)
    pattern = pattern_of(tones, np.ones(tones.shape[:2], np.bool_), REACH)
    assert (pattern is not None) == is_known
