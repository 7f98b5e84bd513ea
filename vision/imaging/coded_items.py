"""HEIC and AVIF files -> whether the coded data of each picture are used up to their end.

HEVC and AV1 code a picture arithmetically: behind a wrong byte all symbols are others, and the
decoder stops too early or too late. The decoders that paint the picture conceal this. Here the
data are decoded by FFmpeg in one thread (PyAV, extra ``heic``), which also ignores where the rows
of a picture begin, so that an error in one row reaches the last. A picture is whole if

1. FFmpeg reports nothing,
2. bytes that are appended to each slice change no pixel (the decoder stopped in time), and
3. other bytes at the end of each slice change pixels (it did not stop before).

Of AV1 the first is asked alone: its decoder checks the end of the data itself.

References
----------
.. [1] ISO/IEC 14496-12, 8.11.3 (item locations); 23008-12 (HEIF); ITU-T H.265, 7.3 and 9.3.
"""

import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any

__all__ = [
    "BACK",
    "CHANGE",
    "can_prove",
    "coded_slices",
    "is_whole",
    "lengthened",
    "place_before_end",
]

_HEVC, _AV1 = b"hvc1", b"av01"
_FIRST_PARAMETER_NAL = 32  # NAL units of smaller types hold coded slices
_APPENDED = bytes([0x55, 0x9A, 0x37, 0xC6]) * 16  # more than an arithmetic decoder reads ahead
_PADDING = b"\0\0\3"  # a word that encoders may append to a slice, of any number
#: Bytes before a slice's end that are changed in turn, until each picture has changed. The last one
#: may hold the stop bit alone; sound files of six makers need at most the fourth.
BACK = (2, 3, 4, 6, 8, 12, 16, 24)
CHANGE = 0x55
_FFMPEG_LOG = Lock()  # the log's level and its reports belong to the process, not to a thread
_STRICT = {"err_detect": "explode", "strict": "strict"}

_Pictures = dict[int, bytes | None]  # by the id of the item


@dataclass(frozen=True, slots=True)
class _Item:
    """Coded data in one piece; where its offset (from ``base``) and its length stand in the file.

    ``slices`` are the positions of its coded slices: of the length field, of the first byte and
    behind the last one.
    """

    start: int
    end: int
    base: int
    fields_at: int
    offset_size: int
    length_size: int
    slices: tuple[tuple[int, int, int], ...]


class _UnreadableError(Exception):
    """The file's structure is none that this module reads."""


def can_prove() -> bool:
    """Return whether PyAV is installed."""
    return find_spec("av") is not None


def is_whole(encoded: bytes) -> bool:
    """Return whether all coded pictures of a HEIC or AVIF file are as they were written.

    Needs PyAV (:func:`can_prove`). A file whose structure cannot be read is not whole.
    """
    try:
        items = _items(encoded, _HEVC)
        ids = set(items or _items(encoded, _AV1))
        pictures = _decode(encoded, ids)
        if not pictures or None in pictures.values():
            return False
        return not items or (
            _decode(_lengthen(encoded, items), ids) == pictures
            and _uses_ends(encoded, items, pictures)
        )
    except (_UnreadableError, IndexError):
        return False


def _uses_ends(encoded: bytes, items: dict[int, _Item], pictures: _Pictures) -> bool:
    """Return whether each picture depends on the end of each of its slices."""
    for number in range(max(len(item.slices) for item in items.values())):
        left = set(pictures)  # one of fewer slices is asked for its last one again
        for back in BACK:
            changed = _decode(_change_ends(encoded, items, number, back), left)
            left = {key for key in left if changed.get(key) == pictures[key]}
            if not left:
                break
        else:
            return False
    return True


def _decode(encoded: bytes, wanted: set[int]) -> _Pictures:
    """Return a digest of the picture of each item that is wanted; None if FFmpeg reports a fault.

    Raises
    ------
    _UnreadableError
        If FFmpeg cannot read the file's structure.
    """
    av = import_module("av")
    found: _Pictures = {}
    with _FFMPEG_LOG:
        level = av.logging.get_level()
        av.logging.set_level(av.logging.ERROR)
        try:
            with (
                av.logging.Capture(local=False) as reports,
                av.open(io.BytesIO(encoded)) as container,
            ):
                streams = [stream for stream in container.streams.video if stream.id in wanted]
                for stream in streams:
                    stream.codec_context.thread_count = 1
                    stream.codec_context.options = _STRICT
                for packet in container.demux(streams):
                    _take(av, packet, found, reports)
        except (av.FFmpegError, ValueError) as error:
            raise _UnreadableError from error
        finally:
            av.logging.set_level(level)
    return found


def _take(av: Any, packet: Any, found: _Pictures, reports: list[Any]) -> None:
    """Decode what one packet holds into ``found``."""
    item, before = packet.stream.id, len(reports)
    try:
        frames = packet.stream.codec_context.decode(packet if packet.size else None)
    except av.EOFError:
        return
    except av.FFmpegError:
        found[item], frames = None, []
    if len(reports) > before:
        found[item] = None
    for frame in frames:
        digest = hashlib.blake2b(digest_size=16)
        for plane in frame.planes:
            digest.update(bytes(plane))
        found.setdefault(item, digest.digest())


# --- structure of the file -------------------------------------------------------------------


def _boxes(encoded: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield name, start and end of the content of each box."""
    while start + 8 <= end:
        length, header = int.from_bytes(encoded[start : start + 4], "big"), 8
        if length == 1:
            length, header = int.from_bytes(encoded[start + 8 : start + 16], "big"), 16
        length = length or end - start
        if length < header or start + length > end:
            raise _UnreadableError
        yield encoded[start + 4 : start + 8], start + header, start + length
        start += length


class _Fields:
    """Numbers of a box, read one after another."""

    def __init__(self, encoded: bytes, at: int) -> None:
        self._encoded, self.at = encoded, at

    def take(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self._encoded[self.at - size : self.at], "big")


def _items(encoded: bytes, kind: bytes) -> dict[int, _Item]:
    """Return the coded pictures of one kind, by their id."""
    meta = [box for box in _boxes(encoded, 0, len(encoded)) if box[0] == b"meta"]
    if not meta:
        raise _UnreadableError
    inner = {name: (start, end) for name, start, end in _boxes(encoded, meta[0][1] + 4, meta[0][2])}
    if b"iinf" not in inner or b"iloc" not in inner:
        raise _UnreadableError
    wanted = _ids(encoded, *inner[b"iinf"], kind)
    return {key: item for key, item in _locations(encoded, inner[b"iloc"][0]) if key in wanted}


def _ids(encoded: bytes, start: int, end: int, kind: bytes) -> set[int]:
    first = start + 4 + (4 if encoded[start] else 2)
    found = set()
    for name, at, _ in _boxes(encoded, first, end):
        if name != b"infe":
            continue
        fields = _Fields(encoded, at + 4)
        identity = fields.take(2 if encoded[at] == 2 else 4)
        if encoded[fields.at + 2 : fields.at + 6] == kind:
            found.add(identity)
    return found


def _locations(encoded: bytes, start: int) -> Iterator[tuple[int, _Item]]:
    """Yield the id and the place of each item that lies in the file in one piece."""
    version, fields = encoded[start], _Fields(encoded, start + 4)
    sizes = [half for byte in (fields.take(1), fields.take(1)) for half in (byte >> 4, byte & 15)]
    offset_size, length_size, base_size, index_size = sizes
    wide = 4 if version == 2 else 2
    for _ in range(fields.take(wide)):
        identity = fields.take(wide)
        method = fields.take(2) & 15 if version else 0
        fields.take(2)
        base = fields.take(base_size)
        pieces = []
        for _ in range(fields.take(2)):
            fields.take(index_size if version else 0)
            at = fields.at
            pieces.append((at, base + fields.take(offset_size), fields.take(length_size)))
        if method != 0 or len(pieces) != 1:
            continue
        at, first, length = pieces[0]
        if first + length > len(encoded):
            raise _UnreadableError
        slices = tuple(coded_slices(encoded, first, first + length))
        yield identity, _Item(first, first + length, base, at, offset_size, length_size, slices)


def coded_slices(encoded: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the coded slices among the NAL units of an item, which tell their length in 4 bytes."""
    while start + 6 <= end:
        stop = start + 4 + int.from_bytes(encoded[start : start + 4], "big")
        if stop > end:
            return
        if (encoded[start + 4] >> 1) & 63 < _FIRST_PARAMETER_NAL:
            yield start, start + 4, stop
        start = stop


# --- the same file, changed ------------------------------------------------------------------


def _lengthen(encoded: bytes, items: dict[int, _Item]) -> bytes:
    """Return the file with bytes appended to each slice: longer items in a box at the end."""
    longer = bytearray(encoded)
    for item in items.values():
        content = lengthened(encoded, item.start, item.end, item.slices)
        offset = (len(longer) + 8 - item.base).to_bytes(item.offset_size, "big")
        length = len(content).to_bytes(item.length_size, "big")
        longer[item.fields_at : item.fields_at + len(offset + length)] = offset + length
        longer += (len(content) + 8).to_bytes(4, "big") + b"mdat" + content
    return bytes(longer)


def lengthened(
    encoded: bytes, start: int, end: int, slices: Iterable[tuple[int, int, int]]
) -> bytes:
    """Return a part of encoded data with bytes that belong to nothing behind each of its slices."""
    longer, at = bytearray(), start
    for field, first, stop in slices:
        length = (stop - first + len(_APPENDED)).to_bytes(4, "big")
        longer += encoded[at:field] + length + encoded[first:stop] + _APPENDED
        at = stop
    return bytes(longer + encoded[at:end])


def _change_ends(encoded: bytes, items: dict[int, _Item], number: int, back: int) -> bytes:
    """Return the file with one byte changed, ``back`` before the end of a slice of each item."""
    changed = bytearray(encoded)
    for item in items.values():
        if not item.slices:
            continue
        _, first, stop = item.slices[min(number, len(item.slices) - 1)]
        if (place := place_before_end(encoded, first, stop, back)) is not None:
            changed[place] ^= CHANGE
    return bytes(changed)


def place_before_end(encoded: bytes, first: int, stop: int, back: int) -> int | None:
    """Return the place of a byte so far before the end of a slice's data; None before its first."""
    while stop > first and (encoded[stop - 1] == 0 or encoded[stop - 3 : stop] == _PADDING):
        stop -= 1 if encoded[stop - 1] == 0 else len(_PADDING)
    return stop - back if stop - back > first else None
