"""A deck -> the bank of faces that a scan compares its cards with."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.light_speed.faces import BORDER_MM, draw_face
from vision.games.light_speed.deck import card_ids, load_deck
from vision.games.light_speed.values import Deck
from vision.values.pieces import Faces, Frame

__all__ = ["build_bank", "has_all_cards", "kinds_of"]

_CORNER_RADIUS_MM = 0.0  # the cards of the print sheets are cut square
_ASTEROID = "asteroid"  # the kind of all of them


def build_bank(
    deck: Deck, px_per_mm: float = 4.0, images: NDArray[np.uint8] | None = None
) -> Faces:
    """Draw every face of a deck.

    Parameters
    ----------
    deck : Deck
        The deck.
    px_per_mm : float
        The scale of the faces; 4 px/mm is finer than a card in a photo of a whole table.
    images : (K, H, W, 3) uint8, optional
        The faces, where this has drawn them before.

    Returns
    -------
    Faces
        In the order of the deck's card ids. Its one frame is the outer edge of the coloured band,
        which nothing printed crosses; the band's inner edge is met by lasers and rocks.
    """
    ids = card_ids(deck)
    names = tuple((card_id,) for card_id in ids)
    kinds = kinds_of(names, deck)
    if images is None:
        images = np.stack([draw_face(deck, card_id, px_per_mm) for card_id in ids])
    size = tuple(round(side * px_per_mm) for side in (deck.height_mm, deck.width_mm))
    if images.shape != (len(ids), *size, 3) or images.dtype != np.uint8:
        msg = f"images: expected {len(ids)} faces of {size} pixels, got {images.shape}"
        raise ValueError(msg)
    images.flags.writeable = False
    frame = Frame(deck.width_mm - 2 * BORDER_MM, deck.height_mm - 2 * BORDER_MM, darker_inside=True)
    return Faces(
        names=names,
        images=images,
        px_per_mm=px_per_mm,
        width_mm=deck.width_mm,
        height_mm=deck.height_mm,
        frames=(frame,),
        corner_radius_mm=_CORNER_RADIUS_MM,
        kinds=kinds,
        is_whole=has_all_cards(names),
    )


def has_all_cards(names: Sequence[Sequence[str]]) -> bool:
    """Return whether faces of these names are those of all cards of the published game.

    A deck of one's own may list fewer cards than lie on the table: it is never known to be whole.
    """
    return set(card_ids(load_deck("light-speed"))) <= {card for cards in names for card in cards}


def kinds_of(names: Sequence[Sequence[str]], deck: Deck | None) -> tuple[str, ...]:
    """Return what the cards that show each face play as, if the deck tells.

    Asteroids, either side up, are targets of the same sort.
    """
    if deck is None:
        return ()
    firsts = [cards[0] for cards in names]
    targets = set(deck.asteroids)
    return tuple(_ASTEROID if card.removesuffix("-back") in targets else card for card in firsts)
