"""A deck -> its print-and-play sheets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from calibration.art.drawing import Shape
from calibration.light_speed.faces import face_shapes
from calibration.sheets import write_sheets
from vision.games.light_speed.deck import SHIP_BACK
from vision.games.light_speed.values import Deck
from vision.values.pieces import Piece, PieceSet

__all__ = ["print_deck"]


def print_deck(
    deck: Deck, path: Path, paper: Literal["a4", "letter"] = "a4", *, backs: bool = False
) -> int:
    """Write the sheets of a deck as a PDF and return the number of its pages.

    Parameters
    ----------
    deck : Deck
        The deck.
    path : Path
        The file, replaced in one go.
    paper : {'a4', 'letter'}
        The paper.
    backs : bool
        False: the fronts of all cards and the asteroids' backs, for printing on one side. True:
        after each page of fronts a page of their backs, mirrored, for printing on both sides.

    Raises
    ------
    DeckError
        If not one card fits on the paper.
    """

    def draw(_: Piece, side: str) -> Sequence[Shape]:
        return face_shapes(deck, side)

    size = (deck.width_mm, deck.height_mm)
    ships = [f"{team}-{ship.name}" for team in deck.teams for ship in deck.ships]
    cards: list[tuple[str, tuple[str, ...]]]
    cards = [(ship, (ship, SHIP_BACK) if backs else (ship,)) for ship in ships]
    cards += [(rock, (rock, f"{rock}-back")) for rock in deck.asteroids]
    pieces = tuple(Piece(name, "card", size, sides=sides) for name, sides in cards)
    return write_sheets(PieceSet(deck.name, pieces), draw, path, paper, backs=backs)
