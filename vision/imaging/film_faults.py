"""What is wrong with a film, by what its decoder says: in a process of its own.

OpenCV shows concealed pictures as if they were sound, and its decoders talk to a terminal only. So
a film is decoded once more beside whoever reads it, in a process that writes down what they say and
how far it has come; the reader waits for it before each picture.

What counts: errors; blocks that were concealed, which FFmpeg tells as news; packets that the
container says are corrupt or cut off, which it tells as a warning. Pictures of a film of JPEGs must
be sound as a photo is, if most of them are. Of HEVC FFmpeg says too little; its pictures are proven
(:mod:`vision.imaging.coded_films`, extra ``heic``). Films in other codecs, VP8 and VP9 among them,
are unproven: what is made of wrong bytes there is not told.
"""

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from vision.errors import ImageDecodeError
from vision.imaging.coded_films import can_prove_film, sound_pictures
from vision.imaging.decoding import decode_pixels

__all__ = ["FilmFaults", "FilmState", "report_faults"]

_MARK, _UNPROVEN = b"#picture\n", b"#unproven\n"
_DAMAGED = b"[FFMPEG:16] not as it was written\n"
_JPEG, _HEVC = ("mjpg",), ("hevc", "hvc1", "hev1")
_TOLD = ("h264", "avc1", "fmp4", "mp4v", "xvid", "divx", "dx50")  # H.264, MPEG-4
_LEVEL = "OPENCV_FFMPEG_LOGLEVEL"
_NEWS = "32"  # AV_LOG_INFO
#: The number is the level: 0 panic, 8 fatal, 16 error, 24 warning, 32 news.
_FAULT = re.compile(rb"FFMPEG:(?:0[08]|16)\]|FFMPEG:24\] Packet corrupt|FFMPEG:32\] concealing \d")


FilmState = Literal["", "unproven", "damaged"]


class FilmFaults:
    """Follows the decoding of a film beside whoever reads it; a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._child: subprocess.Popen[bytes] | None = None
        self._decoded = 0
        self._state: FilmState = ""

    def __enter__(self) -> "FilmFaults":
        command = [sys.executable, "-m", "vision.imaging.film_faults", str(self._path)]
        quiet, places = subprocess.DEVNULL, os.pathsep.join(filter(None, sys.path))
        self._child = subprocess.Popen(
            command,
            stdin=quiet,
            stdout=subprocess.PIPE,
            stderr=quiet,
            env={**os.environ, _LEVEL: _NEWS, "PYTHONPATH": places},
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None and self._child.stdout is not None:
            self._child.stdout.close()
            self._child.kill()
            self._child.wait()

    def decode_to(self, count: int | None = None) -> FilmState:
        """Wait until so many pictures are decoded, or all; return what is known of the film."""
        if self._child is None or self._child.stdout is None:
            msg = "decode_to: expected to be called within the context"
            raise ValueError(msg)
        while self._state != "damaged" and (count is None or self._decoded < count):
            line = self._child.stdout.readline()
            if not line:
                break
            self._decoded += line.endswith(_MARK)
            if line.endswith(_UNPROVEN):
                self._state = "unproven"
            if _FAULT.search(line) is not None:
                self._state = "damaged"
        return self._state


def report_faults(path: str) -> None:
    """Decode a film, and write what FFmpeg says, and a mark for each picture, to standard output.

    The environment says how much FFmpeg tells. One thread: what it says comes before the picture.
    """
    film = cv2.VideoCapture(path, cv2.CAP_ANY, [cv2.CAP_PROP_N_THREADS, 1])
    code = int(film.get(cv2.CAP_PROP_FOURCC)) & 0xFFFFFFFF
    codec = code.to_bytes(4, "little").decode("latin-1").lower()
    proof = _proof(codec, path)
    _flush()
    with suppress(BrokenPipeError):
        if proof is None and codec not in _TOLD:
            os.write(1, _UNPROVEN)
        while film.grab():
            _flush()
            os.write(1, _MARK if proof is None or next(proof, True) else _DAMAGED + _MARK)
    _flush()


def _proof(codec: str, path: str) -> Iterator[bool] | None:
    """Return what says of one picture after another whether it is sound; None for most codecs."""
    if codec in _JPEG:
        return _sound_jpegs(path)
    return sound_pictures(path) if codec in _HEVC and can_prove_film(path) else None


def _sound_jpegs(path: str) -> Iterator[bool]:
    """Yield after each picture of a film of JPEGs whether all are sound, if most of them are."""
    coded = cv2.VideoCapture(path, cv2.CAP_FFMPEG, [cv2.CAP_PROP_FORMAT, -1])  # as they are
    found = {True: 0, False: 0}
    while True:
        done, content = coded.read()
        if not done:
            return
        found[_is_sound_jpeg(content)] += 1
        yield not 0 < found[False] < found[True]


def _is_sound_jpeg(content: np.ndarray) -> bool:
    try:
        decoded = decode_pixels(content.tobytes(), "JPEG")
    except ImageDecodeError:
        return False
    return not (decoded.is_damaged or decoded.is_seamed)


def _flush() -> None:
    """Have what C code has printed written; where that cannot be asked for it comes at the end."""
    with suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).fflush(None)


if __name__ == "__main__":
    report_faults(sys.argv[1])
