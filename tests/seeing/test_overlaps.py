"""Cards that lie on one another, against shapely."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon

from tests.strategies import LAW, poses
from vision.geometry import table_from_card
from vision.seeing.estimation.overlaps import (
    card_outlines,
    cover_shares,
    max_overlap,
    non_max_suppression,
)

CARD_MM = (63.5, 88.9)
AREA_TOL = 1e-9  # of a card: rounding
COUNT_TOL = 0.06  # 140 points: a boundary crosses two rows of 14 points, off by half each at most

POSES = st.lists(poses(120.0), max_size=6).map(lambda rows: np.array(rows, float).reshape(-1, 3))


def shared(a: np.ndarray, b: np.ndarray) -> float:
    one = Polygon(a)
    return one.intersection(Polygon(b)).area / one.area


@LAW
@given(POSES, poses(120.0))
def test_the_largest_share_is_shapelys(others, pose):
    outline = card_outlines(np.array([pose]), CARD_MM)[0]
    outlines = card_outlines(others, CARD_MM)
    expected = max((shared(outline, other) for other in outlines), default=0.0)
    assert max_overlap(outline, outlines) == pytest.approx(expected, abs=AREA_TOL)


@LAW
@given(poses(500.0), st.floats(-9, -1), st.tuples(*[st.floats(-1, 1)] * 3))
def test_what_is_the_same_but_for_rounding_is_kept_once(pose, power, off):
    """OpenCV found nothing common to some of these; a card was placed twice without a doubt."""
    again = np.array(pose) + 10.0**power * np.array(off) * [1.0, 1.0, 0.01]
    two = np.array([pose, again])
    assert non_max_suppression(two, CARD_MM, 0.5) == [0]
    first, second = card_outlines(two, CARD_MM)
    assert max_overlap(first, second[None]) == pytest.approx(1.0, abs=0.01)  # 0.1 mm, 0.001 rad


@LAW
@given(POSES, POSES)
def test_shares_by_counting_are_the_same(rows, others):
    outlines = card_outlines(others, CARD_MM)
    expected = [max_overlap(outline, outlines) for outline in card_outlines(rows, CARD_MM)]
    assert cover_shares(rows, others, CARD_MM) == pytest.approx(expected, abs=COUNT_TOL)


@LAW
@given(POSES)
def test_what_is_kept_lies_apart_and_the_rest_on_something_kept_before(rows):
    kept = rows[non_max_suppression(rows, CARD_MM, 0.5)]
    outlines, all_outlines = card_outlines(kept, CARD_MM), card_outlines(rows, CARD_MM)
    for k in range(len(kept)):
        assert max_overlap(outlines[k], outlines[:k]) < 0.5
    for pose, outline in zip(rows, all_outlines, strict=True):
        if not (kept == pose).all(axis=1).any():
            assert max_overlap(outline, outlines) >= 0.5
    assert kept[non_max_suppression(kept, CARD_MM, 0.5)].tolist() == kept.tolist()


def test_the_first_of_two_is_kept():
    pair = np.array([[0, 0, 0.0], [3, 4, 0.1], [200, 0, 0]])
    assert non_max_suppression(pair, CARD_MM, 0.5) == [0, 2]
    assert non_max_suppression(pair[[1, 0, 2]], CARD_MM, 0.5) == [0, 2]


def test_none_of_none():
    assert card_outlines(np.zeros((0, 3)), CARD_MM).shape == (0, 4, 2)
    assert non_max_suppression(np.zeros((0, 3)), CARD_MM, 0.5) == []


def test_outlines_are_the_corners_on_the_table():
    pose = (10.0, -20.0, 0.3)
    half = np.array([[-31.75, -44.45], [31.75, -44.45], [31.75, 44.45], [-31.75, 44.45]])
    assert card_outlines(np.array([pose]), CARD_MM)[0] == pytest.approx(
        table_from_card(half, *pose)
    )
