"""The table as a place to shoot across: what stands where, and what each beam meets."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.bodies import TOUCH_MM, Bodies, place_bodies
from vision.games.light_speed.claims import as_claimed, left_out
from vision.games.light_speed.roster import Roster
from vision.games.light_speed.shots import Beams, aim_beams, find_entry, is_shielded, measure_reach
from vision.games.light_speed.values import Deck, Hit, Laser, Shield, Ship, TableState
from vision.geometry import rotation, wrap_angle
from vision.values.arrays import FloatArray, Points
from vision.values.layout import PrintOffset

__all__ = [
    "Board",
    "Trace",
    "as_printed",
    "beams_by_speed",
    "drawn_bounds",
    "fire",
    "seam_of",
    "set_board",
    "way_out",
]

SEAM_MM = 1e-6  # from a beam to the edge that it runs along: files carry fewer digits
DRAWN_MARGIN_MM = 60.0  # how far the drawn table reaches beyond its cards: most of a card's width

Bounds = tuple[float, float, float, float]  #: left, top, right, bottom
_WHOLE_MM = 1e-6  # a shield that ends this near to the corner covers its edge to the corner


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A table laid out: M things and S lasers; table frame, mm."""

    bodies: Bodies
    ships: Mapping[int, Ship]  #: by thing, face up; lasers and shields where each card's print lies
    beams: Beams  #: in the order of ship id, then laser
    reach: FloatArray  #: (S, M) how far each beam runs to each thing
    size_mm: tuple[float, float]  #: (width, height) of a card
    bounds: Bounds  #: the drawn edge of the table, where shots into space end
    seams_pass: bool = False  #: whether beams run on along gaps of no width between two cards
    pools: tuple[int, ...] = ()  #: that each thing is part of, -1 for none: in one there is no gap


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A shot: the beam, what it met (thing -1: space) and how far from its start, its path.

    ``standing`` is what stood there, ``ties`` the other things at the same distance.
    """

    beam: int
    thing: int
    hit: Hit | None
    distance_mm: float
    path_mm: tuple[tuple[float, float], tuple[float, float]]
    standing: NDArray[np.bool_]
    ties: tuple[int, ...]


def set_board(table: TableState, deck: Deck, roster: Roster) -> Board:
    """Lay a table out."""
    size = (deck.width_mm, deck.height_mm)
    ignored = set(roster.face_down) if table.rules.face_down == "ignored" else set()
    ignored |= left_out(table)
    bodies = place_bodies(
        [as_claimed(card, table) for card in table.cards if card.card_id not in ignored],
        [thing for thing in table.objects if thing.id not in ignored],
        size,
    )
    printed = {card.card_id: card.printed for card in table.cards}
    ships = {
        i: as_printed(roster.ships[t][1], printed[t], size)
        for i, t in enumerate(bodies.ids)
        if t in roster.ships
    }
    beams = aim_beams(bodies, ships)
    bounds = drawn_bounds(table, deck) if ignored else _bounds(bodies.corners.reshape(-1, 2))
    passes = table.rules.seam == "passes"
    pool = {member: i for i, one in enumerate(roster.pools) for member in one.members}
    pools = tuple(pool.get(thing, -1) for thing in bodies.ids)
    return Board(bodies, ships, beams, measure_reach(beams, bodies), size, bounds, passes, pools)


def beams_by_speed(board: Board) -> dict[int, list[int]]:
    """Return the beams of each speed, fastest first."""
    beams: dict[int, list[int]] = {}
    for beam, ship in enumerate(board.beams.ship.tolist()):
        beams.setdefault(board.ships[ship].speed, []).append(beam)
    return dict(sorted(beams.items()))


def drawn_bounds(table: TableState, deck: Deck) -> Bounds:
    """Return left, top, right, bottom of the table as drawn (table frame, mm).

    The bounding box of all cards and objects as the round begins, and a margin.
    """
    bodies = place_bodies(table.cards, table.objects, (deck.width_mm, deck.height_mm))
    return _bounds(bodies.corners.reshape(-1, 2))


def _bounds(corners: Points) -> Bounds:
    if not len(corners):
        corners = np.zeros((1, 2))
    left, top = (corners.min(axis=0) - DRAWN_MARGIN_MM).tolist()
    right, bottom = (corners.max(axis=0) + DRAWN_MARGIN_MM).tolist()
    return left, top, right, bottom


def fire(board: Board, beam: int, standing: NDArray[np.bool_]) -> Trace:
    """Trace one beam among the things that still stand, (M,) bool.

    Of several things at the same distance, that with the first id is met.
    """
    row = np.where(standing, board.reach[beam], np.inf)
    if board.seams_pass:
        row[list(seam_of(board, beam, standing))] = np.inf
    start, direction = board.beams.start[beam], board.beams.direction[beam]
    begin = (float(start[0]), float(start[1]))
    nearest = float(row.min())
    if math.isinf(nearest):
        d = (float(direction[0]), float(direction[1]))
        path = (begin, way_out(begin, d, board.bounds))
        return Trace(beam, -1, None, math.inf, path, standing, ())
    thing, *ties = np.flatnonzero(row <= nearest + TOUCH_MM).tolist()
    point = start + row[thing] * direction
    hit = _hit(board, thing, point, direction, begins_here=bool(row[thing] == 0))
    path = (begin, (float(point[0]), float(point[1])))
    return Trace(beam, thing, hit, float(row[thing]), path, standing, tuple(ties))


def seam_of(board: Board, beam: int, standing: NDArray[np.bool_]) -> frozenset[int]:
    """Return the cards between which a beam runs without entering one: that touch along it."""
    bodies, start = board.bodies, board.beams.start[beam]
    met = standing & np.isfinite(board.reach[beam]) & bodies.is_card
    left: list[tuple[int, float, float]] = []
    right: list[tuple[int, float, float]] = []
    for thing in np.flatnonzero(met).tolist():
        away = bodies.corners[bodies.body[thing]] - start
        aside = away @ board.beams.side[beam]
        along = away @ board.beams.direction[beam]
        on_line = along[np.abs(aside) <= SEAM_MM]
        if len(on_line) < 2:
            continue  # it passes a corner, or goes through
        span = (thing, float(on_line.min()), float(on_line.max()))
        (left if aside.min() < -SEAM_MM else right).append(span)
    pools = board.pools
    pairs = (
        (a, b)
        for a in left
        for b in right
        if min(a[2], b[2]) > max(a[1], b[1]) and not -1 < pools[a[0]] == pools[b[0]]
    )
    return frozenset(thing for a, b in pairs for thing in (a[0], b[0]))


def _hit(
    board: Board, thing: int, point: FloatArray, direction: FloatArray, *, begins_here: bool
) -> Hit:
    """Ask the edges a beam enters by for their shield; one is enough."""
    name = board.bodies.ids[thing]
    if not board.bodies.is_card[thing]:
        return Hit(name, None, shielded=False)
    pose = board.bodies.poses[thing]
    entries = find_entry(pose, board.size_mm, point, direction, begins_here=begins_here)
    shields = board.ships[thing].shields if thing in board.ships else ()
    for edge, along in entries:
        if is_shielded(shields, edge, along):
            return Hit(name, edge, shielded=True)
    return Hit(name, entries[0][0] if entries else None, shielded=False)


def way_out(
    start: tuple[float, float], direction: tuple[float, float], bounds: Bounds
) -> tuple[float, float]:
    """Return where a beam leaves the drawn table, on its edge exactly."""
    best = (math.inf, start)
    for axis in (0, 1):
        if direction[axis] == 0:
            continue
        edge = bounds[axis + 2] if direction[axis] > 0 else bounds[axis]
        distance = (edge - start[axis]) / direction[axis]
        if distance < best[0]:
            other = start[1 - axis] + distance * direction[1 - axis]
            best = (distance, (edge, other) if axis == 0 else (other, edge))
    return best[1]


# --- cards that were not cut round their print ---------------------------------------------------


def as_printed(ship: Ship, printed: PrintOffset | None, size_mm: tuple[float, float]) -> Ship:
    """Return a ship with its lasers and shields where its card (width, height) shows them.

    A shield reaches straight out to the cut edge, and one that covers an edge up to a corner does
    so still.
    """
    if printed is None:
        return ship
    turned = rotation(printed.turn_rad)

    def place(x: float, y: float) -> tuple[float, float]:
        px, py = (turned @ [x, y]).tolist()
        return px + printed.x_mm, py + printed.y_mm

    lasers = tuple(
        Laser(
            laser.power,
            place(*laser.muzzle_mm),
            wrap_angle(laser.heading_rad + printed.turn_rad),
        )
        for laser in ship.lasers
    )
    half_w, half_h = size_mm[0] / 2, size_mm[1] / 2

    def moved(shield: Shield) -> Shield:
        level = {"top": -half_h, "bottom": half_h, "left": -half_w, "right": half_w}[shield.edge]
        level_is_y = shield.edge in ("top", "bottom")
        half = half_w if level_is_y else half_h

        def end(at: float) -> float:
            if abs(at) >= half - _WHOLE_MM:
                return math.copysign(half, at)
            x, y = place(at, level) if level_is_y else place(level, at)
            return min(max(x if level_is_y else y, -half), half)

        return Shield(shield.edge, end(shield.from_mm), end(shield.to_mm))

    return replace(ship, lasers=lasers, shields=tuple(moved(shield) for shield in ship.shields))
