"""What lies on a table: a game by its name, and how its pieces are looked for and drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from vision.apps.folders import cache_folder
from vision.errors import DeckError
from vision.games.registry import find_game
from vision.judging.game import Game
from vision.seeing.detector import AnyDetector, TableDetector, build_detector
from vision.values.arrays import ImageBGR
from vision.values.ledger import PieceView
from vision.values.pieces import PieceSet

if TYPE_CHECKING:
    from vision.seeing.pieces.reading import PieceDetector

__all__ = [
    "FIRST_GAME",
    "Known",
    "KnownGame",
    "draw_faces",
    "known_game",
    "named_table",
    "other_game",
]

FIRST_GAME = "light-speed"  # what lies there where nothing is said; the one game of decks


class Known(Protocol):
    """What may lie on a table: a game, and how its pieces are looked for."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def game(self) -> Game: ...  # noqa: D102
    @property
    def piece_ids(self) -> tuple[str, ...]: ...  # noqa: D102
    def detector(self) -> AnyDetector: ...  # noqa: D102
    def draw(self, pieces: Sequence[str], px_per_mm: float) -> dict[str, ImageBGR]: ...  # noqa: D102


@dataclass(frozen=True, slots=True, eq=False)
class KnownGame:
    """A game with the pieces that come with it, drawn by its own art."""

    game: Game

    @property
    def name(self) -> str:
        """What its pieces are called together."""
        return self.game.pieces.name

    @property
    def piece_ids(self) -> tuple[str, ...]:
        """The ids of all its pieces."""
        return tuple(piece.id for piece in self.game.pieces.pieces)

    def detector(self) -> AnyDetector:
        """Return how its pieces are looked for.

        Those of a board on it; cards by themselves, or with the sheets that lie beside them.
        """
        own = self.game.pieces
        if own.of_kind("board"):
            return _piece_detector(own)
        deck = _deck_without_art(own)
        return _table_detector(own) if deck is None else deck.detector()

    def board_detector(self) -> "PieceDetector":
        """Return how its board is looked for, and what lies on that alone."""
        own = self.game.pieces
        on_it = tuple(piece for piece in own.pieces if piece.id not in self.game.beside)
        return _piece_detector(replace(own, pieces=on_it))

    def draw(self, pieces: Sequence[str], px_per_mm: float) -> dict[str, ImageBGR]:
        """Draw those pieces that have a face."""
        own = self.game.pieces
        if not own.art:
            deck = _deck_without_art(own)
            return {} if deck is None else deck.draw(pieces, px_per_mm)
        known = {piece.id for piece in own.pieces}
        return {piece: _drawn(own.art, piece, px_per_mm) for piece in sorted(known & set(pieces))}


def _deck(name: str) -> Known:
    """Find a deck; a scan of a board does not load the readers of decks."""
    from vision.apps.decks import find_deck

    return find_deck(name)


def _deck_without_art(pieces: PieceSet) -> Known | None:
    """Return the program's deck that a game of another name plays with; None if it has its own."""
    from vision.games.light_speed.deck import list_decks

    return None if pieces.art or pieces.name not in list_decks() else _deck(pieces.name)


def draw_faces(known: Known, pieces: Sequence[PieceView], px_per_mm: float) -> dict[str, ImageBGR]:
    """Draw the pieces of a ledger by their ids, those that have a face."""
    drawn = known.draw([piece.face or piece.id for piece in pieces], px_per_mm)
    return {p.id: drawn[p.face or p.id] for p in pieces if (p.face or p.id) in drawn}


def named_table(deck: str | None, game: str | None) -> Known:
    """Return what lies on a table of a deck that is named, or of the game that is.

    Raises
    ------
    DeckError
        If there is no such deck or game, or the deck is of another game.
    """
    if deck is None:
        return known_game(game or FIRST_GAME)
    known = _deck(deck)
    if game not in (None, known.game.name):
        raise other_game(deck, known, game)
    return known


def known_game(name: str) -> Known:
    """Return a game with the deck or the pieces that come with it."""
    game = find_game(name)
    return _deck(game.pieces.name) if game.name == FIRST_GAME else KnownGame(game)


def other_game(deck: str, known: Known, game: str | None) -> DeckError:
    """Return the error for a deck of another game than the one that was named."""
    return DeckError(f"the deck {deck!r} is of the game {known.game.name}, not of {game}")


@lru_cache(maxsize=64)  # a board with all that lies on it: 20 MB
def _drawn(art: str, piece: str, px_per_mm: float) -> ImageBGR:
    """Draw a piece once a process."""
    module, _, name = art.partition(":")
    drawn: ImageBGR = getattr(import_module(module), name)(piece, px_per_mm)
    drawn.flags.writeable = False
    return drawn


@lru_cache(maxsize=4)
def _piece_detector(pieces: PieceSet) -> "PieceDetector":
    """Draw the pieces of a board game once a process."""
    from calibration.kept import drawn_looks, prepared_detector
    from vision.seeing.pieces.reading import build_piece_detector

    looks = drawn_looks(pieces, cache_folder())
    return prepared_detector(looks, cache_folder(), build_piece_detector)


@lru_cache(maxsize=4)
def _table_detector(pieces: PieceSet) -> AnyDetector:
    """Draw the cards of a game, and the sheets and tokens beside them, once a process."""
    from calibration.kept import drawn_faces

    cards = build_detector(drawn_faces(pieces, cache_folder()))
    alike = [p.id for p in pieces.of_kind("sheet") if p.size_mm == cards.faces.size_mm]
    others = tuple(p for p in pieces.of_kind("sheet", "token") if p.id not in alike)
    if not others:
        return cards
    beside = _piece_detector(replace(pieces, pieces=others))
    return TableDetector(cards, beside, tuple(alike))
