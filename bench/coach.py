"""How long does the coach of Light Speed take? Hints and heat maps of random rounds.

The goal is 3 s a round on two cores. The law that each hint, played, gives what it says is a test.
"""

import statistics
import time
from argparse import Namespace

import numpy as np

from bench.common.record import Result, say
from bench.common.tables import Table
from tests.strategies import random_table
from vision.games.light_speed.coach import coach_round
from vision.games.light_speed.deck import card_ids, load_deck

SEED, COUNT = 42, 10
SIZES = {8: 350.0, 20: 350.0, 42: 600.0}  # cards, and how far from the middle they lie, mm


def run(options: Namespace) -> Result:
    """Time the coach on tables of three sizes."""
    deck = load_deck("light-speed")
    ids = [name for name in card_ids(deck) if "back" not in name]
    rng = np.random.default_rng(options.seed)
    coach_round(random_table(rng, ids, 6), deck)  # warm-up
    rows = []
    for cards, spread_mm in SIZES.items():
        clock, spent = [], []
        for _ in range(options.count):
            table = random_table(rng, ids, cards, spread_mm)
            begin, used = time.perf_counter(), time.process_time()
            coach_round(table, deck)
            clock.append(time.perf_counter() - begin)
            spent.append(time.process_time() - used)
        rows.append(
            (cards, statistics.median(clock), max(clock), statistics.median(spent), max(spent))
        )
        say(*rows[-1])
    columns = ("cards", "s, median", "s, most", "processor s, median", "processor s, most")
    return Result((Table("Coach", columns, tuple(rows)),))
