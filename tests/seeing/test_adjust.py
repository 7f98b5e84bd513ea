"""The least squares: true slopes, exact recovery, and a covariance that means what it says."""

from dataclasses import replace

import numpy as np
import pytest

from tests.seeing.tables import CARD_MM, FREE, observe, rigidly_apart, table
from vision.errors import DegenerateGeometryError
from vision.geometry import card_corners, photo_from_table, table_from_card, table_from_photo
from vision.seeing.estimation.adjustment import FormPriors, Priors, SolveSettings, solve
from vision.seeing.estimation.gauge import remove_gauge
from vision.seeing.estimation.jacobian import apply_step, jacobian, shared_count
from vision.seeing.estimation.model import (
    Measurements,
    Solution,
    TrimModel,
    are_in_front,
    camera_of,
    flat_forms,
    heights,
    join_measurements,
    project,
    project_depth,
    residuals,
    with_poses,
)

PLAIN = SolveSettings(huber=1e9)  # every residual counts by its square
LONG = SolveSettings(rounds=60, huber=1e9)
SLOPE_TOL = 1e-6  # relative; central differences of smooth functions in double precision
PIXEL_TOL = 1e-9  # px; the same formula by another way
EXACT_MM = 1e-6  # noise-free: the solver stops at a millionth of the cost
EXACT_RAD = 1e-8
LENSES = {
    "plain": {},
    "barrel": {"k1": -0.05, "k2": 0.01},
    "cushion": {"k1": 0.04, "k2": -0.02},
    "bloom and thickness": {"bloom_px": 0.4, "thickness_mm": 0.55},
    "all": {"k1": -0.03, "k2": 0.015, "bloom_px": -0.2, "thickness_mm": 0.45},
}


def disturbed(truth: Solution, seed: int = 0) -> Solution:
    """Return a start as the earlier stages give it: some mm, degrees and per cent off."""
    rng = np.random.default_rng(seed)
    camera = np.zeros(11)
    camera[0] = 0.04
    camera[5:8] = rng.uniform(-0.04, 0.04, 3)
    start = apply_step(truth, camera, rng.uniform(-1, 1, truth.poses.shape) * [3, 3, 0.04])
    return replace(start, k1=0.0, k2=0.0, bloom_px=0.0, thickness_mm=0.3, inner_bloom_px=0.0)


def bent(solution: Solution, seed: int = 0) -> Solution:
    """Give every card a form of its own: print, lift, bend and growth of usual sizes."""
    rng = np.random.default_rng(seed)
    n = len(solution.poses)
    forms = replace(
        flat_forms(n, CARD_MM),
        printed=rng.uniform(-1, 1, (n, 3)) * [0.3, 0.3, 0.003],
        lift_mm=rng.uniform(0, 0.3, n),
        curl_mm=rng.uniform(-1, 1, (n, 3)),
        growth=rng.uniform(-0.02, 0.02, (n, 2)),
    )
    return replace(solution, forms=forms)


# --- the model -------------------------------------------------------------------------------


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", ["flat", "bent", "cut", "cut and bent", "print grows"])
def test_slopes_are_those_of_the_residuals(seed, lens, form):
    here = table(3, seed=seed, tilt_deg=15.0 * seed, roll_deg=70.0 * seed, **LENSES[lens])
    here = bent(here, seed) if form not in ("flat", "cut") else here
    if form in ("cut", "cut and bent", "print grows"):
        here = replace(here, cut=TrimModel(0.02, (-0.03, 0.01), (0.6, -0.4)))
    if form == "print grows":
        here = replace(here, forms=replace(here.forms, of_print=True))
    seen = observe(here)
    by_camera, by_card = jacobian(here, seen)
    common = shared_count(here)
    no_step = np.zeros(common), np.zeros((3, by_card.shape[1]))
    sizes = [1e-5, 1e-2, 1e-2, 1e-4, 1e-4, 1e-5, 1e-5, 1e-5, 1e-2, 1e-2, 1e-2]
    sizes += [1e-5, 1e-5, 1e-5, 1e-3, 1e-3]  # of the cut: shares; millimetres
    for k, size in enumerate(sizes[:common]):
        camera = size * np.eye(common)[k]
        there, back = (residuals(apply_step(here, t * camera, no_step[1]), seen) for t in (1, -1))
        numeric = (there - back) / (2 * size)
        assert -by_camera[:, k] == pytest.approx(
            numeric, abs=SLOPE_TOL * np.abs(by_camera[:, k]).max()
        )
    for k in range(by_card.shape[1]):
        size = 1e-5 if k in (2, 5, 10, 11) else 1e-3  # angles and shares; millimetres
        cards = no_step[1].copy()
        cards[:, k] = size  # an observation knows its own card only
        there, back = (residuals(apply_step(here, no_step[0], t * cards), seen) for t in (1, -1))
        numeric = (there - back) / (2 * size)
        assert -by_card[:, k] == pytest.approx(numeric, abs=SLOPE_TOL * np.abs(by_card[:, k]).max())
    assert (np.abs(by_camera).max(axis=0) > 0).all()  # every unknown shows
    assert (np.abs(by_card).max(axis=0) > 0).all()


def test_a_bent_card_rests_on_its_lowest_point_and_rises_by_the_square():
    """Ends up along x: the middle rests; ends down: the ends rest and the middle rises."""
    w, h = CARD_MM
    reach = (w**2 + h**2) / 4  # of the half diagonal, squared
    q = np.array([[0.0, 0.0], [w / 2, 0.0], [-w / 2, h / 2], [w / 4, 3.0]])
    for curl in (0.8, -0.8):
        forms = replace(flat_forms(1, CARD_MM), curl_mm=np.array([[curl, 0.0, 0.0]]))
        rise = curl * q[:, 0] ** 2 / reach
        rest = min(0.0, curl * w**2 / 4 / reach)
        assert heights(forms, np.zeros(4, np.int64), q) == pytest.approx(rise - rest, abs=1e-12)


def test_flat_forms_change_nothing():
    here = table(4, tilt_deg=30.0, k1=-0.03)
    seen = observe(here)
    flat = replace(here, forms=flat_forms(4, CARD_MM))
    assert np.array_equal(residuals(flat, seen), residuals(here, seen))


def test_a_raised_card_seems_nearer_the_point_below_the_camera():
    """Lifted by h, a card seen by a camera at height H seems H / (H - h) as far from its foot."""
    here = table(4, tilt_deg=25.0)
    eye = -here.rotation.T @ here.translation_mm
    lifted = replace(flat_forms(4, CARD_MM), lift_mm=np.full(4, 2.0))
    card, q = np.arange(4), np.zeros((4, 2))
    seen = project(replace(here, forms=lifted), card, q)
    on_table = table_from_photo(camera_of(here), seen)
    expected = eye[:2] + (here.poses[:, :2] - eye[:2]) * eye[2] / (eye[2] + 2.0)
    assert on_table == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("lens", LENSES)
def test_project_is_the_camera_of_the_solution(lens):
    here = table(5, **LENSES[lens])
    corners = card_corners(*CARD_MM)
    for k, pose in enumerate(here.poses):
        seen = project(here, np.full(4, k), corners)
        expected = photo_from_table(camera_of(here), table_from_card(corners, *pose))
        assert seen == pytest.approx(expected, abs=PIXEL_TOL)


def test_seen_from_right_above_a_deeper_point_moves_to_the_middle():
    """By similar triangles: f u z / (z + 1) instead of f u."""
    here = table(4, tilt_deg=0.0)
    card, q = np.arange(4), np.array([[30.0, 40.0]] * 4)
    away = project(here, card, q) - here.centre_px
    depth = here.translation_mm[2]
    assert project_depth(here, card, q) == pytest.approx(-away / (depth + 1), abs=PIXEL_TOL)


def test_no_step_moves_nothing_and_turns_stay_turns():
    here = table(4)
    same = apply_step(here, np.zeros(11), np.zeros((4, 3)))
    assert np.array_equal(same.rotation, here.rotation)
    assert np.array_equal(same.poses, here.poses)
    step = np.zeros(11)
    step[5:7] = 0.7, -1.1
    turned = apply_step(here, step, np.zeros((4, 3))).rotation
    assert turned @ turned.T == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(turned) == pytest.approx(1, abs=1e-14)


def test_the_held_origin_stays_in_its_place_in_the_photo():
    """What holds the table frame: no step of the camera's tilt or distance moves its image."""
    here = table(4, tilt_deg=35.0)
    origin = camera_of(here).photo_from_table[:2, 2]
    step = np.zeros(11)
    step[5:8] = 0.1, -0.2, 0.05
    assert camera_of(apply_step(here, step, np.zeros((4, 3)))).photo_from_table[
        :2, 2
    ] == pytest.approx(origin, abs=1e-9)


def test_a_card_behind_the_camera_is_refused():
    here = table(2, tilt_deg=60.0)
    behind = with_poses(here, np.array([[0.0, -5000.0, 0.0], [0.0, 0.0, 0.0]]))
    assert are_in_front(behind, 55.0).tolist() == [False, True]
    with pytest.raises(DegenerateGeometryError, match="behind the camera"):
        project(behind, np.array([0]), np.zeros((1, 2)))
    with pytest.raises(DegenerateGeometryError):
        solve(behind, observe(here), FREE)


@pytest.mark.parametrize("reach_mm", [0.0, 30.0, 200.0])
def test_before_the_camera_means_every_point_within_reach(reach_mm):
    rng = np.random.default_rng(3)
    here = table(2, tilt_deg=60.0)
    here = with_poses(here, np.column_stack([rng.uniform(-1500, 1500, (200, 2)), np.zeros(200)]))
    ring = np.linspace(0, 2 * np.pi, 720)
    circle = reach_mm * np.stack([np.cos(ring), np.sin(ring)], axis=1)
    depth = (here.poses[:, None, :2] + circle) @ here.rotation[2, :2] + here.translation_mm[2]
    expected = depth.min(axis=1) > 1.0
    assert 20 < expected.sum() < 180
    assert np.array_equal(are_in_front(here, reach_mm), expected)


def test_measurements_join_in_order_and_none_is_none():
    assert len(join_measurements([]).card) == 0
    seen = observe(table(2))
    twice = join_measurements([seen, join_measurements([]), seen])
    assert np.array_equal(twice.seen_px, np.concatenate([seen.seen_px, seen.seen_px]))
    assert residuals(table(2), join_measurements([])).shape == (0,)


# --- the solver ------------------------------------------------------------------------------


@pytest.mark.parametrize("lens", LENSES)
@pytest.mark.parametrize("tilt_deg", [20.0, 45.0])
def test_exact_observations_give_back_the_exact_table(lens, tilt_deg):
    truth = table(9, tilt_deg=tilt_deg, **LENSES[lens])
    solved = solve(disturbed(truth), observe(truth, sigma_px=1e-3), FREE, None, LONG)
    found = solved.solution
    left = rigidly_apart(found.poses, truth.poses)
    assert np.abs(left[:, :2]).max() < EXACT_MM
    assert np.abs(left[:, 2]).max() < EXACT_RAD
    assert found.focal_px == pytest.approx(truth.focal_px, rel=1e-7)
    assert (found.k1, found.k2) == pytest.approx((truth.k1, truth.k2), abs=1e-6)
    assert found.bloom_px == pytest.approx(truth.bloom_px, abs=1e-7)
    assert found.thickness_mm == pytest.approx(truth.thickness_mm, abs=1e-5)
    assert np.abs(solved.residuals).max() < 1e-2  # of a thousandth of a pixel


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("tilt_deg", [6.0, 15.0])
def test_a_wrong_focal_length_is_left_in_few_steps(tilt_deg, seed):
    """A table that was fitted with 30 % less shows nearly the same: only a long step tells."""
    truth = table(16, tilt_deg=tilt_deg, seed=seed)
    seen, centre = observe(truth), (639.5, 479.5)
    near = replace(truth, focal_px=1050.0, translation_mm=0.7 * truth.translation_mm)
    held = solve(near, seen, Priors(1050.0, 1e-6, centre, 2.0)).solution
    free = Priors(1650.0, 0.3, centre, 2.0)
    solved = solve(held, seen, free, settings=SolveSettings(rounds=5)).solution
    assert held.focal_px == pytest.approx(1050, rel=1e-3)  # of which 1 sigma of the prior is 1e-6
    assert solved.focal_px == pytest.approx(1500, rel=2e-3)  # the prior draws it by 0.1 %


def test_what_cannot_be_seen_stays_as_it_was_believed():
    """A lone card from right above tells neither focal length nor lens."""
    truth = table(1, tilt_deg=0.0, focal_px=1500.0)
    priors = Priors(1450.0, 0.02, (639.5, 479.5), 3.0)
    start = replace(truth, focal_px=1450.0, translation_mm=truth.translation_mm * [1, 1, 0.97])
    found = solve(start, observe(truth), priors).solution
    assert found.focal_px == pytest.approx(1450.0, rel=2e-3)
    assert (found.k1, found.k2) == pytest.approx((0, 0), abs=1e-3)


def test_without_observations_nothing_moves():
    start = table(2, bloom_px=0.0)
    priors = Priors(start.focal_px, 0.02, (639.5, 479.5), 3.0)
    found = solve(start, join_measurements([]), priors).solution
    assert np.array_equal(found.poses, start.poses)
    assert found.focal_px == start.focal_px


def test_the_order_of_observations_changes_nothing():
    truth = table(4, **LENSES["all"])
    seen = with_noise(observe(truth), np.random.default_rng(1))
    order = np.random.default_rng(2).permutation(len(seen.card))
    mixed = Measurements(
        *(getattr(seen, name)[order] for name in Measurements.__dataclass_fields__)
    )
    priors = Priors(1500.0, 0.02, (639.5, 479.5), 3.0)
    one, other = (solve(disturbed(truth), s, priors).solution for s in (seen, mixed))
    assert one.poses == pytest.approx(other.poses, abs=1e-7)


def with_noise(seen: Measurements, rng: np.random.Generator, size: float = 1.0) -> Measurements:
    """Move what was seen along its normal by ``size`` sigmas."""
    shift = size * seen.sigma_px * rng.standard_normal(len(seen.card))
    return replace(seen, seen_px=seen.seen_px + shift[:, None] * seen.normal_px)


def test_a_tenth_of_wild_observations_does_little_harm():
    """A side taken for another, 20 px off, counts as two sigmas at most."""
    truth = table(9)
    seen = with_noise(observe(truth), np.random.default_rng(5))
    wild = np.arange(len(seen.card)) % 10 == 3
    seen = replace(seen, seen_px=seen.seen_px + 20 * wild[:, None] * seen.normal_px)
    priors = Priors(1500.0, 0.02, (639.5, 479.5), 3.0)
    solved = solve(disturbed(truth), seen, priors)
    left = rigidly_apart(solved.solution.poses, truth.poses)
    assert np.abs(left[:, :2]).max() < 0.35  # mm; each would pull its card by 2 mm if believed
    assert solved.weights[wild].max() < 0.05
    assert np.median(solved.weights[~wild]) == 1.0


@pytest.mark.parametrize("size", [1.0, 3.0])
def test_the_variance_factor_tells_noise_that_was_underrated(size):
    truth = table(12)
    seen = with_noise(observe(truth), np.random.default_rng(7), size)
    priors = Priors(1500.0, 0.02, (639.5, 479.5), 3.0)
    solved = solve(truth, seen, priors, settings=PLAIN)
    # 192 observations, 46 unknowns: chi squared over its freedom, sd 0.12
    assert solved.variance_factor == pytest.approx(size**2, rel=0.4)
    honest = solve(truth, observe(truth), priors).pose_covariance
    ratio = np.diag(solved.pose_covariance) / np.diag(honest)
    assert np.median(ratio) == pytest.approx(max(1.0, solved.variance_factor), rel=0.1)


def test_the_covariance_is_the_spread_that_noise_gives():
    """Monte Carlo: cameras drawn from what is believed, tables photographed with noise."""
    rng = np.random.default_rng(11)
    priors = Priors(1500.0, 0.02, (639.5, 479.5), 3.0)
    runs, errors, formal = 150, [], []
    for _ in range(runs):
        truth = table(
            4,
            tilt_deg=30.0,
            focal_px=1500.0 * float(np.exp(0.02 * rng.standard_normal())),
            k1=float(priors.k1_sd * rng.standard_normal()),
            k2=float(priors.k2_sd * rng.standard_normal()),
            bloom_px=float(priors.bloom_sd_px * rng.standard_normal()),
            thickness_mm=0.3 + float(priors.thickness_sd_mm * rng.standard_normal()),
            inner_bloom_px=float(priors.inner_bloom_sd_px * rng.standard_normal()),
        )
        truth = replace(truth, centre_px=truth.centre_px + 3.0 * rng.standard_normal(2))
        seen = with_noise(observe(truth, sigma_px=0.15), rng)
        start = replace(truth, focal_px=1500.0, k1=0.0, k2=0.0, bloom_px=0.0, inner_bloom_px=0.0)
        solved = solve(replace(start, thickness_mm=0.3), seen, priors, settings=PLAIN)
        laid = remove_gauge(solved.solution, solved.pose_covariance)
        true = remove_gauge(truth, np.zeros((12, 12))).poses
        errors.append(rigidly_apart(laid.poses, true))
        formal.append(laid.covariance)
    spread = np.array(errors).reshape(runs, -1)
    covariance = np.mean(formal, axis=0)
    ratio = spread.var(axis=0) / np.diag(covariance)
    # 150 draws tell a variance to 12 %; twelve of them, which hang together, to some 5 %
    assert ratio == pytest.approx(np.ones(12), abs=0.45)
    assert ratio.mean() == pytest.approx(1, abs=0.15)
    # and how errors of different cards go together
    sd = np.sqrt(np.diag(covariance))
    expected = covariance / np.outer(sd, sd)
    seen_together = spread.T @ spread / runs / np.outer(sd, sd)
    assert seen_together == pytest.approx(expected, abs=0.35)


def art(truth: Solution, sigma_px: float = 0.1) -> Measurements:
    """Observe 5 x 5 places of the print on all cards, both axes each, without any noise."""
    n = len(truth.poses)
    x, y = np.meshgrid(np.linspace(-24, 24, 5), np.linspace(-37, 37, 5))
    q = np.repeat(np.stack([x.ravel(), y.ravel()], axis=1), 2, axis=0)
    card, q = np.repeat(np.arange(n), 50), np.tile(q, (n, 1))
    ones, none = np.ones(len(card)), np.zeros(len(card))
    axes = np.tile(np.eye(2), (len(card) // 2, 1))
    at = project(truth, card, q, ones)
    return Measurements(card, q, at, axes, sigma_px * ones, none, none, ones)


#: What is believed of the forms drawn below.
FORMS = FormPriors(0.2, 0.002, 0.05, 0.3, 3e-4)


def drawn_forms(truth: Solution, rng: np.random.Generator) -> Solution:
    """Give the cards forms as :data:`FORMS` believes them."""
    n = len(truth.poses)
    forms = replace(
        flat_forms(n, CARD_MM),
        printed=rng.standard_normal((n, 3)) * [0.2, 0.2, 0.002],
        lift_mm=0.05 * rng.standard_normal(n),
        curl_mm=0.3 * rng.standard_normal((n, 3)),
        growth=3e-4 * rng.standard_normal((n, 2)),
    )
    return replace(truth, forms=forms)


def test_forms_are_found_with_the_spread_that_is_said():
    """Bent cards with shifted prints, drawn from the priors, photographed with noise.

    Both their poses and their prints come out with normalised squared errors of one for each
    number; not exactly, for the point on which a card rests is no smooth function of its bend.
    """
    rng = np.random.default_rng(3)
    priors = Priors(1500.0, 0.02, (639.5, 479.5), 3.0)
    pose, printed, blind = [], [], []
    for run in range(25):
        truth = drawn_forms(table(6, tilt_deg=40.0, seed=run, inner_bloom_px=0.05), rng)
        seen = join_measurements([observe(truth), art(truth)])
        seen = with_noise(seen, rng)
        start = replace(truth, forms=flat_forms(6, CARD_MM), inner_bloom_px=0.0)
        solved = solve(start, seen, priors, FORMS, PLAIN)
        found = solved.solution
        laid = remove_gauge(found, solved.pose_covariance)
        true = remove_gauge(truth, np.zeros((18, 18))).poses
        for k, left in enumerate(rigidly_apart(laid.poses, true)):
            block = laid.covariance[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
            pose.append(left @ np.linalg.solve(block, left) / 3)
            off = found.forms.printed[k] - truth.forms.printed[k]
            block = solved.card_covariance[k, 3:6, 3:6]
            printed.append(off @ np.linalg.solve(block, off) / 3)
        flat = solve(replace(start, forms=None), seen, priors).solution
        apart = [rigidly_apart(s.poses, true)[:, :2] for s in (found, flat)]
        blind.append([np.hypot(*a.T).max() for a in apart])
    assert np.mean(pose) == pytest.approx(1, abs=0.25)
    assert np.mean(printed) == pytest.approx(1, abs=0.25)
    best, flat = np.median(blind, axis=0)
    assert best < flat / 2  # what a bend does to a pose, if it is not asked for
