"""Geometry: inverses undo, turns are clockwise as seen from above, quarter turns are exact."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.strategies import angles_rad, poses
from vision.errors import DegenerateGeometryError
from vision.geometry import (
    card_corners,
    card_from_table,
    distort,
    heading_vector,
    map_points,
    meet,
    photo_from_table,
    polygon_area,
    rotation,
    table_from_card,
    table_from_photo,
    undistort,
    wrap_angle,
)
from vision.values.layout import Camera

EXACT_MM = 1e-9  # rounding at table size
PIXEL_TOL = 1e-6  # pure geometry, px
POINTS = st.lists(
    st.tuples(st.floats(-500, 500), st.floats(-500, 500)), min_size=0, max_size=6
).map(lambda points: np.array(points, float).reshape(-1, 2))


@given(st.floats(-1e4, 1e4))
def test_wrap_angle_keeps_the_direction_and_the_range(theta):
    wrapped = wrap_angle(theta)
    assert -math.pi < wrapped <= math.pi
    assert math.cos(wrapped - theta) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("turns", [-3, -1, 1, 3])
def test_half_turns_wrap_to_plus_pi(turns):
    assert wrap_angle(turns * math.pi) == math.pi


@given(angles_rad(), angles_rad())
def test_rotations_add_and_keep_lengths(a, b):
    assert rotation(a) @ rotation(b) == pytest.approx(rotation(a + b), abs=1e-12)
    assert rotation(a) @ rotation(a).T == pytest.approx(np.eye(2), abs=1e-15)


def test_quarter_turns_are_exact_and_clockwise_as_seen():
    assert rotation(math.pi / 2).tolist() == [[0.0, -1.0], [1.0, 0.0]]
    headings = [heading_vector(math.radians(d)).tolist() for d in (0, 90, 180, -90)]
    assert headings == [[0, -1], [1, 0], [0, 1], [-1, 0]]  # up, right, down, left on y down


def test_card_corners_run_clockwise_from_the_top_left():
    corners = card_corners(60, 90)
    assert corners.tolist() == [[-30, -45], [30, -45], [30, 45], [-30, 45]]
    assert polygon_area(corners) == 60 * 90
    assert polygon_area(corners[::-1]) == -60 * 90


def test_a_card_at_theta_zero_has_its_top_toward_minus_y():
    top = np.array([[0.0, -44.45]])
    assert table_from_card(top, 10, 20, 0.0).tolist() == [[10, 20 - 44.45]]
    assert table_from_card(top, 10, 20, math.pi / 2).tolist() == [[10 + 44.45, 20]]


@given(poses(), POINTS)
def test_card_and_table_undo_each_other(pose, points):
    there = table_from_card(points, *pose)
    assert there.shape == points.shape
    assert card_from_table(there, *pose) == pytest.approx(points, abs=EXACT_MM)


HOMOGRAPHIES = st.lists(st.floats(-1, 1), min_size=8, max_size=8).map(
    lambda h: np.array(
        [[2 + h[0], h[1], 100 * h[2]], [h[3], 2 + h[4], 100 * h[5]], [h[6] / 3e3, h[7] / 3e3, 1]]
    )
)


@given(HOMOGRAPHIES, POINTS)
def test_a_homography_and_its_inverse_undo_each_other(dst_from_src, points):
    assume(np.linalg.det(dst_from_src) > 0.1)
    there = map_points(dst_from_src, points)
    back = map_points(np.linalg.inv(dst_from_src), there)
    assert back == pytest.approx(points, abs=1e-6)
    assert map_points(-3 * dst_from_src, points) == pytest.approx(there, abs=1e-9)


def test_a_point_on_the_horizon_is_refused():
    h = np.array([[1, 0, 0], [0, 1, 0], [0.01, 0, 1]])
    with pytest.raises(DegenerateGeometryError, match="horizon"):
        map_points(h, np.array([[-100.0, 5.0]]))


def camera(k1: float, k2: float = 0.0) -> Camera:
    matrix = np.array([[3000.0, 0, 2000], [0, 3000, 1500], [0, 0, 1]])
    plane_at_600_mm = np.array([[0.99, 0.02, -10], [-0.02, 0.8, 5], [0.05, 0.3, 600]])
    return Camera(matrix, np.array([k1, k2]), matrix @ plane_at_600_mm)


@given(st.floats(-0.15, 0.15), st.floats(-0.02, 0.02), POINTS)
def test_the_lens_and_its_inverse_undo_each_other(k1, k2, points):
    seen = camera(k1, k2)
    pixels = points * 4 + 2000
    assert undistort(seen, distort(seen, pixels)) == pytest.approx(pixels, abs=PIXEL_TOL)


def test_the_middle_of_the_lens_stays():
    assert distort(camera(0.1), np.array([[2000.0, 1500.0]])).tolist() == [[2000, 1500]]
    assert undistort(camera(0.1), np.array([[2000.0, 1500.0]])).tolist() == [[2000, 1500]]


def test_a_barrel_pulls_corners_in():
    corner = np.array([[4000.0, 3000.0]])
    assert (distort(camera(-0.1), corner) < corner).all()


def test_a_lens_that_folds_over_is_refused():
    with pytest.raises(DegenerateGeometryError, match="folds"):
        undistort(camera(-0.4), np.array([[9000.0, 9000.0]]))


@given(POINTS)
def test_photo_and_table_undo_each_other(points):
    seen = camera(0.02)
    points = points * 0.5
    there = photo_from_table(seen, points)
    assert table_from_photo(seen, there) == pytest.approx(points, abs=PIXEL_TOL)


@given(angles_rad(), angles_rad(), st.tuples(*[st.floats(-500, 500)] * 4))
def test_lines_meet_on_both(one, other, xyuv):
    assume(abs(math.sin(one - other)) > 0.01)
    a, b = np.array(xyuv).reshape(2, 2)
    along, across = heading_vector(one), heading_vector(other)
    point, sine = meet(a, along, b, across)
    assert sine == pytest.approx(math.sin(other - one), abs=1e-12)
    for start, way in ((a, along), (b, across)):
        away = point - start
        assert away[0] * way[1] - away[1] * way[0] == pytest.approx(0, abs=1e-6)


def test_parallel_lines_meet_far_away():
    right, up = np.array([1.0, 0.0]), np.array([0.0, 5.0])
    point, sine = meet(np.zeros(2), right, up, right)
    assert sine == 0
    assert np.abs(point).max() > 1e6
