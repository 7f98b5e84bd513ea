"""A known face is found where it lies, from places that are millimetres and degrees off."""

import numpy as np
import pytest

from vision.imaging.view import View
from vision.seeing.cards.hypotheses import _COARSE_REACH_MM, register_coarsely

PLACE_TOL_MM = 1.2  # the search goes by samples of 1.5 mm: half the diagonal of one
TURN_TOL_DEG = 2.0  # and by turns of 2 degrees; the next one wins where it suits the sample


@pytest.mark.parametrize("tilt_deg", [0.0, 40.0])
def test_cards_off_by_millimetres_and_degrees_are_put_right(show, bank, index, tilt_deg):
    photo = show(count=8, tilt_deg=tilt_deg)
    rng = np.random.default_rng(1)
    off = np.column_stack([rng.uniform(-8, 8, (8, 2)), np.radians(rng.uniform(-7, 7, 8))])
    faces = np.array([bank.card_ids.index(card.card_id) for card in photo.cards])
    pyramid = View(photo.image)
    found, scores = register_coarsely(photo.poses + off, faces, photo.solution, pyramid, index)
    apart = np.linalg.norm(found[:, :2] - photo.poses[:, :2], axis=1)
    turn = np.degrees(np.abs(found[:, 2] - photo.poses[:, 2]))
    assert apart.max() < PLACE_TOL_MM
    assert turn.max() < TURN_TOL_DEG
    assert scores.min() > 0.6


def test_another_face_is_not_found_there(show, bank, index):
    photo = show(count=8)
    faces = np.array([bank.card_ids.index(card.card_id) for card in photo.cards])
    pyramid = View(photo.image)
    right = register_coarsely(photo.poses, faces, photo.solution, pyramid, index)[1]
    ships = [k for k, name in enumerate(bank.card_ids) if name.startswith("red-")]
    other = np.array(
        [next(s for s in ships if bank.card_ids[s][4:] not in bank.card_ids[f]) for f in faces]
    )
    wrong = register_coarsely(photo.poses, other, photo.solution, pyramid, index)[1]
    assert (right > wrong + 0.2).all()


def test_nothing_to_align_is_nothing(show, index):
    photo = show(count=8)
    none = np.zeros((0, 3))
    found, scores = register_coarsely(
        none, np.zeros(0, np.int64), photo.solution, View(photo.image), index
    )
    assert found.shape == (0, 3)
    assert scores.shape == (0,)
    assert _COARSE_REACH_MM > 0
