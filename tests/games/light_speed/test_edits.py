"""Edits: every one can be undone, and nothing else is touched."""

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import LIGHT, objects, poses, rule_options, tables
from vision.games.light_speed.deck import card_ids
from vision.games.light_speed.edits import (
    AddCard,
    AddObject,
    Change,
    Decide,
    Identify,
    MoveCard,
    RemoveCard,
    RemoveObject,
    SetRules,
    Withdraw,
    edit,
    inverse,
)
from vision.games.light_speed.notation import format_table
from vision.games.light_speed.roster import call_roll
from vision.games.light_speed.values import Deck, Ruling, TableObject, TableState
from vision.values.layout import PlacedCard

TEAMS = ("red", "green", "blue")


@st.composite
def rulings(draw: st.DrawFn, table: TableState, deck: Deck) -> Ruling | None:
    ships = call_roll(table, deck).ships
    lasers = [(s, k) for s, (_, ship) in ships.items() for k in range(len(ship.lasers))]
    if not lasers:
        return None
    ship, laser = draw(st.sampled_from(lasers))
    target = draw(st.sampled_from([None, *(i for i in card_ids(deck) if i != ship)]))
    return Ruling(ship, laser, target, target is not None and draw(st.booleans()))


@st.composite
def changes(draw: st.DrawFn, table: TableState, deck: Deck) -> Change:
    """Return a change that can be made to a table."""
    there = [c.card_id for c in table.cards]
    free = [i for i in card_ids(deck) if i not in there]
    options: list[Change] = [SetRules(draw(rule_options()))]
    if free:
        card = PlacedCard(draw(st.sampled_from(free)), *draw(poses()))
        options.append(AddCard(card, draw(st.integers(0, len(there)) | st.none())))
    if there:
        card_id = draw(st.sampled_from(there))
        options += [RemoveCard(card_id), MoveCard(card_id, *draw(poses()))]
        options.append(Identify(card_id, draw(st.sampled_from([*free, card_id]))))
    ruling = draw(rulings(table, deck))
    if ruling is not None:
        options.append(Decide(ruling))
    options += [Withdraw(r.ship, r.laser) for r in table.rulings]
    options += [RemoveObject(thing.id) for thing in table.objects]
    options.append(AddObject(draw(objects("mug")), draw(st.sampled_from([0, None]))))
    return draw(st.sampled_from(options))


@st.composite
def edited(draw: st.DrawFn) -> tuple[TableState, Deck, Change]:
    table, deck = draw(tables())
    decided = {}
    for _ in range(draw(st.integers(0, 3))):
        ruling = draw(rulings(table, deck))
        if ruling is not None:
            decided[ruling.ship, ruling.laser] = ruling
    table = replace(table, rulings=tuple(decided.values()))
    return table, deck, draw(changes(table, deck))


@LIGHT
@given(edited())
def test_the_inverse_undoes(drawn: tuple[TableState, Deck, Change]) -> None:
    table, _, change = drawn
    before = format_table(table)
    there = edit(table, change)
    back = edit(there, inverse(table, change))
    assert format_table(back) == before
    assert format_table(table) == before  # and the table itself was left alone


@LIGHT
@given(edited())
def test_doing_it_again_after_undoing_gives_the_same(
    drawn: tuple[TableState, Deck, Change],
) -> None:
    table, _, change = drawn
    there = edit(table, change)
    undo = inverse(table, change)
    redo = inverse(there, undo)
    assert format_table(reduce(edit, [change, undo, redo], table)) == format_table(there)


@pytest.mark.parametrize("k", range(3))
def test_what_is_taken_away_comes_back_at_its_place(k: int) -> None:
    """Of several cards, rulings and objects: their order is that in which they are told."""
    square = np.array([(0.0, 0.0), (9.0, 0.0), (9.0, 9.0)])
    table = TableState(
        tuple(PlacedCard(f"{team}-moth", 100.0 * n, 0, 0) for n, team in enumerate(TEAMS)),
        tuple(TableObject(f"rock-{n}", "asteroid", square + 50.0 * n) for n in range(3)),
        rulings=tuple(Ruling(f"{team}-moth", 0, None) for team in TEAMS),
    )
    ship = f"{TEAMS[k]}-moth"
    for change in (RemoveCard(ship), Withdraw(ship, 0), RemoveObject(f"rock-{k}")):
        gone = edit(table, change)
        back = edit(gone, inverse(table, change))
        assert in_order(gone) != in_order(table) == in_order(back)
        assert in_order(edit(back, inverse(gone, inverse(table, change)))) == in_order(gone)


def in_order(table: TableState) -> tuple[list[object], ...]:
    things = [(thing.id, thing.outline_mm.tolist()) for thing in table.objects]
    return [card.card_id for card in table.cards], things, list(table.rulings)


def small() -> TableState:
    cards = (PlacedCard("red-moth", 0, 0, 0), PlacedCard("blue-moth", 100, 0, 0))
    return TableState(cards, rulings=(Ruling("red-moth", 0, "blue-moth"),))


@pytest.mark.parametrize(
    "change",
    [
        RemoveCard("green-moth"),
        MoveCard("green-moth", 0, 0, 0),
        Identify("green-moth", "purple-moth"),
        Identify("red-moth", "blue-moth"),
        AddCard(PlacedCard("red-moth", 5, 5, 0)),
        Withdraw("blue-moth", 0),
        RemoveObject("coaster"),
    ],
)
def test_what_cannot_be_done_is_refused(change: Change) -> None:
    with pytest.raises(ValueError, match=r"there is no|already"):
        edit(small(), change)


def test_a_ruling_follows_its_card() -> None:
    changes = [Identify("red-moth", "green-moth"), Identify("blue-moth", "red-moth")]
    table = reduce(edit, changes, small())
    assert table.rulings == (Ruling("green-moth", 0, "red-moth"),)


@pytest.mark.parametrize("place", range(3))
def test_correlations_follow_the_cards(place: int) -> None:
    rng = np.random.default_rng(1)
    root = rng.normal(size=(6, 6))
    joint = root @ root.T
    table = replace(small(), joint_covariance=joint)
    more = PlacedCard("green-moth", 50, 50, 0, np.diag([1.0, 2.0, 3.0]))
    changed = [AddCard(more, place), Identify("red-moth", "purple-moth")]
    carried = reduce(edit, changed, table).joint_covariance
    own = np.arange(3 * place, 3 * place + 3)
    others = np.setdiff1d(np.arange(9), own)
    assert np.array_equal(carried[np.ix_(others, others)], joint)
    assert np.array_equal(carried[np.ix_(own, own)], np.diag([1.0, 2.0, 3.0]))
    assert not carried[np.ix_(own, others)].any()
    moved = edit(table, MoveCard("red-moth", 1, 2, 0)).joint_covariance
    assert np.array_equal(moved[3:, 3:], joint[3:, 3:])
    assert not moved[:3].any()  # laid by hand, and no covariance of its own
