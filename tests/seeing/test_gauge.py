"""The table frame: where the contract wants it, whatever frame the adjustment used."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.seeing.tables import CARD_MM, rigidly_apart, table
from tests.strategies import LAW, angles_rad
from vision.geometry import card_corners, photo_from_table, rotation, table_from_card
from vision.seeing.estimation.gauge import remove_gauge
from vision.seeing.estimation.model import Solution, camera_of, project

EXACT = 1e-9  # mm, rad, px: pure geometry at the size of a table

TABLES = st.builds(
    table,
    st.integers(1, 7),
    tilt_deg=st.floats(0, 60),
    roll_deg=st.floats(-180, 180),
    seed=st.integers(0, 50),
    k1=st.floats(-0.05, 0.05),
)


def some_covariance(n: int, seed: int = 0) -> np.ndarray:
    root = np.random.default_rng(seed).standard_normal((3 * n, 3 * n)) * 0.1
    return root @ root.T


def in_another_frame(here: Solution, turn: float, dx: float, dy: float) -> Solution:
    """Return the same table and camera with the table frame moved rigidly."""
    new_from_old = rotation(turn)
    poses = np.column_stack(
        [here.poses[:, :2] @ new_from_old.T + [dx, dy], here.poses[:, 2] + turn]
    )
    spin = np.eye(3)
    spin[:2, :2] = new_from_old.T
    turned = here.rotation @ spin
    away = here.translation_mm - turned @ [dx, dy, 0.0]
    return replace(here, poses=poses, rotation=turned, translation_mm=away)


@LAW
@given(TABLES)
def test_the_origin_is_the_mean_of_the_centres(here):
    laid = remove_gauge(here, some_covariance(len(here.poses)))
    assert laid.poses[:, :2].mean(axis=0) == pytest.approx(np.zeros(2), abs=EXACT)
    assert (laid.poses[:, 2] > -np.pi).all()
    assert (laid.poses[:, 2] <= np.pi).all()


@LAW
@given(TABLES)
def test_the_axes_are_closest_to_the_photos_right_and_down(here):
    """At the origin the photo shows the table frame stretched, not turned."""
    laid = remove_gauge(here, some_covariance(len(here.poses)))
    straight = replace(laid.camera, distortion=np.zeros(2))
    h = 1e-3
    x, y = np.array([[h, 0], [-h, 0]]), np.array([[0, h], [0, -h]])
    columns = [np.subtract(*photo_from_table(straight, pair)) / (2 * h) for pair in (x, y)]
    jacobian = np.stack(columns, axis=1)
    assert jacobian[0, 1] == pytest.approx(jacobian[1, 0], abs=1e-5 * np.abs(jacobian).max())
    assert np.linalg.eigvalsh((jacobian + jacobian.T) / 2).min() > 0


@LAW
@given(TABLES)
def test_cards_keep_their_places_in_the_photo_and_to_one_another(here):
    laid = remove_gauge(here, some_covariance(len(here.poses)))
    corners = card_corners(*CARD_MM)
    for k, pose in enumerate(laid.poses):
        seen = photo_from_table(laid.camera, table_from_card(corners, *pose))
        assert seen == pytest.approx(project(here, np.full(4, k), corners), abs=1e-6)
    assert rigidly_apart(laid.poses, here.poses) == pytest.approx(0, abs=EXACT)


@LAW
@given(TABLES, angles_rad(), st.floats(-300, 300), st.floats(-300, 300))
def test_the_frame_of_the_adjustment_does_not_matter(here, turn, dx, dy):
    other = in_another_frame(here, turn, dx, dy)
    expected = camera_of(here).photo_from_table @ [0.0, 0.0, 1.0]
    moved_origin = camera_of(other).photo_from_table @ [dx, dy, 1.0]
    assert moved_origin[:2] / moved_origin[2] == pytest.approx(expected[:2], abs=1e-6)

    n = len(here.poses)
    covariance = some_covariance(n)
    block = np.eye(3)
    block[:2, :2] = rotation(turn)
    spin = np.kron(np.eye(n), block)
    one = remove_gauge(here, covariance)
    two = remove_gauge(other, spin @ covariance @ spin.T)
    assert two.poses[:, :2] == pytest.approx(one.poses[:, :2], abs=1e-7)
    assert np.cos(two.poses[:, 2] - one.poses[:, 2]) == pytest.approx(1, abs=EXACT)
    assert two.covariance == pytest.approx(one.covariance, abs=1e-7)


def motions(poses: np.ndarray) -> np.ndarray:
    """Return how poses (N, 3) move with a shift in x, in y, and a turn about the origin."""
    n = len(poses)
    total = np.zeros((n, 3, 3))
    total[:, 0, 0] = total[:, 1, 1] = total[:, 2, 2] = 1
    total[:, 0, 2], total[:, 1, 2] = -poses[:, 1], poses[:, 0]
    return total.reshape(3 * n, 3)


@LAW
@given(TABLES, st.integers(0, 9))
def test_not_knowing_where_the_whole_table_lies_does_not_count(here, seed):
    """Any error of the table as a whole, added to the covariance, changes nothing."""
    n = len(here.poses)
    covariance = some_covariance(n, seed)
    common = motions(here.poses)
    root = np.random.default_rng(seed).standard_normal((3, 3)) * [5, 5, 0.1]
    more = covariance + common @ root @ root.T @ common.T
    one, two = remove_gauge(here, covariance), remove_gauge(here, more)
    assert two.covariance == pytest.approx(one.covariance, abs=1e-6)


@LAW
@given(TABLES)
def test_the_covariance_is_of_errors_after_the_best_alignment(here):
    n = len(here.poses)
    laid = remove_gauge(here, some_covariance(n))
    assert laid.covariance == pytest.approx(laid.covariance.T, abs=0)
    assert np.linalg.eigvalsh(laid.covariance).min() > -1e-9
    if n == 1:
        assert laid.covariance == pytest.approx(0, abs=1e-9)  # a lone card is the frame itself
        return
    # aligned centres have neither a common shift nor a common turn about their mean
    weighted = motions(laid.poses) * np.tile([1.0, 1.0, 0.0], n)[:, None]
    assert weighted.T @ laid.covariance == pytest.approx(0, abs=1e-7)


def test_the_covariance_is_that_of_drawn_errors():
    """Monte Carlo against the projection: poses with errors, aligned, spread as it says."""
    here = table(5)
    covariance = some_covariance(5) * 1e-4
    draws = np.random.default_rng(0).multivariate_normal(here.poses.ravel(), covariance, 4000)
    laid = remove_gauge(here, covariance)
    left = np.array([rigidly_apart(poses.reshape(5, 3), laid.poses) for poses in draws])
    spread = left.reshape(4000, 15)
    scale = np.sqrt(np.outer(np.diag(laid.covariance), np.diag(laid.covariance)))
    assert spread.T @ spread / 4000 / scale == pytest.approx(laid.covariance / scale, abs=0.08)
