"""Scan -> JSON, ``sightline/scan@1``: what was seen, and the game's own table and outcome in it."""

from typing import Any

from vision.files.copies import ids_of, with_ids
from vision.files.headlines import headline_to_json, resolution_to_json
from vision.files.layouts import (
    camera_to_json,
    issue_to_json,
    piece_to_json,
    seen_to_json,
)
from vision.judging.game import Game
from vision.texts import texts
from vision.values.layout import Layout
from vision.values.scan import Scan

__all__ = ["scan_to_json"]

Json = dict[str, Any]


def _seen(layout: Layout) -> Json:
    """Return what lies there: ``cards``, or the ``pieces`` of a board game."""
    named = list(zip(layout.placed, ids_of(layout.placed), strict=True))
    if any(placed.kind != "card" for placed in layout.placed):
        return {"pieces": [piece_to_json(placed, own, layout.camera) for placed, own in named]}
    return {"cards": [seen_to_json(placed, own) for placed, own in named]}


def scan_to_json(scan: Scan, game: Game, *, language: str = "en") -> Json:
    """Return a scan as ``sightline/scan@1``, its sentences in a language.

    The resolution is null where nothing is played.
    """
    t = texts(language, game.texts)
    layout = scan.layout
    width, height = layout.size_wh
    return {
        "schema": "sightline/scan@1",
        "game": scan.game,
        "photo": {"width_px": width, "height_px": height},
        "camera": camera_to_json(layout.camera),
        **_seen(layout),
        "issues": [issue_to_json(with_ids(issue, layout.placed), t) for issue in scan.issues],
        "headline": headline_to_json(scan.ledger, scan.issues, game.texts),
        "timings_ms": {stage: float(ms) for stage, ms in scan.timings_ms.items()},
        "table": game.write(scan.table),
        "resolution": resolution_to_json(
            scan.outcome, scan.ledger, scan.issues, game, language=language
        ),
    }
