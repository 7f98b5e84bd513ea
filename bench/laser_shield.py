"""How well boards and pawns of Laser and Shield are read, by kind of scene.

PHOTOS are folders; all ``NAME.jpg`` with ``NAME.truth.json`` are read: of the samples (the
default), or the renderer's with a ``NAME.game.json`` beside it, which has ``kind``, ``board`` and,
of each of the ``pawns``, ``team``, ``square``, ``heading``, ``kit`` and ``x_mm``, ``y_mm``,
``theta_deg`` on the board. A pawn counts as told where its best reading is below 0.99, or an issue
names it or its team.
"""

import json
import math
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.common.arguments import SAMPLES as ALL_SAMPLES
from bench.common.arguments import photos_with_truth
from bench.common.counting import add_scores, bound_of_none
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from calibration.looks import draw_looks
from vision.errors import ScanError
from vision.games.laser_shield.game import LaserShield
from vision.games.laser_shield.values import Options, Pawn
from vision.geometry import card_corners, table_from_photo, wrap_angle
from vision.imaging.photo import decode_photo
from vision.judging.play import play
from vision.seeing.pieces.reading import build_piece_detector
from vision.seeing.reading import read_layout
from vision.values.scan import Scan

GAME = LaserShield()
SAMPLES = ALL_SAMPLES / "laser-shield"
SURE = 0.99
NEAR_MM = 25.0  # a pawn that was read nearer than that to a true one is that


@dataclass
class Score:
    """What happened to the pawns and boards of some photos."""

    photos: int = 0
    failed: list[str] = field(default_factory=list)
    pawns: int = 0
    right: int = 0
    told: int = 0  #: wrong or missed, and shown as a doubt
    wrong: list[str] = field(default_factory=list)
    doubted: int = 0  #: right, and shown as a doubt
    places_mm: list[float] = field(default_factory=list)
    turns_deg: list[float] = field(default_factory=list)
    corners_mm: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)

    def row(self, kind: str) -> tuple[Cell, ...]:
        """Return the row of the table."""

        def two(values: Sequence[float]) -> str:
            return f"{np.median(values):.2f}, {np.quantile(values, 0.95):.2f}" if values else "-"

        return (
            kind,
            f"{self.photos} ({len(self.failed)})",
            self.pawns,
            f"{self.right} ({self.doubted})",
            self.told,
            bound_of_none(len(self.wrong), self.pawns),
            two(self.places_mm),
            two(self.turns_deg),
            two(self.corners_mm),
            f"{np.median(self.ratios):.0f}" if self.ratios else "-",
        )


COLUMNS = (
    *("kind of scene", "photos (failed)", "pawns", "right (doubted)", "wrong or missed, told"),
    *("wrong in silence", "place mm: median, p95", "turn °", "board's corners mm", "x decode"),
)


def true_pawns(photo: Path) -> tuple[list[dict[str, Any]], str]:
    """Return the pawns of a photo and what kind of scene it is; of a sample by its own truth."""
    truth = json.loads(photo.with_suffix(".truth.json").read_text())
    if "table" in truth:
        pawns = [
            {**piece, "team": piece["piece"].split("-")[0], "kit": truth["kits"][piece["piece"]]}
            for piece in truth["table"]["pieces"]
        ]
        return pawns, f"sample {truth['board']}"
    if "pieces_truth" in truth:
        return truth["pieces_truth"], truth["kind"]
    game = json.loads(photo.with_suffix(".game.json").read_text())
    kind = [game.get("kind", "sample"), game.get("board", ""), "hard" if game.get("hard") else ""]
    return game["pawns"], " ".join(word for word in kind if word)


def true_corners(photo: Path) -> list[np.ndarray]:
    """Return the corners (4, 2) in the upright photo of each sheet of the board."""
    truth = json.loads(photo.with_suffix(".truth.json").read_text())
    truth = truth.get("origin", truth)
    turn = np.array(truth.get("stored_to_displayed") or [[1, 0, 0], [0, 1, 0]], float)
    return [
        np.array(sheet["corners_px"]) @ turn[:, :2].T + turn[:, 2]
        for sheet in truth["sheets"]
        if Path(sheet["art"]).name.startswith("board")
    ]


def read(photo: Path, detector: Any) -> tuple[Scan, float]:
    """Scan a photo; return how many times as long as decoding it took (of the processor's time)."""
    encoded = photo.read_bytes()
    start = time.process_time()
    decoded = decode_photo(encoded)
    middle = time.process_time()
    scan = play([read_layout(decoded, detector)], GAME, Options(), {})
    return scan, (time.process_time() - start) / max(middle - start, 1e-3)


def told_of(scan: Scan, pawn: Pawn | None, team: str) -> bool:
    """Tell whether a pawn, or that one of its team is missing, is shown as a doubt."""
    if pawn is not None and pawn.readings and pawn.readings[0].probability < SURE:
        return True
    for issue in scan.issues:
        if pawn is not None and pawn.id in issue.cards:
            return True
        values = dict(issue.said.values) if issue.said else {}
        if pawn is None and values.get("team") == team:
            return True
    return pawn is None and any(issue.code == "board_hidden" for issue in scan.issues)


def judge(photo: Path, scan: Scan, score: Score) -> Iterator[str]:
    """Compare a scan with the truth; yield what is worth a line."""
    left = list(scan.table.pawns)
    for true in true_pawns(photo)[0]:
        score.pawns += 1
        at = (true["x_mm"], true["y_mm"])
        near = [p for p in left if p.team == true["team"] and p.pose is not None]
        pawn = min(near, key=lambda p: math.dist(at, (p.pose.x_mm, p.pose.y_mm)), default=None)
        if pawn is not None and math.dist(at, (pawn.pose.x_mm, pawn.pose.y_mm)) > NEAR_MM:
            pawn = None
        wanted = f"{true['team']} {true['square']} {true['heading']} ({true['kit']})"
        if pawn is None:
            told = told_of(scan, None, true["team"])
            score.told += told
            if not told:
                score.wrong.append(f"{photo.stem}: {wanted} not seen")
            yield f"  {wanted} not seen{' (told)' if told else ' SILENTLY'}"
            continue
        left.remove(pawn)
        told = told_of(scan, pawn, true["team"])
        score.places_mm.append(math.dist(at, (pawn.pose.x_mm, pawn.pose.y_mm)))
        off = wrap_angle(pawn.pose.theta_rad - math.radians(true["theta_deg"]))
        best = f"{pawn.id} {pawn.square} {pawn.heading} {pawn.readings[0].probability:.3f}"
        if (pawn.square, pawn.heading) == (true["square"], true["heading"]):
            score.right += 1
            score.doubted += told
            score.turns_deg.append(abs(math.degrees(off)))
            if told:
                yield f"  {wanted}: right, in doubt: {best}"
        else:
            score.told += told
            if not told:
                score.wrong.append(f"{photo.stem}: {wanted} read as {best}")
            yield f"  {wanted} read as {best}{' (told)' if told else ' SILENTLY'}"
    for pawn in left:
        told = told_of(scan, pawn, pawn.team)
        score.told += told
        if not told:
            score.wrong.append(f"{photo.stem}: {pawn.id} {pawn.square} is none")
        yield f"  {pawn.id} on {pawn.square} is none{' (told)' if told else ' SILENTLY'}"


def corner_errors(photo: Path, scan: Scan) -> list[float]:
    """Return how far the board's corners are off, mm; of a board in parts its outer ones."""
    layout = scan.layout
    sheets = true_corners(photo)
    wanted = card_corners(262.0, 178.0)
    points = table_from_photo(layout.camera, np.concatenate(sheets))
    board = layout.placed[0]
    seen = table_from_photo(layout.camera, board.outline_px)
    if len(sheets) > 1:
        points = points[[int(np.hypot(*(points - c).T).argmin()) for c in wanted]]
    return [float(v) for v in np.hypot(*(points - seen).T)]


def run(options: Namespace) -> Result:
    """Read all photos and compare."""
    cv2.setNumThreads(1)
    detector = build_piece_detector(draw_looks(GAME.pieces))
    scores: dict[str, Score] = defaultdict(Score)
    for photo in photos_with_truth(options.photos, [SAMPLES]):
        _, kind = true_pawns(photo)
        mine = Score(photos=1)
        try:
            scan, ratio = read(photo, detector)
        except ScanError as error:
            mine.failed.append(f"{photo.stem}: {error}")
            lines = [f"  {error}"]
        else:
            lines = list(judge(photo, scan, mine))
            mine.corners_mm += corner_errors(photo, scan)
            mine.ratios.append(ratio)
        say(f"{photo.stem} ({kind}): {mine.right} of {mine.pawns} right", *lines)
        for key in (kind, "**all**"):
            add_scores(scores[key], mine)
    rows = tuple(scores[kind].row(kind) for kind in sorted(scores, key=lambda k: (k[0] == "*", k)))
    wrong = scores["**all**"].wrong + scores["**all**"].failed if scores else []
    return Result((Table("Boards and pawns", COLUMNS, rows),) if rows else (), tuple(wrong))
