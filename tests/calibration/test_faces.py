"""Faces: sizes and places to a fraction of a pixel, and cards that can be told apart."""

import itertools
import math

import cv2
import numpy as np
import pytest
from PIL import Image

from calibration.art.drawing import Disc, Polygon, Ring, Stroke, box, mirrored, shifted, smooth
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.art.paint import paint_raster
from calibration.art.palette import PAPER
from calibration.light_speed.art import deck_art
from calibration.light_speed.faces import BAND_MM, BORDER_MM, draw_face, face_shapes
from calibration.light_speed.palette import team_palette
from calibration.light_speed.weapons import MUZZLE, laser_colour
from calibration.printing import write_pictures
from vision.games.light_speed.deck import card_ids, load_deck, ship_of, team_of
from vision.geometry import heading_vector

DECK = load_deck("light-speed")
IDS = card_ids(DECK)
RED = team_palette("red")
FINE = 12.0  # px/mm, where a print mark is dozens of pixels

EDGE_TOL_PX = 0.05  # rings are painted by exact cover; 8 bits leave 1/256 of a pixel
SHAPE_TOL_PX = 0.4  # other shapes: 4 x 4 samples, and OpenCV draws the outline of a fill too
ALIKE_LIMIT = 0.9  # Lab correlation at 32 x 45 px, between any two ships of a team
TURNED_LIMIT = 0.85  # the same, one of the two turned by half
HUE_GAP = 20  # in Lab units, over the pixels that have a colour; 2 can just be seen


def at(image, x_mm, y_mm, px_per_mm=FINE):
    """The colour (RGB) at a place of the card."""
    h, w = image.shape[:2]
    x, y = round(x_mm * px_per_mm + (w - 1) / 2), round(y_mm * px_per_mm + (h - 1) / 2)
    return tuple(int(v) for v in image[y, x, ::-1])


def darkness(image):
    """How dark each pixel is, 0..1, by the green channel (far from white in every red tone)."""
    return 1 - image[:, :, 1].astype(float) / 255


def beam_length(laser):
    """How far it is from the muzzle to the edge of the panel."""
    return min(
        ((half if u > 0 else -half) - x) / u
        for x, u, half in zip(
            laser.muzzle_mm, heading_vector(laser.heading_rad), (25.75, 38.45), strict=True
        )
        if u
    )


# --- painting ------------------------------------------------------------------------------------


@pytest.mark.parametrize("px_per_mm", [1.0, 2.5, 4.0, 100 / 25.4, 300 / 25.4])
def test_the_size_is_the_cards_in_whole_pixels(px_per_mm):
    image = draw_face(DECK, "red-moth", px_per_mm)
    assert image.shape == (round(88.9 * px_per_mm), round(63.5 * px_per_mm), 3)
    assert image.dtype == np.uint8


@pytest.mark.parametrize("px_per_mm", [2.0, 4.0, 5.3, 300 / 25.4])
def test_a_shape_lies_where_it_says(px_per_mm):
    """Centre and area of a rectangle, from grey levels alone, off the middle and off the grid."""
    left, top, right, bottom = -7.13, 3.37, 4.91, 12.08
    image = paint_raster([Polygon(box(left, top, right, bottom), (0, 0, 0))], (40, 50), px_per_mm)
    dark = darkness(image)
    ys, xs = np.mgrid[: dark.shape[0], : dark.shape[1]]
    centre = [(dark * xs).sum() / dark.sum(), (dark * ys).sum() / dark.sum()]
    want = [(left + right) / 2, (top + bottom) / 2]
    middle = [(side - 1) / 2 for side in (dark.shape[1], dark.shape[0])]
    assert np.allclose((np.array(centre) - middle) / px_per_mm, want, atol=SHAPE_TOL_PX / px_per_mm)
    wide, high = (right - left) * px_per_mm, (bottom - top) * px_per_mm
    assert dark.sum() == pytest.approx(wide * high, abs=SHAPE_TOL_PX * (wide + high))


def test_discs_and_strokes_lie_where_they_say():
    shapes = [Disc((-6.3, 2.1), 3.2, (0, 0, 0)), Stroke(((5, -8.2), (5, 8.2)), 2.5, (0, 0, 0))]
    dark = darkness(paint_raster(shapes, (40, 50), 6.0))
    disc, line = dark[:, :115], dark[:, 115:]
    assert disc.sum() == pytest.approx(math.pi * (3.2 * 6) ** 2, rel=0.03)
    assert line.sum() == pytest.approx((16.4 * 2.5 + math.pi * 1.25**2) * 36, rel=0.03)
    assert (disc.sum(0) @ np.arange(115)) / disc.sum() == pytest.approx(119.5 - 6.3 * 6, abs=0.3)


def test_a_hole_stays_open_and_a_ring_is_painted_over_later_shapes():
    frame = Ring((20, 30), (10, 20), (0, 0, 0))
    cover = Polygon(box(-20, -25, 20, 25), (0, 255, 0), (box(-2, -2, 2, 2),))
    image = paint_raster([frame, cover], (40, 50), 4.0)
    assert at(image, 0, 0, 4.0) == PAPER
    assert at(image, 4, 0, 4.0) == (0, 255, 0)
    assert at(image, 7.5, 0, 4.0) == (0, 0, 0)
    assert at(image, 15, 0, 4.0) == (0, 255, 0)


def test_moving_shapes_moves_their_picture():
    shapes = [s for s in face_shapes(DECK, "blue-viper") if not isinstance(s, Ring)]
    still = paint_raster(shapes, (63.5, 89), 4.0)
    moved = paint_raster(shifted(shapes, 3.0, -5.0), (63.5, 89), 4.0)
    unlike = (moved[100:200, 62:200] != still[120:220, 50:188]).any(axis=2)
    assert unlike.mean() < 0.01  # rounding to 1/16 sample may tip a sample on an edge


def test_mirroring_twice_and_a_smooth_curve_keep_the_points():
    points = ((1.0, 2.0), (3.5, -1.0), (4.0, 4.0))
    assert mirrored(mirrored(points, 1.25), 1.25) == points
    for closed in (False, True):
        assert set(points) <= set(smooth(points, closed=closed, steps=5))


def test_a_scale_that_leaves_no_pixel_is_refused():
    with pytest.raises(ValueError, match="px_per_mm"):
        draw_face(DECK, "red-moth", 0.005)


# --- lettering -----------------------------------------------------------------------------------


def test_every_name_can_be_lettered_and_is_as_wide_as_said():
    for text in [ship.name for ship in DECK.ships] + ["0123456789", "a-b. z"]:
        strokes = letter(text, (2.0, 3.0), Script(6.0, 0.5), (0, 0, 0))
        points = np.array([point for stroke in strokes for point in stroke.points])
        assert points[:, 1].min() >= 3.0
        assert points[:, 1].max() <= 9.0
        assert points[:, 0].max() - 2.0 <= text_width_mm(text, Script(6.0, 0.5)) + 1e-9


def test_french_is_lettered_with_its_accents():
    """An accent is one stroke more, above the letter, and takes no room; a ligature is parted."""
    script, ink = Script(6.0, 0.5), (0, 0, 0)
    assert text_width_mm("écran d'à côté", script) == text_width_mm("ecran d'a cote", script)
    plain, accented = letter("E", (2.0, 9.0), script, ink), letter("é", (2.0, 9.0), script, ink)
    assert accented[: len(plain)] == plain
    assert len(accented) == len(plain) + 1
    assert max(y for _, y in accented[-1].points) < 9.0 - script.width_mm
    assert letter("Œil", (0, 0), script, ink) == letter("oeil", (0, 0), script, ink)


def test_an_unknown_letter_is_refused():
    with pytest.raises(ValueError, match="'Ñ'"):
        letter("ñ", (0, 0), Script(3, 0.3), (0, 0, 0))


# --- what all faces share ------------------------------------------------------------------------


@pytest.mark.parametrize("card_id", IDS)
def test_the_border_is_pure_white_and_the_band_one_colour_all_around(card_id):
    px_per_mm = 4.0
    image = draw_face(DECK, card_id, px_per_mm)
    h, w = image.shape[:2]
    y, x = np.mgrid[:h, :w]
    inset = np.minimum(
        63.5 / 2 - np.abs(x - (w - 1) / 2) / px_per_mm,
        88.9 / 2 - np.abs(y - (h - 1) / 2) / px_per_mm,
    )
    pixel = 1 / px_per_mm
    assert (image[inset < BORDER_MM - pixel / 2] == 255).all()
    band = image[(inset > BORDER_MM + pixel / 2) & (inset < BORDER_MM + BAND_MM - pixel / 2)]
    assert (band == band[0]).all()
    assert cv2.cvtColor(band[None, :1], cv2.COLOR_BGR2GRAY)[0, 0] < 120


@pytest.mark.parametrize("px_per_mm", [2.0, 3.7, 4.0, 300 / 25.4])
def test_the_printed_frame_measures_to_a_fraction_of_a_pixel(px_per_mm):
    """Across each side, the darkness of the band's first pixels says where its edge lies."""
    image = draw_face(DECK, "red-ghost", px_per_mm)
    middle_y, middle_x = (side // 2 for side in image.shape[:2])
    h, w = image.shape[:2]
    depth = math.ceil((BORDER_MM + 1) * px_per_mm)
    full = 1 - RED.band[1] / 255
    for strip, side, length in (
        (image[middle_y, :depth], 56.5, w),
        (image[middle_y, ::-1][:depth], 56.5, w),
        (image[:depth, middle_x], 81.9, h),
        (image[::-1, middle_x][:depth], 81.9, h),
    ):
        dark = (1 - strip[:, 1] / 255.0).sum() / full
        assert depth - dark == pytest.approx((length - side * px_per_mm) / 2, abs=EDGE_TOL_PX)


# --- what is printed on a ship -------------------------------------------------------------------

SHIPS = [f"{DECK.teams[i % 4]}-{ship.name}" for i, ship in enumerate(DECK.ships)]


@pytest.mark.parametrize("card_id", SHIPS)
def test_a_laser_starts_at_its_muzzle_and_runs_along_its_heading(card_id):
    image = draw_face(DECK, card_id, FINE)
    for laser in ship_of(DECK, card_id).lasers:
        start, ahead = np.array(laser.muzzle_mm), heading_vector(laser.heading_rad)
        aside = np.array([-ahead[1], ahead[0]])
        assert at(image, *start) == MUZZLE
        length = beam_length(laser)
        off_core = 1.0 if laser.power == 3 else 0.0  # the widest one has a white core
        heads = 1.0 + 3.1 * laser.power
        for along in np.linspace(2.5, length - heads, 25):
            for side in (-off_core, off_core):
                colour = at(image, *(start + along * ahead + side * aside))
                assert colour == laser_colour(laser.power), (laser, along)


@pytest.mark.parametrize("card_id", SHIPS)
def test_power_can_be_counted_in_arrowheads(card_id):
    """Beside the shaft each head is one run of its colour along the line."""
    image = draw_face(DECK, card_id, FINE)
    aside_mm = {1: 0.9, 2: 1.25, 3: 2.2}
    for laser in ship_of(DECK, card_id).lasers:
        start, ahead = np.array(laser.muzzle_mm), heading_vector(laser.heading_rad)
        aside = np.array([-ahead[1], ahead[0]]) * aside_mm[laser.power]
        length = beam_length(laser)
        run = [
            at(image, *(start + along * ahead + aside)) == laser_colour(laser.power)
            for along in np.arange(length - 11, length - 0.4, 0.1)
        ]
        assert sum(b and not a for a, b in itertools.pairwise(run)) == laser.power


@pytest.mark.parametrize("card_id", SHIPS)
def test_a_shield_bar_covers_its_stretch_and_no_more(card_id):
    image = draw_face(DECK, card_id, FINE)
    for shield in ship_of(DECK, card_id).shields:
        upright = shield.edge in ("left", "right")
        sign = -1 if shield.edge in ("left", "top") else 1
        reach = 38.45 if upright else 25.75
        for depth in (0.5 + 0.6, 2.15 + 0.6):  # the middle of each bar
            out = sign * ((25.75 if upright else 38.45) - depth)
            start, end = max(shield.from_mm, -reach), min(shield.to_mm, reach)

            def is_red(along, out=out, upright=upright):
                red, green, blue = at(image, *((out, along) if upright else (along, out)))
                return red > 200 and green < 60 and blue < 80

            assert all(is_red(along) for along in np.linspace(start + 0.5, end - 0.5, 30))
            for along in (start - 0.3, end + 0.3):
                assert abs(along) > reach or not is_red(along)


@pytest.mark.parametrize("card_id", SHIPS)
def test_health_is_the_number_of_dots(card_id):
    image = draw_face(DECK, card_id, FINE)
    y = 38.45 - 6.3
    row = [at(image, x, y) for x in np.arange(-24, 0, 0.1)]
    dots = [red > 200 and green < 80 for red, green, _ in row]
    count = sum(b and not a for a, b in itertools.pairwise(dots))
    assert count == ship_of(DECK, card_id).health


def test_the_figure_is_in_the_top_left_corner_and_nothing_crosses_the_name():
    """The letters over the finished face differ from the face nowhere."""
    for card_id in SHIPS:
        image = draw_face(DECK, card_id, FINE)
        corner = image[round(6 * FINE) : round(16.5 * FINE), round(6 * FINE) : round(13 * FINE)]
        assert (corner.min(axis=2) == 255).mean() > 0.08
        shapes = face_shapes(DECK, card_id)
        name = [s for s in shapes if isinstance(s, Stroke) and s.colour == PAPER and not s.closed]
        beams = [
            heading_vector(laser.heading_rad) * np.arange(2.5, 60, 0.25)[:, None] + laser.muzzle_mm
            for laser in ship_of(DECK, card_id).lasers
        ]
        points = np.vstack([np.array(s.points) for s in name if min(y for _, y in s.points) < -30])
        for beam in beams:
            gaps = np.linalg.norm(beam[:, None] - points[None], axis=2)
            assert gaps.min() > 2.0


# --- telling cards apart -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def signatures():
    """Each card at 32 x 45 px in Lab, zero mean and unit norm; upright and turned by half."""
    upright, turned, chroma = {}, {}, {}
    for card_id in IDS:
        small = cv2.resize(draw_face(DECK, card_id, 2.0), (32, 45), interpolation=cv2.INTER_AREA)
        lab = cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
        lab_zero = lab - lab.mean(axis=(0, 1))
        upright[card_id] = (lab_zero / np.linalg.norm(lab_zero)).ravel()
        turned[card_id] = (lab_zero[::-1, ::-1] / np.linalg.norm(lab_zero)).ravel()
        coloured = lab[np.hypot(lab[:, :, 1], lab[:, :, 2]) > 20]
        chroma[card_id] = coloured[:, 1:].mean(axis=0) if len(coloured) else np.zeros(2)
    return upright, turned, chroma


def test_no_two_ships_of_a_team_look_alike(signatures):
    upright, turned, _ = signatures
    for team in DECK.teams:
        own = [card_id for card_id in IDS if team_of(DECK, card_id) == team]
        for a, b in itertools.combinations(own, 2):
            assert upright[a] @ upright[b] < ALIKE_LIMIT, (a, b)
        for a, b in itertools.product(own, repeat=2):
            assert upright[a] @ turned[b] < TURNED_LIMIT, (a, b)


def test_cards_of_no_team_look_like_no_other_card_either_way_up(signatures):
    upright, turned, _ = signatures
    for a in (card_id for card_id in IDS if team_of(DECK, card_id) is None):
        for b in IDS:
            assert upright[a] @ turned[b] < ALIKE_LIMIT, (a, b)
            assert a == b or upright[a] @ upright[b] < ALIKE_LIMIT, (a, b)


def test_teams_differ_in_hue(signatures):
    """The mean a and b of what is coloured lie far apart for the same ship in two teams."""
    _, _, chroma = signatures
    for ship in DECK.ships:
        for one, other in itertools.combinations(DECK.teams, 2):
            gap = chroma[f"{one}-{ship.name}"] - chroma[f"{other}-{ship.name}"]
            assert np.linalg.norm(gap) > HUE_GAP, (ship.name, one, other)


def test_the_two_asteroid_backs_make_one_rock():
    """Moved by a card's width, what the left back shows is what the right back shows."""
    left, right = face_shapes(DECK, "asteroid-1-back"), face_shapes(DECK, "asteroid-2-back")
    outlines = [
        {s.outline for s in shapes if isinstance(s, Polygon) and len(s.outline) == 60}
        for shapes in (shifted(left, -63.5, 0), right)
    ]
    rounded = [
        {tuple((round(x, 6), round(y, 6)) for x, y in outline) for outline in found}
        for found in outlines
    ]
    assert rounded[0]
    assert len(rounded[0] & rounded[1]) >= 4


# --- files ---------------------------------------------------------------------------------------


def test_art_is_one_file_per_card_of_the_true_size(tmp_path):
    files = write_pictures(deck_art(DECK), tmp_path / "art", dpi=50)
    assert [path.name for path in files] == [f"{card_id}.png" for card_id in IDS]
    assert sorted(tmp_path.rglob("*.*")) == sorted(files)
    with Image.open(files[0]) as picture:
        assert picture.size == (125, 175)
        assert picture.info["dpi"] == pytest.approx((50, 50), abs=0.02)
        assert np.array_equal(np.asarray(picture)[:, :, ::-1], draw_face(DECK, IDS[0], 50 / 25.4))


def test_a_card_of_no_deck_is_refused():
    with pytest.raises(ValueError, match="red-kite"):
        draw_face(DECK, "red-kite", 4.0)
