"""``sightline watch`` on a film and on a folder, and ``sightline calibrate``."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from calibration.camera.board import Board, find_board, write_board
from calibration.camera.profiles import list_profiles, load_profile, save_profile
from calibration.camera.solve import combine_cameras, solve_boards
from calibration.looks import build_bank
from tests.film import Film
from tests.synth import random_cards
from vision.apps.cli.calibrate import priors_for
from vision.apps.cli.main import create_app
from vision.errors import CalibrationError
from vision.games.light_speed.deck import load_deck
from vision.values.layout import Camera

NAMES = ["asteroid-1", "red-moth", "blue-ghost"]


@pytest.fixture(scope="module")
def frames() -> list:
    """Return a short round: three cards laid one by one."""
    bank = build_bank(load_deck("light-speed"))
    cards = random_cards(NAMES, np.random.default_rng(5), gap_mm=20.0)
    film = Film(cards, bank)
    shown: list = list(film.rest([], 0.5))
    for k, card in enumerate(cards):
        visit = film.visit(cards[:k], cards[: k + 1], (card.x_mm, card.y_mm), seconds=0.8)
        shown += [*visit, *film.rest(cards[: k + 1], 0.7)]
    return shown


@pytest.fixture(scope="module")
def film(frames, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("film") / "round.avi"
    height, width = frames[0][0].shape[:2]
    out = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (width, height))
    for image, _ in frames:
        out.write(image)
    out.release()
    return path


def run(*words: str):
    return CliRunner().invoke(create_app(), ["watch", *words])


def laid(lines: list[dict]) -> list[str]:
    return [line["cards"][0] for line in lines if line.get("code") == "card_laid"]


def test_a_film(film, tmp_path):
    out = tmp_path / "verdict.png"
    done = run(str(film), "--out", str(out), "--lang", "en")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert [line.split("  ")[-1].strip() for line in lines[:2]] == [
        "the camera shows 960 x 540 pixels",
        "asteroid-1 is laid",
    ]
    assert sum(" is laid" in line for line in lines) == 3
    assert any("verdict from" in line for line in lines)
    assert any(line.startswith("Speed 1") for line in lines)
    assert cv2.imread(str(out)).shape[1] == 960


def test_json_lines_and_a_recording_that_plays_again(film, tmp_path):
    folder = tmp_path / "kept"
    done = run(str(film), "--json", "--record", str(folder))
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert laid(lines) == NAMES
    assert lines[-1]["schema"] == "sightline/scan@1"
    assert {card["card"] for card in lines[-1]["cards"]} == set(NAMES)
    again = run(str(folder), "--json")
    assert again.exit_code == 0, again.output
    replayed = [json.loads(line) for line in again.stdout.splitlines()]
    assert laid(replayed) == NAMES
    assert replayed[-1]["resolution"]["scores"] == lines[-1]["resolution"]["scores"]


def test_a_folder_of_pictures(frames, tmp_path):
    for image, time_s in frames[::2]:
        cv2.imwrite(str(tmp_path / f"table-{time_s:05.1f}s.jpg"), image)
    done = run(str(tmp_path), "--json", "--rounds", "1", "--rule", "rocks=16")
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert laid(lines) == NAMES
    assert lines[-1]["table"]["rules"]["rocks"] == 16


def test_french(film):
    done = run(str(film), "--lang", "fr")
    assert "est posé" in done.stdout
    assert " is laid" not in done.stdout


def test_a_bare_table_is_no_result(frames, tmp_path):
    for k in range(8):
        cv2.imwrite(str(tmp_path / f"{k}.jpg"), frames[0][0])
    done = run(str(tmp_path))
    assert done.exit_code == 1
    assert "found no card" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["nowhere.mp4"], 1, "no such file"),
        ([], 2, "SOURCE"),
        (["0", "--size", "large"], 2, "--size"),
        (["0", "--out", "a.txt"], 2, "--out"),
        (["0", "--profile", "nobody"], 1, "no camera profile"),
        (["0", "--rule", "rocks=many"], 2, "rocks"),
    ],
)
def test_mistakes_are_told_in_a_line(words, code, told, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = run(*words)
    assert done.exit_code == code, done.output
    assert told in done.stderr


# --- calibration -----------------------------------------------------------------------------

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
    with pytest.raises(CalibrationError, match="no camera profile"):
        load_profile(tmp_path, "c")
    with pytest.raises(CalibrationError, match="called by letters"):
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
