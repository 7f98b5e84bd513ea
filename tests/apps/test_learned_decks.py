"""The command line with learned decks: learn, list, show, scan, and what it says when it cannot."""

import json

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.apps.web_help import apart
from tests.drawn_faces import draw_face
from tests.learned import draw_deck, shoot
from vision.apps.cli.main import create_app
from vision.apps.folders import deck_folder
from vision.files.schemas import ScanModel
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.schemas import DeckModel
from vision.imaging.photo import encode_image
from vision.values.layout import PlacedCard

COUNT = 8
SIZE = ("--width-mm", "63", "--height-mm", "88")


@pytest.fixture
def cli(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGHTLINE_FOLDER", str(tmp_path / "data"))
    runner = CliRunner()
    return lambda *args: runner.invoke(create_app(), [str(arg) for arg in args])


@pytest.fixture(scope="module")
def faces():
    return draw_deck(COUNT)


@pytest.fixture
def images(faces, tmp_path):
    folder = tmp_path / "my pictures"
    folder.mkdir()
    for name, face in faces.items():
        cv2.imwrite(str(folder / f"{name}.png"), cv2.resize(face, (252, 352)))
    return folder


@pytest.fixture(scope="module")
def photo(faces, tmp_path_factory):
    picture, _ = shoot(faces, sorted(faces)[:5], 1, tilt_deg=15, size_wh=(1280, 960))
    path = tmp_path_factory.mktemp("photo") / "table.jpg"
    path.write_bytes(encode_image(picture.image, ".jpg"))
    return path


def test_learn_list_show_scan(cli, images, photo, tmp_path):
    (images / "notes.txt").write_text("hello")
    done = cli("deck", "learn", "zoo", "--images", images, *SIZE)
    assert done.exit_code == 0, done.output
    assert "8 cards learned from pictures, 63 x 88 mm, any number of each, no lasers" in done.stdout
    assert "notes.txt" in done.stdout
    assert "zoo  8 cards learned" in cli("deck", "list").stdout
    assert "light-speed  10 ships" in cli("deck", "list").stdout
    assert "pic-003" in cli("deck", "show", "zoo").stdout
    shown = json.loads(cli("deck", "show", "zoo", "--json").stdout)
    DeckModel.model_validate(shown)
    assert shown["ships"] == []
    assert shown["cards"] == [f"pic-{k:03d}" for k in range(COUNT)]

    out, data = tmp_path / "out.png", tmp_path / "scan.json"
    done = cli("scan", photo, "--deck", "zoo", "--out", out, "--json", data, "--lang", "en")
    assert done.exit_code == 0, done.output
    assert "5 cards of zoo; it has no lasers, so there is nothing to resolve" in done.stdout
    assert cv2.imread(str(out)).shape == (960, 1280, 3)
    scan = json.loads(data.read_text())
    ScanModel.model_validate(scan)
    assert [card["card"] for card in scan["cards"]] == [f"pic-{k:03d}" for k in range(5)]
    assert scan["resolution"] is None
    assert (scan["table"]["game"], scan["table"]["deck"]) == ("none", "zoo")

    by_path = cli("scan", photo, "--deck", deck_folder() / "zoo", "--json", "-")
    assert by_path.exit_code == 0, by_path.output
    assert json.loads(by_path.stdout)["cards"] == scan["cards"]

    table = tmp_path / "table.json"
    table.write_text(json.dumps(scan["table"]))
    refused = cli("resolve", table)
    assert refused.exit_code == 1
    assert "'zoo' has no lasers" in refused.stderr


def test_in_french(cli, images, photo):
    assert cli("deck", "learn", "zoo", "--images", images, *SIZE).exit_code == 0
    done = cli("scan", photo, "--deck", "zoo", "--lang", "fr")
    assert "ce jeu n'a pas de lasers" in done.stdout


@pytest.mark.parametrize("wish", [("--what-if",), ("--without", "pic-000"), ("--closeups", "c")])
def test_shots_cannot_be_asked_about_without_lasers(cli, images, photo, wish):
    assert cli("deck", "learn", "zoo", "--images", images, *SIZE).exit_code == 0
    done = cli("scan", photo, "--deck", "zoo", *wish)
    assert done.exit_code == 2
    assert "no lasers" in done.stderr


def test_a_deck_with_lasers_is_resolved(cli, tmp_path):
    """Pictures of another printing, with the numbers of the program's own deck."""
    from importlib import resources

    lasers = tmp_path / "numbers.toml"
    known = resources.files("vision.games.light_speed") / "editions" / "light-speed.toml"
    lasers.write_bytes(known.read_bytes())
    deck = load_deck("light-speed")
    ids = ["red-moth", "blue-ghost", "asteroid-1", "red-viper", "blue-viper"]
    size = (deck.width_mm, deck.height_mm)
    drawn = {name: draw_face(40 + k, size, px_per_mm=6) for k, name in enumerate(ids)}
    folder = tmp_path / "images"
    folder.mkdir()
    for name, face in drawn.items():
        cv2.imwrite(str(folder / f"{name}.png"), face)
    sides = ("--width-mm", size[0], "--height-mm", size[1])
    done = cli("deck", "learn", "second-printing", "--images", folder, *sides, "--lasers", lasers)
    assert done.exit_code == 0, done.output
    assert "without a picture" in done.stdout
    from calibration.learned.learn import DeckSize

    picture, _ = shoot(drawn, ids, 2, size=DeckSize(*size), size_wh=(1280, 960))
    path = tmp_path / "round.png"
    path.write_bytes(encode_image(picture.image, ".png"))
    done = cli("scan", path, "--deck", "second-printing", "--json", "-")
    assert done.exit_code == 0, done.output
    scan = json.loads(done.stdout)
    assert sorted(scan["resolution"]["scores"]) == ["blue", "red"]
    table = tmp_path / "table.json"
    table.write_text(json.dumps(scan["table"]))
    assert cli("resolve", table).exit_code == 0


def test_what_cannot_be_learned_is_one_line(cli, images):
    assert cli("deck", "learn", "zoo", "--images", images, *SIZE).exit_code == 0
    again = cli("deck", "learn", "zoo", "--images", images, *SIZE)
    assert again.exit_code == 1
    assert "--replace" in again.stderr
    assert again.stderr.count("\n") == 1
    assert cli("deck", "learn", "zoo", "--images", images, *SIZE, "--replace").exit_code == 0
    assert cli("deck", "learn", "zoo", "--images", images).exit_code == 2


def test_the_size_of_pictures_is_told_in_one_or_in_two(cli, images):
    assert cli("deck", "learn", "two", "--images", images, *SIZE).exit_code == 0
    assert cli("deck", "learn", "one", "--images", images, "--size", "63x88").exit_code == 0
    one, two = ((deck_folder() / name / "deck.toml").read_text() for name in ("one", "two"))
    assert one == two.replace('name = "two"', 'name = "one"')
    wrong = cli("deck", "learn", "odd", "--images", images, "--size", "63")
    assert wrong.exit_code == 2
    assert "63.5x88.9" in wrong.stderr


def test_an_unknown_deck_names_the_known_ones(cli, images, photo):
    assert cli("deck", "learn", "zoo", "--images", images, *SIZE).exit_code == 0
    done = cli("scan", photo, "--deck", "zo")
    assert done.exit_code == 1
    assert "light-speed, zoo" in done.stderr


def test_a_damaged_deck_does_not_hide_the_others(cli, images):
    assert cli("deck", "learn", "zoo", "--images", images, *SIZE).exit_code == 0
    (deck_folder() / "zoo" / "faces.npy").unlink()
    done = cli("deck", "list")
    assert done.exit_code == 0
    assert "learn the deck again" in done.stdout
    assert "light-speed" in done.stdout


def test_decks_are_kept_given_away_and_used_from_a_file(cli, images, photo, tmp_path, monkeypatch):
    assert cli("deck", "learn", "zoo", "--images", images, *SIZE).exit_code == 0
    file = tmp_path / "zoo.sightline-deck"
    assert cli("deck", "export", "zoo", "--out", file).exit_code == 0
    assert cli("deck", "rename", "zoo", "park").exit_code == 0
    assert cli("deck", "copy", "park", "ark").exit_code == 0
    assert cli("deck", "preview", "ark", "--out", tmp_path / "ark.png").exit_code == 0
    assert cv2.imread(str(tmp_path / "ark.png")) is not None
    assert cli("deck", "delete", "park").exit_code == 0
    assert "park" not in cli("deck", "list").stdout
    assert cli("deck", "restore", "park").exit_code == 0
    assert "park  8 cards" in cli("deck", "list").stdout
    refused = cli("deck", "delete", "light-speed")
    assert (refused.exit_code, "learned: ark, park" in refused.output) == (1, True)

    monkeypatch.setenv("SIGHTLINE_FOLDER", str(tmp_path / "elsewhere"))
    done = cli("scan", photo, "--deck", file, "--json", "-")
    assert done.exit_code == 0, done.output
    assert [c["card"] for c in json.loads(done.stdout)["cards"]] == [f"pic-00{k}" for k in range(5)]
    assert "zoo  8 cards learned" not in cli("deck", "list").stdout
    done = apart(
        lambda: cli("batch", photo, "--deck", file, "--out", tmp_path / "out", "--jobs", "1")
    )
    assert done.exit_code == 0, done.output
    assert cli("deck", "import", file, "--name", "zoo").exit_code == 0
    assert "zoo  8 cards learned" in cli("deck", "list").stdout
    file.write_bytes(file.read_bytes()[:-9])
    broken = cli("scan", photo, "--deck", file)
    assert (broken.exit_code, "this deck file cannot be imported" in broken.output) == (1, True)


def test_a_card_too_many_in_photos_is_told_with_what_to_type(cli, faces, tmp_path):
    names = sorted(faces)[:4]
    cards = tuple(
        PlacedCard(name, k % 2 * 80.0, k // 2 * 105.0, np.radians(2.0))
        for k, name in enumerate(names)
    )
    photo, _ = shoot(faces, names, 0, cards=cards, size_wh=(1000, 1200), tilt_deg=10)
    path, told = tmp_path / "laid.jpg", tmp_path / "names.txt"
    path.write_bytes(encode_image(photo.image, ".jpg", 95))
    told.write_text("fool\nmage\nstar\n")
    order = ("--photos", path, "--size", "63x88", "--names", told)
    done = cli("deck", "learn", "mine", *order)
    assert done.exit_code == 0, done.output
    *_, slipped, last = done.stdout.splitlines()
    assert slipped.endswith(f"sightline deck draft mine --drop N --names {told} --finish")
    command = last.partition("sightline ")[2].split()
    assert command == ["deck", "draft", "mine", "--drop", "4", "--finish"]
    assert "3 cards learned" in cli(*command).stdout
