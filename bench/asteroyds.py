"""How well each kind of fact is read of turns of Asteroyds, spread over several photos.

PHOTOS are folders of sets: of the samples (the default) each ``NAME.truth.json`` with the photos
that it names; of other folders each folder that holds ``table.json``, the truth as the game writes
it, and its photos. A fact is where a piece lies, on what, where it looks, what a die shows, what a
column holds, who flies a ship. One that is read wrong counts as told where the table names what
else it may be, or an issue names its piece; a set that cannot be played counts as refused, with all
its facts.
"""

import json
import re
import time
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bench.common.arguments import SAMPLES as ALL_SAMPLES
from bench.common.counting import add_scores, bound_of_none
from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from calibration.looks import draw_looks
from vision.errors import ScanError
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.values import RADIUS
from vision.games.registry import find_game
from vision.geometry import table_from_photo
from vision.imaging.photo import decode_photo
from vision.judging.play import play
from vision.seeing.pieces.reading import build_piece_detector
from vision.seeing.reading import read_layout
from vision.values.layout import Layout

SAMPLES = ALL_SAMPLES / "asteroyds-capture"

Fact = tuple[str, str, int]  #: of what, what of it, the column or 0


@dataclass
class Score:
    """What became of the facts of some sets."""

    facts: int = 0
    right: int = 0
    doubted: int = 0  #: right, with another reading beside it
    told: int = 0  #: wrong or missed, and shown as a doubt
    refused: int = 0  #: of sets that were not played: a line says what is missing
    wrong: list[str] = field(default_factory=list)

    def row(self, kind: str) -> tuple[Cell, ...]:
        """Return the row of the table."""
        silent = bound_of_none(len(self.wrong), self.facts)
        return (kind, self.facts, self.right, self.doubted, self.told, self.refused, silent)


COLUMNS = ("kind", "facts", "right", "of them doubted", "wrong, told", "refused", "in silence")


def sets_of(folder: Path) -> Iterator[tuple[str, list[Path], dict[str, Any]]]:
    """Yield the sets of a folder: name, photos, the table as it was laid."""
    for truth in sorted(folder.glob("*.truth.json")):
        told = json.loads(truth.read_text())
        if "photos" in told:
            yield told["name"], [folder / name for name in told["photos"]], told["table"]
    for table in sorted(folder.glob("**/table.json")):
        photos = sorted(table.parent.glob("*.jpg")) + sorted(table.parent.glob("*.png"))
        if photos:
            yield table.parent.name, photos, json.loads(table.read_text())


def facts_of(table: Mapping[str, Any], alike: Sequence[str]) -> dict[Fact, Any]:
    """Return all that a table says, one by one; pieces that are alike are told by their cells."""
    found: dict[Fact, Any] = {}
    for piece in table["pieces"]:
        name = piece["piece"]
        if any(name.startswith(f"{kind}-") for kind in alike):
            if piece.get("cell"):
                found[f"{name.partition('-')[0]} at {piece['cell']}", "there", 0] = True
            continue
        place = piece.get("on") or piece.get("cell")
        found[name, "place", 0] = place
        if "heading_deg" in piece and is_headed(name):
            found[name, "heading", 0] = piece["heading_deg"]
        if table.get("rules", {}).get("pilots") and name in table.get("programs", {}):
            found[name, "pilot", 0] = piece.get("pilot")
    for colour, number in table.get("dice", {}).items():
        found[colour, "die", 0] = number
    for ship, program in table.get("programs", {}).items():
        columns = [*program.get("columns", []), *[None] * 6][:6]
        for k, action in enumerate(columns, 1):
            found[ship, "column", k] = action
        found[ship, "mode", 0] = program.get("mode")
        found[ship, "rounds", 0] = tuple(program.get("rounds", ()))
    return found


def is_headed(name: str) -> bool:
    """Tell whether it means something where a piece looks."""
    return not re.search(r"home|platform|asteroyd|pod", name)


def kind_of(fact: Fact) -> str:
    """Return the row in which a fact counts."""
    of, what, _ = fact
    if what in ("place", "heading", "there"):
        piece = re.sub(r"^(red|white|blue)-|-?\d+$| at .*$", "", of)
        return f"{what if what != 'there' else 'place'} of {piece or 'ship'}"
    return what


def unread_cells(layouts: Sequence[Layout]) -> set[str]:
    """Return the cells in which something lies that was not read, and told so.

    Their middles lie within its outline as it is shown, or it lies nearest to them.
    """
    grid, names = board_of(RADIUS).grid, list(board_of(RADIUS).cells)
    middles = np.array([grid.centre(name) for name in names])
    found = set()
    for layout in layouts:
        for p in layout.placed:
            if p.identity is None and p.score == 0:
                outline = table_from_photo(layout.camera, p.outline_px).astype(np.float32)
                held = [cv2.pointPolygonTest(outline, m.tolist(), False) >= 0 for m in middles]
                found |= {name for name, is_held in zip(names, held, strict=True) if is_held}
                found.add(grid.read((p.x_mm, p.y_mm), np.eye(2), 5.0)[0][0])
    return found


def told_facts(
    table: Mapping[str, Any],
    issues: Sequence[Any],
    wanted: Mapping[Fact, Any] | None = None,
    unread: Collection[str] = (),
) -> Callable[[Fact], bool]:
    """Return what tells whether a fact is shown as a doubt.

    So are all of a piece that is not there but in whose cell something unread is told.
    """
    spots: set[tuple[str, str]] = set()
    columns: set[tuple[str, int]] = set()
    for one in table.get("alternatives", ()):
        columns.add((one["of"], one.get("column", 0)))
        spots.add((one["of"], one["what"]))
    spots |= {
        (name, "pilot") for one in issues if one.code == "pilot_unknown" for name in one.cards
    }
    by_name = [one for one in issues if not one.code.startswith("pilot_")]
    by_name = [one for one in by_name if not one.code.endswith("_doubtful")]  # those are in spots
    named = {name.removeprefix("sheet-") for one in by_name for name in one.cards}
    here = {piece["piece"]: piece.get("cell") for piece in table["pieces"]}
    places = {of: value for (of, what, _), value in (wanted or {}).items() if what == "place"}
    missed = [(of, places.get(at, at)) for of, at in places.items() if of not in here]
    powers = {  # which turn one does hangs on who flies
        (ship, k)
        for ship, program in table.get("programs", {}).items()
        for k, action in enumerate(program.get("columns", ()), 1)
        if action and action.startswith("power") and (ship, "pilot") in spots
    }
    named |= {of for of, value in missed if value in unread}

    def is_told(fact: Fact) -> bool:
        of, what, column = fact
        if what == "column":
            is_doubted = (of, "column") in spots and (of, column) in columns
            return is_doubted or (of, column) in powers or of in named
        if what == "place":
            return bool({(of, "cell"), (of, "on")} & spots) or of in named
        if what == "heading":
            return (of, "heading_deg") in spots or of in named
        if what == "there":
            kind, _, cell = of.partition(" at ")
            doubted = {name for name in {*named, *(n for n, _ in spots)} if name.startswith(kind)}
            its_own = {name for name, at in here.items() if at == cell and name.startswith(kind)}
            return cell in unread or bool(doubted & its_own if its_own else doubted)
        if what == "die":
            is_missing = any(one.code == "die_missing" and of in one.message for one in issues)
            return (of, "die") in spots or f"{of}-die" in named or is_missing
        if what == "pilot":  # on a sheet that was not read he is told with all of it
            return (of, what) in spots or (of in named and of not in table.get("programs", {}))
        return (of, what) in spots or of in named

    return is_told


def judge(
    name: str, wanted: Mapping[Fact, Any], read: Mapping[Fact, Any], is_told: Callable[[Fact], bool]
) -> tuple[dict[str, Score], list[str]]:
    """Compare the facts of a table with those that were read."""
    scores: dict[str, Score] = defaultdict(Score)
    lines = []
    for fact in sorted({*wanted, *read}, key=str):
        score = scores[kind_of(fact)]
        score.facts += 1
        told = is_told(fact)
        if fact in wanted and fact in read and wanted[fact] == read[fact]:
            score.right += 1
            score.doubted += told
            continue
        of, what, column = fact
        line = (
            f"{name}: {of} {what} {column or ''}: {wanted.get(fact, 'nothing')} read as "
            f"{read.get(fact, 'nothing')}"
        )
        score.told += told
        if not told:
            score.wrong.append(line)
        lines.append(f"  {line}{' (told)' if told else ' SILENTLY'}")
    return scores, lines


def endings(game: Any, table: Any, alike: Sequence[str]) -> Any:
    """Return what a turn comes to, and whether it is shown as sure.

    Which of the pieces that are alike lies where says nothing.
    """
    outcome = game.write_outcome(game.resolve(table))
    final = [
        {k: v for k, v in piece.items() if k != "heading_deg" or is_headed(piece["piece"])}
        for piece in outcome["final"]["pieces"]
    ]
    for piece in final:
        kind = piece["piece"].partition("-")[0]
        piece["piece"] = kind if kind in alike else piece["piece"]
    final.sort(key=lambda piece: json.dumps(piece, sort_keys=True))
    return (outcome["scores"], outcome["winners"], final), outcome["uncertain"]


def read_set(photos: Sequence[Path], detector: Any) -> tuple[list[Layout], list[str]]:
    """Read all photos of a set; one that shows nothing is left out and said."""
    layouts, lines = [], []
    for photo in photos:
        try:
            layouts.append(read_layout(decode_photo(photo.read_bytes()), detector))
        except ScanError as error:
            lines.append(f"  {photo.name}: {error}")
    return layouts, lines


def score_set(
    game: Any,
    detector: Any,
    one: tuple[str, list[Path], dict[str, Any]],
    read: Callable[[list[Path], Any], tuple[list[Layout], list[str]]] | None = None,
) -> tuple[dict[str, Score], list[str]]:
    """Read a set and compare it with how it was laid."""
    name, photos, truth = one
    alike = [piece.id for piece in game.pieces.pieces if piece.copies is None]
    wanted = facts_of(truth, alike)
    rules = truth.get("rules", {})
    layouts, lines = (read or read_set)(photos, detector)
    try:
        scan = play(layouts, game, game.options(**rules), {})
    except ScanError as error:
        scores = {kind: Score() for kind in map(kind_of, wanted)}
        for fact in wanted:
            scores[kind_of(fact)].facts += 1
            scores[kind_of(fact)].refused += 1
        scores["turn"] = Score(1, refused=1)
        return scores, [*lines, f"  {error}"]
    read = game.write(scan.table)
    is_told = told_facts(read, scan.issues, wanted, unread_cells(layouts))
    scores, more = judge(name, wanted, facts_of(read, alike), is_told)
    laid = game.read(json.dumps({"rules": rules, **truth}))
    (meant, _), (shown, doubtful) = (endings(game, one, alike) for one in (laid, scan.table))
    doubtful = doubtful or any(issue.severity == "doubt" for issue in scan.issues)
    is_right = meant == shown
    wrong = [] if is_right or doubtful else [f"{name}: a wrong turn shown as certain"]
    told = int(doubtful and not is_right)
    scores["turn"] = Score(1, int(is_right), int(is_right and doubtful), told, wrong=wrong)
    return scores, [*lines, *more]


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--game", default="asteroyds-capture")


def run(options: Namespace) -> Result:
    """Read all sets and compare."""
    cv2.setNumThreads(1)
    game = find_game(options.game)
    detector = build_piece_detector(draw_looks(game.pieces))
    totals: dict[str, Score] = defaultdict(Score)
    for folder in options.photos or [SAMPLES]:
        for one in sets_of(folder):
            start = time.process_time()
            scores, lines = score_set(game, detector, one)
            for kind, score in scores.items():
                add_scores(totals[kind], score)
                if kind != "turn":
                    add_scores(totals["**all facts**"], score)
            took = time.process_time() - start
            say(f"{one[0]} ({len(one[1])} photos, {took:.1f} s)", *lines)
    rows = tuple(totals[k].row(k) for k in sorted(totals, key=lambda k: (k[0] == "*", k)))
    wrong = (*totals["**all facts**"].wrong, *totals["turn"].wrong)
    return Result((Table("Facts of turns", COLUMNS, rows),) if rows else (), wrong)
