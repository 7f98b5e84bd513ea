"""A report of a round that came out wrong -> the round, as its sender had it."""

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vision.apps.corrected import changed, issues_of, unanswered
from vision.apps.known import Known
from vision.errors import ReportFormatError, ScanError
from vision.files.headlines import headline_to_json
from vision.files.reopened import layout_from_json
from vision.files.reports import Report
from vision.imaging.photo import Photo, decode_photo
from vision.judging.career import serve
from vision.texts import texts
from vision.values.scan import Scan

__all__ = ["compare", "correct", "reopen"]


def reopen(report: Report, known: Known) -> tuple[Scan, tuple[Photo, ...]]:
    """Return the round of a report, and its photos if they were given.

    The round is as it was read there, with the corrections, played here.

    Raises
    ------
    ReportFormatError
        If the parts of the report do not fit together, or nothing was read.
    """
    if report.scan is None:
        msg = "nothing was read of this report's photo; add --again to read it here"
        raise ReportFormatError(msg)
    try:
        return _as_told(report, known), _photos(report)
    except ScanError as error:
        if isinstance(error, ReportFormatError):
            raise
        msg = f"the report does not fit together: {error}"
        raise ReportFormatError(msg) from error
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        msg = f"the report does not fit together ({error}); ask for it once more"
        raise ReportFormatError(msg) from error


def _as_told(report: Report, known: Known) -> Scan:
    assert report.scan is not None
    game, document = known.game, report.scan
    joint: Any = np.load(io.BytesIO(report.joint), allow_pickle=False)
    table = game.restore(document["table"], joint)
    outcome = game.resolve(table)
    ledger = game.tell(table, outcome)
    seen = issues_of(document, ledger, texts("en", game.texts))
    layout = layout_from_json(document, joint, seen)
    timings = document.get("timings_ms", {})
    read = Scan(game.name, (layout,), table, outcome, ledger, timings)
    return correct(read, report, known)


def correct(scan: Scan, report: Report, known: Known) -> Scan:
    """Return a scan with the corrections of a report, played by those who played it there.

    A correction that does not fit what was read is told, and the others are made.
    """
    game = known.game
    before = game.write(scan.table)
    table, lost = changed(game, scan.table, report.changes)
    outcome = game.resolve(table)
    ledger = game.tell(table, outcome)
    if report.points:
        table, outcome, ledger = serve(game, table, dict(report.points), game.tell)
    written = game.write(table)
    doubts = unanswered(scan.doubts_of_seeing, report.changes, before, written, ledger)
    layouts = (replace(scan.layout, doubts=(*lost, *doubts)), *_without_doubts(scan))
    return replace(scan, layouts=layouts, table=table, outcome=outcome, ledger=ledger)


def _without_doubts(scan: Scan) -> Sequence[Any]:
    return [replace(layout, doubts=()) for layout in scan.layouts[1:]]


def _photos(report: Report) -> tuple[Photo, ...]:
    """Return the photos of a report, if they are of the size that its scan speaks of."""
    assert report.scan is not None
    photos = tuple(decode_photo(photo) for photo in report.photos)
    told = report.scan["photo"]
    if photos:
        height, width = photos[0].image.shape[:2]
        if (width, height) != (told["width_px"], told["height_px"]):
            msg = f"the photo has {width} x {height} pixels, its scan is of another size"
            raise ReportFormatError(msg)
    return photos


def compare(report: Report, scan: Scan, known: Known) -> str | None:
    """Return what the report says of the round, if it comes out otherwise here; else None."""
    then = report.told.get("headline", {}).get("words", {}).get("en")
    now = headline_to_json(scan.ledger, scan.issues, known.game.texts)["words"]["en"]
    return None if then in (None, now) else str(then)
