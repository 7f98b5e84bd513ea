"""Which card lies on which: by the face that shows where two outlines overlap."""

import numpy as np
import pytest

from tests.drawn_faces import draw_face
from tests.learned import bank_of, printed
from tests.synth import Scene, photograph
from vision.geometry import cell_centres
from vision.imaging.photo import Photo
from vision.seeing.cards.overlap_order import find_covers
from vision.seeing.detector import build_detector
from vision.seeing.estimation.overlaps import Covers
from vision.seeing.reading import read_layout
from vision.values.layout import PlacedCard

SIZE = (63.0, 88.0)
CELLS_MM = cell_centres(21, 29) * SIZE
FACES = {f"pic-{k:02d}": draw_face(k) for k in range(24)}
SHOWN = [f"pic-{k:02d}" for k in (1, 2, 3, 5, 7)]
BESIDE = (PlacedCard("pic-06", -60.0, 170.0, 0.3), PlacedCard("pic-08", 110.0, 170.0, -0.2))


@pytest.mark.parametrize("seed", range(6))
def test_the_upper_card_covers_what_it_overlaps_and_no_other(seed):
    """Of a heap of any order each card lies on all that it overlaps and that were laid before."""
    rng = np.random.default_rng([41, seed])
    poses = np.column_stack([rng.uniform(-60, 60, (7, 2)), rng.uniform(-np.pi, np.pi, 7)])
    laid = Covers(np.triu(np.ones((7, 7), bool), 1), SIZE)  # each on all that were laid before
    shown = laid.visible(CELLS_MM, poses)
    found = find_covers(CELLS_MM, poses, SIZE, lambda visible: shown)
    assert not np.tril(found.lies_on).any()  # none on itself, nor on one laid later
    assert (found.visible(CELLS_MM, poses) == shown).all()


def test_cards_that_agree_with_no_face_cover_nothing():
    """Two outlines that are wrong both say nothing of each other."""
    poses = np.array([[0.0, 0.0, 0.0], [20.0, 10.0, 0.2]])
    none = find_covers(CELLS_MM, poses, SIZE, lambda visible: np.zeros(visible.shape, bool))
    assert not none.lies_on.any()


@pytest.fixture(scope="module")
def detector():
    """A deck as it is learned: pictures, nothing known of border and frame."""
    return build_detector(bank_of(FACES))


def read(detector, cards):
    """Photograph cards, the last on top, and read them."""
    return read_layout(Photo(photograph(Scene(cards, seed=5), printed(FACES))[0]), detector)


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
    image = photograph(scene, printed(FACES | {"strange": strange}))[0]
    layout = read_layout(Photo(image), detector)
    sure = {p.piece for p in layout.placed if not p.piece.startswith("unknown")}
    sure -= {c for d in layout.doubts if d.severity == "doubt" for c in d.cards}
    assert sure <= {"pic-03", "pic-06", "pic-08", "pic-11"}
    assert {"pic-03", "pic-06", "pic-08"} <= sure
    assert [d for d in layout.doubts if d.severity == "doubt"]
