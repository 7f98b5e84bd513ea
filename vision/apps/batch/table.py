"""The table of results: a row for each table, as CSV or Parquet.

What a cell says may come from elsewhere, such as the name of a photo. A program for spreadsheets
takes a cell that begins like a formula for one: in CSV such a cell begins with an apostrophe.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from vision.apps.batch.journal import Line
from vision.errors import SourceError
from vision.files.whole import atomic_path, write_atomically

__all__ = ["check_parquet", "write_csv", "write_parquet"]

_SCORE = "score_"
#: With which a spreadsheet begins a formula, in any width of sign, or skips before one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def write_csv(target: Path, lines: Sequence[Line]) -> None:
    """Write the table as ``results.csv``; lists have spaces between."""
    text = io.StringIO()
    table = csv.DictWriter(text, [_inert(name) for name in _columns(lines)])
    table.writeheader()
    table.writerows({_inert(k): _inert(v) for k, v in _row(line).items()} for line in lines)
    write_atomically(target, text.getvalue().encode())


def _inert(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are.

    >>> _inert("=1+1"), _inert(-1)
    ("'=1+1", -1)
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _columns(lines: Iterable[Line]) -> list[str]:
    """Return the columns: those that all tables have, then one for each side."""
    sides = (side for line in lines for side in line.result.get("scores", {}))
    return [*_row(Line("", (), "")), *(_SCORE + side for side in dict.fromkeys(sides))]


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
        msg = "--parquet: needs an extra: pip install '.[parquet]'"
        raise SourceError(msg) from error


def write_parquet(target: Path, lines: Sequence[Line]) -> None:
    """Write the table as ``results.parquet``."""
    import pyarrow
    import pyarrow.parquet

    rows = [_row(line) for line in lines]
    columns = _columns(lines)
    kinds = {name: pyarrow.bool_() for name in ("open", "unordered")}
    kinds |= {"doubts": pyarrow.int64(), "tries": pyarrow.int64()}
    kinds |= dict.fromkeys(("seconds", "read_ms"), pyarrow.float64())
    kinds |= {name: pyarrow.int64() for name in columns if name.startswith(_SCORE)}
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in columns])
    with atomic_path(target) as place:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), place)


def _row(line: Line) -> dict[str, Any]:
    """Return the columns of a table; one ``score_SIDE`` for each of its sides comes last.

    ``outcome`` is the line that stands over the round; nobody has won while it is ``open``. Where
    it is ``unordered`` nobody has given an order yet: its scores are of the position, no result.
    ``seconds`` is how long the table took, ``read_ms`` how long its stages did; ``tries`` how often
    it was tried; ``code`` and ``error`` say why there is no result.
    """
    found = line.result
    return {
        "name": line.name,
        "photos": " ".join(line.photos),
        "game": found.get("game", ""),
        "winners": " ".join(found.get("winners", ())),
        "open": found.get("open"),
        "scores": " ".join(f"{side}={total}" for side, total in found.get("scores", {}).items()),
        "outcome": found.get("outcome", ""),
        "doubts": found.get("doubts"),
        "seconds": round(line.seconds, 3),
        "read_ms": round(sum(found.get("timings_ms", {}).values()), 1),
        "tries": line.tries,
        "code": line.code,
        "error": line.error,
        "unordered": found.get("unordered"),
        **{_SCORE + side: total for side, total in found.get("scores", {}).items()},
    }
