"""What runs in the worker processes: reading photos and drawing pictures.

Each function is called through ``anyio.to_process`` with plain values; a worker holds itself to a
memory limit, so that a photo that wants too much costs a worker and not the server.
"""

import ctypes
import logging
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vision.apps.addresses import Source, content_of
from vision.apps.logs import logged_into

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from vision.apps.reading import Read, ReadResult, ReadTask
    from vision.values.layout import Camera
    from vision.values.ledger import Ledger
    from vision.values.messages import Issue

__all__ = ["DrawTask", "draw", "prepare", "read_within", "retire"]


@dataclass(frozen=True, slots=True, eq=False)
class DrawTask:
    """A picture to be made of a round.

    ``kind`` is a suffix, ``replay.webp``, ``replay.gif``, ``replay.mp4`` or ``thumb.jpg``;
    ``width_px`` the width of the photo as it was read, which ``photo`` may have no longer;
    ``words`` the folder of the game's words.
    """

    kind: str
    photo: Source
    width_px: int
    camera: "Camera"
    ledger: "Ledger"
    issues: "tuple[Issue, ...]"
    words: "Traversable"
    memory_mb: float


_THUMB_PX = 256  # four times what the list shows: sharp on a dense screen


_count = 0
_log = logging.getLogger(__name__)


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
    from vision.imaging.photo import use_one_thread

    use_one_thread()  # one core for each worker


def retire() -> None:
    """End this worker process."""
    os._exit(0)


def read_within(
    read: "Read", task: "ReadTask", memory_mb: float, stage_file: Path
) -> "tuple[ReadResult, int]":
    """Read a photo within limits; return how many this process has looked at, too.

    ``stage_file`` is told the stages as they begin, one beside it (``.log``) what is logged.

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

    begin = time.monotonic()
    with logged_into(stage_file.with_suffix(".log")):
        result = read(task, tell)
        seconds = round(time.monotonic() - begin, 3)
        _log.info("a reader is done", extra={"seconds": seconds, "looked_at": _count})
    return result, _count


def draw(task: DrawTask) -> bytes:
    """Draw a round over its photo; the bytes hold no metadata."""
    prepare(task.memory_mb)
    from vision.imaging.photo import DecodeLimits, decode_photo, encode_image, shrink_image
    from vision.showing.film import as_film_kind, draw_film
    from vision.showing.overlay import annotate_photo
    from vision.showing.style import AnnotateSettings
    from vision.showing.zoom import zoomed, zoomed_issues
    from vision.texts import texts

    most = sys.maxsize  # it was within the limits when it came in
    limits = DecodeLimits(max_bytes=most, max_progressive_pixels=most, max_pixels=most)
    photo = decode_photo(content_of(task.photo), limits).image
    if task.kind == "thumb.jpg":
        return encode_image(shrink_image(photo, _THUMB_PX), ".jpg", 80)
    settings = AnnotateSettings(texts=texts("en", task.words))
    scale = photo.shape[1] / task.width_px
    camera, issues = zoomed(task.camera, scale), zoomed_issues(task.issues, scale)
    if task.kind.startswith("replay."):
        kind = as_film_kind(task.kind.removeprefix("replay."))
        return draw_film(photo, camera, task.ledger, kind, issues=issues, settings=settings)
    picture = annotate_photo(photo, camera, task.ledger, issues=issues, settings=settings)
    return encode_image(picture, "." + task.kind)
