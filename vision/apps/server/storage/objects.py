"""Objects: files by the hash of their content, there whole or not at all; and drawn pictures.

What is put is named by its content. What is drawn of it is named by whoever draws, and may go at
any time: it is drawn again.
"""

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from vision.apps.addresses import Source
from vision.errors import MissingFilesError

__all__ = [
    "DRAWN_S",
    "UNDER_WAY_S",
    "FolderObjects",
    "Source",
    "Space",
    "check_key",
    "needed_by",
    "sweep_scratch",
]

UNDER_WAY_S = 3600.0  # an upload that is older has died; an object so new may have no row yet
DRAWN_S = 7 * 86400.0  # a picture that was drawn longer ago is drawn again when it is asked for


@dataclass(frozen=True, slots=True)
class Space:
    """How many bytes are free, of how many."""

    free: int
    total: int


class FolderObjects:
    """Files in a folder: written beside their place, flushed to the disk, renamed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drawn = folder / "drawn"
        self._temporary = folder / "tmp"
        self._temporary.mkdir(parents=True, exist_ok=True)
        self._drawn.mkdir(exist_ok=True)

    def put(self, content: bytes) -> str:
        """Keep some bytes; return their key once they are safe."""
        key = hashlib.sha256(content).hexdigest()
        temporary = self.scratch()
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            self.adopt(temporary, key)
        finally:
            temporary.unlink(missing_ok=True)
        return key

    def scratch(self) -> Path:
        """Return a fresh name for a local file under way."""
        return self._temporary / secrets.token_hex(12)

    def adopt(self, file: Path, key: str) -> None:
        """Give a file that is flushed already its place; the folder's entry is flushed too."""
        target = self._path(key)
        target.parent.mkdir(exist_ok=True)
        file.replace(target)
        for folder in (target.parent, self._folder):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def read(self, key: str) -> bytes:
        """Return the bytes of an object."""
        return self._path(key).read_bytes()

    def source(self, key: str) -> Source:
        """Return where an object is to be had.

        Raises
        ------
        FileNotFoundError
            If it is not there.
        """
        path = self._path(key)
        path.stat()
        return path

    def has(self, key: str) -> bool:
        """Tell whether an object is kept."""
        return self._path(key).exists()

    def drawn(self, name: str) -> Source | None:
        """Return a picture that was drawn before, if it is still there."""
        place = self._drawn / name
        return place if place.exists() else None

    def keep_drawn(self, name: str, content: bytes) -> Source:
        """Keep a picture for the next who asks."""
        temporary, place = self.scratch(), self._drawn / name
        temporary.write_bytes(content)
        temporary.replace(place)
        return place

    def sweep(self, used: Collection[str], longest_s: float = UNDER_WAY_S) -> int:
        """Remove what died under way, objects that nothing names, and old drawings.

        Parameters
        ----------
        used : collection of str
            The keys of the objects that something names.
        longest_s : float
            Objects that are older are removed; of a newer one the row may be on the way.

        Returns
        -------
        int
            The bytes of the objects that were removed.
        """
        sweep_scratch(self._temporary)
        _sweep(self._drawn.glob("*"), DRAWN_S, ())
        return _sweep(self._folder.glob("[0-9a-f][0-9a-f]/*"), longest_s, used)

    def space(self) -> Space:
        """Return how much room there is."""
        usage = shutil.disk_usage(self._folder)
        return Space(usage.free, usage.total)

    def _path(self, key: str) -> Path:
        check_key(key)
        return self._folder / key[:2] / key


@contextmanager
def needed_by(scan_id: str) -> Iterator[None]:
    """Say of an object that is not there which scan needs it.

    Raises
    ------
    MissingFilesError
        Instead of ``FileNotFoundError``.
    """
    try:
        yield
    except FileNotFoundError as error:
        msg = (
            f"files of round {scan_id} are missing: the database names them, this server's store "
            "has not got them; needed the store that belongs to the database: start the server "
            "with that --data folder or SIGHTLINE_OBJECTS_URL, or put the files back from a backup"
        )
        raise MissingFilesError(msg) from error


def check_key(key: str) -> None:
    """Find out whether a text is a key.

    Raises
    ------
    ValueError
        If it is none; it may lead anywhere.
    """
    if len(key) != 64 or not all(c in "0123456789abcdef" for c in key):
        msg = f"not the key of a file: {key!r}"
        raise ValueError(msg)


def sweep_scratch(folder: Path) -> None:
    """Remove uploads that died under way."""
    _sweep(folder.glob("*"), UNDER_WAY_S, ())


def _sweep(paths: Iterable[Path], longest_s: float, used: Collection[str]) -> int:
    """Remove files that are older, but for those in use; return how many bytes they had."""
    freed = 0
    for path in paths:
        with suppress(OSError):
            told = path.stat()
            if path.name not in used and time.time() - told.st_mtime > longest_s:
                path.unlink()
                freed += told.st_size
    return freed
