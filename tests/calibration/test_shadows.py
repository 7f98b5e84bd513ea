"""A card's shadow on one or two of its sides is no part of the card."""

from functools import lru_cache

import cv2
import numpy as np
import pytest

from calibration.drafts.draft import add_photo, new_draft
from calibration.drafts.odd_sizes import odd_sizes
from calibration.drafts.outlines import find_cards
from calibration.drafts.shadows import trim_shadows
from tests.learned import SIZE, draw_deck
from tests.synth import Scene, camera_for
from vision.geometry import photo_from_table
from vision.imaging.photo import Photo, encode_image
from vision.imaging.view import View
from vision.seeing.estimation.plane import PlaneSettings, camera_priors, solve_plane
from vision.values.layout import PlacedCard

CARD_MM = np.array([SIZE.width_mm, SIZE.height_mm])
PX_PER_MM = 8.0
BORDER_MM = 3.0
SHIFT_MM = np.array([1.3, 1.0])  # of the shadow: of a card that lies on a soft cloth, in low light
OFF_MM = 0.5  # a corner that is off by more follows something else
RIGHT = 10  # of 12 cards: on twelve such tables 64 of 72 are right, 5 before
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2


@lru_cache(maxsize=1)  # 130 MB
def cloth_of(seed):
    """Return a cloth (H, W, 3), where six cards lie on it (6, 4, 2), and a camera's noise."""
    rng = np.random.default_rng(seed)
    size = int(250 * PX_PER_MM), int(330 * PX_PER_MM), 3
    grain = cv2.GaussianBlur(rng.normal(0, 12, size).astype(np.float32), (0, 0), 1.5)
    picture = np.clip(rng.uniform(60, 150, 3).astype(np.float32) + grain, 0, 255)
    corners = []
    for k in range(6):
        middle = np.array([60 + 100 * (k % 3), 65 + 118 * (k // 3)]) * PX_PER_MM
        turn = rng.normal(0, 0.03)
        way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        at = middle + rng.normal(0, 2 * PX_PER_MM, 2) + CORNERS * CARD_MM * PX_PER_MM @ way
        corners.append(at)
    return picture, np.array(corners), rng.normal(0, 2, size).astype(np.float32)


def table(seed, dark, soft_mm=0.0, border=240):
    """Return a picture of six cards with a border and a shadow, and their corners (6, 4, 2)."""
    cloth, corners, noise = cloth_of(seed)
    shade = np.zeros(cloth.shape[:2], np.float32)
    for at in corners:
        fill(shade, at + SHIFT_MM * PX_PER_MM)
    if soft_mm:
        shade = cv2.GaussianBlur(shade, (0, 0), soft_mm * PX_PER_MM)
    picture = cloth * (1 - np.float32(dark) * shade)[..., None]
    for face, at in zip(draw_deck(6, 10 * seed).values(), corners, strict=True):
        h, w = face.shape[:2]
        inset = int(w * BORDER_MM / CARD_MM[0])
        card = np.full_like(face, border)
        card[inset:-inset, inset:-inset] = cv2.resize(face, (w - 2 * inset, h - 2 * inset))
        low = np.floor(at.min(axis=0)).astype(int) - 2
        width, height = np.ceil(at.max(axis=0)).astype(int) + 3 - low
        part = picture[low[1] : low[1] + height, low[0] : low[0] + width]
        ends = np.float32([[0, 0], [w, 0], [w, h], [0, h]]) - 0.5
        laid = cv2.getPerspectiveTransform(ends, (at - low).astype(np.float32))
        mask = np.zeros((height, width), np.float32)
        fill(mask, at - low)
        drawn = cv2.warpPerspective(card, laid, (width, height), flags=cv2.INTER_AREA)
        part += mask[..., None] * (drawn - part)
    picture = cv2.GaussianBlur(picture, (0, 0), 1.0) + noise
    return np.clip(picture, 0, 255).astype(np.uint8), corners


def fill(mask, corners):
    cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)


def errors_px(found, true):
    """Return how far off the worst corner of each outline (N, 4, 2) is from the card nearest."""
    middles = np.linalg.norm(found.mean(axis=1)[:, None] - true.mean(axis=1), axis=2)
    return np.linalg.norm(found - true[middles.argmin(axis=1)], axis=2).max(axis=1)


def test_cards_are_cut_at_their_edge_and_not_at_their_shadow():
    """Of 72 cards of such tables 67 were cut too large, most by 1.7 mm, without a doubt."""
    right = silent = 0
    for seed, dark, soft_mm in ((0, 0.35, 0.0), (1, 0.25, 0.4)):
        picture, true = table(seed, dark, soft_mm)
        laid_out = find_cards(Photo(picture), tuple(CARD_MM))
        is_right = errors_px(laid_out.corners_px, true) < OFF_MM * PX_PER_MM
        right += int(is_right.sum())
        silent += int((~is_right & ~laid_out.odd).sum())
    assert right >= RIGHT
    assert silent == 0  # seen: of 7 of 72 that were cut at the shadow 4 were told nowhere


@pytest.mark.parametrize("border", [240, 40])
@pytest.mark.parametrize("seed", range(3))
def test_outlines_of_cards_without_a_shadow_stay_as_they_are(seed, border):
    """A dark border is darker than the cloth on all four sides."""
    picture, true = table(seed, 0.0, border=border)
    trimmed, changed = trim_shadows(View(picture), true)
    assert not changed.any()
    np.testing.assert_allclose(trimmed, true, atol=1e-6)  # there and back between two scales


def test_who_learns_a_deck_is_told_of_cuts_at_a_shadow_and_of_no_other(tmp_path):
    """Three of the six cards of this table are cut at it."""
    picture, true = table(4, 0.35)
    found = find_cards(Photo(picture), tuple(CARD_MM)).corners_px
    draft = new_draft(tmp_path / "it", "shadows", tuple(CARD_MM))
    draft = add_photo(draft, Photo(picture), encode_image(picture, ".png"))
    is_off = errors_px(found, true) > OFF_MM * PX_PER_MM
    assert is_off.any()
    assert [card.doubts for card in draft.cards] == [("outline",) if k else () for k in is_off]


PHOTO_WH = (2600, 2000)
WIDER_MM = 1.4  # by a shadow on two neighbouring sides; seen: 1.0 to 2.1
NOISE_PX = 0.2  # of a corner: seen in drawn photos


@pytest.mark.parametrize("count", [4, 6, 12])
@pytest.mark.parametrize("seed", range(4))
def test_a_card_of_another_size_than_most_is_odd(count, seed):
    """With up to half of the cards cut too wide, each its own way: just those are told."""
    rng = np.random.default_rng([count, seed])
    wide = rng.permutation(count) < count // 2 - (count == 4)
    cards = np.array([laid(rng, k, wide[k]) for k in range(count)])
    places = tuple(PlacedCard("", *card.mean(axis=0), 0.0) for card in cards)
    camera = camera_for(Scene(places, size_wh=PHOTO_WH, tilt_deg=25.0, seed=seed))
    corners = photo_from_table(camera, cards.reshape(-1, 2)).reshape(-1, 4, 2)
    corners += rng.normal(0, NOISE_PX, corners.shape)
    odd = odd_sizes(plane_of, corners, tuple(CARD_MM))
    np.testing.assert_array_equal(odd, wide)


def plane_of(corners):
    settings = PlaneSettings()
    priors = camera_priors(PHOTO_WH, None, settings)
    found = solve_plane(corners, tuple(CARD_MM), priors, focal_known=False, settings=settings)
    return found.solution


def laid(rng, k, is_wide):
    """Return the corners (4, 2) of a card that lies in a row, mm; its cut wider on two sides."""
    corners = CORNERS * CARD_MM
    if is_wide:
        corners = corners + np.where(CORNERS > 0, WIDER_MM, 0) * rng.uniform(0.7, 1.5, 2)
    turn = rng.normal(0, 0.03)
    way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.array([80.0 * (k % 4), 105.0 * (k // 4)]) - [120, 100] + corners @ way


@pytest.mark.parametrize("count", [0, 1, 3])
def test_three_cards_tell_nothing_of_each_other(count):
    corners = np.array([laid(np.random.default_rng(k), k, k == 0) for k in range(count)])
    assert not odd_sizes(plane_of, corners.reshape(-1, 4, 2), tuple(CARD_MM)).any()
