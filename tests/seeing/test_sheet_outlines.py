"""Sheets whose print is too small for features are found by their edges, the right way round."""

import math

import cv2
import numpy as np
import pytest

from tests.games.conflit_stellaire.drawn import Table, photograph, scene_of
from vision.apps.known import known_game
from vision.games.conflit_stellaire.deck import deck
from vision.imaging.view import View
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.estimation.rectify import Rectified, bounding_box
from vision.seeing.pieces.sheet_search import find_sheets, outlined_places

SIZE = (190.0, 30.0)
PLACE_TOL_MM = 1.5  # at 1 px/mm: a pixel and a half
TURN_TOL_RAD = 0.02  # that at the end of a strip


@pytest.mark.parametrize(("seats", "azimuth", "cloth"), [(3, 40.0, 70), (4, 200.0, 150)])
def test_strips_of_a_pixel_a_millimetre_are_found_the_right_way_round(seats, azimuth, cloth):
    rng = np.random.default_rng(seats)
    table = Table(seats, rng)
    for seat in range(seats):
        table.lay(seat, "energy-cell", 0, 330)
        table.lay(seat, "screen", 120, 330, 90)
    for one in range(seats):
        table.strip(one, (one + 1) % seats, int(rng.integers(1, 13)))
    told = table.told()
    image, camera = photograph(
        scene_of(told, 1, size_wh=(1100, 1100), tilt_deg=25, azimuth_deg=azimuth,
                 cloth_bgr=(cloth, cloth, cloth))
    )  # fmt: skip
    detector = known_game("conflit-stellaire").detector()
    covers = card_outlines(np.array([card.pose for card in told.cards]), deck().card_mm)
    found = find_sheets(View(image), camera, detector.pieces.prints, [4], covers, by_edges=True)
    strips = [p.pose for p in told.pieces if p.size_mm == deck().scale_mm]
    assert len(found) == len(strips)
    for x, y, theta in strips:
        own = min(found, key=lambda one: math.hypot(one.x_mm - x, one.y_mm - y))
        assert math.hypot(own.x_mm - x, own.y_mm - y) < PLACE_TOL_MM
        assert abs(math.remainder(own.theta_rad - theta, 2 * math.pi)) < TURN_TOL_RAD


@pytest.mark.parametrize("tones", [(60, 220), (220, 60)])
@pytest.mark.parametrize("theta", [0.0, 0.7, 1.5, -1.2])
def test_what_has_the_shape_is_a_place_and_what_has_not_or_is_known_is_none(tones, theta):
    cloth, paper = tones
    picture = np.full((400, 400, 3), cloth, np.uint8)
    rectified = Rectified(picture, np.ones((400, 400), np.bool_), 1.0, np.array([-200.0, -200.0]))

    def lay(size, x, y, turn):
        (corners,) = card_outlines(np.array([[x, y, turn]]), size)
        cv2.fillConvexPoly(
            picture, np.rint(rectified.to_px(corners)).astype(np.int32), (paper,) * 3
        )
        return corners

    strip = lay(SIZE, 10.0, -20.0, theta)
    lay((63.5, 88.9), -120.0, 140.0, 0.2)
    lay((60.0, 30.0), 140.0, 150.0, 0.0)
    none = np.zeros((400, 400), np.bool_)
    (place,) = outlined_places(rectified, none, SIZE)
    assert place[:2] == pytest.approx([10.0, -20.0], abs=1.0)
    assert abs(math.sin(place[2] - theta)) < TURN_TOL_RAD
    left, top, right, bottom = bounding_box(rectified.to_px(strip), 3.0)
    none[int(top) : int(bottom), int(left) : int(right)] = True
    assert len(outlined_places(rectified, none, SIZE)) == 0
