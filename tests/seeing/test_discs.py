"""Tokens on a board: which, where, turned how; what is none of them; what is told as a doubt."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.synth_pieces import BOARD_MM, LaidPiece, Scene, board_art, photograph, token_art
from vision.geometry import wrap_angle
from vision.imaging.view import View
from vision.seeing.estimation.plane import camera_priors
from vision.seeing.pieces.board_scene import board_scene_of
from vision.seeing.pieces.discs import find_discs
from vision.seeing.pieces.print_registration import CalibratedView
from vision.seeing.pieces.printed_planar import find_printed
from vision.seeing.pieces.prints import PlanarPrint
from vision.seeing.pieces.unread_things import find_unread_things
from vision.values.pieces import Looks, Piece, PieceSet

PLACE_TOL_MM = 0.5  # a fifth of what hands lay it off by; 0.1 is usual here
TURN_TOL_RAD = 0.01
SIZE = (34.0, 34.0)
ART = {
    "board": board_art(),
    "red": token_art((40, 40, 190)),
    "blue": token_art((180, 90, 40)),
    "star": token_art((60, 150, 60), "star"),
}
PRINT = PlanarPrint.from_art("board", ART["board"], BOARD_MM)
TOKENS = tuple(Piece(name, "token", SIZE, height_mm=2.0) for name in ("red", "blue", "star"))
BOARD = LaidPiece(ART["board"], BOARD_MM, (0, 0, 0))
POSES = {"red": (-40.0, 10.0, 0.7), "blue": (38.0, -35.0, -2.0), "star": (20.0, 40.0, 3.0)}


def laid(name, pose):
    return LaidPiece(ART[name], SIZE, pose, 2.0, round=True)


def look(scene, tokens=TOKENS):
    image, camera = photograph(scene)
    view, priors = View(image), camera_priors(scene.size_wh, camera.focal_px)
    (board,) = find_printed(CalibratedView(view, priors, True), [PRINT])
    return find_discs(board_scene_of(view, board, Looks(PieceSet("test", tuple(tokens)), ART)))


def look_at_all(scene):
    """Return what is told of a board, with what is none of the tokens."""
    image, camera = photograph(scene)
    view, priors = View(image), camera_priors(scene.size_wh, camera.focal_px)
    (board,) = find_printed(CalibratedView(view, priors, True), [PRINT])
    ground = board_scene_of(view, board, Looks(PieceSet("test", TOKENS), ART))
    found = find_discs(ground)
    return [*found, *find_unread_things(replace(ground, known=tuple(found)))]


def check(found, poses):
    assert sorted(t.placed.piece for t in found) == sorted(poses)
    for token in found:
        placed, (x, y, theta) = token.placed, poses[token.placed.piece]
        assert np.hypot(placed.x_mm - x, placed.y_mm - y) < PLACE_TOL_MM
        assert abs(wrap_angle(placed.theta_rad - theta)) < TURN_TOL_RAD
        assert placed.score > 0.8
        sd = np.sqrt(np.diag(placed.covariance))
        assert abs(placed.x_mm - x) < 4 * sd[0]
        assert abs(placed.y_mm - y) < 4 * sd[1]


@pytest.mark.parametrize(
    "scene",
    [
        {},
        {"tilt_deg": 48.0, "azimuth_deg": 200.0, "roll_deg": 77.0},
        {"light_bgr": (0.5, 0.8, 1.1), "falloff": 0.6},
        {"distance_mm": 800.0, "k1": 0.02},
    ],
    ids=["plain", "steep and turned", "evening", "far"],
)
def test_tokens(scene):
    found = look(Scene((BOARD, *(laid(n, p) for n, p in POSES.items())), **scene))
    check(found, POSES)
    assert all(token.placed.confidence > 0.99 for token in found)


def test_a_token_beside_the_board():
    poses = {"red": (-100.0, 20.0, -1.0), "blue": (0.0, 5.0, 1.0)}
    pieces = (BOARD, *(laid(name, pose) for name, pose in poses.items()))
    check(look(Scene(pieces, distance_mm=560)), poses)


def test_an_empty_board_has_none():
    assert look(Scene((BOARD,), tilt_deg=30)) == []


def test_black_and_white_tells_no_colour():
    """Red and blue of one lightness with one mark are not told apart, and that is said."""
    pieces = (BOARD, *(laid(n, POSES[n]) for n in ("red", "star")))
    found = {t.placed.piece: t for t in look(Scene(pieces, gray=True))}
    assert found["star"].placed.confidence > 0.99
    (other,) = [t for name, t in found.items() if name != "star"]
    assert other.placed.confidence < 0.9
    assert {other.placed.piece, other.placed.others[0].piece} == {"red", "blue"}


def test_a_thing_of_a_tokens_shape_is_told_as_unknown():
    coin = np.full((200, 200, 3), (90, 130, 150), np.uint8)
    cv2.putText(coin, "2", (50, 150), cv2.FONT_HERSHEY_DUPLEX, 4, (60, 90, 110), 9)
    pieces = (BOARD, laid("red", POSES["red"]), LaidPiece(coin, SIZE, (30, 20, 0), 2.0, round=True))
    named = {t.placed.piece: t.placed for t in look_at_all(Scene(pieces))}
    assert set(named) == {"red", "unknown-1"}
    unknown = named["unknown-1"]
    assert unknown.score == 0
    assert np.hypot(unknown.x_mm - 30, unknown.y_mm - 20) < 1.5  # its rim and its wall


def test_a_hand_is_no_token():
    hand = np.array([[10, -20], [90, -40], [90, 10], [12, 8], [-5, -4]])
    found = look(Scene((BOARD, laid("red", POSES["red"])), covers=(hand,)))
    assert [t.placed.piece for t in found] == ["red"]


def test_turning_the_token_turns_the_pose():
    one, other = (
        look(Scene((BOARD, laid("blue", (5.0, 5.0, turn)))), TOKENS[:2])[0].placed
        for turn in (0.3, 1.3)
    )
    assert wrap_angle(other.theta_rad - one.theta_rad) == pytest.approx(1.0, abs=TURN_TOL_RAD)


def test_a_face_that_is_alike_at_all_turns_has_no_heading_to_doubt():
    ring = np.full((200, 200, 3), (40, 40, 200), np.uint8)
    cv2.circle(ring, (100, 100), 50, (240, 240, 240), -1, cv2.LINE_AA)
    art = {**ART, "ring": ring}
    scene = Scene((BOARD, LaidPiece(ring, SIZE, (0, 0, 0), 2.0, round=True)))
    image, camera = photograph(scene)
    view, priors = View(image), camera_priors(scene.size_wh, camera.focal_px)
    (board,) = find_printed(CalibratedView(view, priors, True), [PRINT])
    pieces = (Piece("ring", "token", SIZE, height_mm=2.0),)
    (token,) = find_discs(board_scene_of(view, board, Looks(PieceSet("test", tuple(pieces)), art)))
    assert token.doubts == ()
    assert np.hypot(token.placed.x_mm, token.placed.y_mm) < PLACE_TOL_MM
