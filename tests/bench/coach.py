"""How long the coach of Light Speed takes: hints and heat maps of random rounds.

    python -m tests.bench.coach [--rounds 10] [--seed 42]

For tables of 8, 20 and 42 cards: seconds by the clock and of processor time, median and most. The
goal is 3 s a round on two cores.
"""

import argparse
import statistics
import time

import numpy as np

from tests.strategies import random_table
from vision.games.light_speed.advice import coach_round
from vision.games.light_speed.deck import card_ids, load_deck

SIZES = {8: 350.0, 20: 350.0, 42: 600.0}  # cards, and how far from the middle they lie, mm


def main() -> None:
    """Time the coach and print a line for each size of table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=42)
    asked = parser.parse_args()
    deck = load_deck("light-speed")
    ids = [name for name in card_ids(deck) if "back" not in name]
    rng = np.random.default_rng(asked.seed)
    coach_round(random_table(rng, ids, 6), deck)  # warm-up
    for cards, spread_mm in SIZES.items():
        clock, spent = [], []
        for _ in range(asked.rounds):
            table = random_table(rng, ids, cards, spread_mm)
            begin, used = time.perf_counter(), time.process_time()
            coach_round(table, deck)
            clock.append(time.perf_counter() - begin)
            spent.append(time.process_time() - used)
        print(
            f"{cards} cards: {statistics.median(clock):.2f} s (most {max(clock):.2f}), "
            f"of the processor {statistics.median(spent):.2f} s (most {max(spent):.2f})"
        )


if __name__ == "__main__":
    main()
