"""A film's own header -> which way its pictures are to be shown.

An MP4 or MOV file says it by a matrix of its video track. OpenCV takes the turn of it alone: of a
film that is to be shown mirrored, as some front cameras write, the mirror is lost.

References
----------
.. [1] ISO/IEC 14496-12, ISO base media file format: boxes ``tkhd`` and ``hdlr``.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from vision.errors import SourceError

__all__ = ["shown_orientation"]

_MOST_HEADER = 64_000_000  # bytes: an hour of film has 2 MB
#: The matrix's (a, b, c, d), of ``x' = a x + c y`` and ``y' = b x + d y``, as EXIF numbers it.
_ORIENTATIONS = {
    (1, 0, 0, 1): 1,
    (-1, 0, 0, 1): 2,
    (-1, 0, 0, -1): 3,
    (1, 0, 0, -1): 4,
    (0, 1, 1, 0): 5,
    (0, 1, -1, 0): 6,
    (0, -1, -1, 0): 7,
    (0, -1, 1, 0): 8,
}


def shown_orientation(path: Path) -> int | None:
    """Return how a film is to be shown, as an EXIF orientation (1..8); None if it does not say.

    Raises
    ------
    SourceError
        If it is to be turned by other than quarters.
    """
    with path.open("rb") as file:
        header = _movie_header(file)
    for name, track in _boxes(header):
        if name == b"trak" and _is_video(track):
            return _orientation(track)
    return None


def _movie_header(file: BinaryIO) -> bytes:
    """Return the content of the box ``moov``, without reading what stands before it."""
    while len(head := file.read(8)) == 8:
        size, name = struct.unpack(">I4s", head)
        left = size - 8
        if size == 1:
            left = int.from_bytes(file.read(8), "big") - 16
        if name == b"moov":
            return file.read(min(left, _MOST_HEADER)) if left > 0 else b""
        if left < 0 or not name.isalnum():
            return b""
        file.seek(left, 1)
    return b""


def _boxes(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield name and content of the boxes within one."""
    at = 0
    while at + 8 <= len(content):
        size, name = struct.unpack_from(">I4s", content, at)
        if size < 8:
            return
        yield name, content[at + 8 : at + size]
        at += size


def _is_video(track: bytes) -> bool:
    media = next((inner for name, inner in _boxes(track) if name == b"mdia"), b"")
    handler = next((inner for name, inner in _boxes(media) if name == b"hdlr"), b"")
    return handler[8:12] == b"vide"


def _orientation(track: bytes) -> int | None:
    head = next((inner for name, inner in _boxes(track) if name == b"tkhd"), b"")
    start = 52 if head[:1] == b"\x01" else 40  # long times in version 1
    if len(head) < start + 20:
        return None
    a, b, _, c, d = struct.unpack_from(">5i", head, start)
    turn = tuple(round(value / 65536) for value in (a, b, c, d))
    if turn not in _ORIENTATIONS:
        msg = (
            "the film is stretched, or not turned by quarter turns; needed the original film, or "
            "one turned upright by a film editor"
        )
        raise SourceError(msg)
    return _ORIENTATIONS[turn]
