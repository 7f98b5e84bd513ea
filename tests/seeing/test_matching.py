"""Faces told apart: at every size, turn and light, and nothing else taken for one."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import LAW
from vision.geometry import card_corners, table_from_card
from vision.imaging.view import View
from vision.seeing.cards.face_matching import (
    FaceMatch,
    border_shares,
    bordered_quads,
    clearer_scores,
    match_cards,
    match_quads,
    pair_frames,
)
from vision.seeing.recognition.framed_faces import (
    WHITE_FLOOR,
    FaceIndex,
    compare,
    describe,
    index_faces,
    sample_colours,
    tint_of,
)
from vision.seeing.values import LEAST_LEAD, READ_SCORE
from vision.values.arrays import FloatArray, ImageBGR
from vision.values.pieces import Faces

SIZES_PX_PER_MM = (1.0, 1.4, 2.2, 4.0)  # a card 64 to 254 px wide
LIKE = 0.85  # of a face in good light, at 1 px/mm and more; the same at 4 px/mm: 0.98
UNLIKE = 0.25  # of anything that is no card: correlations of thousands of places, smoothed
LEAD = 0.15  # of the right face over any other, in good light
VISIBLE_TOL = 0.25  # of a card's face; half covered, a face may look like what covers it
TURN_TOL = 0.01  # of the right face's score: the same samples, weighted from the other end

CELL_MM = 112.0  # of the sheet: a card at any turn
COLUMNS = 9


class Sheet:
    """All faces on one sheet, each at its own turn, with exact places."""

    def __init__(self, bank: Faces, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        n = len(bank.images)
        cell = np.stack([np.arange(n) % COLUMNS, np.arange(n) // COLUMNS], axis=1)
        self.poses = np.column_stack([(cell + 0.5) * CELL_MM, rng.uniform(-np.pi, np.pi, n)])
        scale = bank.px_per_mm
        size = (int(COLUMNS * CELL_MM * scale), int(-(-n // COLUMNS) * CELL_MM * scale))
        self.full = np.full((size[1], size[0], 3), (60, 105, 55), np.uint8)
        for face, (x, y, theta) in zip(bank.images, self.poses, strict=True):
            c, s = np.cos(theta), np.sin(theta)
            turn = np.array([[c, -s], [s, c]])
            middle = (np.array(face.shape[1::-1]) - 1) / 2
            at = np.array([x, y]) * scale - 0.5
            cv2.warpAffine(
                face,
                np.column_stack([turn, at - turn @ middle]),
                size,
                dst=self.full,
                flags=cv2.INTER_CUBIC,
                borderMode=cv2.BORDER_TRANSPARENT,
            )
        self.scale = scale
        self._shrunk: dict[float, View] = {}

    def image(self, px_per_mm: float) -> ImageBGR:
        share = px_per_mm / self.scale
        size = (round(self.full.shape[1] * share), round(self.full.shape[0] * share))
        return np.asarray(cv2.resize(self.full, size, interpolation=cv2.INTER_AREA), np.uint8)

    def pyramid(self, px_per_mm: float) -> View:
        if px_per_mm not in self._shrunk:
            self._shrunk[px_per_mm] = View(self.image(px_per_mm))
        return self._shrunk[px_per_mm]

    def places_px(self, points_mm: FloatArray, px_per_mm: float, turn: float = 0.0) -> FloatArray:
        """Return card points (P, 2) of all cards in a picture (N, P, 2)."""
        on_sheet = [table_from_card(points_mm, x, y, t + turn) for x, y, t in self.poses]
        return np.array(on_sheet) * px_per_mm - 0.5


@pytest.fixture(scope="module")
def sheet(bank: Faces) -> Sheet:
    return Sheet(bank)


def match_sheet(sheet: Sheet, index: FaceIndex, image: ImageBGR | None = None) -> list[FaceMatch]:
    """Match all faces at 1.8 px/mm, in a changed picture of the sheet if there is one."""
    pyramid = sheet.pyramid(1.8) if image is None else View(image)
    return match_cards(pyramid, sheet.places_px(index.places_mm, 1.8), index)


# --- every face ------------------------------------------------------------------------------


@pytest.mark.parametrize("px_per_mm", SIZES_PX_PER_MM)
def test_every_face_is_known_at_every_size_and_turn(sheet, index, px_per_mm):
    places = sheet.places_px(index.places_mm, px_per_mm)
    matches = match_cards(sheet.pyramid(px_per_mm), places, index)
    assert [m.best for m in matches] == list(range(45))
    assert min(m.score for m in matches) > LIKE
    assert min(m.lead for m in matches) > LEAD
    assert not any(m.is_half_turned(m.best) for m in matches)
    assert min(m.visible for m in matches) > 0.95


def test_a_half_turn_is_told_and_does_not_cost(sheet, index):
    upright = match_sheet(sheet, index)
    places = sheet.places_px(index.places_mm, 1.8, turn=np.pi)
    turned = match_cards(sheet.pyramid(1.8), places, index)
    assert all(m.is_half_turned(m.best) for m in turned)
    for one, other in zip(upright, turned, strict=True):
        assert other.best == one.best
        assert other.score == pytest.approx(one.score, abs=TURN_TOL)
        assert other.lead == pytest.approx(one.lead, abs=0.05)
        assert other.visible == pytest.approx(one.visible, abs=0.05)


@pytest.mark.parametrize("rectangle", [0, 1], ids=["edge", "frame"])
def test_quadrilaterals_are_known_whatever_corner_comes_first(sheet, index, rectangle):
    """As the card's edge or its frame; what comes back is the card's own corners, upright."""
    n = len(sheet.poses)
    quads = sheet.places_px(card_corners(*index.rectangles_mm[rectangle]), 1.8)
    first = np.arange(n) % 4
    rolled = np.array([np.roll(quad, k, axis=0) for quad, k in zip(quads, first, strict=True)])
    corners, matches = match_quads(sheet.pyramid(1.8), rolled, index)
    assert [m.best for m in matches] == list(range(n))
    assert min(m.score for m in matches) > LIKE
    assert corners == pytest.approx(sheet.places_px(card_corners(*index.size_mm), 1.8), abs=1e-6)
    assert not any(m.is_half_turned(m.best) for m in matches)


def test_a_frame_inside_an_edge_is_the_same_card(sheet, index):
    """Twenty cards show both, the next ten their edge alone, the others their frame alone."""
    edges, frames = (
        sheet.places_px(card_corners(*size_mm), 1.8) for size_mm in index.rectangles_mm
    )
    seen = np.concatenate([frames[:20], edges[:30], np.roll(frames[30:], 1, axis=1)])
    kept, is_edge = pair_frames(seen, index)
    assert kept.tolist() == seen[20:].tolist()
    assert is_edge.tolist() == [True] * 20 + [False] * 25
    corners, matches = match_quads(sheet.pyramid(1.8), kept, index, is_edge)
    assert [m.best for m in matches] == list(range(45))
    assert corners == pytest.approx(edges, abs=1e-6)


def test_each_card_is_judged_by_itself(sheet, index):
    places = sheet.places_px(index.places_mm, 1.8)
    order = np.random.default_rng(0).permutation(45)
    together, mixed = (
        match_cards(sheet.pyramid(1.8), places[some], index) for some in (slice(None), order)
    )
    for k, i in enumerate(order):
        assert mixed[k].scores == pytest.approx(together[i].scores, abs=1e-5)
        assert mixed[k].visible == together[i].visible


# --- light -----------------------------------------------------------------------------------


def glare(shape: tuple[int, ...], strength: float) -> np.ndarray:
    """Return smooth veils (H, W, 1), one over each card, as a lamp leaves them."""
    y, x = np.mgrid[: shape[0], : shape[1]]
    cell = CELL_MM * 1.8
    away = np.hypot((x + 20) % cell - cell * 0.45, (y - 12) % cell - cell * 0.55)
    return (strength * np.exp(-((away / 60) ** 2)))[..., None]


LIGHTS = {
    "a veil of light": lambda image, rng: image * 0.75 + glare(image.shape, 60),
    "light from the side": lambda image, rng: (
        image * np.linspace(0.45, 1.0, image.shape[1])[:, None]
    ),
    "candle light": lambda image, rng: image * [0.45, 0.75, 1.0],
    "a blue evening": lambda image, rng: image * [1.0, 0.8, 0.65],
    "dusk": lambda image, rng: image * 0.3,
    "noise": lambda image, rng: image + rng.normal(0, 14, image.shape),
    "a soft lens": lambda image, rng: cv2.GaussianBlur(image.astype(np.float32), (0, 0), 1.4),
}


@pytest.mark.parametrize("name", LIGHTS)
def test_light_does_not_change_a_face(sheet, index, name):
    changed = LIGHTS[name](sheet.image(1.8), np.random.default_rng(0))
    image = np.clip(np.round(changed), 0, 255).astype(np.uint8)
    matches = match_sheet(sheet, index, image)
    assert [m.best for m in matches] == list(range(45))
    assert min(m.lead for m in matches) > 0.08
    assert min(m.score for m in matches) > 0.6


@settings(LAW, max_examples=20)
@given(st.floats(0.2, 1.0), st.lists(st.floats(0.5, 1.0), min_size=3, max_size=3))
def test_the_lights_strength_and_colour_go_exactly(index, strength, colour):
    """Features of any light are those of white light: both divide by the border."""
    rng = np.random.default_rng(0)
    colours = rng.uniform(60, 255, (1, len(index.places_mm), 3))
    floor = WHITE_FLOOR
    lit = colours * strength * np.array(colour)
    if np.median(lit[:, len(index.grid_mm) :], axis=1).min() <= floor:
        return
    single = 1e-5  # features are of single precision; white is 1
    assert describe(lit, index) == pytest.approx(describe(colours, index), abs=single)


def test_a_smooth_veil_changes_scores_little_and_contrast_not_at_all(index):
    """Added light that is even over a card goes with the neighbourhood's mean."""
    faces = index.features
    plain = compare(faces, index)
    veiled = faces.copy()
    veiled[..., 0] = 0.5 + 0.5 * veiled[..., 0]  # half the contrast, half white on top
    veiled[..., 1:] *= 0.5
    scores = compare(veiled, index)
    assert scores[np.arange(45), 0, np.arange(45)].min() > 0.97
    assert plain[np.arange(45), 0, np.arange(45)] == pytest.approx(1, abs=1e-5)


# --- what is no card -------------------------------------------------------------------------


def test_scores_lie_between_minus_one_and_one(sheet, index):
    rng = np.random.default_rng(1)
    wild = rng.normal(0, 3, (60, len(index.grid_mm), 3))
    for features in (wild, index.features, -index.features, np.zeros_like(wild)):
        scores = compare(features, index)
        assert np.abs(scores).max() <= 1 + 1e-5  # single precision
    for match in match_sheet(sheet, index, 255 - sheet.image(1.8)):
        assert np.abs(match.scores).max() <= 1


def cloths() -> dict[str, ImageBGR]:
    rng = np.random.default_rng(2)
    shape = (700, 900, 3)
    y, x = np.mgrid[:700, :900]
    stripes = np.where((x // 14 + y // 23) % 2, 200, 60)
    blobs = cv2.GaussianBlur(rng.normal(0, 1, shape).astype(np.float32), (0, 0), 6)
    return {
        "noise": rng.integers(0, 255, shape).astype(np.uint8),
        "check": np.repeat(stripes[..., None], 3, axis=2).astype(np.uint8),
        "blobs": np.clip(128 + 500 * blobs, 0, 255).astype(np.uint8),
        "plain": np.full(shape, 140, np.uint8),
        "slope": np.repeat((x * 255 // 900)[..., None], 3, axis=2).astype(np.uint8),
        "white paper with lines": np.where(y[..., None] % 20 < 3, 40, np.full(shape, 245)).astype(
            np.uint8
        ),
    }


@pytest.mark.parametrize("name", cloths())
def test_what_is_no_card_is_like_none(index, name):
    rng = np.random.default_rng(3)
    places = [
        table_from_card(index.places_mm, *rng.uniform(130, 260, 2), rng.uniform(-3, 3)) * 1.8
        for _ in range(40)
    ]
    matches = match_cards(View(cloths()[name]), np.array(places), index)
    assert max(m.score for m in matches) < UNLIKE


def test_a_card_that_is_not_of_the_deck_does_not_lead(sheet, bank, index):
    """With one ship left out of the bank, its cards are like others, but none leads as a match."""
    kept = [k for k, name in enumerate(bank.card_ids) if not name.endswith("-viper")]
    smaller = Faces(
        tuple(bank.names[k] for k in kept),
        bank.images[kept],
        bank.px_per_mm,
        bank.width_mm,
        bank.height_mm,
        bank.frames,
    )
    others = index_faces(smaller)
    matches = match_cards(sheet.pyramid(1.8), sheet.places_px(others.places_mm, 1.8), others)
    strange = [m for k, m in enumerate(matches) if k not in kept]
    known = [m for k, m in enumerate(matches) if k in kept]
    assert len(strange) == 4
    assert max(m.score for m in strange) < min(m.score for m in known) - 0.1


# --- covered cards ---------------------------------------------------------------------------


@pytest.mark.parametrize("covered", [0.0, 0.2, 0.4, 0.5])
def test_the_visible_share_is_what_shows(sheet, index, covered):
    """A grey board lies over the lower part of every face."""
    image = sheet.image(1.8)
    height = index.rectangles_mm[-1][1]
    top = height / 2 - covered * height
    board = np.array([[-40, top], [40, top], [40, 50], [-40, 50]])
    if covered:
        for corners in sheet.places_px(board, 1.8):
            cv2.fillPoly(image, [np.int32(np.round(corners))], (105, 110, 115))
    matches = match_sheet(sheet, index, image)
    assert [m.best for m in matches] == list(range(45))
    visible = np.array([m.visible for m in matches])
    assert np.median(visible) == pytest.approx(1 - covered, abs=0.02)
    assert visible == pytest.approx(1 - covered, abs=VISIBLE_TOL)


def test_counters_on_a_card_leave_its_name(sheet, index):
    image = sheet.image(1.8)
    for k, middle in enumerate(sheet.places_px(np.array([[4.0, -8], [-9, 12]]), 1.8)):
        for x, y in middle:
            cv2.circle(image, (int(x), int(y)), 20, [(30, 30, 220), (200, 160, 40)][k % 2], -1)
    matches = match_sheet(sheet, index, image)
    assert [m.best for m in matches] == list(range(45))
    assert max(m.visible for m in matches) < 0.9


# --- the rim and the tint --------------------------------------------------------------------


def test_the_rim_stands_out_where_there_is_a_card(sheet, index):
    here = border_shares(sheet.pyramid(1.8), sheet.places_px(index.rim_mm, 1.8), index)
    beside = sheet.places_px(index.rim_mm + np.array([0.0, 30.0]), 1.8)
    there = border_shares(sheet.pyramid(1.8), beside, index)
    assert here == pytest.approx(1, abs=1e-9)
    assert there.max() < 0.6
    image = sheet.image(1.8)
    for corners in sheet.places_px(np.array([[-40.0, 0], [40, 0], [40, 50], [-40, 50]]), 1.8):
        cv2.fillPoly(image, [np.int32(np.round(corners))], (105, 110, 115))
    half = border_shares(View(image), sheet.places_px(index.rim_mm, 1.8), index)
    assert half == pytest.approx(0.5, abs=0.1)  # of some 40 places round a card


def test_of_too_many_outlines_those_of_cards_are_compared(sheet, index):
    """Squares of a cloth, without end, have no white border round a darker frame."""
    cards = sheet.places_px(card_corners(*index.size_mm), 4.0)
    squares = np.array([[0, 0], [9, 0], [9, 9], [0, 9.0]]) + np.arange(300)[:, None, None]
    quads, view = np.concatenate([squares, cards]), sheet.pyramid(4.0)
    assert np.flatnonzero(bordered_quads(view, quads, index, len(cards))).min() >= len(squares)
    assert bordered_quads(view, quads, index).all()  # not too many


def test_the_tint_of_a_frame_is_its_teams_and_no_veil_changes_it(bank, index):
    teams = [name.split("-")[0] for name in bank.card_ids[:40]]
    tints = index.tints[:40]
    for team in set(teams):
        own = tints[[t == team for t in teams]]
        other = tints[[t != team for t in teams]]
        apart = np.linalg.norm(other[:, None] - own, axis=2).min()
        assert np.linalg.norm(own - own.mean(axis=0), axis=1).max() < apart / 3
    frame = index.features[7][index.frame_places]
    veiled = 0.6 * frame + [0.4, 0.0, 0.0]
    assert tint_of(veiled[None])[0] == pytest.approx(index.tints[7], abs=1e-9)


def test_a_hidden_frame_has_no_tint(index):
    frame = index.features[7][index.frame_places].copy()
    frame[: int(0.8 * len(frame))] = [1.0, 0.0, 0.0]  # white
    assert np.isnan(tint_of(frame[None])).all()


# --- the index and its parts -----------------------------------------------------------------


def test_the_grid_lies_inside_the_frame_and_the_border_outside(index):
    (w, h), (inner_w, inner_h) = index.rectangles_mm
    assert (np.abs(index.grid_mm) <= np.array([inner_w, inner_h]) / 2).all()
    assert index.grid_mm.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert len(index.grid_mm) == np.prod(index.shape_hw)
    beyond = np.abs(index.border_mm) - np.array([inner_w, inner_h]) / 2
    assert (beyond.max(axis=1) > 0).all()
    assert (np.abs(index.border_mm) < np.array([w, h]) / 2).all()
    apart = np.linalg.norm(index.border_mm - index.grid_mm[index.beside_border], axis=1)
    assert apart.max() < 4  # mm: the border's half and the grid's first mesh


def test_cards_are_sampled_where_they_are_in_the_level_that_suits_them(index):
    """A slope's value says which x was read; each halving rounds up by a quarter tone."""
    x = np.arange(1600) / 1600 * 255
    ramp = np.repeat(np.repeat(np.round(x).astype(np.uint8)[None, :, None], 800, 0), 3, 2)
    for scale in (1.0, 2.5, 6.0):
        at = index.places_mm[None] * scale + [800.0, 400.0]
        colours = sample_colours(View(ramp), at, index)
        expected = at[..., 0] / 1600 * 255
        assert colours[..., 0] == pytest.approx(expected, abs=1.3)


def test_places_outside_the_picture_are_black(index):
    white = np.full((300, 300, 3), 255, np.uint8)
    at = index.places_mm[None] + [150.0, 150.0]
    assert (sample_colours((white,), at, index) == 255).all()
    assert (sample_colours((white,), at + 1000, index) == 0).all()


@given(st.integers(1, 6), st.integers(0, 99))
def test_a_matchs_best_score_and_lead(k, seed):
    scores = np.random.default_rng(seed).uniform(-1, 1, (k, 2))
    match = FaceMatch(scores)
    assert match.score == scores.max()
    assert match.score == scores[match.best].max()
    others = np.delete(scores.max(axis=1), match.best)
    if k > 1:
        assert match.lead == pytest.approx(match.score - others.max())
        assert match.lead >= 0
    assert match.is_half_turned(match.best) == (scores[match.best].argmax() == 1)


@given(st.integers(2, 6), st.integers(0, 199))
def test_where_the_whole_and_what_shows_name_two_faces_neither_leads(k, seed):
    """Counters on a purple Viper once made a blue one of it, with a lead that nobody doubted."""
    rng = np.random.default_rng(seed)
    scores, uncovered = rng.uniform(-1, 1, (2, k, 2))
    whole, part, told = (
        FaceMatch(scores),
        FaceMatch(uncovered),
        FaceMatch(clearer_scores(scores, uncovered)),
    )
    assert told.score <= max(whole.score, part.score)
    clear = part.score > READ_SCORE and whole.score > READ_SCORE
    if whole.best == part.best or not clear:
        return
    if min(whole.lead, part.lead) > LEAST_LEAD:
        tops = np.sort(np.minimum(scores, uncovered).max(axis=1))
        assert told.lead == 0 or told.score == tops[-1]  # a third may be the best of both
        named = clearer_scores(scores, uncovered)[[whole.best, part.best]].max(axis=1)
        assert named[0] == pytest.approx(named[1])


def test_no_cards_no_matches(sheet, index):
    pyramid = sheet.pyramid(1.8)
    none = np.zeros((0, len(index.places_mm), 2))
    assert match_cards(pyramid, none, index) == []
    assert border_shares(pyramid, none[:, : len(index.rim_mm)], index).shape == (0,)
    corners, matches = match_quads(pyramid, np.zeros((0, 4, 2)), index)
    assert corners.shape == (0, 4, 2)
    assert matches == []
