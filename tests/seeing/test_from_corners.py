"""Supposed cards: one corner of a card, of its edge or its frame, is enough to find it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vision.seeing.cards.propose_from_corners as corner_proposals
from bench.doubted import hard_scene
from tests.seeing.tables import CARD_MM, FRAME_MM, table
from tests.strategies import LAW
from tests.synth import photograph
from vision.geometry import card_corners, photo_from_table
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.cards.hypotheses import HypothesisBuilder
from vision.seeing.cards.propose_from_corners import (
    AGREE_MM,
    AGREE_RAD,
    APART_MM,
    find_corner_pairs,
    have_support,
    propose_from_corners,
)
from vision.seeing.detection.bright_quads import find_outlines
from vision.seeing.detector import build_detector
from vision.seeing.estimation.model import Solution, camera_of, project, with_poses
from vision.seeing.reading import read_layout

BOTH_MM = (CARD_MM, FRAME_MM)
EXACT_MM = 1e-6
POOR_MM = 3.0  # from an arm of 25 mm whose ends are good to half a pixel, at the card's centre


def elbow_of(
    here: Solution,
    card: int,
    corner: int,
    size_mm: tuple[float, float] = CARD_MM,
    arms_mm: tuple[float, float] = (25.0, 30.0),
) -> np.ndarray:
    """Return (3, 2) px: back along the one side, the corner, ahead along the next."""
    shape = card_corners(*size_mm)
    at = shape[corner]
    back, ahead = shape[corner - 1] - at, shape[(corner + 1) % 4] - at
    q = np.stack(
        [
            at + arms_mm[0] * back / np.linalg.norm(back),
            at,
            at + arms_mm[1] * ahead / np.linalg.norm(ahead),
        ]
    )
    return project(here, np.full(3, card), q)


def pose_errors(proposed: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Return for each supposed card the larger of its errors in mm and, over 40 mm, in angle."""
    apart = np.linalg.norm(proposed[:, :2] - pose[:2], axis=1)
    return np.maximum(apart, 40 * np.abs(np.sin(proposed[:, 2] - pose[2])))  # half turns are open


@pytest.mark.parametrize("size_mm", BOTH_MM, ids=["edge", "frame"])
@pytest.mark.parametrize("corner", range(4))
@pytest.mark.parametrize("tilt_deg", [0.0, 40.0])
def test_any_corner_gives_the_card(tilt_deg, corner, size_mm):
    here = table(4, tilt_deg=tilt_deg, roll_deg=35.0, k1=-0.02)
    visible_corners = np.stack([elbow_of(here, card, corner, size_mm) for card in range(4)])
    for pose, elbow in zip(here.poses, visible_corners, strict=True):
        proposed = propose_from_corners(elbow[None], here, BOTH_MM, np.zeros((0, 3)))
        assert len(proposed) == 4  # edge or frame, long side back or ahead
        assert pose_errors(proposed, pose).min() < EXACT_MM
    together = propose_from_corners(visible_corners, here, BOTH_MM, np.zeros((0, 3)))
    assert len(together) == 16


def test_a_poor_corner_gives_a_near_card():
    here = table(6, tilt_deg=30.0)
    rng = np.random.default_rng(0)
    for card, pose in enumerate(here.poses):
        elbow = elbow_of(here, card, 1) + rng.normal(0, 0.5, (3, 2))
        proposed = propose_from_corners(elbow[None], here, BOTH_MM, np.zeros((0, 3)))
        assert pose_errors(proposed, pose).min() < POOR_MM


def test_a_long_arm_tells_which_way_the_card_lies():
    here = table(1)
    for arms_mm, expected in (((70.0, 30.0), 1), ((30.0, 70.0), 1), ((70.0, 70.0), 0)):
        elbow = elbow_of(here, 0, 0, arms_mm=arms_mm)
        assert (
            len(propose_from_corners(elbow[None], here, (CARD_MM,), np.zeros((0, 3)))) == expected
        )


def test_what_is_no_corner_of_a_card_gives_none():
    here = table(1, tilt_deg=0.0)
    right = elbow_of(here, 0, 0)
    slanted = right.copy()
    slanted[2] += 0.3 * (right[0] - right[1])  # 17 degrees off the right angle
    short = right[1] + (right - right[1]) * 0.2  # arms of 5 and 6 mm
    none = np.repeat(right[1:2], 3, axis=0)  # no arms at all
    for elbow in (slanted, short, none):
        assert propose_from_corners(elbow[None], here, BOTH_MM, np.zeros((0, 3))).shape == (0, 3)


def test_cards_already_found_are_not_supposed_again():
    here = table(4)
    elbow = elbow_of(here, 2, 3)
    proposed = propose_from_corners(elbow[None], here, BOTH_MM, here.poses)
    assert (pose_errors(proposed, here.poses[2]) > 10).all()  # mm
    elsewhere = here.poses[[0, 1, 3]]
    proposed = propose_from_corners(elbow[None], here, BOTH_MM, elsewhere)
    assert pose_errors(proposed, here.poses[2]).min() < EXACT_MM


def test_a_half_turned_card_is_found_as_the_same():
    here = table(4)
    elbow = elbow_of(here, 2, 3)
    turned = here.poses + np.array([0, 0, np.pi])
    assert np.array_equal(
        propose_from_corners(elbow[None], here, BOTH_MM, turned),
        propose_from_corners(elbow[None], here, BOTH_MM, here.poses),
    )


def test_corners_beyond_the_horizon_give_no_cards(monkeypatch):
    """There the plane is seen from behind the camera; a card of it could not be projected."""
    here = table(1, tilt_deg=75.0, roll_deg=0.0)
    x, y = np.meshgrid(np.linspace(20, 1260, 25), np.linspace(10, 950, 19))
    corner = np.stack([x.ravel(), y.ravel()], axis=1)
    ways = [np.array([[0, -d], [0, 0], [d, 0]]) for d in (17, 40)]
    visible_corners = np.concatenate([corner[:, None] + way for way in ways])
    monkeypatch.setattr(corner_proposals, "_RIGHT_ANGLE_RAD", np.pi / 2)
    monkeypatch.setattr(corner_proposals, "_ARM_SLACK", 1e9)
    proposed = propose_from_corners(visible_corners, here, BOTH_MM, np.zeros((0, 3)))
    assert 0 < len(proposed) < 4 * len(visible_corners)
    shape = card_corners(*CARD_MM)
    n = len(proposed)
    card = np.repeat(np.arange(n), 4)
    seen = project(with_poses(here, proposed), card, np.tile(shape, (n, 1)))
    assert np.isfinite(seen).all()


def test_no_corners_no_cards():
    none = np.zeros((0, 3, 2))
    assert propose_from_corners(none, table(2), BOTH_MM, np.zeros((0, 3))).shape == (0, 3)


def test_a_lens_that_folds_gives_none_rather_than_nonsense():
    here = table(1, k1=-0.5)
    assert camera_of(here).distortion[0] == -0.5
    far = np.array([[[5000.0, 4900], [5000, 5000], [5100, 5000]]])
    assert propose_from_corners(far, here, BOTH_MM, np.zeros((0, 3))).shape == (0, 3)


# --- cards of which little shows -------------------------------------------------------------


def test_two_corners_that_agree_are_a_card_and_one_is_none():
    here = table(3, tilt_deg=30.0)
    none = np.zeros((0, 3))
    one = elbow_of(here, 0, 0)
    assert find_corner_pairs(one[None], here, BOTH_MM, none).shape == (0, 3)
    assert find_corner_pairs(np.stack([one, one]), here, BOTH_MM, none).shape == (0, 3)
    both = np.stack([one, elbow_of(here, 0, 1, FRAME_MM), elbow_of(here, 1, 2)])
    found = find_corner_pairs(both, here, BOTH_MM, none)
    assert len(found) == 2  # one for each corner; of the second card only one shows
    assert max(pose_errors(found, here.poses[0])) < EXACT_MM
    assert find_corner_pairs(both, here, BOTH_MM, here.poses).shape == (0, 3)


def test_a_table_half_hidden_is_told_card_by_card(show, index):
    """A strip across a card leaves its two lower corners; nothing is told of the others."""
    photo = show(count=8)
    image = photo.image.copy()
    corners = photo.corners_px()[2]
    share = 0.75
    strip = np.array(
        [
            corners[0] * 1.2 - 0.2 * corners[3],
            corners[1] * 1.2 - 0.2 * corners[2],
            corners[1] + share * (corners[2] - corners[1]),
            corners[0] + share * (corners[3] - corners[0]),
        ]
    )
    middle = strip.mean(axis=0)
    strip = middle + (strip - middle) * [1.15, 1.0]
    cv2.fillConvexPoly(image, np.round(strip).astype(np.int32), (90, 120, 190))
    others = np.delete(photo.poses, 2, axis=0)
    outlines = find_outlines(image, np.delete(photo.corners_px(), 2, axis=0))
    pyramid = View(image)
    laying = HypothesisBuilder(photo.solution, pyramid, index)
    hidden = laying.hidden(outlines.visible_corners, others)
    assert 1 <= len(hidden) <= 2  # the strip makes corners with the card's sides as well
    assert np.linalg.norm(hidden[:, :2] - photo.poses[2, :2], axis=1).min() < POOR_MM
    bare = find_outlines(photo.image, photo.corners_px())
    pyramid = View(photo.image)
    assert HypothesisBuilder(photo.solution, pyramid, index).hidden(
        bare.visible_corners, photo.poses
    ).shape == (0, 3)


@LAW
@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_poses_agree_as_if_all_were_compared_with_all(seed, count):
    rng = np.random.default_rng(seed)
    poses = np.column_stack([rng.uniform(0, 12, (count, 2)), rng.choice([0, 0.02, np.pi], count)])
    corners = rng.uniform(0, 90, (count, 2))
    wanted = []
    for pose, corner in zip(poses, corners, strict=True):
        near = np.linalg.norm(poses[:, :2] - pose[:2], axis=1) < AGREE_MM
        near &= np.abs(np.sin(poses[:, 2] - pose[2])) < AGREE_RAD
        wanted.append((near & (np.linalg.norm(corners - corner, axis=1) > APART_MM)).any())
    assert have_support(poses, corners).tolist() == wanted


def test_of_a_card_under_counters_the_pose_whose_border_shows_is_kept(bank):
    """Counters break the outlines of four cards: corners of edge and frame agree on many poses."""
    scene = replace(hard_scene(np.random.default_rng([1, 3]), bank, 1), seed=3)  # no hand in it
    image, camera = photograph(scene, bank)
    layout = read_layout(Photo(image, 26.0), build_detector(bank))
    middles = np.array([card.outline_px.mean(axis=0) for card in layout.placed])
    at_px = photo_from_table(camera, np.array([(c.x_mm, c.y_mm) for c in scene.cards]))
    away = np.linalg.norm(at_px[:, None] - middles, axis=2).min(axis=1)
    assert away.max() < 5.0  # of cards 60 to 80 pixels wide; two were lost
    assert len(layout.placed) == len(scene.cards)
