"""Files named by their content: there whole or not at all.

A file is written beside its place, flushed to the disk and renamed. Workers use this without the
database, so nothing here knows it.
"""

import contextlib
import hashlib
import os
import secrets
import time
from pathlib import Path

__all__ = ["Blobs"]


class Blobs:
    """Files by the hash of their content."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True, exist_ok=True)

    def path(self, key: str) -> Path:
        """Return the place of a file."""
        if len(key) != 64 or not all(c in "0123456789abcdef" for c in key):
            msg = f"not the key of a file: {key!r}"
            raise ValueError(msg)
        return self.folder / key[:2] / key

    def put(self, content: bytes) -> str:
        """Keep some bytes; return their key."""
        key = hashlib.sha256(content).hexdigest()
        temporary = self.new_temporary()
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            self.adopt(temporary, key)
        finally:
            temporary.unlink(missing_ok=True)
        return key

    def new_temporary(self) -> Path:
        """Return a fresh name for a file under way."""
        return self.temporary / secrets.token_hex(12)

    def adopt(self, temporary: Path, key: str) -> None:
        """Give a file that is flushed already its place; the folder's entry is flushed too."""
        target = self.path(key)
        target.parent.mkdir(exist_ok=True)
        temporary.replace(target)
        for folder in (target.parent, self.folder):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def read(self, key: str) -> bytes:
        """Return the bytes of a file."""
        return self.path(key).read_bytes()

    def sweep(self, older_than_s: float = 3600.0) -> None:
        """Remove what an upload that died left under way."""
        now = time.time()
        for path in self.temporary.iterdir():
            with contextlib.suppress(OSError):
                if now - path.stat().st_mtime > older_than_s:
                    path.unlink()
