"""What all cards share of the errors: growth, stretch, and growth that changes over the table."""

from dataclasses import replace

import numpy as np
import pytest

from tests.seeing.tables import table
from vision.geometry import rotation
from vision.seeing.estimation.error_budget import (
    bias_covariance,
    growth_covariance,
    stretch_covariance,
)
from vision.seeing.estimation.model import Solution
from vision.values.arrays import FloatArray

SHARE = 1e-3
ROUNDING = 1e-9  # mm², of numbers up to 1


def turned(solution: Solution, by_rad: float) -> Solution:
    poses = solution.poses.copy()
    poses[:, :2] = poses[:, :2] @ rotation(by_rad).T
    return replace(solution, poses=poses)


def moves(solution: Solution, stretch: FloatArray) -> FloatArray:
    """Return what a stretch (2, 2) of the table moves its cards by: (3N,)."""
    away = solution.poses[:, :2] - solution.poses[:, :2].mean(axis=0)
    return np.column_stack([away @ stretch.T, np.zeros(len(away))]).ravel()


def test_it_is_the_same_from_any_side() -> None:
    cards = table(7)
    turn = np.eye(3)
    turn[:2, :2] = rotation(0.7)
    all_turned = np.kron(np.eye(7), turn)
    expected = all_turned @ bias_covariance(cards, SHARE) @ all_turned.T
    found = bias_covariance(turned(cards, 0.7), SHARE)
    assert np.abs(found - expected).max() < ROUNDING


@pytest.mark.parametrize(
    "stretch",
    [[[1, 0], [0, 1]], [[1, 0], [0, -1]], [[0, 1], [1, 0]]],
    ids=["grown", "long", "askew"],
)
def test_a_table_that_is_stretched_by_the_share_lies_one_deviation_off(
    stretch: list[list[float]],
) -> None:
    cards = table(9)
    off = moves(cards, SHARE * np.array(stretch, float))
    nees = off @ np.linalg.pinv(bias_covariance(cards, SHARE), rcond=1e-9) @ off
    assert nees == pytest.approx(1, abs=1e-6)
    if stretch != [[1, 0], [0, 1]]:  # which growth alone does not allow for
        only = growth_covariance(cards.poses, SHARE) + 1e-6 * np.eye(
            27
        )  # a thousandth of a mm each
        assert off @ np.linalg.solve(only, off) > 100


def test_no_card_and_one_card_share_nothing() -> None:
    assert bias_covariance(replace(table(1), poses=np.zeros((0, 3))), SHARE).shape == (0, 0)
    assert not bias_covariance(table(1), SHARE).any()


def lying(solution: Solution, ways_rad: FloatArray) -> FloatArray:
    """Return the poses of a table whose cards are turned so."""
    poses = solution.poses.copy()
    poses[:, 2] = ways_rad
    return poses


@pytest.mark.parametrize("way", [0.0, 0.7, 2.0])
def test_cards_that_all_lie_one_way_leave_a_stretch_along_them_open(way: float) -> None:
    """Half of it is theirs along, half across: the table keeps its area."""
    cards, aspect = table(6), 0.02
    turn = rotation(way)
    off = moves(cards, turn @ np.diag([aspect / 2, -aspect / 2]) @ turn.T)
    upside_down = np.array([way, way + np.pi] * 3)
    found = stretch_covariance(lying(cards, upside_down), aspect)
    assert np.abs(found - np.outer(off, off)).max() < ROUNDING


def test_cards_that_lie_both_ways_leave_no_stretch_open() -> None:
    crossed = lying(table(6), np.array([0.3, 0.3 + np.pi / 2] * 3))
    assert np.abs(stretch_covariance(crossed, 0.02)).max() < ROUNDING
    assert stretch_covariance(np.zeros((0, 3)), 0.02).shape == (0, 0)
