"""Rounds told for the tests: the ledger in plain lines."""

from vision.games.light_speed.tell import tell
from vision.games.light_speed.values import Deck, Resolution, TableState
from vision.games.light_speed.words import words
from vision.showing.words import account_lines


def account(
    table: TableState, deck: Deck, resolution: Resolution, language: str = "en"
) -> list[str]:
    """Tell a whole round in words."""
    return account_lines(tell(table, deck, resolution), words(language))
