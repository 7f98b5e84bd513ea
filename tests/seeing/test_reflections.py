"""A reflection that a card may lie in is told, however large and soft; a small one is not."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.seeing.tables import CARD_MM
from vision.geometry import photo_from_table
from vision.imaging.view import View
from vision.seeing.doubts.reflections import find_reflections
from vision.texts import make_issue, where_px

DARK, LIGHT = (45, 55, 80), (170, 180, 185)  # wood, and cloth that is half as light as paper
SOFT_MM = 12.0  # deviation of a reflection's edge: a third of a card's width is between


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


def told(photo, image, known, doubts=()):
    """Return the places told, of the cards of a photo those known that are named."""
    solution = replace(photo.solution, poses=photo.poses[known])
    found = find_reflections(View(image), 0, solution, CARD_MM, doubts)
    assert {(issue.code, issue.severity) for issue in found} <= {("glare_table", "doubt")}
    return [issue.at_px for issue in found]


@pytest.fixture(params=range(3))
def photo(request, show):
    return show(9, cloth_bgr=DARK, seed=request.param, tilt_deg=25.0, gap_mm=20.0)


def most_inner(photo) -> int:
    return int(
        np.linalg.norm(photo.poses[:, :2] - photo.poses[:, :2].mean(axis=0), axis=1).argmin()
    )


@pytest.mark.parametrize("radius_mm", [75.0, 120.0])
def test_what_may_hide_a_card_is_told_there(photo, radius_mm):
    lost = most_inner(photo)
    at_mm = photo.poses[lost, :2]
    known = [k for k in range(9) if k != lost]
    image = lit(photo, at_mm, radius_mm)
    (at_px,) = told(photo, image, known)
    (middle,) = photo_from_table(photo.camera, at_mm[None])
    edge = photo_from_table(photo.camera, at_mm[None] + [radius_mm, 0.0])[0]
    assert np.linalg.norm(at_px - middle) < np.linalg.norm(edge - middle)
    covered = make_issue("table_covered", "issue.table_covered", **where_px(*at_px))
    assert told(photo, image, known, [covered]) == []  # that says it already


def test_a_glow_smaller_than_a_card_and_none_at_all_are_not_told(photo):
    lost = most_inner(photo)
    known = [k for k in range(9) if k != lost]
    covered = photo.image.copy()
    card = np.rint(photo.corners_px()[lost]).astype(np.int32)
    cv2.fillConvexPoly(covered, card, DARK)
    bare = replace(photo, image=covered)
    assert told(bare, covered, known) == []
    assert told(bare, lit(bare, photo.poses[lost, :2], 20.0), known) == []


def test_light_cloth_is_not_told(show):
    photo = show(9, cloth_bgr=LIGHT, tilt_deg=25.0, gap_mm=20.0)
    lost = most_inner(photo)
    known = [k for k in range(9) if k != lost]
    assert told(photo, lit(photo, photo.poses[lost, :2], 100.0), known) == []
