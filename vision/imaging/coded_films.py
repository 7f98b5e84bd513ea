"""A film in HEVC -> whether the coded data of each picture are used up to their end.

As for a HEIC (:mod:`vision.imaging.coded_items`), of which the pictures stand alone. Those of a
film are made of others; but how their data are taken apart hangs on no other picture. So each is
decoded by itself, from the grey that FFmpeg puts where a picture is lacking: what is seen means
nothing, and whether it changes with the last bytes tells all the same.
"""

import hashlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from vision.imaging.coded_items import (
    BACK,
    CHANGE,
    can_prove,
    coded_slices,
    lengthened,
    place_before_end,
)

__all__ = ["can_prove_film", "sound_pictures"]

_HEADER = 1  # of a stream whose data units begin with their length, of so many bytes:
_LENGTH_AT, _LENGTH_MASK, _LENGTH = 21, 3, 3


def can_prove_film(path: str) -> bool:
    """Return whether a film's pictures can be proven: PyAV is there, its data have the usual form.

    Also False where it cannot be opened.
    """
    if not can_prove():
        return False
    av = import_module("av")
    try:
        with av.open(path) as film:
            header = film.streams.video[0].codec_context.extradata or b""
    except (av.FFmpegError, IndexError):
        return False
    is_usual = header[:1] == bytes([_HEADER]) and len(header) > _LENGTH_AT
    return is_usual and header[_LENGTH_AT] & _LENGTH_MASK == _LENGTH


def sound_pictures(path: str) -> Iterator[bool]:
    """Yield of each picture of a HEVC film, as they are coded, whether it is whole."""
    av = import_module("av")
    av.logging.set_level(None)
    try:
        with av.open(path) as film:
            stream = film.streams.video[0]
            alone = _Alone(av, stream.codec_context.extradata)
            for packet in film.demux(stream):
                if packet.size:
                    yield _is_whole(alone, bytes(packet))
    except av.FFmpegError:
        yield False


class _Alone:
    """Decodes single pictures, without those that they are made of."""

    def __init__(self, av: Any, header: bytes) -> None:
        self._av, self._header = av, header
        self._decoder = self._fresh()

    def _fresh(self) -> Any:
        decoder = self._av.CodecContext.create("hevc", "r")
        decoder.extradata, decoder.thread_count = self._header, 1
        decoder.options = {"flags": "+output_corrupt"}
        return decoder

    def digest(self, coded: bytes) -> bytes | None:
        """Return a digest of the picture; None if there is none."""
        found = self._try(coded)
        if found is None:  # a key picture may wait for those before it, which are forgotten
            self._decoder = self._fresh()
            found = self._try(coded)
        return found

    def _try(self, coded: bytes) -> bytes | None:
        try:
            frames = self._decoder.decode(self._av.Packet(coded)) + self._decoder.decode(None)
        except self._av.FFmpegError:
            frames = []
        self._decoder.flush_buffers()
        digest = hashlib.blake2b(digest_size=16)
        for frame in frames:
            for plane in frame.planes:
                digest.update(bytes(plane))
        return digest.digest() if frames else None


def _is_whole(alone: _Alone, coded: bytes) -> bool:
    """Return whether a picture hangs on the end of each of its slices, and on nothing behind."""
    slices = list(coded_slices(coded, 0, len(coded)))
    seen = alone.digest(coded)
    if not slices or seen is None or alone.digest(lengthened(coded, 0, len(coded), slices)) != seen:
        return False
    return all(_uses_end(alone, coded, one, seen) for one in slices)


def _uses_end(alone: _Alone, coded: bytes, one: tuple[int, int, int], seen: bytes) -> bool:
    for back in BACK:
        place = place_before_end(coded, one[1], one[2], back)
        if place is None:
            continue
        changed = bytearray(coded)
        changed[place] ^= CHANGE
        if alone.digest(bytes(changed)) != seen:
            return True
    return False
