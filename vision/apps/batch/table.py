"""The table of results: a row for each table, as CSV or Parquet."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vision.apps.batch.journal import Line
from vision.errors import SourceError
from vision.files.whole import atomic_path, write_atomically

__all__ = ["COLUMNS", "check_parquet", "write_csv", "write_parquet"]

#: ``outcome`` is the line that stands over the round.
#: ``seconds`` is how long the table took, ``read_ms`` how long its stages did; ``tries`` how often
#: it was tried; ``code`` and ``error`` say why there is no result.
COLUMNS = (
    "name",
    "photos",
    "game",
    "winners",
    "scores",
    "outcome",
    "doubts",
    "seconds",
    "read_ms",
    "tries",
    "code",
    "error",
)


def write_csv(target: Path, lines: Iterable[Line]) -> None:
    """Write the table as ``results.csv``; lists have spaces between."""
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS)
    table.writeheader()
    table.writerows(_row(line) for line in lines)
    write_atomically(target, text.getvalue().encode())


def check_parquet() -> None:
    """Find out before any work is done whether Parquet can be written.

    Raises
    ------
    SourceError
        If the extra is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        msg = "--parquet: needs an extra: pip install 'sightline[parquet]'"
        raise SourceError(msg) from error


def write_parquet(target: Path, lines: Iterable[Line]) -> None:
    """Write the table as ``results.parquet``."""
    import pyarrow
    import pyarrow.parquet

    rows = [_row(line) for line in lines]
    numbers = {"doubts": pyarrow.int64(), "tries": pyarrow.int64()}
    numbers |= dict.fromkeys(("seconds", "read_ms"), pyarrow.float64())
    schema = pyarrow.schema([(name, numbers.get(name, pyarrow.string())) for name in COLUMNS])
    with atomic_path(target) as place:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), place)


def _row(line: Line) -> dict[str, Any]:
    found = line.result
    return {
        "name": line.name,
        "photos": " ".join(line.photos),
        "game": found.get("game", ""),
        "winners": " ".join(found.get("winners", ())),
        "scores": " ".join(f"{side}={total}" for side, total in found.get("scores", {}).items()),
        "outcome": found.get("outcome", ""),
        "doubts": found.get("doubts"),
        "seconds": round(line.seconds, 3),
        "read_ms": round(sum(found.get("timings_ms", {}).values()), 1),
        "tries": line.tries,
        "code": line.code,
        "error": line.error,
    }
