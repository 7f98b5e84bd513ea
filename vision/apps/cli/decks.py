"""Decks by name: those of the program, those the user has learned, and files of either kind."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from calibration.learned.decks import LearnedDeck, is_learned, learned_names, load_learned
from vision.apps.server.settings import default_folder
from vision.errors import DeckError
from vision.games.light_speed.deck import list_decks, load_deck
from vision.games.light_speed.values import Deck
from vision.values.pieces import PictureBank, TemplateBank

__all__ = ["KnownDeck", "all_names", "deck_folder", "find_deck"]


@dataclass(frozen=True, slots=True, eq=False)
class KnownDeck:
    """A deck; ``learned`` is None for one whose faces the program draws."""

    deck: Deck
    learned: LearnedDeck | None = None

    def bank(self) -> TemplateBank | PictureBank:
        """Return the faces, drawn or learned."""
        if self.learned is not None:
            return self.learned.bank
        from calibration.looks import build_bank

        return build_bank(self.deck)


def deck_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return where learned decks are kept: ``decks`` in the data folder (``SIGHTLINE_FOLDER``)."""
    given = (os.environ if environment is None else environment).get("SIGHTLINE_FOLDER")
    return (Path(given) if given else default_folder()) / "decks"


def all_names() -> tuple[str, ...]:
    """Return the names of all decks: the program's own, then the learned ones."""
    return (*list_decks(), *learned_names(deck_folder()))


def find_deck(name_or_path: str) -> KnownDeck:
    """Find a deck by its name; or by a path, of a deck file or of a learned deck's folder.

    Raises
    ------
    DeckError
        If there is no such deck, or its files have mistakes.
    """
    if name_or_path in list_decks():
        return KnownDeck(load_deck(name_or_path))
    store = deck_folder()
    if name_or_path in learned_names(store):
        return _learned(store / name_or_path)
    path = Path(name_or_path)
    if path.name == "deck.toml" and is_learned(path.parent):
        path = path.parent
    if is_learned(path):
        return _learned(path)
    if name_or_path.endswith(".toml"):
        return KnownDeck(load_deck(name_or_path))
    msg = (
        f"no deck is called {name_or_path!r}; the known decks are {', '.join(all_names())}; "
        "others are learned by: sightline deck learn NAME --images DIR"
    )
    raise DeckError(msg)


def _learned(folder: Path) -> KnownDeck:
    learned = load_learned(folder)
    return KnownDeck(learned.deck, learned)
