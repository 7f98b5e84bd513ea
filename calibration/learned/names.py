"""What decks and their cards may be called."""

from vision.errors import DeckError
from vision.games.light_speed.deck import list_decks
from vision.values.layout import identity_of
from vision.values.slugs import composed, is_slug, slug_of

__all__ = ["card_id", "check_card_id", "check_name", "clean_card_name", "clean_deck_name"]

_MOST = 61  # characters in the name of a deck


def check_name(name: str) -> None:
    """Check what a deck of one's own is to be called.

    Raises
    ------
    DeckError
        If not; says why.
    """
    if not _is_deck_name(name):
        could = slug_of(name)[:_MOST].strip("-")
        more = f", such as {could!r}" if could else ""
        msg = f"deck name {name[:80]!r}: needed lower case letters, digits and dashes{more}"
    elif name in list_decks():
        msg = f"deck name {name!r}: the deck of the program is called so; take another name"
    else:
        return
    raise DeckError(msg)


def clean_deck_name(name: str) -> str:
    """Return the name of a deck as it is kept: composed.

    Raises
    ------
    ValueError
        If no deck may have that name.
    """
    kept = composed(name)
    if not _is_deck_name(kept):
        msg = f"needed lower case letters, digits and dashes, at most {_MOST}"
        raise ValueError(msg)
    return kept


def clean_card_name(name: str) -> str:
    """Return the id of a card, or a part of one, as it is kept: composed.

    Raises
    ------
    ValueError
        If no card may have that id.
    """
    kept = composed(name)
    if not is_slug(kept):
        msg = "needed lower case letters and digits, with single dashes between"
        raise ValueError(msg)
    return kept


def card_id(text: str) -> str:
    """Turn what a card is called into an id; empty where no letter or digit is left."""
    return slug_of(text)


def check_card_id(card: str) -> None:
    """Check that a card may be called so in a deck of one's own.

    Raises
    ------
    DeckError
        If not.
    """
    if not is_slug(card) or identity_of(card) is None:
        msg = f"card id {card[:80]!r}: needed letters and digits with dashes, not 'unknown-…'"
        raise DeckError(msg)


def _is_deck_name(name: str) -> bool:
    """Tell whether a deck may be called so; dashes may stand side by side and at the end."""
    words = "-".join(word for word in name.split("-") if word)
    return len(name) <= _MOST and name[:1] != "-" and is_slug(words)
