"""The margin's law on the cards themselves: real cards are pushed, and whole rounds resolved.

The shots of the first step are asked, since what stands there is the same for all nudges.
"""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bench.reliability import lay_table
from tests.strategies import LAW, LIGHT
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.roster import find_pools
from vision.games.light_speed.values import Hit, Shot, TableState

DECK = load_deck("light-speed")
INSIDE, BEYOND_MM = 0.999, 1e-6
FAR_MM = 15.0  # a push carries the start along, a shifted beam starts elsewhere on its own card


def pushed(table: TableState, card: str, way_mm: np.ndarray) -> TableState:
    x, y = way_mm.tolist()
    cards = tuple(
        replace(c, x_mm=c.x_mm + x, y_mm=c.y_mm + y) if c.card_id == card else c
        for c in table.cards
    )
    return replace(table, cards=cards)


def side_of(shot: Shot) -> np.ndarray:
    way = np.array(shot.path_mm[1]) - shot.path_mm[0]
    way = way / np.hypot(*way)
    return np.array([-way[1], way[0]])


def outcome(table: TableState, hit: Hit | None) -> tuple[str | None, bool]:
    pool = {member: p.source for p in find_pools(table, DECK) for member in p.members}
    return (None, False) if hit is None else (pool.get(hit.card, hit.card), hit.shielded)


def shot_after(table: TableState, like: Shot) -> Shot:
    shots = resolve(table, DECK).steps[0].shots
    return next(s for s in shots if (s.ship, s.laser) == (like.ship, like.laser))


@LAW
@given(st.integers(0, 2**32 - 1), st.integers(8, 24))
def test_a_push_of_the_shooter_within_the_margin_changes_nothing(seed: int, cards: int) -> None:
    rng = np.random.default_rng(seed)
    table = lay_table(rng, DECK, cards)
    steps = resolve(table, DECK).steps
    for shot in steps[0].shots if steps else ():
        if np.hypot(*np.subtract(*shot.path_mm)) < 1:
            continue
        limit = INSIDE * min(shot.margin_mm, FAR_MM)
        for push in rng.uniform(-limit, limit, 3):
            after = shot_after(pushed(table, shot.ship, push * side_of(shot)), shot)
            assert outcome(table, after.hit) == outcome(table, shot.hit)


@LAW
@given(st.integers(0, 2**32 - 1), st.integers(8, 24))
def test_a_push_just_beyond_gives_the_outcome_named(seed: int, cards: int) -> None:
    rng = np.random.default_rng(seed)
    table = lay_table(rng, DECK, cards)
    steps = resolve(table, DECK).steps
    for shot in steps[0].shots if steps else ():
        near = shot.feature is not None and shot.feature.card != shot.ship
        if not near or shot.margin_mm > FAR_MM or np.hypot(*np.subtract(*shot.path_mm)) < 1:
            continue
        size = shot.margin_mm + BEYOND_MM
        ends = [
            outcome(
                table, shot_after(pushed(table, shot.ship, sign * size * side_of(shot)), shot).hit
            )
            for sign in (-1, 1)
        ]
        named = outcome(table, shot.margin_outcome)
        assert named in ends
        assert named != outcome(table, shot.hit)


@LIGHT
@given(st.integers(0, 2**32 - 1))
def test_a_push_of_the_only_other_card_is_a_push_of_the_shooter(seed: int) -> None:
    """With two cards on the table the target may be moved as well: only their distance counts."""
    rng = np.random.default_rng(seed)
    table = lay_table(rng, DECK, 2)
    steps = resolve(table, DECK).steps
    for shot in steps[0].shots if steps else ():
        if not 1e-3 < shot.margin_mm < FAR_MM or np.hypot(*np.subtract(*shot.path_mm)) < 1:
            continue
        other = next(c.card_id for c in table.cards if c.card_id != shot.ship)
        shares = rng.uniform(0, 1, 2)
        for size, sign in ((INSIDE, -1), (INSIDE, 1)):
            way = sign * size * shot.margin_mm * side_of(shot)
            both = pushed(table, shot.ship, shares[0] * way)
            both = pushed(both, other, (shares[0] - 1) * way)
            assert outcome(table, shot_after(both, shot).hit) == outcome(table, shot.hit)
