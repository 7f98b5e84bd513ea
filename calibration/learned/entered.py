"""What is entered by hand of a learned deck, kept with it: a file beside its own, step by step.

It is no part of the deck until the deck is let have it; then it is a deck file like any other.
"""

import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from calibration.learned.decks import LearnedDeck, load_learned
from calibration.learned.shelf import ENTERED, arm_deck, learned_folder
from vision.errors import DeckError
from vision.files.documents import first_fault
from vision.files.whole import write_atomically
from vision.games.light_speed.deck import load_form
from vision.games.light_speed.deck_toml import deck_to_toml
from vision.games.light_speed.entering import (
    Entry,
    Steps,
    deck_document,
    entry_of_file,
    problems_of,
)
from vision.games.light_speed.words import words

__all__ = ["arm_entered", "document_of", "file_of_entry", "load_entry", "save_entry"]

_DOES = "lasers.toml"
_STEPS = TypeAdapter(dict[str, Steps])


def load_entry(folder: Path) -> Entry:
    """Return what is entered of a deck so far; else what its deck file says, if it has one.

    Raises
    ------
    DeckError
        If the file is damaged.
    """
    file = folder / ENTERED
    if file.exists():
        try:
            return _STEPS.validate_json(file.read_bytes())
        except ValidationError as error:
            msg = f"{file}: {first_fault(error)}; delete this file to enter the cards anew"
            raise DeckError(msg) from error
    return entry_of_file(load_form(folder / _DOES)) if (folder / _DOES).exists() else {}


def save_entry(folder: Path, entry: Entry) -> None:
    """Keep what is entered of a deck."""
    write_atomically(folder / ENTERED, _STEPS.dump_json(dict(entry), indent=1))


def document_of(entry: Entry, learned: LearnedDeck) -> dict[str, Any]:
    """Return the deck file of what is entered, without what is not known yet."""
    plain = re.sub(r"-+", "-", learned.deck.name).strip("-")  # as names in deck files are
    return deck_document(entry, learned.card_ids, plain, learned.bank.size_mm)


def file_of_entry(folder: Path) -> str:
    """Return the text of the deck file of what is entered of a deck.

    Raises
    ------
    DeckError
        With all that is wrong or missing.
    """
    learned = load_learned(folder)
    document = document_of(load_entry(folder), learned)
    problems = problems_of(document, learned.card_ids)
    if problems:
        raise DeckError("; ".join(map(words().tell, problems)))
    return deck_to_toml(document)


def arm_entered(store: Path, name: str) -> None:
    """Let a deck be played by what is entered of it.

    Raises
    ------
    DeckError
        With all that is wrong or missing; the deck stays as it is.
    """
    folder = learned_folder(store, name)
    does = file_of_entry(folder)
    save_entry(folder, load_entry(folder))
    arm_deck(store, name, does)
