"""Learned decks: no card that shows is passed over in silence, and what is no card is none."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from tests.drawn_faces import draw_face
from tests.learned import SIZE, bank_of, printed
from tests.seeing.tables import cards_of
from tests.synth import Scene, photograph, random_cards
from vision.errors import TableNotFoundError
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.cards.print_poses import PrintPoseEstimator
from vision.seeing.detector import build_detector
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.estimation.overlaps import card_outlines, max_overlap
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard, identity_of

BLACK, GREEN, WHITE = (34, 32, 30), (70, 110, 60), (236, 238, 238)
REACH_PX = 50.0  # a third of a card's width: what is told there is told of it
PLACE_TOL_PX = 5.0  # of a card's middle: 3 % of a card 150 pixels wide; of one in a fan 3 px seen


@pytest.fixture(scope="module")
def faces():
    """Faces of several kinds, with dark, light, coloured borders and without."""
    kinds = ("landscape", "head", "marble", "panel")
    borders = ("none", "black", "white", "colour")
    return {
        f"{kind}-{border}": draw_face(60 + 4 * i + j, kind=kind, border=border)
        for i, kind in enumerate(kinds)
        for j, border in enumerate(borders)
    }


@pytest.fixture(scope="module")
def detector(faces):
    return build_detector(bank_of(faces))


def aliens(faces):
    """Cards of the same size that are not in the deck: four with art, and one back without any."""
    drawn = {f"alien-{k}": draw_face(900 + k) for k in range(4)}
    return drawn | {"alien-back": np.full_like(next(iter(faces.values())), 70)}


def middles(cards, camera):
    """Return the mean (2,) of where the corners of each card show, by id."""
    shape = card_corners(63.0, 88.0)
    laid = {c.card_id: table_from_card(shape, c.x_mm, c.y_mm, c.theta_rad) for c in cards}
    return {name: photo_from_table(camera, at).mean(axis=0) for name, at in laid.items()}


def placed_at(seen, at_px):
    """Return what is placed at a place in the photo."""
    away = [np.linalg.norm(card.outline_px.mean(axis=0) - at_px) for card in seen.placed]
    near = int(np.argmin(away))
    return seen.placed[near].piece if away[near] < PLACE_TOL_PX else None


@pytest.mark.parametrize(
    ("name", "header"), [("landscape-none", 75.0), ("head-black", None), ("marble-white", 75.0)]
)
def test_a_card_that_fills_the_picture_is_read(faces, detector, name, header):
    scene = Scene(
        (PlacedCard(name, 0.0, 0.0, 0.1),),
        size_wh=(1440, 1920),
        focal_35mm=75.0,
        tilt_deg=12.0,
        fill=0.98,
    )
    image, camera = photograph(scene, printed(faces))
    corners = photo_from_table(camera, table_from_card(card_corners(63.0, 88.0), 0.0, 0.0, 0.1))
    assert cv2.contourArea(corners.astype(np.float32)) > 0.5 * 1440 * 1920
    seen = read_layout(Photo(image, header), detector)
    assert [c.card_id for c in cards_of(seen)] == [name]
    assert np.abs(seen.placed[0].outline_px.mean(axis=0) - corners.mean(axis=0)).max() < 10.0


@pytest.mark.parametrize(("seed", "cloth"), [(0, GREEN), (1, BLACK), (2, (225, 230, 232))])
def test_cards_that_are_not_of_the_deck_are_placed_and_told(faces, detector, seed, cloth):
    both = faces | aliens(faces)
    ids = [*sorted(faces)[seed::3], *aliens(faces)]
    cards = random_cards(ids, np.random.default_rng([91, seed]), gap_mm=8.0)
    scene = Scene(cards, seed=seed, tilt_deg=15.0, cloth_bgr=cloth)
    image, camera = photograph(scene, printed(both))
    seen = read_layout(Photo(image), detector)
    told = {name: placed_at(seen, at) for name, at in middles(cards, camera).items()}
    assert {name: told[name] for name in faces if name in told} == {
        name: name for name in faces if name in told
    }
    strange = {told[name] for name in aliens(faces)}
    assert None not in strange
    assert all(identity_of(name) is None for name in strange)
    assert len(seen.placed) == len(cards)
    doubted = {card for issue in seen.doubts if issue.severity == "doubt" for card in issue.cards}
    assert strange <= doubted


def blank_with_a_sign(like):
    """A white card with a ring on it, of no deck."""
    face = np.full_like(like, 236)
    h, w = face.shape[:2]
    cv2.ellipse(face, (w // 2, h // 2), (w // 5, h // 12), 0, 0, 360, (60, 40, 150), w // 60)
    return face


@pytest.mark.parametrize(
    ("gap_mm", "off_mm", "turn", "cloth"),
    [(0.01, -10.1, -0.01, BLACK), (0.1, -7.0, -0.05, BLACK), (0.03, 0.2, 0.0, GREEN)],
)
def test_white_cards_that_touch_each_other_are_told_apart(
    faces, detector, gap_mm, off_mm, turn, cloth
):
    """Two of no deck, the one end to end with the other and with a card of the deck: of all
    three there is one outline."""
    step = 88.0 + gap_mm + 31.5 * abs(np.sin(turn))
    ring = blank_with_a_sign(faces["head-white"])
    cards = (
        PlacedCard("head-white", -100.0, 0.0, 0.0),
        PlacedCard("ring-1", off_mm - 100.0, step, turn),
        PlacedCard("ring-2", off_mm - 100.0, step + 88.0 + gap_mm, turn),
        PlacedCard("marble-white", 0.0, 0.0, 0.03),
        PlacedCard("landscape-white", 10.0, 100.0, 0.05),
        PlacedCard("panel-white", 100.0, 20.0, 0.1),
    )
    scene = Scene(cards, seed=5, tilt_deg=12.0, size_wh=(1600, 1200), cloth_bgr=cloth)
    image, camera = photograph(scene, printed(faces | {"ring-1": ring, "ring-2": ring}))
    seen = read_layout(Photo(image), detector)
    told = {name: placed_at(seen, at) for name, at in middles(cards, camera).items()}
    rings = {told.pop("ring-1"), told.pop("ring-2")}
    assert told == {name: name for name in told}
    at = middles(cards, camera)
    doubts = [issue.at_px for issue in seen.doubts if issue.severity == "doubt" and issue.at_px]
    for name in ("ring-1", "ring-2"):
        assert min(np.linalg.norm(np.array(doubts) - at[name], axis=1)) < REACH_PX
    assert all(ring is None or identity_of(ring) is None for ring in rings)


def test_white_cards_on_white_cloth_are_found(faces, detector):
    ids = [name for name in faces if name.endswith(("white", "none"))]
    cards = random_cards(ids, np.random.default_rng([91, 3]), gap_mm=8.0)
    image, _ = photograph(Scene(cards, seed=3, cloth_bgr=WHITE, texture=3.0), printed(faces))
    assert {c.card_id for c in cards_of(read_layout(Photo(image), detector))} == set(ids)


@pytest.mark.parametrize(("step_mm", "first"), [(32.0, 0), (32.0, 1), (40.0, 0)])
def test_a_card_half_under_others_in_a_fan_is_named_or_told(faces, detector, step_mm, first):
    """Each card leaves a strip of the next in sight, half of it or two thirds."""
    bordered = [name for name in sorted(faces) if not name.endswith("none")]
    shown = [bordered[(first + 5 * k) % len(bordered)] for k in range(4)]
    fan = [PlacedCard(n, step_mm * k - 60.0, 0.0, 0.12 * k) for k, n in enumerate(shown)]
    cards = (*fan, PlacedCard("panel-none", 0.0, 160.0, 0.4))
    scene = Scene(cards, seed=4, tilt_deg=10.0, size_wh=(2000, 1500))
    image, camera = photograph(scene, printed(faces))
    seen = read_layout(Photo(image), detector)
    at = middles(cards, camera)
    told = {name: placed_at(seen, at[name]) for name in at}
    named = {name: piece for name, piece in told.items() if piece is not None}
    assert set(named) == set(told)
    assert all(identity_of(piece) in (name, None) for name, piece in named.items())
    assert {told[name] for name in (shown[-1], "panel-none")} == {shown[-1], "panel-none"}
    assert len(seen.placed) == len(cards)
    doubts = [issue for issue in seen.doubts if issue.severity == "doubt"]
    doubted = {card for issue in doubts for card in issue.cards}
    assert {name for name in named.values() if identity_of(name) is None} <= doubted
    assert not [issue for issue in doubts if issue.code == "card_hidden"]


def things(picture, camera, where):
    """Paint what is no card round a place on the table: paper, phone, box, ruler, small slip."""
    low = where
    for (x, y), (w, h), turn, tone in (
        ((0, 0), (105, 148), 0.1, (236, 240, 240)),
        ((120, -10), (72, 147), -0.2, (25, 25, 28)),
        ((15, 160), (95, 95), 0.4, (60, 90, 170)),
        ((130, 165), (30, 310), 1.4, (90, 190, 220)),
        ((60, 75), (40, 56), 0.3, (40, 160, 70)),
    ):
        corners = table_from_card(card_corners(w, h), low[0] + x, low[1] + y, turn)
        at = photo_from_table(camera, corners)
        cv2.fillConvexPoly(picture, np.round(at * 16).astype(np.int32), tone, cv2.LINE_AA, 4)
    return picture


def test_clutter_beside_the_cards_loses_none_and_is_no_card(faces, detector):
    ids = sorted(faces)[1::3]
    cards = random_cards(ids, np.random.default_rng([91, 4]), gap_mm=8.0)
    far = max(card.x_mm for card in cards) + 130.0
    ends = (*cards, PlacedCard(ids[0], far + 150.0, 200.0, 0.0))  # the camera takes all in
    scene = Scene(ends, seed=4, tilt_deg=10.0, size_wh=(2400, 1500))
    _, camera = photograph(scene, printed(faces))
    alone, _ = photograph(replace(scene, cards=cards), printed(faces), camera)
    crowded = things(alone.copy(), camera, (far, 0.0))
    names = [
        sorted(card.piece for card in read_layout(Photo(image), detector).placed)
        for image in (alone, crowded)
    ]
    assert names == [sorted(ids)] * 2


def test_a_card_is_placed_once(faces, detector):
    both = faces | aliens(faces)
    cards = random_cards([*sorted(faces)[::4], *aliens(faces)], np.random.default_rng(5), gap_mm=3)
    image, _ = photograph(Scene(cards, seed=5), printed(both))
    seen = read_layout(Photo(image), detector)
    outlines = card_outlines(
        np.array([(c.x_mm, c.y_mm, c.theta_rad) for c in seen.placed]), (63.0, 88.0)
    )
    shares = [max_overlap(one, np.delete(outlines, k, axis=0)) for k, one in enumerate(outlines)]
    assert max(shares) < 0.1  # they lie 3 mm apart


def test_what_was_not_found_is_said_as_it_is(detector):
    """Of large outlines nobody is told to go nearer, of small ones he is."""
    rng = np.random.default_rng(0)

    def picture(width):
        cloth = rng.normal(90, 4, (900, 1200, 3))
        cv2.rectangle(cloth, (100, 100), (100 + width, 100 + 3 * width // 2), (230, 230, 230), -1)
        return Photo(np.clip(cloth, 0, 255).astype(np.uint8))

    with pytest.raises(TableNotFoundError, match="check that this is the deck"):
        read_layout(picture(480), detector)
    with pytest.raises(TableNotFoundError, match=r"the widest is 4\d pixels wide.*move closer"):
        read_layout(picture(40), detector)


@pytest.mark.parametrize("turn", [0.0, 0.7, -2.0])
def test_cards_led_astray_go_back_to_where_the_photo_has_their_outlines(turn):
    """The table's frame moves while camera and plane are solved for; outlines in the photo stay."""
    rng = np.random.default_rng(6)
    size = (SIZE.width_mm, SIZE.height_mm)
    poses = rng.uniform([-150, -100, -3], [150, 100, 3], (6, 3))
    cos, sin = np.cos(turn), np.sin(turn)
    about = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
    tilted = cv2.Rodrigues(np.array([0.3, -0.1, 0.05]))[0]
    middle = np.array([600.0, 450.0])
    was = Solution(1400.0, middle, 0.0, 0.0, tilted, np.array([5.0, -8.0, 600.0]), poses)
    laid_px = project_cards(was, poses, card_corners(*size))
    shift = np.array([30.0, -12.0, 0.0])
    astray = poses[:, :2] @ about[:2, :2] + rng.normal(0, 5, (6, 2))
    now = Solution(
        1400.0,
        middle,
        0.0,
        0.0,
        tilted @ about,
        was.translation_mm + tilted @ shift,
        np.column_stack([astray, poses[:, 2]]),
    )
    comparer = SimpleNamespace(
        faces=SimpleNamespace(size_mm=size),
        coarse=lambda view, at, covers: np.zeros((6, 2, 2)),
        grid=None,
        visible=lambda poses, covers, grid: np.ones((6, 1), bool),
        compare=lambda view, at, coarse, visible: (np.zeros((len(coarse), 2, 2)), None),
    )
    coarse = np.full((6, 2), 0.9)
    coarse[4:] = 0.0  # these read no worse than they did
    view = View(np.zeros((900, 1200, 3), np.uint8))
    back, _ = PrintPoseEstimator(comparer)._unless_worse(
        view, now, laid_px, coarse, np.zeros(6, int), None
    )
    at_px = project_cards(back, back.poses, card_corners(*size))
    assert np.abs(at_px[:4] - laid_px[:4]).max() < 1e-6
    assert np.array_equal(back.poses[4:], now.poses[4:])
