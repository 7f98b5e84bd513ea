"""Table -> the pieces as they are shown all through a round."""

from vision.games.light_speed.deck import is_asteroid
from vision.games.light_speed.roster import is_face_down, is_unreadable, ships_of
from vision.games.light_speed.values import Deck, TableState
from vision.geometry import card_corners, table_from_card
from vision.values.layout import PlacedCard
from vision.values.ledger import PieceView
from vision.values.messages import Message, message

__all__ = ["view_pieces"]


def view_pieces(table: TableState, deck: Deck) -> tuple[PieceView, ...]:
    """Return the cards and objects of a table, in its order."""
    cards = tuple(_view_card(card, deck) for card in table.cards)
    return cards + tuple(
        PieceView(thing.id, "thing", thing.id, thing.outline_mm, label=thing.id)
        for thing in table.objects
    )


def _view_card(card: PlacedCard, deck: Deck) -> PieceView:
    name = card.card_id
    corners = card_corners(deck.width_mm, deck.height_mm)
    outline = table_from_card(corners, card.x_mm, card.y_mm, card.theta_rad)
    team, ship = ships_of(deck).get(name, (None, None))
    return PieceView(
        id=name,
        kind="card",
        title=message("piece.title", card=name),
        outline_mm=outline,
        label=_label(name) if ship is None else ship.name,
        side=team,
        number="" if ship is None else str(ship.speed),
        health=0 if ship is None else ship.health,
        is_known=ship is not None or is_asteroid(deck, name),
    )


def _label(name: str) -> Message | str:
    """Name a card that is no ship, in the few letters that have room on it."""
    if is_face_down(name):
        return message("picture.face_down")
    if is_unreadable(name):
        return message("picture.unread")
    kind, _, number = name.removesuffix("-back").partition("-")
    if kind == "asteroid" and number:
        return message("picture.asteroid", number=number)
    return name.replace("-", " ")
