"""Stand-ins for the reading of photos; functions of a module, since worker processes call them."""

import json
import os
import time
from pathlib import Path

import numpy as np

from vision.apps.server.reading.worker import ReadResult, ReadTask
from vision.apps.server.storage.blobs import Blobs
from vision.errors import TableNotFoundError

CANNED = Path(__file__).parent / "canned_scan.json"


def _result(task: ReadTask) -> ReadResult:
    blobs = Blobs(task.files)
    document = CANNED.read_text(encoding="utf-8")
    count = 3 * len(json.loads(document)["table"]["cards"])
    import io

    joint = io.BytesIO()
    np.save(joint, np.eye(count) * 0.01, allow_pickle=False)
    from vision.imaging.photo import decode_photo, encode_image

    picture = encode_image(decode_photo(task.photo.read_bytes()).image, ".jpg", 60)
    return ReadResult(document, blobs.put(picture), blobs.put(joint.getvalue()), 1)


def canned(task: ReadTask) -> ReadResult:
    """Give the same scan for every photo, at once."""
    return _result(task)


def staged(task: ReadTask) -> ReadResult:
    """Tell stages as the real one does."""
    for stage in ("decode", "detect", "pose", "picture"):
        task.stage_file.write_text(stage, encoding="ascii")
        time.sleep(0.15)
    return _result(task)


def slow(task: ReadTask) -> ReadResult:
    """Take a while."""
    time.sleep(0.4)
    return _result(task)


def brief(task: ReadTask) -> ReadResult:
    """Take a moment."""
    time.sleep(0.08)
    return _result(task)


def finds_nothing(task: ReadTask) -> ReadResult:
    """See no table."""
    raise TableNotFoundError("found no card; photograph the table from above")


def _is_poison(task: ReadTask) -> bool:
    """Tell by a mark at the end of the file whether to misbehave."""
    return task.photo.read_bytes().endswith(b"poison")


def _tries(task: ReadTask) -> int:
    """Count the tries on a photo."""
    note = task.photo.with_suffix(".tries")
    count = int(note.read_text()) + 1 if note.exists() else 1
    note.write_text(str(count))
    return count


def dies(task: ReadTask) -> ReadResult:
    """Die on a poison photo as if the system had killed the process."""
    if _is_poison(task):
        _tries(task)
        os.kill(os.getpid(), 9)
    return _result(task)


def dies_once(task: ReadTask) -> ReadResult:
    """Die on the first try of a poison photo only."""
    if _is_poison(task) and _tries(task) == 1:
        os.kill(os.getpid(), 9)
    return _result(task)


def hangs(task: ReadTask) -> ReadResult:
    """Never come back from a poison photo."""
    if _is_poison(task):
        _tries(task)
        while True:
            time.sleep(1)
    return _result(task)


def eats_memory(task: ReadTask) -> ReadResult:
    """Want all memory for a poison photo."""
    from vision.apps.server.reading.worker import prepare

    prepare(task.memory_mb)
    if _is_poison(task):
        _tries(task)
        np.ones(1_000_000_000_000 // 8)
    return _result(task)
