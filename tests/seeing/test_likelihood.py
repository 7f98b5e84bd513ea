"""Unread cards: the face that explains most of what shows, or none."""

from dataclasses import replace

import numpy as np
import pytest

from tests.seeing.test_reading import foreign_face
from tests.synth import photograph
from vision.imaging.view import View
from vision.seeing.cards.face_matching import match_cards
from vision.seeing.cards.hypotheses import grid_px
from vision.seeing.cards.likelihood import (
    LikelihoodSettings,
    PossibleFaces,
    face_evidence,
    name_by_likelihood,
)
from vision.seeing.recognition.framed_faces import describe, sample_colours
from vision.seeing.values import FaceMatch, Identities
from vision.values.pieces import Faces

NOBODY = -1
SETTINGS = LikelihoodSettings()


@pytest.fixture(scope="module")
def heaped(show):
    """Cards with a heap of discs over most of each: the whole looks like no face."""
    bare = show(count=8)
    heaps = []
    for card in bare.cards:
        c, s = np.cos(card.theta_rad), np.sin(card.theta_rad)
        for x, y, r in ((4, -6, 19.0), (-9, 12, 13.0), (14, 17, 10.0)):
            heaps.append((card.x_mm + x * c - y * s, card.y_mm + x * s + y * c, r))
    return show(count=8, covers=tuple(heaps))


@pytest.fixture(scope="module")
def looked(heaped, index):
    pyramid = View(heaped.image)
    at_px = grid_px(heaped.poses, heaped.solution, index)
    return pyramid, at_px, describe(sample_colours(pyramid, at_px, index), index)


def faces_of(photo, bank):
    return [bank.card_ids.index(card.card_id) for card in photo.cards]


def kinds_of(bank):
    return np.unique(bank.kinds, return_inverse=True)[1]


def unread(index, n):
    return [FaceMatch(np.zeros((len(index.card_ids), 2))) for _ in range(n)]


@pytest.mark.parametrize("turned", [False, True])
def test_what_shows_of_a_heaped_card_has_one_explanation(heaped, looked, bank, index, turned):
    for face, seen in zip(faces_of(heaped, bank), looked[2], strict=True):
        found = face_evidence(seen[::-1] if turned else seen, index)
        assert np.unravel_index(found.evidence.argmax(), found.evidence.shape) == (face, turned)
        x, y = index.grid_mm.T  # the face's own order, whichever way the card lies
        under = np.hypot(x - 4, y + 6) < 17
        assert found.inliers[face, int(turned)][under].mean() < 0.5
        assert found.inliers[face, int(turned)].mean() > 0.3


def test_heaped_cards_are_named_with_doubt_and_their_turn(heaped, looked, bank, index):
    pyramid, at_px, _ = looked
    n = len(at_px)
    nothing = Identities((NOBODY,) * n, {}, ())
    wide = replace(SETTINGS, most_places=n)
    known = PossibleFaces(index, kinds_of(bank), settings=wide)
    matches, named = name_by_likelihood(pyramid, at_px, unread(index, n), nothing, range(n), known)
    true = faces_of(heaped, bank)
    assert all(got in (NOBODY, want) for got, want in zip(named.face, true, strict=True))
    read = [i for i in range(n) if named.face[i] >= 0]
    assert len(read) >= n - 2  # of a dark face little may show that others have not
    assert named.doubtful == tuple(read)
    assert not any(matches[i].is_half_turned(named.face[i]) for i in read)
    assert all(0.3 < matches[i].visible < 0.9 for i in read)


def test_only_as_many_places_are_asked_as_is_said(heaped, looked, bank, index):
    pyramid, at_px, _ = looked
    n = len(at_px)
    nothing = Identities((NOBODY,) * n, {}, ())
    few = replace(SETTINGS, most_places=2)
    known = PossibleFaces(index, kinds_of(bank), settings=few)
    _, named = name_by_likelihood(pyramid, at_px, unread(index, n), nothing, range(n), known)
    assert set(named.face[2:]) == {NOBODY}


def test_a_card_that_lies_elsewhere_is_not_named_again(heaped, looked, bank, index):
    pyramid, at_px, _ = looked
    n, true = len(at_px), faces_of(heaped, bank)
    known = PossibleFaces(index, np.arange(len(bank.card_ids)))
    for i in range(n):
        taken = Identities((true[i], *(NOBODY,) * (n - 1)), {}, ())
        if i == 0:
            continue
        _, named = name_by_likelihood(pyramid, at_px, unread(index, n), taken, [i], known)
        assert named == taken


def test_noise_and_glare_have_no_name(bank, index, looked):
    pyramid, at_px, _ = looked
    rng = np.random.default_rng(1)
    white = np.full_like(pyramid[0], 250)
    glare = white - rng.integers(0, 6, white.shape, np.uint8)
    noise = rng.integers(0, 255, white.shape, np.uint8)
    for image in (white, glare, noise):
        levels = View(image)
        nothing = Identities((NOBODY,) * len(at_px), {}, ())
        matches = match_cards(levels, at_px, index)
        known = PossibleFaces(index, kinds_of(bank))
        same, named = name_by_likelihood(levels, at_px, matches, nothing, [0, 1], known)
        assert named == nothing
        assert same == matches


def test_of_faces_that_play_alike_the_first_free_one_is_named(heaped, looked, bank, index):
    """Which of a kind it is need not be clear; a back is not guessed."""
    pyramid, at_px, _ = looked
    n, true = len(at_px), faces_of(heaped, bank)
    i = next(i for i, face in enumerate(true) if bank.kinds[face] != "asteroid")
    kinds = kinds_of(bank).copy()
    twin = 0 if true[i] != 0 else 1
    kinds[twin] = kinds[true[i]]
    nothing = Identities((NOBODY,) * n, {}, ())
    easy = PossibleFaces(index, kinds, settings=replace(SETTINGS, similar_lead=1e9))
    _, named = name_by_likelihood(pyramid, at_px, unread(index, n), nothing, [i], easy)
    assert named.face[i] == min(twin, true[i])
    other = (i + 1) % n
    taken = list(nothing.face)
    taken[other] = min(twin, true[i])
    one_there = Identities(tuple(taken), {}, ())
    _, named = name_by_likelihood(pyramid, at_px, unread(index, n), one_there, [i], easy)
    assert named.face[i] == max(twin, true[i])


def test_a_dark_card_of_another_game_is_no_asteroid(show, bank, index):
    """A brass disc on a dark panel explains an asteroid's middle; its frame is not there."""
    photo = show(count=8)
    image = foreign_face(bank)[None]
    other = Faces((("other",),), image, bank.px_per_mm, *bank.size_mm, frames=bank.frames)
    cards = tuple(replace(card, card_id="other") for card in photo.cards)
    image, camera = photograph(replace(photo.scene, cards=cards), other)
    there = replace(photo, image=image, scene=replace(photo.scene, cards=cards), camera=camera)
    at_px = grid_px(there.poses, there.solution, index)
    n, levels = len(cards), View(image)
    nothing = Identities((NOBODY,) * n, {}, ())

    def names(settings):
        wide = replace(settings, most_places=n)
        places = unread(index, n), nothing, range(n)
        known = PossibleFaces(index, kinds_of(bank), settings=wide)
        return name_by_likelihood(levels, at_px, *places, known)[1]

    assert names(SETTINGS) == nothing
    assert names(replace(SETTINGS, frame=0.0)) != nothing


def test_of_a_kind_that_always_lies_there_the_first_needs_less(heaped, looked, bank, index):
    """One of it must lie somewhere: a small lead is enough, but only until one is found."""
    pyramid, at_px, _ = looked
    n, true = len(at_px), faces_of(heaped, bank)
    kinds = kinds_of(bank)
    nothing = Identities((NOBODY,) * n, {}, ())
    strict = replace(SETTINGS, lead=1e9)  # nothing leads by so much
    i = next(i for i in range(n) if bank.kinds.count(bank.kinds[true[i]]) == 1)
    here = np.arange(len(bank.card_ids)) == true[i]

    def names(taken, always):
        known = PossibleFaces(index, kinds, always, strict)
        return name_by_likelihood(pyramid, at_px, unread(index, n), taken, [i], known)[1].face[i]

    assert names(nothing, None) == NOBODY
    assert names(nothing, ~here) == NOBODY
    assert names(nothing, here) == true[i]
    elsewhere = [NOBODY] * n
    elsewhere[(i + 1) % n] = true[i]
    assert names(Identities(tuple(elsewhere), {}, ()), here) == NOBODY
