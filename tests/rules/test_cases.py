"""Rounds told in full: a table in notation, then the account that must come of it.

``python -m tests.rules.test_cases`` writes the accounts anew, to be read like code.
"""

from pathlib import Path

import pytest

from vision.rules.account import account_lines
from vision.rules.deck import load_deck
from vision.rules.light_speed import resolve
from vision.rules.notation import parse_table

CASES = sorted((Path(__file__).parent / "cases").glob("*.txt"))
RULER = "---\n"


def account(notation: str) -> str:
    table = parse_table(notation)
    deck = load_deck(table.deck)
    lines = account_lines(table, deck, resolve(table, deck))
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
