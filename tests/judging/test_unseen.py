"""Places that hide something -> cards that may lie there, and how likely."""

import numpy as np
import pytest

from vision.judging.unseen import OUTLINE, WHITE, find_unseen
from vision.texts import make_issue
from vision.values.layout import Camera, Layout, Placed

SIZE = (63.5, 88.9)
CAMERA = Camera(np.eye(3), np.zeros(2), np.diag([2.0, 2.0, 1.0]))  # two pixels a millimetre


def layout(spread_mm: float, *codes: str) -> Layout:
    placed = tuple(
        Placed(str(k), f"card-{k}", x * spread_mm, y * spread_mm, 0.0, np.eye(3), np.zeros((4, 2)))
        for k, (x, y) in enumerate([(0, 0), (1, 0), (0, 1), (1, 1)])
    )
    doubts = tuple(make_issue(code, f"issue.{code}", x="120", y="80") for code in codes)
    return Layout(placed, np.eye(12), CAMERA, (1000, 1000), doubts)


@pytest.mark.parametrize(("code", "chance"), [("outline_unread", OUTLINE), ("glare_table", WHITE)])
def test_a_card_may_lie_where_an_issue_stands(code, chance):
    (one,) = find_unseen(layout(200, code), SIZE)
    assert (one.x_mm, one.y_mm) == pytest.approx((60, 40))
    assert one.at_px == (120, 80)
    assert one.chance == chance


def test_the_denser_cards_lie_the_likelier_a_hand_hides_one():
    told = [find_unseen(layout(mm, "table_covered"), SIZE)[0].chance for mm in (100, 200, 400)]
    assert sorted(told, reverse=True) == told
    assert 0 < told[-1] < told[0] < 1


def test_without_such_an_issue_nothing_lies_unseen():
    assert find_unseen(layout(200), SIZE) == ()
    note = make_issue("outline_unread", "issue.outline_unread", (), "note", x="1", y="2")
    assert find_unseen(Layout((), np.eye(0), CAMERA, (10, 10), (note,)), SIZE) == ()
