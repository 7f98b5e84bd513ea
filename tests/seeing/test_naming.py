"""Naming: each card once at most, whatever the order; twins told; doubt where doubt is due."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.strategies import LAW
from vision.seeing.cards.assignment import _REGISTERED_SCORE, assign_cards
from vision.seeing.cards.face_comparers import FramedComparer
from vision.seeing.cards.posterior import _ACCEPT, score_posterior
from vision.seeing.values import FaceMatch, Identities
from vision.values.ledger import SURE

LOW = 0.05  # far below what is accepted


def named_by(scores, kinds=None):
    """Return what cards are named by their scores (N, K), beside one that is plainly another."""
    n, k = scores.shape
    table = np.full((n + 1, k + 1), LOW)
    table[:n, :k], table[n, k] = scores, 0.95
    kinds = np.append(np.arange(k) if kinds is None else kinds, k)
    posterior = score_posterior(table, np.zeros(n + 1), np.ones(n + 1, bool), kinds)
    found = assign_cards(posterior, table.max(axis=1), np.ones(k + 1, np.int64))
    assert found.face[n] == k
    return replace(found, face=found.face[:n])


@st.composite
def score_tables(draw: st.DrawFn) -> np.ndarray:
    """Return scores (N, K) without ties."""
    n, k = draw(st.integers(0, 7)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = rng.uniform(-0.2, 0.7, (n, k))
    for i in range(n):  # most cards are plainly one face, some of them the same one
        if rng.random() < 0.6:
            scores[i, rng.integers(k)] = rng.uniform(0.5, 1.0)
    return scores


@LAW
@given(score_tables())
def test_no_face_is_given_twice_and_none_below_what_is_accepted(scores):
    found = named_by(scores)
    assert len(found.face) == len(scores)
    named = [face for face in found.face if face >= 0]
    assert len(set(named)) == len(named)
    for i, face in enumerate(found.face):
        assert face < 0 or scores[i].max() >= _ACCEPT


@LAW
@given(score_tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_places_changes_nothing(scores, random):
    order = list(range(len(scores)))
    random.shuffle(order)
    assume(order)
    one, other = named_by(scores), named_by(scores[order])
    assert [one.face[i] for i in order] == list(other.face)
    assert {order[i]: face for i, face in other.doubled.items()} == one.doubled
    assert sorted(order[i] for i in other.doubtful) == list(one.doubtful)


@LAW
@given(score_tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_faces_changes_nothing(scores, random):
    order = list(range(scores.shape[1]))
    random.shuffle(order)
    one, other = named_by(scores), named_by(scores[:, order])
    assert [order[face] if face >= 0 else -1 for face in other.face] == list(one.face)
    assert {i: order[face] for i, face in other.doubled.items()} == one.doubled
    assert other.doubtful == one.doubtful


@LAW
@given(score_tables())
def test_doubles_and_doubts_are_consistent(scores):
    found = named_by(scores)
    for i, twin in found.doubled.items():
        assert found.face[i] == -1
        assert twin in found.face  # it lies somewhere else
        assert scores[i, twin] == scores[i].max()
    assert all(found.face[i] >= 0 for i in found.doubtful)


def clear(n: int, k: int) -> np.ndarray:
    """Return scores of n places that are plainly the first n of k faces."""
    scores = np.full((n, k), LOW)
    scores[np.arange(n), np.arange(n)] = 0.9
    return scores


def test_of_faces_that_play_alike_a_smaller_score_is_enough():
    """A rock under counters is as like its other side as a ship is like one that is lacking."""
    scores = np.array([[0.46, 0.35, 0.24], [0.35, 0.46, 0.24]])
    ship, rock = np.arange(3), np.array([0, 0, 1])
    assert named_by(scores, rock).doubtful == ()
    assert named_by(scores, ship).doubtful == (0, 1)
    assert named_by(scores - 0.2, rock).face == (-1, -1)  # too poor even for that


def test_clear_faces_are_named_without_doubt():
    assert named_by(clear(5, 7)) == Identities((0, 1, 2, 3, 4), {}, ())


def test_a_second_copy_is_told_as_such():
    scores = clear(3, 6)
    scores[2] = scores[1] - 0.05  # place 2 shows face 1 as well, a little worse
    found = named_by(scores)
    assert found.face == (0, 1, -1)
    assert found.doubled == {2: 1}


def test_two_places_that_want_one_face_are_settled_by_the_sum():
    """The better alternative gives way: 0.80 + 0.78 beats 0.85 + 0.60."""
    scores = np.array([[0.85, 0.83, LOW], [0.78, 0.60, LOW]])
    found = named_by(scores)
    assert (found.face, found.doubtful) == ((1, 0), (0,))


def test_an_alternative_far_below_the_best_is_not_taken_for_it():
    scores = np.array([[0.9, 0.5, LOW], [0.95, LOW, LOW]])
    found = named_by(scores)
    assert found.face == (-1, 0)
    assert found.doubled == {0: 0}


@pytest.mark.parametrize(("lead", "doubt"), [(0.02, True), (0.06, True), (0.12, False)])
def test_the_lead_decides_between_a_doubt_and_a_name(lead, doubt):
    found = named_by(np.array([[0.7, 0.7 - lead, LOW]]))
    assert found.face == (0,)
    assert bool(found.doubtful) == doubt


def test_the_nearer_two_faces_are_the_less_likely_is_the_better():
    likely = [
        score_posterior(np.array([[0.7, 0.7 - lead]]), np.zeros(1), np.zeros(1, bool), np.arange(2))
        for lead in (0.0, 0.02, 0.06, 0.12)
    ]
    tops = [float(one[0, 0]) for one in likely]
    assert tops[0] == pytest.approx(0.5, abs=0.01)
    assert tops == sorted(tops)
    assert tops[2] < SURE < tops[3]


def test_a_rival_that_lies_elsewhere_is_no_rival():
    scores = np.array([[0.70, 0.69, LOW], [LOW, 0.95, LOW]])
    assert named_by(scores) == Identities((0, 1), {}, ())


def test_a_rival_that_may_lie_elsewhere_is_one_as_far_as_it_may_not():
    """Place 1 cannot tell faces 1 and 2 apart; so place 0 may be face 1 as well."""
    scores = np.array([[0.70, 0.68, LOW, LOW], [LOW, 0.75, 0.74, LOW]])
    assert named_by(scores) == Identities((0, 1), {}, (0, 1))


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (3, 0)])
def test_nothing_to_name(shape):
    found = assign_cards(np.zeros(shape), np.zeros(shape[0]), np.ones(shape[1], np.int64))
    assert found == Identities((-1,) * shape[0], {}, ())


def test_a_poor_place_takes_no_face_from_a_clear_one():
    """A card white in glare seems to be, by a little, what another plainly is."""
    scores = np.array([[0.68, 0.60, LOW], [0.30, 0.25, LOW]])
    found = named_by(scores)
    assert found.face == (0, -1)
    assert found.doubtful == ()


def test_a_second_best_face_is_doubtful_however_well_it_is_read():
    found = named_by(np.array([[0.9, 0.6, LOW], [0.62, 0.60, LOW]]))
    assert found.face == (0, 1)
    assert found.doubtful == (1,)


def test_colours_that_are_off_make_a_name_doubtful_and_never_take_it():
    scores = np.array([[0.9, 0.1]])
    for foreign, doubt in ((0.0, False), (0.004, False), (0.3, True), (1.0, True)):
        posterior = score_posterior(scores, np.array([foreign]), np.zeros(1, bool), np.arange(2))
        found = assign_cards(
            np.vstack([posterior, [0.0, 1.0]]), np.array([0.9, 0.9]), np.ones(2, np.int64)
        )
        assert (found.face, found.doubtful) == ((0, 1), (0,) if doubt else ())


CLEAR = 0.8  # a score that is read clearly


@st.composite
def chance_tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Return chances (N, K), and how many cards (K,) may show each face."""
    n, k = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    logs = rng.normal(0, 5, (n, k + 1))
    posterior = np.exp(logs - logs.max(axis=1, keepdims=True))
    return (posterior / posterior.sum(axis=1, keepdims=True))[:, :k], rng.integers(1, 4, k)


def is_sure(posterior, face, i, copies):
    """Return whether no face that is left beside the named ones rivals a name."""
    named = np.bincount([f for f in face if f >= 0], minlength=len(copies))
    own = posterior[i, face[i]]
    rivals = posterior[i, (named < copies) & (np.arange(len(copies)) != face[i])].sum()
    return own / (own + rivals + 1 - posterior[i].sum()) >= SURE


@LAW
@given(chance_tables())
def test_a_likely_face_is_given_no_more_often_than_there_are_cards(case):
    posterior, copies = case
    found = assign_cards(posterior, np.full(len(posterior), CLEAR), copies)
    face = np.array(found.face)
    assert (np.bincount(face[face >= 0], minlength=len(copies)) <= copies).all()
    for i, f in enumerate(found.face):
        if f >= 0 and i not in found.doubtful:
            assert is_sure(posterior, found.face, i, copies)


@LAW
@given(chance_tables(), st.randoms(use_true_random=False))
def test_the_order_of_places_changes_no_likely_name(case, random):
    posterior, copies = case
    order = list(range(len(posterior)))
    random.shuffle(order)
    scores = np.full(len(posterior), CLEAR)
    one, other = (assign_cards(of, scores, copies) for of in (posterior, posterior[order]))
    assert [one.face[i] for i in order] == list(other.face)
    assert sorted(order[i] for i in other.doubtful) == list(one.doubtful)


@LAW
@given(chance_tables())
def test_where_any_number_may_lie_each_place_is_named_by_itself(case):
    """No place's name hangs on what lies elsewhere."""
    posterior, _ = case
    sure = np.vstack([posterior, np.eye(1, posterior.shape[1])])  # one that is read for sure
    many = np.full(posterior.shape[1], 1_000_000)
    together = assign_cards(sure, np.full(len(sure), CLEAR), many)
    assert together.doubled == {}
    for i, row in enumerate(posterior):
        alone = assign_cards(np.vstack([row, sure[-1]]), np.full(2, CLEAR), many)
        assert alone.face[0] == together.face[i]
        assert (0 in alone.doubtful) == (i in together.doubtful)


def test_one_card_too_many_is_doubled_not_renamed():
    posterior = np.array([[0.999, 0.0005], [0.998, 0.001]])
    found = assign_cards(posterior, np.full(2, CLEAR), np.ones(2, np.int64))
    assert found == Identities((0, -1), {1: 0}, ())


def test_a_second_card_that_may_well_be_its_twin_is_it_with_a_doubt():
    posterior = np.array([[0.999, 0.0005], [0.6, 0.39]])
    found = assign_cards(posterior, np.full(2, CLEAR), np.ones(2, np.int64))
    assert found == Identities((0, 1), {}, (1,))


def test_below_half_nothing_is_named_and_below_sure_there_is_a_doubt():
    posterior = np.array([[0.999, 0], [0.98, 0.02], [0.45, 0.45]])
    found = assign_cards(posterior, np.full(3, CLEAR), np.full(2, 9))
    assert found == Identities((0, 0, -1), {}, (1,))


def test_without_one_clear_card_there_is_no_table():
    posterior, poor = (
        np.array([[0.99, 0.0], [0.9, 0.05]]),
        np.full(2, _REGISTERED_SCORE - 0.05),
    )
    assert assign_cards(posterior, np.full(2, CLEAR), np.full(2, 9)).face == (-1, -1)
    assert assign_cards(posterior, np.full(2, CLEAR), np.full(2, 9), poor).face == (-1, -1)
    sure = np.array([[0.999, 0.0]])
    assert assign_cards(sure, np.array([0.2]), np.full(2, 9)).face == (-1,)


def test_one_likely_card_that_agrees_well_where_its_face_is_laid_over_it_is_named_in_doubt():
    """A card alone, of another printing: 0.6 is no certainty, and no reason to see nothing."""
    well = np.array([_REGISTERED_SCORE + 0.05])
    for chance in (0.97, 0.6):
        found = assign_cards(np.array([[chance, 0.01]]), np.array([0.6]), np.full(2, 9), well)
        assert (found.face, found.doubtful) == ((0,), (0,))
    less = np.array([[0.45, 0.4]])  # another face is as likely
    assert assign_cards(less, np.array([0.9]), np.full(2, 9), well).face == (-1,)


@LAW
@given(chance_tables(), st.floats(-1, 1))
def test_how_a_face_agrees_laid_over_its_card_only_decides_whether_there_is_a_table(
    case, registered_score
):
    """It makes no name surer, and none another."""
    posterior, copies = case
    shown = np.full(len(posterior), CLEAR)
    found = assign_cards(posterior, shown, copies, np.full(len(posterior), registered_score))
    if max(found.face, default=-1) >= 0:
        known = assign_cards(posterior, shown, copies, np.ones(len(posterior)))
        assert found == known
    for i, f in enumerate(found.face):
        if f >= 0 and i not in found.doubtful:
            assert is_sure(posterior, found.face, i, copies)


@pytest.mark.parametrize(
    ("whole", "haze", "score", "lead", "doubt"),
    [
        (True, 0.8, 0.45, 0.10, True),  # light lies over it, and takes its team's hue
        (True, 0.3, 0.45, 0.10, False),  # no light, and no face is lacking
        (False, 0.3, 0.45, 0.10, True),  # a ship that the deck lacks is read as well as that
        (False, 0.3, 0.54, 0.12, True),  # the best of 29 such names that were told for sure before
        (False, 0.8, 0.45, 0.20, False),  # no other face is near
        (True, 0.8, 0.70, 0.10, False),  # read well all the same
    ],
)
def test_a_card_read_poorly_whose_face_hardly_leads_is_named_with_a_doubt(
    bank, whole, haze, score, lead, doubt
):
    bank = replace(bank, is_whole=whole)
    clear = np.full((len(bank.names), 2), LOW)
    veiled = clear.copy()
    clear[0], veiled[1], veiled[2] = 0.9, score, score - lead
    named = FramedComparer(bank).name([FaceMatch(clear), FaceMatch(veiled, haze=haze)])
    assert named.face == (0, 1)
    assert named.doubtful == ((1,) if doubt else ())
