"""Objects in a bucket of an S3-compatible store, for servers on several machines.

Uploads under way are local files still; an object is there once the store has acknowledged it.
"""

import hashlib
import secrets
import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vision.apps.addresses import Source, bucket_and_key
from vision.apps.buckets import Bucket, Held
from vision.apps.server.storage.objects import DRAWN_S, UNDER_WAY_S, Space, check_key, sweep_scratch

__all__ = ["BucketObjects"]


class BucketObjects:
    """Objects below a prefix of a bucket.

    Parameters
    ----------
    url : str
        ``s3://bucket/prefix``.
    scratch : Path
        A local folder for uploads under way.
    """

    def __init__(self, url: str, scratch: Path) -> None:
        bucket, prefix = bucket_and_key(url)
        self._bucket = Bucket(bucket)
        self._start = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._address = f"s3://{bucket}/"
        self._scratch = scratch
        scratch.mkdir(parents=True, exist_ok=True)

    def put(self, content: bytes) -> str:
        """Keep some bytes; return their key once they are safe."""
        key = hashlib.sha256(content).hexdigest()
        self._bucket.put(self._place(key), content)
        return key

    def scratch(self) -> Path:
        """Return a fresh name for a local file under way."""
        return self._scratch / secrets.token_hex(12)

    def adopt(self, file: Path, key: str) -> None:
        """Send a local file; it is gone here when the store has it."""
        self._bucket.put(self._place(key), file.read_bytes())
        file.unlink()

    def read(self, key: str) -> bytes:
        """Return the bytes of an object."""
        return self._bucket.get(self._place(key))

    def source(self, key: str) -> Source:
        """Return the address of an object."""
        return self._address + self._place(key)

    def has(self, key: str) -> bool:
        """Tell whether an object is kept."""
        try:
            self._bucket.head(self._place(key))
        except FileNotFoundError:
            return False
        return True

    def drawn(self, name: str) -> Source | None:
        """Return a picture that was drawn before, if it is still there."""
        try:
            return self._bucket.get(self._drawn(name))
        except FileNotFoundError:
            return None

    def keep_drawn(self, name: str, content: bytes) -> Source:
        """Keep a picture for the next who asks."""
        self._bucket.put(self._drawn(name), content)
        return content

    def sweep(self, used: Collection[str], longest_s: float = UNDER_WAY_S) -> int:
        """Remove what died under way, old drawings, unnamed objects; return the bytes of these."""
        now = datetime.now(UTC)
        sweep_scratch(self._scratch)
        self._remove(self._bucket.list(self._start + "drawn/"), now, DRAWN_S)
        files = self._bucket.list(self._start + "files/")
        unnamed = (one for one in files if one.key.rpartition("/")[2] not in used)
        return self._remove(unnamed, now, longest_s)

    def space(self) -> Space:
        """Return how much room uploads under way have; that of the store is its operator's."""
        usage = shutil.disk_usage(self._scratch)
        return Space(usage.free, usage.total)

    def _remove(self, held: Iterable[Held], now: datetime, longest_s: float) -> int:
        """Remove what is older; return how many bytes it had."""
        old = [one for one in held if now - one.modified > timedelta(seconds=longest_s)]
        with suppress(FileNotFoundError):
            if old:
                self._bucket.delete([one.key for one in old])
        return sum(one.size for one in old)

    def _place(self, key: str) -> str:
        check_key(key)
        return f"{self._start}files/{key[:2]}/{key}"

    def _drawn(self, name: str) -> str:
        return f"{self._start}drawn/{name}"
