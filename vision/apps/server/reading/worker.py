"""What runs in the worker processes: reading photos and drawing pictures.

Each function is called through ``anyio.to_process`` with plain values; a worker holds itself to a
memory limit, so that a photo that wants too much costs a worker and not the server.
"""

import ctypes
import io
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vision.apps.reading import Read, ReadResult, ReadTask
    from vision.games.light_speed.values import Deck, Resolution, Step, TableState
    from vision.values.arrays import ImageBGR
    from vision.values.layout import Camera
    from vision.values.messages import Issue

__all__ = [
    "DrawTask",
    "can_film",
    "draw",
    "prepare",
    "read_within",
    "retire",
]


@dataclass(frozen=True, slots=True, eq=False)
class DrawTask:
    """A picture to be made of a round.

    ``kind`` is a suffix, ``replay.webp``, ``replay.gif``, ``replay.mp4`` or ``thumb.jpg``;
    ``width_px`` the width of the photo as it was read, which ``photo`` may have no longer.
    """

    kind: str
    photo: Path
    width_px: int
    camera: "Camera"
    table: "TableState"
    deck: "Deck"
    resolution: "Resolution"
    issues: "tuple[Issue, ...]"
    memory_mb: float
    timeline: "tuple[dict[str, Any], ...]" = ()


_count = 0


def prepare(memory_mb: float) -> None:
    """Limit this process, once: memory, and that it ends with its server."""
    global _count
    _count += 1
    if _count > 1:
        return
    with suppress(OSError):
        os.nice(5)  # the server answers first
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    with suppress(ImportError, ValueError, OSError):
        import resource

        limit = int(memory_mb * 1_000_000)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    import cv2

    cv2.setNumThreads(1)  # one core for each worker


def retire() -> None:
    """End this worker process."""
    os._exit(0)


def read_within(
    read: "Read", task: "ReadTask", memory_mb: float, stage_file: Path
) -> "tuple[ReadResult, int]":
    """Read a photo within limits; return how many this process has looked at, too.

    ``stage_file`` is told the stages as they begin.

    Raises
    ------
    ScanError
        If there is no result.
    MemoryError
        If the photo needs more than a worker may have.
    """
    prepare(memory_mb)

    def tell(stage: str) -> None:
        with suppress(OSError):
            beside = stage_file.with_suffix(".new")
            beside.write_text(stage, encoding="ascii")
            beside.replace(stage_file)

    return read(task, tell), _count


def draw(task: DrawTask) -> bytes:
    """Draw a round over its photo; the bytes hold no metadata."""
    prepare(task.memory_mb)
    from vision.imaging.photo import DecodeLimits, decode_photo, encode_image, shrink_image

    most = sys.maxsize  # it was within the limits when it came in
    limits = DecodeLimits(max_bytes=most, max_progressive_pixels=most, max_pixels=most)
    photo = decode_photo(task.photo.read_bytes(), limits).image
    if task.kind == "thumb.jpg":
        return encode_image(shrink_image(photo, _THUMB_PX), ".jpg", 80)
    if photo.shape[1] != task.width_px:
        task = replace(task, camera=_shrunk(task.camera, photo.shape[1] / task.width_px))
    if task.kind.startswith("replay."):
        return _replay(task, photo)
    picture = _annotate(task, photo, task.camera, task.resolution)
    return encode_image(picture, "." + task.kind)


def _annotate(
    task: DrawTask, photo: "ImageBGR", camera: "Camera", resolution: "Resolution"
) -> "ImageBGR":
    from vision.showing import annotate_photo

    return annotate_photo(photo, camera, task.table, task.deck, resolution, issues=task.issues)


# --- the round as an animation ---------------------------------------------------------------

_THUMB_PX = 256  # four times what the list shows: sharp on a dense screen
_REPLAY_PX = 900  # wide: sharp on a phone, light enough for a messenger
_GROWTH = (0.3, 0.65, 1.0)  # shares of the beams shown in the frames of a step
_FRAME_MS, _HOLD_MS, _END_MS = 130, 900, 3500


def _replay(task: DrawTask, photo: "ImageBGR") -> bytes:
    """Draw the steps one after the other: beams growing, then what they did."""
    import numpy as np
    from PIL import Image

    from vision.imaging.photo import shrink_image

    small = shrink_image(photo, _REPLAY_PX)
    camera = _shrunk(task.camera, small.shape[1] / photo.shape[1])
    steps = task.resolution.steps
    frames, durations = [], []

    def add(shown: "tuple[Step, ...]", place: int, duration: int) -> None:
        past = task.timeline[place] if place < len(task.timeline) else {}
        resolution = replace(
            task.resolution,
            steps=shown,
            scores=past.get("scores", task.resolution.scores),
            carried=past.get("carried", {}),
            winners=task.resolution.winners if place == len(steps) else (),
            issues=(),
        )
        quiet = replace(task, issues=())
        frames.append(_annotate(quiet, small, camera, resolution))
        durations.append(duration)

    add((), 0, _HOLD_MS)
    past_steps = [replace(step, shots=()) for step in steps]  # what they did stays, not the beams
    for k, step in enumerate(steps):
        for share in _GROWTH:
            add((*past_steps[:k], _growing(step, share)), k, _FRAME_MS)
        add((*past_steps[:k], step), k + 1, _HOLD_MS)
    add(steps, len(steps), _END_MS)
    height = max(frame.shape[0] for frame in frames)
    padded = [np.pad(f, ((0, height - f.shape[0]), (0, 0), (0, 0))) for f in frames]
    pictures = [Image.fromarray(np.ascontiguousarray(f[:, :, ::-1])) for f in padded]
    if task.kind.endswith(".mp4"):
        with TemporaryDirectory() as folder:
            return _film(padded, durations, folder)
    out = io.BytesIO()
    if task.kind.endswith(".gif"):
        shared = pictures[-1].quantize(255, Image.Quantize.MEDIANCUT)
        flat = [p.quantize(palette=shared, dither=Image.Dither.NONE) for p in pictures]
        flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=durations, loop=0)
    else:
        pictures[0].save(
            out,
            "WEBP",
            save_all=True,
            append_images=pictures[1:],
            duration=durations,
            loop=0,
            quality=70,
            method=2,
        )
    return out.getvalue()


_FILM_FPS = 20


def can_film() -> bool:
    """Tell whether MP4 can be written here: it needs the extra ``video``."""
    return find_spec("av") is not None


def _film(frames: "list[ImageBGR]", durations_ms: list[int], folder: str) -> bytes:
    """Write frames as H.264 in MP4."""
    import numpy as np

    av = import_module("av")
    height, width = frames[0].shape[:2]
    odd = (0, height % 2), (0, width % 2), (0, 0)  # H.264 halves the colours
    place = Path(folder) / "film.mp4"  # its index goes to the front, by a second pass over it
    with av.open(str(place), "w", options={"movflags": "+faststart"}) as film:
        stream = film.add_stream("libx264", rate=_FILM_FPS, options={"preset": "veryfast"})
        stream.width, stream.height = width + width % 2, height + height % 2
        stream.pix_fmt = "yuv420p"
        for frame, duration_ms in zip(frames, durations_ms, strict=True):
            even = np.ascontiguousarray(np.pad(frame, odd, mode="edge"))
            for _ in range(max(1, round(duration_ms * _FILM_FPS / 1000))):
                film.mux(stream.encode(av.VideoFrame.from_ndarray(even, format="bgr24")))
        film.mux(stream.encode())
    return place.read_bytes()


def _growing(step: "Step", share: float) -> "Step":
    """Return a step whose beams are under way and have done nothing yet."""
    if share >= 1:
        return replace(step, damage=(), destroyed=(), gone=(), mined=(), vaporised=())
    shots = []
    for shot in step.shots:
        (x0, y0), (x1, y1) = shot.path_mm
        end = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        shots.append(replace(shot, path_mm=((x0, y0), end), hit=None, flip_probability=0.0))
    return replace(
        step, shots=tuple(shots), damage=(), destroyed=(), gone=(), mined=(), vaporised=()
    )


def _shrunk(camera: "Camera", scale: float) -> "Camera":
    """Return the camera of a picture made smaller; pixel centres move by half a pixel."""
    from vision.imaging.view import scaling

    smaller = scaling(scale)
    return replace(
        camera,
        camera_matrix=smaller @ camera.camera_matrix,
        photo_from_table=smaller @ camera.photo_from_table,
    )
