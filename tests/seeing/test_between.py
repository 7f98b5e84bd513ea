"""What lies between two cards is no third one, whatever it looks like from afar."""

from dataclasses import replace

import numpy as np
import pytest

from tests.learned import bank_of, shoot
from tests.seeing.test_near import signed
from vision.imaging.view import View
from vision.seeing.cards.occlusion import find_false_names, withdraw_names
from vision.seeing.detector import build_detector
from vision.seeing.estimation.model import with_poses
from vision.seeing.estimation.plane import camera_priors
from vision.seeing.reading import find_cards
from vision.seeing.values import Identities
from vision.values.layout import PlacedCard

SIZE = (60.0, 90.0)
UNIT = np.stack(np.meshgrid(np.linspace(-0.45, 0.45, 10), np.linspace(-0.475, 0.475, 20)), -1)
PLACES = UNIT.reshape(-1, 2)
#: Two cards end to end, 30 mm apart, a place half of which lies on either, and one beside all.
POSES = np.array([[0.0, -60.0, 0.0], [0.0, 60.0, 0.0], [0.0, 0.0, 0.0], [200.0, 0.0, 0.0]])
GAP, FREE = 2, 3
SHOWN = np.abs(PLACES[:, 1]) * SIZE[1] < 15.0  # of the place in the gap


def named(*doubtful: int) -> Identities:
    return Identities((4, 5, 6, 7), {}, doubtful, (1, 2))


def gone(doubtful: tuple[int, ...], like: np.ndarray) -> tuple[int, ...]:
    """Say where each place that is asked for looks like its face."""
    return find_false_names(
        POSES, named(*doubtful), SIZE, PLACES, lambda asked: np.tile(like, (len(asked), 1))
    )


@pytest.mark.parametrize(
    ("like", "is_gone"),
    [
        (np.zeros(len(PLACES), np.bool_), True),
        (np.ones(len(PLACES), np.bool_), False),
        (~SHOWN, True),  # what the cards beside it show says nothing for it
        (SHOWN, False),  # nor against it: it may lie under them
    ],
)
def test_a_doubtful_name_between_two_cards_must_be_seen_between_them(like, is_gone):
    assert gone((GAP,), like) == ((GAP,) if is_gone else ())


def test_what_is_sure_or_lies_free_keeps_its_name():
    unlike = np.zeros(len(PLACES), np.bool_)
    assert gone((), unlike) == ()
    assert gone((FREE,), unlike) == ()
    assert gone((GAP, FREE), unlike) == (GAP,)


def test_a_neighbour_in_doubt_covers_as_well():
    """One sure neighbour is enough to ask; the white of the other says nothing either."""
    assert gone((0, GAP), ~SHOWN) == (GAP,)


def test_a_name_taken_back_leaves_the_others():
    left = withdraw_names(named(GAP, FREE), (GAP,))
    assert left == Identities((4, 5, -1, 7), {}, (FREE,), (1,))


@pytest.mark.parametrize("lies_there", [False, True])
@pytest.mark.parametrize("turn", [0.0, np.pi])
def test_a_photo_tells_a_card_under_two_others_from_the_gap_between_them(lies_there, turn):
    """40 mm of it show, on a cloth of its ink; whichever way up the cards lie."""
    ink, fills = (50, 50, 170), ("empty", "striped", "full")
    faces = {f"red-{fill}": signed(fill, ink) for fill in fills}
    ends = tuple(
        PlacedCard(f"red-{fill}", 0.0, y, turn)
        for fill, y in zip(fills, (-64.0, 64.0), strict=False)
    )
    under = PlacedCard("red-full", 0.0, 0.0, turn)
    scene = {"cloth_bgr": ink, "tilt_deg": 8}
    bare, _ = shoot(faces, [], cards=ends, **scene)
    photo, _ = shoot(faces, [], cards=(under, *ends), **scene) if lies_there else (bare, ())
    detector = build_detector(bank_of(faces))
    height, width = bare.image.shape[:2]
    priors = camera_priors((width, height), bare.focal_px)
    plane = find_cards(View(bare.image), detector, priors=priors).plane
    assert plane is not None
    plain, start = detector.comparer, plane.solution
    known = {name: k for k, (name, *_) in enumerate(detector.faces.names)}
    read = [match.best for match in plain.match(View(bare.image), start)]
    pair = [start.poses[read.index(known[card.card_id])] for card in ends]
    start = with_poses(start, np.array([*pair, np.mean(pair, axis=0)]))
    view = View(photo.image)
    located = replace(detector.poses.locate(view, start, priors), solution=start)
    face = tuple(known[f"red-{fill}"] for fill in fills)
    matches = plain.match(view, start)
    _, _, told = plain.revise_names(view, located, matches, Identities(face, {}, (2,)))
    assert told.face == (*face[:2], face[2] if lies_there else -1)
