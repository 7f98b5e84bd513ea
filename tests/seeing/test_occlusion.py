"""Covered cards: what shows decides, and what covers has no say."""

from dataclasses import replace

import numpy as np
import pytest

from tests.shown import Shown
from tests.synth import photograph
from vision.imaging.view import View
from vision.seeing.cards.covered_cards import match_covered
from vision.seeing.cards.face_matching import score_cards
from vision.seeing.cards.overlap_order import find_covers
from vision.seeing.estimation.model import project_cards
from vision.seeing.recognition.framed_faces import describe, sample_colours
from vision.seeing.recognition.occlusion import compare_uncovered, inlier_mask
from vision.seeing.values import FaceMatch
from vision.values.ledger import SURE

SHARE_TOL = 0.15  # of a face: what covers it may look like it here and there


def looked_at(photo, index, size=8):
    pyramid = View(photo.image)
    at_px = project_cards(photo.solution, photo.poses, index.places_mm)
    features = describe(sample_colours(pyramid, at_px, index), index)
    return features, score_cards(pyramid, at_px, index)


def half_covered(photo):
    """Return discs over a third to a half of each card, off its middle."""
    discs = []
    for card in photo.cards:
        c, s = np.cos(card.theta_rad), np.sin(card.theta_rad)
        discs.append((card.x_mm + 12 * c - 20 * s, card.y_mm + 12 * s + 20 * c, 27.0))
    return tuple(discs)


def test_a_card_in_full_view_agrees_nearly_everywhere(show, bank, index):
    photo = show(count=8)
    features, _ = looked_at(photo, index)
    for card, seen in zip(photo.cards, features, strict=True):
        face = index.features[bank.card_ids.index(card.card_id)]
        assert inlier_mask(seen[None], face[None], index.shape_hw).mean() > 0.95


def test_covered_cards_are_known_by_what_shows(show, bank, index):
    bare = show(count=8)
    photo = show(count=8, covers=half_covered(bare))
    assert (photo.poses == bare.poses).all()
    features, scores = looked_at(photo, index)
    for card, seen, whole in zip(photo.cards, features, scores, strict=True):
        face = bank.card_ids.index(card.card_id)
        part = FaceMatch(compare_uncovered(seen, whole, index))
        assert part.best == face
        assert part.lead > 0.1
        assert not part.is_half_turned(face)
        own = index.features[[face]]
        (inliers,) = inlier_mask(seen[None], own, index.shape_hw)
        rows, columns = index.shape_hw
        x, y = index.grid_mm.T
        covered = np.hypot(x - 12, y - 20) < 27.0
        assert (inliers == ~covered).mean() > 1 - SHARE_TOL
        assert rows * columns == len(inliers)


def test_no_card_agrees_with_no_face(index):
    rng = np.random.default_rng(0)
    rows, columns = index.shape_hw
    noise = rng.uniform(0, 1, (rows * columns, 3))
    scores = rng.uniform(-0.1, 0.1, (len(index.card_ids), 2))
    assert FaceMatch(compare_uncovered(noise, scores, index)).score < 0.25


@pytest.mark.parametrize("turned", [False, True])
def test_a_half_turn_is_told_by_what_shows(show, bank, index, turned):
    photo = show(count=8, covers=half_covered(show(count=8)))
    features, scores = looked_at(photo, index)
    if turned:
        features, scores = features[:, ::-1], scores[..., ::-1]
    for card, seen, whole in zip(photo.cards, features, scores, strict=True):
        part = FaceMatch(compare_uncovered(seen, whole, index))
        assert part.is_half_turned(bank.card_ids.index(card.card_id)) == turned


def test_an_unread_card_is_read_beside_the_card_that_lies_on_it(show, bank, index):
    bare = show(count=8)
    under, top = bare.cards[0], bare.cards[1]
    laid = (replace(under, x_mm=top.x_mm + 30, y_mm=top.y_mm + 25), top)
    scene = replace(bare.scene, cards=laid)
    image, camera = photograph(scene, bank)
    photo = Shown(image, scene, camera)
    _, scores = looked_at(photo, index)
    matches = [FaceMatch(one) for one in scores]
    view = View(photo.image)
    covers = find_covers(view, photo.solution, bank)
    assert covers.covered_by.tolist() == [[False, True], [False, False]]
    below, above = match_covered(view, photo.solution, matches, covers, bank)
    assert above is matches[1]
    assert below.posterior[below.best] > SURE
    assert below.best == bank.card_ids.index(under.card_id)
    assert below.score > matches[0].score
    assert 0.3 < below.visible < 0.97


def test_a_card_is_hidden_where_another_shows_its_face_all_over_it(show, bank, index):
    """Of two poses in one place the worse is hidden by the better; neither where none shows."""
    photo = show(count=3)
    poses = photo.poses[[0, 0, 1]] + np.array([(1.5, 1.0, 0.02), (0, 0, 0), (0, 0, 0)])
    solution = replace(photo.solution, poses=poses)
    matches = [FaceMatch(np.zeros((len(bank.names), 2)))] * 3
    view, bare = View(photo.image), View(np.full_like(photo.image, 90))
    covers = find_covers(view, solution, bank)
    told = match_covered(view, solution, matches, covers, bank)
    assert [one.hidden_by for one in told] == [(1,), (), ()]
    assert not find_covers(bare, solution, bank).covered_by.any()
