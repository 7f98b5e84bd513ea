"""Cards where nothing explains the table: taken apart from above, each once, and no bare table."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from bench.doubted import hard_scene
from tests.drawn_faces import draw_face
from tests.learned import bank_of, printed
from tests.synth import Scene, photograph
from vision.geometry import photo_from_table, table_from_photo
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.detector import build_detector
from vision.seeing.estimation.model import camera_of, solution_of
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.estimation.plane import Plane, camera_priors
from vision.seeing.explain import verify_hypotheses
from vision.seeing.reading import find_cards, find_hypotheses, read_layout
from vision.seeing.recognition.picture_faces import coarse_tones
from vision.seeing.recognition.visible_faces import visible_faces
from vision.seeing.values import Hypotheses
from vision.values.layout import PlacedCard

NEAR_MM = 2.5  # of a fan's step of 24: a corner's error at the far end of a card
OPEN = PlacedCard("pic-0", -120.0, 0.0, 0.1), PlacedCard("pic-1", -120.0, 120.0, -0.3)
FAN = tuple(PlacedCard(f"pic-{k + 2}", 24.0 * k, 0.0, 0.1 * k) for k in range(4))


@cache
def faces():
    return {f"pic-{k}": draw_face(40 + k) for k in range(8)}


def table(cards, known):
    """Photograph cards of which some are known; return view, hypotheses and faces."""
    scene = Scene(cards, size_wh=(1600, 1200), seed=3)
    image, camera = photograph(scene, printed(faces()))
    plane = Plane(solution_of(camera), (0, 1, 2, 3), camera_priors((1600, 1200), None))
    poses = np.array([(c.x_mm, c.y_mm, c.theta_rad) for c in known])
    return View(image), Hypotheses(poses, np.full(len(poses), 0.9), plane)


def test_of_a_fan_all_cards_are_found_and_each_once():
    view, known = table((*OPEN, *FAN), OPEN)
    found, _ = verify_hypotheses(view, known, bank_of(faces()))
    new = found.poses[len(OPEN) :]
    wanted = np.array([(c.x_mm, c.y_mm) for c in FAN])
    away = np.linalg.norm(new[:, None, :2] - wanted, axis=2)
    assert away.shape == (len(FAN), len(FAN))
    assert away.min(axis=0).max() < NEAR_MM
    assert np.array_equal(found.poses[: len(OPEN)], known.poses)


def test_what_known_cards_explain_is_no_further_card():
    cards = (*OPEN, *FAN)
    view, known = table(cards, cards)
    assert len(verify_hypotheses(view, known, bank_of(faces()))[0].poses) == len(cards)


def test_a_poor_hypothesis_gives_way_to_the_card_on_its_place():
    view, known = table((*OPEN, FAN[0]), OPEN)
    assert known.plane is not None
    poor = np.array([[FAN[0].x_mm + 6.0, FAN[0].y_mm - 5.0, 0.06]])
    both = replace(
        known,
        poses=np.concatenate([known.poses, poor]),
        scores=np.append(known.scores, 0.1),
    )
    found, _ = verify_hypotheses(view, both, bank_of(faces()))
    assert len(found.poses) == len(OPEN) + 1
    assert np.linalg.norm(found.poses[-1, :2] - [FAN[0].x_mm, FAN[0].y_mm]) < NEAR_MM


def test_without_a_card_that_is_read_nothing_is_added():
    view, known = table((*OPEN, *FAN), OPEN)
    vague = replace(known, scores=np.full(len(OPEN), 0.2))
    assert verify_hypotheses(view, vague, bank_of(faces()))[0] is vague


def test_where_none_is_read_well_hypotheses_are_verified_by_the_best():
    """Else each outline of a card's shape was one, on a floor of planks each plank."""
    bare = PlacedCard("pic-7", 150.0, 60.0, 0.4)  # none lies there
    view, known = table((*OPEN, FAN[0]), (*OPEN, FAN[0], bare))
    found, _ = verify_hypotheses(
        view, replace(known, scores=np.array([0.5, 0.45, 0.45, 0.45])), bank_of(faces())
    )
    wanted = np.array([(c.x_mm, c.y_mm) for c in (*OPEN, FAN[0])])
    away = np.linalg.norm(found.poses[:, None, :2] - wanted, axis=2)
    assert away.shape == (3, 3)
    assert away.min(axis=0).max() < NEAR_MM


@pytest.mark.parametrize("seed", [1, 3, 7])
def test_the_edges_of_few_cards_tell_a_tilt_that_their_outlines_do_not(seed):
    """On three cards' outlines a card 400 mm beside was 14 to 44 % too large or too small."""
    rng = np.random.default_rng(seed)
    few = tuple(
        PlacedCard(
            f"pic-{k}",
            75.0 * k - 260.0 + rng.uniform(-5, 5),
            120.0 + rng.uniform(-40, 40),
            rng.uniform(-3, 3),
        )
        for k in range(3)
    )
    image, camera = photograph(Scene(few, size_wh=(1600, 1200), seed=seed), printed(faces()))
    view, detector = View(image), build_detector(bank_of(faces()))
    size_mm, priors = detector.faces.size_mm, camera_priors((1600, 1200), None)
    beside_px = photo_from_table(
        camera, card_outlines(np.array([[200.0, -150.0, 0.3]]), size_mm)[0]
    )

    def off(found: Hypotheses) -> float:
        """Return by which share a side of the card beside is off, at most."""
        at_mm = table_from_photo(camera_of(found.plane.solution), beside_px)
        sides = np.linalg.norm(at_mm - np.roll(at_mm, -1, axis=0), axis=1)
        return float(np.abs(sides / np.tile(size_mm, 2) - 1).max())

    outlined = find_cards(view, detector, priors=priors)
    edged, _ = find_hypotheses(view, detector, priors)
    assert off(edged) < 0.04  # at most 0.033 of twelve tables
    assert off(edged) < off(outlined) / 4


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_what_lies_on_a_card_counts_neither_for_a_face_nor_against_it(share):
    known = visible_faces(bank_of(faces()))
    tones = np.asarray(coarse_tones(known.bank, known.grid)[:4], np.uint8)
    clear = np.ones(tones.shape[:2], np.bool_)
    shown = clear.copy()
    shown[:, int(share * shown.shape[1]) :] = False
    spoiled = np.where(shown[..., None], tones, np.random.default_rng(1).integers(0, 255, 3))
    whole, part = (known.compare(of.astype(np.uint8), clear) for of in (tones, spoiled))
    told = known.compare(spoiled.astype(np.uint8), shown)
    assert (whole.scores > 0.99).all()
    assert (told.scores > 0.9).all()  # the hidden part is in the neighbourhood of the next cells
    assert (told.scores > part.scores).all()


def test_of_a_card_under_counters_the_pose_whose_border_shows_is_kept(bank):
    """Counters break the outlines of four cards: corners of edge and frame agree on many poses."""
    scene = replace(hard_scene(np.random.default_rng([1, 3]), bank, 1), seed=3)  # no hand in it
    image, camera = photograph(scene, bank)
    layout = read_layout(Photo(image, 26.0), build_detector(bank))
    middles = np.array([card.outline_px.mean(axis=0) for card in layout.placed])
    at_px = photo_from_table(camera, np.array([(c.x_mm, c.y_mm) for c in scene.cards]))
    away = np.linalg.norm(at_px[:, None] - middles, axis=2).min(axis=1)
    assert away.max() < 5.0  # of cards 60 to 80 pixels wide; two were lost
    assert len(layout.placed) == len(scene.cards)
