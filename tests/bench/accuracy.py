"""How well photos are read, against their truth: ``python -m tests.bench.accuracy PHOTOS...``

PHOTOS are pictures or folders of them, each with ``NAME.truth.json`` beside it (without any, the
sample photos). For every photo and in all: cards found, missed, false and unreadable, position
and angle error after the best rigid alignment of the whole table, honesty of the covariance, the
errors over the least that the photo's noise allows (``tests.bench.bound``),
whether the round came out as from the true table and, if not, whether that was flagged, and the
time of each stage. ``--json FILE`` writes the same as data.
"""

import argparse
import json
import platform
import resource
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.light_speed.looks import build_bank
from tests.bench.bound import bound_of
from tests.truth import Comparison, Truth, compare, load_truth
from vision.errors import ScanError
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import Resolution, TableState
from vision.imaging.view import to_gray
from vision.pipeline import scan as read_scan
from vision.seeing.detector import build_detector
from vision.values.layout import PlacedCard

SAMPLES = Path(__file__).parents[2] / "sample_photos"


def find_photos(places: list[Path]) -> list[Path]:
    photos = []
    for place in places or [SAMPLES]:
        inside = sorted(place.glob("*.jpg")) if place.is_dir() else [place]
        photos += [p for p in inside if p.with_suffix(".truth.json").exists()]
    return photos


def true_round(truth: Truth, deck: Any) -> Resolution:
    cards = tuple(PlacedCard(name, *pose) for name, pose in sorted(truth.poses.items()))
    return resolve(TableState(cards), deck)


def hits(resolution: Resolution) -> list[tuple[str, int, str | None, bool]]:
    return [
        (s.ship, s.laser, s.hit.card if s.hit else None, bool(s.hit and s.hit.shielded))
        for step in resolution.steps
        for s in step.shots
    ]


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


def read(photo: Path, deck: Any, bank: Any) -> dict[str, Any]:
    truth = load_truth(photo.with_suffix(".truth.json"))
    row: dict[str, Any] = {"photo": photo.name, "cards": len(truth.poses), "bands": bands(truth)}
    expected = true_round(truth, deck)
    try:
        scan, taken = read_scan(photo.read_bytes(), LightSpeed(deck), build_detector(bank))
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
    ("photos", "{}"),
    ("cards", "{}"),
    ("missed", "{}"),
    ("false", "{}"),
    ("unreadable", "{}"),
    ("position_median_mm", "{:.3f}"),
    ("position_p95_mm", "{:.3f}"),
    ("position_worst_mm", "{:.3f}"),
    ("angle_median_deg", "{:.3f}"),
    ("angle_p95_deg", "{:.3f}"),
    ("angle_worst_deg", "{:.3f}"),
    ("inside_95_ellipse", "{:.0%}"),
    ("nees_over_2", "{:.2f}"),
    ("position_over_bound", "{:.1f}"),
    ("angle_over_bound", "{:.1f}"),
    ("rounds_exact", "{}"),
    ("wrong_not_flagged", "{}"),
)
HEADER = (
    "| | photos | cards | missed | false | unread. | pos. median | p95 | worst mm | angle median "
    "| p95 | worst ° | in 95 % | NEES/2 | pos. / bound "
    "| angle / bound | rounds exact | wrong, not flagged |"
)


def line(name: str, rows: list[dict[str, Any]]) -> str:
    s = summary(rows)
    cells = ["-" if s[k] is None else form.format(s[k]) for k, form in COLUMNS]
    return f"| {name} | " + " | ".join(cells) + " |"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photos", nargs="*", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--says", action="store_true", help="print what is said of each photo")
    options = parser.parse_args(argv)
    deck = load_deck("light-speed")
    bank = build_bank(deck)
    photos = find_photos(options.photos)
    if not photos:
        print("no photo with a truth file beside it", file=sys.stderr)
        return 1
    rows = []
    print(HEADER)
    print("|" + " --- |" * (HEADER.count("|") - 1))
    for photo in photos:
        rows.append(read(photo, deck, bank))
        print(line(photo.stem, rows[-1:]), flush=True)
    print(line("**all**", rows))
    by_band: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        for band in row["bands"]:
            by_band[band].append(row)
    for band in sorted(by_band):
        print(line(band, by_band[band]))

    stages = [r["timings_ms"] for r in rows if "timings_ms" in r]
    print("\n| stage | median ms | over decode |\n| --- | --- | --- |")
    decode = float(np.median([t["decode"] for t in stages])) if stages else 1.0
    for stage in stages[0] if stages else ():
        ms = float(np.median([t[stage] for t in stages]))
        print(f"| {stage} | {ms:.0f} | {ms / decode:.2f} |")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    where = f"Python {platform.python_version()}, OpenCV {cv2.__version__}, numpy {np.__version__}"
    print(f"\npeak memory {peak:.0f} MB; {where}")
    for row in rows:
        if row.get("failed") or row["missed"] or row.get("false") or not row["exact"]:
            print(
                f"{row['photo']}: {row.get('failed', '')} missed {row['missed']} "
                f"false {row.get('false', [])} round exact {row['exact']} "
                f"doubts {row.get('doubts', [])}"
            )
    if options.says:
        print("\n| photo | cards | found | round | what the program says |\n" + "| --- " * 5 + "|")
        for row in rows:
            said = "<br>".join(row.get("says", [row.get("failed", "")])) or "nothing"
            end = "exact" if row["exact"] else "flagged" if row["flagged"] else "WRONG"
            print(
                f"| {Path(row['photo']).stem} | {row['cards']} | {row.get('found', 0)} | {end} "
                f"| {said} |"
            )
    if options.json:
        data = {"summary": summary(rows), "photos": rows, "peak_mb": peak, "versions": where}
        options.json.write_text(json.dumps(data, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
