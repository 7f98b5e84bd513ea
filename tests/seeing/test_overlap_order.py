"""Which card lies on which: by the face that shows where two outlines overlap."""

from functools import cache

import numpy as np
import pytest

from tests.drawn_faces import draw_face
from tests.learned import bank_of, printed
from tests.synth import Scene, photograph
from vision.geometry import cell_centres
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.cards.overlap_order import order_cards
from vision.seeing.detector import build_detector
from vision.seeing.estimation.model import solution_of, with_poses
from vision.seeing.estimation.overlaps import Covers, points_in_card
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard

SIZE = (63.0, 88.0)
CELLS_MM = cell_centres(21, 29) * SIZE
SHOWN = [f"pic-{k:02d}" for k in (1, 2, 3, 5, 7)]
BESIDE = (PlacedCard("pic-06", -60.0, 170.0, 0.3), PlacedCard("pic-08", 110.0, 170.0, -0.2))


@cache
def faces():
    return {f"pic-{k:02d}": draw_face(k) for k in range(24)}


@pytest.mark.parametrize("seed", range(6))
def test_the_upper_card_covers_what_it_overlaps_and_no_other(seed):
    """Of a heap of any order each card lies on all that it overlaps and that were laid before."""
    rng = np.random.default_rng([41, seed])
    poses = np.column_stack([rng.uniform(-60, 60, (7, 2)), rng.uniform(-np.pi, np.pi, 7)])
    laid = Covers(np.triu(np.ones((7, 7), bool), 1), SIZE)  # each on all that were laid before
    shown = laid.visible(CELLS_MM, poses)
    found = order_cards(CELLS_MM, poses, SIZE, lambda some: lambda rows, _: shown[some][rows])
    assert not np.tril(found.covered_by).any()  # none on itself, nor on one laid later
    hidden = ~found.visible(CELLS_MM, poses)
    assert not (hidden & shown).any()
    for i, j in np.argwhere(laid.covered_by):  # without the gap round a card
        beneath = points_in_card(CELLS_MM, poses[i], poses[j], SIZE)
        # of 609 cells: where three meet two may share a cell of one and none of the other
        assert (beneath & ~hidden[i]).sum() <= 3


def test_cards_that_agree_with_no_face_cover_nothing():
    """Two outlines that are wrong both say nothing of each other."""
    poses = np.array([[0.0, 0.0, 0.0], [20.0, 10.0, 0.2]])
    none = order_cards(
        CELLS_MM, poses, SIZE, lambda some: lambda _, visible: np.zeros_like(visible)
    )
    assert not none.covered_by.any()


def test_a_card_is_known_when_the_one_on_it_is():
    """In a stack the second agrees with its face only where the first, once found, leaves it."""
    poses = np.array([[24.0 * k, 0.0, 0.0] for k in range(4)])  # each lies on the one before
    laid = Covers(np.triu(np.ones((4, 4), bool), 1), SIZE)
    shown = laid.visible(CELLS_MM, poses)
    asked = []

    def agree(rows, visible):
        asked.append(len(rows))
        is_known = (visible & ~shown[rows]).mean(axis=1) < 0.3  # most of what counts is its own
        return shown[rows] & is_known[:, None]

    found = order_cards(CELLS_MM, poses, SIZE, lambda some: agree)
    assert (found.visible(CELLS_MM, poses) == shown).all()
    assert 2 < len(asked) <= 5  # from above, one after another
    assert asked[-1] < 4  # what has not changed is not asked again


def test_what_does_not_come_to_rest_stays_open():
    """Two cards that agree with their faces only while nothing lies on them: neither is on top."""
    poses = np.array([[0.0, 0.0, 0.0], [20.0, 10.0, 0.0]])

    def agree(rows, visible):
        like = np.repeat(visible.all(axis=1)[:, None], visible.shape[1], axis=1)
        like[rows == 0, ::3] = False  # the other agrees better
        return like

    assert not order_cards(CELLS_MM, poses, SIZE, lambda some: agree).covered_by[1].any()
    both = order_cards(CELLS_MM, poses, SIZE, lambda some: lambda _, visible: ~visible & visible)
    assert not both.covered_by.any()


@pytest.mark.parametrize("step_mm", [3.0, 4.7, 8.0])
def test_of_a_strip_of_a_picture_no_name_is_sure(detector, step_mm):
    """Less than a fifth of a card in sight: it has no sure name, whatever that strip is like."""
    pair = [PlacedCard("pic-05", 0.0, 0.0, 0.0), PlacedCard("pic-03", step_mm, 0.0, 0.0)]
    layout = read(detector, (*pair, *BESIDE))
    sure = {p.piece for p in layout.placed if p.identity is not None}
    sure -= {c for d in layout.doubts if d.severity == "doubt" for c in d.cards}
    assert sure == {"pic-03", "pic-06", "pic-08"}


def test_no_face_is_said_of_a_strip_at_a_known_place(detector):
    """Compared at its very pose, too: it has no posterior, and the comparison does not fail."""
    cards = (PlacedCard("pic-05", 0.0, 0.0, 0.0), PlacedCard("pic-03", 3.0, 0.0, 0.0), *BESIDE)
    scene = Scene(cards, seed=5)
    image, camera = photograph(scene, printed(faces()))
    poses = np.array([(c.x_mm, c.y_mm, c.theta_rad) for c in cards])
    at, view = with_poses(solution_of(camera), poses), View(image)
    covered_by = np.zeros((4, 4), bool)
    covered_by[0, 1] = True
    below, above, *_ = detector.comparer.match(view, at, Covers(covered_by, SIZE))
    assert not below.posterior.any()
    assert above.posterior.max() > 0.99


@pytest.fixture(scope="module")
def detector():
    """A deck as it is learned: pictures, nothing known of border and frame."""
    return build_detector(bank_of(faces()))


def read(detector, cards):
    """Photograph cards, the last on top, and read them."""
    return read_layout(Photo(photograph(Scene(cards, seed=5), printed(faces()))[0]), detector)


@pytest.mark.parametrize("turn", [0.12, -0.2])
def test_cards_of_a_fan_are_named_by_what_is_visible_of_them(detector, turn):
    """A learned deck's fan: every card has its name, and none is doubted."""
    fan = [PlacedCard(n, 24.0 * k - 60.0, 0.0, turn * k) for k, n in enumerate(SHOWN)]
    layout = read(detector, (*fan, *BESIDE))
    assert {p.piece for p in layout.placed} == {*SHOWN, "pic-06", "pic-08"}
    assert not [d for d in layout.doubts if d.severity == "doubt"]


def test_a_card_of_no_deck_beneath_another_is_not_named(detector):
    """Hidden cells speak for no face: a strange card that shows half has no certain name."""
    strange = draw_face(901)
    lower, upper = PlacedCard("strange", 0.0, 0.0, 0.1), PlacedCard("pic-03", 30.0, 10.0, 0.2)
    scene = Scene((lower, upper, *BESIDE, PlacedCard("pic-11", -120.0, 20.0, 0.0)), seed=5)
    image = photograph(scene, printed(faces() | {"strange": strange}))[0]
    layout = read_layout(Photo(image), detector)
    sure = {p.piece for p in layout.placed if p.identity is not None}
    sure -= {c for d in layout.doubts if d.severity == "doubt" for c in d.cards}
    assert sure <= {"pic-03", "pic-06", "pic-08", "pic-11"}
    assert {"pic-03", "pic-06", "pic-08"} <= sure
    assert [d for d in layout.doubts if d.severity == "doubt"]
