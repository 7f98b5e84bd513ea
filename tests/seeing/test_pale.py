"""Cards washed out by glare, one on another, are told of, and where nothing lies nothing is."""

import cv2
import numpy as np

from vision.geometry import card_corners, table_from_card
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.estimation.model import project_cards as show_on
from vision.seeing.reading import read_layout

ORIGIN = np.zeros((1, 3))
SIZE_MM = (63.5, 88.9)
UNDER, UPPER = (252.0, 30.0, 0.3), (265.0, -20.0, 0.4)  # right of all cards; half of one covered


def washed_out(photo, border, face):
    """Return a photo with two more cards beside the others, in such tones."""
    image = photo.image.copy()
    for pose in (UNDER, UPPER):
        for inset, tone in ((0.0, border), (3.5, face)):
            corners = card_corners(*SIZE_MM)
            inner = table_from_card(corners - inset * np.sign(corners), *pose)
            at_px = show_on(photo.solution, ORIGIN, inner)[0]
            assert (at_px > 0).all()
            assert (at_px < image.shape[1::-1]).all()
            cv2.fillConvexPoly(image, np.rint(at_px).astype(np.int32), (tone,) * 3)
    return image


def corners():
    """Return the convex hull (N, 2) of both cards, table frame."""
    each = [table_from_card(card_corners(*SIZE_MM), *pose) for pose in (UNDER, UPPER)]
    return cv2.convexHull(np.float32(np.concatenate(each)))[:, 0].astype(np.float64)


def told(image, bank):
    """Return where the doubts about a place are in a photo."""
    doubts = read_layout(Photo(image), build_detector(bank)).doubts
    return [d.at_px for d in doubts if d.severity == "doubt" and d.at_px is not None]


def test_cards_in_glare_that_lie_on_each_other_are_told(show, bank):
    photo = show(count=8)
    outline = np.float32(show_on(photo.solution, ORIGIN, corners())[0])
    at_px = told(washed_out(photo, 245, 205), bank)
    assert any(cv2.pointPolygonTest(outline, at, measureDist=False) >= 0 for at in at_px)


def test_where_nothing_lies_nothing_is_told(show, bank):
    photo = show(count=8)
    assert not told(photo.image, bank)
