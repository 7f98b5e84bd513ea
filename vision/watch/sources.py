"""Where pictures come from: a film, a folder, a camera or a stream.

A film and a folder give every picture in order with their own times, so that what is watched can
be watched again and comes out the same. A camera or a stream gives its newest picture only, see
:mod:`vision.watch.capture`.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import cv2
import numpy as np

from vision.errors import ScanError, SourceError
from vision.imaging.photo import decode_photo
from vision.values.arrays import ImageBGR

__all__ = [
    "PICTURES",
    "RECORDING",
    "Picture",
    "SourceKind",
    "folder_pictures",
    "kind_of_source",
    "video_pictures",
]

SourceKind: TypeAlias = Literal["camera", "stream", "video", "folder"]
PICTURES = (".jpg", ".jpeg", ".png", ".webp")
RECORDING = "recording.json"
_STREAMS = ("rtsp://", "rtsps://", "http://", "https://", "rtmp://", "udp://", "tcp://")
_SECONDS = re.compile(r"(\d+(?:[.,]\d+)?)\s*s$")
_FOLDER_RATE = 10.0  # pictures a second, where names tell no times


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One picture of a source: (H, W, 3) uint8 BGR, its time in seconds, its number from 0."""

    image: ImageBGR
    time_s: float
    number: int


def kind_of_source(source: str) -> SourceKind:
    """Tell what a source is: a number is a camera, an address a stream, else a path.

    Raises
    ------
    SourceError
        If there is no such file or folder.

    Examples
    --------
    >>> kind_of_source("0"), kind_of_source("rtsp://10.0.0.7/live")
    ('camera', 'stream')
    """
    if source.isdecimal():
        return "camera"
    if source.lower().startswith(_STREAMS):
        return "stream"
    path = Path(source)
    if path.is_dir():
        return "folder"
    if path.is_file():
        return "video"
    if source.startswith("/dev/video"):
        return "camera"
    msg = (
        "no such file or folder; needed a camera number (0), a video file, a folder of pictures, "
        "or a stream address such as rtsp://… or http://…"
    )
    raise SourceError(msg)


def video_pictures(path: Path) -> Iterator[Picture]:
    """Yield every picture of a film, with its own times.

    Raises
    ------
    SourceError
        If it cannot be opened or holds no picture.
    """
    loudness = cv2.utils.logging.getLogLevel()
    cv2.utils.logging.setLogLevel(
        cv2.utils.logging.LOG_LEVEL_SILENT
    )  # a broken film is told by an error, not by the library's own talk
    try:
        film = cv2.VideoCapture(str(path))
    finally:
        cv2.utils.logging.setLogLevel(loudness)
    try:
        if not film.isOpened():
            msg = "not a film that can be read here; convert it to MP4 (H.264) or AVI (MJPEG)"
            raise SourceError(msg)
        rate = float(film.get(cv2.CAP_PROP_FPS))
        rate = rate if 0.1 < rate < 1000 else 25.0
        last, number = -1.0, 0
        while True:
            done, image = film.read()
            if not done:
                break
            time_s = float(film.get(cv2.CAP_PROP_POS_MSEC)) / 1000
            if not np.isfinite(time_s) or time_s <= last:  # some films tell no times
                time_s = last + 1 / rate if number else 0.0
            yield Picture(np.asarray(image, np.uint8), time_s, number)
            last, number = time_s, number + 1
    finally:
        film.release()
    if not number:
        msg = "the film holds no picture that can be read; it may be cut off: copy it again"
        raise SourceError(msg)


def folder_pictures(path: Path) -> Iterator[Picture]:
    """Yield the pictures of a folder in order of their names, or of its recording.

    A recording tells the times. So does a name that ends in seconds (``table-12.5s.jpg``);
    pictures without times stand a tenth of a second apart.

    Raises
    ------
    SourceError
        If the folder holds no picture, or a recording that cannot be read.
    """
    if (path / RECORDING).is_file():
        yield from _recorded(path)
        return
    seen = (file for file in path.iterdir() if not file.name.startswith("."))
    files = sorted(file for file in seen if file.suffix.lower() in PICTURES)
    if not files:
        msg = f"the folder holds no picture; needed files of {', '.join(PICTURES)}"
        raise SourceError(msg)
    told = [_SECONDS.search(file.stem) for file in files]
    if all(told):
        times = [float(found[1].replace(",", ".")) for found in told if found is not None]
        files = [file for _, file in sorted(zip(times, files, strict=True))]
        times = sorted(times)
    else:
        times = [k / _FOLDER_RATE for k in range(len(files))]
    for number, (file, time_s) in enumerate(zip(files, times, strict=True)):
        yield Picture(_read_picture(file), time_s, number)


def _recorded(path: Path) -> Iterator[Picture]:
    """Yield the pictures of a recording; one file may stand for a while."""
    try:
        told = json.loads((path / RECORDING).read_text(encoding="utf-8"))
        entries = [(str(one["file"]), float(one["time_s"])) for one in told["pictures"]]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{RECORDING} is not a recording of this program; record the round again"
        raise SourceError(msg) from error
    if not entries:
        msg = f"{RECORDING} lists no picture: nothing happened while it was recorded"
        raise SourceError(msg)
    name, image = "", np.zeros((0, 0, 3), np.uint8)
    for number, (file, time_s) in enumerate(entries):
        if file != name:
            if Path(file).name != file:
                msg = f"{RECORDING} names {file!r}; pictures lie in the folder itself"
                raise SourceError(msg)
            name, image = file, _read_picture(path / file)
        yield Picture(image, time_s, number)


def _read_picture(file: Path) -> ImageBGR:
    try:
        return decode_photo(file.read_bytes()).image
    except ScanError as error:
        msg = f"{file.name}: {error}"
        raise SourceError(msg) from error
