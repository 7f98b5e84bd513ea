"""Photos of a turn, drawn: the board's sheets, stacked pieces, programmes, dice, whose they are."""

import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.looks import draw_looks
from tests.games.asteroyds_capture.drawn import (
    Sheet,
    board_pieces,
    cell_mm,
    dice,
    photo_scene,
    sheet_pieces,
    stacked,
)
from tests.synth_pieces import LaidPiece, Scene, photograph
from vision.errors import TableNotFoundError
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.pieces import PIECES
from vision.games.asteroyds_capture.sheets import read_sheet
from vision.games.asteroyds_capture.values import RADIUS
from vision.geometry import card_corners, table_from_photo
from vision.imaging.photo import decode_photo
from vision.imaging.view import View
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.pieces import discs
from vision.seeing.pieces.reading import build_piece_detector, find_prints, read_pieces

SAMPLES = Path(__file__).parents[3] / "sample_photos" / "asteroyds-capture"
PLACE_TOL_MM = 2.5  # half of what hands are off by in a cell
UNREAD_TOL_PX = 40.0  # of a sheet known by its edges: a tenth of it, so who looks there sees it
TURN_TOL_RAD = 0.15  # of 60 degrees between ways
AGAIN_TOL = 0.2  # mm, rad: a tenth of a stroke's width
GAPS = ((-0.4, 0.3, 0.004), (0.5, 0.0, -0.005), (0.2, 0.6, 0.003), (-0.3, -0.2, -0.002))


@cache
def detector():
    return build_piece_detector(draw_looks(PIECES))


def seen(scene):
    image, camera = photograph(scene)
    return read_pieces(View(image, 8), detector(), focal_px=camera.focal_px)


def pieces_of(layout, kind="token"):
    return {p.piece: p for p in layout.placed if p.kind == kind}


def unread_sheets(layout):
    return [doubt.at_px for doubt in layout.doubts if doubt.code == "sheet_unread"]


LAID = (
    ("red-platform", "d2", 0.0),
    ("white-turret-1", "d8", math.pi),
    ("rock-2", "h4", math.pi / 3),
    ("red-asteroyd", (-1.0, 40.0), 0.3),
    ("white-1", (1.5, 42.0), 2.1),  # carries the asteroyd
    ("blue-2", (-40.0, -60.0), 1.05),
    ("blue-3", (-28.0, -56.0), -1.05),  # lies over blue 2
    ("white-home", "f10", 0.0),
    ("white-asteroyd", (1.5, -154.0), 0.5),  # little shows of its home
    ("white-platform", "h8", 0.0),
    ("white-2", (64.0, -119.0), 0.3),
    ("white-3", (66.0, -110.0), 2.4),  # lies over white 2, both on the platform
)
STRANGE = (-95.0, 130.0)  #: where a thing lies that is none of the game's


UNKNOWN = ("unknown-1", "unknown-2", "unknown-3")
ASTRAY = (30.0, 150.0)  #: where a die lies on the board: none is looked for there
HAND = ((112.0, 100.0), (60.0, 100.0))  #: middle and size of a thing as large as a hand


def strange():
    """Lay a plain disc and a plain hand on the board."""
    plain = np.full((16, 16, 3), (90, 200, 120), np.uint8)
    hand = LaidPiece(plain, HAND[1], (*HAND[0], 0.0), 2.0)
    return [LaidPiece(plain, (20.0, 20.0), (*STRANGE, 0.0), 2.0, True), hand]


def held(layout, placed, points):
    """Tell which points (N, 2) mm lie within the outline of a thing."""
    outline = table_from_photo(layout.camera, placed.outline_px).astype(np.float32)
    return [cv2.pointPolygonTest(outline, point.tolist(), False) >= 0 for point in points]


def test_a_board_in_four_sheets_with_stacked_pieces_and_dice():
    """Sheets gape and are turned a little; all is told in the frame of the print.

    What is none of the game's is told as well: nothing that hides the board is passed over.
    """
    beside, astray = dice({"red": 5, "white": 2}), dice({"blue": 4}, at_mm=(ASTRAY,))
    scene = photo_scene(
        [*board_pieces(GAPS), *stacked(LAID), *strange(), *beside, *astray],
        distance_mm=720.0,
        tilt_deg=28.0,
    )
    layout = seen(scene)
    found = pieces_of(layout)
    for name, at, turn in LAID:
        piece = found[name]
        if not isinstance(at, str):
            assert math.dist((piece.x_mm, piece.y_mm), at) < PLACE_TOL_MM, name
        if not re.search("platform|asteroyd|home", name):
            off = (piece.theta_rad - turn + math.pi) % (2 * math.pi) - math.pi
            assert abs(off) < TURN_TOL_RAD, name
    assert set(found) == {*(name for name, *_ in LAID), *UNKNOWN}
    disc, die, hand = sorted((found[name] for name in UNKNOWN), key=lambda piece: piece.x_mm)
    assert math.dist((disc.x_mm, disc.y_mm), STRANGE) < 8.0  # within it
    assert math.dist((die.x_mm, die.y_mm), ASTRAY) < 16.0  # it leans by its height
    inner = card_corners(*(0.85 * side for side in HAND[1])) + np.array(HAND[0])
    assert all(held(layout, hand, inner))  # all of it is told, not a place of it
    assert not any(held(layout, hand, 2.0 * inner - np.array(HAND[0])))
    assert {doubt.code for doubt in layout.doubts} == {"thing_unread"}
    assert found["blue-2"].visible < 1.0
    shown = {name: die.side for name, die in pieces_of(layout, "die").items()}
    assert shown == {"red-die": "5", "white-die": "2"}


@pytest.mark.parametrize(("wider", "shift"), [(0.8, 0.0), (1.0, 0.5), (1.25, 0.5), (1.5, 0.3)])
def test_tokens_do_not_hang_on_where_the_search_starts(monkeypatch, wider, shift):
    """A place is sought farther round each start than the starts are apart."""
    step, pool = wider * discs._STEP, discs._pool

    def shifted(search, scene, above):
        return pool(search, scene, above) + shift * step * search.group.radius_mm

    monkeypatch.setattr(discs, "_STEP", step)
    monkeypatch.setattr(discs, "_pool", shifted)
    layout = seen(photo_scene([*board_pieces(), *stacked(LAID)], distance_mm=720.0))
    rim = {"white-home"} if wider > 1 else set()  # of it less shows than a grid's step is wide
    assert {name for name, *_ in LAID} - rim <= set(pieces_of(layout))


def test_a_token_first_taken_for_another_is_named_where_it_lies_exactly(monkeypatch):
    """Its rings may be likest another's, as in a print without colours: strokes decide."""
    first_choice = discs._choose_face

    def chosen(search, place, left):
        one = first_choice(search, place, left)
        names = [piece.id for piece in search.group.pieces]
        if one is None or names[one.face] != "blue-turret-1":
            return one
        return replace(one, face=names.index("red-turret-1"))

    monkeypatch.setattr(discs, "_choose_face", chosen)
    laid = [("blue-turret-1", "d8", math.pi), ("red-turret-1", "h4", math.pi / 3)]
    found = pieces_of(seen(photo_scene([*board_pieces(), *stacked(laid)], distance_mm=720.0)))
    assert set(found) == {name for name, *_ in laid}
    for name, cell, _ in laid:
        at = board_of(RADIUS).grid.centre(cell)
        assert math.dist((found[name].x_mm, found[name].y_mm), at) < PLACE_TOL_MM
        assert found[name].confidence > 0.99


def test_a_board_that_lies_where_it_lay_is_not_sought_again(monkeypatch):
    """The live watch looks from one place: sheets that agree where they lay are laid from there."""
    scene = photo_scene(board_pieces(GAPS), distance_mm=720.0, tilt_deg=20.0)
    image, camera = photograph(scene)
    (first,) = find_prints(View(image, 8), detector(), camera.focal_px)

    def features_at(*_):
        raise AssertionError

    monkeypatch.setattr("vision.seeing.pieces.printed_planar.keypoints_at", features_at)
    (again,) = find_prints(View(image, 8), detector(), camera.focal_px, before=[first])
    assert set(again.sheets) == set(first.sheets) == {0, 1, 2, 3}
    assert np.allclose(again.poses, first.poses, atol=AGAIN_TOL)


def test_a_sheet_of_the_board_that_lies_wrongly_is_refused():
    poses = ((0, 0, 0), (0, 0, math.pi), (0, 0, 0), (0, 0, 0))
    with pytest.raises(TableNotFoundError, match="top right"):
        seen(photo_scene(board_pieces(poses), distance_mm=720.0))


def test_a_sheet_of_the_board_that_is_missing_is_told():
    layout = seen(photo_scene(board_pieces(leave=(2,)), distance_mm=720.0))
    assert [doubt.code for doubt in layout.doubts] == ["board_sheet_hidden"]


@pytest.mark.parametrize(
    ("counter", "gray"),
    [((50, 50, 50), False), ((245, 245, 245), False), ((40, 40, 200), True)],
    ids=["black", "white", "red in a grey photo"],
)
def test_counters_of_any_tone_on_sheets_upside_down(counter, gray):
    """Two sheets in a photo without a board, one of them upside down."""
    cells = ((1, 1), (2, 5), (3, 3), (5, 6), (6, 4), (4, 7), (7, 2))
    one = Sheet("red-2", (0, 0, 0.1), cells, counter_bgr=counter, off_mm=(0.8, -0.6))
    other = Sheet("white-3", (170, 5, math.pi), cells[:3], counter_mm=8.5, counter_bgr=counter)
    scene = Scene(
        (*sheet_pieces(one), *sheet_pieces(other)),
        distance_mm=470.0,
        focal=0.75,
        tilt_deg=25.0,
        aim_mm=(85.0, 0.0),
        gray=gray,
    )
    layout = seen(scene)
    sheets = pieces_of(layout, "sheet")
    assert set(sheets) == {"sheet-red-2", "sheet-white-3"}
    tokens = [p for p in layout.placed if p.kind == "token"]
    red = read_sheet(sheets["sheet-red-2"], tokens).chances
    columns = [next(iter(red["red-2", "column", c])) for c in range(1, 7)]
    assert columns == ["forward", "fire", "right", None, "power", "back"]
    assert next(iter(red["red-2", "mode", 0])) == "shield"
    assert next(iter(red["red-2", "rounds", 0])) == (4,)
    other_chances = read_sheet(sheets["sheet-white-3"], tokens).chances
    columns = [next(iter(other_chances["white-3", "column", c])) for c in range(1, 7)]
    assert columns == ["forward", "fire", "right", None, None, None]


@pytest.mark.parametrize("off_mm", [(0.0, 0.0), (1.5, -1.0)])
def test_a_black_counter_on_black_print_is_no_likelier_nothing(off_mm):
    """Print of the counter's own tone speaks neither for it nor against it."""
    cells = ((1, 5), (2, 5), (3, 4), (5, 5), (7, 2))
    counters = {"counter_bgr": (40, 40, 40), "counter_mm": 9.0, "off_mm": off_mm}
    sheet = Sheet("white-2", (0, 0, 0.1), cells, **counters)
    layout = seen(Scene(tuple(sheet_pieces(sheet)), distance_mm=470.0, focal=0.75, tilt_deg=10.0))
    tokens = [p for p in layout.placed if p.kind == "token"]
    chances = read_sheet(pieces_of(layout, "sheet")["sheet-white-2"], tokens).chances
    wanted = {("column", 1): "fire", ("column", 2): "fire", ("column", 3): "back"}
    wanted |= {("column", 5): "fire", ("mode", 0): "shield"}
    for (what, column), value in wanted.items():
        assert chances["white-2", what, column].get(value, 0.0) > 0.99


def test_a_sheet_whose_head_is_covered_is_named_in_doubt_at_most():
    scene = Scene(
        tuple(sheet_pieces(Sheet("white-1", (0, 0, 0), ((1, 2),)))),
        distance_mm=280.0,
        focal=0.75,
        covers=(np.array([[-80.0, -60], [80, -60], [80, -36], [-80, -36]]),),
    )
    layout = seen(scene)
    told = {doubt.code for doubt in layout.doubts if doubt.severity == "doubt"}
    named = pieces_of(layout, "sheet")
    assert told >= {"sheet_covered" if named else "sheet_unnamed"}


def test_a_sheet_that_cannot_be_read_is_told_where_it_lies():
    """Veiled, its print shows nothing; what was read, or the bare table, is no unread sheet."""
    first = sheet_pieces(Sheet("white-1", (-90.0, 0.0, 0.1), ((1, 2),)))
    veil = LaidPiece(np.full((16, 16, 3), (214, 220, 224), np.uint8), (148, 105), (80.0, 0.0, 0.2))
    far = {"distance_mm": 420.0, "focal": 0.75}
    alone, both = (Scene(tuple(laid), **far) for laid in (first, (*first, veil)))
    assert not unread_sheets(seen(alone))
    (at_px,) = unread_sheets(seen(both))
    where = map_plane(photograph(both)[1], np.array([veil.pose[:2]]))[0]
    assert np.hypot(*(where - at_px)) < UNREAD_TOL_PX


def test_a_curled_sheet_of_a_photo_is_told_where_it_lies():
    photo = decode_photo((SAMPLES / "curled-sheets.jpg").read_bytes())
    layout = read_pieces(View(photo.image, 8), detector(), focal_px=photo.focal_px)
    # a third of its print shows, which is the least of a sheet: by the processor's rounding it is
    # placed and doubted, or unread
    own = ("sheet-red-1",) if "sheet-red-1" in pieces_of(layout, "sheet") else ()
    code = "sheet_covered" if own else "sheet_unread"
    (told,) = (doubt for doubt in layout.doubts if doubt.code in ("sheet_covered", "sheet_unread"))
    assert (told.code, told.severity, told.cards) == (code, "doubt", own)
    assert np.hypot(*np.subtract(told.at_px, (1100, 800))) < UNREAD_TOL_PX


def test_the_pilot_s_token_is_told_by_its_face_and_turn():
    x, y = cell_mm(3, 6)
    sheet = Sheet("red-1", (0, 0, 2.0), ((1, 1),), pilot=("mhand", x, y, 4 * math.pi / 3))
    layout = seen(Scene(tuple(sheet_pieces(sheet)), distance_mm=280.0, focal=0.75))
    tokens = [p for p in layout.placed if p.kind == "token"]
    reading = read_sheet(pieces_of(layout, "sheet")["sheet-red-1"], tokens)
    assert next(iter(reading.chances["red-1", "pilot", 0])) == "mhand"
    assert next(iter(reading.chances["red-1", "column", 3])) == "power-240"


def test_a_photo_of_neither_board_nor_sheet_says_so():
    with pytest.raises(TableNotFoundError, match="neither the board nor a sheet"):
        seen(Scene((), size_wh=(800, 600)))
