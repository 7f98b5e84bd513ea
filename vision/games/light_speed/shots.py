"""Rays against bodies: where each beam starts, what it meets first, and by which edge.

A beam starts where it leaves its own card and meets the nearest other thing; touching is hitting.
Distances run along the beam from its start, in mm; all points are in the table frame.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.bodies import TOUCH_MM, Bodies, turned_axes
from vision.games.light_speed.values import EDGES, Edge, Shield, Ship
from vision.values.arrays import FloatArray

__all__ = [
    "Beams",
    "aim_beams",
    "enter_bodies",
    "find_entry",
    "is_shielded",
    "measure_reach",
    "own_exit",
]

CORNER_MM = 1e-8  # an entry this near to a corner is through it: TOUCH_MM on a slanted beam
PARALLEL = 1e-12  # slope below which a beam runs along an edge; rounding leaves 1e-16
_SQUARE_DIGITS = 9  # edges met at the same angle are taken in the order of EDGES
_CHUNK = 1 << 18  # numbers per temporary array: 2 MB stays in the cache

IntArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Beams:
    """All lasers of all ships, in the order of ship id, then laser.

    ``muzzle``, ``direction`` (unit) and ``start`` are (S, 2); ``exit_mm`` (S,) is the way from
    the muzzle to the start on the own card's edge; ``body`` the own card's body. ``side`` (S, 2)
    is the unit vector to the right of the direction, in which sideways shifts count positive.
    """

    ship: IntArray
    body: IntArray
    laser: IntArray
    power: IntArray
    muzzle: FloatArray
    direction: FloatArray
    side: FloatArray
    exit_mm: FloatArray
    start: FloatArray


def aim_beams(bodies: Bodies, ships: Mapping[int, Ship]) -> Beams:
    """Aim every laser of the ships, by thing, on the table."""
    rows = [
        (thing, number, laser.power, *laser.muzzle_mm, laser.heading_rad)
        for thing, ship in sorted(ships.items())
        for number, laser in enumerate(ship.lasers)
    ]
    table = np.array(rows, np.float64).reshape(-1, 6)
    ship, laser, power = (table[:, i].astype(np.intp) for i in range(3))
    body = bodies.body[ship]
    pose = bodies.poses[ship]
    direction = -turned_axes(pose[:, 2] + table[:, 5])[:, 1] + 0.0  # heading 0 is -y
    side = np.stack([-direction[:, 1], direction[:, 0]], axis=1) + 0.0
    x_axis, y_axis = bodies.normals[body, 1], bodies.normals[body, 2]  # of right and bottom
    muzzle = pose[:, :2] + table[:, 3:4] * x_axis + table[:, 4:5] * y_axis
    exit_mm = own_exit(bodies, body, muzzle, direction, np.zeros(len(ship)))
    start = muzzle + exit_mm[:, None] * direction
    return Beams(ship, body, laser, power, muzzle, direction, side, exit_mm, start)


def own_exit(
    bodies: Bodies, body: IntArray, muzzle: FloatArray, direction: FloatArray, shift_mm: FloatArray
) -> FloatArray:
    """Return how far from its muzzle a beam, shifted sideways, leaves its own card.

    A beam shifted past its own card starts level with the corner that it passes: the start moves
    with the shift without a jump.

    Parameters
    ----------
    bodies : Bodies
        What is on the table.
    body : (P,) int
        The body of the own card.
    muzzle, direction : (P, 2)
        Of the beam before the shift.
    shift_mm : (P,)
        To the right, seen along the beam.

    Returns
    -------
    (P,)
        Along the beam, from the point level with the muzzle.
    """
    side = np.stack([-direction[:, 1], direction[:, 0]], axis=1)
    spans = _dot(bodies.corners[body] - muzzle[:, None], side)
    shift = np.clip(shift_mm, spans.min(axis=1), spans.max(axis=1))
    offset = muzzle + shift[:, None] * side - bodies.centre[body]
    normals = bodies.normals[body]
    slope = _dot(normals, direction)
    leaves = slope > PARALLEL
    reach = (bodies.halves[body] - _dot(normals, offset)) / np.where(leaves, slope, 1.0)
    exits: FloatArray = np.where(leaves, reach, np.inf).min(axis=1)
    return exits


def measure_reach(beams: Beams, bodies: Bodies) -> FloatArray:
    """Measure how far each of S beams runs to each of M things, as if nothing else were there.

    Returned are (S, M), mm from the beam's start; infinite for a thing that is not met and for the
    own card.
    """
    reach = np.full((len(beams.ship), len(bodies.ids)), np.inf)
    rows = max(1, _CHUNK // max(1, len(bodies.thing)))
    wide = bodies.radius + 1.0  # a millimetre more than needed: this only sorts out
    for first in range(0, len(beams.ship), rows):
        part = slice(first, first + rows)
        d, n, start = beams.direction[part], beams.side[part], beams.start[part]
        ahead = d @ bodies.centre.T - (d * start).sum(axis=1)[:, None]
        aside = n @ bodies.centre.T - (n * start).sum(axis=1)[:, None]
        near = (np.abs(aside) <= wide) & (ahead >= -wide)
        near &= beams.ship[part][:, None] != bodies.thing
        beam, body = np.nonzero(near)
        distance, _ = enter_bodies(bodies, body, start[beam], d[beam])
        np.minimum.at(reach, (beam + first, bodies.thing[body]), distance)
    return reach


def enter_bodies(
    bodies: Bodies, body: IntArray, start: FloatArray, direction: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Meet beams with bodies, pair by pair.

    Parameters
    ----------
    bodies : Bodies
        What is on the table.
    body : (P,) int
        The body of each pair.
    start, direction : (P, 2)
        The beam of each pair.

    Returns
    -------
    distance_mm : (P,)
        From the start; 0 inside or on the edge, infinite for a miss.
    edge : (P,) int
        The edge by which the beam enters; -1 if it begins strictly inside.
    """
    normals = bodies.normals[body]
    gap = bodies.halves[body] - _dot(normals, start - bodies.centre[body])  # positive: inside
    slope = _dot(normals, direction)
    enters, leaves = slope < -PARALLEL, slope > PARALLEL
    safe = np.where(enters | leaves, slope, 1.0)
    reach = gap / safe
    nearest = np.where(enters, reach, -np.inf).max(axis=1)
    farthest = np.where(leaves, reach, np.inf).min(axis=1)
    grown = (gap + TOUCH_MM) / safe  # the same for the body grown by the tolerance
    hit = np.where(enters, grown, -np.inf).max(axis=1) <= (
        grown_end := np.where(leaves, grown, np.inf).min(axis=1)
    )
    hit &= (grown_end >= 0) & ~((gap < -TOUCH_MM) & ~(enters | leaves)).any(axis=1)
    distance = np.maximum(np.minimum(nearest, farthest), 0.0)
    at_entry = np.abs(gap - np.where(np.isfinite(distance), distance, 0.0)[:, None] * slope)
    edge = np.where(gap.min(axis=1) > TOUCH_MM, -1, at_entry.argmin(axis=1))
    return np.where(hit, distance, np.inf), edge


def find_entry(
    pose: FloatArray,
    size_mm: tuple[float, float],
    point: FloatArray,
    direction: FloatArray,
    *,
    begins_here: bool,
) -> tuple[tuple[Edge, float], ...]:
    """Name the edges of a card by which a beam enters it at a point (2,), table frame.

    ``pose`` (3,) and ``size_mm`` (width, height) are those of the card. By ``begins_here`` the beam
    starts at this point, which may then lie inside the card. Returned is each edge with the place
    of the entry along the edge's own card axis: none for a beam that begins strictly inside, two
    for an exact corner (the one met more squarely first), else one.
    """
    c, s = math.cos(pose[2]), math.sin(pose[2])
    half_w, half_h = size_mm[0] / 2, size_mm[1] / 2
    dx, dy = float(point[0] - pose[0]), float(point[1] - pose[1])
    x, y = c * dx + s * dy, c * dy - s * dx
    gaps = (half_h + y, half_w - x, half_h - y, half_w + x)  # to top, right, bottom, left
    if begins_here and min(gaps) > TOUCH_MM:
        return ()
    near = [i for i in range(4) if abs(gaps[i]) <= CORNER_MM]
    if len(near) == 2:
        x, y = math.copysign(half_w, x), math.copysign(half_h, y)
        across = c * float(direction[0]) + s * float(direction[1])
        along = c * float(direction[1]) - s * float(direction[0])
        facing = (along, -across, -along, across)  # how squarely the beam comes in by each edge
        near.sort(key=lambda i: -round(facing[i], _SQUARE_DIGITS))
    near = near or [min(range(4), key=lambda i: abs(gaps[i]))]
    return tuple((EDGES[i], x if i % 2 == 0 else y) for i in near)


def is_shielded(shields: Sequence[Shield], edge: Edge, along_mm: float) -> bool:
    """Tell whether a point of an edge is shielded; the ends of a stretch are."""
    return any(
        shield.edge == edge and shield.from_mm - TOUCH_MM <= along_mm <= shield.to_mm + TOUCH_MM
        for shield in shields
    )


def _dot(vectors: FloatArray, by: FloatArray) -> FloatArray:
    """Multiply (P, E, 2) vectors with one (2,) each: (P, E)."""
    product: FloatArray = vectors[..., 0] * by[:, None, 0] + vectors[..., 1] * by[:, None, 1]
    return product
