"""Cards washed out by glare, one on another, are told of; what is not as white as cards is not."""

import cv2
import numpy as np
import pytest

from vision.geometry import card_corners, table_from_card
from vision.imaging.view import View
from vision.seeing.cards.hypotheses import HypothesisBuilder
from vision.seeing.detection.bright_quads import find_outlines
from vision.seeing.estimation.model import project_cards as show_on

NEAR_MM = 8.0  # two corners tell where a card lies, one of them may be the frame's
SIZE_MM = (63.5, 88.9)
UNDER, UPPER = (252.0, 30.0, 0.3), (265.0, -20.0, 0.4)  # right of all cards; half of one covered


def washed_out(photo, border, face):
    """Return a photo with two more cards beside the others, in such tones."""
    image = photo.image.copy()
    for pose in (UNDER, UPPER):
        for inset, tone in ((0.0, border), (3.5, face)):
            corners = card_corners(*SIZE_MM)
            inner = table_from_card(corners - inset * np.sign(corners), *pose)
            at_px = show_on(photo.solution, np.zeros((1, 3)), inner)[0]
            assert (at_px > 0).all()
            assert (at_px < image.shape[1::-1]).all()
            cv2.fillConvexPoly(image, np.rint(at_px).astype(np.int32), (tone,) * 3)
    return image


def told(photo, image, index):
    """Return the poses of cards that are told of beside a photo's own."""
    visible_corners = find_outlines(image, photo.corners_px()).visible_corners
    return HypothesisBuilder(photo.solution, View(image), index).hidden(
        visible_corners, photo.poses
    )


def test_of_two_cards_in_glare_the_upper_is_told_of(show, index):
    photo = show(count=8)
    poses = told(photo, washed_out(photo, 245, 205), index)
    assert np.linalg.norm(poses[:, :2] - UPPER[:2], axis=1).min() < NEAR_MM


@pytest.mark.parametrize("tones", [(150, 120), None], ids=["gray", "nothing"])
def test_gray_things_and_nothing_are_no_cards_in_glare(show, index, tones):
    photo = show(count=8)
    image = photo.image if tones is None else washed_out(photo, *tones)
    assert not len(told(photo, image, index))
