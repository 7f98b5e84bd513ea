"""What is done: a line of JSON for each table, written as soon as its files are there.

A batch that was stopped at any moment goes on from it. A line that was cut off is no line: its
table is read again.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from vision.errors import SourceError
from vision.files.whole import write_atomically

__all__ = ["Journal", "Line"]

_NAME = "batch.jsonl"
_SCHEMA = "sightline/batch@1"


@dataclass(frozen=True, slots=True)
class Line:
    """What came of a table.

    ``stamp`` tells whether its photos are still the same. ``seconds`` is the time that reading
    took, ``tries`` how often it was tried. ``code`` and ``error`` are empty unless it failed.
    """

    name: str
    photos: tuple[str, ...]
    stamp: str
    seconds: float = 0.0
    tries: int = 1
    code: str = ""
    error: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)


class Journal:
    """The lines in a folder of results.

    Parameters
    ----------
    folder : Path
        Where the results are.
    order : mapping
        What all tables are read by; kept in the first line.
    afresh : bool
        Whether what was done before is forgotten.

    Raises
    ------
    SourceError
        If the folder holds results of another order.
    """

    def __init__(self, folder: Path, order: Mapping[str, Any], *, afresh: bool = False) -> None:
        self._path = folder / _NAME
        self.done: dict[str, Line] = {}
        if afresh:
            self._path.unlink(missing_ok=True)
        whole = self._load(order)
        self._file: TextIO = self._path.open("a", encoding="utf-8")
        if not whole:
            self._file.truncate(0)
            self._write({"schema": _SCHEMA, "order": dict(order)})

    def add(self, line: Line) -> None:
        """Note what came of a table; it is on its way to the disk when this returns."""
        self.done[line.name] = line
        self._write(asdict(line))

    def __enter__(self) -> "Journal":
        """Keep the file open."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, document: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(document) + "\n")
        self._file.flush()

    def _load(self, order: Mapping[str, Any]) -> bool:
        """Take in what is done; tell whether there is a journal that can be gone on with."""
        try:
            text = self._path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return False
        whole = text[: text.rfind("\n") + 1]
        lines = [_parsed(line) for line in whole.splitlines()]
        if not lines or lines[0] is None:
            return False
        was = lines[0].get("order", {})
        if was != dict(order):
            changed = [key for key in order if was.get(key) != order[key]]
            told = ", ".join(f"{key} {was.get(key)!r}" for key in changed)
            msg = (
                f"{self._path.parent}: holds the results of another batch ({told}); take another "
                "folder, or add --afresh to read all again"
            )
            raise SourceError(msg)
        for line in lines[1:]:
            if line is not None:
                self.done[line["name"]] = Line(**{**line, "photos": tuple(line["photos"])})
        if whole != text:
            write_atomically(self._path, whole.encode())
        return True


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    return found
