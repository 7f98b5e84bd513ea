"""What lies ahead of each beam: extents along (u) and across (v) it, corners, ends of shields.

Lengths along a beam (u) and to its right (v) count from its muzzle, in mm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.bodies import Bodies
from vision.games.light_speed.features import Features
from vision.games.light_speed.shots import Beams
from vision.games.light_speed.values import EDGES, Shield
from vision.values.arrays import FloatArray

__all__ = [
    "Ahead",
    "Fired",
    "Near",
    "fix_points",
    "look_ahead",
    "shield_ends",
    "stack_shields",
    "take_beams",
]

_SLACK_MM = 1e-3  # a body this little behind a beam's start is still looked at

IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Fired:
    """The shots of a round: F of them, and what each one hit.

    Attributes
    ----------
    beam : (F,) int
        The beam fired.
    standing : (F, M) bool
        The things on the table then.
    hit : (F,) int
        The thing met, -1 for none.
    edge : (F,) int
        The edge by which it was entered, as in ``EDGES``; -1 for none.
    shielded : (F,) bool
        Whether a shield held.
    distance_mm : (F,)
        From the start to what was met; infinite for a miss.
    target : (M,) int
        Equal for things that count as one (the parts of a joined asteroid).
    """

    beam: IntArray
    standing: BoolArray
    hit: IntArray
    edge: IntArray
    shielded: BoolArray
    distance_mm: FloatArray
    target: IntArray

    def part(self, which: slice) -> "Fired":
        """Return some of the shots."""
        return Fired(
            self.beam[which],
            self.standing[which],
            self.hit[which],
            self.edge[which],
            self.shielded[which],
            self.distance_mm[which],
            self.target,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Pairs of shot and body, in order of the shots: what can matter to each shot."""

    shot: IntArray  #: (P,)
    body: IntArray  #: (P,)


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """The bodies that each beam may meet, and their extents along (u) and across (v) it."""

    stands: BoolArray  #: (F, B)
    u_low: FloatArray
    u_high: FloatArray
    v_low: FloatArray
    v_high: FloatArray

    def at(self, shot: IntArray, shift_mm: FloatArray) -> Near:
        """Return the bodies across the way of shots (each once, in order) at a shift."""
        shift = np.full((len(self.stands), 1), np.inf)
        shift[shot, 0] = shift_mm
        across = self.stands & (self.v_low <= shift) & (shift <= self.v_high)
        return Near(*np.nonzero(across))


def look_ahead(bodies: Bodies, beams: Beams, fired: Fired) -> Ahead:
    """Measure every body along and across every shot; ``beams`` holds one for each shot."""
    u_low, u_high = _span(bodies, beams.direction, beams.muzzle)
    v_low, v_high = _span(bodies, beams.side, beams.muzzle)
    own = u_low[np.arange(len(beams.ship)), beams.body, None]
    stands = fired.standing[:, bodies.thing] & (bodies.thing != beams.ship[:, None])
    return Ahead(stands & (u_high >= own - _SLACK_MM), u_low, u_high, v_low, v_high)


def _span(bodies: Bodies, axis: FloatArray, origin: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and greatest place of each body along an axis, (F, B) each."""
    places = axis @ bodies.corners[:, 0].T
    low, high = places, places
    for corner in range(1, 4):
        places = axis @ bodies.corners[:, corner].T
        low, high = np.minimum(low, places), np.maximum(high, places)
    base = (axis * origin).sum(axis=1)[:, None]
    return low - base, high - base


def stack_shields(shields: Mapping[int, Sequence[Shield]], count: int) -> FloatArray:
    """Stack the shields of M things as (M, K, 3): edge number, from, to; edge -2 for none."""
    most = max((len(s) for s in shields.values()), default=0)
    table = np.full((count, most, 3), -2.0)
    for thing, stretches in shields.items():
        for k, shield in enumerate(stretches):
            table[thing, k] = EDGES.index(shield.edge), shield.from_mm, shield.to_mm
    return table


def take_beams(beams: Beams, which: IntArray) -> Beams:
    """Return some of the beams, or one several times."""
    return Beams(*(getattr(beams, name)[which] for name in Beams.__slots__))


def fix_points(
    beams: Beams, shot: IntArray, point: FloatArray, thing: IntArray, rank: int = 0
) -> Features:
    """Make features of points (K, 2) fixed to things; ``beams`` holds one for each shot."""
    side = beams.side[shot]
    shift = (side * (point - beams.muzzle[shot])).sum(axis=1)
    return Features.of_points(shot, shift, point, thing, side, rank)


def shield_ends(
    bodies: Bodies, beams: Beams, fired: Fired, stretches: FloatArray, *, entered: bool = False
) -> Features:
    """Return the ends of the shielded stretches of each card hit, or of the edge entered only."""
    wanted = (fired.hit >= 0)[:, None] & (stretches[fired.hit, :, 0] >= 0)
    if entered:
        wanted &= stretches[fired.hit, :, 0] == fired.edge[:, None]
    shot, k = np.nonzero(wanted)
    shot, k, end = np.repeat(shot, 2), np.repeat(k, 2), np.tile([1, 2], len(shot))
    thing = fired.hit[shot]
    edge = stretches[thing, k, 0].astype(np.intp)
    body = bodies.body[thing]
    out = bodies.normals[body, edge] * bodies.halves[body, edge][:, None]
    axis = bodies.normals[body, 1 + edge % 2]  # x along top and bottom, else y
    point = bodies.centre[body] + out + stretches[thing, k, end][:, None] * axis
    return fix_points(beams, shot, point, thing)
