"""What of a photo nothing explains: unnamed cards are told, once each, and cloth is not."""

from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synth import Scene, photograph
from vision.apps.decks import known_game
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.view import View
from vision.seeing.pieces.rectify import Rectified
from vision.seeing.unexplained.reporting import report_residual_map
from vision.seeing.unexplained.residual_map import build_residual_map
from vision.texts import make_issue
from vision.values.layout import Layout, Placed, PlacedCard

FEW = settings(max_examples=20, deadline=None)  # each draws and searches pictures
SIZE, FRAME = (63.5, 88.9), (56.5, 81.9)
SIDE = 400  # mm and pixels, of a table seen from straight above
KNOWN_POSE = (-110.0, -110.0, 0.0)
KNOWN = table_from_card(card_corners(*SIZE), *KNOWN_POSE)


def cloth(seed, grain, tone=90.0):
    rng = np.random.default_rng(seed)
    bare = rng.normal(tone, grain, (SIDE, SIDE)).astype(np.float32)
    return np.repeat(cv2.GaussianBlur(bare, (0, 0), 1.5)[..., None], 3, axis=2)


def put(picture, size, pose, tone):
    """Fill a rectangle at a pose, mm from the picture's middle."""
    at = table_from_card(card_corners(*size), *pose) + SIDE / 2
    cv2.fillConvexPoly(picture, np.rint(at).astype(np.int32), (float(tone),) * 3)


def card(picture, pose, light=1.0):
    for size, tone in ((SIZE, 225.0), (FRAME, 60.0), ((25.0, 25.0), 150.0)):
        put(picture, size, pose, tone * light)


def flat_of(picture):
    shown = np.clip(picture, 0, 255).astype(np.uint8)
    return Rectified(shown, np.ones((SIDE, SIDE), np.bool_), 1.0, np.array([-SIDE / 2.0] * 2))


def left(picture, known=(KNOWN,), white_borders=True, white_paper=False):
    return build_residual_map(
        flat_of(picture), list(known), SIZE, white_borders=white_borders, white_paper=white_paper
    )


seeds = st.integers(0, 99)
places = st.tuples(st.floats(-40, 140), st.floats(-40, 140), st.floats(-3, 3))


@FEW
@given(places, st.floats(0.4, 1.0), st.floats(0, 12), st.booleans(), st.integers(0, 99))
def test_a_card_that_is_not_known_is_one_thing_and_a_known_one_none(
    pose, light, grain, white_borders, seed
):
    """Wherever it lies, however turned, in dim light, on smooth cloth and on rough."""
    picture = cloth(seed, grain) * light
    card(picture, KNOWN_POSE, light)
    bare = left(picture, white_borders=white_borders)
    assert bare.things.max() == 0
    card(picture, pose, light)
    seen = left(picture, white_borders=white_borders)
    assert seen.things.max() == 1
    x, y = np.rint(np.array(pose[:2]) + SIDE / 2).astype(int)
    assert seen.things[y - 25 : y + 26, x - 25 : x + 26].any()
    known = [KNOWN, table_from_card(card_corners(*SIZE), *pose)]
    assert left(picture, known, white_borders).things.max() == 0


@FEW
@given(st.floats(14, 42), st.floats(0, 8), st.floats(0.4, 1.0), st.integers(0, 99))
def test_a_card_in_the_gap_between_known_ones_is_a_thing_and_bare_cloth_is_none(
    gap, grain, light, seed
):
    """Of a card without a white border, under two others: in dim light, and where shade lies."""
    bare, full = (cloth(seed, grain) * light for _ in range(2))
    poses = [(way * (SIZE[0] + gap) / 2, 0.0, 0.0) for way in (-1, 1)]
    under = table_from_card(card_corners(*SIZE), 0.0, 0.0, 0.0) + SIDE / 2
    purple = tuple(light * tone for tone in (120.0, 50.0, 110.0))
    cv2.fillConvexPoly(full, np.rint(under).astype(np.int32), purple)
    bare[:, SIDE // 2 - 20 : SIDE // 2 + 20] *= 0.8  # a shadow
    known = [table_from_card(card_corners(*SIZE), *pose) for pose in poses]
    for picture, things in ((bare, 0), (full, 1)):
        for pose in poses:
            card(picture, pose, light)
        assert left(picture, known, white_borders=False).things.max() == things


@FEW
@given(st.floats(25, 60), st.floats(-0.5, 0.5), st.floats(0, 8), st.floats(0.4, 1.0), seeds)
def test_what_sticks_out_from_a_known_card_is_a_thing_and_its_shadow_is_none(
    out, turn, grain, light, seed
):
    """A card over another, whose outline was lost: by its tones, on smooth cloth and rough."""
    bare, full = (cloth(seed, grain) * light for _ in range(2))
    bare[:, : SIDE // 2 - 30] *= 0.75  # a shadow
    other = table_from_card(card_corners(*SIZE), SIZE[0] / 2 + out - 32, 0.0, turn) + SIDE / 2
    known = table_from_card(card_corners(*SIZE), 0.0, 0.0, 0.0)
    purple = tuple(light * tone for tone in (120.0, 50.0, 110.0))
    for picture in (bare, full):
        card(picture, (0.0, 0.0, 0.0), light)
        assert left(picture, [known], white_borders=False).things.max() == 0
    cv2.fillConvexPoly(full, np.rint(other).astype(np.int32), purple)
    assert left(full, [known], white_borders=False).things.max() == 1


CORNERS = [(x, y, 0.1) for x in (-110.0, 110.0) for y in (-110.0, 110.0)]


def paper(picture, pose, light=1.0):
    """Lay a card of white paper, with a little print in the middle."""
    put(picture, SIZE, pose, 225.0 * light)
    put(picture, (20.0, 12.0), pose, 120.0 * light)


def on_paper(picture, poses, white_paper=True):
    known = [table_from_card(card_corners(*SIZE), *pose) for pose in poses]
    return left(picture, known, white_borders=False, white_paper=white_paper).things


@FEW
@given(
    st.floats(-30, 30),
    st.floats(-30, 30),
    st.floats(-0.5, 0.5),
    st.floats(0.4, 1.0),
    st.integers(0, 99),
)
def test_a_card_of_white_paper_half_under_a_known_one_is_a_thing(x, y, turn, light, seed):
    """Its own edges lie where the known one's do; by the paper it shows, wherever it sticks out."""
    over = (x, y, 0.0)
    under = (x + 0.5 * SIZE[0] * (1 if x < 0 else -1), y, turn)
    picture = cloth(seed, 4.0) * light
    for pose in [*CORNERS, over]:
        paper(picture, pose, light)
    assert on_paper(picture, [*CORNERS, over]).max() == 0
    for pose in (under, over):
        paper(picture, pose, light)
    assert on_paper(picture, [*CORNERS, over]).max() == 1


@FEW
@given(st.floats(185, 235), st.floats(0, 4), st.floats(-0.05, 0.05), st.integers(0, 99))
def test_on_what_is_white_itself_paper_says_nothing(tone, grain, turn, seed):
    """A white cloth, and a tray on a dark one: among the cards shows as much of it as two have."""
    white, tray = cloth(seed, grain, tone), cloth(seed, grain)
    close = [(x, y, turn) for x in (-50.0, 50.0) for y in (-60.0, 60.0)]
    put(tray, (180.0, 225.0), (0.0, 0.0, 0.0), tone)
    for picture, poses in ((white, CORNERS), (tray, close)):
        for pose in poses:
            paper(picture, pose)
        told = on_paper(picture, poses)
        assert np.array_equal(told, on_paper(picture, poses, white_paper=False))


@FEW
@given(st.floats(-60, 60), st.floats(-0.1, 0.1), st.integers(0, 99))
def test_what_is_white_beyond_all_cards_is_told_by_its_edges_alone(x, turn, seed):
    """A book at the table's edge, a screen: whatever is white there is hardly a card."""
    picture = cloth(seed, 4.0)
    put(picture, (80.0, 40.0), (x, 172.0, turn), 225.0)
    for pose in CORNERS:
        paper(picture, pose)
    told = on_paper(picture, CORNERS)
    assert np.array_equal(told, on_paper(picture, CORNERS, white_paper=False))


@FEW
@given(st.integers(3, 8), st.floats(9, 20), st.floats(0, 3), st.integers(0, 99))
def test_a_fan_of_which_no_card_is_known_is_one_thing(count, step, turn_deg, seed):
    picture = cloth(seed, 4.0)
    card(picture, KNOWN_POSE)
    for k in range(count):
        card(picture, (-20.0 + step * k, 60.0, np.radians(turn_deg * k)))
    seen = left(picture)
    assert seen.things.max() == 1
    y, x = np.nonzero(seen.things)
    assert np.ptp(x) >= 0.8 * step * (count - 1)
    assert np.ptp(y) >= 0.8 * SIZE[0]


@pytest.mark.parametrize(
    ("size", "tone"), [((7.0, 180.0), 230.0), ((16.0, 16.0), 240.0), ((12.0, 12.0), 20.0)]
)
def test_pencils_and_dice_by_themselves_are_no_things(size, tone):
    picture = cloth(1, 4.0)
    card(picture, KNOWN_POSE)
    put(picture, size, (60.0, 60.0, 0.4), tone)
    assert left(picture).things.max() == 0


@FEW
@given(st.floats(0.3, 1.2), st.floats(0, 360), st.integers(0, 99))
def test_light_that_falls_off_over_a_cloth_is_no_thing(strength, heading, seed):
    x, y = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]
    along = x * np.cos(np.radians(heading)) + y * np.sin(np.radians(heading))
    picture = cloth(seed, 4.0) * np.exp(strength * along)[..., None].astype(np.float32)
    card(picture, KNOWN_POSE)
    assert left(picture, white_borders=False).things.max() == 0


@pytest.mark.parametrize(("tone", "strip"), [(70.0, 225.0), (225.0, 60.0)])
def test_a_border_that_shows_beside_a_card_is_a_thing_and_one_far_off_is_none(tone, strip):
    """On a dark table the white of it, on a white one its print."""

    def beside(x_mm):
        picture = cloth(2, 3.0, tone)
        card(picture, (0.0, 0.0, 0.0))
        put(picture, (6.0, 80.0), (x_mm, 0.0, 0.0), strip)
        known = [table_from_card(card_corners(*SIZE), 0.0, 0.0, 0.0)]
        return left(picture, known)

    assert beside(36.0).things.max() == 1
    assert beside(80.0).things.max() == 0
    assert not beside(36.0).is_bare_at(np.array([60.0, 0.0]), 60.0, 40.0)
    assert beside(-36.0).is_bare_at(np.array([110.0, 0.0]), 60.0, 40.0)


@pytest.fixture(scope="module")
def faces():
    return known_game("conflit-stellaire").detector().cards.faces


def seen(faces, *doubts_at, code="outline_unread"):
    """Two cards and a fan, of which the first card is known, and doubts at some places, mm."""
    fan = [PlacedCard("energy-cell", -90.0 + 15 * k, 110.0, 0.02 * k) for k in range(6)]
    cards = (PlacedCard("screen", -60.0, -60.0, 0.1), PlacedCard("crew", 140.0, -40.0, 0.3), *fan)
    image, camera = photograph(Scene(cards, size_wh=(1200, 900), tilt_deg=25.0), faces)
    first = cards[0]
    outline = table_from_card(card_corners(*SIZE), first.x_mm, first.y_mm, first.theta_rad)
    at_px = photo_from_table(camera, outline)
    placed = Placed("1", "screen", -60.0, -60.0, 0.1, np.eye(3), at_px, score=1.0)
    doubts = [
        make_issue(code, f"issue.{code}", (), "doubt", x=f"{x:.0f}", y=f"{y:.0f}")
        for x, y in photo_from_table(camera, np.array(doubts_at, float).reshape(-1, 2))
    ]
    layout = Layout((placed,), np.eye(3), camera, (1200, 900), doubts=tuple(doubts))
    return View(image), layout, camera


def test_a_thing_is_told_once_with_how_large_it_shows(faces):
    """Three doubts of one fan are one line; its box holds the middles of all its cards."""
    view, layout, camera = seen(faces, (-90, 110), (-40, 110), (0, 120))
    told = report_residual_map(view, layout, SIZE, white_borders=True).doubts
    assert [doubt.code for doubt in told] == ["place_unread"] * 2
    boxes = [{k: float(v) for k, v in doubt.said.values} for doubt in told]
    fan = photo_from_table(camera, np.array([(-90.0 + 15 * k, 110.0) for k in range(6)]))
    crew = photo_from_table(camera, np.array([(140.0, -40.0)]))
    for places in (fan, crew):
        assert any(
            (np.abs(places - [b["x"], b["y"]]) < np.array([b["wide"], b["high"]]) / 2).all()
            for b in boxes
        )


def test_a_doubt_about_bare_table_goes_where_white_borders_would_show(faces):
    view, layout, _ = seen(faces, (20, -20), code="card_hidden")
    codes = [
        Counter(d.code for d in report_residual_map(view, layout, SIZE, white_borders=known).doubts)
        for known in (True, False)
    ]
    assert codes == [{"place_unread": 2}, {"place_unread": 2, "card_hidden": 1}]


def test_of_other_decks_what_was_doubted_stays_and_nothing_is_told_twice(faces):
    view, layout, _ = seen(faces, (-90, 110), (-40, 110), code="table_covered")
    told = report_residual_map(view, layout, SIZE, white_borders=False).doubts
    assert Counter(d.code for d in told) == {"table_covered": 2, "place_unread": 1}


@pytest.mark.parametrize("in_fans", [True, False])
def test_what_lies_far_beyond_all_cards_is_a_note_but_where_cards_lie_in_fans(faces, in_fans):
    """Two cards are known, 200 mm apart; the fan lies 170 mm beyond, a phone as well could."""
    view, layout, camera = seen(faces)
    (first,) = layout.placed
    corners = table_from_card(card_corners(*SIZE), 140.0, -40.0, 0.3)
    at_px = photo_from_table(camera, corners)
    crew = replace(first, spot="2", piece="crew", x_mm=140.0, y_mm=-40.0, outline_px=at_px)
    both = replace(layout, placed=(first, crew), joint_covariance=np.eye(6))
    told = report_residual_map(view, both, SIZE, white_borders=in_fans).doubts
    assert [(d.code, d.severity) for d in told] == [
        ("place_unread", "doubt" if in_fans else "note")
    ]


def test_where_nothing_is_known_nothing_is_told(faces):
    view, layout, _ = seen(faces)
    empty = replace(layout, placed=(), joint_covariance=np.zeros((0, 0)))
    assert report_residual_map(view, empty, SIZE, white_borders=True) is empty
