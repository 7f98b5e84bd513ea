"""Rounds told in full: a table in notation, then the account that must come of it.

``python -m tests.games.light_speed.test_cases`` writes the accounts anew, to be read like code.
"""

from pathlib import Path

import pytest

from tests.told import account as told_lines
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.notation import parse_table
from vision.games.light_speed.resolve import resolve

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
RULER = "---\n"


def account(notation: str) -> str:
    table = parse_table(notation)
    deck = load_deck(table.deck)
    lines = told_lines(table, deck, resolve(table, deck))
    return "".join(f"{line}\n" for line in lines)


def test_there_are_cases():
    assert len(CASES) > 20


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_the_round_goes_as_told(path):
    notation, _, expected = path.read_text(encoding="utf-8").partition(RULER)
    assert account(notation) == expected


if __name__ == "__main__":
    for case in CASES:
        told = case.read_text(encoding="utf-8").partition(RULER)[0]
        case.write_text(told + RULER + account(told), encoding="utf-8")
