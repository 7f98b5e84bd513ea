"""The evidence of a scene: cards that are not known are regions, bare cloth and light are none."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synth import Pattern, Scene, photograph
from vision.apps.known import known_game
from vision.geometry import card_corners, photo_from_table, table_from_card, table_from_photo
from vision.imaging.view import View
from vision.seeing.estimation.rectify import Rectified
from vision.seeing.residual import find_unexplained, report_unexplained
from vision.seeing.scene import Scene as Table
from vision.seeing.scene import TableImage, rectify_around, rectify_table, scene_of
from vision.texts import make_issue
from vision.values.layout import Camera, Layout, Placed, PlacedCard

FEW = settings(max_examples=20, deadline=None)  # each draws and searches pictures
SIZE, FRAME = (63.5, 88.9), (56.5, 81.9)
ABOVE = Camera(np.diag([1000.0, 1000.0, 1.0]), np.zeros(2), np.eye(3))
REACH = float(np.hypot(*SIZE))
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


def left(picture, known=(KNOWN,)):
    """Return what nothing explains on a table seen from straight above, one pixel a millimetre."""
    half = cv2.resize(
        np.clip(picture, 0, 255).astype(np.uint8),
        None,
        fx=0.5,
        fy=0.5,
        interpolation=cv2.INTER_AREA,
    )
    inside = np.ones(half.shape[:2], np.bool_)
    rectified = Rectified(half, inside, 0.5, np.array([0.5 - SIDE / 2] * 2))
    within = rectified.filled(known)
    found = find_unexplained(
        Table(TableImage(ABOVE, rectified, tuple(known), REACH), within, within), SIZE
    )
    return tuple(region for region in found if region.may_hide_card)


def is_on(region, pose):
    hull = region.hull_mm.astype(np.float32)
    return cv2.pointPolygonTest(hull, (float(pose[0]), float(pose[1])), False) >= 0


seeds = st.integers(0, 99)
places = st.tuples(st.floats(-40, 140), st.floats(-40, 140), st.floats(-3, 3))


@FEW
@given(places, st.floats(0.4, 1.0), st.floats(0, 12), st.integers(0, 99))
def test_a_card_that_is_not_known_is_one_region_and_a_known_one_none(pose, light, grain, seed):
    """Wherever it lies, however turned, in dim light, on smooth cloth and on rough."""
    picture = cloth(seed, grain) * light
    card(picture, KNOWN_POSE, light)
    assert left(picture) == ()
    card(picture, pose, light)
    (region,) = left(picture)
    assert is_on(region, pose)
    known = [KNOWN, table_from_card(card_corners(*SIZE), *pose)]
    assert left(picture, known) == ()


@FEW
@given(st.floats(2, 20), st.floats(0, 12), st.sampled_from([50.0, 140.0]), seeds)
def test_like_cards_side_by_side_are_no_pattern_of_the_table(gap, grain, tone, seed):
    """Backs in rows repeat as a cloth does, but the table between them does not."""
    picture = cloth(seed, grain)
    card(picture, KNOWN_POSE)
    places = [(x * (SIZE[0] + gap), y * (SIZE[1] + gap)) for x in range(3) for y in range(2)]
    poses = [(x - 30, y, 0.0) for x, y in places]
    for pose in poses:
        put(picture, SIZE, pose, tone)
    regions = left(picture)
    assert all(any(is_on(region, pose) for region in regions) for pose in poses)


@FEW
@given(st.floats(5, 12), st.floats(0, 12), seeds)
def test_what_is_larger_than_a_card_is_told_if_it_reaches_among_the_cards(reach, grain, seed):
    """It may hide one, or be a card and what lies on it; a mug that stands as near is none."""
    told = []
    for radius in (30.0, 50.0):
        picture = cloth(seed, grain)
        card(picture, KNOWN_POSE)
        beyond = KNOWN[:, 0].max() + 30.0 - reach  # as far as things are taken to be among cards
        at = np.array([beyond + radius, KNOWN[:, 1].mean()]) + SIDE / 2
        cv2.circle(
            picture, np.rint(at).astype(int).tolist(), round(radius), (40.0, 80.0, 170.0), -1
        )
        told.append(len(left(picture)))
    assert told == [0, 1]


PURPLE, GREEN = np.array([120.0, 50.0, 110.0]), np.array([0.8, 1.2, 0.7], np.float32)


def of_colour(picture, pose, tone):
    at = table_from_card(card_corners(*SIZE), *pose) + SIDE / 2
    cv2.fillConvexPoly(picture, np.rint(at).astype(np.int32), tuple(tone.tolist()))


@FEW
@given(st.floats(22, 42), st.floats(0, 8), st.floats(0.4, 1.0), seeds)
def test_a_card_in_the_gap_between_known_ones_is_told_and_bare_cloth_is_not(
    gap, grain, light, seed
):
    """Of another colour than any that is known, in dim light; and where a shadow lies."""
    bare, full = (cloth(seed, grain) * light * GREEN for _ in range(2))
    poses = [(way * (SIZE[0] + gap) / 2, 0.0, 0.0) for way in (-1, 1)]
    of_colour(full, (0.0, 0.0, 0.0), light * PURPLE)
    bare[:, SIDE // 2 - 20 : SIDE // 2 + 20] *= 0.8  # a shadow
    known = [table_from_card(card_corners(*SIZE), *pose) for pose in poses]
    for picture, count in ((bare, 0), (full, 1)):
        for pose in poses:
            card(picture, pose, light)
        assert len(left(picture, known)) == count


@FEW
@given(st.floats(25, 60), st.floats(-0.5, 0.5), st.floats(0, 8), st.floats(0.4, 1.0), seeds)
def test_what_sticks_out_from_a_known_card_is_told_and_its_shadow_is_not(
    out, turn, grain, light, seed
):
    """A card over another, whose outline was lost: by its tones, on smooth cloth and rough."""
    bare, full = (cloth(seed, grain) * light for _ in range(2))
    bare[:, : SIDE // 2 - 30] *= 0.75  # a shadow
    known = [table_from_card(card_corners(*SIZE), 0.0, 0.0, 0.0)]
    for picture in (bare, full):
        card(picture, (0.0, 0.0, 0.0), light)
        assert left(picture, known) == ()
    of_colour(full, (SIZE[0] / 2 + out - 32, 0.0, turn), light * PURPLE)
    assert len(left(full, known)) == 1


CORNERS = [(x, y, 0.1) for x in (-110.0, 110.0) for y in (-110.0, 110.0)]


def paper(picture, pose, light=1.0):
    """Lay a card of white paper, with a little print in the middle."""
    put(picture, SIZE, pose, 225.0 * light)
    put(picture, (20.0, 12.0), pose, 120.0 * light)


def on_paper(picture, poses):
    known = [table_from_card(card_corners(*SIZE), *pose) for pose in poses]
    return left(picture, known)


@FEW
@given(st.floats(-30, 30), st.floats(-30, 30), st.floats(-0.5, 0.5), st.floats(0.4, 1.0), seeds)
def test_a_card_of_white_paper_half_under_a_known_one_is_told(x, y, turn, light, seed):
    """Its own edges lie where the known one's do; by the paper it shows, wherever it sticks out."""
    over = (x, y, 0.0)
    under = (x + 0.5 * SIZE[0] * (1 if x < 0 else -1), y, turn)
    picture = cloth(seed, 4.0) * light
    for pose in [*CORNERS, over]:
        paper(picture, pose, light)
    assert on_paper(picture, [*CORNERS, over]) == ()
    for pose in (under, over):
        paper(picture, pose, light)
    assert len(on_paper(picture, [*CORNERS, over])) == 1


@FEW
@given(st.floats(185, 235), st.floats(0, 4), st.floats(-0.05, 0.05), seeds)
def test_on_what_is_white_itself_paper_says_nothing(tone, grain, turn, seed):
    picture = cloth(seed, grain, tone)
    for pose in CORNERS:
        paper(picture, (*pose[:2], turn))
    assert on_paper(picture, [(*pose[:2], turn) for pose in CORNERS]) == ()


@FEW
@given(st.integers(3, 8), st.floats(9, 20), st.floats(0, 3), seeds)
def test_a_fan_of_which_no_card_is_known_is_one_region(count, step, turn_deg, seed):
    picture = cloth(seed, 4.0)
    card(picture, KNOWN_POSE)
    for k in range(count):
        card(picture, (-20.0 + step * k, 60.0, np.radians(turn_deg * k)))
    (region,) = left(picture)
    wide, high = np.ptp(region.hull_mm, axis=0)
    assert wide >= 0.8 * step * (count - 1)
    assert high >= 0.8 * SIZE[0]


@pytest.mark.parametrize(
    ("size", "tone"), [((7.0, 180.0), 230.0), ((16.0, 16.0), 240.0), ((12.0, 12.0), 20.0)]
)
def test_pencils_and_dice_by_themselves_are_nothing(size, tone):
    picture = cloth(1, 4.0)
    card(picture, KNOWN_POSE)
    put(picture, size, (60.0, 60.0, 0.4), tone)
    assert left(picture) == ()


@FEW
@given(st.floats(0.3, 1.2), st.floats(0, 360), seeds)
def test_light_that_falls_off_over_a_cloth_is_nothing_but_where_it_dazzles(strength, heading, seed):
    x, y = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]
    along = x * np.cos(np.radians(heading)) + y * np.sin(np.radians(heading))
    picture = cloth(seed, 4.0) * np.exp(strength * along)[..., None].astype(np.float32)
    card(picture, KNOWN_POSE)
    assert all(region.is_white for region in left(picture))


@FEW
@given(st.floats(-50, 50), st.floats(-0.5, 0.5), seeds)
def test_a_card_beside_a_light_that_dazzles_is_told_besides_the_light(y, turn, seed):
    """It touches the light, so that both are one region for the evidence."""
    picture = cloth(seed, 4.0)
    for pose in CORNERS:
        card(picture, pose)
    card(picture, (-30.0, y, turn))
    picture[:, SIDE // 2 + 10 : SIDE // 2 + 60] = 255.0
    told = on_paper(picture, CORNERS)
    assert any(region.is_white for region in told)
    assert any(is_on(region, (-30.0, y)) and not region.is_white for region in told)


@FEW
@given(st.integers(-1, 2), st.integers(-1, 1), st.floats(1, 4), st.floats(0.6, 1.0), seeds)
def test_a_card_among_others_that_leave_no_table_is_told(column, row, gap, light, seed):
    """All that is not known is the card itself, which must not pass for the table."""
    picture = cloth(seed, 3.0, 40.0)
    steps = np.array(SIZE) + gap
    poses = [(x * steps[0], y * steps[1], 0.0) for y in range(-3, 4) for x in range(-4, 5)]
    for pose in poses:
        put(picture, SIZE, pose, 225.0 * light)
        put(picture, (20.0, 30.0), pose, 60.0 * light)
    lost = (column * steps[0], row * steps[1], 0.0)
    known = [table_from_card(card_corners(*SIZE), *pose) for pose in poses if pose != lost]
    assert any(is_on(region, lost) for region in left(picture, known))


@FEW
@given(st.floats(-3, 3), st.sampled_from([60.0, 225.0]), seeds)
def test_a_card_that_touches_another_thing_far_from_the_known_is_told(turn, tone, seed):
    picture, pose = cloth(seed, 4.0), (110.0, 60.0, turn)
    card(picture, KNOWN_POSE)
    of_colour(picture, pose, PURPLE)
    put(picture, (110.0, 14.0), (40.0, 60.0, 0.0), tone)
    (region,) = left(picture)
    assert is_on(region, pose)


@FEW
@given(st.floats(-3, 3), st.floats(0.8, 1.0), seeds)
def test_a_printed_card_on_cloth_as_white_as_its_paper_is_told(turn, light, seed):
    """Its border has no edge that could be told from shade, its print has."""
    picture, poses = cloth(seed, 1.0, 232.0), (KNOWN_POSE, (90.0, 80.0, turn))
    for pose in poses:
        put(picture, SIZE, pose, 222.0)
        put(picture, (26.0, 36.0), pose, 90.0)
    (region,) = left(picture * light)
    assert is_on(region, poses[1])


@pytest.fixture(scope="module")
def faces():
    return known_game("conflit-stellaire").detector().cards.faces


def seen(faces, *doubts_at, code="card_hidden", pattern=None):
    """Return a photo of a fan among three known cards, with doubts at some places, mm."""
    fan = [PlacedCard("energy-cell", -90.0 + 15 * k, 90.0, 0.02 * k) for k in range(6)]
    known = [
        PlacedCard(name, x, y, 0.1)
        for name, x, y in (("screen", -60.0, -60.0), ("crew", 140.0, 40.0), ("crew", -30.0, 220.0))
    ]
    scene = Scene((*known, *fan), size_wh=(1200, 900), tilt_deg=25.0, pattern=pattern)
    image, camera = photograph(scene, faces)
    placed = []
    for k, one in enumerate(known):
        outline = table_from_card(card_corners(*SIZE), one.x_mm, one.y_mm, one.theta_rad)
        at_px = photo_from_table(camera, outline)
        pose = (one.x_mm, one.y_mm, one.theta_rad)
        placed.append(Placed(str(k), one.card_id, *pose, np.eye(3), at_px, score=1.0))
    doubts = [
        make_issue(code, f"issue.{code}", (), "doubt", x=f"{x:.0f}", y=f"{y:.0f}")
        for x, y in photo_from_table(camera, np.array(doubts_at, float).reshape(-1, 2))
    ]
    return View(image), Layout(tuple(placed), np.eye(9), camera, (1200, 900), doubts=tuple(doubts))


def test_a_fan_that_was_not_read_is_told_once_whatever_was_said_of_its_cards(faces):
    for places in ((), [(-90, 90)], [(-90, 90), (-50, 90), (-20, 90)]):
        view, layout = seen(faces, *places)
        told = report_unexplained(view, layout, faces).doubts
        assert [doubt.code for doubt in told][-1:] == ["table_covered"]
        assert len(told) == (2 if len(places) == 1 else 1)


def test_what_was_read_since_then_is_where_the_table_has_it(faces):
    """The plane is adjusted after the table is rectified: its origin is another card's."""
    view, layout = seen(faces, pattern=Pattern("check", (200, 60, 40), 24.0))
    own = layout.camera
    outlines = [table_from_photo(own, card.outline_px) for card in layout.placed]
    table = rectify_table(view, own, outlines[:1], SIZE)
    assert table.pattern is not None
    moved = np.array([[1.0, 0.0, 120.0], [0.0, 1.0, -70.0], [0.0, 0.0, 1.0]])
    other = replace(own, photo_from_table=own.photo_from_table @ moved)
    reused = rectify_around(view, replace(layout, camera=other), SIZE, table)
    assert reused.rectified is table.rectified
    assert np.allclose(reused.outlines_mm[1:], outlines)


def test_where_nothing_is_known_nothing_is_told(faces):
    view, layout = seen(faces)
    empty = replace(layout, placed=(), joint_covariance=np.zeros((0, 0)))
    assert report_unexplained(view, empty, faces) is empty


def test_a_card_is_told_however_far_it_lies_from_all_others(faces):
    cards = [PlacedCard("crew", x, y, 0.1) for x, y in ((0, 0), (90, 0), (0, 120), (390, 60))]
    image, camera = photograph(Scene(tuple(cards), size_wh=(1200, 900), tilt_deg=15.0), faces)
    outlines = [
        table_from_card(card_corners(*SIZE), card.x_mm, card.y_mm, card.theta_rad) for card in cards
    ]
    (region,) = find_unexplained(
        scene_of(rectify_table(View(image), camera, outlines[:3], SIZE), outlines[:3]), SIZE
    )
    assert region.may_hide_card
    assert is_on(region, (390, 60))
