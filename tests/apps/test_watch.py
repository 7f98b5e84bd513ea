"""``sightline watch`` on a film and on a folder."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.film import Film
from tests.light_speed import drawn_bank
from tests.synth import random_cards
from vision.apps.cli.main import create_app

NAMES = ["asteroid-1", "red-moth", "blue-ghost"]


@pytest.fixture(scope="module")
def frames() -> list:
    """Return a short round: three cards laid one by one."""
    cards = random_cards(NAMES, np.random.default_rng(5), gap_mm=20.0)
    film = Film(cards, drawn_bank())
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
        "the camera sends 960 x 540 pixels",
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
