"""Coach: whatever a hint says was worth points is worth them when it is played."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.strategies import random_table
from vision.games.light_speed.coach import Hint, Play, coach_round
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.values import Resolution, Ruling, TableState
from vision.judging.coach import MOST_HINTS
from vision.texts import LANGUAGES, texts

DECK = load_deck("light-speed")
IDS = [i for i in card_ids(DECK) if "back" not in i]
ROUNDS = 40
MOST_CARDS = 7  # a round costs in proportion to the square of its ships


def played(table: TableState) -> Resolution:
    return resolve(table, DECK, settings=JudgeSettings(odds=None))


def totals(table: TableState) -> dict[str, int]:
    return {team: score.total for team, score in played(table).scores.items()}


def lead(team: str, score: dict[str, int]) -> int:
    return score[team] - max((n for other, n in score.items() if other != team), default=0)


def hints_of(table: TableState) -> tuple[Hint, ...]:
    play = Play(table, DECK)
    return play.hints({ship: play.map(ship) for ship in play.roster.ships})


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


@pytest.mark.slow
def test_every_hint_is_worth_what_it_says_and_leaves_no_card_on_another():
    rng = np.random.default_rng(35)
    kinds = set()
    for _ in range(ROUNDS):
        table = random_table(rng, IDS, int(rng.integers(3, MOST_CARDS)))
        check_hints(table, kinds)
    assert kinds == {"turn", "push", "own_fire", "place"}


def test_hints_of_full_tables_are_worth_what_they_say():
    rng = np.random.default_rng(35)
    kinds = set()
    for cards in (9, 11, 14):
        check_hints(random_table(rng, IDS, cards), kinds)
    assert kinds == {"turn", "push", "own_fire", "place"}


def check_hints(table: TableState, kinds: set[str]) -> None:
    """Each hint of a table, played, gives the score that it says; its kind is added."""
    before = totals(table)
    hints = hints_of(table)
    for hint in hints:
        told = played(followed(table, hint))
        after = {team: score.total for team, score in told.scores.items()}
        assert after == hint.totals
        assert lead(hint.team, after) - lead(hint.team, before) == hint.worth > 0
        kinds.add(hint.kind)
        laid = {i.cards for i in told.issues if i.code in ("cards_overlap", "cards_touch")}
        if hint.kind != "own_fire":
            assert not any(hint.ship in cards for cards in laid)
    for team in before:
        mine = [hint.worth for hint in hints if hint.team == team]
        assert len(mine) <= MOST_HINTS
        assert mine == sorted(mine, reverse=True)


def test_advice_has_the_outline_and_the_worth_of_its_hint():
    """The outline that is drawn is that of the card as it was played."""
    table = random_table(np.random.default_rng(38), IDS, 9)
    hints, coaching = hints_of(table), coach_round(table, DECK)
    assert len(hints) == len(coaching.advice) > 2
    for hint, advice in zip(hints, coaching.advice, strict=True):
        assert (advice.side, advice.piece, advice.worth) == (hint.team, hint.ship, hint.worth)
        if hint.laser is not None:
            assert advice.outline_mm == ()
            continue
        card = next(c for c in followed(table, hint).cards if c.card_id == hint.ship)
        turn = np.array([[math.cos(card.theta_rad), math.sin(card.theta_rad)]])
        right = np.array(advice.outline_mm[1]) - np.array(advice.outline_mm[0])
        np.testing.assert_allclose(right, DECK.width_mm * turn[0], atol=1e-9)
        middle = np.mean(advice.outline_mm, axis=0)
        np.testing.assert_allclose(middle, [card.x_mm, card.y_mm], atol=1e-9)


def test_the_best_place_of_a_heat_map_is_the_best_place_of_its_hint():
    table = random_table(np.random.default_rng(39), IDS, 10)
    coaching = coach_round(table, DECK)
    assert {one.piece for one in coaching.maps} == {
        card.card_id for card in table.cards if "asteroid" not in card.card_id
    }
    places = [one for one in coaching.advice if one.kind == "place"]
    assert places
    for advice in places:
        heat = next(one for one in coaching.maps if one.piece == advice.piece)
        assert heat.most == advice.worth
        np.testing.assert_allclose(heat.best_mm, advice.outline_mm, atol=1e-9)
    for heat in coaching.maps:
        gained = Play(table, DECK).map(heat.piece)
        assert heat.most == max(0, gained.worth.max(initial=0))
        assert len(heat.best_mm) == (4 if heat.most else 0)


def test_one_side_is_told_its_own():
    coaching = coach_round(random_table(np.random.default_rng(40), IDS, 10), DECK)
    sides = {one.side for one in coaching.advice}
    assert len(sides) > 1
    for side in sides:
        own = coaching.of_side(side)
        assert {one.side for one in own.advice} == {one.side for one in own.maps} == {side}


def test_every_place_of_a_map_is_worth_what_it_says():
    rng = np.random.default_rng(36)
    table = random_table(rng, IDS, 10)
    ship = next(card.card_id for card in table.cards if "asteroid" not in card.card_id)
    worth = Play(table, DECK).map(ship)
    before, team = totals(table), ship.split("-")[0]
    for pose, said in list(zip(worth.poses.tolist(), worth.worth.tolist(), strict=True))[::7]:
        there = tuple(
            replace(c, x_mm=pose[0], y_mm=pose[1], theta_rad=pose[2]) if c.card_id == ship else c
            for c in table.cards
        )
        after = totals(replace(table, cards=there))
        assert lead(team, after) - lead(team, before) == said


def test_a_map_aims_at_the_enemy_and_not_at_ones_own():
    """Among two others, one of each side, the heading that is played at a place is no own kill."""
    text = "red moth @0,0 0deg\nred ghost @-220,0 0deg\nblue ghost @220,0 0deg\n"
    table = parse_table(text)
    worth = Play(table, DECK).map("red-moth")
    resting = lead("red", totals(table))
    assert resting == 0
    at_own, at_enemy = 0, 0
    for pose in worth.poses.tolist():
        there = tuple(
            replace(c, x_mm=pose[0], y_mm=pose[1], theta_rad=pose[2])
            if c.card_id == "red-moth"
            else c
            for c in table.cards
        )
        first = [
            shot.hit.card
            for step in played(replace(table, cards=there)).steps
            for shot in step.shots
            if shot.ship == "red-moth" and shot.hit is not None
        ]
        at_own += first.count("red-ghost")
        at_enemy += first.count("blue-ghost")
    assert at_enemy > 10 * at_own


def test_one_degree_that_was_worth_a_kill_is_found():
    """A moth that misses a moth by a little: the least turn tried that hits it is the hint."""
    muzzle = DECK.ships[0].lasers[0].muzzle_mm[0]
    beside = muzzle + DECK.width_mm / 2 + 2
    table = parse_table(f"red moth @0,0 0deg\nblue moth @{beside},-250 0deg\n")
    hints = [h for h in hints_of(table) if h.team == "red" and h.kind == "turn"]
    assert [h.ship for h in hints] == ["red-moth"]
    assert math.degrees(hints[0].turn_rad) == pytest.approx(0.5)
    assert hints[0].worth == 1


def test_a_ruling_holds_for_the_ships_that_do_not_move():
    muzzle = DECK.ships[0].lasers[0].muzzle_mm[0]
    text = f"red moth @0,0 0deg\nblue moth @{muzzle},-250 0deg\n"
    table = replace(parse_table(text), rulings=(Ruling("red-moth", 0, None),))
    assert totals(table)["red"] == 0
    hints = [h for h in hints_of(table) if h.team == "red" and h.ship == "red-moth"]
    assert all(totals(replace(followed(table, h), rulings=())) == h.totals for h in hints)


def test_nothing_is_said_where_nothing_would_have_been_better():
    assert hints_of(parse_table("red moth @0,0 0deg")) == ()
    empty = coach_round(parse_table("asteroid-1 @0,0 0deg"), DECK)
    assert (empty.advice, empty.maps, empty.hottest) == ((), (), None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_hints_are_said_in_every_language(language):
    game = LightSpeed(DECK)
    table = random_table(np.random.default_rng(37), IDS, 6)
    words = texts(language, game.texts)
    said = [words.tell(advice.said) for advice in game.coach(table)]
    assert said
    assert all("{" not in line for line in said)
