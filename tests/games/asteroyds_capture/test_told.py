"""Drawn photos of a table that is not whole, through the command line: one helpful line each."""

import json
import math
import re
from pathlib import Path

import cv2
import pytest

from tests.games.asteroyds_capture.drawn import (
    Sheet,
    board_pieces,
    cell_mm,
    dice,
    photo_scene,
    sheet_pieces,
    stacked,
)
from tests.synth_pieces import Scene, photograph
from tests.typed import command
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.layouts import lay_out
from vision.games.asteroyds_capture.pieces import kind_of

TURNED = {"white-turret-1": 2}  #: by so many sixths
GONE = "red-turret-1"
SCAN = ("scan", "--game", "asteroyds-capture")


def board_photo():
    """Draw a layout without a turret, another one turned, a ship between two cells, one die."""
    cells = board_of(5)
    (x0, y0), (x1, y1) = cells.centre_mm("f6"), cells.centre_mm("f7")
    laid = []
    for name, piece in lay_out("1v1", 5).items():
        at = ((x0 + x1) / 2, (y0 + y1) / 2) if name == "red-1" else piece.cell
        shown = "pod" if kind_of(name) == "pod" else name
        if name != GONE:
            laid.append((shown, at, (piece.way + TURNED.get(name, 0)) * math.pi / 3))
    laid.sort(key=lambda one: {"asteroyd": 1, "ship": 2}.get(kind_of(one[0]), 0))  # over tiles
    pieces = [*board_pieces(), *stacked(laid), *dice({"red": 5})]
    return photo_scene(pieces, distance_mm=720.0, tilt_deg=20.0)


def sheets_photo():
    """Draw a sheet with a counter on the line of two rows."""
    x, y = cell_mm(2, 3)
    one = Sheet("red-1", (0, 0, 0.1), ((1, 1),), more=((x, y + 6.0),))
    return Scene(tuple(sheet_pieces(one)), distance_mm=300.0, focal=0.75)


def saved(folder, name, scene):
    path = folder / name
    cv2.imwrite(str(path), photograph(scene)[0])
    return str(path)


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("told")
    return saved(folder, "board.png", board_photo()), saved(folder, "sheet.png", sheets_photo())


def test_each_thing_that_is_not_as_it_should_be_has_its_line(photos, capsys):
    path = Path(photos[0]).with_name("scan.json")
    code, printed = command(capsys, *SCAN, *photos, "--json", path)
    assert code == 0
    told = {(i["code"], *i["cards"]) for i in json.loads(path.read_text())["issues"]}
    assert told >= {
        ("tile_missing", GONE),
        ("tile_turned", *TURNED),
        ("cell_doubtful", "red-1"),
        ("program_doubtful", "red-1"),
        ("die_missing", "white-turret-1"),
    }
    said = " ".join(printed.out.split())
    for line in (
        "red turret 1 is missing: in this layout it lies on h2",
        "white turret 1 looks to 300°; in this layout to 180°",
        "the sheet of red 1 is uncertain, column 2: right",
        "the white die is missing; what it controls neither fires nor moves: enter it, for "
        "example --dice",
    ):
        assert line in said
    cell = r"the cell of red 1 is uncertain: (f6 \(\d+%\) or f7|f7 \(\d+%\) or f6)"
    assert re.search(cell, said)  # it lies half-way: either is as likely


def test_a_sheet_without_the_board_says_what_is_needed(photos, capsys):
    code, printed = command(capsys, *SCAN, photos[1])
    assert code != 0
    assert "needed one photo of the whole board" in " ".join(printed.err.split())
