"""A sheet and the counters on it -> a programme with the chances of all that is not sure.

Sheet frame: mm from its middle, x right, y down. A counter covers the cell whose middle is near:
``exp(-d^2 / 2 sigma^2)``, sigma 3 mm and how well it was seen; less where the other counters of
the photo lie closer to the middles of their cells (:func:`hands_of`). What two counters cover at
once (two actions in a column, both modes) is either with equal chance. A pilot's token says his
name in its slot and in the row of powers only: elsewhere what looks like one is a counter.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vision.games.asteroyds_capture.pieces import PILOTS, SHEET_MM
from vision.games.asteroyds_capture.programs import turn_of
from vision.games.asteroyds_capture.values import COLUMNS, Spot
from vision.judging.grids import weigh
from vision.values.layout import Placed

__all__ = [
    "ACTIONS",
    "CELL_MM",
    "FIRST_MM",
    "LEAST",
    "MODES",
    "SLOT_MM",
    "SheetReading",
    "hands_of",
    "read_sheet",
    "whole",
]

LEAST = 0.01  # a chance below this is no reading
_LAID_MM = 3.0  # how far off hands lay a counter in its cell, of whom nothing is known
_LAID_WEIGHT = 12  # counters that this counts as, beside those that lie there
_HALF_MM = (SHEET_MM[0] / 2, SHEET_MM[1] / 2)
CELL_MM = (18.0, 12.0)
FIRST_MM = (-48.0, -30.5)
SLOT_MM = (48.0, -44.5)
_STRAY_MM = 4.0  # a counter that lies farther outside all cells is on none
MODES = (("shield", 2), ("fire", 5))  #: of the anticipation, and their rows in the last column
ACTIONS = ("forward", "left", "right", "back", "fire", "power")
_SLOT_REACH_MM = 10.0  # of the pilot's token in its slot
_LIKE, _ALIKE = 0.65, 0.87  # likeness of a face: glass counters reach 0.83, most tokens pass 0.87
_CELLS: tuple[tuple[str, int, str | int], ...] = (
    *(("column", c, action) for c in range(1, COLUMNS + 1) for action in ACTIONS),
    *(("rounds", 0, c) for c in range(1, COLUMNS + 1)),
    *(("mode", 0, mode) for mode, _ in MODES),
)
_PLACES = (
    *((c, row) for c in range(1, COLUMNS + 1) for row in range(1, 7)),
    *((c, 7) for c in range(1, COLUMNS + 1)),
    *((COLUMNS + 1, row) for _, row in MODES),
)
_MIDDLES = np.array([[FIRST_MM[k] + CELL_MM[k] * (at[k] - 1) for k in (0, 1)] for at in _PLACES])


@dataclass(frozen=True, slots=True)
class SheetReading:
    """What a sheet says: its ship, chances by spot."""

    ship: str
    chances: Mapping[Spot, Mapping[Hashable, float]]


@dataclass(slots=True)
class _Marks:
    """What may be covered, counter by counter: of each spot, values with their chances."""

    by_spot: dict[tuple[str, int], list[dict[str | int, float]]] = field(default_factory=dict)

    def add(self, readings: Iterable[tuple[tuple[str, int, str | int], float]]) -> None:
        """Take what one counter may cover."""
        found: dict[tuple[str, int], dict[str | int, float]] = {}
        for (what, column, value), chance in readings:
            found.setdefault((what, column), {})[value] = chance
        for spot, values in found.items():
            self.by_spot.setdefault(spot, []).append(values)


def hands_of(sheets: Sequence[Placed], tokens: Sequence[Placed]) -> float:
    """Return how far off hands lay counters on the sheets of a photo, mm (1 sd, seeing included).

    It is the spread of all counters about the middles of the cells that they are nearest to; of few
    counters it is hardly less than :data:`_LAID_MM`, and never more.
    """
    squares = []
    for sheet, token in ((s, t) for s in sheets for t in tokens):
        off = np.abs(np.array(_on_sheet(sheet, token)) - _MIDDLES)
        nearest = off[(off / np.array(CELL_MM)).max(axis=1).argmin()]
        if (nearest < np.array(CELL_MM) / 2).all():
            squares.append(float(nearest[1]) ** 2)
    total = _LAID_WEIGHT * _LAID_MM**2 + sum(squares)
    return min(_LAID_MM, math.sqrt(total / (_LAID_WEIGHT + len(squares))))


def read_sheet(sheet: Placed, tokens: Sequence[Placed], laid_mm: float = _LAID_MM) -> SheetReading:
    """Read the programme that counters on a sheet (``sheet-red-1`` and the like) say.

    ``tokens`` are all counters and pilots' tokens of the same photo, in the sheet's own frame of
    poses; ``laid_mm`` is how far off hands lay a counter in its cell.
    """
    ship = sheet.piece.removeprefix("sheet-")
    marks = _Marks()
    pilots: dict[str, float] = {}
    for token in tokens:
        x, y = _on_sheet(sheet, token)
        if abs(x) > _HALF_MM[0] or abs(y) > _HALF_MM[1]:
            continue
        named = token.piece.removeprefix("pilot-")
        covered = _covered(x, y, token, laid_mm)
        in_slot = math.hypot(x - SLOT_MM[0], y - SLOT_MM[1]) < _SLOT_REACH_MM
        is_his = 1.0 if in_slot else sum(p for (_, _, value), p in covered if value == "power")
        sure = 0.0
        if named in PILOTS:
            sure = is_his * min(max((token.score - _LIKE) / (_ALIKE - _LIKE), 0.0), 1.0)
            pilots[named] = max(pilots.get(named, 0.0), sure)
        if in_slot:
            continue
        turn = round((token.theta_rad - sheet.theta_rad) / (math.pi / 3))
        power = turn_of(named, turn) if sure > 0.5 else "power"
        marks.add(
            ((what, c, power if value == "power" else value), p * token.confidence)
            for (what, c, value), p in covered
        )
    chances: dict[Spot, Mapping[Hashable, float]] = {}
    for c in range(1, COLUMNS + 1):
        chances[ship, "column", c] = _one_of(marks.by_spot.get(("column", c), []))
    chances[ship, "mode", 0] = _one_of(marks.by_spot.get(("mode", 0), []))
    chances[ship, "rounds", 0] = whole(_sets(marks.by_spot.get(("rounds", 0), [])))
    nobody = math.prod(1.0 - p for p in pilots.values())
    chances[ship, "pilot", 0] = whole({**pilots, None: nobody})
    return SheetReading(ship, chances)


def _on_sheet(sheet: Placed, token: Placed) -> tuple[float, float]:
    """Return where a token lies in the frame of the sheet, mm."""
    dx, dy = token.x_mm - sheet.x_mm, token.y_mm - sheet.y_mm
    cos, sin = math.cos(sheet.theta_rad), math.sin(sheet.theta_rad)
    return cos * dx + sin * dy, -sin * dx + cos * dy


def _covered(
    x: float, y: float, token: Placed, laid_mm: float
) -> list[tuple[tuple[str, int, str | int], float]]:
    """Return the cells that a counter may cover, with their chances; none if it lies astray."""
    off = np.array([x, y]) - _MIDDLES
    beyond = np.abs(off) - np.array(CELL_MM) / 2
    if float(beyond.max(axis=1).min()) > _STRAY_MM:
        return []
    seen = float(np.trace(token.covariance[:2, :2])) / 2
    chances = weigh(off, (laid_mm**2 + seen) * np.eye(2))
    kept = whole(dict(zip(_CELLS, chances.tolist(), strict=True)))
    return [(cell, kept[cell]) for cell in _CELLS if cell in kept]


def _sets(marks: Sequence[Mapping[str | int, float]]) -> dict[tuple[str | int, ...], float]:
    """Return all that several counters may cover together, with the chance of each."""
    found: dict[tuple[str | int, ...], float] = {(): 1.0}
    for values in marks:
        after: dict[tuple[str | int, ...], float] = {}
        missed = max(0.0, 1.0 - sum(values.values()))
        for covered, chance in found.items():
            after[covered] = after.get(covered, 0.0) + chance * missed
            for value, p in values.items():
                more = tuple(sorted({*covered, value}, key=str))
                after[more] = after.get(more, 0.0) + chance * p
        found = after
    return found


def _one_of(marks: Sequence[Mapping[str | int, float]]) -> Mapping[Hashable, float]:
    """Return what a column holds: of several marks in it each is as likely."""
    found: dict[Hashable, float] = {}
    for covered, chance in _sets(marks).items():
        for value in covered or (None,):
            found[value] = found.get(value, 0.0) + chance / max(len(covered), 1)
    return whole(found)


def whole(chances: Mapping[Any, float]) -> Mapping[Hashable, float]:
    """Return chances without those below :data:`LEAST`, adding up to 1, the likeliest first."""
    kept = {value: p for value, p in chances.items() if p >= LEAST * sum(chances.values())}
    total = sum(kept.values())
    ranked = sorted(kept.items(), key=lambda item: -item[1])
    return {value: p / total for value, p in ranked}
