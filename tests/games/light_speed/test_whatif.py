"""What if: the change found turns the round, a little less does not, and nothing smaller does."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.strategies import random_table
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import TableState
from vision.games.light_speed.whatif import Turn, find_turn, turn_lines

DECK = load_deck("light-speed")
LESS = 1 - 5e-5  # a change is shortened in four steps of 17: to one part in 83,521
GYRATION_MM = math.sqrt((DECK.width_mm**2 + DECK.height_mm**2) / 12)


def moved(table: TableState, card: str, move: np.ndarray) -> TableState:
    cards = tuple(
        replace(
            c,
            x_mm=c.x_mm + float(move[0]),
            y_mm=c.y_mm + float(move[1]),
            theta_rad=c.theta_rad + float(move[2]),
        )
        if c.card_id == card
        else c
        for c in table.cards
    )
    return replace(table, cards=cards)


def test_the_change_turns_the_round_and_less_does_not():
    rng = np.random.default_rng(2)
    ids = [i for i in card_ids(DECK) if "back" not in i and "purple" not in i]
    found = 0
    for _ in range(4):
        table = random_table(rng, ids, 12)
        turn = find_turn(table, DECK, tries=320)
        before = resolve(table, DECK).winners
        if turn is None:
            continue
        found += 1
        move = np.array([turn.dx_mm, turn.dy_mm, turn.turn_rad])
        assert turn.before == before
        after = resolve(moved(table, turn.card, move), DECK)
        assert after.winners == turn.winners != before
        assert {t: s.total for t, s in after.scores.items()} == turn.totals
        less = resolve(moved(table, turn.card, LESS * move), DECK)
        if turn.size_mm > 0.1:  # on a grid things touch: there the least touch turns it
            assert less.winners == before
        # and no smaller change of any card that chance can find
        for _ in range(30):
            card = table.cards[int(rng.integers(len(table.cards)))].card_id
            way = rng.standard_normal(3)
            way *= 0.98 * turn.size_mm * rng.random() / np.sqrt((way**2).sum())
            way[2] /= GYRATION_MM
            assert resolve(moved(table, card, way), DECK).winners == before
    assert found >= 2


def test_the_size_is_known_where_it_can_be_worked_out_by_hand():
    """A beam 2 mm beside a card: to turn the shooter costs least, for the farther corner."""
    muzzle = DECK.ships[0].lasers[0].muzzle_mm[0]
    table = parse_table(
        f"red moth @0,0 0deg\nblue moth @{muzzle + DECK.width_mm / 2 + 2},-120 0deg\n"
    )
    turn = find_turn(table, DECK)
    assert turn is not None
    arm_mm = 120 + DECK.height_mm / 2
    assert turn.size_mm == pytest.approx(2 / math.hypot(1, arm_mm / GYRATION_MM), rel=1e-3)
    assert turn.winners == ("red",)


def test_a_lone_team_cannot_lose():
    assert find_turn(parse_table("red moth @0,0 0deg\nred viper @0,-200 0deg"), DECK) is None


def test_it_is_told_in_both_languages():
    turn = Turn("red-viper", 1.5, -1.5, 0.02, 2.2, {"red": 3, "blue": 4}, ("blue",), ("red",))
    assert turn_lines(turn) == [
        "What if",
        "  Red Viper 2.1 mm up and to the right and turned 1.15° clockwise: "
        "Red 3 – Blue 4, Blue instead of Red",
    ]
    assert turn_lines(turn, "fr")[1].replace("\u00a0", " ") == (
        "  Red Viper 2,1 mm vers le haut et la droite et tourné de 1,15° dans le sens horaire : "
        "Rouge 3 – Bleu 4, Bleu au lieu de Rouge"
    )
    assert "60 mm" in turn_lines(None)[1]
