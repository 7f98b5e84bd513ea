"""A card of which a corner and some border show is found; what is known, or no card, is not."""

import cv2
import numpy as np
import pytest

from vision.geometry import card_corners
from vision.imaging.view import View
from vision.seeing.cards.propose_from_borders import propose_from_borders
from vision.seeing.detection.bright_quads import find_outlines
from vision.seeing.estimation.model import project_cards as show_on

NEAR_MM = 8.0  # one corner tells where a card lies, not well
HIDDEN = 3  # of the cards
SIZE_MM = (63.5, 88.9)


def found_in(photo, image, index, known):
    """Look for what shows by its border beside some of a photo's cards."""
    outlines = find_outlines(image, photo.corners_px()[known])
    view, poses = View(image), photo.poses[known]
    return propose_from_borders(outlines.visible_corners, photo.solution, view, index, poses)


def on_card(photo, places_mm):
    """Return where places (N, 2) of the hidden card show in the photo."""
    at = show_on(
        photo.solution, photo.poses[HIDDEN][None], np.array(places_mm, float).reshape(-1, 2)
    )[0]
    return np.rint(at).astype(np.int32)


def with_counters(photo, places_mm):
    image = photo.image.copy()
    side = np.linalg.norm(np.diff(on_card(photo, [(0, 0), (19.0, 0)]), axis=0))
    for x, y in on_card(photo, places_mm).tolist():
        cv2.circle(image, (x, y), round(float(side)), (40, 70, 140), -1)
    return image


ALL = list(range(8))
OTHERS = [k for k in ALL if k != HIDDEN]


def test_a_card_of_which_counters_leave_a_corner_is_found(show, index):
    photo = show(count=8)
    image = with_counters(photo, [(-22, -36), (8, -36), (20, 0), (-2, 4), (20, 36)])
    found = found_in(photo, image, index, OTHERS)
    assert len(found)
    assert np.linalg.norm(found[:, :2] - photo.poses[HIDDEN, :2], axis=1).max() < NEAR_MM


@pytest.mark.parametrize("places", [[], [(-22, -36), (8, -36), (20, 0)]])
def test_nothing_is_found_where_a_card_explains_the_border(show, index, places):
    photo = show(count=8)
    assert not len(found_in(photo, with_counters(photo, places), index, ALL))


@pytest.mark.parametrize(
    ("size_mm", "rim"),
    [((75.0, 150.0), (245, 245, 245)), (SIZE_MM, (180, 80, 160))],
    ids=["longer than a card", "coloured"],
)
def test_a_dark_thing_with_a_rim_is_no_card(show, index, size_mm, rim):
    photo = show(count=8)
    image, thing = photo.image.copy(), card_corners(*size_mm)
    beside = np.array([[265.0, 20.0, 0.1]])  # right of all cards, and whole in the photo
    for inset, colour in ((0.0, rim), (3.0, (25, 20, 20))):
        at_px = show_on(photo.solution, beside, thing - inset * np.sign(thing))[0]
        assert (at_px < image.shape[1::-1]).all()
        cv2.fillConvexPoly(image, np.rint(at_px).astype(np.int32), colour)
    assert not len(found_in(photo, image, index, ALL))


def test_the_same_with_a_white_rim_of_a_cards_size_is_one(show, index):
    photo = show(count=8)
    image, beside = photo.image.copy(), np.array([[265.0, 20.0, 0.1]])
    for inset, colour in ((0.0, (245, 245, 245)), (3.0, (25, 20, 20))):
        corners = card_corners(*SIZE_MM)
        at_px = show_on(photo.solution, beside, corners - inset * np.sign(corners))[0]
        cv2.fillConvexPoly(image, np.rint(at_px).astype(np.int32), colour)
    found = found_in(photo, image, index, ALL)
    assert np.linalg.norm(found[:, :2] - beside[0, :2], axis=1).min() < NEAR_MM


def test_without_a_known_card_nobody_knows_how_white_a_border_is(show, index):
    photo = show(count=8)
    assert not len(found_in(photo, photo.image, index, []))
