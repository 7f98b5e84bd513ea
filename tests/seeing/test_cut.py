"""Where a deck's cards are really cut: told from the edges of all, with what is in doubt."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learned import SIZE, draw_deck, shoot
from tests.seeing.tables import CARD_MM, FREE, observe, rigidly_apart, table
from vision.geometry import card_corners
from vision.imaging.view import View
from vision.seeing.estimation.adjustment import SolveSettings, solve
from vision.seeing.estimation.model import (
    Solution,
    TrimModel,
    project_cards,
    trim_parameters,
    with_poses,
)
from vision.seeing.issues.size_and_trim import insides_mm, likely_size, report_size
from vision.seeing.registration.trim import apply_edges, measure_trim
from vision.seeing.values import PoseEstimate

PIXEL_TOL = 1e-6  # px; the same geometry told another way
SIGMAS = 4.5  # of five numbers in some hundred draws
BORDER_TOL_MM = 0.5  # to some tenths; the sub-pixel edges do the rest
#: Of the camera as :data:`tests.seeing.tables.FREE`, and of the cut next to nothing.
LOOSE = replace(FREE, bloom_sd_px=0.1, inner_bloom_sd_px=1e-3, cut_sd=(0.1, 0.1, 0.1, 5.0, 5.0))

share = st.floats(-0.03, 0.05)
borders = st.tuples(share, share, share, share)


@given(borders, st.floats(-0.03, 0.03), st.integers(0, 99))
def test_told_by_its_edges_a_table_shows_the_same(shares, aspect, seed):
    """Print stays where it shows, the edges lie where they were found, the area is that told."""
    print_cut = TrimModel(aspect)
    here = replace(table(4, seed=seed, tilt_deg=3.0 * (seed % 12)), cut=print_cut)
    top, right, bottom, left = found = np.array(shares) * CARD_MM[1]
    there = apply_edges(here, found, CARD_MM, np.ones(4, bool))
    assert there.cut is not None
    assert float(np.prod(there.cut.stretch)) == pytest.approx(1.0)
    print_mm = np.array([[0.0, 0.0], [10.0, -30.0], [-31.0, 44.0]])
    outward = np.array([[-left, -top], [right, -top], [right, bottom], [-left, bottom]])
    corners = card_corners(*CARD_MM) + outward / print_cut.stretch  # the solution stretches them
    print_px, edge_px = (project_cards(here, here.poses, points) for points in (print_mm, corners))
    assert project_cards(there, there.poses, print_mm, printed=True) == pytest.approx(
        print_px, abs=PIXEL_TOL
    )
    shown = project_cards(there, there.poses, card_corners(*CARD_MM))
    assert shown == pytest.approx(edge_px, abs=PIXEL_TOL)
    ends = insides_mm(CARD_MM, there.cut)
    scale = there.translation_mm[2] / here.translation_mm[2]
    assert ends == pytest.approx(scale * np.array([left, top, right, bottom]), abs=PIXEL_TOL)


@settings(max_examples=25)
@given(
    st.floats(-0.03, 0.03), st.tuples(share, share), st.tuples(share, share), st.integers(0, 999)
)
def test_the_cut_is_found_within_what_is_said_of_it(aspect, growth, shift, seed):
    """Edges and print of a deck cut anyhow give its cut, and the cards' places, within sigma."""
    cut = TrimModel(aspect, growth, (20 * shift[0], 20 * shift[1]))
    truth = replace(table(6, seed=seed), cut=cut)
    seen, rng = observe(truth, 0.2), np.random.default_rng(seed)
    noisy = replace(
        seen, seen_px=seen.seen_px + rng.normal(0, 0.2, len(seen.card))[:, None] * seen.normal_px
    )
    solved = solve(replace(truth, cut=TrimModel()), noisy, LOOSE, settings=SolveSettings(huber=1e9))
    sd = np.sqrt(np.diag(solved.shared_covariance)[-5:])
    assert np.all(np.abs(trim_parameters(solved.solution) - trim_parameters(truth)) < SIGMAS * sd)
    assert np.all(sd[:3] < 0.01)  # and it is no idle word


def test_what_is_told_right_moves_no_card():
    truth = table(6)
    seen = observe(truth, 0.1)
    plain = solve(truth, seen, FREE).solution
    solved = solve(replace(truth, cut=TrimModel()), seen, LOOSE).solution
    assert trim_parameters(solved) == pytest.approx(np.zeros(5), abs=1e-4)
    assert np.abs(rigidly_apart(solved.poses, plain.poses)).max() < 0.02  # mm; no noise was added


@pytest.fixture(scope="module")
def faces():
    return draw_deck(12, first=300)


def true_solution(photo_size, camera, cards) -> Solution:
    """Return the solution that a drawn photo's own truth is."""
    k = camera.camera_matrix
    plane = np.linalg.solve(k, camera.photo_from_table)
    plane = plane / np.linalg.norm(plane[:, 0])
    rotation = np.column_stack([plane[:, :2], np.cross(plane[:, 0], plane[:, 1])])
    poses = np.array([[c.x_mm, c.y_mm, c.theta_rad] for c in cards])
    return Solution(k[0, 0], k[:2, 2], 0.0, 0.0, rotation, plane[:, 2], poses)


@pytest.mark.parametrize("inside_mm", [(0.0, 0.0, 0.0, 0.0), (1.2, 1.5, 2.2, 0.6)])
def test_edges_of_all_cards_say_where_the_pictures_end(faces, inside_mm):
    """The print lies right, but the pictures end ``inside_mm`` (top, right, bottom, left)."""
    from tests.synth import Scene, camera_for

    photo, cards = shoot(faces, sorted(faces), 3, tilt_deg=20)
    truth = true_solution(photo.image.shape, camera_for(Scene(cards, seed=3, tilt_deg=20)), cards)
    top, right, bottom, left = inside_mm
    told = (SIZE.width_mm - left - right, SIZE.height_mm - top - bottom)
    middle = np.array([left - right, top - bottom]) / 2
    cos, sin = np.cos(truth.poses[:, 2]), np.sin(truth.poses[:, 2])
    off = np.column_stack([cos * middle[0] - sin * middle[1], sin * middle[0] + cos * middle[1]])
    poses = truth.poses + np.column_stack([off, np.zeros(len(off))])
    found = measure_trim(View(photo.image), with_poses(truth, poses), told).outside_mm
    assert found == pytest.approx(np.array(inside_mm), abs=BORDER_TOL_MM)


def test_where_no_edge_shows_pictures_count_as_cut_right():
    noise = np.random.default_rng(0).integers(60, 90, (960, 1280, 3), dtype=np.uint8)
    assert measure_trim(View(noise), table(6), CARD_MM).outside_mm == pytest.approx(np.zeros(4))


def located(cut, sd):
    here = replace(table(2), cut=cut)
    none = np.zeros((2, 1, 4))
    covariance = np.diag(np.square([sd, sd, sd, 40 * sd, 40 * sd]))
    return PoseEstimate(here, np.eye(6), none, 0.1, cut_covariance=covariance, cut_sd=np.ones(5))


def test_a_wrong_size_and_a_wrong_cut_are_told_once_each():
    wrong = TrimModel(float(np.log(57 / 89 * 87 / 57)), (-0.05, -0.04), (0.3, 0.0))
    size, cut = report_size(located(wrong, 0.001), (57.0, 87.0))
    assert (size.code, size.severity) == ("deck_size", "doubt")
    assert "57.0 x 89.0 mm, but the deck says 57 x 87" in size.message
    assert (cut.code, cut.severity) == ("deck_cut", "note")


def test_what_may_be_chance_is_not_told():
    wrong = TrimModel(-0.02, (-0.05, -0.04), (0.3, 0.0))
    assert not report_size(located(wrong, 0.02), (57.0, 87.0))
    assert not report_size(located(TrimModel(), 0.001), (57.0, 87.0))


@given(st.sampled_from([(57.0, 89.0), (63.0, 88.0), (70.0, 120.0), (59.0, 92.0)]), st.booleans())
def test_of_a_size_with_one_wrong_length_the_other_is_kept(true_mm, is_width):
    told = (true_mm[0] - 1.5, true_mm[1]) if is_width else (true_mm[0], true_mm[1] - 2.0)
    aspect = float(np.log(true_mm[0] / true_mm[1] * told[1] / told[0]))
    assert likely_size(told, aspect) == pytest.approx(true_mm)
