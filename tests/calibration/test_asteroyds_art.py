"""What is printed for Asteroyds: each part of the board its own, each face told in grey alone."""

import math
from itertools import combinations

import cv2
import numpy as np
import pytest

from calibration.asteroyds_capture.art import art_of, draw, shapes
from calibration.printing import Art, print_pieces, write_pictures
from vision.games.asteroyds_capture.board import ACROSS_MM, board_of
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.games.asteroyds_capture.pieces import BOARD_MM, PIECES, SHIP_MM, TILE_MM
from vision.games.asteroyds_capture.sheets import CELL_MM, FIRST_MM
from vision.games.asteroyds_capture.values import TEAMS
from vision.values.pieces import PieceSet

SCALE = 2.0  # px/mm: a whole board in a web camera
FACE_SCALE = 3.0
WINDOW_MM = (3 * ACROSS_MM * math.sqrt(3) / 2, 3 * ACROSS_MM)  # three files, three cells of each
MOST_BOARD = 0.3  # of windows; measured 0.22
MOST_SHIPS = 0.6  # of faces at any turn; measured 0.46
MOST_TILES = 0.9  # of tiles that mean something else; measured 0.83
MOST_TURNED = 0.6  # of a face that looks somewhere with itself turned; measured 0.50
MOST_HEADS = 0.75  # of sheets: all share the slot and the names' place; measured 0.68
DIFFERS = 40  # grey levels that a worn counter's cell still shows


def grey(piece, scale=FACE_SCALE):
    drawn = cv2.cvtColor(draw(piece, scale), cv2.COLOR_BGR2GRAY)
    return cv2.GaussianBlur(drawn, (0, 0), 0.7).astype(np.float32)


def units(rows):
    rows = np.asarray(rows, np.float32).reshape(len(rows), -1)
    rows = rows - rows.mean(axis=1, keepdims=True)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def turns(piece, radius_mm, step):
    """A face inside a circle at all turns: (360 / step, pixels), each of mean 0 and length 1."""
    image = grey(piece)
    high, wide = image.shape
    middle = ((wide - 1) / 2, (high - 1) / 2)
    y, x = np.mgrid[:high, :wide]
    inside = np.hypot(x - middle[0], y - middle[1]) < radius_mm * FACE_SCALE
    turned = (cv2.getRotationMatrix2D(middle, -deg, 1) for deg in range(0, 360, step))
    return units([cv2.warpAffine(image, turn, (wide, high))[inside] for turn in turned])


def most_alike(faces):
    """The two faces that are most alike at any turn, and how much."""
    return max(
        (float((faces[other] @ faces[one][0]).max()), one, other)
        for one, other in combinations(faces, 2)
    )


@pytest.fixture(scope="module")
def board():
    return grey("board", SCALE)


def test_no_part_of_the_board_is_like_another_at_any_sixth_turn(board):
    """Windows of 3 x 3 cells against the board moved by cells or turned by sixths."""
    high, wide = board.shape
    middle = ((wide - 1) / 2, (high - 1) / 2)
    size = tuple(round(side * SCALE) for side in WINDOW_MM)
    mean = float(board.mean())
    cells = board_of(5)
    places = []
    for name in cells.cells:
        x, y = (cells.centre_mm(name)[k] * SCALE + middle[k] - size[k] / 2 for k in (0, 1))
        if 0 <= x <= wide - size[0] and 0 <= y <= high - size[1]:
            places.append((name, round(x), round(y)))
    assert len(places) > 50
    windows, whose = [], []
    for sixths in range(6):
        turn = cv2.getRotationMatrix2D(middle, -60.0 * sixths, 1)
        turned = cv2.warpAffine(board, turn, (wide, high), borderValue=mean)
        for name, x, y in places:
            windows.append(turned[y : y + size[1], x : x + size[0]])
            whose.append((name, sixths))
    alike = units(windows)
    fits = alike[: len(places)] @ alike.T
    fits[np.arange(len(places)), np.arange(len(places))] = -1.0
    worst = np.unravel_index(int(fits.argmax()), fits.shape)
    assert fits.max() < MOST_BOARD, (whose[worst[0]], whose[worst[1]])


def test_the_board_is_dim_and_its_print_stronger_than_its_lines(board):
    assert board.mean() < 70  # of 255
    names = board_of(5)
    middle = np.array(board.shape[::-1]) / 2
    spreads = []
    for name in names.cells:  # each cell without its lines and name
        x, y = (np.array(names.centre_mm(name)) * SCALE + middle).round().astype(int)
        r = round(12 * SCALE)
        spreads.append(float(board[y - r : y + r // 2, x - r : x + r].std()))
    assert min(spreads) > 8.0  # grey levels, measured 9.1 to 27: some times a phone's noise


def test_ships_are_told_apart_in_grey_at_any_turn():
    faces = {
        f"{team}-{k}": turns(f"{team}-{k}", SHIP_MM / 2 - 0.2, 3)
        for team in TEAMS
        for k in (1, 2, 3)
    }
    worst = most_alike(faces)
    assert worst[0] < MOST_SHIPS, worst
    for name, face in faces.items():  # and where each looks, at 30 degrees or more
        assert (face @ face[0])[10:-9].max() < MOST_TURNED, name


def test_asteroyds_are_told_by_their_rim_alone():
    """Round a ship that lies on one in its middle."""
    rims = {}
    for team in TEAMS:
        image = grey(f"{team}-asteroyd")
        side = image.shape[0]
        y, x = np.mgrid[:side, :side] - (side - 1) / 2
        around = (np.hypot(x, y) > 8.7 * FACE_SCALE) & (np.hypot(x, y) < 11.8 * FACE_SCALE)
        middle = ((side - 1) / 2,) * 2
        turned = (cv2.getRotationMatrix2D(middle, -deg, 1) for deg in range(0, 360, 5))
        rims[team] = units([cv2.warpAffine(image, t, (side, side))[around] for t in turned])
    assert most_alike(rims)[0] < MOST_SHIPS


def test_tiles_are_told_apart_in_grey_and_turrets_and_rocks_show_where_they_look():
    tiles = [piece.id for piece in PIECES.of_kind("token") if piece.shape == "hexagon"]
    faces = {name: turns(name, TILE_MM[1] / 2 - 0.5, 60) for name in tiles}
    worst = most_alike(faces)
    assert worst[0] < MOST_TILES, worst
    for name, face in faces.items():
        if "turret" in name or "rock" in name:
            assert (face @ face[0])[1:].max() < MOST_TURNED, name


def test_pilots_tokens_differ_and_their_arrows_show():
    pilots = [piece.id for piece in PIECES.of_kind("token") if piece.id.startswith("pilot-")]
    faces = {name: turns(name, 5.8, 5) for name in pilots}
    assert most_alike(faces)[0] < MOST_SHIPS
    for name, face in faces.items():
        assert (face @ face[0])[6:-5].max() < MOST_SHIPS, name


def test_sheets_are_told_by_their_heads():
    names = [piece.id for piece in PIECES.of_kind("sheet")]
    heads = units([grey(name)[: round(15 * FACE_SCALE)] for name in names])
    fits = heads @ heads.T - 2 * np.eye(len(names))
    assert fits.max() < MOST_HEADS
    turned = units([grey(name)[::-1, ::-1][: round(15 * FACE_SCALE)] for name in names])
    assert (heads @ turned.T).max() < MOST_HEADS


@pytest.mark.parametrize("tone", [0, 128, 255])
def test_a_counter_of_any_tone_changes_its_cell(tone):
    """Each cell's drawing has dark and pale in the middle 8 mm: no even counter is like it."""
    sheet = grey("sheet-white-1")
    for column in range(6):
        for row in range(7):
            x = (FIRST_MM[0] + CELL_MM[0] * column + 74.0) * FACE_SCALE
            y = (FIRST_MM[1] + CELL_MM[1] * row + 52.5) * FACE_SCALE
            r = round(4 * FACE_SCALE)
            cell = sheet[round(y) - r : round(y) + r, round(x) - r : round(x) + r]
            assert (np.abs(cell - tone) > DIFFERS).mean() > 0.15, (column, row)


@pytest.mark.parametrize(("paper", "parts"), [("a4", 4), ("letter", 4), ("a3", 2), ("a2", 1)])
def test_the_board_is_printed_on_as_few_pages_as_it_takes(tmp_path, paper, parts):
    art = art_of(AsteroydsCapture())
    blank = Art(art.faces, PieceSet("board", art.pieces.of_kind("board")), lambda _: [])
    assert print_pieces(blank, tmp_path / "board.pdf", paper) == parts


def test_everything_is_printed_at_the_size_that_the_rules_say(tmp_path):
    art = art_of(AsteroydsCapture())
    each = {piece.id: (piece.size_mm, piece.copies) for piece in art.pieces.pieces}
    assert each["board"] == ((380.0, 440.0), 1) == (BOARD_MM, 1)
    assert each["blue-3"] == ((17.0, 17.0), 1)
    assert each["white-asteroyd"] == ((24.0, 24.0), 1)
    assert each["pod"][1] == 5
    assert each["sheet-red-2"] == ((148.0, 105.0), 1)
    assert each["rock-4"][0][1] == 34.0
    assert not [name for name in each if "die" in name]
    assert all(len(shapes(name)) > 2 for name in each if name != "board")


def test_pictures_are_cut_to_the_outline(tmp_path):
    art = art_of(AsteroydsCapture())
    some = {name: art.faces[name] for name in ("red-1", "pod", "sheet-red-1")}
    write_pictures(Art(some, art.pieces, art.shapes), tmp_path, dpi=127)  # 5 px/mm
    ship, pod = (
        cv2.imread(str(tmp_path / f"{name}.png"), cv2.IMREAD_UNCHANGED) for name in ("red-1", "pod")
    )
    assert ship.shape[2] == pod.shape[2] == 4
    assert ship[:, :, 3].mean() / 255 == pytest.approx(math.pi / 4, abs=0.01)
    assert pod.shape[:2] == (170, 196)
    assert pod[:, :, 3].mean() / 255 == pytest.approx(0.75, abs=0.01)  # of a hexagon's box
    assert cv2.imread(str(tmp_path / "sheet-red-1.png"), cv2.IMREAD_UNCHANGED).shape[2] == 3
