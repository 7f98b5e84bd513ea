"""Outlines on a known plane: hypotheses where they are, the best read first, nothing twice."""

from dataclasses import replace

import numpy as np
import pytest

from vision.imaging.view import View
from vision.seeing.cards.card_finder import find_quads
from vision.seeing.cards.face_comparers import FramedComparer
from vision.seeing.estimation.model import with_poses
from vision.seeing.estimation.plane import WELL_DETERMINED, Plane, camera_priors
from vision.seeing.propose import hypotheses_from_quads, rectangles_on
from vision.seeing.reading import restore_unnamed
from vision.seeing.values import READ_SCORE, Hypotheses, PoseEstimate

POSE_TOL_MM = 1.5  # outlines run by whole pixels: a millimetre and a half at most here
PRIORS = camera_priors((1600, 1200), None)


def known_plane(solution, cards=WELL_DETERMINED):
    return Plane(solution, tuple(range(cards)), PRIORS)


def distances(poses, true):
    """Return how far (N,) the nearest hypothesis lies from each true card."""
    return np.linalg.norm(poses[None, :, :2] - true[:, None, :2], axis=2).min(axis=1)


@pytest.mark.parametrize("rectangle", [0, 1], ids=["edge", "frame"])
def test_what_is_read_lies_where_it_is_whichever_outline_shows(show, bank, index, rectangle):
    photo = show(count=8)
    view, sizes = View(photo.image), rectangles_on(bank)
    quads = np.asarray(photo.corners_px())
    if rectangle:
        inner = np.divide(sizes[1], sizes[0])
        middle = quads.mean(axis=1, keepdims=True)
        quads = middle + inner * (quads - middle)
    best = FramedComparer(bank).best_scores
    found = hypotheses_from_quads(view, known_plane(photo.solution), quads, sizes, best)
    assert len(found.poses) == found.n_outlines == 8
    assert distances(found.poses, photo.poses).max() < POSE_TOL_MM
    assert (found.scores > READ_SCORE).all()
    assert (np.diff(found.scores) <= 0).all()


def test_all_cards_of_a_photo_are_found_once_each(show, bank):
    photo = show(count=8)
    quads = find_quads(photo.image)
    sizes, best = rectangles_on(bank), FramedComparer(bank).best_scores
    found = hypotheses_from_quads(
        View(photo.image), known_plane(photo.solution), quads, sizes, best
    )
    read = found.poses[found.scores > READ_SCORE]
    assert len(read) == 8
    assert distances(read, photo.poses).max() < POSE_TOL_MM


def test_of_two_on_one_place_the_best_read_is_kept_and_unread_ones_by_their_shape(show, bank):
    photo = show(count=8)
    view, plane, sizes = View(photo.image), known_plane(photo.solution), rectangles_on(bank)
    quads = np.asarray(photo.corners_px())
    beside = quads + 2.0
    both = np.concatenate([beside, quads])

    def score(_, solution):
        away = distances(photo.poses, solution.poses)
        return np.where(away < 0.1, 0.9, 0.5)

    found = hypotheses_from_quads(view, plane, both, sizes, score)
    assert len(found.poses) == 8
    assert distances(found.poses, photo.poses).max() < 0.1  # mm: those that score best

    bent = quads.copy()
    bent[:, 0] += 1.0  # px: less like a card's shape
    found = hypotheses_from_quads(
        view, plane, np.concatenate([bent, quads]), sizes, lambda _, of: np.zeros(len(of.poses))
    )
    assert distances(found.poses, photo.poses).max() < 1e-3  # mm: those of the exact shape


def test_no_outlines_give_no_hypotheses(show, bank):
    photo = show(count=8)
    none = np.zeros((0, 4, 2))
    sizes, best = rectangles_on(bank), FramedComparer(bank).best_scores
    found = hypotheses_from_quads(View(photo.image), known_plane(photo.solution), none, sizes, best)
    assert found.poses.shape == (0, 3)


@pytest.mark.parametrize("turn", [0.0, np.pi])
def test_an_unnamed_card_goes_back_to_its_outline_and_named_ones_stay(show, turn):
    photo = show(count=4)
    found = Hypotheses(photo.poses, np.full(4, -1.0), known_plane(photo.solution))
    moved = photo.poses + np.array([3.0, -2.0, 0.1])
    moved[:, 2] += turn
    covariance = np.eye(12) + 0.5
    at = with_poses(photo.solution, moved)
    solved = PoseEstimate(at, covariance, np.zeros((4, 1, 4)), 0.1, visible=np.ones(4))
    faces = np.array([5, -1, 7, -1])
    back = restore_unnamed(solved, faces, found, (63.5, 88.9))
    poses, now = back.solution.poses, back.pose_covariance
    assert np.array_equal(poses[[0, 2]], moved[[0, 2]])
    expected = photo.poses[[1, 3]] + [0.0, 0.0, turn]  # the half turn that its face was read with
    assert np.allclose(poses[[1, 3]], expected, atol=1e-6)
    assert np.array_equal(now[:3, 6:9], covariance[:3, 6:9])
    assert not now[3:6, :3].any()
    assert np.linalg.eigvalsh(now).min() > 0
    watched = replace(found, before=(None, None, None))  # three cards that a watch knows
    kept = restore_unnamed(solved, faces, watched, (63.5, 88.9)).solution.poses
    assert np.array_equal(kept[:3], moved[:3])
    assert not np.array_equal(kept[3], moved[3])
    edged = replace(solved, visible=None)  # measured by its edges: nothing has moved it
    assert restore_unnamed(edged, faces, found, (63.5, 88.9)) is edged
