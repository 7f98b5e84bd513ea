"""Counters on a sheet: their middles, whatever the light makes of them; print that stays print."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.looks import draw_looks
from tests.games.asteroyds_capture.drawn import _art, cell_mm
from tests.synth_pieces import Scene, aim
from vision.games.asteroyds_capture.pieces import PIECES, SHEET_MM
from vision.imaging.view import View
from vision.seeing.estimation.rectify import Rectified, map_plane
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.counters import _fit_disc, find_counters
from vision.seeing.pieces.print_comparison import Comparison
from vision.seeing.pieces.print_registration import SHEET_PX_PER_MM as PX_PER_MM
from vision.seeing.pieces.unread_things import find_unread_things
from vision.values.pieces import Looks, PieceSet

MIDDLE_TOL_MM = 0.8  # a step of the search
(COUNTER,) = (piece for piece in PIECES.of_kind("token") if piece.on and piece.copies is None)


@pytest.mark.parametrize("radius", [4.0, 5.0, 6.0])
@pytest.mark.parametrize("off", [(2.0, 1.5), (-2.5, 0.5), (0.0, -3.0)])
def test_the_tone_of_a_disc_leads_back_from_a_shadow(radius, off):
    """What is hidden has its middle between a disc and its shadow."""
    y, x = np.mgrid[0:160, 0:160] / PX_PER_MM
    disc = np.hypot(x - 20, y - 20) < radius
    shadow = np.exp(-(np.hypot(x - 20 - 2 * off[0], y - 20 - 2 * off[1]) ** 2) / 2 / 4.0**2)
    foreign = np.where(disc[..., None], [-50.0, -20.0, 15.0], -25.0 * shadow[..., None])
    soft = cv2.GaussianBlur(foreign.astype(np.float32), (0, 0), 2.0)
    rectified = Rectified(np.zeros((160, 160, 3), np.uint8), disc | True, PX_PER_MM, np.zeros(2))
    paper = np.float32([240.0, 0.0, 0.0]) + np.zeros_like(soft)
    over = Comparison(rectified, soft, paper, paper + soft, soft, disc | True)
    found = _fit_disc(over, np.rint(rectified.to_px(np.array([20.0, 20.0]) + off)).astype(int))
    middle = rectified.to_mm(found.middle_px[None])[0]
    assert np.hypot(*(middle - 20.0)) < MIDDLE_TOL_MM


def photo_of(art, half_mm, distance_mm):
    """Photograph a sheet or board from above: the camera, and what it sees."""
    scene = Scene((), size_wh=(1000, 1100), distance_mm=distance_mm, tilt_deg=0.0, azimuth_deg=90.0)
    camera = aim(scene)
    box = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]) * half_mm
    size = (art.shape[1], art.shape[0])
    corners = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], np.float32) - 0.5
    warp = cv2.getPerspectiveTransform(corners, map_plane(camera, box).astype(np.float32))
    return camera, cv2.warpPerspective(art, warp, scene.size_wh, flags=cv2.INTER_AREA)


def away_mm(art, at_mm):
    """Return how far each pixel (H, W) of a sheet's picture is from a place on the sheet."""
    y, x = np.mgrid[0 : art.shape[0], 0 : art.shape[1]] * SHEET_MM[0] / art.shape[1]
    return np.hypot(*(np.stack([x, y]) - (np.array(at_mm) + np.divide(SHEET_MM, 2))[:, None, None]))


def counters_on(shown, art):
    """Return the counters on a photographed sheet that shows this, and whose print is that."""
    half = np.array(SHEET_MM) / 2
    camera, photo = photo_of(shown, half, 260.0)
    box = (*-half, *half)
    looks = Looks(PieceSet("test", (COUNTER,)), {COUNTER.id: _art(COUNTER.id, 8.0)[..., :3]})
    found, _ = find_counters(BoardScene(View(photo), camera, box, looks, board_mm=box, art=art))
    return found


@pytest.mark.parametrize(
    ("tone", "is_glass"),
    [((0.4, 0.35, 0.9), True), ((0.9, 0.5, 0.35), True), ((0.85, 0.92, 1.0), False)],
)
def test_coloured_glass_is_a_counter_though_its_print_shows_and_warm_light_is_none(tone, is_glass):
    clean = _art("sheet-white-1", 8.0)[..., :3]
    art = clean.copy()
    at = np.array(cell_mm(6, 1))
    inside = away_mm(art, at) < 5.6
    art[inside] = (art[inside] * np.array(tone)).astype(np.uint8)
    found = counters_on(art, clean)
    near = [one for one in found if np.hypot(one.x_mm - at[0], one.y_mm - at[1]) < 5.6]
    assert [one.confidence > 0.99 for one in near] == [True] * is_glass


@pytest.mark.parametrize("off", [(0.0, 0.0), (1.5, -1.5), (-1.5, -1.5), (-1.5, 1.0)])
def test_a_white_counter_on_white_paper_lies_where_it_hides_print_whatever_lies_beside_it(off):
    """It has no shadow, and hardly a rim; the red one 11 mm below is plain to see."""
    art = _art("sheet-white-1", 8.0)[..., :3]
    laid = art.copy()
    white = np.array(cell_mm(3, 2)) + off
    red = white + np.array([0.0, 11.0])
    for at, tone in ((white, (236, 237, 237)), (red, (45, 45, 190))):
        laid[away_mm(art, at) < 4.5] = tone
    found = counters_on(laid, art)
    middles = sorted((one.y_mm, one.x_mm, one.confidence > 0.99) for one in found)
    assert [is_sure for *_, is_sure in middles] == [True, True]
    for (y_mm, x_mm, _), at in zip(middles, (white, red), strict=True):
        assert np.hypot(x_mm - at[0], y_mm - at[1]) < MIDDLE_TOL_MM


@pytest.mark.parametrize("cell", [(6, 4), (6, 1), (2, 6), (4, 3)])
def test_a_printed_counter_is_known_by_its_face_though_its_star_is_as_white_as_the_paper(cell):
    clean = cv2.cvtColor(_art("sheet-white-2", 8.0)[..., :3], cv2.COLOR_BGR2GRAY)
    laid, face = clean.copy(), cv2.cvtColor(_art(COUNTER.id, 8.0)[..., :3], cv2.COLOR_BGR2GRAY)
    at = np.array(cell_mm(*cell)) + np.array([0.8, -0.5])
    x, y = np.rint((at + np.divide(SHEET_MM, 2)) * 8.0 - np.array(face.shape[::-1]) / 2).astype(int)
    under = laid[y : y + face.shape[0], x : x + face.shape[1]]
    v, u = np.mgrid[0 : face.shape[0], 0 : face.shape[1]]
    inside = np.hypot(v - face.shape[0] / 2, u - face.shape[1] / 2) < 4.8 * 8.0
    under[inside] = face[inside]
    shown, art = (cv2.cvtColor(one, cv2.COLOR_GRAY2BGR) for one in (laid, clean))
    (found,) = counters_on(shown, art)
    assert found.piece == COUNTER.id
    assert found.confidence > 0.99
    assert np.hypot(found.x_mm - at[0], found.y_mm - at[1]) < MIDDLE_TOL_MM


@pytest.mark.parametrize("cell", [(6, 1), (2, 3), (5, 3)])
@pytest.mark.parametrize("sd_mm", [3.0, 4.0, 5.0])
def test_light_that_washes_print_out_is_no_certain_counter(cell, sd_mm):
    """White without print has what a white counter has, but no rim."""
    clean = _art("sheet-white-1", 8.0)[..., :3]
    veil = np.exp(-(away_mm(clean, cell_mm(*cell)) ** 2) / 2 / sd_mm**2)
    veil = np.minimum(1.5 * veil, 1.0)[..., None]
    found = counters_on((clean + (250.0 - clean) * veil).astype(np.uint8), clean)
    assert found
    assert max(one.confidence for one in found) < 0.9


def test_the_table_that_shows_where_an_edge_curls_is_no_certain_counter():
    """It covers print, but has no rim all round."""
    clean = _art("sheet-white-1", 8.0)[..., :3]
    art, scale = clean.copy(), clean.shape[1] / SHEET_MM[0]
    curled = np.array([[0.0, 10], [5, 30], [6, 55], [4, 80], [0, 95]]) * scale
    cv2.fillPoly(art, [np.rint(curled).astype(np.int32)], (30, 45, 60))
    found = counters_on(art, clean)
    assert found
    assert max(one.confidence for one in found) < 0.9


@pytest.mark.parametrize("veil", [0.3, 0.6])
def test_print_under_a_veil_is_print_and_a_thing_is_none(veil):
    """Light that lies over a board pales its strokes, but they show."""
    looks = draw_looks(PIECES)
    art = looks.art["board"]
    camera, photo = photo_of(art, np.array([190.0, 220.0]), 700.0)
    planet = np.array([[-165.0, -190], [-130, -190], [-130, -160], [-165, -160]])
    light = np.zeros(photo.shape[:2], np.float32)
    cv2.fillPoly(light, [np.int32(map_plane(camera, planet))], veil)
    light = cv2.GaussianBlur(light, (0, 0), 12.0)[..., None]
    photo = (photo * (1 - light) + 235 * light).astype(np.uint8)
    thing = planet * [-1, 1]
    cv2.fillPoly(photo, [np.int32(map_plane(camera, thing))], (120, 150, 205))
    box = (-190.0, -220.0, 190.0, 220.0)
    ground = BoardScene(View(photo), camera, box, looks, board_mm=box, art=art)
    (found,) = find_unread_things(replace(ground, compared=ground.compare(0.8)))
    assert np.hypot(*(found.hull_mm.mean(axis=0) - thing.mean(axis=0))) < 5.0
