"""The plane of a few outlines: of a cropped photo too, if they are read well."""

import numpy as np
import pytest

from tests.learned import bank_of, draw_deck, shoot
from tests.seeing.tables import CARD_MM, rigidly_apart, table
from tests.seeing.test_plane import NEAR_MM, SIZE_WH, corners_of
from vision.errors import TableNotFoundError
from vision.imaging.photo import Photo
from vision.seeing.cards.face_comparers import PictureComparer
from vision.seeing.cards.plane_consensus import consensus_plane
from vision.seeing.detector import build_detector
from vision.seeing.estimation.plane import PlaneSettings, camera_priors, solve_plane
from vision.seeing.reading import read_layout
from vision.seeing.values import FaceMatches, PyramidLevel

UNKNOWN = camera_priors(SIZE_WH, None)
#: Of the middle of the picture: cards that a camera which looks there never shows so.
SHIFT_PX = np.array([500.0, 300.0])
WELL, POORLY = PictureComparer.voting.alone + 0.1, PictureComparer.voting.alone - 0.1


def cropped(cards: int) -> np.ndarray:
    """Return corners (N, 4, 2) of cards in a photo that is cropped far off its middle."""
    return corners_of(table(cards, tilt_deg=45.0, focal_px=1200.0)) + SHIFT_PX


def matched(corners: np.ndarray, scores: list[float], *, by_corners: bool = False) -> FaceMatches:
    pyramid_level = PyramidLevel(0, by_corners=by_corners)
    n = np.array(scores)
    return FaceMatches(corners, corners, np.arange(len(n)), n, np.full(len(n), 0.2), pyramid_level)


def vote(of: FaceMatches):
    return consensus_plane(of, PictureComparer.voting, CARD_MM, UNKNOWN)


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_a_few_cards_that_are_read_well_give_the_plane_of_a_cropped_photo(cards):
    with pytest.raises(TableNotFoundError, match="could not find the table plane"):
        solve_plane(cropped(1), CARD_MM, UNKNOWN, focal_known=False)
    consensus = vote(matched(cropped(cards), [WELL] * cards))
    assert consensus is not None
    assert consensus.is_sure == (
        cards >= PictureComparer.voting.several
    )  # a finer look may show more of them
    assert consensus.plane.cards == tuple(range(cards))
    truth = table(cards, tilt_deg=45.0, focal_px=1200.0)
    off = rigidly_apart(consensus.plane.solution.poses, truth.poses)
    assert np.abs(off[:, :2]).max() < NEAR_MM


def test_outlines_that_are_read_poorly_move_no_axis():
    """A quadrilateral of any shape is a card to some camera that looks elsewhere."""
    with pytest.raises(TableNotFoundError, match="could not find the table plane"):
        vote(matched(cropped(1), [POORLY]))


def test_what_is_read_poorly_hides_no_card_that_is_read_well():
    one = cropped(1)
    junk = np.array([[[0.0, 0], [300, 10], [310, 40], [5, 300]]])
    consensus = vote(matched(np.concatenate([junk, one]), [POORLY, WELL]))
    assert consensus is not None
    assert consensus.similarity == WELL


def test_cards_in_the_middle_are_laid_as_before():
    """Where a camera that looks at the middle shows them, none other is tried."""
    corners = corners_of(table(2, tilt_deg=30.0))
    before = solve_plane(corners, CARD_MM, UNKNOWN, focal_known=False)
    loose = PlaneSettings(cropped_cards=1)
    now = solve_plane(corners, CARD_MM, UNKNOWN, focal_known=False, settings=loose)
    assert now.priors == before.priors
    assert np.array_equal(now.solution.poses, before.solution.poses)


@pytest.mark.parametrize(("seed", "tilt_deg"), [(0, 35.0), (1, 45.0)])
def test_each_card_cut_out_of_a_photo_is_read(seed, tilt_deg):
    """Seen aslant and far off the middle of what it was cut from: nothing tells of the crop."""
    faces = draw_deck(8)
    photo, truth = shoot(faces, list(faces), seed, tilt_deg=tilt_deg, size_wh=(2400, 1800))
    detector = build_detector(bank_of(faces))
    whole = {p.piece: p.outline_px for p in read_layout(photo, detector).placed}
    assert set(whole) == {card.card_id for card in truth}
    for name, outline in whole.items():
        rim = 0.3 * np.ptp(outline, axis=0).min()
        low = np.maximum(outline.min(axis=0) - rim, 0).astype(int)
        high = (outline.max(axis=0) + rim).astype(int)
        part = np.ascontiguousarray(photo.image[low[1] : high[1], low[0] : high[0]])
        found = read_layout(Photo(part), detector).placed
        assert name in {p.piece for p in found}
