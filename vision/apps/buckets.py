"""A bucket of an S3-compatible store, reached with `obstore` (the extra ``s3``).

Where the store is and who asks is told by the usual variables of the environment
(``AWS_ENDPOINT``, ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``, ``AWS_REGION``).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

__all__ = ["Bucket", "Held", "open_bucket"]

#: How long a store that does not answer is asked again. Stores restart within seconds.
_PATIENCE = timedelta(seconds=40)


@dataclass(frozen=True, slots=True)
class Held:
    """What a store says of an object."""

    key: str
    size: int
    tag: str
    modified: datetime


class Bucket:
    """Objects by their keys; each is there whole or not at all.

    Every method raises ``FileNotFoundError`` for an object that is not there, and ``OSError`` if
    the store does not answer.
    """

    def __init__(self, name: str) -> None:
        try:
            from obstore.store import S3Store
        except ImportError as error:
            msg = f"s3://{name}: stores are reached with an extra: pip install '.[s3]'"
            raise OSError(msg) from error
        self.name = name
        with self._asking(""):
            self._store = S3Store(
                name,
                client_options={"allow_http": True},  # the operator's own address may be one
                retry_config={
                    "max_retries": 1000,  # 30 were over after 9 s
                    "retry_timeout": _PATIENCE,
                    "backoff": {
                        "init_backoff": timedelta(seconds=0.1),
                        "max_backoff": timedelta(seconds=1),
                        "base": 2,
                    },
                },
            )

    def get(self, key: str) -> bytes:
        """Return an object."""
        with self._asking(key):
            return bytes(self._store.get(key).bytes())

    def put(self, key: str, content: bytes) -> None:
        """Keep an object."""
        with self._asking(key):
            self._store.put(key, content)

    def head(self, key: str) -> Held:
        """Return what is said of an object."""
        with self._asking(key):
            return _held(self._store.head(key))

    def list(self, prefix: str) -> Iterator[Held]:
        """Yield what is kept below a prefix."""
        with self._asking(prefix):
            for page in self._store.list(prefix):
                yield from map(_held, page)

    def delete(self, keys: Sequence[str]) -> None:
        """Remove objects; one that is gone already is no error."""
        with self._asking(", ".join(keys[:1])):
            self._store.delete(list(keys))

    @contextmanager
    def _asking(self, key: str) -> Iterator[None]:
        from obstore.exceptions import BaseError, NotFoundError

        try:
            yield
        except NotFoundError as error:
            raise FileNotFoundError(2, "no such object", f"s3://{self.name}/{key}") from error
        except BaseError as error:
            first = next(iter(str(error).strip().splitlines()), type(error).__name__)
            msg = f"s3://{self.name}/{key}: the store does not give it: {first}"
            raise OSError(msg) from error


@lru_cache(maxsize=4)
def open_bucket(name: str) -> Bucket:
    """Open a bucket, once for each process."""
    return Bucket(name)


def _held(entry: Any) -> Held:
    return Held(entry["path"], entry["size"], entry["e_tag"] or "", entry["last_modified"])
