"""Cards that show as strips: fans are counted, on any side, of like cards and of others."""

import math
from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.light_speed import drawn_bank
from tests.strategies import PICTURES
from tests.synth import Pattern, Scene, camera_for, photograph
from vision.apps.known import known_game
from vision.geometry import (
    card_corners,
    photo_from_table,
    rotation,
    table_from_card,
    table_from_photo,
)
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.cards.posterior import log_odds_by_score
from vision.seeing.detector import build_detector
from vision.seeing.estimation.model import camera_of, project_cards, solution_of, with_poses
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.estimation.rectify import Rectified
from vision.seeing.reading import read_layout
from vision.seeing.registration.rigid_registration import BlurredTable, card_templates
from vision.seeing.residual import report_unexplained
from vision.values.layout import PlacedCard
from vision.values.ledger import SURE

DETECTORS = {
    "conflit-stellaire": lambda: known_game("conflit-stellaire").detector().cards,
    "light-speed": lambda: build_detector(drawn_bank()),
}


@pytest.fixture(scope="module")
def detector():
    return known_game("conflit-stellaire").detector().cards


def fan(face, count, at, step, turn_deg=0.0):
    """Like cards, each laid on the last and a step on: (x, y) mm of the first, and of a step."""
    return [
        PlacedCard(face, at[0] + k * step[0], at[1] + k * step[1], math.radians(turn_deg * k))
        for k in range(count)
    ]


def read(cards, detector, **more):
    image, camera = photograph(Scene(tuple(cards), size_wh=(1600, 1200), **more), detector.faces)
    return read_layout(Photo(image), detector), camera


@pytest.mark.parametrize("shift_mm", [1.5, 2.0, 2.5])
@pytest.mark.parametrize("side", [0, 1, 2, 3])
def test_a_border_that_lies_farther_out_as_a_whole_is_no_hidden_card(detector, side, shift_mm):
    """An edge that is bent up shows farther from the camera, and its border with it."""
    cards = [PlacedCard("crew", -120, 0, 0.2), PlacedCard("disruptor", 100, 40, 1.0)]
    image, _ = photograph(Scene(tuple(cards), size_wh=(1600, 1200)), detector.faces)
    layout = read_layout(Photo(image), detector)
    assert not layout.doubts
    bent, view = layout.placed[0], View(image, 8)
    way = rotation(cards[0].theta_rad) @ [(0, 1), (-1, 0), (0, -1), (1, 0)][side]
    outline_mm = table_from_photo(layout.camera, bent.outline_px)
    shown = photo_from_table(layout.camera, outline_mm + shift_mm * np.array(way))
    moved = replace(layout, placed=(replace(bent, outline_px=shown), *layout.placed[1:]))
    told = report_unexplained(view, moved, detector.faces)
    assert not [doubt for doubt in told.doubts if doubt.code == "card_hidden"]


@pytest.mark.parametrize("tilt_deg", [13.0, 15.0])
def test_fans_are_counted_on_any_side(detector, tilt_deg):
    """Steps of 8 to 20 mm, to all four sides, and a fan of cards that all differ."""
    laid = [
        *fan("energy-cell", 7, (-230, -120), (14, 1), 2.0),
        *fan("energy-cell", 5, (230, -120), (-8, 0)),
        *fan("screen", 3, (-210, 60), (2, 20)),
        *fan("energy-cell", 4, (0, 150), (1, -16), -3.0),
        *[
            PlacedCard(face, 130 + 15 * k, 120, 0.03 * k)
            for k, face in enumerate(("crew", "disruptor", "thruster", "decoys"))
        ],
        PlacedCard("twin-laser", 0, -150, 1.5),
    ]
    layout, camera = read(laid, detector, tilt_deg=tilt_deg)
    assert Counter(p.piece for p in layout.placed) == Counter(c.card_id for c in laid)
    for card in laid:
        outline = table_from_card(card_corners(63.5, 88.9), card.x_mm, card.y_mm, card.theta_rad)
        at = photo_from_table(camera, outline).mean(axis=0)
        own = [p for p in layout.placed if p.piece == card.card_id]
        off = min(float(np.hypot(*(p.outline_px.mean(axis=0) - at))) for p in own)
        assert off < 1.3  # of pixels: 0.8 mm, a tenth of a fan's least step; seen: 0.9
    size = 3 * len(layout.placed)
    assert layout.joint_covariance.shape == (size, size)
    assert len({p.spot for p in layout.placed}) == len(layout.placed)


@pytest.mark.parametrize("seed", [1, 2, 10, 12])
def test_fans_as_hands_lay_them_are_counted(detector, seed):
    """Like cards, some turned by half: a border that lies on a border is no agreement."""
    rng = np.random.default_rng([77, seed])
    laid = [PlacedCard("twin-laser", 0, -250, 1.5), PlacedCard("screen", 300, 0, 0.5)]
    for middle in ((-130, -120), (160, -120), (-130, 80), (160, 80)):
        way, step = rng.uniform(0, 2 * np.pi), rng.uniform(15, 18)
        lie = way + rng.normal(0, 0.05)
        for k in range(-2, 3):
            at = middle + k * step * np.array([np.cos(way), np.sin(way)]) + rng.normal(0, 1, 2)
            turned = np.pi * (rng.random() < 0.4)
            theta = lie + turned + rng.normal(0, 0.05)
            laid.append(PlacedCard("energy-cell", *at.tolist(), float(theta)))
    layout, _ = read(laid, detector, tilt_deg=12.0)
    assert Counter(p.piece for p in layout.placed) == Counter(c.card_id for c in laid)
    assert not [one for one in layout.doubts if one.severity == "doubt"]


def test_what_hides_is_told(detector):
    """A card of which only a border shows cannot be read: something is said of its place."""
    laid = [
        *fan("energy-cell", 2, (-60, 0), (4.5, 0)),
        PlacedCard("twin-laser", 60, 0, 0.1),
        PlacedCard("screen", 150, 10, 0.4),
    ]
    layout, _ = read(laid, detector)
    found = Counter(p.piece for p in layout.placed)
    told = {doubt.code for doubt in layout.doubts if doubt.severity == "doubt"}
    assert found["energy-cell"] == 2 or told & {"card_hidden", "unreadable_card"}


@pytest.mark.parametrize("deck", ["conflit-stellaire", "light-speed"])
@pytest.mark.parametrize("pattern", [None, Pattern("check", (150, 60, 40), 26.0, 0.3)])
@pytest.mark.parametrize("off_mm", [(2.0, 0.0), (1.5, 1.5), (-4.0, 0.0), (0.0, 6.0)])
def test_a_pile_is_told_by_the_border_that_sticks_out(deck, off_mm, pattern):
    """Of the lower card a strip of its border is in sight, on one side or on two, and no more."""
    detector = DETECTORS[deck]()
    names = [name for name in detector.faces.card_ids if "back" not in name]
    pile = [PlacedCard(names[k], -60 + k * off_mm[0], k * off_mm[1], 0.0) for k in (0, 1)]
    alone = [PlacedCard(names[2], 60, 20, 0.1), PlacedCard(names[3], 150, 10, 0.4)]
    layout, camera = read([*pile, *alone], detector, pattern=pattern)
    assert len(layout.placed) == 3
    (at,) = [doubt.at_px for doubt in layout.doubts if doubt.severity == "doubt"]
    outline = table_from_card(card_corners(*detector.faces.size_mm), -60.0, 0.0, 0.0)
    assert cv2.pointPolygonTest(np.float32(photo_from_table(camera, outline)), at, True) > -8.0


@pytest.mark.parametrize("gap_mm", [1.0, 2.0, 4.0, 6.0, 8.0])
def test_cards_side_by_side_hide_none(detector, gap_mm):
    """Neighbours are no strips of each other, and no borders that stick out from under one."""
    faces = ("energy-cell", "energy-cell", "screen", "crew", "fighter", "decoys")
    wide, high = np.add(detector.faces.size_mm, gap_mm)
    laid = [PlacedCard(face, wide * (k % 3), high * (k // 3), 0.0) for k, face in enumerate(faces)]
    layout, _ = read(laid, detector)
    assert Counter(p.piece for p in layout.placed) == Counter(faces)
    assert not [doubt for doubt in layout.doubts if doubt.severity == "doubt"]


def test_long_fans_are_counted_to_their_ends(detector):
    """Twelve cells each, further than a card's length from their first, and 44 beneath others."""
    laid = [
        card
        for at in ((-230, 0), (20, 0), (-230, 110), (20, 110))
        for card in fan("energy-cell", 12, at, (14, 0), 0.4)
    ]
    layout, _ = read([*laid, PlacedCard("twin-laser", 0, -130, 0)], detector)
    assert Counter(p.piece for p in layout.placed) == {"energy-cell": 48, "twin-laser": 1}


def test_white_that_nothing_explains_is_told_in_the_dim_corner_too(detector):
    """A border beside a fan in half the light of the other cards."""
    laid = [
        *fan("energy-cell", 2, (-200, 150), (4.5, 0)),
        PlacedCard("twin-laser", 160, -100, 0.1),
        PlacedCard("screen", 230, -100, 0.4),
    ]
    layout, _ = read(laid, detector, falloff=0.55, tilt_deg=0.0)
    found = Counter(p.piece for p in layout.placed)
    told = {doubt.code for doubt in layout.doubts if doubt.severity == "doubt"}
    assert found["energy-cell"] == 2 or told & {"card_hidden", "unreadable_card"}


@given(st.floats(0, 50), st.floats(0, 360), st.integers(0, 1000))
def test_a_camera_is_as_good_as_its_solution(tilt, azimuth, seed):
    rng = np.random.default_rng(seed)
    cards = (PlacedCard("a", 0, 0, 0), PlacedCard("a", *rng.uniform(-200, 200, 2), 0))
    scene = Scene(cards, tilt_deg=tilt, azimuth_deg=azimuth, k1=0.02)
    camera = camera_for(scene)
    again = solution_of(camera)
    points = rng.uniform(-200, 200, (5, 2))
    at = project_cards(with_poses(again, np.zeros((1, 3))), np.zeros((1, 3)), points)[0]
    assert at == pytest.approx(photo_from_table(camera, points), abs=1e-3)
    assert camera_of(again).photo_from_table == pytest.approx(camera.photo_from_table, rel=1e-6)


@given(best=st.floats(0.61, 0.98), lead=st.floats(0.0, 0.5))
def test_a_lead_says_more_where_the_best_face_fits_better(best, lead):
    def odds(score):
        return float(np.ptp(log_odds_by_score(np.array([score, score - lead]))))

    assert odds(min(best + 0.02, 0.99)) >= odds(best) - 1e-9


def test_a_title_read_well_is_no_other_and_one_read_badly_may_be():
    """0.06 of correlation: veterans and marines on tidy tables, and blurred strips of any face."""
    clear, faint = (np.ptp(log_odds_by_score(np.array(of))) for of in ([0.98, 0.92], [0.70, 0.64]))
    sure = np.log(SURE / (1 - SURE))
    assert faint < sure < clear


@given(
    st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(-0.015, 0.015), st.integers(0, 3),
    st.floats(0.4, 1.0), st.floats(0, 60),
)  # fmt: skip
@PICTURES
def test_a_strip_is_placed_by_its_print(detector, x, y, turn, side, gain, lift):
    """Wherever the search starts within a millimetre and in any even light; the rest is covered."""
    faces, face = detector.faces, 5
    templates, pose = card_templates(faces), np.array([75.0, 75.0, 0.2])
    step = [(0, 20), (20, 0), (0, -20), (-20, 0)][side]
    cover = pose + np.append(rotation(0.2) @ step, 0.0)
    table = on_table(faces, face, pose)
    lit = np.clip(gain * table.image.astype(np.float64) + lift, 0, 255).astype(np.uint8)
    hidden = table.filled(card_outlines(cover[None], faces.size_mm)) > 0
    start = pose + np.array([x, y, turn])
    seen = BlurredTable(replace(table, image=lit))
    found = templates.register(seen, hidden, start[None], np.array([face]))
    off = np.abs(found[0] - pose) * [1, 1, 40]
    assert off.max() < 0.3  # mm: a third of a pixel of a photo of 1 px/mm
    both = np.array([pose, pose + np.array([4.0, 3.0, 0.0])])
    gains = templates.gains(BlurredTable(table), hidden, both, np.array([face, face]))
    assert gains[0] > 2 * max(gains[1], 0.05)


def test_what_is_covered_whole_moves_nowhere_and_gains_nothing(detector):
    faces, pose = detector.faces, np.array([75.0, 75.0, 0.2])
    table, templates = on_table(faces, 5, pose), card_templates(faces)
    hidden = np.ones(table.image.shape[:2], np.bool_)
    start, face = (pose + np.array([1.0, 0.0, 0.0]))[None], np.array([5])
    assert (templates.register(BlurredTable(table), hidden, start, face) == start).all()
    assert templates.gains(BlurredTable(table), hidden, pose[None], face) == 0


def test_the_negative_of_a_face_gains_nothing(detector):
    faces, pose = detector.faces, np.array([75.0, 75.0, 0.2])
    table, templates = on_table(faces, 5, pose), card_templates(faces)
    hidden = np.zeros(table.image.shape[:2], np.bool_)
    each = hidden, pose[None], np.array([5])
    assert templates.gains(BlurredTable(table), *each) > 1
    negative = BlurredTable(replace(table, image=255 - table.image))
    assert templates.gains(negative, *each) == 0


def test_cards_are_registered_together_as_each_by_itself(detector):
    """Of other faces, some covered in part, some whole; none at all is an ordinary case."""
    faces, pose = detector.faces, np.array([75.0, 75.0, 0.2])
    table, templates = BlurredTable(on_table(faces, 5, pose)), card_templates(faces)
    hidden = np.zeros((300, 300), np.bool_)
    hidden[:, :150] = True
    off = np.array([(1.0, -0.5, 0.01), (-1.0, 1.5, 0.0), (-60.0, 0.0, 0.0), (30.0, 30.0, 1.0)])
    poses, names = pose + off, np.array([5, 5, 5, 2])
    together = templates.register(table, hidden, poses, names)
    alone = [templates.register(table, hidden, poses[[k]], names[[k]])[0] for k in range(4)]
    assert np.allclose(together, alone, atol=1e-4)
    assert np.abs(together[:2, :2] - pose[:2]).max() < 0.3 < np.abs(together[2:] - pose).max()
    assert templates.register(table, hidden, poses[:0], names[:0]).shape == (0, 3)


def on_table(faces, face, pose):
    """Return a dark rectified table of 150 mm, 2 px/mm, with a card on it."""
    scale = 2.0
    image = np.full((300, 300, 3), 60, np.uint8)
    size = faces.images[face].shape[1::-1]
    outline = (scale * card_outlines(pose[None], faces.size_mm)[0]).astype(np.float32)
    own = np.float32([(-0.5, -0.5), (size[0] - 0.5, -0.5), (size[0] - 0.5, size[1] - 0.5)])
    matrix = cv2.getAffineTransform(own, outline[:3])
    soft = cv2.GaussianBlur(faces.images[face], (0, 0), faces.px_per_mm / scale / 2)
    cv2.warpAffine(
        soft, matrix, (300, 300), image, cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT
    )
    return Rectified(image, np.ones((300, 300), np.bool_), scale, np.zeros(2))
