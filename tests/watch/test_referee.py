"""What is told about what was seen: no picture needed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.referee import referee_of
from vision.geometry import rotation
from vision.judging.game import Referee
from vision.seeing.cards.view_fusion import align_poses
from vision.seeing.values import FaceMatch
from vision.values.layout import identity_of
from vision.watch.cards import Bumped, Known, Laid, Moved, Removed, Unclear, apart
from vision.watch.referee import Moment, judge_sightings

DECK = load_deck("light-speed")
RULES = referee_of(DECK)
SIZE_MM = (DECK.width_mm, DECK.height_mm)
MATCH = FaceMatch(np.full((4, 2), 0.9))


def known(name: str, x: float = 0.0, y: float = 0.0, theta: float = 0.0, time_s: float = 0.0):
    pose = np.array([x, y, theta])
    return Known(name, -1 if identity_of(name) is None else 0, pose, pose, MATCH, time_s)


def judge(sightings, before, after, phase="playing", *, is_hard_stop=False, rules=RULES):
    moment = Moment(before, after, phase, is_hard_stop)
    return judge_sightings(sightings, moment, rules, SIZE_MM)


def codes(calls) -> list[str]:
    return [call.code for call in calls]


def test_counts():
    names = ["red-moth", "red-viper", "asteroid-1", "ship-back", "unknown-1", "blue-ghost"]
    assert RULES.count(names) == {"red": 2, "green": 0, "purple": 0, "blue": 1}


def test_the_tenth_card_is_stop():
    ships = [known(f"green-{ship.name}", 200.0 * k) for k, ship in enumerate(DECK.ships)]
    calls = judge((Laid(ships[-1]),), tuple(ships[:-1]), tuple(ships))
    assert codes(calls) == ["card_laid", "two_at_once", "all_laid"] or codes(calls) == [
        "card_laid",
        "all_laid",
        "two_at_once",
    ]
    assert calls[0].details["count"] == 10
    late = [known(card.name, *card.pose, time_s=3.0 * k) for k, card in enumerate(ships)]
    calls = judge((Laid(late[-1]),), tuple(late[:-1]), tuple(late))
    assert codes(calls) == ["card_laid", "all_laid"]
    assert calls[1].team == "green"


@given(
    begin_s=st.floats(0.0, 50.0),
    length_s=st.floats(0.6, 20.0),
    after_s=st.floats(0.0, 1.9),
    stopped_share=st.floats(0.0, 1.0),
)
def test_nobody_is_accused_of_what_came_in_a_gap(begin_s, length_s, after_s, stopped_share):
    end_s = begin_s + length_s
    cards = tuple(
        known(f"red-{k}", 200.0 * n, 0.0, 0.0, end_s + after_s) for n, k in enumerate("ab")
    )
    rules = Referee(("red",), {card.name: "red" for card in cards}, one_at_a_time=True)
    seen = tuple(map(Laid, cards))
    at_once = judge_sightings(seen, Moment((), cards, "playing"), rules, SIZE_MM)
    assert "two_at_once" in codes(at_once)
    stopped = ("stopped", True, begin_s + stopped_share * length_s + 1e-3)
    for how in (("playing",), stopped):
        moment = Moment((), cards, *how, gap_s=(begin_s, end_s))
        told = judge_sightings(seen, moment, rules, SIZE_MM)
        assert codes(told) == ["card_laid", "card_laid"]
    late = Moment((), cards, "stopped", True, begin_s - 1.0, (begin_s, end_s))
    assert codes(judge_sightings(seen, late, rules, SIZE_MM)).count("laid_after_stop") == 2


@pytest.mark.parametrize(
    ("gap_mm", "expected"),
    [
        (5.0, []),
        (0.6, []),
        (0.2, ["cards_touch"]),
        (-0.5, ["cards_touch"]),
        (-2.0, ["cards_overlap"]),
    ],
)
def test_contacts(gap_mm, expected):
    one, other = known("red-moth"), known("blue-ghost", 63.5 + gap_mm, time_s=9.0)
    calls = judge((Laid(other),), (one,), (one, other))
    assert codes(calls)[1:] == expected


def test_asteroids_may_lie_together():
    one, other = known("asteroid-1-back"), known("asteroid-2-back", 63.5, time_s=9.0)
    calls = judge((Laid(other),), (one,), (one, other))
    assert codes(calls) == ["card_laid"]


def test_after_the_verdict_cards_may_go():
    card = known("red-moth")
    gone = (Removed(card), Moved(card, 20.0, 3.0))
    assert judge(gone, (card,), (), "verdict") == ()
    assert codes(judge(gone, (card,), ())) == [
        "card_removed",
        "card_moved",
    ]


def test_after_stop_a_card_is_late():
    card = known("red-moth")
    calls = judge((Laid(card),), (), (card,), "stopped", is_hard_stop=True)
    assert codes(calls) == ["card_laid", "laid_after_stop"]


def test_doubts():
    strange = known("unknown-1")
    calls = judge((Laid(strange),), (), (strange,))
    assert codes(calls) == ["card_laid", "unreadable_card"]
    calls = judge((Laid(strange, "red-moth"),), (), (strange,))
    assert codes(calls) == ["card_laid", "duplicate_card"]
    calls = judge((Bumped(4.0, 3, 4), Unclear(0, 4)), (), ())
    assert [(call.code, call.severity) for call in calls] == [
        ("camera_moved", "doubt"),
        ("table_unclear", "doubt"),
    ]


POSES = st.lists(
    st.tuples(st.floats(-400, 400), st.floats(-400, 400), st.floats(-3, 3)),
    min_size=3,
    max_size=12,
    unique_by=lambda p: (round(p[0] / 80), round(p[1] / 80)),
)


@settings(max_examples=60, deadline=None)
@given(POSES, st.floats(-3, 3), st.floats(-200, 200), st.floats(-200, 200))
def test_a_rigid_motion_is_found(poses, turn, x, y):
    poses = np.array(poses)
    away = np.column_stack([poses[:, :2] @ rotation(turn).T + [x, y], poses[:, 2] + turn])
    motion, rest = align_poses(poses, away)
    assert rest.max() < 1e-6
    assert np.allclose(np.exp(1j * motion[0]), np.exp(1j * turn), atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(POSES.filter(lambda p: len(p) >= 6), st.floats(10, 80))
def test_one_moved_card_does_not_lead(poses, by_mm):
    poses = np.array(poses)
    away = poses.copy()
    away[0, 0] += by_mm
    _, rest = align_poses(poses, away)
    assert rest[0] == rest.max()
    assert rest[0] > 0.5 * by_mm


def test_apart():
    a, b = np.array([0, 0, 3.1]), np.array([3, 4, -3.1])
    assert apart(a, b) == apart(b, a)
    assert apart(a, b)[0] == pytest.approx(5)
    assert apart(a, b)[1] == pytest.approx(np.degrees(2 * np.pi - 6.2))


def test_without_rules_only_what_happened_is_told():
    one, other = known("red-moth"), known("blue-ghost", 1.0, time_s=9.0)
    calls = judge((Laid(other), Removed(one)), (one,), (one, other), rules=Referee())
    assert codes(calls) == ["card_laid", "card_removed"]
    assert calls[0].said.key == "watch.thing_laid"


def test_sides_that_lay_two_pieces_each():
    rules = Referee(("a", "b"), {"a1": "a", "a2": "a", "b1": "b"}, last_of_side=2)
    laid = (known("a1"), known("a2", 1.0))
    calls = judge((Laid(laid[1]),), laid[:1], laid, rules=rules)
    assert codes(calls) == ["card_laid", "all_laid"]
    assert calls[0].details["of"] == 2
    assert calls[1].team == "a"
