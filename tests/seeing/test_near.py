"""Faces that are nearly the same: told by amplitude, whatever the light and a little misplaced."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.learned import bank_of, draw_deck
from tests.strategies import LAW
from vision.seeing.cards.face_comparers import PictureComparer
from vision.seeing.cards.fine_comparison import FineComparer
from vision.seeing.cards.posterior import (
    FaceComparison,
    PosteriorSettings,
    adjust_for_foreign,
    amplitude_leads,
    face_posterior,
)
from vision.seeing.recognition.fine_matching import (
    FineMatch,
    FineMatchFace,
    compare_amplitudes,
    fine_match_face,
    fine_match_grid,
)
from vision.seeing.recognition.picture_faces import index_pictures
from vision.seeing.values import FaceMatch

FILLS = ("empty", "striped", "full")
VEILED_MISFIT = 0.05  # of the brightness: 0.075 where a veil counts as light
DOUBTED = 0.9  # chance of a name that is doubted: 0.6 by hues; 0.98 and more without
SIZE_WH = (252, 352)  # 4 px/mm
SURE = 0.95  # of a clean picture of the card itself: what is left is no card of the deck
LEAST_LEAD = 0.25  # under a wash, a gain and a shift: of 40 real photos 1 in 100 leads by less

NAMED_FOR_SURE = 0.995  # LikelySettings.sure
FILL_NOISE = 0.03  # of white, beside the card's own picture: a misplaced outline darkens so much,
FILL_SHARE = 0.1  # and of the depth of its print


def signed(fill: str, ink_bgr: tuple[int, int, int] = (60, 120, 40), phase: int = 0) -> np.ndarray:
    """Draw a white face with two rounded signs: empty, striped or full."""
    face = np.full((*SIZE_WH[::-1], 3), 240, np.uint8)
    inside = np.zeros(SIZE_WH[::-1], np.uint8)
    for y in (120, 232):
        cv2.ellipse(inside, (126, y), (70, 34), 0, 0, 360, 255, -1)
    if fill == "striped":
        face[(inside > 0) & ((np.arange(SIZE_WH[0]) + phase) % 6 < 2)] = ink_bgr
    if fill == "full":
        face[inside > 0] = ink_bgr
    for y in (120, 232):
        cv2.ellipse(face, (126, y), (70, 34), 0, 0, 360, ink_bgr, 4, cv2.LINE_AA)
    return face


FACES = {fill: signed(fill) for fill in FILLS}
GRID = fine_match_grid(bank_of(FACES))
PICTURES = [fine_match_face(face, GRID) for face in FACES.values()]


def seen(picture: np.ndarray) -> np.ndarray:
    """Return the tones of a card's cells, as a photo shows them."""
    rows, columns = GRID.shape_hw
    cells = cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA)
    return cells.reshape(-1, 3).astype(np.float64)


def lit(picture: np.ndarray, gain: float, wash: tuple[float, float]) -> np.ndarray:
    """Let light of a strength fall on a picture, uneven by shares across and along."""
    h, w = picture.shape[:2]
    x, y = np.meshgrid(np.linspace(-1, 1, w), np.linspace(-1, 1, h))
    light = gain * (1 + wash[0] * x + wash[1] * y)
    return np.clip(picture * light[..., None], 0, 255).astype(np.uint8)


def shifted(picture: np.ndarray, dx: float, dy: float) -> np.ndarray:
    """Move a picture by shares of its width."""
    move = np.array([[1, 0, dx * SIZE_WH[0]], [0, 1, dy * SIZE_WH[0]]])
    moved = cv2.warpAffine(picture, move, SIZE_WH, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.uint8)


def compared(picture: np.ndarray, pictures: Sequence[FineMatchFace] = PICTURES) -> FaceComparison:
    """Compare a card with pictures, of which it is as like one as another."""
    k = len(pictures)
    match = compare_amplitudes(seen(picture), pictures, np.zeros(k, np.bool_), GRID)
    return FaceComparison(np.full(k, 0.9), np.arange(k), np.arange(k), match)


def lead_of(truth: int, told: FaceComparison) -> float:
    """Return the least lead of a face over any other."""
    _, leads = amplitude_leads(told)
    return float(np.delete(leads[truth], truth).min())


shares = st.floats(-0.02, 0.02)
washes = st.tuples(st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))


@LAW
@given(st.sampled_from(range(3)), st.floats(0.45, 1.0), washes, shares, shares)
def test_a_fill_is_told_in_any_light_and_two_per_cent_beside(truth, gain, wash, dx, dy):
    card = lit(shifted(FACES[FILLS[truth]], dx, dy), gain, wash)
    assert lead_of(truth, compared(card)) > LEAST_LEAD


@LAW
@given(st.sampled_from(range(3)), st.integers(0, 5))
def test_how_strokes_lie_is_nothing(truth, phase):
    assert lead_of(truth, compared(signed(FILLS[truth], phase=phase))) > LEAST_LEAD


@pytest.mark.parametrize("truth", range(3))
def test_a_fill_is_told_where_a_shadow_lies_over_half_of_the_card(truth):
    card = FACES[FILLS[truth]].copy()
    card[:, :110] = card[:, :110] // 2
    assert lead_of(truth, compared(card)) > LEAST_LEAD


@pytest.mark.parametrize("fill", FILLS)
def test_half_a_sign_that_the_face_lacks_makes_the_name_doubtful(fill):
    """Two signs of three, where the outline lies half a sign beside: the card is another."""
    beside = FACES[fill].copy()
    beside[-42:] = FACES[fill][86:128]  # a third sign, cut by the edge a little beyond its middle
    own, cut = (face_posterior(compared(card)) for card in (FACES[fill], beside))
    assert own.argmax() == cut.argmax() == FILLS.index(fill)
    assert cut.max() < NAMED_FOR_SURE < own.max()


@pytest.mark.parametrize("truth", range(3))
def test_it_is_the_same_upside_down(truth):
    upright = compare_amplitudes(seen(FACES[FILLS[truth]]), PICTURES, np.zeros(3, np.bool_), GRID)
    turned = FACES[FILLS[truth]][::-1, ::-1]
    beside = compare_amplitudes(seen(turned), PICTURES, np.ones(3, np.bool_), GRID)
    assert np.allclose(upright.misfit, beside.misfit, atol=1e-4)  # squares of tones: 0.01 of white
    assert np.allclose(upright.apart, beside.apart, atol=1e-4)


@LAW
@given(st.sampled_from(range(3)), st.permutations(range(3)))
def test_the_order_of_faces_changes_nothing(truth, order):
    card = seen(lit(FACES[FILLS[truth]], 0.8, (0.1, -0.1)))
    turned = np.zeros(3, np.bool_)
    one = compare_amplitudes(card, PICTURES, turned, GRID)
    other = compare_amplitudes(card, [PICTURES[k] for k in order], turned, GRID)
    assert np.allclose(one.misfit[np.ix_(order, order)], other.misfit, atol=1e-6)


def test_faces_that_lightness_cannot_tell_are_equally_likely():
    """Two inks of one lightness, in a photo without colour."""
    gray = [
        cv2.cvtColor(cv2.cvtColor(signed("full", ink), cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        for ink in ((60, 120, 40), (40, 88, 107))
    ]
    assert np.abs(gray[0].astype(int) - gray[1]).max() <= 2  # of 255: rounding
    pictures = [fine_match_face(face, GRID) for face in gray]
    posterior = face_posterior(compared(gray[0], pictures))
    assert posterior[0] == pytest.approx(posterior[1], abs=0.02)


def test_a_card_that_fits_no_face_is_no_card_of_the_deck():
    foreign = np.random.default_rng(0).integers(0, 255, (11, 8, 3), dtype=np.uint8)
    card = cv2.resize(foreign, SIZE_WH, interpolation=cv2.INTER_CUBIC)
    assert face_posterior(compared(card)).sum() < 0.1
    own = compared(FACES["striped"])
    assert face_posterior(own)[1] > SURE


@LAW
@given(st.floats(0.3, 0.9), st.floats(0.02, 0.2), st.floats(0.02, 0.08))
def test_the_better_a_card_is_like_one_face_the_less_it_is_one_as_far_below(high, apart, more):
    """The noise of a correlation is smaller near 1: as far below is further off there."""

    def other(best: float) -> float:
        told = compared(FACES["full"], PICTURES[2:])
        scores = np.array([best, best - apart])
        return float(face_posterior(replace(told, scores=scores, face=np.arange(2)))[1])

    assert other(high + more) < other(high)


def match_of(leads: np.ndarray) -> FineMatch:
    """Make a comparison in which the first face leads over each other as told."""
    k = len(leads)
    apart = np.full((k, k), 0.04)
    misfit = np.full((k, k), 0.02)
    misfit[0] = 0.0
    misfit[:, 0] = leads * 0.04
    zeros = np.zeros(k)
    ink = np.full((k, 2), 0.02)
    return FineMatch(apart, misfit, np.full(k, 0.8), zeros, zeros, zeros, ink)


@LAW
@given(st.lists(st.floats(0.05, 1.0), min_size=1, max_size=5), st.floats(0.0, 0.5))
def test_chances_add_up_and_a_longer_lead_is_surer(leads, more):
    k = len(leads) + 1
    near = FaceComparison(
        np.full(k, 0.8), np.arange(k), np.arange(k), match_of(np.array([0, *leads]))
    )
    far = FaceComparison(
        np.full(k, 0.8), np.arange(k), np.arange(k), match_of(np.array([0, *leads]) + more)
    )
    one, other = face_posterior(near), face_posterior(far)
    assert one.sum() <= 1
    assert (one >= 0).all()
    assert one.argmax() == 0
    assert other[0] >= one[0] - 1e-12


@LAW
@given(
    st.lists(st.floats(0.05, 1.0), min_size=1, max_size=5),
    st.lists(st.floats(0.0, 0.5), min_size=6, max_size=6),
)
def test_a_picture_that_may_be_wrong_shortens_leads_and_turns_none(leads, unsure):
    k = len(leads) + 1
    told = FaceComparison(
        np.full(k, 0.8), np.arange(k), np.arange(k), match_of(np.array([0, *leads]))
    )
    before = amplitude_leads(told)[1]
    after = amplitude_leads(replace(told, unsure=np.array(unsure[:k])))[1]
    assert (np.sign(after) == np.sign(before)).all()
    assert (np.abs(after) <= np.abs(before) + 1e-12).all()
    similarity = replace(told, unsure=np.full(1, PosteriorSettings().similar_unsure))
    assert amplitude_leads(similarity)[1] == pytest.approx(before)
    assert face_posterior(similarity).sum() >= face_posterior(told).sum() - 1e-12


@LAW
@given(
    st.floats(-0.2, 1.0),
    st.tuples(st.floats(0.0, 0.5), st.floats(0.0, 0.5)),
    st.floats(0.0, 0.5),
    st.tuples(st.floats(0.0, 0.3), st.floats(0.0, 0.3)),
    st.floats(0.0, 1.0),
)
def test_what_fits_worse_is_no_surer_of_the_deck(similarity, ink, less, more, off):
    """Whatever fits worse: the likeness, ink beyond the face, ink it lacks, or the hues."""
    told = replace(match_of(np.zeros(1)), similarity=np.array([similarity]), ink=np.array([ink]))
    worse = replace(
        told, similarity=told.similarity - less, ink=told.ink + more, hue=told.hue + off
    )
    alone = np.zeros(1, np.int64)
    sure, unsure = (
        float(face_posterior(FaceComparison(np.full(1, 0.8), alone, alone, of))[0])
        for of in (told, worse)
    )
    assert unsure <= sure + 1e-12


# Dark art in two inks, as the ships of two teams are.
INKS = ((200, 130, 40), (70, 160, 60))


def ship(ink: tuple[int, int, int]) -> np.ndarray:
    """Draw a ship of an ink on black, in a white border."""
    face = np.full((*SIZE_WH[::-1], 3), 255, np.uint8)
    w, h = SIZE_WH
    cv2.rectangle(face, (12, 12), (w - 13, h - 13), ink, -1)
    cv2.rectangle(face, (18, 18), (w - 19, h - 19), (8, 6, 6), -1)
    hull = [(w // 2, 50), (w // 2 + 60, h // 2 + 70), (w // 2, h - 110), (w // 2 - 60, h // 2 + 70)]
    cv2.fillPoly(face, [np.array(hull, np.int32)], ink)
    cv2.circle(face, (w // 2, h // 2), 16, (235, 235, 235), -1)
    cv2.line(face, (w // 2 + 20, h // 2), (w - 40, 60), (60, 60, 220), 4)
    return face


SHIPS = [fine_match_face(ship(ink), GRID) for ink in INKS]


def veiled(picture: np.ndarray, veil: float) -> np.ndarray:
    """Lay light of a strength over a picture, as a sleeve or a lamp does: black is gray then."""
    return np.asarray(picture + veil * (255.0 - picture), np.uint8)


@LAW
@given(st.sampled_from(range(2)), st.floats(0.0, 0.3), st.floats(0.5, 1.0), washes)
def test_a_ship_is_one_of_its_ink_beneath_a_veil(truth, veil, gain, wash):
    card = lit(veiled(ship(INKS[truth]), veil), gain, wash)
    assert face_posterior(compared(card, SHIPS))[truth] > NAMED_FOR_SURE


@pytest.mark.parametrize("truth", range(2))
def test_a_veil_is_no_difference_of_the_print(truth):
    told = compared(veiled(ship(INKS[truth]), 0.15), SHIPS).amplitude
    assert np.sqrt(told.misfit[truth, 1 - truth]) < VEILED_MISFIT


@LAW
@given(st.sampled_from(range(2)), st.floats(0.0, 0.3), st.floats(0.5, 1.0), washes)
def test_a_ship_whose_twin_in_another_ink_alone_is_known_is_doubted(truth, veil, gain, wash):
    card = lit(veiled(ship(INKS[truth]), veil), gain, wash)
    assert face_posterior(compared(card, [SHIPS[1 - truth]])).max() < DOUBTED


def test_hues_that_neither_card_nor_face_has_differ_by_nothing():
    gray = [np.repeat(ship(ink)[..., :1], 3, axis=2) for ink in INKS]
    told = compared(gray[0], [fine_match_face(face, GRID) for face in gray])
    assert told.amplitude.hue == pytest.approx(np.zeros(2), abs=1e-6)


def test_of_several_pictures_of_a_face_the_best_counts():
    dull = lit(FACES["empty"], 0.9, (0.5, 0.5))  # a picture that was taken half in shadow
    pictures = [*PICTURES, fine_match_face(dull, GRID)]
    told = compared(FACES["empty"], pictures)
    several = FaceComparison(told.scores, np.array([0, 1, 2, 0]), told.near, told.amplitude)
    faces, leads = amplitude_leads(several)
    assert faces.tolist() == [0, 1, 2]
    assert leads[0].max() == pytest.approx(leads[0, 2])
    posterior = face_posterior(several)
    assert posterior[3] == 0
    assert posterior[0] > SURE


def test_a_face_that_a_half_turn_leaves_alone_is_known_by_amplitude():
    lopsided = FACES["empty"].copy()
    cv2.circle(lopsided, (126, 60), 30, (60, 120, 40), -1)
    lit_face = lit(shifted(FACES["striped"], 0.02, 0.01), 0.9, (0.1, 0.1))  # cut and lit unevenly
    close = FineComparer(index_pictures(bank_of({"lopsided": lopsided, "striped": lit_face})))
    assert not close.is_symmetric(0)
    assert close.is_symmetric(1)


def without(absent: str) -> list[FineMatchFace]:
    """Return the pictures of a deck that lacks a face."""
    return [fine_match_face(face, GRID) for fill, face in FACES.items() if fill != absent]


@LAW
@given(st.sampled_from(FILLS), st.floats(0.45, 1.0), washes, shares, shares)
def test_a_card_whose_twins_alone_are_known_is_named_as_neither_for_sure(fill, gain, wash, dx, dy):
    card = lit(shifted(FACES[fill], dx, dy), gain, wash)
    assert face_posterior(compared(card, without(fill))).max() < NAMED_FOR_SURE


@LAW
@given(st.sampled_from(range(3)), st.floats(0.45, 1.0), washes, shares, shares)
def test_its_own_signs_are_filled_as_they_are(truth, gain, wash, dx, dy):
    card = lit(shifted(FACES[FILLS[truth]], dx, dy), gain, wash)
    told = compared(card).amplitude
    assert abs(told.darker[truth]) < FILL_NOISE + FILL_SHARE * told.depth[truth]


def half_in_shadow(picture: np.ndarray, edge_x: int, slant: float) -> np.ndarray:
    """Lay a shadow with a sharp edge over the left of a card, across its signs."""
    h, w = picture.shape[:2]
    x, y = np.meshgrid(np.arange(w), np.arange(h))
    return np.where((x < edge_x + slant * (y - h / 2))[..., None], picture // 2, picture)


@LAW
@given(st.sampled_from(range(3)), st.integers(80, 170), st.floats(-0.5, 0.5))
def test_a_shadow_whose_edge_crosses_signs_fills_none(truth, edge_x, slant):
    told = compared(half_in_shadow(FACES[FILLS[truth]], edge_x, slant)).amplitude
    assert abs(told.darker[truth]) < FILL_NOISE + FILL_SHARE * told.depth[truth]


@LAW
@given(st.sampled_from(range(3)), shares, shares, shares)
def test_a_card_is_most_like_its_own_picture_however_that_was_cut(truth, growth, dx, dy):
    """Thin strokes lie beside those of a picture that was cut otherwise; broad fills hardly."""
    grown = cv2.getRotationMatrix2D((SIZE_WH[0] / 2, SIZE_WH[1] / 2), 0, 1 + growth)
    card = cv2.warpAffine(FACES[FILLS[truth]], grown, SIZE_WH, borderMode=cv2.BORDER_REPLICATE)
    assert compared(shifted(card, dx, dy)).amplitude.similarity.argmax() == truth


def test_it_is_told_which_of_two_fills_is_darker():
    darker = {fill: compared(FACES[fill]).amplitude.darker for fill in FILLS}
    assert darker["empty"][1] < -FILL_NOISE < FILL_NOISE < darker["striped"][0]
    assert darker["striped"][2] < -FILL_NOISE < FILL_NOISE < darker["full"][1]


def test_a_picture_without_paper_has_no_signs():
    art = np.random.default_rng(1).integers(0, 255, (11, 8, 3), dtype=np.uint8)
    assert fine_match_face(cv2.resize(art, SIZE_WH), GRID).signs is None


@st.composite
def tables_of(draw: st.DrawFn) -> np.ndarray:
    """Draw how likely up to 12 cards by themselves are each of two faces, or none."""
    rows = draw(st.lists(st.tuples(*[st.floats(0.01, 1.0)] * 3), min_size=1, max_size=12))
    weights = np.array(rows)
    return weights[:, :2] / weights.sum(axis=1, keepdims=True)


@LAW
@given(tables_of())
def test_other_cards_speak_for_what_a_card_shows_and_make_no_name_sure(alone):
    among = adjust_for_foreign(alone)
    assert (among >= alone - 1e-12).all()
    assert (among.argmax(axis=1) == alone.argmax(axis=1)).all()
    assert among[:, 0] * alone[:, 1] == pytest.approx(among[:, 1] * alone[:, 0])
    was_sure, is_sure = ((of.max(axis=1) >= NAMED_FOR_SURE) for of in (alone, among))
    assert not (is_sure & ~was_sure).any()


@LAW
@given(tables_of(), st.randoms(use_true_random=False))
def test_the_order_of_cards_changes_no_chance(alone, random):
    order = random.sample(range(len(alone)), len(alone))
    assert adjust_for_foreign(alone[order]) == pytest.approx(adjust_for_foreign(alone)[order])


def test_a_faded_card_is_named_among_others_and_not_alone():
    faded, sure, foreign = [0.4, 0.0], [0.0, 0.999], [0.0, 0.0]
    assert adjust_for_foreign(np.array([faded])) == pytest.approx(np.array([faded]))
    assert adjust_for_foreign(np.array([faded] + [sure] * 8))[0, 0] > 0.8
    among = adjust_for_foreign(np.array([faded, foreign] + [sure] * 8))
    assert 0.4 < among[0, 0] < adjust_for_foreign(np.array([faded] + [sure] * 8))[0, 0]
    assert among[1].max() == 0
    assert adjust_for_foreign(np.array([faded] + [foreign] * 8))[0, 0] == pytest.approx(0.4)


def test_an_outline_between_two_cards_that_it_crosses_is_helped_by_none():
    """Of a gap between cards: half of it lies on each, and it may be no card at all."""
    plain = PictureComparer(bank_of(FACES))
    width, height = plain.faces.size_mm
    poses = np.array(
        [[k * 1.2 * width, row * 1.2 * height, 0.0] for row in (0, 1) for k in (0, 1, 2)]
    )
    gap, faded = np.array([0.6 * width, 0.0, 0.0]), np.array([0.0, 2.4 * height, 0.0])
    each = [np.array([0.0, 0.999, 0.0])] * 6 + [np.array([0.4, 0.0, 0.0])] * 2
    alone = [FaceMatch(np.zeros((3, 2)), posterior=posterior) for posterior in each]
    among = plain.among(np.array([*poses, gap, faded]), alone)
    assert among[6].posterior == pytest.approx(each[6])
    assert among[7].posterior[0] > 0.6


@pytest.mark.parametrize("gain", [0.5, 0.8, 1.1])
@pytest.mark.parametrize("wash", [(0.0, 0.0), (0.2, -0.2), (-0.2, 0.2)])
def test_a_dark_face_with_few_marks_does_not_slide_off_its_own_card(gain, wash):
    """Registration that explains less than none is not kept: it would show ink where none is."""
    (night,) = draw_deck(1, first=12).values()
    picture = np.asarray(cv2.resize(night, SIZE_WH), np.uint8)
    match = compared(lit(picture, gain, wash), [fine_match_face(picture, GRID)]).amplitude
    assert match.similarity[0] > SURE
    assert match.ink[0, 0] < PosteriorSettings().most_ink
