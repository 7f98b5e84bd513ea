"""What the cards of a learned deck do, for whoever asks: entered, undone, looked at, made so."""

import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from calibration.learned.decks import LearnedDeck, load_learned
from calibration.learned.entered import (
    arm_entered,
    document_of,
    file_of_entry,
    load_entry,
    save_entry,
)
from calibration.learned.shelf import learned_folder
from calibration.learned.twins import turned_cards
from vision.apps.server.problems import Problem
from vision.apps.server.rounds.decks import deck_faults
from vision.games.light_speed.deck_form import DesignForm
from vision.games.light_speed.entering import (
    Entry,
    Steps,
    find_fleet,
    look_at,
    put,
    redo,
    undo,
)
from vision.games.light_speed.entry_json import entry_to_json

__all__ = ["DesignDesk"]

Json = dict[str, Any]
_STEPS: Mapping[str, Callable[[Steps], Steps]] = {"undo": undo, "redo": redo}


class DesignDesk:
    """What is entered of the decks of a server; one change at a time."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._one = threading.Lock()  # an entry has one file

    def told(self, name: str) -> Json:
        """Tell what is entered of a deck, and what is wrong with it as a deck file.

        Raises
        ------
        DeckError
            If there is no such deck, or it is damaged.
        """
        folder, learned = self._learned(name)
        return _told(learned, load_entry(folder))

    def put(self, name: str, design: str, form: DesignForm, revision: int) -> Json:
        """Enter a design whole; tell of all.

        Raises
        ------
        Problem
            404 if no card is of that design, 409 if it is not at that revision.
        """
        return self._change(name, design, revision, lambda steps: put(steps, form))

    def step(self, name: str, design: str, kind: str, revision: int) -> Json:
        """Undo or redo the last step of a design; tell of all."""
        return self._change(name, design, revision, _STEPS[kind])

    def look(self, name: str, design: str, card: str, is_so: bool, revision: int) -> Json:
        """Say that a card was looked at; tell of all."""
        return self._change(name, design, revision, lambda steps: look_at(steps, card, is_so=is_so))

    def file(self, name: str) -> str:
        """Return the deck file of what is entered.

        Raises
        ------
        Problem
            422 with all that is wrong or missing.
        """
        folder, _ = self._learned(name)
        with deck_faults():
            return file_of_entry(folder)

    def finish(self, name: str) -> Json:
        """Let the deck be played by what is entered; tell of all.

        Raises
        ------
        Problem
            422 with all that is wrong or missing; the deck stays as it is.
        """
        self._learned(name)
        with self._one, deck_faults():
            arm_entered(self.store, name)
        return self.told(name)

    def _learned(self, name: str) -> tuple[Path, LearnedDeck]:
        folder = learned_folder(self.store, name)
        return folder, load_learned(folder)

    def _change(self, name: str, design: str, revision: int, act: Callable[[Steps], Steps]) -> Json:
        folder, learned = self._learned(name)
        with self._one:
            entry = load_entry(folder)
            if design not in find_fleet(learned.card_ids).designs:
                raise Problem(404, "not_found", f"no card of {name} is called TEAM-{design}")
            steps = entry.get(design, Steps())
            if steps.revision != revision:
                said = f"{design} is at revision {steps.revision}; load it again"
                raise Problem(409, "conflict", said)
            entry = {**entry, design: act(steps)}
            save_entry(folder, entry)
        return _told(learned, entry)


def _told(learned: LearnedDeck, entry: Entry) -> Json:
    document = document_of(entry, learned)
    find = partial(turned_cards, learned.bank)
    return entry_to_json(entry, document, learned.card_ids, learned.deck, find)
