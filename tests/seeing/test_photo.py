"""Advice: said where a photo is poor, with figures that are true, and only there."""

from dataclasses import replace

import numpy as np
import pytest

from vision.imaging.view import to_gray
from vision.seeing.issues.photo_quality import report_photo_quality
from vision.seeing.values import FaceMatch
from vision.values.layout import Placed

CLEAR = FaceMatch(np.array([[0.9, 0.1], [0.2, 0.1]]), 1.0, haze=0.2, white=230.0)
FRAME = (56.5 / 63.5, 81.9 / 88.9)


def codes(photo, matches=None, tilt_deg=20.0, scale=1.0):
    matches = matches or [CLEAR] * len(photo.cards)
    corners = photo.corners_px() * scale
    placed = [
        Placed(str(k), card.card_id, 0.0, 0.0, 0.0, np.eye(3), px)
        for k, (card, px) in enumerate(zip(photo.cards, corners, strict=True))
    ]
    cards = list(zip(placed, matches, strict=True))
    gray = to_gray(photo.image)
    found = report_photo_quality(cards, FRAME, gray, np.radians(tilt_deg))
    return {issue.code: issue for issue in found}


def test_a_good_photo_needs_none(show):
    assert codes(show(count=8)) == {}


def test_light_over_a_card_is_a_note_and_a_doubt_where_nothing_is_left(show):
    photo = show(count=8)
    veiled = [replace(CLEAR, haze=0.8), *[CLEAR] * 7]
    note = codes(photo, veiled)["glare"]
    assert (note.severity, note.cards) == ("note", (photo.cards[0].card_id,))
    poor = FaceMatch(CLEAR.scores * 0.4, 0.5, haze=0.95, white=250.0)
    assert codes(photo, [poor, *veiled[1:]])["glare"].severity == "doubt"
    read = replace(CLEAR, haze=0.95)  # a face that is read well is not gone
    assert codes(photo, [read, *veiled[1:]])["glare"].severity == "note"


def test_dark_steep_and_small_are_told(show):
    photo = show(count=8)
    assert set(codes(photo, [replace(CLEAR, white=40.0)] * 8)) == {"photo_dark"}
    assert set(codes(photo, tilt_deg=65.0)) == {"photo_steep"}
    assert "cards_small" in codes(photo, scale=0.3)


@pytest.mark.parametrize(("width_px", "is_doubt"), [(43.0, True), (45.0, False)])
def test_a_photo_too_small_for_its_cards_is_a_doubt(show, width_px, is_doubt):
    photo = show(count=8)
    corners = photo.corners_px()
    widths = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    found = codes(photo, scale=width_px / np.median(widths))
    assert ("photo_small" in found) == is_doubt
    assert found["cards_small"].severity == "note"
    if is_doubt:
        assert found["photo_small"].severity == "doubt"


@pytest.mark.parametrize("blur_px", [0.7, 6.0])
def test_blur_is_told_when_strokes_are_gone(show, blur_px):
    photo = show(count=8, blur_px=blur_px)
    px_per_mm = np.linalg.norm(photo.corners_px()[:, 1] - photo.corners_px()[:, 0], axis=1) / 63.5
    is_blurred = blur_px / np.median(px_per_mm) > 0.8
    assert ("photo_blurred" in codes(photo)) == is_blurred
