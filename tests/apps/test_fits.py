"""``sightline deck fit``: a deck told wrong is told so, learns its size, and is told right then."""

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from bench.learned import position_errors
from tests.learned import draw_deck, shoot
from tests.seeing.tables import cards_of
from vision.apps.cli.main import create_app
from vision.apps.decks import named_deck
from vision.apps.folders import deck_folder
from vision.imaging.photo import Photo, encode_image
from vision.seeing.reading import read_layout

INSIDE = (0.022, 0.018, 0.034, 0.028)  # of its pictures, left, top, right, bottom
FITTED_MM = 0.0025  # of a table's size: bloom of a tenth of a pixel, on cards of a hundred
UNFITTED = 0.01  # told 61 x 88 in place of 63 x 88 without consent: halfway between the lengths


@pytest.fixture(scope="module")
def faces():
    return draw_deck(12, first=820)


@pytest.fixture(scope="module")
def photos(faces):
    size = (1440, 1080)
    return [
        shoot(faces, sorted(faces)[k::2], k, tilt_deg=12 + 14 * k, size_wh=size) for k in range(2)
    ]


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_FOLDER", str(tmp_path / "data"))
    runner = CliRunner()
    return lambda *args: runner.invoke(create_app(), [str(arg) for arg in args])


def learned(cli, faces, tmp_path, inside, width):
    left, top, right, bottom = inside
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name, face in faces.items():
        h, w = face.shape[:2]
        part = face[round(top * h) : h - round(bottom * h), round(left * w) : w - round(right * w)]
        cv2.imwrite(str(folder / f"{name}.png"), part)
    size = ("--width-mm", str(width), "--height-mm", "88")
    assert cli("deck", "learn", "odd", "--images", folder, *size).exit_code == 0


def worst(photo: Photo, truth) -> tuple[float, list[str]]:
    """Return the worst error over the table's own size, and what is said of the deck."""
    seen = read_layout(photo, named_deck("odd").detector())
    rigid, _ = position_errors(cards_of(seen), truth)
    reach = np.ptp([(c.x_mm, c.y_mm) for c in truth], axis=0).max() / 2
    return float(rigid.max() / reach), [i.code for i in seen.doubts if i.code.startswith("deck_")]


def test_a_badly_cut_deck_is_told_and_fitted(cli, faces, photos, tmp_path):
    learned(cli, faces, tmp_path, INSIDE, 63)
    photo, truth = photos[0]
    error, said = worst(photo, truth)
    assert "deck_cut" in said
    assert error < 2 * FITTED_MM  # it is allowed for at once
    file = tmp_path / "table.jpg"
    file.write_bytes(encode_image(photo.image, ".jpg", 95))
    done = cli("deck", "fit", "odd", file)
    assert done.exit_code == 0, done.output
    assert "as the deck said; 1 photo" in done.stdout
    kept = (deck_folder() / "odd" / "deck.toml").read_bytes()
    assert cli("deck", "fit", "odd", file).exit_code == 0
    assert (deck_folder() / "odd" / "deck.toml").read_bytes() == kept  # once is enough
    error, said = worst(*photos[1])
    assert said == []
    assert error < 2 * FITTED_MM
    assert cli("deck", "fit", "odd", "--forget").exit_code == 0
    assert "deck_cut" in worst(photo, truth)[1]


def test_a_deck_of_the_wrong_size_is_told_and_learns_it(cli, faces, photos, tmp_path):
    learned(cli, faces, tmp_path, (0, 0, 0, 0), 61)
    photo, truth = photos[0]
    error, said = worst(photo, truth)
    assert "deck_size" in said
    assert UNFITTED < error < 2.5 * UNFITTED
    file = tmp_path / "table.jpg"
    file.write_bytes(encode_image(photo.image, ".jpg", 95))
    done = cli("deck", "fit", "odd", file, "--height-mm", "88")
    assert "the deck said 61 x 88" in done.stdout
    known = named_deck("odd").deck
    assert known.width_mm == pytest.approx(63.0, abs=0.3)
    error, said = worst(*photos[1])
    assert said == []
    assert error < 2 * FITTED_MM


def test_what_cannot_be_fitted_is_one_line(cli, faces, tmp_path):
    assert "learned: none yet" in cli("deck", "fit", "odd", "photo.jpg").stderr
    learned(cli, faces, tmp_path, (0, 0, 0, 0), 63)
    empty = tmp_path / "empty.png"
    cv2.imwrite(str(empty), np.full((600, 800, 3), 90, np.uint8))
    assert cli("deck", "fit", "odd", empty).exit_code == 1
    assert cli("deck", "fit", "odd", "--forget", empty).exit_code == 2
    assert cli("deck", "fit", "odd", empty, "--width-mm", "5").exit_code == 2
