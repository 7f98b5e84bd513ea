"""Learned decks as things in a folder: renamed, copied, put away, brought back, taken in.

A round remembers its deck as it was: by ``NAME@DIGEST``, a copy that is kept by its content under
``.kept``. A deck's files are replaced and never written to, so the copy shares them with the deck
as long as that stays as it is. What is deleted waits in ``.trash``.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from calibration.learned.archive import check_cards, digest_of, own_files, unpack_deck
from calibration.learned.decks import (
    arm_learned,
    is_learned,
    learned_names,
    load_learned,
    rename_learned,
    take_place,
)
from calibration.learned.names import check_name
from vision.errors import DeckError

__all__ = [
    "ENTERED",
    "arm_deck",
    "bring_back",
    "copy_deck",
    "current_digest",
    "folder_of",
    "import_deck",
    "import_kept",
    "keep_deck",
    "kept_folder",
    "learned_folder",
    "place_in_store",
    "put_away",
    "rename_deck",
    "split_reference",
    "tidy_shelf",
]

#: What is entered of a deck so far: no part of it, but it goes where the deck goes.
ENTERED = "entered.json"
_KEPT, _TRASH = ".kept", ".trash"
_HEX = frozenset("0123456789abcdef")
_UNDER_WAY_S = 3600.0  # a copy so young may be meant for a round that is not written down yet


def split_reference(reference: str) -> tuple[str, str]:
    """Return the name and the digest of ``NAME@DIGEST``; an empty digest of a name alone."""
    name, _, digest = reference.partition("@")
    return name, digest


def kept_folder(store: Path, digest: str) -> Path:
    """Return where a deck is kept by its digest.

    Raises
    ------
    DeckError
        If it is not kept.
    """
    folder = store / _KEPT / digest
    if len(digest) != 32 or not set(digest) <= _HEX or not is_learned(folder):
        msg = f"no deck with the digest {digest[:40]!r} is kept"
        raise DeckError(msg)
    return folder


def folder_of(store: Path, reference: str) -> Path:
    """Return where a deck lies that a reference names, if it is there at all."""
    name, digest = split_reference(reference)
    return store / _KEPT / digest if digest else store / name


def place_in_store(folder: Path) -> Path:
    """Return where the folder of a deck lies within its store."""
    is_kept = folder.parent.name == _KEPT
    return Path(_KEPT, folder.name) if is_kept else Path(folder.name)


def current_digest(folder: Path) -> str:
    """Return the digest of a deck as it is now; read once for each state of its files."""
    state = tuple(
        (file.name, info.st_mtime_ns, info.st_size, info.st_ino)
        for file in own_files(folder)
        for info in [file.stat()]
    )
    return _digest(folder, state)


@lru_cache(maxsize=64)
def _digest(folder: Path, _: tuple[tuple[str, int, int, int], ...]) -> str:
    return digest_of(folder)


def keep_deck(store: Path, name: str) -> str:
    """Keep a deck as it is now; return ``NAME@DIGEST``.

    Raises
    ------
    DeckError
        If there is no such deck.
    """
    folder = learned_folder(store, name)
    digest = current_digest(folder)
    kept = store / _KEPT / digest
    if is_learned(kept):
        with suppress(OSError):
            os.utime(kept)  # so young that nobody tidies it away
    else:
        with _fresh(store / _KEPT) as fresh:
            _copy_files(folder, fresh)
            if digest_of(fresh) != digest:  # replaced in the meantime
                return keep_deck(store, name)
            _settle(fresh, kept)
    return f"{name}@{digest}"


def rename_deck(store: Path, name: str, new: str) -> None:
    """Give a deck another name.

    Raises
    ------
    DeckError
        If there is no such deck, or the name is not free.
    """
    copy_deck(store, name, new)
    shutil.rmtree(store / name)


def copy_deck(store: Path, name: str, new: str) -> None:
    """Make another deck of a deck.

    Raises
    ------
    DeckError
        If there is no such deck, or the name is not free.
    """
    folder = learned_folder(store, name)
    _check_free(store, new)
    with _fresh(store) as fresh:
        _copy_files(folder, fresh)
        rename_learned(fresh, new)
        _settle(fresh, store / new)


def arm_deck(store: Path, name: str, does: str) -> None:
    """Let a deck be played by the text of a deck file, whole or not at all.

    Raises
    ------
    DeckError
        If there is no such deck, or the text is no deck file of its cards.
    """
    folder = learned_folder(store, name)
    with _fresh(store) as fresh:
        _copy_files(folder, fresh)
        arm_learned(fresh, does)
        check_cards(load_learned(fresh), is_armed=True)
        take_place(fresh, folder)


def put_away(store: Path, name: str) -> None:
    """Delete a deck; until the trash is emptied it can be brought back.

    Raises
    ------
    DeckError
        If there is no such deck.
    """
    folder = learned_folder(store, name)
    trash = store / _TRASH
    trash.mkdir(exist_ok=True)
    if (trash / name).exists():
        shutil.rmtree(trash / name)
    folder.rename(trash / name)
    os.utime(trash / name)


def bring_back(store: Path, name: str) -> None:
    """Bring the deck back that was deleted last under a name.

    Raises
    ------
    DeckError
        If there is none, or another has the name now.
    """
    check_name(name)
    if not is_learned(store / _TRASH / name):
        msg = f"no deleted deck {name!r} is left to restore"
        raise DeckError(msg)
    _check_free(store, name)
    (store / _TRASH / name).rename(store / name)


def import_deck(store: Path, source: Path | BytesIO, name: str = "") -> str:
    """Take in the file of a deck, under another name if one is given; return its name.

    The same deck again is no mistake.

    Raises
    ------
    DeckError
        If it is no such file, or another deck has its name.
    """
    with _fresh(store) as fresh:
        told, digest = unpack_deck(source, fresh)
        name = name or told
        if name != told:
            check_name(name)
            rename_learned(fresh, name)
            digest = digest_of(fresh)
        if name in learned_names(store) and current_digest(store / name) == digest:
            return name
        _check_free(store, name)
        _settle(fresh, store / name)
    return name


def import_kept(store: Path, source: Path | BytesIO) -> str:
    """Keep the deck of a file by its content alone; return ``NAME@DIGEST``.

    Raises
    ------
    DeckError
        If it is no such file.
    """
    with _fresh(store / _KEPT) as fresh:
        name, digest = unpack_deck(source, fresh)
        if is_learned(store / _KEPT / digest):
            os.utime(store / _KEPT / digest)
        else:
            _settle(fresh, store / _KEPT / digest)
    return f"{name}@{digest}"


def tidy_shelf(store: Path, references: Collection[str], trash_s: float) -> None:
    """Forget what was deleted long ago, and copies that nothing remembers."""
    used = {split_reference(reference)[1] for reference in references}
    for place, longest in ((_TRASH, trash_s), (_KEPT, max(trash_s, _UNDER_WAY_S))):
        for folder in (store / place).glob("*"):
            with suppress(OSError):
                is_old = time.time() - folder.stat().st_mtime > longest
                if is_old and (place == _TRASH or folder.name not in used):
                    shutil.rmtree(folder)


def learned_folder(store: Path, name: str) -> Path:
    """Return the folder of a learned deck.

    Raises
    ------
    DeckError
        If there is no such deck.
    """
    if name not in learned_names(store):
        known = ", ".join(learned_names(store)) or "none yet"
        msg = f"no deck {name!r} was learned from pictures; learned: {known}"
        raise DeckError(msg)
    return store / name


def _check_free(store: Path, name: str) -> None:
    check_name(name)
    if (store / name).exists():
        msg = f"a deck {name!r} is already there; take another name, or delete that one first"
        raise DeckError(msg)


@contextmanager
def _fresh(place: Path) -> Iterator[Path]:
    """Give an empty folder beside where it will stand; what is left of it goes."""
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place, prefix=".new-") as scratch:
        fresh = Path(scratch) / "new"
        fresh.mkdir()
        yield fresh


def _copy_files(folder: Path, target: Path) -> None:
    """Let another folder have the files of a deck: the same ones, where the disk can."""
    for file in (*own_files(folder), *folder.glob(ENTERED)):
        try:
            os.link(file, target / file.name)
        except OSError:
            shutil.copyfile(file, target / file.name)


def _settle(fresh: Path, target: Path) -> None:
    """Give a folder its place; another that came first with the same content stays."""
    try:
        fresh.rename(target)
    except OSError:
        if not is_learned(target):
            raise
