"""Poses -> table: owners, states, attachments, hulls, distances, with what else they may be."""

import math

import numpy as np
import pytest

from vision.errors import TableNotFoundError
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.lay import share
from vision.games.conflit_stellaire.values import Options
from vision.geometry import card_corners
from vision.values.layout import Camera, Layout, Other, Placed
from vision.values.ledger import NO_MATTER

GAME = ConflitStellaire()
CAMERA = Camera(np.eye(3), np.zeros(2), np.eye(3))


def piece(name, x, y, deg=0.0, **more) -> Placed:
    return Placed(
        f"spot-{name}-{x}-{y}",
        name,
        x,
        y,
        math.radians(deg),
        np.eye(3) * 0.01,
        np.zeros((4, 2)),
        **more,
    )


def duel(*more: Placed) -> list[Placed]:
    """Two seats: hull cards, a strip with its marker on 5, hulls of 20 and 7."""
    strip, marker = piece("distance-scale", 0, 0), piece("marker", (5 - 6.5) * 15, 0)
    sheets = [piece("flagship", -200, 300), piece("flagship", 200, -300, 180)]
    # cell 20: column 0, row 4; cell 7: column 2, row 1, on a sheet turned by a half turn
    on_a = piece("marker", -200 + (0 - 2) * 11, 300 + (4 - 3) * 11 + 3)
    on_b = piece("marker", 200 - (2 - 2) * 11, -300 - ((1 - 3) * 11 + 3))
    return [strip, marker, *sheets, on_a, on_b, *more]


def lay(*placed: Placed):
    joint = np.zeros((3 * len(placed), 3 * len(placed)))
    return GAME.lay([Layout(tuple(placed), joint, CAMERA, (100, 100))], Options())


def by_face(table):
    return {card.face: card for card in table.cards}


def test_hulls_distance_owners_and_states():
    table = lay(
        *duel(
            piece("twin-laser", 0, 250),
            piece("pulse-laser", 100, 250, 180),
            piece("screen", 0, -250, 90),
            piece("fighter", 100, -250, 3),
        )
    )
    assert [(seat.id, seat.hull, seat.readings) for seat in table.seats] == [
        ("A", 20, ()),
        ("B", 7, ()),
    ]
    assert [(d.between, d.uds, d.readings) for d in table.distances] == [(("A", "B"), 5, ())]
    cards = by_face(table)
    owners = {face: (card.seat, card.engaged, card.up) for face, card in cards.items()}
    assert owners == {
        "twin-laser": ("A", False, None),
        "pulse-laser": ("A", False, None),
        "screen": ("B", True, "A"),
        "fighter": ("B", False, None),
    }
    assert not table.doubts
    assert not any(card.readings for card in table.cards)


def test_a_card_askew_is_read_both_ways():
    table = lay(*duel(piece("screen", 0, 250, 50)))
    card = by_face(table)["screen"]
    assert card.engaged
    assert card.up == "B"
    (other,) = card.readings
    assert other.fields["engaged"] is False
    assert 0.1 < other.probability < 0.5
    assert [doubt.code for doubt in table.doubts] == ["askew"]
    assert not by_face(lay(*duel(piece("screen", 0, 250, 44))))["screen"].engaged


def test_near_the_centre_or_a_bisector_the_owner_is_doubtful():
    table = lay(*duel(piece("twin-laser", 0, 40), piece("heavy-laser", 300, 20)))
    for card in table.cards:
        assert card.seat == "A"
        assert [reading.fields["seat"] for reading in card.readings] == ["B"]
    assert {doubt.code for doubt in table.doubts} == {"owner"}


def test_cards_on_auxiliaries_and_suits_on_groups():
    table = lay(
        *duel(
            piece("shuttle", 0, 250),
            piece("marines", 0, 310),
            piece("spacesuit", 20, 340),
            piece("twin-laser", 200, 250),
            piece("crew", 0, 169.5),
        )
    )
    cards = by_face(table)
    shuttle, marines = cards["shuttle"].id, cards["marines"].id
    assert cards["marines"].on == shuttle
    assert cards["spacesuit"].on == marines
    assert cards["twin-laser"].on is None
    assert cards["crew"].on is None  # 8.4 mm of 88.9: not quite a tenth
    assert [reading.fields for reading in cards["crew"].readings] == [{"on": shuttle}]


def test_markers_between_cells_and_none():
    strip = piece("distance-scale", 0, 0)
    between = lay(strip, piece("marker", (5.45 - 6.5) * 15, 0), piece("twin-laser", 0, 250))
    (distance,) = between.distances
    assert distance.uds == 5
    assert [reading.fields for reading in distance.readings] == [{"uds": 6}]
    none = lay(strip, piece("twin-laser", 0, 250))
    assert none.distances[0].uds == 8
    assert [doubt.code for doubt in none.doubts] == ["marker_doubtful"] * 3


def test_backs_and_faces_that_may_be_another():
    other = Other("screen", 0.8, 0.2)
    table = lay(*duel(piece("back", 0, 250), piece("deflector", 200, 250, others=(other,))))
    cards = by_face(table)
    assert cards["back"].face_down
    assert cards["deflector"].readings[0].fields == {"face": "screen", "up": None}
    assert [doubt.code for doubt in table.doubts] == ["back"]
    changed = {"kind": "declare", "deeds": []}
    assert GAME.edit(table, changed).cards == table.cards  # what lay gives is a lawful table


@pytest.mark.parametrize(("chance", "count"), [(1e-12, 0), (NO_MATTER / 2, 0), (0.02, 1)])
def test_a_face_that_a_card_next_to_never_is_is_no_reading(chance, count):
    """Seeing weighs all faces of a covered card: those that nobody need ask about are no doubt."""
    others = (Other("energy-net", 0.6, chance), Other("screen", 0.3, chance / 1e6))
    table = lay(*duel(piece("back", 0, 250), piece("energy-cell", 200, 250, others=others)))
    cell = by_face(table)["energy-cell"]
    assert [reading.probability for reading in cell.readings] == [chance] * count


def test_four_seats_sit_clockwise():
    sheets = [piece("flagship", x, y) for x, y in ((0, 400), (-400, 0), (0, -400), (400, 0))]
    cards = [
        piece("twin-laser", 0, 250),
        piece("pulse-laser", -250, 0, 90),
        piece("heavy-laser", 0, -250, 180),
        piece("disruptor", 250, 0, 0),
    ]
    found = by_face(lay(*sheets, *cards))
    assert {face: (card.seat, card.engaged) for face, card in found.items()} == {
        "twin-laser": ("A", False),
        "pulse-laser": ("B", False),
        "heavy-laser": ("C", False),
        "disruptor": ("D", True),
    }


def test_a_strip_that_was_not_found_moves_nobody():
    """Three seats, one strip hidden: the others keep their pairs, and the third is in doubt."""
    turns = [0.0, 120.0, 240.0]

    def at(radius, deg):
        return -radius * math.sin(math.radians(deg)), radius * math.cos(math.radians(deg))

    sheets = [piece("flagship", *at(400, deg), deg) for deg in turns]
    strips = [piece("distance-scale", *at(150, deg), deg + 90) for deg in (60.0, 180.0)]
    off = [(22.5 * math.cos(s.theta_rad), 22.5 * math.sin(s.theta_rad)) for s in strips]  # on 8
    marks = [
        piece("marker", s.x_mm + dx, s.y_mm + dy) for s, (dx, dy) in zip(strips, off, strict=True)
    ]
    cards = [piece("twin-laser", *at(250, deg), deg) for deg in turns]
    table = lay(*sheets, *strips, *marks, *cards)
    assert [card.seat for card in table.cards] == ["A", "B", "C"]
    assert not any(card.engaged for card in table.cards)
    in_doubt = [dict(d.said.values)["what"] for d in table.doubts if "A-C" in d.cards]
    assert in_doubt == ["A - C"]
    assert {d.uds for d in table.distances} == {8}


def test_a_hull_card_that_was_not_found_takes_no_seat_away():
    strips = [piece("distance-scale", x, y) for x, y in ((-120, 120), (-120, -120), (120, -120))]
    strips.append(piece("distance-scale", 120, 120))
    sheets = [piece("flagship", x, y) for x, y in ((0, 400), (-400, 0), (0, -400))]
    table = lay(*strips, *sheets, piece("twin-laser", 300, 0, -90))
    assert [seat.id for seat in table.seats] == ["A", "B", "C", "D"]
    assert table.cards[0].seat == "D"
    assert ("D",) in {doubt.cards for doubt in table.doubts if doubt.code == "marker_doubtful"}


def test_a_share_is_that_of_the_lower_card():
    lower = card_corners(60, 80)
    assert share(lower + np.array([30, 0]), lower) == pytest.approx(0.5)
    assert share(lower + np.array([61, 0]), lower) == 0
    assert share(lower, lower) == pytest.approx(1)


def test_no_card_no_table():
    with pytest.raises(TableNotFoundError):
        lay(piece("marker", 0, 0))
