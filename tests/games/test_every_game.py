"""Laws of all games: what is written reads back, what each offers, the order of its sides."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.asteroyds_capture.cases import load_cases
from tests.games.asteroyds_capture.turns import random_table as asteroyds_table
from tests.games.conflit_stellaire.random_turns import random_table as conflit_table
from tests.games.conflit_stellaire.random_turns import with_doubts
from tests.games.laser_shield.test_laws import random_table as shield_table
from tests.strategies import random_table as light_speed_table
from vision.games.laser_shield.board import HEADINGS
from vision.games.laser_shield.values import PawnReading
from vision.games.laser_shield.values import Table as ShieldTable
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.values import RuleOptions, TableState
from vision.games.registry import find_game
from vision.judging.game import Game
from vision.values.verdict import judge

TURNS = 60
WRITTEN = 400  # tables that are written and read
GAMES = ("light-speed", "laser-shield", "asteroyds-capture", "conflit-stellaire")
#: What each game offers beside what every game must: pages, phones and watches ask for no more.
OFFERED = {
    "light-speed": (
        *("coach", "coaching", "edit", "foresee", "in_short", "lay", "list_pieces", "number_of"),
        *("read", "resolve", "restore", "settings", "shortfalls", "tell", "turn", "wanted"),
        *("write", "write_outcome"),
    ),
    "laser-shield": (
        *("accounted", "changes", "choices", "coach", "edit", "expect", "lay", "next_table"),
        *("order", "orders", "parties", "read", "resolve", "settings", "shortfalls", "spare"),
        *("standing", "tell", "write", "write_outcome"),
    ),
    "asteroyds-capture": (
        *("carried", "changes", "coach", "edit", "expect", "follow", "lay", "next_table", "order"),
        *("orders", "parties", "read", "resolve", "settings", "sheet", "shortfalls", "spare"),
        *("standing", "tell", "turn", "wanted", "write", "write_outcome"),
    ),
    "conflit-stellaire": (
        *("as_seen_by", "changes", "choices", "deck_to_json", "edit", "enlist", "enlisted"),
        *("heard", "in_short", "lay", "list_pieces", "next_table", "order", "orders", "parties"),
        *("rank", "read", "resolve", "services", "settings", "settings_of", "spare", "standing"),
        *("take_turn", "tell", "turns", "write", "write_outcome"),
    ),
}


@pytest.mark.parametrize("name", GAMES)
def test_what_a_game_offers(name):
    own = vars(type(find_game(name)))
    offered = {method for method in vars(Game) if not method.startswith("_") and method in own}
    offered = {method for method in offered if callable(getattr(find_game(name), method))}
    assert offered - {"options"} == set(OFFERED[name])


def worked(name: str) -> Iterator[Any]:
    """Go through the worked examples of a game's rules."""
    if name == "conflit-stellaire":
        yield from tables(name)
    elif name == "asteroyds-capture":
        yield from (find_game(name).read(text) for text, _ in load_cases().values())


def drawn(name: str) -> Iterator[Any]:
    """Draw tables that files can hold whole."""
    for seed in range(WRITTEN):
        rng = random.Random(seed)
        if name == "conflit-stellaire":
            table = with_doubts(rng, conflit_table(rng))
            answers = tuple(deed for deed in table.ripostes if deed.seat != table.active)
            yield replace(table, ripostes=answers)  # as text the active's deeds are declarations
        elif name == "laser-shield":
            pawns, orders, options = shield_table(rng)
            one, chance = pawns[0], rng.choice([1.0, 0.75])
            ways = ((one.heading, chance), (HEADINGS[HEADINGS.index(one.heading) - 1], 1 - chance))
            readings = tuple(PawnReading(one.square, way, p) for way, p in ways)
            given = {team: order for team, order in orders.items() if order is not None}
            yield ShieldTable((replace(one, readings=readings), *pawns[1:]), given, options)
        elif name == "asteroyds-capture":
            yield asteroyds_table(rng)
        else:
            ids = list(card_ids(load_deck(name)))
            yield light_speed_table(np.random.default_rng(seed), ids, 1 + seed % 24)


def notation_of(name: str) -> Any:
    return import_module(f"vision.games.{name.replace('-', '_')}.notation")


@pytest.mark.parametrize("name", GAMES)
def test_what_is_written_reads_back_from_files_and_from_text(name):
    game = find_game(name)
    as_text = notation_of(name).format_table
    for seed, table in enumerate(chain(worked(name), drawn(name))):
        for again in (game.read(json.dumps(game.write(table))), game.read(as_text(table))):
            assert game.write(again) == game.write(table), seed
            assert name == "light-speed" or again == table, seed  # with arrays: a law of its own


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("word", ["jeu", "Jeu"])
def test_the_first_line_may_name_the_game_in_french(name, word):
    game, table = find_game(name), next(drawn(name))
    rest = notation_of(name).format_table(table).removeprefix(f"game {name}\n")
    assert game.write(game.read(f"{word} {name}\n{rest}")) == game.write(table)


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


@pytest.mark.parametrize("name", GAMES)
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
