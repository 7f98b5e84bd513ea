"""Board, tokens and dice together: a layout in the board's frame, doubts, the words for them."""

import numpy as np
import pytest

from tests.games.toy.game import Toy
from tests.games.toy.photo import ART, POSES, scene
from tests.synth_pieces import Scene, photograph
from vision.errors import TableNotFoundError
from vision.geometry import photo_from_table, wrap_angle
from vision.imaging.view import View
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.pieces.reading import build_piece_detector, read_pieces
from vision.texts import texts
from vision.values.pieces import Looks

PLACE_TOL_MM = 0.6
DETECTOR = build_piece_detector(Looks(Toy().pieces, ART))


def read(shown):
    image, camera = photograph(shown)
    return read_pieces(View(image), DETECTOR, focal_px=camera.focal_px), camera


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
