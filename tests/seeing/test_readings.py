"""What else a card may be: chances that add up to one, of faces that are free."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.judging.doubted import doubted_names
from vision.judging.odds import find_ways
from vision.seeing.cards.alternatives import _HIDDEN, ABSENT, FOREIGN, AcceptedCard, alternatives_of
from vision.seeing.values import FaceMatch
from vision.values.layout import PlacedCard
from vision.values.pieces import Faces

NAMES = ("moth", "viper", "ghost", "lancer")
FACES = Faces(
    names=tuple((name,) for name in NAMES),
    images=np.zeros((4, 8, 6, 3), np.uint8),
    px_per_mm=0.1,
    width_mm=63.5,
    height_mm=88.9,
)


def shown(name: str, scores: list[float], *, doubtful: bool = True, **more) -> AcceptedCard:
    face = NAMES.index(name) if name in NAMES else -1
    match = FaceMatch(np.column_stack([scores, [-1.0] * 4]), **more)
    return AcceptedCard(0, name, face, match, None, doubtful, False)


@given(
    st.lists(st.lists(st.floats(-1, 1), min_size=4, max_size=4), min_size=1, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.integers(0, 4),
)
def test_chances_are_chances_and_name_no_card_that_lies_elsewhere(rows, doubtful, unread):
    several = [
        shown(name, scores, doubtful=is_doubtful)
        for name, scores, is_doubtful in zip(NAMES, rows, doubtful, strict=False)
    ]
    several[unread:] = [
        shown(f"unknown-{k}", list(one.match.scores[:, 0]))
        for k, one in enumerate(several[unread:], start=1)
    ]
    sure = {one.name for one in several if one.face >= 0 and not one.is_doubtful}
    for one, told in zip(several, alternatives_of(several, FACES), strict=True):
        assert sum(reading.chance for reading in told) <= 1 + 1e-9
        assert not sure & {reading.piece for reading in told}
        assert one.name not in {reading.piece for reading in told}
        assert [r.chance for r in told] == sorted((r.chance for r in told), reverse=True)
        if one.name in sure:
            assert told == ()


def test_the_nearer_two_faces_are_the_less_is_sure():
    near, far = (
        alternatives_of([shown("moth", [0.5, other, 0.0, 0.0])], FACES)[0] for other in (0.48, 0.46)
    )
    assert near[0].piece == far[0].piece == "viper"
    assert 0.5 > near[0].chance > far[0].chance > 0


def test_an_unread_card_may_be_any_free_face_another_game_s_or_none():
    (_, told) = alternatives_of(
        [shown("moth", [0.9, 0, 0, 0], doubtful=False), shown("unknown-1", [0.26, 0.29, 0.1, 0.0])],
        FACES,
    )
    posterior = {one.piece: one.chance for one in told}
    assert set(posterior) == {"viper", "ghost", "lancer", None}
    assert max(posterior, key=lambda piece: posterior[piece]) == "viper"
    assert 1 - sum(posterior.values()) == pytest.approx(FOREIGN, abs=0.15)


def test_of_an_unread_card_what_looks_most_like_it_is_likeliest_and_what_may_be_hidden_stays():
    told = alternatives_of([shown("unknown-1", [-0.1, 0.22, -0.1, -0.1])], FACES)[0]
    posterior = {one.piece: one.chance for one in told}
    deck = 1 - FOREIGN - ABSENT
    assert posterior["viper"] == pytest.approx(deck * (1 - _HIDDEN * 3 / 4), rel=0.01)
    for name in ("moth", "ghost", "lancer"):  # a hand may hide what tells them apart
        assert posterior[name] == pytest.approx(deck * _HIDDEN / 4, rel=0.01)
    assert posterior[None] == pytest.approx(ABSENT)


def test_an_unread_card_none_of_which_was_compared_may_be_each_face_alike():
    told = alternatives_of([shown("unknown-1", [-1.0] * 4)], FACES)[0]
    posterior = {one.piece: one.chance for one in told if one.piece}
    assert len(posterior) == 4
    assert min(posterior.values()) == pytest.approx(max(posterior.values()))


def test_a_card_too_many_counts_as_likely_as_the_other():
    first = shown("moth", [0.7, 0, 0, 0], doubtful=False)
    copy = AcceptedCard(1, "unknown-1", -1, first.match, 0, False, False)
    one, other = alternatives_of([first, copy], FACES)
    assert [(r.piece, r.chance) for r in one] == [("unknown-1", 0.5)]
    assert other[0].piece == "moth"
    assert other[0].chance == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_each_copy_of_a_card_counts_as_likely_as_the_others(count):
    """Issue 35: of three copies the second could never be the one that counts."""
    first = shown("moth", [0.95, 0, 0, 0], doubtful=False)
    copies = [
        AcceptedCard(k, f"unknown-{k}", -1, first.match, 0, False, False) for k in range(1, count)
    ]
    several = [first, *copies]
    cards = [
        PlacedCard(one.name, 0, 0, 0, may_be=may_be)
        for one, may_be in zip(several, alternatives_of(several, FACES), strict=True)
    ]
    doubts = doubted_names(cards, ())
    counts = [0.0] * count
    for way in find_ways(doubts, most=1000).several:
        names = [doubt.readings[r][0] for doubt, r in zip(doubts, way.chosen, strict=True)]
        if way.chance:
            assert names.count("moth") == 1
            counts[names.index("moth")] += way.chance
    assert counts == pytest.approx([1 / count] * count, abs=0.01)


def test_what_chances_lack_is_no_card_of_the_deck():
    posterior = np.array([0.6, 0.3, 0.0, 0.0])
    (told,) = alternatives_of([shown("moth", [0.6, 0.5, 0, 0], posterior=posterior)], FACES)
    assert [r.piece for r in told] == ["viper", "unknown-1001"]
    assert [r.chance for r in told] == pytest.approx([0.3, 0.1])
