"""What decks and their cards may be called."""

from vision.errors import DeckError
from vision.games.light_speed.deck import list_decks
from vision.values.slugs import FIRST_OF_SLUG, PART_OF_SLUG, is_slug, slug_of

__all__ = ["CARD_NAME", "DECK_NAME", "card_id", "check_card_id", "check_name"]

_MOST = 61  # characters in the name of a deck
#: What a deck, and a card, may be called, as patterns in schemas; :func:`check_name` says more.
DECK_NAME = f"{FIRST_OF_SLUG}{PART_OF_SLUG}{{0,{_MOST - 1}}}"
CARD_NAME = f"{FIRST_OF_SLUG}{PART_OF_SLUG}{{0,200}}"


def check_name(name: str) -> None:
    """Find out whether a learned deck may be called so.

    Raises
    ------
    DeckError
        If not; says why.
    """
    words = "-".join(word for word in name.split("-") if word)
    if len(name) > _MOST or name[:1] == "-" or not is_slug(words):
        could = slug_of(name)[:_MOST].strip("-")
        more = f", such as {could!r}" if could else ""
        msg = f"deck name {name[:80]!r}: needed lower case letters, digits and dashes{more}"
    elif name in list_decks():
        msg = f"deck name {name!r}: the deck of the program is called so; take another name"
    else:
        return
    raise DeckError(msg)


def card_id(text: str) -> str:
    """Turn what a card is called into an id; empty where no letter or digit is left."""
    return slug_of(text)


def check_card_id(card: str) -> None:
    """Find out whether a card may have an id.

    Raises
    ------
    DeckError
        If not.
    """
    if not is_slug(card) or card.startswith("unknown-"):
        msg = f"card id {card[:80]!r}: needed letters and digits with dashes, not 'unknown-…'"
        raise DeckError(msg)
