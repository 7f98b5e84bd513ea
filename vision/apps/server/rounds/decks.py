"""Learned decks for whoever asks the server: told, changed, drawn, packed, taken in, shared."""

import io
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from threading import Lock
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
from calibration.learned.archive import pack_deck
from calibration.learned.decks import LearnedDeck, learned_names, load_learned
from calibration.learned.entered import (
    arm_entered,
    document_of,
    file_of_entry,
    load_entry,
    save_entry,
)
from calibration.learned.preview import contact_sheet, face_of
from calibration.learned.shelf import (
    bring_back,
    copy_deck,
    current_digest,
    folder_of,
    import_deck,
    learned_folder,
    put_away,
    rename_deck,
)
from calibration.learned.twins import turned_cards
from vision.apps.decks import KnownDeck, lasting_name, named_deck
from vision.apps.server.problems import NO_LINK, Problem, or_404
from vision.apps.server.settings import Settings
from vision.apps.server.storage.deck_links import DeckLink, DeckLinks
from vision.apps.server.times import DAY_S, holds_as_long
from vision.errors import DeckError
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
from vision.imaging.photo import decode_sound, encode_image, shrink_image

__all__ = ["Decks"]
_STEPS: Mapping[str, Callable[[Steps], Steps]] = {"undo": undo, "redo": redo}
_CARD_QUALITY = 86
_SHOWN_PX = 520  # long side of a card in the grid: twice what a phone shows it at
_MOST = 50  # drafts: more are a mistake


Json = dict[str, Any]
_QUALITY = 88  # of a preview: it is looked at, not compared
_MOST_LINKS = 100  # of one deck: more are a mistake


@contextmanager
def _deck_faults() -> Iterator[None]:
    """Let what cannot be done with a deck be the request's fault."""
    try:
        yield
    except DeckError as error:
        raise Problem(422, "deck_file", str(error)) from error


class Decks:
    """The learned decks of a server; ``designs`` are entered by hand, ``drafts`` being made."""

    def __init__(self, settings: Settings) -> None:
        self.store, self.links = settings.decks, DeckLinks(settings.decks)
        self.designs, self.drafts = _Designs(self.store), _Drafts(settings)
        self._sharing = Lock()

    def all(self) -> list[Json]:
        """Tell of every learned deck; of one that is damaged what is wrong with it."""
        return [self._told_or_damaged(name) for name in learned_names(self.store)]

    def told(self, reference: str) -> Json:
        """Tell of a learned deck, ``NAME`` or ``NAME@DIGEST``.

        Raises
        ------
        DeckError
            If there is none, or it is damaged.
        """
        known, learned = self._learned(reference)
        width, height = learned.bank.size_mm
        return {
            "name": known.name,
            "digest": known.digest or current_digest(self.store / known.name),
            "cards": list(learned.card_ids),
            "width_mm": width,
            "height_mm": height,
            "copies": learned.copies,
            "game": known.game.name,
        }

    def _learned(self, reference: str) -> tuple[KnownDeck, LearnedDeck]:
        known = named_deck(reference, self.store)
        if known.learned is None:
            msg = f"the deck {reference!r} comes with the program and cannot be changed"
            raise DeckError(msg)
        return known, known.learned

    def _told_or_damaged(self, name: str) -> Json:
        try:
            return self.told(name)
        except DeckError:
            return {"name": name, "error": "its files are damaged; delete it or import it again"}

    def rename(self, name: str, new: str) -> Json:
        """Give a deck another name; tell of it."""
        with _deck_faults():
            rename_deck(self.store, name, new)
        return self.told(new)

    def copy(self, name: str, new: str) -> Json:
        """Make another deck of a deck; tell of it."""
        with _deck_faults():
            copy_deck(self.store, name, new)
        return self.told(new)

    def delete(self, name: str) -> None:
        """Delete a deck; ``restore`` brings it back."""
        put_away(self.store, name)

    def restore(self, name: str) -> Json:
        """Bring a deleted deck back; tell of it."""
        with _deck_faults():
            bring_back(self.store, name)
        return self.told(name)

    def take(self, packed: bytes, name: str) -> Json:
        """Take in the file of a deck; tell of it."""
        with _deck_faults():
            taken = import_deck(self.store, io.BytesIO(packed), name)
        return self.told(taken)

    def packed(self, reference: str) -> bytes:
        """Return a deck as one file."""
        self._learned(reference)
        return pack_deck(folder_of(self.store, reference))

    def preview(self, reference: str, width_px: int) -> bytes:
        """Draw all faces of a deck in rows (JPEG)."""
        _, learned = self._learned(reference)
        return encode_image(contact_sheet(learned.bank, width_px), ".jpg", _QUALITY)

    def face(self, reference: str, card: str) -> bytes:
        """Return the face of a card (JPEG)."""
        _, learned = self._learned(reference)
        return encode_image(face_of(learned.bank, card), ".jpg", _QUALITY)

    def share(self, name: str, days: float) -> DeckLink:
        """Make a link to a deck as it is now, or return one that was made for as long."""
        known, _ = self._learned(name)
        with self._sharing:  # of two presses the second finds the link of the first
            deck, now, links = lasting_name(known, self.store), time.time(), self.links.list(name)
            for made in links:
                if made.deck == deck and holds_as_long(made.created, made.expires, now, days):
                    return made
            if len(links) >= _MOST_LINKS:
                raise Problem(409, "too_many", f"{_MOST_LINKS} links to this deck exist; end some")
            return self.links.make(deck, now + days * DAY_S)

    def shared(self, token: str) -> str:
        """Return ``NAME@DIGEST`` of what a link leads to.

        Raises
        ------
        Problem
            404 if the link has ended.
        """
        return or_404(self.links.find(token), NO_LINK).deck


# --- what the cards of a deck do, entered by hand ------------------------------------------------


class _Designs:
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
        with _deck_faults():
            return file_of_entry(folder)

    def finish(self, name: str) -> Json:
        """Let the deck be played by what is entered; tell of all.

        Raises
        ------
        Problem
            422 with all that is wrong or missing; the deck stays as it is.
        """
        self._learned(name)
        with self._one, _deck_faults():
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


# --- drafts of decks -----------------------------------------------------------------------------


class _Drafts:
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
        return _told_draft(self._load(name))

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
        cards = {one.id: one for one in draft.cards}
        found = or_404(cards.get(card), "there is no such card")
        shown = shrink_image(picture_of(draft, found), _SHOWN_PX)
        return encode_image(shown, ".jpg", _CARD_QUALITY)

    def finish(self, name: str, *, replace: bool) -> None:
        """Make the deck of the cards that have names. The draft stays."""
        with self._one, _deck_faults():
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
        with self._one, _deck_faults():
            return _told_draft(act())


def _told_draft(draft: Draft) -> Json:
    width, height = draft.size_mm or (None, None)
    return {
        "name": draft.name,
        "width_mm": width,
        "height_mm": height,
        "beside": draft.reference,
        "photos": len(draft.photos),
        "cards": [asdict(card) for card in draft.cards],
    }
