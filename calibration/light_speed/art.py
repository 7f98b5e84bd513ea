"""A deck -> its art: every face, and the cards that are cut out."""

from functools import partial

from calibration.light_speed.faces import face_shapes
from calibration.printing import Art
from vision.games.light_speed.deck import SHIP_BACK, card_ids
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.values import Deck
from vision.values.pieces import Piece, PieceSet

__all__ = ["art_of", "deck_art"]


def art_of(game: LightSpeed) -> Art:
    """Return the art of a game's deck."""
    return deck_art(game.deck)


def deck_art(deck: Deck, *, backs: bool = False) -> Art:
    """Return the art of a deck.

    Cards are cut out with their fronts, asteroids with their backs too, which are played. With
    ``backs`` ships have theirs, for printing on both sides.
    """
    size = (deck.width_mm, deck.height_mm)
    ships = [f"{team}-{ship.name}" for team in deck.teams for ship in deck.ships]
    cards: list[tuple[str, tuple[str, ...]]]
    cards = [(ship, (ship, SHIP_BACK) if backs else (ship,)) for ship in ships]
    cards += [(rock, (rock, f"{rock}-back")) for rock in deck.asteroids]
    pieces = tuple(Piece(name, "card", size, sides=sides) for name, sides in cards)
    faces = dict.fromkeys(card_ids(deck), size)
    return Art(faces, PieceSet(deck.name, pieces), partial(face_shapes, deck))
