"""What decks and their cards may be called."""

import re

from vision.errors import DeckError
from vision.games.light_speed.deck import list_decks

__all__ = ["DECK_NAME", "card_id", "check_card_id", "check_name"]

#: What a deck may be called, as a pattern.
DECK_NAME = r"[a-z0-9][a-z0-9-]{0,60}"
_CARD = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST = 200  # of a card's id: file names have 255


def check_name(name: str) -> None:
    """Find out whether a learned deck may be called so.

    Raises
    ------
    DeckError
        If not; says why.
    """
    if not re.fullmatch(DECK_NAME, name):
        msg = f"deck name {name[:80]!r}: needed lower case letters, digits and dashes"
    elif name in list_decks():
        msg = f"deck name {name!r}: the deck of the program is called so; take another name"
    else:
        return
    raise DeckError(msg)


def card_id(text: str) -> str:
    """Turn what a card is called into an id; empty where no letter or digit is left."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def check_card_id(card: str) -> None:
    """Find out whether a card may have an id.

    Raises
    ------
    DeckError
        If not.
    """
    if len(card) > _LONGEST or not _CARD.fullmatch(card) or card.startswith("unknown-"):
        msg = f"card id {card[:80]!r}: needed letters and digits with dashes, not 'unknown-…'"
        raise DeckError(msg)
