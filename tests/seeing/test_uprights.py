"""Pawns and sticks on a printed board: the foot counts, the head tells the way."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from tests.synth_pieces import LaidPiece, Scene, board_art, pawn, photograph, stick
from vision.errors import TableNotFoundError
from vision.geometry import wrap_angle
from vision.imaging.view import View
from vision.seeing.pieces.reading import build_piece_detector, read_pieces
from vision.seeing.pieces.uprights import _parts, tone_angle
from vision.values.layout import Layout, Placed
from vision.values.pieces import Looks, Piece, PieceSet

ORANGE, BLUE = (38, 112, 232), (205, 100, 40)
FOOT_TOL_MM = 1.5  # a quarter of how far hands lay a pawn off: less moves no reading
STICK_TOL_MM = 1.5
TURN_TOL_RAD = np.radians(3.0)  # half of how far hands turn it
ART = board_art(seed=4, size_mm=(210.0, 168.0), across=4)
BOARD = LaidPiece(ART, (210.0, 168.0), (0, 0, 0))
PIECES = PieceSet(
    "stand",
    (
        Piece("board", "board", (210.0, 168.0)),
        Piece("warm", "pawn", (9.0, 32.0), copies=3, height_mm=36.0, tone="#E8762C"),
        Piece("cold", "pawn", (9.0, 32.0), copies=3, height_mm=36.0, tone="#2F6FD0"),
        Piece("match", "stick", (2.1, 43.0), copies=None, height_mm=2.0),
    ),
)
DETECTOR = build_piece_detector(Looks(PIECES, {"board": ART}))


def look(scene: Scene) -> Layout:
    image, camera = photograph(replace(scene, distance_mm=520.0))
    return read_pieces(View(image), DETECTOR, focal_px=camera.focal_px)


def of_kind(layout: Layout, kind: str) -> list[Placed]:
    return [placed for placed in layout.placed if placed.kind == kind]


@pytest.mark.parametrize(
    ("tilt_deg", "azimuth_deg"), [(5.0, 80.0), (30.0, 200.0), (48.0, 80.0), (48.0, 200.0)]
)
def test_the_foot_counts_however_tall_it_is(tilt_deg, azimuth_deg):
    """At 48 degrees the head of the tallest shows 38 mm from where it stands."""
    at = {"low": (-60.0, 30.0), "tall": (20.0, -40.0), "cap": (60.0, 40.0)}
    things = (
        *pawn(ORANGE, at["low"], 12.0, 12.0),
        *pawn(BLUE, at["tall"], 13.0, 34.0),
        *pawn(ORANGE, at["cap"], 28.0, 6.0, head=1.0),
    )
    layout = look(Scene((BOARD, *things), tilt_deg=tilt_deg, azimuth_deg=azimuth_deg))
    found = of_kind(layout, "pawn")
    assert sorted(p.piece for p in found) == ["cold", "warm", "warm"]
    for wanted in at.values():
        nearest = min(np.hypot(p.x_mm - wanted[0], p.y_mm - wanted[1]) for p in found)
        assert nearest < FOOT_TOL_MM
    assert all(p.covariance[2, 2] > 1 for p in found)  # a pawn has no heading of its own


@pytest.mark.parametrize("theta_deg", [0.0, 73.0, 180.0, -115.0])
def test_a_stick_points_to_its_head(theta_deg):
    theta = np.radians(theta_deg)
    beside = 15.0 * np.array([np.cos(theta), np.sin(theta)])
    laid = stick((float(beside[0]), float(beside[1]), theta))
    layout = look(Scene((BOARD, laid, *pawn(BLUE, (0.0, 0.0))), tilt_deg=35.0))
    (found,) = of_kind(layout, "stick")
    assert np.hypot(found.x_mm - beside[0], found.y_mm - beside[1]) < STICK_TOL_MM
    assert abs(wrap_angle(found.theta_rad - theta)) < TURN_TOL_RAD
    assert found.confidence > 0.99


@pytest.mark.parametrize("light_bgr", [(1.0, 1.0, 1.0), (0.7, 0.9, 1.05)], ids=["day", "evening"])
def test_colours_stand_out_on_a_print_without_any(light_bgr):
    """A pawn as light as the grays below it is told from them by its colour."""
    gray = LaidPiece(
        cv2.cvtColor(cv2.cvtColor(ART, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR),
        BOARD.size_mm,
        BOARD.pose,
    )
    things = (
        *pawn(ORANGE, (-60.0, 30.0), 12.0, 12.0),
        *pawn(BLUE, (20.0, -40.0), 28.0, 6.0, head=1.0),
        stick((45.0, -40.0, 0.0)),
    )
    layout = look(Scene((gray, *things), tilt_deg=30.0, light_bgr=light_bgr))
    assert sorted(p.piece for p in of_kind(layout, "pawn")) == ["cold", "warm"]
    assert len(of_kind(layout, "stick")) == 1


@pytest.mark.parametrize("way", [np.pi / 2, -np.pi / 2], ids=["outwards", "inwards"])
def test_the_head_of_a_stick_over_the_edge_of_the_board_is_seen(way):
    laid = stick((92.0, 15.0, way))
    layout = look(Scene((BOARD, laid, *pawn(BLUE, (88.0, 0.0))), tilt_deg=25.0))
    (found,) = of_kind(layout, "stick")
    assert abs(wrap_angle(found.theta_rad - way)) < np.pi / 2
    assert found.confidence > 0.9


def test_a_tint_of_the_dark_print_is_none_of_a_dark_pawn():
    """Black print shows greenish; a pawn of dark blue has none of that."""
    image, camera = photograph(
        Scene((BOARD, *pawn((96, 2, 11), (0.0, 0.0))), tilt_deg=20.0, distance_mm=520.0)
    )
    lifted = np.clip(0.75 * image + np.array([33, 50, 37]), 0, 255).astype(np.uint8)
    layout = read_pieces(View(lifted), DETECTOR, focal_px=camera.focal_px)
    assert [p.piece for p in of_kind(layout, "pawn")] == ["cold"]


def test_a_stick_without_a_head_may_point_either_way():
    wood = (140, 190, 222)
    laid = stick((15.0, 0.0, 0.0), head_bgr=wood)
    (found,) = of_kind(look(Scene((BOARD, *pawn(BLUE, (0.0, 0.0)), laid))), "stick")
    assert found.confidence < 0.9
    assert found.others[0].chance == pytest.approx(1 - found.confidence)


def test_a_hidden_foot_is_told_and_known_less_well():
    hand = np.array([[-20.0, 8.0], [20.0, 8.0], [30.0, 120.0], [-30.0, 120.0]])
    thing = pawn(BLUE, (0.0, 0.0), 16.0, 20.0)
    clear = look(Scene((BOARD, *thing), tilt_deg=45.0, azimuth_deg=90.0))
    (seen,) = of_kind(clear, "pawn")
    hidden = look(Scene((BOARD, *thing), tilt_deg=45.0, azimuth_deg=90.0, covers=(hand,)))
    (guessed,) = of_kind(hidden, "pawn")
    assert "pawn_hidden" not in {issue.code for issue in clear.doubts}
    assert "pawn_hidden" in {issue.code for issue in hidden.doubts}
    assert guessed.covariance[1, 1] > 4 * seen.covariance[1, 1]


@pytest.mark.parametrize(
    "things",
    [
        (),
        pawn((120, 150, 190), (0.0, 0.0)),  # natural wood
        pawn((60, 60, 60), (10.0, 0.0), 20.0, 3.0, head=1.0),  # a coin
        (stick((0.0, 0.0, 0.5), (7.0, 140.0), BLUE, ORANGE),),  # a pencil
        (stick((0.0, 0.0, 0.0), (13.0, 90.0), BLUE, BLUE),),  # a pen that points to the camera
        pawn(ORANGE, (0.0, 0.0), 60.0, 4.0, head=1.0),  # a lid
    ],
    ids=["nothing", "wood", "coin", "pencil", "pen", "lid"],
)
def test_what_is_no_pawn_is_none(things):
    assert not of_kind(look(Scene((BOARD, *things), tilt_deg=30.0)), "pawn")


@pytest.mark.parametrize("behind", [(0.0, -22.0), (8.0, -20.0), (17.0, 0.0)])
def test_of_two_of_a_colour_that_touch_none_is_lost_without_a_word(behind):
    both = (*pawn(BLUE, behind, 16.0, 34.0), *pawn(BLUE, (0.0, 0.0), 16.0, 34.0))
    layout = look(Scene((BOARD, *both), tilt_deg=45.0, azimuth_deg=90.0))
    found = [p for p in of_kind(layout, "pawn") if p.piece == "cold"]
    told = {issue.code for issue in layout.doubts}
    assert len(found) == 2 or told & {"thing_unread", "pawn_hidden"}


@pytest.mark.parametrize("turn", range(0, 180, 30))
def test_print_of_its_tone_below_a_pawn_does_not_part_it(turn):
    """Rays of a red star, 2 mm wide, below an orange pawn of 12 mm, at 4 px/mm."""
    y, x = np.mgrid[-40:41, -40:41]
    pawn_ = np.hypot(x, y) < 24
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    along, aside = c * x + s * y, c * y - s * x
    rays = (np.abs(aside) < 4) & (np.abs(along) > 5)
    mask = pawn_ & ~rays
    foreground = SimpleNamespace(rectified=SimpleNamespace(px_per_mm=4.0))
    (part,) = _parts(mask, mask, foreground)
    assert len(part) > 0.95 * pawn_.sum()


def test_two_boards_are_one_too_many():
    again = LaidPiece(ART, (210.0, 168.0), (12.0, 190.0, 0.1))
    image, camera = photograph(Scene((BOARD, again), distance_mm=800.0, aim_mm=(0.0, 90.0)))
    with pytest.raises(
        TableNotFoundError, match=r"found two boards.* needed one.* cover or remove"
    ):
        read_pieces(View(image), DETECTOR, focal_px=camera.focal_px)


def test_two_photos_side_by_side_are_no_table():
    """The second board is on no plane that goes with the first."""
    image, camera = photograph(Scene((BOARD,), distance_mm=520.0, tilt_deg=15.0))
    both = np.hstack([image, image])
    with pytest.raises(
        TableNotFoundError, match=r"found two boards.* needed one.* cover or remove"
    ):
        read_pieces(View(both), DETECTOR, focal_px=camera.focal_px)


def test_half_a_board_in_the_photo_is_refused():
    image, camera = photograph(Scene((BOARD,), distance_mm=520.0, aim_mm=(310.0, 0.0)))
    with pytest.raises(TableNotFoundError, match=r"but only \d\d% of it.* needed all.* step back"):
        read_pieces(View(image), DETECTOR, focal_px=camera.focal_px)


def test_tones():
    """Where colours lie does not depend on how light they are."""
    assert tone_angle("#E8762C") == pytest.approx(tone_angle("#743B16"), abs=0.02)
    assert abs(wrap_angle(tone_angle("#E8762C") - tone_angle("#2F6FD0"))) > 2.0
