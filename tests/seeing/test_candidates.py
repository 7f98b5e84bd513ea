"""Outlines on a known plane: laid where they are, the surest first, and nothing twice."""

import numpy as np

from vision.imaging.view import View
from vision.seeing.cards.face_comparers import FramedComparer
from vision.seeing.cards.hypotheses import HypothesisBuilder, make_hypotheses
from vision.seeing.detection.bright_quads import find_outlines
from vision.seeing.values import HypothesisSource

NONE = make_hypotheses(np.zeros((0, 3)), 0.0, HypothesisSource.READ)
LAID_TOL_MM = 1.5  # outlines run by whole pixels: a millimetre and a half at most here


def distances(poses, true):
    """Return how far (N,) the nearest laid card lies from each true one."""
    return np.linalg.norm(poses[None, :, :2] - true[:, None, :2], axis=2).min(axis=1)


def test_what_was_read_is_laid_where_it_lies(show, bank, index):
    photo = show(count=8)
    pyramid = View(photo.image)
    quads = photo.corners_px()
    matched = FramedComparer(bank).match_quads(pyramid, quads, all_ways=True)
    laying = HypothesisBuilder(photo.solution, pyramid, index)
    found = laying.read(matched)
    assert len(found.poses) == 8
    assert distances(found.poses, photo.poses).max() < 1e-3
    assert (np.diff(found.scores) <= 0).all()


def test_cards_are_found_beside_the_known_ones_once_each(show, index):
    photo = show(count=8)
    pyramid = View(photo.image)
    known = make_hypotheses(photo.poses[:5], 0.9, HypothesisSource.READ)
    outlines = find_outlines(photo.image)
    found = HypothesisBuilder(photo.solution, pyramid, index).outlines(outlines, known)
    assert len(found.poses) == 8
    assert distances(found.poses, photo.poses).max() < LAID_TOL_MM


def test_the_surest_of_two_on_one_place_is_kept(show, index):
    photo = show(count=8)
    laying = HypothesisBuilder(photo.solution, View(photo.image), index)
    by = np.array([HypothesisSource.READ, HypothesisSource.PROPOSED])
    one = make_hypotheses(np.array([[0.0, 0, 0], [200, 0, 0]]), np.array([0.5, 0.9]), by)
    other = make_hypotheses(
        np.array([[4.0, 3, 0.1], [202, 0, 0]]), np.array([0.3, 0.6]), HypothesisSource.READ
    )
    both = laying.join(one, other)
    assert both.scores.tolist() == [0.6, 0.5]
    alone = laying.join(NONE, one)
    assert alone.source.tolist() == [
        HypothesisSource.READ,
        HypothesisSource.PROPOSED,
    ]  # a face tells more than a proposal
    assert alone.similarity.tolist() == [0.5, -1.0]
