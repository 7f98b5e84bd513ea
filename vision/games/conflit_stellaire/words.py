"""The words of the game: names of cards and seats, and doubts said in them."""

from importlib import resources

from vision.games.conflit_stellaire.values import Deed, Table
from vision.texts import issues_of
from vision.values.messages import Message, message

__all__ = ["TEXTS", "card_name", "deed_words", "doubt", "named"]

TEXTS = resources.files(__package__) / "texts"
doubt = issues_of(TEXTS)


def card_name(face: str) -> Message:
    """Return how a face is called."""
    return message(f"conflit.face.{face}")


def deed_words(table: Table, deed: Deed) -> dict[str, Message | str]:
    """Return what is done, with what and at whom, as gaps of a sentence about a deed."""
    what = [named(table, name) for name in (deed.card, deed.ship, *deed.cards) if name is not None]
    return {
        "verb": message(f"conflit.do.{deed.do}"),
        "what": message("conflit.what", what=tuple(what)) if what else "",
        "at": "" if deed.at is None else message("conflit.at", ship=named(table, deed.at)),
    }


def named(table: Table, name: str) -> Message | str:
    """Return how a ship or a card is called: a seat's flagship, or the face with its id."""
    if any(seat.id == name for seat in table.seats):
        return message("conflit.flagship", seat=name)
    face = next((card.face for card in table.cards if card.id == name), None)
    if face is None:
        return name
    return message("conflit.card", face=card_name(face), id=name)
