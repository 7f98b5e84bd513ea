"""The command ``sightline batch``: many tables, a scan each, and a table of results.

What is there already is not read again, so that a batch that was stopped goes on where it was.
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vision.apps.cli.options import RuleOption, complete_deck, read_rules
from vision.apps.cli.order import add_command
from vision.apps.cli.talk import fail, printable, refuse, reporting, working
from vision.errors import ScanError

if TYPE_CHECKING:
    from vision.apps.reading import ReadTask

__all__ = ["add_batch"]

_PHOTOS = (".jpg", ".jpeg", ".png", ".webp", ".heic")
_COLUMNS = ("photo", "game", "winners", "scores", "doubts", "error")


@dataclass(frozen=True, slots=True)
class _Order:
    """What was typed."""

    photos: Annotated[
        list[Path], typer.Argument(metavar="PHOTOS...", help="Photos, or folders of them.")
    ]
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the results go; made if missing.")]
    deck: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The deck on the tables.", autocompletion=complete_deck),
    ] = None
    game: Annotated[
        str | None, typer.Option(metavar="NAME", help="The game on the tables; else the deck's.")
    ] = None
    rule: RuleOption = None


def add_batch(app: typer.Typer) -> None:
    """Add the command to the program."""
    add_command(app, "batch", _Order, _run)


def _run(order: _Order) -> None:
    """Read many photos, a table each: one JSON file a photo, and results.csv."""
    if order.out.exists() and not order.out.is_dir():
        refuse(f"--out: expected a folder; {str(order.out)!r} is a file")
    with reporting(order.out):
        from vision.apps.decks import find_known
        from vision.apps.reading import ReadTask
        from vision.judging.options import options_to_json

        photos = list(_all(order.photos))
        if len({photo.stem for photo in photos}) < len(photos):
            refuse("two photos have the same name; their results would go into one file")
        form = find_known(order.deck, order.game).game.options
        options = options_to_json(read_rules(order.rule, form)) if order.rule else {}
        order.out.mkdir(parents=True, exist_ok=True)
        tasks = [ReadTask(photo, order.deck, options, game=order.game) for photo in photos]
        failed = _read_all(tasks, order.out)
        typer.echo(f"{len(photos) - failed} of {len(photos)} photos read; {order.out}/results.csv")
    if photos and failed == len(photos):
        fail("no photo could be read", 1)


def _all(sources: Sequence[Path]) -> Iterator[Path]:
    """Yield the photos, those of folders in the order of their names."""
    for source in sources:
        if source.is_dir():
            yield from sorted(p for p in source.iterdir() if p.suffix.lower() in _PHOTOS)
        else:
            yield source


def _read_all(tasks: "Sequence[ReadTask]", out: Path) -> int:
    """Read what is not there yet; return how many could not be read."""
    rows, failed = [], 0
    for number, task in enumerate(tasks, start=1):
        photo = Path(str(task.photo))
        with working(f"{number} of {len(tasks)}: {photo.name}"):
            try:
                rows.append(_row(photo.name, _document(task, out / f"{photo.stem}.json")))
            except (ScanError, OSError, MemoryError) as error:
                failed += 1
                said = printable(str(error))
                typer.echo(f"sightline: {photo}: {said}", err=True)
                rows.append({"photo": photo.name, "error": said})
        _write_table(out / "results.csv", rows)
    return failed


def _document(task: "ReadTask", target: Path) -> dict[str, Any]:
    """Return the scan of a photo: the one that is there, else a new one, which is kept."""
    from vision.apps.reading import read
    from vision.files.whole import write_atomically

    if target.exists():
        kept: dict[str, Any] = json.loads(target.read_bytes())
        return kept
    document = read(task).document
    write_atomically(target, document.encode())
    read_back: dict[str, Any] = json.loads(document)
    return read_back


def _row(photo: str, scan: dict[str, Any]) -> dict[str, Any]:
    played = scan["resolution"] or {}
    scores = played.get("scores", {})
    return {
        "photo": photo,
        "game": scan["game"],
        "winners": " ".join(played.get("winners", ())),
        "scores": " ".join(f"{side}={score['total']}" for side, score in scores.items()),
        "doubts": sum(issue["severity"] == "doubt" for issue in scan["issues"]),
        "error": "",
    }


def _write_table(target: Path, rows: Sequence[dict[str, Any]]) -> None:
    from vision.files.whole import write_atomically

    text = io.StringIO()
    table = csv.DictWriter(text, _COLUMNS, restval="")
    table.writeheader()
    table.writerows(rows)
    write_atomically(target, text.getvalue().encode())
