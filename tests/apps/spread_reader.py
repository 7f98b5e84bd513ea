"""A stand-in for reading a table that is spread over photos; what each shows stands at its end."""

import re
from dataclasses import replace

from tests.apps.web_readers import toy_layout
from vision.apps.addresses import content_of
from vision.apps.reading import ReadResult, ReadTask, Tell, keep_scan
from vision.errors import TableNotFoundError
from vision.games.asteroyds_capture.game import AsteroydsCapture
from vision.imaging.photo import decode_photo, encode_image
from vision.texts import make_issue
from vision.values.scan import Scan

_END = re.compile(rb"\[(board|line|blank|near|unnamed) ?([^\]]*)\]$")
POSITION = "game asteroyds-capture\nlayout {}\n"


def told(photo: bytes) -> tuple[str, str]:
    """Return what a photo shows: ``board 2v2``, ``line plan red 1 F``, ``blank``, ``near``.

    Or ``unnamed``: a sheet of which nobody knows whose it is.
    """
    found = _END.search(photo)
    return (found[1].decode(), found[2].decode()) if found else ("blank", "")


def spread(task: ReadTask, tell: Tell) -> ReadResult:
    """Lay the layout of the last board, and read the lines of all sheets."""
    contents = [content_of(photo) for photo in task.photos]
    shown = [told(content) for content in contents]
    if any(kind == "near" for kind, _ in shown):
        raise TableNotFoundError("found a board that cannot be laid", is_near=True)
    boards = [k for k, (kind, _) in enumerate(shown) if kind == "board"]
    if not boards:
        raise TableNotFoundError("found no board with pieces on it")
    first = boards[-1]
    others = [k for k, (kind, _) in enumerate(shown) if kind != "blank" and k != first]
    lines = [what for kind, what in shown if kind == "line"]
    game = AsteroydsCapture()
    table = game.read("\n".join([POSITION.format(shown[first][1]), *lines]))
    outcome = game.resolve(table)
    image = decode_photo(contents[first]).image
    nobody = make_issue("sheet_unnamed", "issue.sheet_unnamed", x="40", y="60")
    doubts = tuple(nobody for kind, _ in shown if kind == "unnamed")
    seen = (replace(toy_layout(image), doubts=doubts),)
    scan = Scan(game.name, seen, table, outcome, game.tell(table, outcome), {"decode": 1.0})
    kept = keep_scan(scan, game, image, task.view_px)
    more = tuple(encode_image(decode_photo(contents[k]).image, ".jpg") for k in others)
    return ReadResult(kept.document, kept.joint, kept.view, b"", (first, *others), more)
