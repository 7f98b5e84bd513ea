"""Things among the cards that could hide one are told; cards, counters and plain cloth are not."""

import cv2
import numpy as np
import pytest

from vision.imaging.view import View
from vision.seeing.doubts.cloth import find_obstacles

CARD_MM = (63.5, 88.9)


def gap_between(photo):
    """Return the place farthest from all cards among the middles of pairs, table frame."""
    xy = photo.poses[:, :2]
    middles = (xy[:, None] + xy[None]).reshape(-1, 2) / 2
    away = np.linalg.norm(middles[:, None] - xy[None], axis=2).min(axis=1)
    return middles[away.argmax()]


@pytest.mark.parametrize("cloth_bgr", [(70, 110, 60), (25, 20, 30), (225, 230, 235)])
def test_bare_cloth_and_cards_are_no_obstacle(show, cloth_bgr):
    photo = show(count=8, cloth_bgr=cloth_bgr)
    assert find_obstacles(View(photo.image), 0, photo.solution, CARD_MM) == ()


def test_a_thing_as_large_as_a_card_is_told_where_it_lies(show):
    bare = show(count=8, gap_mm=60.0)
    x, y = gap_between(bare)
    photo = show(count=8, gap_mm=60.0, covers=((x, y, 50.0),))
    (issue,) = find_obstacles(View(photo.image), 0, photo.solution, CARD_MM)
    assert (issue.code, issue.severity) == ("table_covered", "doubt")


@pytest.mark.parametrize("radius_mm", [8.0, 20.0])
def test_counters_and_dice_are_too_small_to_tell(show, radius_mm):
    x, y = gap_between(show(count=8, gap_mm=60.0))
    photo = show(count=8, gap_mm=60.0, covers=((x, y, radius_mm),))
    assert find_obstacles(View(photo.image), 0, photo.solution, CARD_MM) == ()


def test_an_arm_over_a_third_of_a_wooden_table_is_told(show):
    """Grain and the arm itself once passed for the spread of the cloth's own colour."""
    photo = show(count=8, gap_mm=60.0, cloth_bgr=(60, 70, 92))
    rng = np.random.default_rng(4)
    grain = rng.normal(0, 7, photo.image.shape[:2])[..., None] * [0.8, 1.0, 1.2]
    image = np.clip(photo.image + grain, 0, 255).astype(np.uint8)
    assert find_obstacles(View(image), 0, photo.solution, CARD_MM) == ()
    height, width = image.shape[:2]
    across = np.array([[0, 0.3], [1, 0.62], [1, 0.97], [0, 0.65]]) * [width, height]
    cv2.fillConvexPoly(image, across.astype(np.int32), (45, 140, 70))
    told = find_obstacles(View(image), 0, photo.solution, CARD_MM)
    assert [issue.code for issue in told] == ["table_covered"]
