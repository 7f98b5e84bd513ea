"""A report of a round that came out wrong, as ``sightline scan`` opens it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from vision.apps.cli.talk import printable, refuse

if TYPE_CHECKING:
    from vision.apps.decks import Known
    from vision.files.reports import Report
    from vision.imaging.photo import Photo
    from vision.values.scan import Scan

__all__ = ["open_report", "reported"]


def reported(encoded: Sequence[bytes], typed: dict[str, Any]) -> "Report | None":
    """Return the report that was given in place of photos; None if photos were.

    ``typed`` are the options that say how photos are read: a report has its own.
    """
    from vision.files.reports import is_report, unpack_report

    if not any(is_report(one) for one in encoded):
        return None
    if len(encoded) > 1:
        refuse("a report is opened by itself, without other files")
    wrong = [option for option, value in typed.items() if value]
    if wrong:
        refuse(f"{wrong[0]}: a report says itself what was read, and how")
    return unpack_report(encoded[0])


def open_report(
    report: "Report",
    read_again: "Callable[[Sequence[bytes], Known, Any], tuple[Scan, Sequence[Photo]]] | None",
) -> "tuple[Known, Scan, Sequence[Photo]]":
    """Return the round of a report as it was there, or as it is read here.

    Says on standard error of which version it is, what its sender says, and whether the round
    comes out otherwise here.
    """
    from vision.apps.decks import find_known
    from vision.apps.reopened import compare, correct, reopen
    from vision.errors import ReportFormatError
    from vision.judging.options import options_from_json

    known = find_known(report.deck or None, report.game or None)
    typer.echo(f"report: {known.game.name}, Sightline {printable(report.version)}", err=True)
    if report.note:
        typer.echo(f"says: {printable(report.note)}", err=True)
    if read_again is None:
        opened = reopen(report, known)
        seen, photos = opened.scan, opened.photos
    else:
        if not report.photos:
            msg = "there is no photo in this report; leave --again out to see what was read"
            raise ReportFormatError(msg)
        options: Any = options_from_json(known.game.options, report.rules)
        read, upright = read_again(report.photos, known, options)
        seen, photos = correct(read, report, known), tuple(upright)
    then = compare(report, seen, known)
    if then is not None:
        typer.echo(f"it came out otherwise there: {printable(then)}", err=True)
    return known, seen, photos
