"""Cards that show as strips: fans are counted, on any side, of like cards and of others."""

import math
from collections import Counter
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.light_speed.looks import build_bank
from tests.synth import Scene, camera_for, photograph
from vision.apps.decks import known_game
from vision.games.light_speed.deck import load_deck
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.estimation.model import camera_of, project_cards, solution_of, with_poses
from vision.seeing.pieces.rectify import Rectified
from vision.seeing.reading import read_layout
from vision.values.layout import Camera, Layout, Placed, PlacedCard

SIZE, FRAME = (63.5, 88.9), (56.5, 81.9)


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
        assert off < 2.6  # of pixels: 1.5 mm, a fan's least step is five times that; seen: 2.1
    size = 3 * len(layout.placed)
    assert layout.joint_covariance.shape == (size, size)
    assert len({p.spot for p in layout.placed}) == len(layout.placed)


def test_a_strip_that_may_be_of_many_faces_is_told():
    """Named as the card on top of it where it may be that, and in doubt either way up."""
    scores = np.array([[0.90, 0.2], [0.2, 0.88], [0.5, 0.4]])
    read = OccludedCard(np.array([1.0, 2.0, 0.5]), scores, 0, 0.1)
    assert _prefer_upper_face(read, 0).face == 0
    assert _prefer_upper_face(read, 2) is read  # that it cannot be
    like = _prefer_upper_face(read, 1)
    assert like.face == 1
    assert like.pose == pytest.approx([1.0, 2.0, 0.5 + math.pi])
    assert like.scores[1, 0] == 0.88
    assert not like.is_sure()
    assert not read.is_sure()
    led = np.array([[0.90, 0.2], [0.2, 0.88], [0.5, 0.4]])
    read = OccludedCard(np.array([1.0, 2.0, 0.5]), led, 0, 0.1)
    assert not read.is_sure()  # of a card that lies under another kind
    assert _prefer_upper_face(read, 0).is_sure()  # of a fan of like cards
    assert not _prefer_upper_face(read, 1).is_sure()


@given(best=st.floats(0.61, 0.99), lead=st.floats(0.0, 0.5))
def test_a_lead_says_more_where_the_best_face_fits_better(best, lead):
    """The posterior is whole, and one lead in correlation is surer of a better fit."""

    def sure(score):
        scores = np.array([[score, 0.0], [score - lead, 0.1]])
        posterior = OccludedCard(np.zeros(3), scores, 0, 0.2).posterior
        assert posterior.sum() == pytest.approx(1.0)
        return float(posterior[0])

    assert sure(min(best + 0.02, 0.99)) >= sure(best) - 1e-12
    assert sure(best) >= 0.5 - 1e-12  # none likelier than the best


def test_a_title_read_well_is_no_other_and_one_read_badly_may_be():
    """0.06 of correlation: veterans and marines on tidy tables, and blurred strips of any face."""
    clear, faint = ([[0.98, 0.1], [0.92, 0.1]], [[0.70, 0.1], [0.64, 0.1]])
    assert OccludedCard(np.zeros(3), np.array(clear), 0, 0.2).is_sure()
    assert not OccludedCard(np.zeros(3), np.array(faint), 0, 0.2).is_sure()


def test_what_no_strip_confirms_is_one_card_or_several():
    """A supposed card stays where strips say nothing, and is told; not where a strip has it."""
    faces = known_game("conflit-stellaire").detector().cards.faces
    rectified = Rectified(
        np.zeros((200, 200, 3), np.uint8), np.ones((200, 200), bool), 1.0, -np.full(2, 100)
    )
    names = [ids[-1] for ids in faces.names]
    proposed = Placed(
        "1", names[0], 0.0, 0.0, 0.0, np.eye(3), 9.0 * card_corners(*SIZE), score=0.5, visible=0.6
    )
    scores = np.zeros((len(names), 2))
    strips = [OccludedCard(np.array([1.0, 0.0, 0.0]), scores, face, 0.6) for face in (0, 1)]

    def kept(*found):
        return _reconcile([proposed], [True], found, rectified, faces)

    assert kept() == ([0], [0], [])
    assert kept(strips[0]) == ([0], [], [])
    assert kept(strips[1]) == ([], [], [strips[1]])
    told = _report_several(proposed)
    assert (told.code, told.severity, told.cards) == ("card_in_parts", "doubt", (names[0],))
    assert told.at_px == pytest.approx((0, 0), abs=0.5)


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


def test_cards_side_by_side_hide_none(detector):
    """Neighbours 2 mm apart are no strips of each other."""
    faces = ("energy-cell", "energy-cell", "screen", "crew", "fighter", "decoys")
    laid = [PlacedCard(face, 65.5 * (k % 3), 91.0 * (k // 3), 0.0) for k, face in enumerate(faces)]
    layout, _ = read(laid, detector)
    assert Counter(p.piece for p in layout.placed) == Counter(faces)


def test_decks_of_single_cards_are_left_alone():
    """Where no face may lie there twice nobody looks for fans."""
    bank = build_bank(load_deck("light-speed"))
    camera = Camera(np.eye(3), np.zeros(2), np.eye(3))
    layout = Layout((), np.zeros((0, 0)), camera, (100, 100))
    assert add_fanned_cards(View(np.zeros((100, 100, 3), np.uint8)), layout, bank) is layout


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


@given(st.floats(-3, 3), st.floats(0.15, 1.0), st.integers(0, 1000))
def test_a_card_in_any_light_is_not_bare_and_a_table_is(theta, light, seed):
    """Light border round dark frame, whichever way up; wood, cloth and a plain sheet have none."""
    rng = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(rng.normal(110, 25, (200, 200)).astype(np.float32), (0, 0), 4)
    cloth = np.repeat(grain[..., None], 3, axis=2)
    card = cloth.copy()
    pose = np.array([1.0, -2.0, theta])
    for size, tone in ((SIZE, 235.0), (FRAME, 70.0)):
        corners = (table_from_card(card_corners(*size), *pose) + 100).astype(np.int32)
        cv2.fillConvexPoly(card, corners, (tone,) * 3)
    everywhere = np.ones((200, 200), np.bool_)
    index = SimpleNamespace(size_mm=SIZE, rectangles_mm=(SIZE, FRAME))

    def bare(picture, others=()):
        lit = np.clip(picture * light, 0, 255).astype(np.uint8)
        rectified = Rectified(lit, everywhere, 1.0, np.array([-100.0, -100.0]))
        look = StripScene(rectified, index, footprint_mask(rectified, list(others), SIZE))
        return is_border_missing(look, pose)

    assert not bare(card)
    assert bare(cloth)
    assert bare(np.full_like(cloth, 235.0))
    assert not bare(cloth, [pose])  # nothing of it shows: nothing is said


def test_a_way_under_puts_the_far_side_where_it_says():
    """Every place of the far side lies beyond the upper card's side, within the border."""
    ways = poses_beneath(SIZE, FRAME)
    x, y = np.abs(ways.far[..., 0]), np.abs(ways.far[..., 1])
    border = (SIZE[0] - FRAME[0]) / 4
    slant = np.sin(np.radians(_POSE_TURN_DEG)) * SIZE[1] / 2 + border + 0.1
    beyond = np.maximum(x - SIZE[0] / 2, y - SIZE[1] / 2).max(axis=1)
    assert beyond.min() > _POSE_LEAST_MM - slant
    assert np.hypot(*ways.poses[:, :2].T).min() > 0


@given(st.floats(-300, 300), st.floats(-300, 300), st.floats(-3.1, 3.1), st.floats(-30, 30))
def test_places_are_laid_as_cards_are(x, y, theta, u):
    place = np.array([[u, 12.5]])
    laid = place_samples(place, np.array([[x, y, theta]]))[0]
    assert laid == pytest.approx(table_from_card(place, x, y, theta), abs=1e-9)


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


@given(
    gain=st.floats(0.2, 1.5),
    lift=st.floats(0.0, 0.7),
    colour=st.floats(0.2, 1.0),
    seed=st.integers(0, 1000),
)
def test_veils_and_pale_colours_leave_what_a_strip_is_like(gain, lift, colour, seed):
    """The right face leads whatever the light; where it alone differs, likeness is whole."""
    rng = np.random.default_rng(seed)
    faces = rng.uniform(0, 1, (6, 90, 3))
    seen = gain * faces[[2]] * [1, colour, colour] + [lift, 0.05, -0.02]
    scores = colour_correlation(seen, faces, 0.25)
    assert int(scores.argmax()) == 2
    plain = gain * faces[[2]] + [lift, 0.05, -0.02]
    assert colour_correlation(plain, faces, 0.25)[2] == pytest.approx(1.0)
    shown = rng.random((1, 90)) < 0.5
    part = colour_correlation(plain[:, shown[0]], faces[:, shown[0]], 0.25)
    assert colour_correlation(plain, faces, 0.25, np.repeat(shown, 6, axis=0)) == pytest.approx(
        part
    )
