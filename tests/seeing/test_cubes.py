"""Dice beside and on a board: the number on top, not that on a side; several; and none."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.synth_pieces import BOARD_MM, LaidPiece, Scene, board_art, die_face, photograph
from vision.imaging.view import View
from vision.seeing.estimation.plane import camera_priors
from vision.seeing.pieces import cubes
from vision.seeing.pieces.board_scene import board_scene_of
from vision.seeing.pieces.cubes import SURE, DieFace, _apart, _posterior, _unlike_top, find_cubes
from vision.seeing.pieces.print_registration import CalibratedView
from vision.seeing.pieces.printed_planar import find_printed
from vision.seeing.pieces.prints import PlanarPrint
from vision.values.pieces import Looks, Piece, PieceSet

PLACE_TOL_MM = 1.0  # a sixteenth of the edge: a side face lies fifteen times as far off
DIE = (16.0, 16.0)
SIDES = tuple("123456")
WHITE, RED, BLACK = (240, 240, 240), (40, 30, 190), (20, 20, 20)
ART = board_art()
PRINT = PlanarPrint.from_art("board", ART, BOARD_MM)
BOARD = LaidPiece(ART, BOARD_MM, (0, 0, 0))


def die(number, pose, bgr=WHITE, pips=BLACK):
    return LaidPiece(die_face(number, bgr, pips), DIE, pose, 16.0, up=number, pip_bgr=pips)


def looks_of(pieces, art=None):
    return Looks(PieceSet("test", pieces), art or {})


def dice_on(ground):
    return [one.placed for one in find_cubes(ground)]


def look(scene, pieces=None, art=None):
    image, camera = photograph(scene)
    view, priors = View(image), camera_priors(scene.size_wh, camera.focal_px)
    (board,) = find_printed(CalibratedView(view, priors, True), [PRINT])
    pieces = pieces or (Piece("die", "die", DIE, sides=SIDES, height_mm=16.0),)
    return dice_on(board_scene_of(view, board, looks_of(pieces, art)))


@pytest.mark.parametrize("number", range(1, 7))
def test_every_number(number):
    pose = (95.0, 10.0 * number - 30, 0.25 * number)
    scene = Scene((BOARD, die(number, pose)), tilt_deg=10.0 + 6 * number, distance_mm=480)
    (found,) = look(scene)
    placed = found
    assert placed.side == str(number)
    assert np.hypot(placed.x_mm - pose[0], placed.y_mm - pose[1]) < PLACE_TOL_MM
    assert placed.confidence > 0.8
    assert sum(other.chance for other in placed.others) < 0.2


@pytest.mark.parametrize("azimuth", [20.0, 160.0, 290.0])
def test_a_side_is_not_taken_for_the_top(azimuth):
    """At 48 degrees a side shows as large as the top; the top is farther from the camera."""
    scene = Scene(
        (BOARD, die(2, (-95.0, 5.0, 0.3), RED, WHITE)),
        tilt_deg=48.0,
        azimuth_deg=azimuth,
        distance_mm=480,
    )
    (found,) = look(scene)
    assert found.side == "2"


def test_dice_beside_each_other_are_told_by_colour():
    pieces = tuple(Piece(n, "die", DIE, sides=SIDES, height_mm=16.0) for n in ("red", "white"))
    art = {"red": die_face(1, RED, WHITE), "white": die_face(1, WHITE, BLACK)}
    dice = (die(3, (95.0, 0.0, 0.1)), die(6, (95.0, 19.0, 0.05), RED, WHITE))
    found = look(Scene((BOARD, *dice), tilt_deg=20.0, distance_mm=480), pieces, art)
    assert {d.piece: d.side for d in found} == {"white": "3", "red": "6"}


def test_a_print_beside_the_board_bears_no_dice():
    """Its dots are no pips, in whatever height they seem to lie."""
    scene = Scene((BOARD, die(5, (95.0, 0.0, 0.2))), tilt_deg=35.0, distance_mm=480)
    image, camera = photograph(scene)
    view, priors = View(image), camera_priors(scene.size_wh, camera.focal_px)
    (board,) = find_printed(CalibratedView(view, priors, True), [PRINT])
    pieces = (Piece("die", "die", DIE, sides=SIDES, height_mm=16.0),)
    ground = board_scene_of(view, board, looks_of(pieces))
    sheet = np.array([[65.0, -40], [140, -40], [140, 40], [65, 40]])
    assert [d.side for d in dice_on(ground)] == ["5"]
    assert dice_on(replace(ground, beside_mm=(sheet,))) == []


def test_a_die_on_the_board():
    (found,) = look(Scene((BOARD, die(5, (20.0, -30.0, 0.5))), tilt_deg=35.0))
    assert found.side == "5"
    assert np.hypot(found.x_mm - 20, found.y_mm + 30) < PLACE_TOL_MM


def test_dots_of_a_board_are_no_dice():
    assert look(Scene((BOARD,), tilt_deg=30.0)) == []


def picture_of(number, pose, height_mm=0.0, bgr=WHITE, pips=BLACK):
    """Return a flat thing with the pips of a die."""
    return LaidPiece(die_face(number, bgr, pips), DIE, pose, height_mm)


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize(("height_mm", "tilt_deg"), [(0.0, 25.0), (0.0, 40.0), (3.0, 40.0)])
def test_a_picture_of_a_die_is_no_certain_die(number, height_mm, tilt_deg):
    """It has the upper face and its edges, but no sides with pips below them."""
    flat = picture_of(number, (95.0, 10.0 * number - 30, 0.25 * number), height_mm)
    (found,) = look(Scene((BOARD, flat), tilt_deg=tilt_deg, distance_mm=480))
    assert found.confidence < SURE


def test_a_die_stays_certain_beside_a_picture_of_it():
    real, flat = die(3, (95.0, -10.0, 0.1)), picture_of(5, (95.0, 25.0, 0.3))
    single = (Piece("die", "die", DIE, sides=SIDES, height_mm=16.0, copies=1),)
    (found,) = look(Scene((BOARD, real, flat), tilt_deg=35.0, distance_mm=480), single)
    assert (found.side, found.confidence > SURE) == ("3", True)


def face_of(number, *, weakest, score=0.97, behind=0.0):
    scores = np.full(6, 0.5)
    scores[number - 1] = score
    return DieFace(np.zeros(3), scores, 16.0, np.full(3, 200.0), weakest, behind)


@given(number=st.integers(1, 6), weakest=st.floats(0, 255), score=st.floats(0.8, 1.0))
def test_the_chances_of_a_face_are_whole_and_none_is_sure_whose_edge_does_not_show(
    number, weakest, score
):
    """A die never shows its opposite by leaning; the clearer its faintest edge, the surer it is."""
    posterior = _posterior(face_of(number, weakest=weakest, score=score))
    assert posterior.min() >= 0
    assert posterior.sum() == pytest.approx(1.0)
    if weakest < 20.0 or score < 0.94:
        assert posterior[number - 1] < SURE
    assert posterior[6 - number] < 1e-4
    clearer = _posterior(face_of(number, weakest=weakest + 1, score=score))
    assert clearer[number - 1] >= posterior[number - 1] - 1e-12
    alone = _posterior(face_of(number, weakest=weakest, score=score, behind=1.0))
    assert alone[number - 1] >= posterior[number - 1] - 1e-12
    if weakest < 20.0 or score < 0.85:
        assert alone[number - 1] < SURE


@given(weakest=st.floats(20, 255), score=st.floats(0.8, 1.0), body=st.floats(-8, 8))
def test_the_body_below_a_face_counts_however_clear_the_face_is(weakest, score, body):
    face = face_of(4, weakest=weakest, score=score, behind=1.0)
    known, better = (replace(face, body=value) for value in (body, body + 1))
    assert _posterior(known)[3] <= _posterior(better)[3] + 1e-12
    if body < -1:
        assert _posterior(known)[3] < SURE


@given(
    weakest=st.floats(20, 255),
    score=st.floats(0.95, 1.0),
    behind=st.floats(0, 1),
    body=st.floats(-8, 0),
)
def test_without_a_body_the_number_that_shows_stays_as_likely_as_all_others(
    weakest, score, behind, body
):
    """Sides in glare make a die doubtful: they do not say that another number lies up."""
    face = face_of(4, weakest=weakest, score=score, behind=behind)
    before, after = _posterior(face)[3], _posterior(replace(face, body=body))[3]
    assert after >= min(before, 0.5) - 1e-9


@given(best=st.floats(0.9, 0.99), pip=st.floats(0.85, 0.89))
def test_a_clear_four_is_no_five_however_much_noise_both_leave(best, pip):
    """What counts is what a number leaves unexplained: a five's middle pip is a quarter of that."""
    scores = np.full(6, 0.5)
    scores[4], scores[3] = best, best * pip  # patterns of four and five correlate so
    face = DieFace(np.zeros(3), scores, 16.0, np.full(3, 200.0), 80.0, 1.0)
    posterior = _posterior(face)
    assert posterior[3] < 0.01 < posterior[4]
    assert posterior[4] > 0.97


@given(light=st.floats(0.1, 1.5), coloured=st.booleans())
def test_what_is_much_darker_than_a_white_die_is_no_upper_face_of_it(light, coloured):
    """Grey cloth has its colour; the upper face of a tilted die is no darker than its sides."""
    white = np.full(3, 160.0)
    off = _unlike_top(light * white, white, coloured=coloured)
    assert off >= 1.0 - light - 1e-9
    if light < 0.6:
        clear = {"weakest": 80.0, "score": 0.9}
        assert _posterior(face_of(4, **clear))[3] < SURE
        assert _posterior(face_of(4, **clear, behind=off))[3] >= SURE
    darker = _unlike_top(0.9 * light * white, white, coloured=coloured)
    assert darker >= min(off, 1.0 - light)


def test_a_die_that_leans_is_not_read_wrong_as_certain():
    """The face that looks at the camera is none at the height of a die."""
    leaning = die(2, (95.0, 0.0, 0.0), RED, WHITE)
    leaning = replace(leaning, lean_rad=(np.radians(38), 0.0))
    for found in look(Scene((BOARD, leaning), tilt_deg=40.0, distance_mm=480)):
        assert found.side == "2" or found.confidence < SURE


def test_dice_of_two_sizes_are_apart_by_the_place_where_they_lie():
    def at(x, y, edge, score):
        pose = np.array([x, y, 0.0])
        return DieFace(pose, np.full(6, score), edge, np.full(3, 200.0), 80.0, 1.0)

    apart = at(240.0, 120.0, 12.0, 0.9), at(320.0, 160.0, 16.0, 0.8)
    assert _apart(apart) == list(apart)
    one_place = at(300.0, 200.0, 12.0, 0.7), at(301.0, 200.0, 16.0, 0.9)
    assert _apart(one_place) == [one_place[1]]


def test_the_likelier_of_two_faces_in_one_place_is_kept_whichever_edges_are_clearer():
    """A pip of a two with clear edges round it, but no body below, is no one."""

    def face(x, number, score, weakest, behind, body):
        scores = np.full(6, 0.3)
        scores[number - 1] = score
        pose = np.array([x, 200.0, 0.0])
        return DieFace(pose, scores, 16.0, np.full(3, 200.0), weakest, behind, body)

    one, two = face(300.0, 1, 0.96, 29.2, 0.07, -2.0), face(306.0, 2, 0.98, 23.4, 0.21, 5.8)
    assert _apart([one, two]) == [two]


def test_a_pip_beside_a_stronger_bright_spot_is_a_pip(monkeypatch):
    monkeypatch.setattr(cubes, "_is_print", lambda rectified, scene, at: np.zeros(len(at), bool))
    gray = np.full((61, 61), 150, np.float32)
    for x, tone in ((28, 125), (32, 255)):
        cv2.circle(gray, (x, 30), 2, tone, -1)
    rectified = SimpleNamespace(inside=np.ones(gray.shape, bool))
    at, is_dark = cubes._find_pips(gray, rectified, None)
    assert np.hypot(*(at[is_dark] - [28, 30]).T).min() <= 1.0
    assert np.hypot(*(at[~is_dark] - [32, 30]).T).min() <= 1.0
