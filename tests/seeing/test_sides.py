"""Sides to a fraction of a pixel: against drawn steps, and against cards whose poses are known."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import erf

from vision.imaging.view import to_gray
from vision.seeing.estimation.model import Solution, residuals, with_poses
from vision.seeing.registration.edge_fitting import card_rectangles, measure_edges
from vision.seeing.registration.edge_profile import Rectangle

#: Against the truth, in pixels. A synthetic photo has 2 tones of noise and is saved as JPEG; what
#: is left after a line through 48 samples is far below a sample's own 0.1 px.
MEDIAN_TOL_PX = 0.04
WORST_TOL_PX = 0.25
SCENES = {
    "from above": {"tilt_deg": 0.0},
    "30 degrees": {"tilt_deg": 30.0, "roll_deg": 20.0},
    "45 degrees": {"tilt_deg": 45.0, "azimuth_deg": 200.0},
    "from above, barrel": {"tilt_deg": 0.0, "k1": -0.03},
    "30 degrees, barrel": {"tilt_deg": 30.0, "roll_deg": 20.0, "k1": -0.03},
    "45 degrees, barrel": {"tilt_deg": 45.0, "azimuth_deg": 200.0, "k1": -0.03, "k2": 0.01},
}


def errors_px(sides, truth):
    """Return seen minus true along each normal (M,), bloom taken out; the synth has no walls."""
    flat = replace(truth, thickness_mm=0.0)
    off = residuals(flat, sides.seen) * sides.seen.sigma_px
    return off - sides.seen.polarity * np.median(off * sides.seen.polarity)


@pytest.mark.parametrize("name", SCENES)
def test_sides_lie_where_they_are(show, bank, name):
    photo = show(**SCENES[name])
    truth, gray = photo.solution, to_gray(photo.image)
    for rectangle in card_rectangles(bank):
        sides = measure_edges(gray, truth, rectangle, 4.0)
        assert sides.share.shape == (8, 4)
        assert (sides.share > 0.8).all()
        assert len(sides.seen.card) == 2 * 4 * 8
        off = np.abs(errors_px(sides, truth))
        assert np.median(off) < MEDIAN_TOL_PX
        assert off.max() < WORST_TOL_PX


def test_sides_are_found_from_a_poor_start(show, bank):
    """Cards a millimetre and a degree off: less than half way to the next parallel edge."""
    photo = show(**SCENES["30 degrees"])
    truth, gray = photo.solution, to_gray(photo.image)
    rng = np.random.default_rng(0)
    start = with_poses(truth, truth.poses + rng.uniform(-1, 1, (8, 3)) * [0.8, 0.8, 0.018])
    edge, frame = card_rectangles(bank)
    for rectangle in (edge, frame):
        sides = measure_edges(gray, start, rectangle, 9.0)
        off = np.abs(errors_px(sides, truth))
        assert np.median(off) < 1.5 * MEDIAN_TOL_PX  # along normals that are a degree off
        assert (sides.share > 0.5).mean() > 0.9


def test_the_stated_sigma_is_no_boast(show, bank):
    """Nearly all sides lie within three of their sigmas; and the sigma is not just large."""
    for name in ("30 degrees", "45 degrees, barrel"):
        photo = show(**SCENES[name])
        for rectangle in card_rectangles(bank):
            sides = measure_edges(to_gray(photo.image), photo.solution, rectangle, 4.0)
            off = errors_px(sides, photo.solution) / sides.seen.sigma_px
            assert np.mean(np.abs(off) < 3) > 0.97
            assert np.median(sides.seen.sigma_px) < 0.25  # px; 0.1 mm of the cards' own shape


# --- drawn steps -----------------------------------------------------------------------------

SQUARE = Rectangle(60.0, 60.0, bright_inside=True, inset_mm=4.0, shape_sd_mm=0.0, gap_mm=20.0)
#: Tones are read between pixels along straight lines, before they are made light: dark wins a
#: little, on bright and dark sides alike, which the adjustment's bloom takes up.
STEP_TOL_PX = 0.07
RIPPLE_TOL_PX = (
    0.08  # in all, by where in a pixel the step lies; 48 samples of a turned card average it
)


def step_photo(offset_px: float, blur_px: float = 1.0, dark: float = 0.05):
    """Draw a bright square of 60 mm at 4 px/mm, each side pushed out by ``offset_px``.

    The light is exact, and goes through the tone curve as a camera's does.
    """
    away = np.array([0.0, 0.0, 500.0])
    truth = Solution(2000.0, np.array([200.0, 200.0]), 0.0, 0.0, np.eye(3), away, np.zeros((1, 3)))
    truth = replace(truth, thickness_mm=0.0)
    half = 120.0 + offset_px
    s = np.arange(401) - 200.0
    inside = (erf((half - s) / blur_px / 2**0.5) + erf((half + s) / blur_px / 2**0.5)) / 2
    light = dark + (0.8 - dark) * inside[:, None] * inside
    tones = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * tones).astype(np.uint8), truth


def offsets_px(sides, truth):
    """Return where the sides are seen, outward from the truth: (M,)."""
    return residuals(truth, sides.seen) * sides.seen.sigma_px


@pytest.mark.parametrize("blur_px", [0.5, 0.7, 1.0, 1.5])
def test_a_drawn_step_is_found_wherever_in_a_pixel_it_lies(blur_px):
    off = []
    for offset_px in np.arange(-1.5, 1.51, 0.125):
        gray, truth = step_photo(offset_px, blur_px)
        sides = measure_edges(gray, truth, SQUARE, 4.0)
        assert sides.seen.normal_px == pytest.approx(np.round(sides.seen.normal_px), abs=1e-9)
        assert len(sides.seen.card) == 8
        off.append(offsets_px(sides, truth) - offset_px)
    assert np.abs(np.mean(off)) < STEP_TOL_PX
    assert np.ptp(off) < RIPPLE_TOL_PX


def test_light_not_tones_is_symmetric():
    """On the tones themselves the same edge would seem shifted: by more than is allowed above."""
    gray, truth = step_photo(0.0, blur_px=1.5, dark=0.0)
    sides = measure_edges(gray, truth, SQUARE, 6.0)
    off = offsets_px(sides, truth)
    assert off == pytest.approx(0, abs=STEP_TOL_PX)
    tones = gray[200, 200:].astype(float)
    crossing = float(np.interp(-tones[0] / 2, -tones, np.arange(len(tones))))
    assert crossing - 120 > 0.5  # where the tone is half


def test_an_edge_of_the_wrong_sign_is_not_taken():
    gray, truth = step_photo(0.5)
    wrong = replace(SQUARE, bright_inside=False)
    sides = measure_edges(gray, truth, wrong, 4.0)
    assert len(sides.seen.card) == 0
    assert sides.share.tolist() == [[0, 0, 0, 0]]


def test_an_edge_beyond_the_reach_is_not_taken():
    gray, truth = step_photo(5.0)
    assert len(measure_edges(gray, truth, SQUARE, 3.0).seen.card) == 0
    assert len(measure_edges(gray, truth, SQUARE, 7.0).seen.card) == 8


def test_the_next_parallel_edge_bounds_the_reach():
    """With another edge 2 mm away (8 px), an edge 5 px off may be that one."""
    gray, truth = step_photo(5.0)
    assert len(measure_edges(gray, truth, replace(SQUARE, gap_mm=2.0), 7.0).seen.card) == 0


def test_a_side_outside_the_picture_is_not_measured():
    gray, truth = step_photo(0.0)
    cut = np.ascontiguousarray(gray[:, 105:])  # the left side is at 80
    sides = measure_edges(cut, replace(truth, centre_px=truth.centre_px - [105, 0]), SQUARE, 4.0)
    top, right, bottom, left = sides.share[0]
    assert left == 0
    assert right > 0.8
    assert 0.5 < top < 0.98
    assert 0.5 < bottom < 0.98


def test_half_a_covered_side_still_tells_where_it_lies():
    gray, truth = step_photo(0.4)
    covered = gray.copy()
    covered[:90, 195:] = 30  # the right half of the top side
    sides = measure_edges(covered, truth, SQUARE, 4.0)
    assert 0.35 < sides.share[0, 0] < 0.6
    top = sides.seen.normal_px[:, 1] < -0.9
    off = offsets_px(sides, truth)
    assert off[top] == pytest.approx(0.4, abs=STEP_TOL_PX)
    assert sides.seen.point_mm[top, 0].max() < 0  # said of the half that shows


def test_nothing_is_measured_on_a_blank_picture_or_without_cards():
    _, truth = step_photo(0.0)
    blank = np.full((401, 401), 128, np.uint8)
    assert len(measure_edges(blank, truth, SQUARE, 4.0).seen.card) == 0
    none = measure_edges(blank, with_poses(truth, np.zeros((0, 3))), SQUARE, 4.0)
    assert none.share.shape == (0, 4)
    assert len(none.seen.card) == 0


def test_the_cut_side_shows_only_where_the_camera_sees_it(show, bank):
    """From 45 degrees, a card's near side shows its thickness; its far side does not."""
    photo = show(**SCENES["45 degrees"])
    edge, frame = card_rectangles(bank)
    seen = measure_edges(to_gray(photo.image), photo.solution, edge, 4.0).seen
    down = photo.solution.rotation[:, 2]  # into the table, in the camera frame
    facing = seen.normal_px @ down[:2]
    assert (seen.wall[facing < -0.3] == 0).all()
    assert (seen.wall[facing > 0.3] > 0).all()
    printed = measure_edges(to_gray(photo.image), photo.solution, frame, 4.0).seen
    assert (printed.wall == 0).all()


def test_a_card_shows_its_edge_and_its_frame_with_the_border_between(bank):
    edge, frame = card_rectangles(bank)
    assert (edge.is_card_edge, frame.is_card_edge) == (True, False)
    assert (edge.bright_inside, frame.bright_inside) == (True, False)
    assert edge.gap_mm == frame.gap_mm == pytest.approx((63.5 - 56.5) / 2)
