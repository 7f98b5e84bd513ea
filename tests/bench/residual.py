"""Cards taken out of what was read, one at a time: ``python -m tests.bench.residual [PHOTOS]``

Each photo is read with the deck as it was drawn; then each card of which at least 40 % shows is
taken out of the layout, and what nothing explains (``vision.seeing.residual``) must tell that
something lies there. The labels cost nothing, so any photo will do; without PHOTOS the samples and
the hard set are read. What is told while every card is known may be clutter, or needless.
``--json FILE`` writes what was told of every card.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.light_speed.looks import build_bank
from vision.errors import ScanError
from vision.games.light_speed.deck import load_deck
from vision.geometry import table_from_photo
from vision.imaging.photo import decode_photo
from vision.imaging.view import View
from vision.seeing.detector import Detector, build_detector
from vision.seeing.reading import read_layout
from vision.seeing.residual import Region, find_unexplained
from vision.values.arrays import Points

ROOT = Path(__file__).parents[2]
LEAST_VISIBLE = 0.4  # of a card: what shows less is a matter of the cards that cover it
HEADER = "| photo | cards | told when left out | told while all are known | ms of the processor |"


def is_there(region: Region, card_mm: Points) -> bool:
    """Tell whether a region lies on a card: either has its middle in the other."""
    places = [(card_mm, region.at_mm), (region.hull_mm, card_mm.mean(axis=0))]
    return any(
        cv2.pointPolygonTest(outline.astype(np.float32), at.tolist(), measureDist=False) >= 0
        for outline, at in places
    )


def leave_out(path: Path, detector: Detector) -> dict[str, Any] | None:
    """Read a photo, and leave each card out; None of a photo that is refused."""
    photo = decode_photo(path.read_bytes())
    try:
        layout = read_layout(photo, detector)
    except ScanError:
        return None
    view, size_mm = View(photo.image, 8), detector.faces.size_mm
    known = [table_from_photo(layout.camera, one.outline_px) for one in layout.placed]
    begin = time.process_time()
    found = find_unexplained(view, layout.camera, known, size_mm)
    seconds = time.process_time() - begin
    cards = {}
    for place, card in enumerate(layout.placed):
        if card.visible >= LEAST_VISIBLE:
            rest = [*known[:place], *known[place + 1 :]]
            regions = find_unexplained(view, layout.camera, rest, size_mm)
            cards[card.spot] = any(
                region.may_hide_card and is_there(region, known[place]) for region in regions
            )
    at = [[round(v) for v in region.at_px.tolist()] for region in found if region.may_hide_card]
    return {"photo": path.name, "cards": cards, "told": at, "ms": round(seconds * 1000)}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photos", type=Path, nargs="*")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    folders = (ROOT / "sample_photos", ROOT / "tests" / "photos" / "hard")
    photos = options.photos or [path for one in folders for path in sorted(one.glob("*.jpg"))]
    detector = build_detector(build_bank(load_deck("light-speed")))
    print(HEADER)
    print("|" + " --- |" * (HEADER.count("|") - 1))
    rows = []
    for path in photos:
        row = leave_out(path, detector)
        if row is None:
            print(f"| {path.name} | refused | | | |")
            continue
        rows.append(row)
        told = sum(row["cards"].values())
        cells = (row["photo"], len(row["cards"]), told, len(row["told"]), row["ms"])
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
    cards = [is_told for row in rows for is_told in row["cards"].values()]
    print(f"\n{sum(cards)} of {len(cards)} told; {sum(len(r['told']) for r in rows)} besides")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
