"""Changes by hand: each does what it says, and nothing else is touched."""

import math
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import LIGHT, tables
from vision.errors import TableFormatError
from vision.games.light_speed.corrections import edit
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.notation import format_table
from vision.games.light_speed.values import Deck, Ruling, TableObject, TableState
from vision.values.layout import PlacedCard

Change = dict[str, Any]
TEAMS = ("red", "green", "blue")
by_hand = partial(edit, deck=load_deck("light-speed"))
OUTLINE = [[0.0, 0.0], [9.0, 0.0], [9.0, 9.0]]


def identify(card: str, identity: str) -> Change:
    return {"kind": "identify", "card": card, "identity": identity}


def move(card: str, x_mm: float, y_mm: float) -> Change:
    return {"kind": "move", "card": card, "x_mm": x_mm, "y_mm": y_mm, "theta_deg": 0.0}


def withdraw(ship: str) -> Change:
    return {"kind": "withdraw", "ship": ship, "laser": 0}


@st.composite
def undone(draw: st.DrawFn) -> tuple[TableState, Deck, Change, Change]:
    """Return a change of a table, and the one that takes it back."""
    table, deck = draw(tables())
    there = [card.card_id for card in table.cards]
    free = [name for name in card_ids(deck) if name not in there]
    rule = {"kind": "ruling", "ship": "mug", "laser": 0, "target": None}
    options: list[tuple[Change, Change]] = []
    if not table.objects:
        marked = {"kind": "object", "id": "mug", "outline_mm": OUTLINE}
        options.append((marked, {"kind": "remove", "id": "mug"}))
    if free:
        added = {**move(draw(st.sampled_from(free)), 1.0, 2.0), "kind": "add"}
        options.append((added, {"kind": "remove", "id": added["card"]}))
    if there:
        card = draw(st.sampled_from(there))
        other = draw(st.sampled_from([*free, *there]))
        options.append((identify(card, other), identify(other, card)))
        options.append(({**rule, "ship": card}, withdraw(card)))
    change, back = draw(st.sampled_from(options)) if options else ({}, {})
    return table, deck, change, back


@LIGHT
@given(undone())
def test_another_change_takes_it_back(drawn: tuple[TableState, Deck, Change, Change]) -> None:
    table, deck, change, back = drawn
    if change:
        before = format_table(table)
        there = edit(table, change, deck)
        assert format_table(edit(there, back, deck)) == before
        assert format_table(table) == before  # and the table itself was left alone


@pytest.mark.parametrize("k", range(3))
def test_what_is_taken_away_leaves_the_others_in_order(k: int) -> None:
    """Of several cards, rulings and objects: their order is that in which they are told."""
    square = np.array([(0.0, 0.0), (9.0, 0.0), (9.0, 9.0)])
    table = TableState(
        tuple(PlacedCard(f"{team}-moth", 100.0 * n, 0, 0) for n, team in enumerate(TEAMS)),
        tuple(TableObject(f"rock-{n}", "asteroid", square + 50.0 * n) for n in range(3)),
        rulings=tuple(Ruling(f"{team}-moth", 0, None) for team in TEAMS),
    )
    ship, rock = f"{TEAMS[k]}-moth", f"rock-{k}"
    changes = [withdraw(ship), {"kind": "remove", "id": rock}, {"kind": "remove", "id": ship}]
    after = reduce(by_hand, changes, table)
    left = [n for n in range(3) if n != k]
    assert [card.card_id for card in after.cards] == [f"{TEAMS[n]}-moth" for n in left]
    assert [thing.id for thing in after.objects] == [f"rock-{n}" for n in left]
    assert list(after.rulings) == [table.rulings[n] for n in left]


def small() -> TableState:
    cards = (PlacedCard("red-moth", 0, 0, 0), PlacedCard("blue-moth", 100, 0, 0))
    return TableState(cards, rulings=(Ruling("red-moth", 0, "blue-moth"),))


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "remove", "id": "green-moth"},
        move("green-moth", 0, 0),
        identify("green-moth", "blue-ghost"),
        {**move("red-moth", 5, 5), "kind": "add"},
        withdraw("blue-moth"),
    ],
)
def test_what_cannot_be_done_is_refused(change: Change) -> None:
    with pytest.raises(TableFormatError, match=r"there is no|already"):
        by_hand(small(), change)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kind": "turn"}, r'kind: expected one of move, add, .*, set, got "turn"'),
        ({}, "kind: expected one of move.*got null"),
        ({"kind": "rules", "rules": {"pirates": True}}, r"rules\.pirates: unknown field"),
        ({"kind": "remove", "card": "red-moth"}, "card: unknown field; expected one of id"),
        (move("red-moth", math.inf, 0), "x_mm: expected a finite number"),
    ],
)
def test_a_change_of_another_form_is_told_by_its_field(change: Change, says: str) -> None:
    with pytest.raises(TableFormatError, match=says):
        by_hand(small(), change)


def test_a_ruling_follows_its_card() -> None:
    changes = [identify("red-moth", "green-moth"), identify("blue-moth", "red-moth")]
    table = reduce(by_hand, changes, small())
    assert table.rulings == (Ruling("green-moth", 0, "red-moth"),)


def test_correlations_follow_the_cards() -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(6, 6))
    joint = root @ root.T
    table = replace(small(), joint_covariance=joint)
    changed = [{**move("green-moth", 50, 50), "kind": "add"}, identify("red-moth", "red-ghost")]
    after = reduce(by_hand, changed, table)
    carried = after.joint_covariance
    assert np.array_equal(carried[:6, :6], joint)
    assert np.array_equal(carried[6:, 6:], after.cards[2].covariance)  # as a finger places it
    assert not carried[6:, :6].any()
    moved = by_hand(table, move("red-moth", 1, 2))
    assert np.array_equal(moved.joint_covariance[3:, 3:], joint[3:, 3:])
    assert np.array_equal(moved.joint_covariance[:3, :3], moved.cards[0].covariance)
    assert not moved.joint_covariance[:3, 3:].any()
