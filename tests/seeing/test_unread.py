"""What has a card's shape or sides and became no card is told; nothing is told twice."""

import numpy as np
import shapely
from hypothesis import given
from hypothesis import strategies as st

from tests.seeing.tables import table
from vision.geometry import card_corners, table_from_card
from vision.seeing.estimation.model import project_cards, with_poses
from vision.seeing.issues.unread_outlines import (
    report_unread_outlines,
    unread_poses,
    visible_centres,
)
from vision.seeing.values import Hypotheses, HypothesisSource

SIZE_MM = (63.5, 88.9)
CARDS = 6
SIZE_WH = (6000, 6000)  # past all cards of the tables here


@given(
    known=st.lists(st.sampled_from(list(HypothesisSource)), min_size=CARDS, max_size=CARDS),
    places=st.sets(st.integers(0, CARDS - 1)),
)
def test_what_has_a_cards_shape_or_three_sides_is_a_card_or_a_doubt(known, places):
    truth = table(CARDS)
    found = Hypotheses(truth.poses, np.zeros(CARDS), np.array(known))
    unread = unread_poses(found, truth, sorted(places), SIZE_MM)
    told = report_unread_outlines(project_cards(truth, unread, card_corners(*SIZE_MM)), SIZE_WH)
    lost = [i for i in range(CARDS) if i not in places and known[i] >= HypothesisSource.SHAPED]
    middles = project_cards(truth, truth.poses, card_corners(*SIZE_MM)).mean(axis=1)
    at_px = np.array([issue.at_px for issue in told]).reshape(-1, 2)
    assert np.allclose(at_px, middles[lost], atol=0.51)  # px, as it is written in the sentence
    assert all((issue.code, issue.severity) == ("outline_unread", "doubt") for issue in told)


@given(st.floats(-150, 1150), st.floats(-150, 950), st.floats(-3.2, 3.2))
def test_what_is_told_lies_in_the_photo_and_in_what_shows_there(x, y, turn):
    """An outline that sticks out is told where it shows, one beyond the photo not at all."""
    outline = table_from_card(card_corners(90.0, 126.0), x, y, turn)
    told = visible_centres(outline[None], (1000, 800))
    frame, card = shapely.box(-0.5, -0.5, 999.5, 799.5), shapely.Polygon(outline)
    if not frame.intersects(card.buffer(0.01)):
        assert not len(told)
    elif frame.intersection(card).area > 1.0:
        middle = frame.intersection(card).centroid
        assert np.allclose(told[0], (middle.x, middle.y), atol=0.05)  # px: float32 corners


def test_one_place_is_told_once_and_not_where_a_card_lies():
    truth = table(3)
    poses = np.concatenate([truth.poses, truth.poses + np.array([3.0, -2.0, 0.05])])
    found = Hypotheses(poses, np.zeros(6), np.full(6, HypothesisSource.SHAPED))
    unread = unread_poses(found, with_poses(truth, poses), [0], SIZE_MM)
    assert len(unread) == 2
