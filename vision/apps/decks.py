"""Decks by name: those of the program, those the user has learned, and files of either kind."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from calibration.learned.archive import SUFFIX
from calibration.learned.decks import LearnedDeck, is_learned, learned_names, load_learned
from calibration.learned.shelf import import_kept, keep_deck, kept_folder, split_reference
from vision.apps.folders import cache_folder, deck_folder
from vision.apps.known import FIRST_GAME, Known, known_game, other_game
from vision.errors import DeckError, TableFormatError
from vision.files.documents import names_in
from vision.games.light_speed.deck import card_ids, deck_to_json, list_decks, load_deck
from vision.games.light_speed.values import Deck
from vision.games.none.game import NoGame
from vision.games.registry import game_names, game_of_deck
from vision.judging.game import Game
from vision.seeing.detector import AnyDetector, Detector, build_detector
from vision.values.arrays import ImageBGR
from vision.values.pieces import Faces, Piece, PieceSet

__all__ = [
    "KnownDeck",
    "all_names",
    "find_deck",
    "find_known",
    "known_of_table",
    "lasting_name",
    "look_up",
    "named_deck",
    "reference_of",
    "to_document",
]


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
        known = known_game(name or FIRST_GAME)
    else:
        known = named_deck(deck or FIRST_GAME, store)
    if game not in (None, known.game.name) or _plain(deck) not in (None, known.name):
        raise other_game(deck or known.name, known, game)
    return known


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
        return known_game(game or FIRST_GAME)
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
