"""Learned decks for whoever asks the server: told, changed, drawn, packed, taken in, shared."""

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from calibration.learned.archive import pack_deck
from calibration.learned.decks import LearnedDeck, learned_names
from calibration.learned.preview import contact_sheet, face_of
from calibration.learned.shelf import (
    bring_back,
    copy_deck,
    current_digest,
    folder_of,
    import_deck,
    put_away,
    rename_deck,
)
from vision.apps.decks import KnownDeck, lasting_name, named_deck
from vision.apps.server.problems import Problem
from vision.apps.server.storage.deck_links import DeckLink, DeckLinks
from vision.apps.server.times import DAY_S, holds_as_long
from vision.errors import DeckError
from vision.imaging.photo import encode_image

__all__ = ["DeckShelf", "deck_faults"]

Json = dict[str, Any]
_QUALITY = 88  # of a preview: it is looked at, not compared
_MOST_LINKS = 100  # of one deck: more are a mistake


@contextmanager
def deck_faults() -> Iterator[None]:
    """Let what cannot be done with a deck be the request's fault."""
    try:
        yield
    except DeckError as error:
        raise Problem(422, "deck_file", str(error)) from error


class DeckShelf:
    """The learned decks of a server."""

    def __init__(self, store: Path) -> None:
        self.store, self.links = store, DeckLinks(store)
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
        with deck_faults():
            rename_deck(self.store, name, new)
        return self.told(new)

    def copy(self, name: str, new: str) -> Json:
        """Make another deck of a deck; tell of it."""
        with deck_faults():
            copy_deck(self.store, name, new)
        return self.told(new)

    def delete(self, name: str) -> None:
        """Delete a deck; ``restore`` brings it back."""
        put_away(self.store, name)

    def restore(self, name: str) -> Json:
        """Bring a deleted deck back; tell of it."""
        with deck_faults():
            bring_back(self.store, name)
        return self.told(name)

    def take(self, packed: bytes, name: str) -> Json:
        """Take in the file of a deck; tell of it."""
        with deck_faults():
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
        link = self.links.find(token)
        if link is None:
            raise Problem(404, "not_found", "this link has expired or never existed")
        return link.deck
