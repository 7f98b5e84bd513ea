"""Both places of a card that lies elsewhere: one picture of each photo, all of one size."""

import json

import numpy as np
import pytest

from vision.files.layouts import issue_to_json, places_from_json
from vision.showing.places import draw_places
from vision.texts import texts
from vision.values.messages import Issue, Place

SQUARE = ((40.0, 40.0), (90.0, 40.0), (90.0, 110.0), (40.0, 110.0))
ASIDE = tuple((x + 3.0, y) for x, y in SQUARE)
SIZE = (200, 150)
BOTH = (Place(0, SIZE, SQUARE, ASIDE), Place(1, SIZE, ASIDE, SQUARE))
GONE = (Place(0, SIZE, SQUARE), Place(1, SIZE, other_px=ASIDE))
PHOTOS = [np.full((150, 200, 3), tone, np.uint8) for tone in (60, 120)]


def moved(places):
    return Issue("card_moved", "", ("red-moth",), places=places)


@pytest.mark.parametrize("places", [BOTH, GONE, ()])
def test_places_are_written_and_read_back(places):
    told = json.loads(json.dumps(issue_to_json(moved(places), texts("en"))))
    assert places_from_json(told.get("places", ())) == places


@pytest.mark.parametrize("places", [BOTH, GONE])
def test_each_photo_is_shown_once_and_outlined(places):
    drawn = draw_places(PHOTOS, [1, 3], [moved(places), moved(())], texts("en"), width_px=240)
    assert len(drawn) == 2
    assert len({image.shape for image in drawn}) == 1
    for image, photo in zip(drawn, PHOTOS, strict=True):
        cut = image[: round(0.72 * 240)]
        plain = (cut == photo[0, 0]).all(axis=2)
        assert 0.5 < plain.mean() < 0.98  # the photo, and lines on it


def test_a_photo_that_is_not_at_hand_is_passed_over():
    assert draw_places(PHOTOS[:1], [1], [moved(BOTH)], texts("en"), width_px=240) == []
