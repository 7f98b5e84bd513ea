"""What lies ahead of each beam: extents along (u) and across (v) it, corners, ends of shields.

Lengths along a beam (u) and to its right (v) count from its muzzle, in mm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.bodies import Bodies, Contacts
from vision.games.light_speed.features import ON_OTHER, Features
from vision.games.light_speed.shots import Beams
from vision.games.light_speed.values import EDGES, Shield
from vision.values.arrays import FloatArray

__all__ = ["Fired", "Near", "Shots", "stack_shields"]

_SLACK_MM = 1e-3  # a body this little behind a beam's start is still looked at

IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Fired:
    """The shots of a round: F of them, and what each one hit."""

    beam: IntArray  #: (F,)
    standing: BoolArray  #: (F, M) the things on the table then
    hit: IntArray  #: (F,) the thing met, -1 for none
    edge: IntArray  #: (F,) by which it was entered, as in ``EDGES``; -1 for none
    shielded: BoolArray  #: (F,) whether a shield held
    distance_mm: FloatArray  #: (F,) from the start to what was met; infinite for a miss
    target: IntArray  #: (M,) equal for things that count as one (the parts of a joined asteroid)

    def part(self, which: slice) -> "Fired":
        """Return some of the shots."""
        names = (name for name in self.__slots__ if name != "target")
        return replace(self, **{name: getattr(self, name)[which] for name in names})


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """Pairs of shot and body, in order of the shots: what can matter to each shot."""

    shot: IntArray  #: (P,)
    body: IntArray  #: (P,)


@dataclass(frozen=True, slots=True, eq=False)
class Shots:
    """Some shots, a beam each (F), and all that may stand in their way (B bodies).

    ``stretches`` are the shields of the things (:func:`stack_shields`); ``stands`` (F, B) are the
    bodies that a beam may meet, with their extents along (u) and across (v) it, (F, B) each.
    """

    bodies: Bodies
    beams: Beams
    fired: Fired
    contacts: Contacts
    stretches: FloatArray
    stands: BoolArray
    u_low: FloatArray
    u_high: FloatArray
    v_low: FloatArray
    v_high: FloatArray

    @classmethod
    def of(
        cls, bodies: Bodies, beams: Beams, fired: Fired, contacts: Contacts, stretches: FloatArray
    ) -> "Shots":
        """Measure every body along and across every shot; ``beams`` are those of the board."""
        beams = Beams(*(getattr(beams, name)[fired.beam] for name in Beams.__slots__))
        u_low, u_high = _span(bodies, beams.direction, beams.muzzle)
        v_low, v_high = _span(bodies, beams.side, beams.muzzle)
        own = u_low[np.arange(len(beams.ship)), beams.body, None]
        stands = fired.standing[:, bodies.thing] & (bodies.thing != beams.ship[:, None])
        stands &= u_high >= own - _SLACK_MM
        return cls(bodies, beams, fired, contacts, stretches, stands, u_low, u_high, v_low, v_high)

    def at(self, shot: IntArray, shift_mm: FloatArray) -> Near:
        """Return the bodies across the way of shots (each once, in order) at a shift."""
        shift = np.full((len(self.stands), 1), np.inf)
        shift[shot, 0] = shift_mm
        across = self.stands & (self.v_low <= shift) & (shift <= self.v_high)
        return Near(*np.nonzero(across))

    def hit_bodies(self) -> BoolArray:
        """Tell of each body (F, B) whether it is part of what a shot hits."""
        fired, thing = self.fired, self.bodies.thing
        is_hit = self.stands & (fired.hit[:, None] >= 0)
        return np.asarray(is_hit & (fired.target[thing] == fired.target[fired.hit][:, None]))

    def along(self, axis: FloatArray, shot: IntArray, body: IntArray) -> FloatArray:
        """Return where the corners of bodies lie along an axis (F, 2) of their shots, (P, 4)."""
        away = self.bodies.corners[body] - self.beams.muzzle[shot][:, None]
        places: FloatArray = (away * axis[shot][:, None]).sum(axis=2)
        return places

    def points(
        self, shot: IntArray, point: FloatArray, thing: IntArray, rank: int = ON_OTHER
    ) -> Features:
        """Make features of points (K, 2) fixed to things."""
        side = self.beams.side[shot]
        shift = (side * (point - self.beams.muzzle[shot])).sum(axis=1)
        return Features.of_points(shot, shift, point, thing, side, rank)

    def corners(self, shot: IntArray, body: IntArray, corner: IntArray) -> Features:
        """Make features of one corner of each body."""
        return self.points(shot, self.bodies.corners[body, corner], self.bodies.thing[body])

    def shield_ends(self, *, entered: bool = False) -> Features:
        """Return the ends of the shielded stretches of each card hit, or of the edge entered."""
        bodies, fired, stretches = self.bodies, self.fired, self.stretches
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
        return self.points(shot, point, thing)


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
