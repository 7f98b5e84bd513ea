"""Of a deck with a printed frame, too, a card whose face the deck lacks is never named for sure.

Its twin of another team is there: both have one shape, and one look but for the colours.
"""

from dataclasses import replace
from functools import cache, reduce

import numpy as np
import pytest

from bench.leave_face_out import without_face
from tests.synth import Scene, photograph, random_cards
from vision.imaging.photo import Photo
from vision.seeing.cards.face_matching import foreign_chances
from vision.seeing.cards.view_fusion import merge_matches
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.seeing.recognition.framed_faces import index_faces, tint_of
from vision.seeing.values import FaceMatch
from vision.values.ledger import NO_MATTER

TEAMS = ("red", "green", "purple", "blue")
#: One ship of each team, twins of two, and an asteroid.
TABLES = (
    ("red-moth", "green-lancer", "purple-bastion", "blue-viper", "red-ghost", "blue-ghost"),
    ("red-avenger", "green-bastion", "purple-lancer", "blue-bastion", "purple-moth", "asteroid-1"),
)
LIGHTS = ({}, {"light": 0.5, "noise": 5.0, "light_bgr": (0.8, 1.0, 1.1)})


def table(ids, seed, bank, light):
    cards = random_cards(ids, np.random.default_rng([35, seed]), gap_mm=10, spread=130)
    scene = Scene(cards, size_wh=(1600, 1200), tilt_deg=25.0, seed=seed, **light)
    return Photo(photograph(scene, bank)[0], scene.focal_35mm)


@cache
def detector_of(bank, gone):
    """Return the detector of a deck that lacks some faces."""
    return build_detector(reduce(without_face, gone, bank))


def told(photo, bank, *gone):
    """Return the names without a doubt of a photo, for a deck that lacks some faces."""
    layout = read_layout(photo, detector_of(bank, gone))
    doubted = {card for doubt in layout.doubts if doubt.severity == "doubt" for card in doubt.cards}
    return {placed.piece for placed in layout.placed if placed.identity is not None} - doubted


@pytest.mark.parametrize("light", LIGHTS, ids=("even", "dim and warm"))
@pytest.mark.parametrize("seed", range(len(TABLES)))
def test_a_ship_that_the_deck_lacks_is_named_as_no_twin_for_sure(bank, seed, light):
    ids = TABLES[seed]
    photo = table(ids, seed, bank, light)
    assert told(photo, bank) == set(ids)
    for gone in ids:
        assert told(photo, bank, gone) <= set(ids) - {gone}, gone


def test_nor_is_one_whose_whole_team_it_lacks(bank):
    photo = table(TABLES[0], 0, bank, {})
    for team in TEAMS:
        gone = [name for name in bank.card_ids if name.startswith(f"{team}-")]
        assert told(photo, bank, *gone) <= set(TABLES[0]) - set(gone), team


@pytest.fixture(scope="module")
def twins(bank):
    """Return the index, the features of all ships and their faces, their twins' faces beside."""
    index = index_faces(bank)
    at = {name: k for k, name in enumerate(index.card_ids)}
    ships = [name for name in index.card_ids if name.partition("-")[0] in TEAMS]
    kinds = [name.partition("-")[2] for name in ships]
    own = np.array([at[name] for name in ships])
    others = [[at[f"{team}-{kind}"] for team in TEAMS] for kind in kinds]
    return index, index.features[own], own, np.array(others)


@pytest.mark.parametrize("gone", ["red-moth", "blue-ghost", "green-viper"])
def test_a_deck_is_whole_where_it_has_each_motif_in_all_its_tints(bank, gone):
    ships = {name for name in bank.card_ids if name.partition("-")[0] in TEAMS}

    def whole(of):
        index = index_faces(of)
        return {name for name, is_it in zip(index.card_ids, index.is_whole, strict=True) if is_it}

    assert whole(bank) == ships
    kind = gone.partition("-")[2]
    assert whole(without_face(bank, gone)) == {s for s in ships if s.partition("-")[2] != kind}
    assert not whole(replace(bank, is_whole=False))  # no file lists its cards


def test_a_deck_that_is_whole_makes_no_veiled_card_one_of_none(twins):
    """Of 351 cards on 17 ray-traced photos in hard light 45 were doubted so, of a whole deck."""
    index, features, own, others = twins
    doubted = {}
    for name, whole in (("whole", index), ("lacks", replace(index, is_whole=~index.is_whole))):
        seen = features.copy()  # the frame has half of a twin's tint, the print hardly a hue
        there = seen[:, index.frame_places]
        twin = index.features[np.where(others[:, 0] == own, others[:, 1], others[:, 0])]
        seen[:, index.frame_places] = 0.55 * there + 0.45 * twin[:, index.frame_places]
        doubted[name] = (chances(whole, seen, own) > NO_MATTER).sum()
    assert doubted["whole"] == 0 < doubted["lacks"], doubted


def chances(index, upright, named):
    everywhere = np.ones(upright.shape[:2], bool)
    return foreign_chances(upright, named, index, everywhere)


@pytest.mark.parametrize("veil", [0.0, 0.2, 0.4])
def test_colours_tell_a_ship_from_its_twins_through_a_veil(twins, veil):
    index, features, own, others = twins
    seen = (1 - veil) * features + veil * np.array([1.0, 0.0, 0.0])
    assert chances(index, seen, own).max() < NO_MATTER
    for team in range(len(TEAMS)):
        named = others[:, team]
        is_twin = named != own
        assert chances(index, seen[is_twin], named[is_twin]).min() > NO_MATTER


def test_a_frame_that_shows_no_tint_speaks_for_no_team(twins):
    index, features, own, _ = twins
    seen = features.copy()
    seen[:, index.frame_places] = [1.0, 0.0, 0.0]
    hidden = np.ones(seen.shape[:2], bool)
    hidden[:, index.frame_places] = False
    bare = chances(index, seen, own)
    covered = foreign_chances(features, own, index, hidden, hidden)
    assert (bare >= chances(index, features, own)).all()
    assert (covered >= chances(index, features, own)).all()
    assert covered.max() < NO_MATTER  # the print's own hues are left


@pytest.mark.parametrize("cast", [(0.0, 0.0), (0.04, -0.02), (-0.03, 0.02)], ids=str)
def test_a_frame_that_glare_has_paled_and_tinted_speaks_against_no_team(twins, cast):
    index, features, own, _ = twins
    seen = 0.2 * features + 0.8 * np.array([1.0, *cast])
    assert np.isnan(tint_of(seen[:, index.frame_places])).all()
    assert chances(index, seen, own).max() < NO_MATTER


def test_what_hides_a_card_does_not_make_it_a_foreign_one():
    clear, other = np.array([[0.9, 0.1], [0.2, 0.1]]), np.array([[0.1, 0.2], [0.9, 0.1]])
    before = [FaceMatch(clear, foreign=0.001), FaceMatch(clear, foreign=0.001), None]
    now = [FaceMatch(clear, foreign=0.3), FaceMatch(other, foreign=0.3), FaceMatch(clear)]
    assert [one.foreign for one in merge_matches(now, before)] == [0.001, 0.3, 0.0]


def test_a_cast_that_a_lamp_gives_the_whole_table_is_no_other_team(twins):
    """Reflections that tint all cards alike had two of 42 true ones doubted as of another deck."""
    index, features, own, others = twins
    cast = np.array([0.22, -0.2])
    seen = features.copy()
    frames = seen[:, index.frame_places]
    seen[:, index.frame_places, 1:] = frames[..., 1:] + (1 - frames[..., :1]) * cast
    everywhere = np.ones(seen.shape[:2], bool)
    there = np.tile(cast, (len(own), 1))
    alone = foreign_chances(seen, own, index, everywhere)
    among = foreign_chances(seen, own, index, everywhere, cast=there)
    assert (among <= alone).all()
    assert among.max() < NO_MATTER
    index = replace(index, is_whole=np.zeros_like(index.is_whole))
    for team in range(len(TEAMS)):  # and of a deck that lacks some of them twins are still told
        is_twin = others[:, team] != own
        told = foreign_chances(
            seen[is_twin], others[is_twin, team], index, everywhere[is_twin], cast=there[is_twin]
        )
        assert told.min() > NO_MATTER
