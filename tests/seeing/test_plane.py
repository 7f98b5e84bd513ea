"""The first plane: from exact corners the exact one, from poor ones a near one, from junk none."""

from dataclasses import replace

import numpy as np
import pytest

from tests.seeing.tables import CARD_MM, rigidly_apart, table
from vision.errors import TableNotFoundError
from vision.geometry import card_corners, table_from_photo
from vision.seeing.estimation.model import Solution, camera_of, project, with_poses
from vision.seeing.estimation.plane import PlaneSettings, camera_priors, poses_on_plane, solve_plane

SIZE_WH = (1280, 960)
EXACT_MM = 1e-3  # corners to a hundredth of a pixel of rounding, focal length left to the solver
NEAR_MM = 2.0  # corners good to 1.5 px at 1.7 px/mm are 0.5 mm a card; the worst of nine, and tilt
TILT_DEG = 2.0  # of the plane, with such corners and an EXIF focal length
HELD_PX = 15.0  # of the axis: four deviations of 0.2 % of the diagonal are 13 px
UNKNOWN = camera_priors(SIZE_WH, None)


def corners_of(here: Solution) -> np.ndarray:
    """Return TL, TR, BR, BL (N, 4, 2) of the cards in the photo."""
    n = len(here.poses)
    shape = card_corners(*CARD_MM)
    return project(here, np.repeat(np.arange(n), 4), np.tile(shape, (n, 1))).reshape(n, 4, 2)


def tilt_between(a: Solution, b: Solution) -> float:
    """Return the angle between two planes' normals, degrees."""
    return float(np.degrees(np.arccos(np.clip(a.rotation[:, 2] @ b.rotation[:, 2], -1, 1))))


@pytest.mark.parametrize("tilt_deg", [0.0, 20.0, 45.0, 60.0])
@pytest.mark.parametrize("cards", [1, 2, 9])
def test_exact_corners_give_the_exact_plane(cards, tilt_deg):
    truth = table(cards, tilt_deg=tilt_deg, roll_deg=110.0)
    priors = camera_priors(SIZE_WH, 1500.0)
    plane = solve_plane(corners_of(truth), CARD_MM, priors, focal_known=True)
    assert plane.cards == tuple(range(cards))
    assert np.abs(rigidly_apart(plane.solution.poses, truth.poses)[:, :2]).max() < EXACT_MM
    assert tilt_between(plane.solution, truth) < 0.01


@pytest.mark.parametrize("focal_px", [1000.0, 1500.0, 2400.0])
def test_without_a_focal_length_one_is_found(focal_px):
    truth = table(9, tilt_deg=35.0, focal_px=focal_px)
    priors = camera_priors(SIZE_WH, None)
    plane = solve_plane(corners_of(truth), CARD_MM, priors, focal_known=False)
    assert len(plane.cards) == 9
    assert plane.solution.focal_px == pytest.approx(focal_px, rel=0.02)
    assert np.abs(rigidly_apart(plane.solution.poses, truth.poses)[:, :2]).max() < NEAR_MM


def poor_corners(truth: Solution, rng: np.random.Generator) -> np.ndarray:
    corners = corners_of(truth)
    return corners + rng.normal(0, 1.5, corners.shape)


@pytest.mark.parametrize("seed", range(4))
def test_poor_corners_give_a_near_plane(seed):
    truth = table(9, tilt_deg=30.0, seed=seed)
    corners = poor_corners(truth, np.random.default_rng(seed))
    plane = solve_plane(corners, CARD_MM, camera_priors(SIZE_WH, 1520.0), focal_known=True)
    kept = rigidly_apart(plane.solution.poses, truth.poses[list(plane.cards)])
    assert len(plane.cards) >= 7
    assert np.abs(kept[:, :2]).max() < NEAR_MM
    assert tilt_between(plane.solution, truth) < TILT_DEG


def test_upside_down_cards_do_no_harm():
    truth = table(6, tilt_deg=30.0)
    corners = corners_of(truth)
    corners[::2] = np.roll(corners[::2], 2, axis=1)
    plane = solve_plane(corners, CARD_MM, camera_priors(SIZE_WH, 1500.0), focal_known=True)
    expected = truth.poses + np.where(np.arange(6) % 2 == 0, np.pi, 0)[:, None] * [0, 0, 1]
    assert len(plane.cards) == 6
    assert np.abs(rigidly_apart(plane.solution.poses, expected)).max() < EXACT_MM


def test_other_things_are_outvoted():
    """A book, a phone and a card propped up are four-sided as well."""
    truth = table(7, tilt_deg=30.0, seed=3)
    corners = corners_of(truth)
    rng = np.random.default_rng(3)
    things = corners[:3] * [1.0, 1.0] + rng.uniform(-25, 25, (3, 4, 2))
    mixed = np.concatenate([things, corners])
    plane = solve_plane(mixed, CARD_MM, camera_priors(SIZE_WH, 1500.0), focal_known=True)
    assert plane.cards == tuple(range(3, 10))
    assert tilt_between(plane.solution, truth) < 0.01


def test_a_card_seen_almost_from_the_side_tells_no_plane():
    truth = table(1, tilt_deg=80.0)
    with pytest.raises(TableNotFoundError, match="from higher up"):
        solve_plane(corners_of(truth), CARD_MM, camera_priors(SIZE_WH, 1500.0), focal_known=True)


def test_nothing_and_no_card_tell_no_plane():
    line = np.stack([np.linspace(100, 400, 4), np.linspace(100, 400, 4)], axis=1)
    for corners in (np.zeros((0, 4, 2)), line[None]):
        with pytest.raises(TableNotFoundError, match="needed at least one whole card"):
            solve_plane(corners, CARD_MM, camera_priors(SIZE_WH, None), focal_known=False)


# --- what is believed of the camera ----------------------------------------------------------


def test_an_exif_focal_length_is_believed_more_than_none():
    known, unknown = camera_priors(SIZE_WH, 1234.0), camera_priors(SIZE_WH, None)
    assert known.focal_px == 1234.0
    assert known.log_focal_sd < unknown.log_focal_sd / 5
    assert known.centre_px == unknown.centre_px == (639.5, 479.5)  # pixel centres
    # 26 mm on film: the picture's diagonal is 43.27 mm of it
    assert unknown.focal_px == pytest.approx(26 / np.hypot(36, 24) * 1600, rel=1e-4)


def test_what_is_believed_grows_with_the_picture():
    small, large = camera_priors(SIZE_WH, None), camera_priors((2560, 1920), None)
    assert large.focal_px == pytest.approx(2 * small.focal_px)
    assert large.centre_sd_px == pytest.approx(2 * small.centre_sd_px)
    assert large.log_focal_sd == small.log_focal_sd


# --- laying cards on it ----------------------------------------------------------------------


@pytest.mark.parametrize("k1", [0.0, -0.03])
def test_cards_are_laid_where_they_lie(k1):
    truth = table(8, tilt_deg=40.0, k1=k1)
    poses, misfit_mm = poses_on_plane(truth, corners_of(truth), CARD_MM)
    assert poses[:, :2] == pytest.approx(truth.poses[:, :2], abs=1e-9)
    assert np.cos(poses[:, 2] - truth.poses[:, 2]) == pytest.approx(1, abs=1e-12)
    assert misfit_mm == pytest.approx(0, abs=1e-9)


def test_the_misfit_is_in_millimetres_on_the_table():
    """A rectangle 4 mm wider and higher has every corner 2 mm off in x and in y."""
    truth = table(4, tilt_deg=0.0)
    larger = with_poses(truth, truth.poses)
    shape = card_corners(CARD_MM[0] + 4, CARD_MM[1] + 4)
    seen = project(larger, np.repeat(np.arange(4), 4), np.tile(shape, (4, 1))).reshape(4, 4, 2)
    _, misfit_mm = poses_on_plane(truth, seen, CARD_MM)
    assert misfit_mm == pytest.approx(np.hypot(2, 2), rel=1e-3)
    assert (misfit_mm < PlaneSettings().shape_tolerance * CARD_MM[0]).all()


def test_what_lies_beyond_the_horizon_is_no_card():
    """The plane ends in the picture: a window beyond it must not cost the photo."""
    truth = table(3, tilt_deg=70.0, roll_deg=0.0)
    corners = corners_of(truth)
    a, b, c = np.cross(*camera_of(truth).photo_from_table.T[:2])
    horizon_y = -(a * 640 + c) / b
    assert corners[..., 1].max() < horizon_y  # this table's far end is at the bottom
    upright = card_corners(60, 90)
    window, astride = (upright + np.array([640, horizon_y + up]) for up in (80, 0))
    poses, misfit_mm = poses_on_plane(truth, np.stack([window, corners[1], astride]), CARD_MM)
    assert misfit_mm[[0, 2]].min() > 1000
    assert misfit_mm[1] == pytest.approx(0, abs=1e-6)
    assert np.isfinite(poses).all()


def test_no_cards_are_laid_as_none():
    poses, misfit_mm = poses_on_plane(table(1), np.zeros((0, 4, 2)), CARD_MM)
    assert poses.shape == (0, 3)
    assert misfit_mm.shape == (0,)


def test_laying_undoes_the_plane_whatever_its_frame():
    """The same corners on a plane whose frame is turned: the same cards."""
    truth = table(5, tilt_deg=25.0)
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    turned = replace(truth, rotation=truth.rotation @ quarter)
    poses, _ = poses_on_plane(turned, corners_of(truth), CARD_MM)
    back = poses[:, :2] @ quarter[:2, :2].T
    assert back == pytest.approx(truth.poses[:, :2], abs=1e-9)
    seen = table_from_photo(camera_of(turned), corners_of(truth)[0]).mean(axis=0)
    assert seen == pytest.approx(poses[0, :2], abs=1e-6)


# --- photos that were cropped ----------------------------------------------------------------


@pytest.mark.parametrize("shift_px", [(-350.0, 60.0), (300.0, 100.0), (120.0, -280.0)])
def test_of_a_cropped_photo_the_plane_is_that_of_the_whole(shift_px):
    """Nothing tells of the crop but the cards, which lean another way than the middle has it."""
    truth = table(9, tilt_deg=45.0, focal_px=1200.0)
    corners = corners_of(truth) + shift_px
    plane = solve_plane(corners, CARD_MM, camera_priors(SIZE_WH, None), focal_known=False)
    assert plane.cards == tuple(range(9))
    assert np.abs(rigidly_apart(plane.solution.poses, truth.poses)[:, :2]).max() < NEAR_MM


@pytest.mark.parametrize("seed", range(4))
def test_poor_corners_do_not_move_the_axis(seed):
    truth = table(9, tilt_deg=30.0, seed=seed)
    corners = poor_corners(truth, np.random.default_rng(seed))
    for priors, known in ((camera_priors(SIZE_WH, 1500.0), True), (UNKNOWN, False)):
        plane = solve_plane(corners, CARD_MM, priors, focal_known=known)
        assert np.abs(plane.solution.centre_px - truth.centre_px).max() < HELD_PX


def test_three_cards_are_too_few_to_move_it():
    truth = table(3, tilt_deg=45.0, focal_px=1200.0)
    corners = corners_of(truth) + np.array([-100.0, 60.0])
    plane = solve_plane(corners, CARD_MM, camera_priors(SIZE_WH, None), focal_known=False)
    assert np.abs(plane.solution.centre_px - truth.centre_px).max() < HELD_PX
