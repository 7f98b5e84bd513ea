"""What a bench measured, as one JSON file: figures, machine, versions, date, seed."""

import json
import os
import platform
import resource
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.common.tables import Table

__all__ = ["RESULTS", "Result", "make_record", "read_records", "say", "write_record"]

RESULTS = Path(__file__).parents[1] / "results"
PACKAGES = ("opencv-python", "numpy", "scipy", "shapely")


@dataclass(frozen=True)
class Result:
    """What a bench returns: tables to be shown, sentences, and every case as data."""

    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()


def say(*words: object) -> None:
    """Write a line about how far a bench has come; tables go elsewhere."""
    sys.stderr.write(" ".join(str(word) for word in words) + "\n")
    sys.stderr.flush()


def make_record(
    result: Result, name: str, command: str, seed: int, seconds: float
) -> dict[str, Any]:
    """Return a record as data."""
    return {
        "bench": name,
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        "machine": machine(),
        "versions": {"python": platform.python_version()} | {p: version(p) for p in PACKAGES},
        "seconds": round(seconds),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "tables": [table.to_json() for table in result.tables],
        "notes": list(result.notes),
        "rows": list(result.rows),
    }


def machine() -> dict[str, Any]:
    """Return what the times hang on: processor, cores, and how busy the machine is."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def write_record(record: dict[str, Any], path: Path, *, with_rows: bool = True) -> None:
    """Write a record; without its rows it is small enough to be kept."""
    kept = record if with_rows else {k: v for k, v in record.items() if k != "rows"}
    text = json.dumps(kept, indent=1, ensure_ascii=False, default=str)
    path.write_text(text + "\n", encoding="utf-8")


def read_records(folder: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """Return the records that are kept, by the names of their files."""
    files: Iterable[Path] = sorted(folder.glob("*.json"))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in files}
