"""What is reported: believed cards upright in the table frame, and every doubt in words."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.seeing.tables import CARD_MM, rigidly_apart, table
from vision.geometry import card_corners
from vision.seeing.cards.report import RUNNERS_UP, report_cards
from vision.seeing.estimation.model import Solution, project, with_poses
from vision.seeing.values import FaceMatch, Identities, PoseEstimate
from vision.values.layout import Layout
from vision.values.pieces import Faces

SIZE_WH = (1280, 960)
PIXEL_TOL = 1e-6  # px; the same corners by way of another frame
IDS = ("red-moth", "blue-viper", "asteroid-1", "green-ghost", "purple-moth")
BANK = Faces(tuple((name,) for name in IDS), np.zeros((5, 8, 6, 3), np.uint8), 0.1, *CARD_MM)


def located(solution: Solution, sides: float | np.ndarray = 1.0) -> PoseEstimate:
    n = len(solution.poses)
    root = np.random.default_rng(0).normal(0, 0.05, (3 * n, 3 * n))
    each = np.asarray(sides, float)
    shares = each if each.ndim == 3 else np.broadcast_to(each.reshape(-1, 1, 1), (n, 2, 4))
    return PoseEstimate(solution, root @ root.T, shares, 0.1)


def match(
    face: int, score: float = 0.9, *, turned: bool = False, visible: float = 1.0
) -> FaceMatch:
    scores = np.full((5, 2), 0.1)
    scores[:, 0] += np.arange(5) / 100
    scores[face, int(turned)] = score
    return FaceMatch(scores, visible)


def report(
    solution: Solution,
    matches: Sequence[FaceMatch],
    face: Sequence[int],
    *,
    doubled: dict[int, int] | None = None,
    doubtful: tuple[int, ...] = (),
    sides: float | np.ndarray = 1.0,
) -> Layout:
    identities = Identities(tuple(face), doubled or {}, doubtful)
    return report_cards(located(solution, sides), matches, identities, BANK, SIZE_WH)[0]


def codes(found: Layout) -> list[tuple[str, tuple[str, ...], str]]:
    return [(i.code, i.cards, i.severity) for i in found.doubts]


def test_cards_come_in_the_order_of_their_names_whatever_the_order_of_the_places():
    here = table(4)
    order = np.array([2, 0, 3, 1])
    mixed = table(4)
    mixed = Solution(
        **{f: getattr(mixed, f) for f in Solution.__slots__} | {"poses": here.poses[order]}
    )
    one = report(here, [match(k) for k in range(4)], range(4))
    other = report(mixed, [match(int(k)) for k in order], order.tolist())
    names = [card.piece for card in one.placed]
    assert names == sorted(IDS[:4])
    assert [card.piece for card in other.placed] == names
    for a, b in zip(one.placed, other.placed, strict=True):
        assert (a.x_mm, a.y_mm, a.theta_rad) == pytest.approx((b.x_mm, b.y_mm, b.theta_rad))


def test_poses_are_those_located_and_corners_those_of_the_face():
    """A face seen upside down turns its card by half; its top left corner is the face's own."""
    here = table(3, tilt_deg=30.0, k1=-0.02)
    turned = (False, True, False)
    found = report(here, [match(k, turned=t) for k, t in enumerate(turned)], range(3))
    placed = {card.piece: k for k, card in enumerate(found.placed)}
    rows = [placed[IDS[k]] for k in range(3)]
    cards = found.placed
    poses = np.array([(cards[r].x_mm, cards[r].y_mm, cards[r].theta_rad) for r in rows])
    expected = here.poses + np.array([[0, 0, np.pi * t] for t in turned])
    assert rigidly_apart(poses, expected) == pytest.approx(0, abs=1e-9)
    for k, (row, t) in enumerate(zip(rows, turned, strict=True)):
        corners = project(here, np.full(4, k), card_corners(*CARD_MM))
        assert found.placed[row].outline_px == pytest.approx(
            np.roll(corners, 2 * t, axis=0), abs=PIXEL_TOL
        )


def test_each_cards_covariance_is_its_block_of_the_joint_one():
    found = report(table(4), [match(k) for k in range(4)], range(4))
    for k, card in enumerate(found.placed):
        block = found.joint_covariance[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
        assert np.array_equal(card.covariance, block)
    assert found.residual_px == 0.1


def test_what_else_a_card_may_be_comes_best_first():
    found = report(table(2), [match(0), match(1)], [0, 3])  # place 1 was settled by the others
    by_name = {card.piece: card for card in found.placed}
    assert by_name["green-ghost"].others[0].piece == "blue-viper"
    assert by_name["green-ghost"].score < by_name["green-ghost"].others[0].score
    scores = [other.score for other in by_name["red-moth"].others]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == RUNNERS_UP
    assert "red-moth" not in {other.piece for other in by_name["red-moth"].others}


def test_clear_cards_leave_nothing_to_say():
    assert report(table(4), [match(k) for k in range(4)], range(4)).doubts == ()


def test_a_card_without_a_name_is_kept():
    here = table(2)
    matches = [match(0), match(1, 0.15)]
    found = report(here, matches, [0, -1], sides=np.array([1.0, 0.3]))
    assert [card.piece for card in found.placed] == ["red-moth", "unknown-1"]
    assert codes(found) == [("unreadable_card", ("unknown-1",), "doubt")]
    assert found.placed[1].score == 0
    assert len(found.placed[1].others) == RUNNERS_UP + 1
    x, y = found.placed[1].outline_px.mean(axis=0)
    assert f"{x:.0f}, {y:.0f}" in found.doubts[0].message  # where to look


def test_a_poor_reading_without_sides_is_no_name():
    here = table(3)
    matches = [match(0), match(1, 0.40), match(2, 0.40)]
    found = report(here, matches, [0, 1, 2], sides=np.array([0.0, 0.0, 1.0]))
    assert [card.piece for card in found.placed] == ["asteroid-1", "red-moth", "unknown-1"]


@pytest.mark.parametrize(
    ("lead", "sides", "is_named"),
    [
        (0.2, np.full((2, 4), 0.37), False),  # 2.96 sides in all
        (0.2, np.full((2, 4), 0.39), True),  # 3.12
        (0.1, np.full((2, 4), 0.39), False),  # another face is nearly as like
        (0.1, np.array([[0.6] * 3 + [0.0], [0.0] * 4]), False),
        (0.1, np.array([[0.6] * 4, [0.0] * 4]), True),  # four whole sides
    ],
)
def test_a_poor_correlation_alone_needs_sides(lead, sides, is_named):
    here, poor = table(2), match(1, 0.40)
    poor.scores[2] = 0.40 - lead
    shares = np.stack([np.ones((2, 4)), sides])
    found = report(here, [match(0), poor], [0, 1], sides=shares)
    assert ("blue-viper" in [card.piece for card in found.placed]) == is_named
    told = replace(poor, posterior=np.array([0.0, 1.0, 0.0, 0.0, 0.0]))
    found = report(here, [match(0), told], [0, 1], sides=shares)
    assert "blue-viper" in [card.piece for card in found.placed]


def test_a_card_is_hidden_beneath_named_cards_alone():
    """What lies beneath a card that turned out to be none is told as an unread card."""
    beneath = replace(match(0, 0.1), hidden_by=(1,))
    assert len(report(table(3), [beneath, match(1), match(2)], [-1, 1, 2]).placed) == 2
    assert len(report(table(3), [beneath, match(1, 0.1), match(2)], [-1, -1, 2]).placed) == 3


@pytest.mark.parametrize(("share", "is_told"), [(0.77, True), (0.83, False)])
def test_an_unread_card_that_another_covers_by_four_fifths_is_that_card(share, is_told):
    here = table(2)
    poses = here.poses.copy()
    along = np.array([np.cos(poses[0, 2]), np.sin(poses[0, 2])])
    poses[1] = [*(poses[0, :2] + (1 - share) * CARD_MM[0] * along), poses[0, 2]]
    found = report(with_poses(here, poses), [match(0), match(1, 0.15)], [0, -1])
    assert ("unknown-1" in [card.piece for card in found.placed]) == is_told


@pytest.mark.parametrize(("lead", "is_doubted"), [(0.05, True), (0.07, False)])
def test_a_heading_with_little_lead_over_its_half_turn_is_in_doubt(lead, is_doubted):
    vague = match(1)
    vague.scores[1, 1] = vague.scores[1, 0] - lead
    told = codes(report(table(2), [match(0), vague], [0, 1]))
    assert bool(told) == is_doubted


def test_what_lies_under_a_named_card_is_not_another():
    here = table(2)
    on_top = here.poses.copy()
    on_top[1] = on_top[0] + [5.0, 5.0, 0.1]
    found = report(with_poses(here, on_top), [match(0), match(1, 0.15)], [0, -1])
    assert [card.piece for card in found.placed] == ["red-moth"]


def test_a_second_copy_stops_beams_and_is_told_with_its_twin():
    found = report(table(2), [match(0), match(0, 0.85)], [0, -1], doubled={1: 0})
    assert [card.piece for card in found.placed] == ["red-moth", "unknown-1"]
    assert codes(found) == [("duplicate_card", ("red-moth", "unknown-1"), "doubt")]


def test_a_doubtful_name_is_told_with_its_rival():
    found = report(table(2), [match(0), match(1)], [0, 1], doubtful=(1,))
    assert codes(found) == [("doubtful_card", ("blue-viper",), "doubt")]
    assert "purple-moth" in found.doubts[0].message  # the next best


def test_a_hidden_face_is_a_note():
    assert not codes(report(table(2), [match(0), match(1, visible=0.51)], [0, 1]))
    found = report(table(2), [match(0), match(1, visible=0.35)], [0, 1])
    assert codes(found) == [("card_covered", ("blue-viper",), "note")]
    assert "35%" in found.doubts[0].message.replace(" ", "")
    assert [card.visible for card in found.placed] == [0.35, 1.0]


def test_a_card_over_the_rim_of_the_picture_is_told():
    """Pixels reach half a pixel beyond their centres."""
    here = table(1, tilt_deg=0.0, roll_deg=0.0)
    corners = report(here, [match(0)], [0]).placed[0].outline_px
    for shift, expected in (((0.51, 0.0), True), ((0.49, 0.0), False), ((0.0, 0.51), True)):
        moved = here.centre_px - corners.min(axis=0) - shift
        found = report(replace(here, centre_px=moved), [match(0)], [0])
        assert (codes(found) == [("card_cut_off", ("red-moth",), "doubt")]) == expected
