"""Cards all white in glare are told on any cloth; white cloth, glow, sheets and specks are not."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.doubts.white import find_white
from vision.seeing.reading import read_layout
from vision.seeing.sight import sight_of
from vision.texts import make_issue

CARD_MM = (63.5, 88.9)
ACROSS_MM = (35.0, 40.0)  # from the upper of two cards to the lower


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
    """Return a photo of cards on a cloth of dark squares, of whose colour nothing can be said."""
    first, second = (show(8, cloth_bgr=bgr, **scene) for bgr in ((95, 60, 45), (40, 45, 110)))
    squares = np.add(*np.indices(first.image.shape[:2]) // 24) % 2
    return replace(first, image=np.where(squares[..., None], first.image, second.image))


def told(photo, image, known=None, doubts=()):
    """Return the places told, the cards of a photo known but for those named."""
    poses = photo.poses if known is None else photo.poses[known]
    found = find_white(View(image), 0, replace(photo.solution, poses=poses), CARD_MM, doubts)
    assert {(issue.code, issue.severity) for issue in found} <= {("glare_table", "doubt")}
    return [issue.at_px for issue in found]


@pytest.mark.parametrize("seed", range(4))
def test_a_card_that_is_all_white_is_told_where_it_lies(show, seed):
    photo = plaid(show, seed=seed)
    image = whitened(photo, photo.poses[3], both=False)
    (at_px,) = told(photo, image, [0, 1, 2, 4, 5, 6, 7])
    card = photo.corners_px()[3].astype(np.float32)
    assert cv2.pointPolygonTest(card, at_px, measureDist=False) > 0
    assert told(photo, image) == []  # it was read, or is told as a card that was not


def test_two_white_cards_are_told_though_one_is(show):
    photo = plaid(show, gap_mm=60.0)
    image = whitened(photo, photo.poses[3])
    known = [0, 1, 2, 4, 5, 6, 7]
    (at_px,) = told(photo, image, known)
    x, y = at_px
    hidden = make_issue("card_hidden", "issue.card_hidden", (), "doubt", x=f"{x:.0f}", y=f"{y:.0f}")
    assert told(photo, image, known, [hidden]) == [at_px]
    assert told(photo, image, known, [hidden, hidden]) == []


@pytest.mark.parametrize("cloth_bgr", [(70, 110, 60), (25, 20, 30), (225, 230, 235)])
def test_no_cloth_is_a_card(show, cloth_bgr):
    photo = show(count=8, cloth_bgr=cloth_bgr)
    assert told(photo, photo.image) == []


@pytest.mark.parametrize(
    ("shape_mm", "blur_px"), [((25.0, 30.0), 1.0), ((180.0, 130.0), 1.0), (CARD_MM, 25.0)]
)
def test_specks_sheets_and_glow_are_no_cards(show, shape_mm, blur_px):
    photo = show(count=8, gap_mm=60.0)
    image = whitened(photo, photo.poses[3], shape_mm=shape_mm, both=False, blur_px=blur_px)
    known = [0, 1, 2, 4, 5, 6, 7]
    assert told(photo, image, known) == []


@pytest.mark.parametrize("seed", [0, 1])
def test_of_two_white_cards_with_soft_edges_the_second_is_told_too(show, bank, seed):
    """One is found by its corners or its outline; of the other nothing was said."""
    photo = plaid(show, seed=seed, gap_mm=60.0, spread=140.0)
    image = whitened(photo, photo.poses[3], blur_px=6.0)
    seen = read_layout(Photo(image, None), sight_of(bank))
    (issue,) = [doubt for doubt in seen.doubts if doubt.code == "glare_table"]
    x, y = np.rint(issue.at_px).astype(int)
    assert (image[y, x] > 240).all()
    bare = read_layout(Photo(photo.image, None), sight_of(bank))
    assert "glare_table" not in {doubt.code for doubt in bare.doubts}
