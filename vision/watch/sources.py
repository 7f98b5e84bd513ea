"""Where pictures come from: a film, a folder, a camera or a stream.

A film and a folder give every picture in order with their own times, so that what is watched can
be watched again and comes out the same. A camera or a stream gives its newest picture only, see
:mod:`vision.watch.capture`.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast

import cv2
import numpy as np

from vision.errors import ScanError, SourceError
from vision.imaging.film_faults import FilmFaults, FilmState
from vision.imaging.photo import decode_sound, turn_upright
from vision.values.arrays import ImageBGR
from vision.watch.display import shown_orientation

__all__ = [
    "PICTURES",
    "RECORDING",
    "FilmFault",
    "LostPicture",
    "Picture",
    "Seen",
    "codec_name",
    "coded_as",
    "folder_pictures",
    "kind_of_source",
    "video_pictures",
    "with_square_pixels",
]

# Read when OpenCV opens its first film: its decoders' own talk stands beside our one line.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

SourceKind: TypeAlias = Literal["camera", "stream", "video", "folder"]
PICTURES = (".jpg", ".jpeg", ".png", ".webp")
RECORDING = "recording.json"
_STREAMS = ("rtsp://", "rtsps://", "http://", "https://", "rtmp://", "udp://", "tcp://")
_SECONDS = re.compile(r"(\d+(?:[.,]\d+)?)\s*s$")
_LACKED = {"av01": "AV1"}  # codecs that OpenCV's wheels name and decode with a graphics card only
_MOST_STRETCHED = 4.0  # width over height of a pixel: more is no film's, but a header's mistake
_FOLDER_RATE = 10.0  # pictures a second, where names tell no times


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One picture of a source: (H, W, 3) uint8 BGR, its time in seconds, its number from 0."""

    image: ImageBGR
    time_s: float
    number: int


@dataclass(frozen=True, slots=True)
class LostPicture:
    """A picture of a source that is left out: its time in seconds, and why."""

    time_s: float
    why: str


@dataclass(frozen=True, slots=True)
class FilmFault:
    """A film is damaged, or of a kind in which damage is not noticed; known at a time (s).

    Any of its pictures may be wrong, those before that time, too.
    """

    time_s: float
    state: FilmState


#: What a source gives, one after another.
Seen: TypeAlias = Picture | LostPicture | FilmFault


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


def video_pictures(path: Path) -> Iterator[Picture | FilmFault]:
    """Yield every picture of a film, with its own times; also what may be wrong with it.

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
            msg = "not a readable film; convert it to MP4 (H.264) or AVI (MJPEG)"
            raise SourceError(msg)
        codec = codec_name(int(film.get(cv2.CAP_PROP_FOURCC)))
        state: FilmState = ""
        number, last_s = 0, 0.0
        with FilmFaults(path) as faults:
            for picture in _decoded(film, path):
                number, last_s = picture.number + 1, picture.time_s
                if (now := faults.decode_to(number)) != state:
                    state = now
                    yield FilmFault(last_s, state)
                yield picture
            if number and (now := faults.decode_to()) != state:
                yield FilmFault(last_s, now)
    finally:
        film.release()
    if not number:
        msg = (
            f"the film has no readable picture{coded_as(codec)}; it may be cut off: copy it "
            "again, or convert it to MP4 (H.264)"
        )
        raise SourceError(msg)


def _decoded(film: cv2.VideoCapture, path: Path) -> Iterator[Picture]:
    """Yield the pictures of an open film as they are to be shown."""
    show = _as_shown(film, path)
    rate = float(film.get(cv2.CAP_PROP_FPS))
    rate = rate if 0.1 < rate < 1000 else 25.0
    last, number = -1.0, 0
    while True:
        done, image = film.read()
        if not done:
            return
        time_s = float(film.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        if not np.isfinite(time_s) or time_s <= last:  # some films tell no times
            time_s = last + 1 / rate if number else 0.0
        yield Picture(show(np.asarray(image, np.uint8)), time_s, number)
        last, number = time_s, number + 1


def coded_as(codec: str) -> str:
    """Name a codec that OpenCV's decoders may lack; nothing where there is none to name.

    Examples
    --------
    >>> coded_as("av01")
    ' (it is coded as AV1)'
    """
    return f" (it is coded as {_LACKED[codec.lower()]})" if codec.lower() in _LACKED else ""


def codec_name(code: int) -> str:
    """Return the four letters that a codec's number stands for."""
    return (code & 0xFFFFFFFF).to_bytes(4, "little").decode("latin-1")


def _as_shown(film: cv2.VideoCapture, path: Path) -> Callable[[ImageBGR], ImageBGR]:
    """Return what makes of a film's stored pictures those that it shows: turned, mirrored, wide.

    Raises
    ------
    SourceError
        If they are to be turned otherwise.
    """
    orientation = shown_orientation(path)
    if orientation is not None:  # else OpenCV turns them as well as it can
        film.set(cv2.CAP_PROP_ORIENTATION_AUTO, 0)

    def show(image: ImageBGR) -> ImageBGR:
        return turn_upright(with_square_pixels(film, image), orientation or 1)

    return show


def with_square_pixels(film: cv2.VideoCapture, image: ImageBGR) -> ImageBGR:
    """Stretch a picture whose pixels are wider or higher than that, so that squares are square."""
    wide, high = film.get(cv2.CAP_PROP_SAR_NUM), film.get(cv2.CAP_PROP_SAR_DEN)
    if not (np.isfinite([wide, high]).all() and min(wide, high) > 0) or wide == high:
        return image
    height, width = image.shape[:2]
    ratio = wide / high
    if not 1 / _MOST_STRETCHED <= ratio <= _MOST_STRETCHED:
        return image
    size_wh = (round(width * ratio), height) if ratio > 1 else (width, round(height / ratio))
    return np.asarray(cv2.resize(image, size_wh, interpolation=cv2.INTER_LINEAR), np.uint8)


def folder_pictures(path: Path) -> Iterator[Picture | LostPicture]:
    """Yield the pictures of a folder in order of their names, or of its recording.

    One that cannot be read, or is damaged, is told as lost; so its neighbours show what there is.

    A recording tells the times. So does a name that ends in seconds (``table-12.5s.jpg``);
    pictures without times stand a tenth of a second apart.

    Raises
    ------
    SourceError
        If the folder holds no picture that can be read, or such a recording.
    """
    shown, whys = 0, list[str]()
    for one in _of_folder(path):
        if isinstance(one, LostPicture):
            whys.append(one.why)
        else:
            shown += 1
        yield one
    if not shown:
        msg = f"the folder has no readable picture ({whys[0]})"
        raise SourceError(msg)


def _of_folder(path: Path) -> Iterator[Picture | LostPicture]:
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
        image = _read_picture(file)
        if isinstance(image, str):
            yield LostPicture(time_s, image)
        else:
            yield Picture(image, time_s, number)


def _recorded(path: Path) -> Iterator[Picture | LostPicture]:
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
    name, image = "", cast("ImageBGR | str", "")
    for number, (file, time_s) in enumerate(entries):
        if file != name:
            if Path(file).name != file:
                msg = f"{RECORDING} names {file!r}; pictures lie in the folder itself"
                raise SourceError(msg)
            name, image = file, _read_picture(path / file)
            if isinstance(image, str):
                yield LostPicture(time_s, image)
        if not isinstance(image, str):
            yield Picture(image, time_s, number)


def _read_picture(file: Path) -> ImageBGR | str:
    """Return a picture, or why it cannot be read."""
    try:
        return decode_sound(file.read_bytes()).image
    except (ScanError, OSError) as error:
        return f"{file.name}: {error}"
