"""Cards and objects as convex bodies: nothing lost or added, contacts as shapely sees them."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from shapely.geometry import Polygon

from tests.strategies import LAW, objects, random_table, tables
from vision.errors import TableFormatError
from vision.games.light_speed import shots
from vision.games.light_speed.battlefield import drawn_bounds
from vision.games.light_speed.bodies import find_contacts, find_gap, place_bodies
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.values import TableObject
from vision.values.layout import PlacedCard

SIZE = (63.5, 88.9)
AREA_TOL = 1e-9  # relative


def outline(thing: TableObject) -> Polygon:
    return Polygon(thing.outline_mm)


def coaster(*corners: tuple[float, float]) -> TableObject:
    return TableObject("coaster", "asteroid", np.array(corners, float))


@LAW
@given(objects())
def test_the_parts_of_an_object_are_the_object(thing):
    bodies = place_bodies((), (thing,), SIZE)
    parts = [Polygon(corners) for corners in bodies.corners]
    whole = outline(thing)
    assert sum(part.area for part in parts) == pytest.approx(whole.area, rel=AREA_TOL)
    assert shapely.union_all(parts).symmetric_difference(whole).area < AREA_TOL * whole.area
    for corners, normals, halves, centre in zip(
        bodies.corners, bodies.normals, bodies.halves, bodies.centre, strict=True
    ):
        reach = (corners - centre) @ normals.T
        assert (reach <= halves + 1e-9).all(), "every part is convex, its normals point out"


@pytest.mark.parametrize("turned", [False, True])
def test_a_round_coaster_is_cut_into_few_parts(turned):
    angles = np.linspace(0, 2 * math.pi, 64, endpoint=False)[:: -1 if turned else 1]
    thing = coaster(*zip(45 * np.cos(angles), 45 * np.sin(angles), strict=True))
    bodies = place_bodies((), (thing,), SIZE)
    assert len(bodies.thing) == 31
    assert sum(Polygon(c).area for c in bodies.corners) == pytest.approx(outline(thing).area)


def test_corners_that_say_nothing_are_left_out():
    square = coaster((0, 0), (5, 0), (10, 0), (10, 0), (10, 10), (0, 10), (0, 0))
    assert len(place_bodies((), (square,), SIZE).thing) == 1


@pytest.mark.parametrize(
    ("corners", "said"),
    [
        ([(0, 0), (10, 0), (20, 0)], "no area"),
        ([(0, 0), (10, 10), (10, 0), (0, 10)], "crosses itself"),
        ([(0, -10), (6, 8), (-9, -3), (9, -3), (-6, 8)], "crosses itself"),  # a star
    ],
)
def test_an_outline_that_is_none_is_refused(corners, said):
    with pytest.raises(TableFormatError, match=said):
        place_bodies((), (coaster(*corners),), SIZE)


def test_cards_at_quarter_turns_are_exact():
    card = PlacedCard("red-moth", 10.0, 20.0, math.pi / 2)
    corners = place_bodies((card,), (), SIZE).corners[0]
    assert corners.tolist() == [
        [54.45, -11.75], [54.45, 51.75], [-34.45, 51.75], [-34.45, -11.75],
    ]  # fmt: skip


@LAW
@given(tables())
def test_contacts_are_those_of_shapely(drawn):
    table, deck = drawn
    bodies = place_bodies(table.cards, table.objects, (deck.width_mm, deck.height_mm))
    shapes = {
        name: shapely.union_all([Polygon(c) for c in bodies.corners[bodies.thing == i]])
        for i, name in enumerate(bodies.ids)
    }
    found = {(bodies.ids[a], bodies.ids[b]): deep for a, b, deep in find_contacts(bodies).pairs}
    for i, one in enumerate(bodies.ids):
        for other in bodies.ids[i + 1 :]:
            gap = shapes[one].distance(shapes[other])
            area = shapes[one].intersection(shapes[other]).area
            if gap > 1e-5:
                assert (one, other) not in found
            elif area > 1e-3:  # mm^2, far more than a micrometre along an edge
                assert found[one, other]
            elif gap < 1e-9:
                assert (one, other) in found


def test_the_gap_of_two_cards_is_the_way_between_their_edges():
    rng = np.random.default_rng(3)
    for _ in range(50):
        table = random_table(rng, ["red-moth", "blue-moth"], 2)
        bodies = place_bodies(table.cards, (), SIZE)
        one, other = (Polygon(corners) for corners in bodies.corners)
        assert find_gap(bodies, 0, 1) <= one.distance(other) + 1e-9
        assert (find_gap(bodies, 0, 1) > 0) == (one.distance(other) > 0)


def test_how_many_beams_are_measured_at_once_changes_nothing(monkeypatch):
    deck = load_deck("light-speed")
    cards = random_table(np.random.default_rng(3), card_ids(deck), 14).cards
    bodies = place_bodies(cards, (), SIZE)
    ships = {ship.name: ship for ship in deck.ships}
    fired = {
        k: ships[card.card_id.partition("-")[2]]
        for k, card in enumerate(cards)
        if card.card_id.partition("-")[2] in ships
    }
    beams = shots.aim_beams(bodies, fired)
    whole = shots.measure_reach(beams, bodies)
    assert np.isfinite(whole).sum() > 10
    monkeypatch.setattr(shots, "_CHUNK", 1)
    np.testing.assert_array_equal(shots.measure_reach(beams, bodies), whole)


@pytest.mark.parametrize("corner", range(4))
@pytest.mark.parametrize("degrees", [0, 17, 90, 145, 233, 301])
def test_at_a_corner_the_edge_that_is_met_more_squarely_comes_first(corner, degrees):
    """However the card lies: the two edges of the corner, by the angle of the beam to each."""
    theta, (w, h) = math.radians(degrees), SIZE
    turn = np.array([[math.cos(theta), math.sin(theta)], [-math.sin(theta), math.cos(theta)]])
    sides = {"top": (0, -1), "right": (1, 0), "bottom": (0, 1), "left": (-1, 0)}
    names = [("top", "left"), ("top", "right"), ("bottom", "right"), ("bottom", "left")][corner]
    out = {name: np.array(sides[name]) @ turn for name in names}
    pose = np.array([30.0, -40.0, theta])
    at = pose[:2] + sum(out[name] * (h if name in ("top", "bottom") else w) / 2 for name in names)
    for squarely, other in (names, names[::-1]):
        way = -(out[squarely] * math.cos(0.4) + out[other] * math.sin(0.4))
        entries = shots.find_entry(pose, SIZE, at, way, begins_here=False)
        assert [edge for edge, _ in entries] == [squarely, other]
        for edge, along in entries:
            half = w / 2 if edge in ("top", "bottom") else h / 2
            end = 1 if {"right", "bottom"} & (set(names) - {edge}) else -1
            assert along == pytest.approx(end * half)


@LAW
@given(tables())
def test_the_table_is_drawn_with_one_margin_round_all_that_lies_there(drawn):
    table, deck = drawn
    left, top, right, bottom = drawn_bounds(table, deck)
    size = (deck.width_mm, deck.height_mm)
    corners = place_bodies(table.cards, table.objects, size).corners.reshape(-1, 2)
    if not len(corners):
        corners = np.zeros((1, 2))
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    margins = [x0 - left, y0 - top, right - x1, bottom - y1]
    assert margins == pytest.approx([margins[0]] * 4)
    assert margins[0] > 0
