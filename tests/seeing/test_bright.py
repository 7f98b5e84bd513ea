"""Outlines: cards and their frames where they are, corners that still show, nothing in nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import LAW
from vision.geometry import polygon_area
from vision.imaging.view import from_level, halved
from vision.seeing.cards.card_finder import find_quads
from vision.seeing.detection.quads import suppress_repeated_quads
from vision.values.arrays import ImageBGR

CORNER_TOL_PX = 1.5  # rms of four corners: contours run half a pixel inside, blur does the rest
DRAWN_TOL_PX = 0.1  # rms; a sharp edge in whole pixels
TURNED_TOL_PX = 0.6  # contours start elsewhere, so lines are cut off elsewhere

REPEAT_PX = 1.5  # mean corner distance of outlines that are one

SCENES = {
    "from above": {},
    "steep and turned": {"tilt_deg": 45.0, "azimuth_deg": 30.0, "roll_deg": 70.0},
    "dark cloth": {"cloth_bgr": (25, 20, 30)},
    "white cloth": {"cloth_bgr": (225, 230, 235)},
    "through a barrel": {"k1": -0.03},
    "side by side": {"count": 20, "gap_mm": 1.0, "tilt_deg": 20.0},
}


def rms_distances(quads: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Return for each true quadrilateral the rms corner distance of the nearest one found."""
    turned = np.stack([np.roll(quads, k, axis=1) for k in range(4)], axis=1)  # (N, 4, 4, 2)
    apart = turned[None] - true[:, None, None]
    return np.sqrt((apart**2).sum(axis=4).mean(axis=3)).min(axis=(1, 2), initial=np.inf)


@pytest.mark.parametrize("name", SCENES)
def test_each_card_shows_as_its_edge_or_its_frame(show, bank, name):
    """At one of the two sizes that are searched. Either gives the card; matching tells which."""
    photo = show(**{"count": 8, **SCENES[name]})
    half = from_level(find_quads(halved(photo.image)), 1)
    quads = np.concatenate([find_quads(photo.image), half])
    edge = rms_distances(quads, photo.corners_px())
    frame = bank.frames[0]
    printed = rms_distances(quads, photo.corners_px((frame.width_mm, frame.height_mm)))
    assert np.minimum(edge, printed).max() < 2 * CORNER_TOL_PX  # half a pixel there is one here
    if name == "white cloth":  # what the frames are sought for: the white border is lost there
        assert (printed < 2 * CORNER_TOL_PX).all()


@pytest.mark.parametrize("is_crop", [True, False])
def test_one_card_may_nearly_fill_a_crop_alone(is_crop):
    image = plain(60)
    image[20:460, 40:600] = 250
    assert bool(len(find_quads(image, is_crop=is_crop))) == is_crop


@pytest.mark.parametrize("name", SCENES)
def test_one_threshold_at_half_size_shows_nearly_all(show, bank, name):
    """Half a pixel there is one here."""
    photo = show(**{"count": 8, **SCENES[name]})
    quads = from_level(find_quads(halved(photo.image)), 1)
    frame = bank.frames[0]
    shapes = (photo.corners_px(), photo.corners_px((frame.width_mm, frame.height_mm)))
    nearest = np.minimum(*(rms_distances(quads, shape) for shape in shapes))
    assert (nearest < 2 * CORNER_TOL_PX).mean() >= 0.75


def test_outlines_run_clockwise(show):
    quads = find_quads(show().image)
    assert len(quads) >= 8
    assert all(polygon_area(quad) > 0 for quad in quads)


def test_no_outline_is_told_twice(show):
    quads = find_quads(show().image)
    for i, quad in enumerate(quads):
        others = np.delete(quads, i, axis=0)
        assert np.abs(others - quad).mean(axis=(1, 2)).min() > REPEAT_PX


def test_turning_the_picture_turns_the_outlines(show):
    image = show().image
    upright = find_quads(image)
    turned = find_quads(np.ascontiguousarray(np.rot90(image)))  # (x, y) -> (y, W-1-x)
    back = np.stack([image.shape[1] - 1 - turned[..., 1], turned[..., 0]], axis=-1)
    assert np.median(rms_distances(back, upright)) < TURNED_TOL_PX
    assert len(back) == pytest.approx(len(upright), abs=3)


def plain(value: int) -> ImageBGR:
    return np.full((480, 640, 3), value, np.uint8)


@pytest.mark.parametrize("value", [0, 90, 255])
def test_a_blank_picture_has_no_outlines(value):
    outlines = find_quads(plain(value))
    assert outlines.shape == (0, 4, 2)


def test_noise_has_no_card_shaped_outlines():
    noise = np.random.default_rng(0).normal(90, 6, (480, 640, 3)).astype(np.uint8)
    assert find_quads(noise).shape == (0, 4, 2)


def test_too_large_and_too_small_is_no_card():
    for half_w, half_h, wanted in ((6, 8, False), (12, 17, True), (200, 180, False)):
        image = plain(60)
        image[240 - half_h : 240 + half_h, 320 - half_w : 320 + half_w] = 250
        assert bool(len(find_quads(image))) == wanted


def test_corners_of_a_drawn_card_are_where_it_was_drawn():
    """A blob runs through its own pixels' centres: from 300 to 359, 200 to 279."""
    image = plain(60)
    image[200:280, 300:360] = 250
    drawn = np.array([[300.0, 200], [359, 200], [359, 279], [300, 279]])
    assert rms_distances(find_quads(image), drawn[None]) < DRAWN_TOL_PX


@LAW
@given(st.integers(0, 2**32 - 1))
def test_of_outlines_that_are_nearly_one_the_first_is_kept(seed):
    rng = np.random.default_rng(seed)
    square = np.array([[0, 0], [20, 0], [20, 20], [0, 20.0]])
    quads = square + rng.integers(0, 3, (12, 1, 2)) * 2.0 + rng.uniform(-0.5, 0.5, (12, 4, 2))
    kept = suppress_repeated_quads(quads, 1.5)
    apart = np.abs(kept[:, None] - kept[None]).mean(axis=(2, 3))
    assert (apart[~np.eye(len(kept), dtype=bool)] > 1.5).all()
    assert (np.abs(quads[:, None] - kept).mean(axis=(2, 3)).min(axis=1) <= 1.5).all()
