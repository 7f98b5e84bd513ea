"""Decks by name: those of the program, those the user has learned, and files of either kind."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from calibration.learned.archive import SUFFIX
from calibration.learned.decks import LearnedDeck, is_learned, learned_names, load_learned
from calibration.learned.shelf import import_kept, keep_deck, kept_folder, split_reference
from vision.apps.folders import cache_folder, deck_folder
from vision.errors import DeckError, TableFormatError
from vision.files.documents import names_in
from vision.games.light_speed.deck import card_ids, deck_to_json, list_decks, load_deck
from vision.games.light_speed.values import Deck
from vision.games.none.game import NoGame
from vision.games.registry import find_game, game_names, game_of_deck
from vision.judging.game import Game
from vision.seeing.detector import AnyDetector, Detector, TableDetector, build_detector
from vision.seeing.pieces.reading import PieceDetector, build_piece_detector
from vision.values.arrays import ImageBGR
from vision.values.ledger import PieceView
from vision.values.pieces import Faces, Piece, PieceSet

__all__ = [
    "Known",
    "KnownDeck",
    "KnownGame",
    "all_names",
    "deck_document",
    "find_deck",
    "find_known",
    "known_game",
    "known_of_table",
    "lasting_name",
    "look_up",
    "named_deck",
    "named_table",
    "reference_of",
    "to_document",
]

_FIRST = "light-speed"  # what lies there where nothing is said


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
        if self.game.pieces.of_kind("board"):
            return _piece_detector(self.game.pieces)
        return _table_detector(self.game.pieces)

    def board_detector(self) -> PieceDetector:
        """Return how its board is looked for, and what lies on that alone."""
        own = self.game.pieces
        on_it = tuple(piece for piece in own.pieces if piece.id not in self.game.beside)
        return _piece_detector(replace(own, pieces=on_it))

    def draw(self, pieces: Sequence[str], px_per_mm: float) -> dict[str, ImageBGR]:
        """Draw those pieces that have a face."""
        own = self.game.pieces
        if not own.art:
            return {}
        known = {piece.id for piece in own.pieces}
        return {piece: _drawn(own.art, piece, px_per_mm) for piece in sorted(known & set(pieces))}


@dataclass(frozen=True, slots=True, eq=False)
class KnownDeck:
    """A deck; ``learned`` is None for one whose faces the program draws.

    ``digest`` is told of a learned one that is kept as it was.
    """

    deck: Deck
    learned: LearnedDeck | None = None
    digest: str = ""

    @property
    def game(self) -> Game:
        """What is played with it; nothing with one of pictures alone."""
        if self.learned is not None and not self.deck.ships:
            size = (self.deck.width_mm, self.deck.height_mm)
            each = self.learned.copies
            cards = tuple(Piece(name, "card", size, each) for name in self.learned.card_ids)
            return NoGame(PieceSet(self.deck.name, cards), size_mm=size)
        return game_of_deck(self.deck)

    @property
    def piece_ids(self) -> tuple[str, ...]:
        """The ids of all its cards."""
        if self.learned is not None and not self.deck.ships:
            return self.learned.card_ids
        return card_ids(self.deck)

    @property
    def name(self) -> str:
        """What the deck is called."""
        return self.deck.name

    def detector(self) -> Detector:
        """Return how its cards are looked for."""
        return build_detector(self.bank())

    def draw(self, pieces: Sequence[str], px_per_mm: float) -> dict[str, ImageBGR]:
        """Draw those cards that the deck has."""
        from calibration.light_speed.faces import draw_face

        known = sorted(set(card_ids(self.deck)) & set(pieces))
        return {card: draw_face(self.deck, card, px_per_mm) for card in known}

    def bank(self) -> Faces:
        """Return the faces, drawn or learned."""
        if self.learned is not None:
            return self.learned.bank
        from calibration.kept import drawn_bank

        return drawn_bank(self.deck, cache_folder())


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
        return known_game(game or _FIRST)
    known = find_deck(deck)
    if game not in (None, known.game.name):
        raise _other_game(deck, known, game)
    return known


def find_known(deck: str | None, game: str | None = None, store: Path | None = None) -> Known:
    """Find by name what lies on a table: a deck, or a game with what comes with it.

    A game's pieces may be named as its deck; without any name it is what the program began with.

    Raises
    ------
    DeckError
        If there is no such deck or game, or the deck is of another game.
    """
    is_deck = deck is not None and ("@" in deck or deck in all_names(store))
    name = game if game is not None else deck
    if not is_deck and (name is None or name in game_names()):
        known = known_game(name or _FIRST)
    else:
        known = named_deck(deck or _FIRST, store)
    if game not in (None, known.game.name) or _plain(deck) not in (None, known.name):
        raise _other_game(deck or known.name, known, game)
    return known


def _other_game(deck: str, known: Known, game: str | None) -> DeckError:
    return DeckError(f"the deck {deck!r} is of the game {known.game.name}, not of {game}")


def known_game(name: str) -> Known:
    """Return a game with the deck or the pieces that come with it."""
    game = find_game(name)
    return find_deck(game.pieces.name) if game.pieces.name in list_decks() else KnownGame(game)


def known_of_table(text: str, store: Path | None = None) -> Known:
    """Return what a table file, JSON or notation, is of: the deck or the game that it names.

    What is no deck is left to the game that reads the file, which says it better.

    Raises
    ------
    TableFormatError
        If it names a game that is not known.
    """
    named = names_in(text)
    deck, game = named.get("deck"), named.get("game")
    if deck in learned_names(store or deck_folder()):
        return named_deck(deck, store)
    try:
        return known_game(game or _FIRST)
    except DeckError as error:  # the fault is the table's
        raise TableFormatError(str(error)) from error


def all_names(store: Path | None = None) -> tuple[str, ...]:
    """Return the names of all decks: the program's own, then the learned ones of a folder."""
    return (*list_decks(), *learned_names(store or deck_folder()))


def named_deck(name: str, store: Path | None = None) -> KnownDeck:
    """Find a deck by its name, or ``NAME@DIGEST`` as it was; never a file, whatever the name.

    Raises
    ------
    DeckError
        If there is no such deck, or its files have mistakes.
    """
    store = store or deck_folder()
    if name in list_decks():
        return KnownDeck(load_deck(name))
    if name in learned_names(store):
        return _learned(store / name)
    plain, digest = split_reference(name)
    if digest:
        kept = _learned(kept_folder(store, digest))
        if kept.name == plain:
            return replace(kept, digest=digest)
    msg = (
        f"no deck is called {name!r}; the known decks are {', '.join(all_names(store))}; to learn "
        "another: sightline deck learn NAME --images DIR"
    )
    raise DeckError(msg)


def find_deck(name_or_path: str) -> KnownDeck:
    """Find a deck by its name; or by a path, of a file of a deck or of a learned deck's folder.

    Raises
    ------
    DeckError
        If there is no such deck, or its files have mistakes.
    """
    path = Path(name_or_path)
    if name_or_path not in all_names():
        if path.suffix == SUFFIX:
            return named_deck(reference_of(name_or_path))
        if path.name == "deck.toml" and is_learned(path.parent):
            path = path.parent
        if is_learned(path):
            return _learned(path)
        if name_or_path.endswith(".toml"):
            return KnownDeck(load_deck(name_or_path))
    return named_deck(name_or_path)


def deck_document(name: str, store: Path | None = None) -> dict[str, Any]:
    """Return ``sightline/deck@1`` of a deck by its name; of a learned one with its ``cards``.

    Raises
    ------
    DeckError
        If there is no such deck, or its files have mistakes.
    """
    return to_document(named_deck(name, store))


def to_document(known: KnownDeck) -> dict[str, Any]:
    """Return ``sightline/deck@1`` of a deck; of a learned one with its ``cards``."""
    cards = {} if known.learned is None else {"cards": list(known.learned.card_ids)}
    return {**deck_to_json(known.deck), **cards}


def look_up(
    deck: str | None, game: str | None = None, store: Path | None = None
) -> tuple[Known, AnyDetector]:
    """Find by name what lies on a table and how it is looked for; the last few are kept.

    Raises
    ------
    DeckError
        If there is no such deck or game, or its files have mistakes.
    """
    store = store or deck_folder()
    is_learned_one = deck is not None and deck in learned_names(store)
    file = store / (deck or "") / "deck.toml"
    return _look_up(deck, game, store, file.stat().st_mtime_ns if is_learned_one else 0)


@lru_cache(maxsize=8)  # of a drawn deck 10 MB; every game where it is to be found out
def _look_up(deck: str | None, game: str | None, store: Path, _: int) -> tuple[Known, AnyDetector]:
    known = find_known(deck, game, store)
    return known, known.detector()


def reference_of(name_or_path: str) -> str:
    """Return by what workers find a deck: its name; of a file of one, as what it is kept.

    Raises
    ------
    DeckError
        If it is a file that is not there, or no deck's.
    """
    if not name_or_path.endswith(SUFFIX):
        return name_or_path
    return import_kept(deck_folder(), _there(Path(name_or_path)))


def lasting_name(known: Known, store: Path | None = None) -> str:
    """Return by what a round remembers its deck as it is now, whatever becomes of it.

    Raises
    ------
    DeckError
        If it was deleted in the meantime.
    """
    if not isinstance(known, KnownDeck) or known.learned is None:
        return known.name
    if known.digest:
        return f"{known.name}@{known.digest}"
    return keep_deck(store or deck_folder(), known.name)


def _plain(reference: str | None) -> str | None:
    return None if reference is None else split_reference(reference)[0]


def _there(path: Path) -> Path:
    if not path.is_file():
        msg = f"{path}: no such file"
        raise DeckError(msg)
    return path


def _learned(folder: Path) -> KnownDeck:
    learned = load_learned(folder)
    return KnownDeck(learned.deck, learned)


@lru_cache(maxsize=64)  # a board with all that lies on it: 20 MB
def _drawn(art: str, piece: str, px_per_mm: float) -> ImageBGR:
    """Draw a piece once a process."""
    module, _, name = art.partition(":")
    drawn: ImageBGR = getattr(import_module(module), name)(piece, px_per_mm)
    drawn.flags.writeable = False
    return drawn


@lru_cache(maxsize=4)
def _piece_detector(pieces: PieceSet) -> PieceDetector:
    """Draw the pieces of a board game once a process."""
    from calibration.kept import drawn_looks, prepared_detector

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
