"""Markers on hull cards and strips -> hulls and distances, with what else they may be."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from vision.games.conflit_stellaire.check import neighbours
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.pieces import FLAGSHIP, MARKER, SCALE
from vision.games.conflit_stellaire.seating import Seating, apart
from vision.games.conflit_stellaire.values import Distance, Pose, Reading, Seat
from vision.geometry import card_from_table
from vision.values.assignment import solve_assignment
from vision.values.layout import Placed

__all__ = ["hull_place", "pair_of", "read_distances", "read_seats", "strip_place"]

_EDGE_MM = 2.0  # a marker so near a cell's edge may be meant for the next cell
_START_UDS = 8
_SIZE = 20
_PER_ROW = 5
_HULL_ROWS = 3  # above the middle of the hull card, and
_HULL_DOWN_MM = 3.0  # how far that middle lies below the card's


def read_seats(placed: Sequence[Placed], seating: Seating) -> tuple[list[Seat], list[str]]:
    """Return the seats with their hulls, and those of whose hull no reading tells the doubt."""
    by_seat = _hull_cards(placed, seating)
    seats, doubtful = [], []
    for name in seating.seats:
        sheet, is_moved = by_seat.get(name, (None, True))
        cells = [] if sheet is None else list(_hull_cells(sheet, placed))
        hull = cells[0][0] if cells else _SIZE
        if not cells or is_moved:
            doubtful.append(name)
        readings = tuple(Reading({"hull": cell}, chance) for cell, chance in cells[1:])
        pose = None if sheet is None else Pose.of(sheet)
        seats.append(Seat(name, hull, readings=readings, pose=pose))
    return seats, doubtful


def _hull_cards(placed: Sequence[Placed], seating: Seating) -> dict[str, tuple[Placed, bool]]:
    """Return whose each hull card is, each seat's one; and whether it is nearer to another's."""
    sheets = [p for p in placed if p.piece == FLAGSHIP]
    if not sheets:
        return {}
    off = [
        [apart(seating.bearing(p.x_mm, p.y_mm), seating.heading(seat)) for seat in seating.seats]
        for p in sheets
    ]
    given = solve_assignment(np.array(off)).tolist()
    return {
        seating.seats[k]: (sheets[i], off[i][k] > min(off[i]))
        for i, k in enumerate(given)
        if k >= 0
    }


def _markers_on(
    sheet: Placed, placed: Sequence[Placed], size_mm: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    """Yield where markers lie on a sheet, in its frame."""
    for one in placed:
        if one.piece != MARKER:
            continue
        at = np.array([[one.x_mm, one.y_mm]])
        x, y = card_from_table(at, sheet.x_mm, sheet.y_mm, sheet.theta_rad)[0]
        if abs(x) <= size_mm[0] / 2 and abs(y) <= size_mm[1] / 2:
            yield float(x), float(y)


def _steps(at_mm: float, pitch_mm: float) -> list[tuple[int, float]]:
    """Return the steps of a pitch that a place may be at, the likeliest first, with chances."""
    steps = at_mm / pitch_mm
    nearest = math.floor(steps + 0.5)
    to_edge = (0.5 - abs(steps - nearest)) * pitch_mm
    if to_edge >= _EDGE_MM:
        return [(nearest, 1.0)]
    other = 0.5 * (1 - to_edge / _EDGE_MM)
    beyond = nearest + (1 if steps > nearest else -1)
    return [(nearest, 1 - other), (beyond, other)]


def hull_place(hull: int) -> tuple[float, float] | None:
    """Return where the marker of a hull lies on its card, mm; None if it has no cell for it."""
    if not 0 <= hull < deck().hull_cells:
        return None
    row, column = divmod(hull, _PER_ROW)
    pitch = deck().hull_pitch_mm
    return (column - _PER_ROW // 2) * pitch, (row - _HULL_ROWS) * pitch + _HULL_DOWN_MM


def strip_place(uds: int) -> tuple[float, float]:
    """Return where the marker of a distance lies on its strip, mm."""
    return (uds - (deck().scale_cells + 1) / 2) * deck().scale_pitch_mm, 0.0


def _ranked(cells: dict[int, float]) -> list[tuple[int, float]]:
    whole = sum(cells.values())
    return sorted(((cell, p / whole) for cell, p in cells.items()), key=lambda item: -item[1])


def _hull_cells(sheet: Placed, placed: Sequence[Placed]) -> Iterator[tuple[int, float]]:
    pitch, found = deck().hull_pitch_mm, dict[int, float]()
    for x, y in _markers_on(sheet, placed, deck().card_mm):
        for column, p in _steps(x, pitch):
            for row, q in _steps(y - _HULL_DOWN_MM, pitch):
                cell = (row + _HULL_ROWS) * _PER_ROW + column + _PER_ROW // 2
                if abs(column) <= _PER_ROW // 2 and 0 <= cell < deck().hull_cells:
                    found[cell] = found.get(cell, 0.0) + p * q
    yield from _ranked(found)


def read_distances(
    placed: Sequence[Placed], seating: Seating
) -> tuple[list[Distance], list[tuple[str, str]]]:
    """Return the distances of neighbours, and those of which no reading tells the doubt."""
    pairs = neighbours(seating.seats)
    by_pair: dict[tuple[str, str], list[Placed]] = {}
    for strip in (p for p in placed if p.piece == SCALE):
        by_pair.setdefault(pair_of(strip, seating), []).append(strip)
    distances, doubtful = [], []
    for pair in pairs:
        strips = by_pair.get(pair, [])
        cells = list(_strip_cells(strips[0], placed)) if strips else []
        uds = cells[0][0] if cells else _START_UDS
        if not cells or len(strips) > 1:
            doubtful.append(pair)
        readings = tuple(Reading({"uds": cell}, chance) for cell, chance in cells[1:])
        pose = Pose.of(strips[0]) if strips else None
        distances.append(Distance(pair, uds, readings, pose))
    return distances, doubtful


def pair_of(strip: Placed, seating: Seating) -> tuple[str, str]:
    """Return between whom a strip lies: the pair whose bisector it is nearest to."""
    pairs = neighbours(seating.seats)
    if len(pairs) == 1:
        return pairs[0]
    at = seating.bearing(strip.x_mm, strip.y_mm)
    return min(pairs, key=lambda pair: sum(apart(at, seating.heading(seat)) for seat in pair))


def _strip_cells(strip: Placed, placed: Sequence[Placed]) -> Iterator[tuple[int, float]]:
    pitch, cells, found = deck().scale_pitch_mm, deck().scale_cells, dict[int, float]()
    for x, _ in _markers_on(strip, placed, deck().scale_mm):
        for step, p in _steps(x + (cells + 1) / 2 * pitch, pitch):
            if 1 <= step <= cells:
                found[step] = found.get(step, 0.0) + p
    yield from _ranked(found)
