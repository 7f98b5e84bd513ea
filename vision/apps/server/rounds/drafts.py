"""Drafts of decks for whoever asks the server: begun, photos put to them, named, made decks."""

import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from calibration.drafts.draft import (
    Draft,
    add_photo,
    change_card,
    load_draft,
    name_all,
    new_draft,
    pair_back,
    picture_of,
)
from calibration.drafts.finish import finish_draft, name_by_template, read_names
from calibration.drafts.store import draft_folder, draft_names, forget_draft
from vision.apps.server.problems import Problem
from vision.apps.server.rounds.decks import deck_faults
from vision.apps.server.settings import Settings
from vision.errors import DeckError
from vision.imaging.photo import decode_sound, encode_image, shrink_image

__all__ = ["DraftDesk"]

Json = dict[str, Any]
_QUALITY = 86
_SHOWN_PX = 520  # long side of a card in the grid: twice what a phone shows it at
_MOST = 50  # drafts: more are a mistake


class DraftDesk:
    """The drafts of a server; one change at a time."""

    def __init__(self, settings: Settings) -> None:
        self.store: Path = settings.decks
        self.settings = settings
        self._one = threading.Lock()  # a photo takes seconds, and a draft has one file

    def all(self) -> list[Json]:
        """Tell of every draft in short."""
        return [self._in_short(name) for name in draft_names(self.store)]

    def told(self, name: str) -> Json:
        """Tell all of a draft.

        Raises
        ------
        DeckError
            If there is none.
        """
        return _told(self._load(name))

    def begin(self, name: str, size_mm: tuple[float, float] | None, beside: str) -> Json:
        """Begin a draft; tell of it."""
        if len(draft_names(self.store)) >= _MOST:
            raise Problem(409, "too_many", f"{_MOST} drafts are kept; finish or delete some")
        return self._change(
            lambda: new_draft(draft_folder(self.store, name), name, size_mm, beside)
        )

    def add(self, name: str, encoded: bytes) -> Json:
        """Put a photo to a draft; tell of it.

        Raises
        ------
        ScanError
            If it is no photo that can be read, or shows no cards.
        """
        photo = decode_sound(encoded, self.settings.decode_limits)
        return self._change(lambda: add_photo(self._load(name), photo, encoded))

    def change(self, name: str, card: str, change: Json) -> Json:
        """Name a card, drop it, turn it, or say whose back it is; tell of the draft."""
        of = change.pop("back_of", None)

        def act() -> Draft:
            draft = change_card(self._load(name), card, **change)
            return pair_back(draft, card, of) if of is not None else draft

        return self._change(act)

    def name(self, name: str, text: str, template: str) -> Json:
        """Name all cards in reading order, by a list or by a box; tell of the draft."""

        def act() -> Draft:
            draft = self._load(name)
            if template:
                return name_by_template(draft, template)
            return name_all(draft, read_names(text))

        return self._change(act)

    def face(self, name: str, card: str) -> bytes:
        """Return the picture of a card (JPEG)."""
        draft = self._load(name)
        found = next((one for one in draft.cards if one.id == card), None)
        if found is None:
            raise Problem(404, "not_found", "there is no such card")
        shown = shrink_image(picture_of(draft, found), _SHOWN_PX)
        return encode_image(shown, ".jpg", _QUALITY)

    def finish(self, name: str, *, replace: bool) -> None:
        """Make the deck of the cards that have names. The draft stays."""
        with self._one, deck_faults():
            finish_draft(self._load(name), self.store, replace=replace)

    def forget(self, name: str) -> None:
        """Remove a draft."""
        with self._one:
            self._check(name)
            forget_draft(self.store, name)

    def _check(self, name: str) -> None:
        if name not in draft_names(self.store):
            raise Problem(404, "not_found", f"there is no draft {name!r}; start one with photos")

    def _load(self, name: str) -> Draft:
        self._check(name)
        return load_draft(draft_folder(self.store, name))

    def _in_short(self, name: str) -> Json:
        try:
            draft = self._load(name)
        except DeckError:
            return {"name": name, "cards": 0, "named": 0, "photos": 0}
        named = sum(bool(card.name) for card in draft.kept)
        photos = len(draft.photos)
        return {"name": name, "cards": len(draft.kept), "named": named, "photos": photos}

    def _change(self, act: Callable[[], Draft]) -> Json:
        with self._one, deck_faults():
            return _told(act())


def _told(draft: Draft) -> Json:
    width, height = draft.size_mm or (None, None)
    return {
        "name": draft.name,
        "width_mm": width,
        "height_mm": height,
        "beside": draft.reference,
        "photos": len(draft.photos),
        "cards": [asdict(card) for card in draft.cards],
    }
