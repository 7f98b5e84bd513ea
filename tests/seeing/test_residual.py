"""What nothing explains is told once where it lies; cards, counters and bare cloth are not."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.seeing.tables import CARD_MM
from vision.geometry import card_corners, photo_from_table, table_from_card, table_from_photo
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.detector import build_detector
from vision.seeing.reading import read_layout
from vision.seeing.residual import find_unexplained, report_unexplained
from vision.seeing.scene import rectify_table, scene_of

GREEN, DARK, WOOD, WHITE = (70, 110, 60), (25, 20, 30), (60, 70, 92), (225, 230, 235)
ACROSS_MM = (35.0, 40.0)  # from the upper of two cards to the lower
SOFT_MM = 12.0  # deviation of a reflection's edge: a third of a card's width is between


def regions(photo, image=None, known=None):
    """Return what nothing explains, the cards of a photo known but for those left out."""
    at = photo.corners_px() if known is None else photo.corners_px()[known]
    outlines = [table_from_photo(photo.camera, corners) for corners in at]
    view = View(photo.image if image is None else image)
    return find_unexplained(
        scene_of(rectify_table(view, photo.camera, outlines, CARD_MM), outlines), CARD_MM
    )


def is_on(region, photo, place: int) -> bool:
    """Tell whether a region lies on a card: either has its middle in the other."""
    card = photo.corners_px()[place]
    middle = table_from_photo(photo.camera, card).mean(axis=0)
    hull = region.hull_mm.astype(np.float32)
    return (
        cv2.pointPolygonTest(card.astype(np.float32), region.at_px.tolist(), False) >= 0
        or cv2.pointPolygonTest(hull, middle.tolist(), False) >= 0
    )


def gap_between(photo):
    """Return the place farthest from all cards among the middles of pairs, table frame."""
    xy = photo.poses[:, :2]
    middles = (xy[:, None] + xy[None]).reshape(-1, 2) / 2
    away = np.linalg.norm(middles[:, None] - xy[None], axis=2).min(axis=1)
    return middles[away.argmax()]


def whitened(photo, pose, *, shape_mm=CARD_MM, both=True, blur_px=1.0):
    """Return a photo with a card at a pose, and another that overlaps it, all white."""
    mask = np.zeros(photo.image.shape[:2], np.uint8)
    for shift in ((0.0, 0.0), ACROSS_MM)[: 1 + both]:
        on_card = card_corners(*shape_mm) + shift
        at_px = photo_from_table(photo.camera, table_from_card(on_card, *pose))
        cv2.fillConvexPoly(mask, np.rint(at_px).astype(np.int32), 255)
    light = cv2.GaussianBlur(mask, (0, 0), blur_px)[..., None] / 255
    return np.rint(photo.image * (1 - light) + 253 * light).astype(np.uint8)


def plaid(show, **scene):
    """Return a photo of cards on a cloth of dark squares."""
    first, second = (show(8, cloth_bgr=bgr, **scene) for bgr in ((95, 60, 45), (40, 45, 110)))
    squares = np.add(*np.indices(first.image.shape[:2]) // 24) % 2
    return replace(first, image=np.where(squares[..., None], first.image, second.image))


def lit(photo, at_mm, radius_mm):
    """Return a photo with a reflection round a place of the table."""
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    round_mm = at_mm + radius_mm * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    at_px = photo_from_table(photo.camera, round_mm)
    mask = np.zeros(photo.image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(at_px).astype(np.int32), 255)
    px_per_mm = np.linalg.norm(at_px[0] - at_px[24]) / (2 * radius_mm)
    light = cv2.GaussianBlur(mask, (0, 0), SOFT_MM * px_per_mm)[..., None] / 255
    return np.rint(photo.image * (1 - light) + 232 * light).astype(np.uint8)


@pytest.mark.parametrize("cloth_bgr", [GREEN, DARK, WOOD, WHITE])
@pytest.mark.parametrize("seed", range(2))
def test_each_card_that_is_left_out_is_told_and_no_other_place(show, cloth_bgr, seed):
    """The law of the residual: labels cost nothing, any photo whose cards are known will do."""
    photo = show(8, cloth_bgr=cloth_bgr, seed=seed)
    assert regions(photo) == ()
    for place in range(8):
        known = [k for k in range(8) if k != place]
        (region,) = regions(photo, known=known)
        assert is_on(region, photo, place)
        assert region.is_among or region.is_like_card


def test_a_patterned_cloth_is_bare(show):
    assert regions(plaid(show)) == ()


@pytest.mark.parametrize("radius_mm", [8.0, 20.0])
def test_counters_and_dice_are_too_small_to_hide_a_card(show, radius_mm):
    x, y = gap_between(show(count=8, gap_mm=60.0))
    assert regions(show(count=8, gap_mm=60.0, covers=((x, y, radius_mm),))) == ()


def test_a_thing_as_large_as_a_card_is_told_where_it_lies(show):
    x, y = gap_between(show(count=8, gap_mm=60.0))
    photo = show(count=8, gap_mm=60.0, covers=((x, y, 50.0),))
    (region,) = regions(photo)
    assert np.linalg.norm(region.at_mm - [x, y]) < 25.0  # half of its radius
    assert region.is_among
    assert not region.is_white


def test_an_arm_over_a_third_of_a_wooden_table_is_told(show):
    """Grain and the arm itself once passed for the spread of the cloth's own colour."""
    photo = show(count=8, gap_mm=60.0, cloth_bgr=WOOD)
    rng = np.random.default_rng(4)
    grain = rng.normal(0, 7, photo.image.shape[:2])[..., None] * [0.8, 1.0, 1.2]
    image = np.clip(photo.image + grain, 0, 255).astype(np.uint8)
    assert regions(photo, image) == ()
    height, width = image.shape[:2]
    across = np.array([[0, 0.3], [1, 0.62], [1, 0.97], [0, 0.65]]) * [width, height]
    cv2.fillConvexPoly(image, across.astype(np.int32), (45, 140, 70))
    assert any(region.is_among for region in regions(photo, image))


@pytest.mark.parametrize("seed", range(4))
def test_a_card_that_is_all_white_is_told_on_a_pattern_too(show, seed):
    photo = plaid(show, seed=seed)
    image = whitened(photo, photo.poses[3], both=False)
    (region,) = regions(photo, image, [0, 1, 2, 4, 5, 6, 7])
    assert is_on(region, photo, 3)
    assert region.is_white
    assert regions(photo, image) == ()  # it was read, or is told as a card that was not


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("radius_mm", [75.0, 120.0])
def test_a_reflection_that_may_hide_a_card_is_told_however_soft(show, seed, radius_mm):
    photo = show(9, cloth_bgr=(45, 55, 80), seed=seed, tilt_deg=25.0, gap_mm=20.0)
    inner = np.linalg.norm(photo.poses[:, :2] - photo.poses[:, :2].mean(axis=0), axis=1)
    lost = int(inner.argmin())
    known = [k for k in range(9) if k != lost]
    found = regions(photo, lit(photo, photo.poses[lost, :2], radius_mm), known)
    (region,) = [one for one in found if one.is_white]
    assert np.linalg.norm(region.at_mm - photo.poses[lost, :2]) < radius_mm
    covered = photo.image.copy()
    cv2.fillConvexPoly(covered, np.rint(photo.corners_px()[lost]).astype(np.int32), (45, 55, 80))
    assert regions(photo, covered, known) == ()
    small = lit(replace(photo, image=covered), photo.poses[lost, :2], 20.0)
    assert regions(photo, small, known) == ()


@pytest.mark.parametrize("seed", [0, 1])
def test_of_two_white_cards_with_soft_edges_the_second_is_told_too(show, bank, seed):
    """One is found by its corners or its outline; of the other nothing was said."""
    photo = plaid(show, seed=seed, gap_mm=60.0, spread=140.0)
    image = whitened(photo, photo.poses[3], blur_px=6.0)
    seen = read_layout(Photo(image, None), build_detector(bank))
    (issue,) = [doubt for doubt in seen.doubts if doubt.code == "glare_table"]
    x, y = np.rint(issue.at_px).astype(int)
    assert (image[y, x] > 240).all()
    bare = read_layout(Photo(photo.image, None), build_detector(bank))
    assert "glare_table" not in {doubt.code for doubt in bare.doubts}


def told_of_covered(show, bank, cover):
    """Return where something is told on a table whose last card something is drawn onto."""
    photo = show(8)
    image = photo.image.copy()
    layout = read_layout(Photo(image), build_detector(bank))
    cover(image, photo)
    assert all(one.identity for one in layout.placed)
    again = report_unexplained(View(image), replace(layout, doubts=()), bank)
    return [doubt.code for doubt in again.doubts]


def lay_on_last(image, photo, outline_mm, tones):
    """Fill an outline (N, 2), in the frame of the last card, in the photo."""
    at_px = photo_from_table(photo.camera, table_from_card(outline_mm, *photo.poses[-1]))
    cv2.fillPoly(image, [np.rint(at_px).astype(np.int32)], tones)


def test_a_card_that_lies_on_a_known_one_is_told(show, bank):
    """What a known card does not show is not explained by it (issue 37)."""

    shift = np.array([18.0, 0.0])

    def strip(image, photo):
        for width, height, tones in ((22.0, 86.0, (252, 252, 252)), (14.0, 78.0, (30, 20, 110))):
            lay_on_last(image, photo, card_corners(width, height) + shift, tones)

    assert len(told_of_covered(show, bank, strip)) == 1


def test_counters_and_shade_on_a_known_card_are_not(show, bank):
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    disc = np.stack([np.cos(turn), np.sin(turn)], axis=1)

    def counters(image, photo):
        for x, y in ((-12.0, -15.0), (8.0, -2.0), (-8.0, 14.0)):
            lay_on_last(image, photo, 10.0 * disc + [x, y], (150, 190, 215))

    def shade(image, photo):
        at_px = photo_from_table(photo.camera, photo.poses[-1:, :2])[0]
        image[:, : int(at_px[0])] = image[:, : int(at_px[0])] // 2

    assert told_of_covered(show, bank, counters) == []
    assert told_of_covered(show, bank, shade) == []
