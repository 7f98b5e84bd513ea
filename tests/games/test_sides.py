"""Laws of all games: winners stand in the game's own order of sides."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.games.asteroyds_capture.turns import random_table as asteroyds_table
from tests.games.laser_shield.test_laws import random_table as shield_table
from tests.strategies import random_table as light_speed_table
from vision.games.laser_shield.values import Table as ShieldTable
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.values import RuleOptions, TableState
from vision.games.registry import find_game
from vision.values.verdict import judge

TURNS = 60


def tables(name: str):
    if name == "light-speed":
        deck, rng = load_deck(name), np.random.default_rng(4)
        for k in range(TURNS):
            teams = tuple(rng.permutation(deck.teams)) if k % 2 else None
            rules = RuleOptions(teams=teams) if k % 2 else RuleOptions()
            table = light_speed_table(rng, list(card_ids(deck)), 4 + k % 20)
            yield replace(TableState(table.cards), rules=rules)
    elif name == "laser-shield":
        for k in range(TURNS):
            pawns, orders, options = shield_table(random.Random(k))
            yield ShieldTable(pawns=tuple(pawns), orders=orders, options=options)
    elif name == "asteroyds-capture":
        for k in range(TURNS):
            yield asteroyds_table(random.Random(k))
    else:
        game = find_game(name)
        cases = Path(__file__).parent / "conflit_stellaire" / "golden.json"
        for case in json.loads(cases.read_text("utf-8")):
            yield game.read(json.dumps(case["table"]))


@pytest.mark.parametrize(
    "name", ["light-speed", "laser-shield", "asteroyds-capture", "conflit-stellaire"]
)
def test_winners_and_sides_stand_in_the_order_of_the_game(name):
    game = find_game(name)
    order = [side.id for side in game.sides]
    won = 0
    for table in tables(name):
        outcome = game.resolve(table)
        ledger = game.tell(table, outcome)
        told = [ledger.winners, [side.id for side in ledger.sides]]
        told += [winners for winners, _ in ledger.odds.winners] if ledger.odds else []
        for sides in told:
            assert list(sides) == [side for side in order if side in sides]
        over = judge(ledger, ledger.weigh(ledger.doubts))
        assert over.winners == (() if over.is_open else tuple(ledger.winners))
        won += bool(ledger.winners)
    assert won
