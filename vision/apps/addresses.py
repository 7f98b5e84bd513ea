"""Photos by address: files, bytes, and objects of an S3-compatible store (``s3://bucket/key``)."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from vision.apps.buckets import open_bucket

__all__ = ["Source", "bucket_and_key", "content_of", "is_address", "list_below", "stamp_of"]

#: Where something is to be had: a file, an address, or its bytes.
Source: TypeAlias = Path | str | bytes

_SCHEME = "s3://"


def is_address(text: str) -> bool:
    """Tell whether a text names an object of a store, not a file."""
    return text.startswith(_SCHEME)


def content_of(source: Source) -> bytes:
    """Return what lies there.

    Raises
    ------
    OSError
        If it cannot be had.
    """
    if isinstance(source, bytes):
        return source
    if isinstance(source, Path):
        return source.read_bytes()
    bucket, key = bucket_and_key(source)
    return open_bucket(bucket).get(key)


def list_below(prefix: str) -> Iterator[str]:
    """Yield the addresses of all objects below a prefix, in the order of their names.

    Raises
    ------
    OSError
        If the store cannot be reached or has no such bucket.
    """
    bucket, start = bucket_and_key(prefix)
    for key in sorted(held.key for held in open_bucket(bucket).list(start)):
        yield f"{_SCHEME}{bucket}/{key}"


def stamp_of(source: Path | str) -> str:
    """Return what is another if another photo lies there: its size, and its time or its tag.

    Raises
    ------
    OSError
        If there is none.
    """
    if isinstance(source, Path):
        known = source.stat()
        return f"{known.st_size}-{known.st_mtime_ns}"
    bucket, key = bucket_and_key(source)
    held = open_bucket(bucket).head(key)
    return f"{held.size}-{held.tag}"


def bucket_and_key(address: str) -> tuple[str, str]:
    """Return the bucket and the key of an address.

    Raises
    ------
    OSError
        If it is none.
    """
    bucket, _, key = address.removeprefix(_SCHEME).partition("/")
    if not is_address(address) or not bucket:
        msg = f"{address!r}: expected an address such as s3://bucket/key"
        raise OSError(msg)
    return bucket, key
