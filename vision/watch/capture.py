"""A camera or a stream in a process of its own, of which the newest picture is always at hand.

Drivers and networks hang; a process that hangs can be ended and started again, a thread cannot.
The child reads pictures as fast as they come and puts each into one of three places in shared
memory, then says which is the newest: whoever looks never waits for the camera and never sees half
a picture. Every picture is a heartbeat; without one for a while the child is replaced, each time
after a longer pause.
"""

import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Protocol, TypeAlias

import cv2
import numpy as np

from vision.errors import SourceError
from vision.watch.sources import Picture, codec_name, coded_as, with_square_pixels

__all__ = ["Camera", "CameraSettings", "OpenedCamera", "Opener", "open_camera"]

_SLOTS = 3
_HEAD = 4  # per place: number, width, height, time (ns)


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """What is asked of a camera, and how long it may be silent; seconds."""

    width: int | None = None  # asked for, pixels; None: what the camera gives of itself
    height: int | None = None  # likewise
    rate: float | None = None  # pictures a second asked for; None likewise
    open_s: float = 20.0  # a webcam takes one to five to start, a stream its handshake
    silent_s: float = 5.0  # without a picture: the process is replaced
    pauses_s: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)  # before each new try; the last stays
    most_pixels: int = 2560 * 1440  # larger pictures are halved: three of them stay in memory
    timeout_ms: int = 2000  # of a stream's own connecting and reading


class OpenedCamera(Protocol):
    """What a camera must be able to do: as ``cv2.VideoCapture``."""

    def read(self) -> tuple[bool, Any]:
        """Return whether there is a picture, and the picture."""
        ...

    def release(self) -> None:
        """Let go of the camera."""
        ...


Opener: TypeAlias = Callable[[str, CameraSettings], OpenedCamera | None]


def open_camera(source: str, settings: CameraSettings) -> OpenedCamera | None:
    """Open a camera by its number, or a stream by its address; None if that fails."""
    if source.isdecimal() or source.startswith("/dev/video"):
        camera = cv2.VideoCapture(int(source) if source.isdecimal() else source)
        if settings.width and settings.height:
            # MJPEG first: raw pictures of that size do not pass through USB 2 at a useful rate
            camera.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            camera.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width)
            camera.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height)
        if settings.rate:
            camera.set(cv2.CAP_PROP_FPS, settings.rate)
        camera.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    else:
        options = [
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
            settings.timeout_ms,
            cv2.CAP_PROP_READ_TIMEOUT_MSEC,
            settings.timeout_ms,
        ]
        camera = cv2.VideoCapture(source, cv2.CAP_FFMPEG, options)
    if not camera.isOpened():
        camera.release()
        return None
    return camera


class Camera:
    """The newest picture of a live source; a context manager.

    Parameters
    ----------
    source : str
        A camera number or a stream address.
    settings : CameraSettings, optional
        What to ask for.
    opener : callable, optional
        Opens the source, in the child; must be importable there.

    Notes
    -----
    Times are seconds since the source was made. ``read`` gives each picture once.
    """

    def __init__(
        self,
        source: str,
        settings: CameraSettings | None = None,
        opener: Opener = open_camera,
    ) -> None:
        self.source = source
        self.settings = settings or CameraSettings()
        self.restarts = 0
        self._opener = opener
        self._context: SpawnContext = multiprocessing.get_context("spawn")
        self._start_ns = time.monotonic_ns()
        self._size = 3 * self.settings.most_pixels
        self._memory: Any = None
        self._head: Any = None
        self._child: SpawnProcess | None = None
        self._begun_s = 0.0
        self._fed_s = 0.0
        self._next_s = 0.0
        self._last = -1
        self._seen = 0
        self._codec = 0

    def __enter__(self) -> "Camera":
        self._memory = self._context.RawArray("B", _SLOTS * self._size)
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._memory = None

    @property
    def now_s(self) -> float:
        """The time, seconds since the source was made."""
        return (time.monotonic_ns() - self._start_ns) / 1e9

    @property
    def pictures(self) -> int:
        """How many pictures have been read."""
        return self._seen

    @property
    def coded(self) -> str:
        """How its pictures are coded, where that may be why there are none; else nothing."""
        return coded_as(codec_name(self._codec))

    def read(self, wait_s: float = 0.25) -> Picture | None:
        """Return the newest picture if there is a new one within some time.

        The child is looked after on the way: one that is silent or gone is replaced.
        """
        until = self.now_s + wait_s
        while True:
            picture = self._newest()
            if picture is not None:
                return picture
            self._look_after()
            if self.now_s >= until:
                return None
            time.sleep(0.004)

    def _newest(self) -> Picture | None:
        """Copy the newest picture out, if it is new."""
        head = np.frombuffer(self._head, np.int64)
        self._codec = int(head[-1]) or self._codec
        for _ in range(3):
            slot = int(head[0])
            if slot < 0:
                return None
            number, width, height, at_ns = (
                int(value) for value in head[1 + _HEAD * slot : 1 + _HEAD * (slot + 1)]
            )
            if number == self._last:
                return None
            start = slot * self._size
            whole = np.frombuffer(self._memory, np.uint8, 3 * width * height, start)
            image = whole.reshape(height, width, 3).copy()
            if int(head[1 + _HEAD * slot]) == number:  # not written over meanwhile
                self._last = number
                self._fed_s = self.now_s
                self._seen += 1
                self.restarts = 0
                at_s = (at_ns - self._start_ns) / 1e9
                return Picture(image, max(0.0, at_s), self._seen - 1)
        return None

    def _look_after(self) -> None:
        now = self.now_s
        if self._child is None:
            if now >= self._next_s:
                self._start()
            return
        patience = self.settings.silent_s if self._last >= 0 else self.settings.open_s
        heard = max(self._fed_s, self._begun_s)
        if self._child.is_alive() and now - heard < patience:
            return
        self._end()
        pauses = self.settings.pauses_s
        self._next_s = now + pauses[min(self.restarts, len(pauses) - 1)]
        self.restarts += 1

    def _start(self) -> None:
        self._head = self._context.RawArray("q", 2 + _HEAD * _SLOTS)
        self._head[0] = -1
        self._last = -1
        self._begun_s = self.now_s
        self._child = self._context.Process(
            target=_feed,
            args=(self.source, self.settings, self._opener, self._memory, self._head, os.getpid()),
            daemon=True,
            name="sightline-camera",
        )
        try:
            self._child.start()
        except OSError as error:
            self._child = None
            msg = f"no process for the camera can be started: {error}; close other programs"
            raise SourceError(msg) from error

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.terminate()
        child.join(1.0)
        if child.is_alive():  # in a driver that does not come back
            child.kill()
            child.join(1.0)
        if not child.is_alive():
            child.close()


def _feed(
    source: str, settings: CameraSettings, opener: Opener, memory: Any, head: Any, parent: int
) -> None:
    """Read pictures for ever and put each where it is looked for; the child's whole life."""
    cv2.setNumThreads(1)
    cv2.utils.logging.setLogLevel(
        cv2.utils.logging.LOG_LEVEL_SILENT
    )  # what is wrong is said by who watches, in a line
    camera = opener(source, settings)
    if camera is None:
        return
    told = np.frombuffer(head, np.int64)
    film = camera if isinstance(camera, cv2.VideoCapture) else None
    if film is not None:
        told[-1] = int(film.get(cv2.CAP_PROP_FOURCC))
    size = 3 * settings.most_pixels
    number = 0
    try:
        while os.getppid() == parent:
            done, image = camera.read()
            if not done or image is None:
                return  # replaced by a new process, after a pause
            at_ns = time.monotonic_ns()
            if film is not None:
                image = with_square_pixels(film, image)
            while image.size > size:
                image = np.ascontiguousarray(image[::2, ::2])
            if image.ndim == 2:
                image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
            slot = number % _SLOTS
            height, width = image.shape[:2]
            start = 1 + _HEAD * slot
            told[start] = -1
            place = np.frombuffer(memory, np.uint8, 3 * width * height, slot * size)
            place.reshape(height, width, 3)[:] = image
            told[start + 1 : start + _HEAD] = width, height, at_ns
            told[start] = number
            told[0] = slot
            number += 1
    finally:
        camera.release()
