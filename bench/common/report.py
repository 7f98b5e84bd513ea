"""Records that are kept -> docs/measured.md: what a reader looks for, and nothing written by hand.

Each section names the records of ``bench/results`` that it shows, and of each the tables. A record
of a bench says how it came about by its command, date, seed, versions and machine; one that was
carried over from before benches wrote records says ``how`` it was measured.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.common.record import read_records
from bench.common.tables import Cell, Table

__all__ = ["MEASURED", "SECTIONS", "render", "write_report"]

MEASURED = Path(__file__).parents[2] / "docs" / "measured.md"
HEAD = """# How good it is

What the program reaches, on what it was measured, and what is still bad. *In silence* is what is
wrong or missing without a doubt beside it: the fault that counts most. A share has its 90 %
interval (Wilson); beside a zero stands what it proves, at most 3/n. Rendered and drawn photos stand
in for photos of decks that nobody owns yet; real photographs are named so.

This page is written by `python -m bench report` from `bench/results/*.json`; `python -m bench`
lists what can be measured again. How it came to be so is told by the
[changelog](../CHANGELOG.md)."""


@dataclass(frozen=True)
class Shown:
    """A record: which of its tables are shown (None: all), which of their rows, and its notes.

    ``rows`` are the first cells of those that are shown, without stars; None: all.
    """

    record: str
    titles: tuple[str, ...] | None = None
    rows: tuple[str, ...] | None = None
    has_notes: bool = False


@dataclass(frozen=True)
class Section:
    """A heading, what it is about, and the records below it."""

    title: str
    about: str
    shown: tuple[Shown, ...]


PEERS = (
    "decode",
    "all between decoding and drawing",
    "peer: ArUco with useAruco3Detection",
)
SECTIONS = (
    Section(
        "One photo of Light Speed",
        "Positions and angles are after the best rigid alignment of whole tables with the truth.",
        (
            Shown("fresh", has_notes=True),
            Shown("accuracy", ("Light Speed, photo by photo",), rows=("all",)),
            Shown("rounds", ("Rounds", "Lost by")),
        ),
    ),
    Section(
        "Names on real cards",
        "",
        (
            Shown("names_real", has_notes=True),
            Shown("chances_of_names"),
            Shown("missing_face", has_notes=True),
        ),
    ),
    Section(
        "What is lost without a word",
        "A card that is not read must be told: by a doubt about it, or about its place.",
        (
            Shown("silent", ("By kind of table",), rows=("all",)),
            Shown("silent_patterned", ("By kind of table",), rows=("all",)),
            Shown("leave_one_out", ("By kind of deck", "By share in sight", "Worst surfaces")),
            Shown("files", has_notes=True),
            Shown("slots", has_notes=True),
            Shown("learned_sizes", has_notes=True),
        ),
    ),
    Section(
        "Doubts on clean photos",
        "",
        (Shown("clean", has_notes=True),),
    ),
    Section(
        "Do chances come true",
        "",
        (Shown("reliability", ("400 tables of 20 cards",)), Shown("doubted", has_notes=True)),
    ),
    Section("Several photos of one table", "", (Shown("several", has_notes=True),)),
    Section(
        "Time",
        "Ratios are of the processor's time, to the JPEG decode of the same photo.",
        (
            Shown("times_quiet", has_notes=True),
            Shown("times", ("two-teams-full.jpg: 4000 x 3000 pixels, 21 cards",), PEERS),
        ),
    ),
    Section("Conflit stellaire", "", (Shown("conflit_rendered", has_notes=True),)),
    Section("Asteroyds, capture", "", (Shown("asteroyds_rendered", has_notes=True),)),
    Section("Laser and Shield", "", (Shown("laser_rendered", has_notes=True),)),
    Section(
        "Programs with one operator or number wrong: what a quick test notices",
        "",
        (Shown("mutants", ("Mutants",), rows=("all",)),),
    ),
)


def render(records: Mapping[str, dict[str, Any]]) -> str:
    """Return the page that records make."""
    links = " · ".join(f"[{s.title}](#{_anchor(s.title)})" for s in SECTIONS)
    parts = [HEAD, links]
    for section in SECTIONS:
        parts.append(f"## {section.title}")
        if section.about:
            parts.append(section.about)
        for shown in section.shown:
            parts += _record(records[shown.record], shown)
    return "\n\n".join(parts) + "\n"


def write_report() -> None:
    """Write the page."""
    MEASURED.write_text(render(read_records()), encoding="utf-8")


def _record(record: dict[str, Any], shown: Shown) -> Iterator[str]:
    """Yield the paragraphs of a record: how it came about, its tables, its notes."""
    origin = _origin(record)
    for table in map(Table.from_json, record["tables"]):
        if shown.titles is None or table.title in shown.titles:
            kept = tuple(row for row in table.rows if _is_shown(row[0], shown.rows))
            text = replace(table, rows=kept).markdown()
            yield text.replace("**\n", f".** {origin}\n", 1) if origin else text
            origin = ""
    if shown.has_notes and record["notes"]:
        yield " ".join([*([origin] if origin else []), *record["notes"]])


def _is_shown(name: Cell, rows: tuple[str, ...] | None) -> bool:
    return rows is None or str(name).strip("*") in rows


def _origin(record: dict[str, Any]) -> str:
    """Return how a record came about."""
    if not record["bench"]:
        return f"*{record['date']}*: {record['how']}"
    machine, versions = record["machine"], record["versions"]
    return (
        f"*{record['date']}*: `{record['command']}`, seed {record['seed']}, {machine['cores']} "
        f"cores at a load of {machine['load']}, Python {versions['python']}, OpenCV "
        f"{versions['opencv-python']}, numpy {versions['numpy']}."
    )


def _anchor(title: str) -> str:
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-")
