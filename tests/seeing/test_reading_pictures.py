"""Photos of learned decks: cards of any art are found, named and placed, or doubts are said."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.learned.learn import DeckSize
from tests.drawn_faces import BORDERS, KINDS, draw_face, draw_playing_card
from tests.learned import bank_of, draw_deck, learn, shoot
from tests.seeing.tables import cards_of
from vision.errors import TableNotFoundError
from vision.geometry import rotation, wrap_angle
from vision.imaging.photo import Photo
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard

SHAPE_TOL_MM = 0.3  # half a pixel at 1.8 px/mm, worst card, up to the table's common scale
POSITION_TOL_MM = 1.2  # the same with the scale: 0.4 % of 300 mm, for pictures are cut by eye
EXACT_TOL_MM = 0.6  # where they are the cards themselves: 0.2 %
ANGLE_TOL_DEG = 0.35

CARD_COUNT = 10


def errors(found, truth, *, half_turns=False):
    """Return the worst errors after a rigid alignment: mm; mm up to scale; degrees."""
    seen = {c.card_id: c for c in found}
    names = [c.card_id for c in truth]
    a = np.array([(seen[n].x_mm, seen[n].y_mm) for n in names])
    b = np.array([(c.x_mm, c.y_mm) for c in truth])
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    turn = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    laid = a @ rotation(float(turn)).T
    scale = (laid * b).sum() / (laid**2).sum()
    away, shape = (np.linalg.norm(k * laid - b, axis=1).max() for k in (1.0, scale))
    period = 2 if half_turns else 1
    off = [
        wrap_angle(period * (seen[c.card_id].theta_rad + turn - c.theta_rad)) / period
        for c in truth
    ]
    return float(away), float(shape), float(np.degrees(np.abs(off).max()))


@pytest.fixture(scope="module")
def faces():
    """Faces with every kind of art, each with every kind of border."""
    drawn = {}
    for i, kind in enumerate(KINDS):
        for j, border in enumerate(BORDERS):
            drawn[f"{kind}-{border}"] = draw_face(100 + 10 * i + j, kind=kind, border=border)
    return drawn


@pytest.fixture(scope="module")
def bank(faces, tmp_path_factory):
    """What is learned from scans of them."""
    return learn(faces, tmp_path_factory.mktemp("deck")).deck.bank


GREEN, BLACK, WHITE, RED = (70, 110, 60), (34, 32, 30), (225, 230, 232), (50, 50, 120)


@pytest.mark.parametrize(
    ("seed", "scene"),
    [
        (0, {"tilt_deg": 5, "cloth_bgr": GREEN}),
        (1, {"tilt_deg": 40, "cloth_bgr": RED, "roll_deg": 70}),
        (2, {"tilt_deg": 15, "cloth_bgr": BLACK, "texture": 12}),
        (3, {"tilt_deg": 25, "cloth_bgr": WHITE, "light_bgr": (0.7, 0.9, 1.1)}),
    ],
)
def test_cards_of_every_kind_are_found_named_and_placed(faces, bank, seed, scene):
    ids = list(np.random.default_rng([3, seed]).choice(sorted(faces), CARD_COUNT, replace=False))
    photo, truth = shoot(faces, ids, seed, **scene)
    seen = read_layout(photo, build_detector(bank))
    assert {c.card_id for c in cards_of(seen)} == set(ids)
    position, shape, angle = errors(cards_of(seen), truth)
    assert position < POSITION_TOL_MM
    assert shape < SHAPE_TOL_MM
    assert angle < ANGLE_TOL_DEG
    assert [i.code for i in seen.doubts if i.severity == "doubt"] == []


def test_where_the_pictures_are_the_cards_poses_are_good_to_half_a_pixel(faces):
    ids = sorted(faces)[::4]
    photo, truth = shoot(faces, ids, 5, tilt_deg=20)
    seen = read_layout(photo, build_detector(bank_of(faces)))
    position, shape, angle = errors(cards_of(seen), truth)
    assert position < EXACT_TOL_MM
    assert shape < SHAPE_TOL_MM
    assert angle < ANGLE_TOL_DEG


def test_square_corners_and_other_sizes(tmp_path):
    size = DeckSize(70, 120)
    drawn = {f"t{k}": draw_face(300 + k, (70, 120), px_per_mm=6) for k in range(8)}
    deck = learn(drawn, tmp_path, size).deck
    truth = tuple(
        PlacedCard(name, 130.0 * (k % 4), 160.0 * (k // 4), 0.5 * k) for k, name in enumerate(drawn)
    )
    photo, _ = shoot(drawn, [], cards=truth, corner_mm=0.0, size=size, tilt_deg=20)
    seen = read_layout(photo, build_detector(deck.bank))
    position, shape, angle = errors(cards_of(seen), truth)
    assert position < POSITION_TOL_MM
    assert shape < SHAPE_TOL_MM
    assert angle < ANGLE_TOL_DEG


def test_playing_cards_are_told_but_not_which_way_up(tmp_path):
    suits = ("spades", "hearts", "diamonds", "clubs")
    drawn = {
        f"{rank}-of-{suit}": draw_playing_card(rank, k)
        for rank in (3, 4, 5, 6, 8, 10)
        for k, suit in enumerate(suits)
    }
    size = DeckSize(63.5, 88.9)
    deck = learn(drawn, tmp_path, size).deck
    ids = [f"{rank}-of-{suit}" for rank in (3, 5, 10) for suit in suits]
    photo, truth = shoot(drawn, ids, 6, size=size, tilt_deg=10, size_wh=(2600, 1950))
    seen = read_layout(photo, build_detector(deck.bank))
    assert {c.card_id for c in cards_of(seen)} == set(ids)
    position, shape, angle = errors(cards_of(seen), truth, half_turns=True)
    assert position < POSITION_TOL_MM
    assert shape < SHAPE_TOL_MM
    assert angle < ANGLE_TOL_DEG
    open_turns = [issue for issue in seen.doubts if issue.code == "half_turn_open"]
    assert [set(issue.cards) for issue in open_turns] == [set(ids)]
    assert all(-np.pi / 2 < c.theta_rad <= np.pi / 2 for c in cards_of(seen))


def test_a_table_of_another_game_is_no_table(bank):
    others = draw_deck(8, first=700)
    photo, _ = shoot(others, sorted(others), 8)
    with pytest.raises(TableNotFoundError, match="no card of this deck"):
        read_layout(photo, build_detector(bank))


def test_an_empty_table_is_no_table(bank):
    noise = np.random.default_rng(0).integers(60, 90, (700, 900, 3), dtype=np.uint8)
    with pytest.raises(TableNotFoundError):
        read_layout(Photo(noise), build_detector(bank))


def test_two_cards_with_one_picture_both_have_a_name(faces, bank):
    """A deck that holds a picture twice may have both on the table; a third is one too many."""
    k = [names[0] for names in bank.names].index("landscape-none")
    names = list(bank.names)
    names[k] = ("landscape-none", "landscape-copy")
    double = replace(bank, names=tuple(names), copies=np.array([len(of) for of in names]))
    places = [(0, 0), (120, 0), (240, 10), (0, 140), (120, 150), (240, 140)]
    shown = ["landscape-none", "landscape-none", "landscape-none", "head-black", "panel-white",
             "marble-colour"]  # fmt: skip
    cards = tuple(
        PlacedCard(name, float(x), float(y), 0.3 * i)
        for i, (name, (x, y)) in enumerate(zip(shown, places, strict=True))
    )
    photo, _ = shoot(faces, [], cards=cards, tilt_deg=10)
    seen = read_layout(photo, build_detector(double))
    found = sorted(c.card_id for c in cards_of(seen))
    assert found == sorted(
        ["landscape-none", "landscape-copy", "unknown-1", "head-black", "panel-white",
         "marble-colour"]
    )  # fmt: skip
    assert [i.code for i in seen.doubts if i.severity == "doubt"] == ["duplicate_card"]


def test_a_deck_without_lasers_may_have_any_number_of_a_card(faces, bank):
    shown = ["landscape-none", "landscape-none", "landscape-none", "head-black"]
    cards = tuple(
        PlacedCard(name, 120.0 * (k % 2), 140.0 * (k // 2), 0.3 * k) for k, name in enumerate(shown)
    )
    photo, _ = shoot(faces, [], cards=cards, tilt_deg=10)
    seen = read_layout(photo, build_detector(bank))
    assert [c.piece for c in seen.placed] == sorted(shown)
    assert len({c.spot for c in seen.placed}) == len(shown)
    assert [i.code for i in seen.doubts if i.severity == "doubt"] == []


def test_a_photo_without_colour_is_read_by_lightness_and_says_so(faces, bank):
    ids = ["head-black", "landscape-none", "panel-white"]
    photo, _ = shoot(faces, ids, 12, tilt_deg=10)
    gray = cv2.cvtColor(cv2.cvtColor(photo.image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    seen = read_layout(Photo(np.asarray(gray, np.uint8)), build_detector(bank))
    named = {c.piece for c in seen.placed if c.identity is not None}
    assert named == set(ids)
    assert "photo_colourless" in {i.code for i in seen.doubts}
    assert "photo_colourless" not in {
        i.code for i in read_layout(photo, build_detector(bank)).doubts
    }


def test_a_card_half_covered_is_still_named(faces, bank):
    ids = sorted(faces)[2::4]
    photo, truth = shoot(faces, ids, 9, tilt_deg=10)
    covered = truth[0]
    cover = (covered.x_mm + 12, covered.y_mm + 10, 20.0)
    photo, truth = shoot(faces, ids, 9, tilt_deg=10, covers=(cover,))
    seen = read_layout(photo, build_detector(bank))
    assert {c.card_id for c in cards_of(seen)} >= set(ids)


def test_the_order_of_faces_changes_nothing(faces, bank):
    ids = sorted(faces)[::5]
    photo, _ = shoot(faces, ids, 10, tilt_deg=10, size_wh=(1280, 960))
    order = np.random.default_rng(1).permutation(len(bank.names))
    mixed = replace(
        bank,
        names=tuple(bank.names[k] for k in order),
        images=bank.images[order],
        margins_mm=bank.margins_mm[order],
        is_symmetric=bank.is_symmetric[order],
    )
    one, other = (cards_of(read_layout(photo, build_detector(b))) for b in (bank, mixed))
    assert [c.card_id for c in one] == [c.card_id for c in other]
    for a, b in zip(one, other, strict=True):
        assert np.allclose([a.x_mm, a.y_mm, a.theta_rad], [b.x_mm, b.y_mm, b.theta_rad], atol=1e-3)
