"""The benches of silent losses and of whole rounds count what they say they count."""

import numpy as np
import pytest

from bench.rounds import Pair, lost_by, pair, with_truth
from bench.silent import KINDS, kits, lay, outlines_mm, shares_in_sight, verdicts
from tests.synth import Scene
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import TableState
from vision.values.layout import Camera, Layout, Placed, PlacedCard
from vision.values.messages import Issue

CARD = np.array([(0.0, 0.0), (60.0, 0.0), (60.0, 80.0), (0.0, 80.0)])
AREA_TOL = 0.03  # of a card: its rim, counted by whole millimetres


def layout(*placed, doubts=()):
    cards = tuple(
        Placed(str(k), name, x, 0.0, 0.0, np.eye(3), CARD + np.array([x, 0.0]), score=0.9)
        for k, (name, x) in enumerate(placed)
    )
    camera = Camera(np.eye(3), np.zeros(2), np.eye(3))
    return Layout(cards, np.eye(3 * len(cards)), camera, (640, 480), tuple(doubts))


def told(seen, name="ace", own=("ace", "king")):
    return verdicts(seen, CARD[None], [name], own)[0]


def doubt(*cards, at=None, code="doubtful_card", severity="doubt"):
    return Issue(code, "", cards, severity, at_px=at)


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (None, "told"),
        (layout(("ace", 0.0)), "right"),
        (layout(("king", 2.0)), "wrong as certain"),
        (layout(("king", 2.0), doubts=[doubt("king")]), "doubted"),
        (layout(("unknown-1", 2.0)), "doubted"),
        (layout(("king", 300.0)), "lost in silence"),
        (layout(("king", 300.0), doubts=[doubt("king")]), "lost in silence"),
        (layout(("king", 45.0), doubts=[doubt("king")]), "beside"),
        (layout(("king", 300.0), doubts=[doubt(at=(30.0, 105.0))]), "told"),
        (layout(("king", 300.0), doubts=[doubt(at=(30.0, 115.0))]), "lost in silence"),
        (layout(("king", 300.0), doubts=[doubt(at=(30.0, 40.0), severity="note")]),
         "lost in silence"),
        (layout(("king", 300.0), doubts=[doubt(code="deck_size")]), "lost in silence"),
    ],
)  # fmt: skip
def test_a_card_is_right_doubted_told_or_lost(seen, verdict):
    assert told(seen) == verdict


def test_a_card_of_no_deck_is_right_without_a_name_and_wrong_with_one():
    assert told(layout(("unknown-1", 0.0)), "alien") == "right"
    assert told(layout(("ace", 0.0)), "alien") == "wrong as certain"


def test_what_later_cards_and_discs_leave_in_sight_is_known():
    cards = (PlacedCard("a", 0.0, 0.0, 0.0), PlacedCard("b", 30.0, 0.0, 0.0))
    faces = kits()["pictures"].print_
    scene = Scene(cards, covers=((30.0, 0.0, 20.0),))
    seen = shares_in_sight(outlines_mm(scene, faces), scene)
    area = faces.width_mm * faces.height_mm
    assert seen[0] == pytest.approx(30.0 / faces.width_mm, abs=AREA_TOL)
    assert seen[1] == pytest.approx(1 - np.pi * 20.0**2 / area, abs=AREA_TOL)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_a_kind_hides_what_it_should(kind):
    kit = kits()["drawn"]
    scene = lay(kind, kit, np.random.default_rng(3))
    seen = shares_in_sight(outlines_mm(scene, kit.print_), scene)
    assert (seen[:6] > 1 - AREA_TOL).all()  # those in the open
    names = {card.card_id for card in scene.cards}
    assert bool(names & set(kit.foreign)) == (kind == "foreign")
    assert (seen < 0.9).any() == (kind != "foreign")


DECK = load_deck("light-speed")
TABLE = (
    PlacedCard("red-moth", 0.0, 0.0, 0.0),
    PlacedCard("blue-ghost", 0.0, -200.0, 0.3),
    PlacedCard("asteroid-1", 150.0, 40.0, 0.2),
    PlacedCard("blue-viper", -170.0, 90.0, -1.0),
)
TRUE = resolve(TableState(TABLE), DECK)


def moved(card, name=None, x=0.0, theta=0.0):
    return PlacedCard(name or card.card_id, card.x_mm + x, card.y_mm, card.theta_rad + theta)


def test_a_round_is_lost_by_the_stage_whose_truth_makes_it_right():
    moth, *rest = TABLE
    right = [Pair(card, card) for card in rest]
    assert lost_by([Pair(None, moth), *right], TRUE) == "detection"
    assert lost_by([Pair(moved(moth, "red-avenger"), moth), *right], TRUE) == "names"
    assert lost_by([Pair(moved(moth, theta=1.5), moth), *right], TRUE) == "poses"
    astray = Pair(moved(moth, "red-avenger", theta=1.5), moth)
    assert lost_by([astray, *right], TRUE) == "names and poses"
    assert lost_by(None, TRUE) == "too little read"


def test_what_was_read_is_paired_in_the_true_frame():
    """A table read in another frame, one card unread, one missed, one where none lies."""
    c, s = np.cos(0.7), np.sin(0.7)
    turned = [
        PlacedCard(one.card_id, c * one.x_mm - s * one.y_mm + 5, s * one.x_mm + c * one.y_mm, 0.7)
        for one in TABLE
    ]
    unread = PlacedCard("unknown-1", turned[3].x_mm, turned[3].y_mm, 0.0)
    ghost = PlacedCard("unknown-2", 400.0, 400.0, 0.0)
    pairs = pair((*turned[:3], unread, ghost), TABLE)
    names = [(p.read and p.read.card_id, p.true and p.true.card_id) for p in pairs]
    assert names[3:] == [("unknown-1", "blue-viper"), ("unknown-2", None)]
    assert [p.read.x_mm for p in pairs[:3]] == pytest.approx([one.x_mm for one in TABLE[:3]])
    true = with_truth(pairs, ("detection", "names", "poses"))
    assert sorted(card.card_id for card in true) == sorted(card.card_id for card in TABLE)
