"""Board, tokens and dice together: a layout in the board's frame, doubts, the words for them."""

import numpy as np
import pytest

from tests.games.toy.art import BOARD_MM, TOKEN_MM, draw
from tests.games.toy.game import Toy
from tests.synth_pieces import LaidPiece, Scene, die_face, photograph
from vision.errors import TableNotFoundError
from vision.geometry import photo_from_table, wrap_angle
from vision.imaging.view import View
from vision.seeing.pieces.flat import map_plane
from vision.seeing.pieces.reading import piece_sight_of, read_pieces
from vision.texts import texts
from vision.values.pieces import Looks

PLACE_TOL_MM = 0.6
ART = {name: draw(name, 8.0) for name in ("board", "sun", "moon")}
SIGHT = piece_sight_of(Looks(Toy().pieces, ART))
POSES = {"sun": (-50.0, 2.0, 1.57), "moon": (48.0, -51.0, 3.1), "die": (30.0, 100.0, 0.4)}


def scene(tokens=("sun", "moon"), number=4, **more):
    face = die_face(number or 1, (240, 240, 240), (20, 20, 20))
    pieces = [LaidPiece(ART["board"], (BOARD_MM, BOARD_MM), (0, 0, 0))]
    for name in tokens:
        pieces.append(LaidPiece(ART[name], (TOKEN_MM, TOKEN_MM), POSES[name], 2.0, round=True))
    if number:
        pieces.append(LaidPiece(face, (16, 16), POSES["die"], 16.0, up=number))
    return Scene(tuple(pieces), distance_mm=520.0, **more)


def read(shown):
    image, camera = photograph(shown)
    return read_pieces(View(image), SIGHT, focal_px=camera.focal_px), camera


@pytest.mark.parametrize("more", [{}, {"tilt_deg": 42.0, "azimuth_deg": 220.0, "roll_deg": 30.0}])
def test_the_toy_table(more):
    layout, camera = read(scene(**more))
    placed = {p.piece: p for p in layout.placed}
    assert [p.kind for p in layout.placed] == ["board", "token", "token", "die"]
    for name, (x, y, theta) in POSES.items():
        assert np.hypot(placed[name].x_mm - x, placed[name].y_mm - y) < PLACE_TOL_MM, name
        if name != "die":
            assert abs(wrap_angle(placed[name].theta_rad - theta)) < 0.02, name
    assert placed["die"].side == "4"
    at = np.array([[0.0, 0.0], [60.0, 60.0]])
    assert photo_from_table(layout.camera, at) == pytest.approx(map_plane(camera, at), abs=0.5)
    assert layout.joint_covariance.shape == (12, 12)


def test_half_a_board_is_told():
    hand = np.array([[-5, -95], [95, -95], [95, 95], [-5, 95]])
    layout, _ = read(scene(("sun",), 0, covers=(hand,)))
    assert "board_hidden" in {doubt.code for doubt in layout.doubts}
    assert "sun" in {p.piece for p in layout.placed}
    for doubt in layout.doubts:
        assert texts("fr").issue(doubt) != doubt.message


def test_no_board_is_no_table():
    with pytest.raises(TableNotFoundError, match="found no board"):
        read(Scene((), texture=12.0))
