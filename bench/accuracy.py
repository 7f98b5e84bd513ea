"""How well photos of Light Speed are read, against their truth.

PHOTOS have ``NAME.truth.json`` beside them; without any, the samples are read. For every photo, for
each condition and in all: cards found, missed, false and unreadable, position and angle error after
the best rigid alignment of the whole table, honesty of the covariance, the errors over the least
that the photo's noise allows (``bench.common.bound``), and whether the round came out as from the
true table and, if not, whether that was flagged. ``--says`` adds what the program says of each.
"""

from argparse import ArgumentParser, Namespace
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from bench.common.arguments import photos_with_truth
from bench.common.bound import bound_of
from bench.common.light_speed import hits, light_speed, true_round
from bench.common.record import Result, say
from bench.common.tables import Table
from tests.truth import Comparison, Truth, compare, load_truth
from vision.errors import ScanError
from vision.imaging.view import to_gray
from vision.pipeline import scan as read_scan


def bands(truth: Truth) -> list[str]:
    """Name the conditions that a photo falls under."""
    tilt = truth.conditions["camera"]["tilt_deg"]
    low = min(int(tilt // 15) * 15, 45)
    image = truth.conditions["image"]
    megapixels = image["width"] * image["height"] / 1e6
    return [
        f"tilt {low}-{low + 15}",
        f"surface {truth.conditions['surface']}",
        f"light {truth.conditions['light']}",
        "12 MP" if megapixels > 8 else "2 MP",
        *(tag for tag in truth.tags if ":" not in tag),
    ]


def read(photo: Path) -> dict[str, Any]:
    deck, bank = light_speed().deck, light_speed().bank
    truth = load_truth(photo.with_suffix(".truth.json"))
    row: dict[str, Any] = {"photo": photo.name, "cards": len(truth.poses), "bands": bands(truth)}
    expected = true_round(truth, deck)
    try:
        scan, taken = read_scan(photo.read_bytes(), light_speed().game, light_speed().detector)
    except ScanError as error:
        wanted = [n for n, v in truth.visible.items() if v >= 0.6]
        return row | {"failed": str(error), "missed": wanted, "exact": False, "flagged": True}
    c: Comparison = compare(scan.table.cards, truth)
    gray, found = to_gray(taken[0].image), {card.card_id: card for card in scan.table.cards}
    least = [bound_of(gray, scan.layout.camera, found[name], bank) for name in c.names]
    doubts = sorted({i.code for i in scan.issues if i.severity == "doubt"})
    return row | {
        "found": len(c.names),
        "missed": list(c.missed),
        "false": list(c.false),
        "unreadable": len(c.unreadable),
        "stray": len(c.stray),
        "position_mm": c.position_mm.tolist(),
        "angle_deg": np.abs(c.angle_deg).tolist(),
        "bound_mm": [None if b is None else b[0] for b in least],
        "bound_deg": [None if b is None else float(np.degrees(b[1])) for b in least],
        "curl_mm": [truth.curl_mm[n] for n in c.names],
        "nees": c.nees.tolist(),
        "angle_nees": c.angle_nees.tolist(),
        "exact": scan.outcome.scores == expected.scores,
        "same_hits": hits(scan.outcome) == hits(expected),
        "flagged": bool(doubts),
        "doubts": doubts,
        "says": [issue.message for issue in scan.issues],
        "timings_ms": dict(scan.timings_ms),
    }


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    def pool(key: str) -> np.ndarray:
        return np.concatenate([np.asarray(r.get(key, []), float) for r in rows] or [np.zeros(0)])

    position, angle = pool("position_mm"), pool("angle_deg")
    nees, angle_nees = pool("nees"), pool("angle_nees")
    some = len(position) > 0
    return {
        "photos": len(rows),
        "cards": sum(r["cards"] for r in rows),
        "missed": sum(len(r["missed"]) for r in rows),
        "false": sum(len(r.get("false", [])) for r in rows),
        "unreadable": sum(r.get("unreadable", 0) for r in rows),
        "stray": sum(r.get("stray", 0) for r in rows),
        "position_median_mm": float(np.median(position)) if some else None,
        "position_p95_mm": float(np.percentile(position, 95)) if some else None,
        "position_worst_mm": float(position.max()) if some else None,
        "angle_median_deg": float(np.median(angle)) if some else None,
        "angle_p95_deg": float(np.percentile(angle, 95)) if some else None,
        "angle_worst_deg": float(angle.max()) if some else None,
        "inside_95_ellipse": float((nees < 5.991).mean()) if some else None,
        "nees_over_2": float(nees.mean() / 2) if some else None,
        "angle_nees": float(angle_nees.mean()) if some else None,
        "position_over_bound": over_bound(position, pool("bound_mm")),
        "angle_over_bound": over_bound(angle, pool("bound_deg")),
        "rounds_exact": sum(r["exact"] for r in rows),
        "wrong_not_flagged": sum(not r["exact"] and not r["flagged"] for r in rows),
    }


def over_bound(error: np.ndarray, bound: np.ndarray) -> float | None:
    """Return the median error in units of the median bound, of the cards that have one."""
    known = np.isfinite(bound)
    return float(np.median(error[known]) / np.median(bound[known])) if known.any() else None


COLUMNS = (
    ("photos", "photos", "{}"),
    ("cards", "cards", "{}"),
    ("missed", "missed", "{}"),
    ("false", "false", "{}"),
    ("unread", "unreadable", "{}"),
    ("position median mm", "position_median_mm", "{:.3f}"),
    ("p95", "position_p95_mm", "{:.3f}"),
    ("worst", "position_worst_mm", "{:.3f}"),
    ("angle median °", "angle_median_deg", "{:.3f}"),
    ("p95 °", "angle_p95_deg", "{:.3f}"),
    ("in 95 % ellipse", "inside_95_ellipse", "{:.0%}"),
    ("NEES/2", "nees_over_2", "{:.2f}"),
    ("position over bound", "position_over_bound", "{:.0f}"),
    ("rounds exact", "rounds_exact", "{}"),
    ("wrong, not flagged", "wrong_not_flagged", "{}"),
)


def line(name: str, rows: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return a row of the table."""
    s = summary(rows)
    return (name, *("-" if s[key] is None else form.format(s[key]) for _, key, form in COLUMNS))


def stages_of(rows: list[dict[str, Any]]) -> Table:
    """Return the median time of each stage."""
    stages = [r["timings_ms"] for r in rows if "timings_ms" in r]
    medians = {s: float(np.median([t[s] for t in stages])) for s in (stages[0] if stages else ())}
    return Table(
        "Stages",
        ("stage", "median ms", "over decode"),
        tuple((s, f"{ms:.0f}", f"{ms / medians['decode']:.2f}") for s, ms in medians.items()),
    )


def said_of(rows: list[dict[str, Any]]) -> Table:
    """Return what the program says of each photo."""

    def ended(row: dict[str, Any]) -> str:
        return "exact" if row["exact"] else "flagged" if row["flagged"] else "WRONG"

    cells = tuple(
        (
            Path(row["photo"]).stem,
            row["cards"],
            row.get("found", 0),
            ended(row),
            "<br>".join(row.get("says", [row.get("failed", "")])) or "nothing",
        )
        for row in rows
    )
    return Table("", ("photo", "cards", "found", "round", "what the program says"), cells)


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--says", action="store_true", help="print what is said of each photo")


def run(options: Namespace) -> Result:
    """Read all photos and compare."""
    rows = []
    for photo in photos_with_truth(options.photos):
        say(photo.stem)
        rows.append(read(photo))
    if not rows:
        return Result((), ("no photo with a truth file beside it",))
    by_band: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        for band in row["bands"]:
            by_band[band].append(row)
    heads = tuple(head for head, _, _ in COLUMNS)
    photos = tuple(line(Path(row["photo"]).stem, [row]) for row in rows)
    bands_ = tuple(line(band, by_band[band]) for band in sorted(by_band))
    tables = (
        Table("Light Speed, photo by photo", ("photo", *heads), (*photos, line("**all**", rows))),
        Table("By condition", ("condition", *heads), bands_),
        stages_of(rows),
    )
    wrong = tuple(
        f"{row['photo']}: {row.get('failed', '')} missed {row['missed']} "
        f"false {row.get('false', [])} round exact {row['exact']} doubts {row.get('doubts', [])}"
        for row in rows
        if row.get("failed") or row["missed"] or row.get("false") or not row["exact"]
    )
    return Result((*tables, said_of(rows)) if options.says else tables, wrong, tuple(rows))
