"""Coach: whatever a hint says was worth points is worth them when it is played."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.strategies import random_table
from vision.games.light_speed.coach import Hint, advise, find_hints, map_worth
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.values import Ruling, TableState
from vision.texts import LANGUAGES, texts

DECK = load_deck("light-speed")
IDS = [i for i in card_ids(DECK) if "back" not in i]
ROUNDS = 8  # on which hints of all four kinds are found


def totals(table: TableState) -> dict[str, int]:
    played = resolve(table, DECK, settings=JudgeSettings(odds=None))
    return {team: score.total for team, score in played.scores.items()}


def lead(team: str, score: dict[str, int]) -> int:
    return score[team] - max((n for other, n in score.items() if other != team), default=0)


def followed(table: TableState, hint: Hint) -> TableState:
    """The table as the hint would have it."""
    if hint.kind == "own_fire":
        assert hint.laser is not None
        return replace(table, rulings=(*table.rulings, Ruling(hint.ship, hint.laser, None)))
    cards = tuple(
        replace(
            card,
            x_mm=card.x_mm + hint.dx_mm,
            y_mm=card.y_mm + hint.dy_mm,
            theta_rad=card.theta_rad + hint.turn_rad,
        )
        if card.card_id == hint.ship
        else card
        for card in table.cards
    )
    return replace(table, cards=cards)


def test_every_hint_is_worth_what_it_says_and_leaves_no_card_on_another():
    rng = np.random.default_rng(35)
    kinds = set()
    for _ in range(ROUNDS):
        table = random_table(rng, IDS, int(rng.integers(4, 12)))
        before = totals(table)
        hints = find_hints(table, DECK)
        for hint in hints:
            after = totals(followed(table, hint))
            assert after == hint.totals
            assert lead(hint.team, after) - lead(hint.team, before) == hint.worth > 0
            kinds.add(hint.kind)
            overlap = resolve(followed(table, hint), DECK).issues
            laid = {i.cards for i in overlap if i.code in ("cards_overlap", "cards_touch")}
            if hint.kind != "own_fire":
                assert not any(hint.ship in cards for cards in laid)
        for team in before:
            mine = [hint.worth for hint in hints if hint.team == team]
            assert len(mine) <= 3
            assert mine == sorted(mine, reverse=True)
    assert kinds == {"turn", "push", "own_fire", "place"}


def test_every_place_of_a_map_is_worth_what_it_says():
    rng = np.random.default_rng(36)
    table = random_table(rng, IDS, 10)
    ship = next(card.card_id for card in table.cards if "asteroid" not in card.card_id)
    worth = map_worth(table, DECK, ship)
    before, team = totals(table), ship.split("-")[0]
    for pose, said in list(zip(worth.poses.tolist(), worth.worth.tolist(), strict=True))[::7]:
        there = tuple(
            replace(c, x_mm=pose[0], y_mm=pose[1], theta_rad=pose[2]) if c.card_id == ship else c
            for c in table.cards
        )
        after = totals(replace(table, cards=there))
        assert lead(team, after) - lead(team, before) == said


def test_one_degree_that_was_worth_a_kill_is_found():
    """A moth that misses a moth by a little: the least turn tried that hits it is the hint."""
    muzzle = DECK.ships[0].lasers[0].muzzle_mm[0]
    beside = muzzle + DECK.width_mm / 2 + 2
    table = parse_table(f"red moth @0,0 0deg\nblue moth @{beside},-250 0deg\n")
    hints = [h for h in find_hints(table, DECK) if h.team == "red" and h.kind == "turn"]
    assert [h.ship for h in hints] == ["red-moth"]
    assert math.degrees(hints[0].turn_rad) == pytest.approx(0.5)
    assert hints[0].worth == 1


def test_a_ruling_holds_for_the_ships_that_do_not_move():
    muzzle = DECK.ships[0].lasers[0].muzzle_mm[0]
    text = f"red moth @0,0 0deg\nblue moth @{muzzle},-250 0deg\n"
    table = replace(parse_table(text), rulings=(Ruling("red-moth", 0, None),))
    assert totals(table)["red"] == 0
    hints = [h for h in find_hints(table, DECK) if h.team == "red" and h.ship == "red-moth"]
    assert all(totals(replace(followed(table, h), rulings=())) == h.totals for h in hints)


def test_nothing_is_said_where_nothing_would_have_been_better():
    assert find_hints(parse_table("red moth @0,0 0deg"), DECK) == ()
    assert advise(parse_table("asteroid-1 @0,0 0deg"), DECK) == ()


def test_a_map_asks_for_a_ship_of_the_table():
    with pytest.raises(ValueError, match="blue-viper"):
        map_worth(parse_table("red moth @0,0 0deg"), DECK, "blue-viper")


@pytest.mark.parametrize("language", LANGUAGES)
def test_hints_are_said_in_every_language(language):
    game = LightSpeed(DECK)
    table = random_table(np.random.default_rng(37), IDS, 6)
    words = texts(language, game.texts)
    said = [words.tell(advice.said) for advice in game.coach(table)]
    assert said
    assert all("{" not in line for line in said)
