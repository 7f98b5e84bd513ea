"""A camera solved from its board, or from photos of cards; ``sightline calibrate``."""

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.camera.board import Board, find_board, write_board
from calibration.camera.profiles import list_profiles, load_profile, save_profile
from calibration.camera.solve import combine_cameras, solve_boards
from vision.apps.cli.calibrate import priors_for
from vision.apps.cli.main import create_app
from vision.errors import CalibrationError
from vision.values.layout import Camera

CAMERA = np.array([[900.0, 0, 484.0], [0, 900.0, 262.0], [0, 0, 1]])
LENS = np.array([-0.06, 0.02, 0, 0, 0])


def board_views(count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Draw the board from several sides, lens and all."""
    board = Board()
    size = (board.columns * board.square_mm, board.rows * board.square_mm)
    scale = 6
    flat = cv2.aruco.CharucoBoard(
        (board.columns, board.rows),
        board.square_mm,
        board.marker_mm,
        cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100),
    ).generateImage((int(size[0] * scale), int(size[1] * scale)), marginSize=0)
    px = np.stack(np.meshgrid(np.arange(960.0), np.arange(540.0)), axis=-1).reshape(-1, 1, 2)
    rays = cv2.undistortPoints(px, CAMERA, LENS).reshape(-1, 2)
    for k in range(count):
        angle = 2 * np.pi * k / count
        tilt = np.radians(28 * np.array([np.cos(angle), np.sin(angle), 0.3]))
        turn = cv2.Rodrigues(tilt)[0]
        middle = turn @ np.array([size[0] / 2, size[1] / 2, 0])
        t = np.array([rng.uniform(-40, 40), rng.uniform(-20, 20), rng.uniform(420, 520)]) - middle
        board_from_ray = np.linalg.inv(np.column_stack([turn[:, :2], t]))
        at = np.column_stack([rays, np.ones(len(rays))]) @ board_from_ray.T
        places = (at[:, :2] / at[:, 2:] * scale - 0.5).astype(np.float32).reshape(540, 960, 2)
        drawn = cv2.remap(flat, places[..., 0], places[..., 1], cv2.INTER_AREA, borderValue=160)
        yield cv2.GaussianBlur(drawn, (0, 0), 0.7)


def test_a_camera_is_solved_from_its_board(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for k, view in enumerate(board_views(7, np.random.default_rng(2))):
        cv2.imwrite(str(tmp_path / f"view{k}.png"), view)
    done = CliRunner().invoke(create_app(), ["calibrate", "camera", "shelf", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "error 0." in done.stdout
    profile = load_profile(tmp_path / "data" / "sightline" / "cameras", "shelf")
    assert profile.made_from == "board"
    assert profile.focal_px == pytest.approx(900, rel=0.01)
    assert profile.centre_px == pytest.approx((484, 262), abs=6)
    assert profile.k1 == pytest.approx(-0.06, abs=0.02)
    priors = priors_for(profile, (1920, 1080))
    assert priors is not None
    assert priors.focal_px == pytest.approx(2 * profile.focal_px)
    assert priors_for(profile, (640, 480)) is None


def test_too_few_views_are_no_profile(tmp_path):
    view = next(board_views(1, np.random.default_rng(1)))
    found = find_board(view)
    assert found is not None
    with pytest.raises(CalibrationError, match="needed 3 or more"):
        solve_boards("x", [found] * 2, (960, 540))
    assert find_board(np.full((540, 960), 128, np.uint8)) is None


def test_cameras_of_card_photos_are_put_together(tmp_path):
    def camera(focal: float) -> Camera:
        return Camera(np.diag([focal, focal, 1.0]), np.array([-0.01, 0.0]), np.eye(3))

    profile = combine_cameras("c", [camera(f) for f in (990, 1000, 1010)], [0.1] * 3, (960, 540))
    assert profile.focal_px == 1000
    assert 4 < profile.focal_sd_px < 20
    with pytest.raises(CalibrationError, match="disagree"):
        combine_cameras("c", [camera(f) for f in (500, 1000, 2000)], [0.1] * 3, (960, 540))
    with pytest.raises(CalibrationError, match="needed 3"):
        combine_cameras("c", [camera(1000)], [0.1], (960, 540))
    save_profile(tmp_path, profile)
    assert load_profile(tmp_path, "c") == profile
    assert list_profiles(tmp_path) == ["c"]
    (tmp_path / "c.json").write_text("{}")
    with pytest.raises(CalibrationError, match="not a camera profile"):
        load_profile(tmp_path, "c")
    with pytest.raises(CalibrationError, match="name has letters"):
        save_profile(tmp_path, replace(profile, name="../c"))


def test_the_board_is_printed(tmp_path):
    path = tmp_path / "board.pdf"
    done = CliRunner().invoke(
        create_app(), ["calibrate", "board", "--out", str(path), "--paper", "letter"]
    )
    assert done.exit_code == 0, done.output
    assert path.read_bytes().startswith(b"%PDF")
    write_board(tmp_path / "again.pdf", "letter")
    assert (tmp_path / "again.pdf").read_bytes() == path.read_bytes()
    refused = CliRunner().invoke(create_app(), ["calibrate", "board", "--out", "board.png"])
    assert refused.exit_code == 2
