"""Stand-ins for the reading of photos; functions of a module, since worker processes call them."""

import json
import logging
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from vision.apps.addresses import content_of
from vision.apps.reading import ReadResult, ReadTask, Tell
from vision.errors import TableNotFoundError

CANNED = Path(__file__).parent / "canned_scan.json"


def _result(task: ReadTask) -> ReadResult:
    document = CANNED.read_text(encoding="utf-8")
    count = 3 * len(json.loads(document)["table"]["cards"])
    import io

    joint = io.BytesIO()
    np.save(joint, np.eye(count) * 0.01, allow_pickle=False)
    from vision.imaging.photo import decode_photo, encode_image

    picture = encode_image(decode_photo(content_of(task.photos[0])).image, ".jpg", 60)
    return ReadResult(document, joint.getvalue(), picture)


def canned(task: ReadTask, tell: Tell) -> ReadResult:
    """Give the same scan for every photo, at once."""
    return _result(task)


def logs(task: ReadTask, tell: Tell) -> ReadResult:
    """Log something, as any part of seeing may."""
    logging.getLogger("vision.seeing.somewhere").info("said by a reader")
    return _result(task)


def staged(task: ReadTask, tell: Tell) -> ReadResult:
    """Tell stages as the real one does, in a process that no cluster has made slow."""
    assert "MALLOC_TRIM_THRESHOLD_" not in os.environ, "of Dask's workers: twice the time"
    for stage in ("decode", "detect", "pose", "picture"):
        tell(stage)
        time.sleep(0.15)
    return _result(task)


def slow(task: ReadTask, tell: Tell) -> ReadResult:
    """Take a while."""
    time.sleep(0.4)
    return _result(task)


def brief(task: ReadTask, tell: Tell) -> ReadResult:
    """Take a moment."""
    time.sleep(0.08)
    return _result(task)


def finds_nothing(task: ReadTask, tell: Tell) -> ReadResult:
    """See no table."""
    raise TableNotFoundError("found no card; photograph the table from above")


def finds_a_board(task: ReadTask, tell: Tell) -> ReadResult:
    """See a board, unless told that something else lies there."""
    if not task.finds and task.game != "laser-shield":
        raise TableNotFoundError("found 409 four-sided outlines and no card")
    found = ("laser-shield", "laser-shield") if task.finds else None
    return replace(_result(task), found=found)


def _is_poison(task: ReadTask) -> bool:
    """Tell by a mark at the end of the file whether to misbehave."""
    return task.photos[0].read_bytes().endswith(b"poison")


def _tries(task: ReadTask) -> int:
    """Count the tries on a photo."""
    note = task.photos[0].with_suffix(".tries")
    count = int(note.read_text()) + 1 if note.exists() else 1
    note.write_text(str(count))
    return count


def dies(task: ReadTask, tell: Tell) -> ReadResult:
    """Die on a poison photo as if the system had killed the process."""
    if _is_poison(task):
        _tries(task)
        os.kill(os.getpid(), 9)
    return _result(task)


def dies_once(task: ReadTask, tell: Tell) -> ReadResult:
    """Die on the first try of a poison photo only."""
    if _is_poison(task) and _tries(task) == 1:
        os.kill(os.getpid(), 9)
    return _result(task)


def hangs(task: ReadTask, tell: Tell) -> ReadResult:
    """Never come back from a poison photo."""
    if _is_poison(task):
        _tries(task)
        while True:
            time.sleep(1)
    return _result(task)


def eats_memory(task: ReadTask, tell: Tell) -> ReadResult:
    """Want all memory for a poison photo."""
    if _is_poison(task):
        _tries(task)
        np.ones(1_000_000_000_000 // 8)
    return _result(task)


def misbehaves(task: ReadTask, tell: Tell) -> ReadResult:
    """Do what the end of the photo says: be killed, hang, want all memory; else read it."""
    content = content_of(task.photos[0])
    if content.endswith(b"kill poison"):
        os.kill(os.getpid(), 9)
    while content.endswith(b"hang poison"):
        time.sleep(1)
    if content.endswith(b"fill poison"):
        np.ones(1_000_000_000_000 // 8)
    return _result(task)


def toy(task: ReadTask, tell: Tell) -> ReadResult:
    """Read the toy game's table as if it had been seen; its game is found as every reader does."""
    from vision.apps.decks import find_known
    from vision.apps.reading import keep_scan
    from vision.imaging.photo import decode_photo
    from vision.judging.options import options_from_json
    from vision.judging.play import play

    game = find_known(task.deck, task.game, task.decks).game
    image = decode_photo(task.photos[0].read_bytes()).image
    options = options_from_json(game.options, task.options)
    return keep_scan(play([toy_layout(image)], game, options, {}), game, image, task.view_px)


def toy_layout(image):
    """Lay the sun on a1 looking east, the moon on c1 looking west or south, four pips up."""
    from vision.values.layout import Camera, Layout, Other, Placed

    height, width = image.shape[:2]
    scale = height / 200.0
    middle = np.array([[scale, 0, width / 2], [0, scale, height / 2], [0, 0, 1.0]])
    lens = np.array([[1000.0, 0, width / 2], [0, 1000.0, height / 2], [0, 0, 1.0]])
    camera = Camera(lens, np.zeros(2), middle)
    places = (
        ("sun", -50.0, -50.0, np.pi / 2, "front", ()),
        ("moon", 50.0, -50.0, -np.pi / 2 - 0.75, "front", ()),
        ("die", 90.0, 0.0, 0.0, "4", (Other("die-5", 0.2, 0.0),)),
    )
    placed = tuple(
        Placed(
            spot=name,
            piece=name,
            x_mm=x,
            y_mm=y,
            theta_rad=turn,
            covariance=np.diag([0.1, 0.1, 0.0001]),
            outline_px=np.array([[0.0, 0], [9, 0], [9, 9], [0, 9]]),
            score=0.9,
            others=others,
            side=side,
            kind="die" if name == "die" else "token",
        )
        for name, x, y, turn, side, others in places
    )
    return Layout(placed, np.eye(9) * 0.1, camera, (width, height))
