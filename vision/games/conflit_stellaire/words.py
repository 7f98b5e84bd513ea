"""The words of the game: names of cards and seats, and doubts said in them."""

from importlib import resources

from vision.games.conflit_stellaire.values import Table
from vision.texts import issues_of
from vision.values.messages import Message, message

__all__ = ["TEXTS", "card_name", "doubt", "named"]

TEXTS = resources.files(__package__) / "texts"
doubt = issues_of(TEXTS)


def card_name(face: str) -> Message:
    """Return how a face is called."""
    return message(f"conflit.face.{face}")


def named(table: Table, name: str) -> Message | str:
    """Return how a ship or a card is called: a seat's flagship, or the face with its id."""
    if any(seat.id == name for seat in table.seats):
        return message("conflit.flagship", seat=name)
    face = next((card.face for card in table.cards if card.id == name), None)
    if face is None:
        return name
    return message("conflit.card", face=card_name(face), id=name)
