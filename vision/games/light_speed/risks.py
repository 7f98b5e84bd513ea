"""The likeliest way in which a shot goes another way, given how well the poses are known.

The nearest feature is not always the likeliest to be passed: heading errors grow with the way. So
each end of the target, each corner that may come between, and each end of a shielded stretch on
the edge that is entered is taken by itself: its distance from the beam over the spread of that
distance. Features more than ``FAR_SIGMA`` away are left out.
"""

import math
from dataclasses import dataclass

import numpy as np

from vision.games.light_speed.ahead import Ahead, Fired, IntArray, fix_points, shield_ends
from vision.games.light_speed.bodies import Bodies
from vision.games.light_speed.features import Features, Spread
from vision.games.light_speed.shots import Beams
from vision.values.arrays import FloatArray

__all__ = ["FAR_SIGMA", "Risk", "find_risks", "flip_chance"]

FAR_SIGMA = 6.0  # a chance of 1e-9


@dataclass(frozen=True, slots=True)
class Risk:
    """A feature that the beam may turn out to pass on the other side.

    ``mm`` is its distance from the beam, ``sigma_mm`` the spread of that, ``thing`` what it
    belongs to, ``chance`` that it lies on the other side, ``point_mm`` where it lies.
    """

    chance: float
    mm: float
    sigma_mm: float
    thing: int
    point_mm: tuple[float, float]


def flip_chance(mm: float, sigma_mm: float) -> float:
    """Return the chance that a distance with a spread is on the other side of zero."""
    if sigma_mm <= 0 or math.isinf(mm):
        return 0.0
    return 0.5 * math.erfc(mm / (sigma_mm * math.sqrt(2)))


def find_risks(
    bodies: Bodies,
    beams: Beams,
    fired: Fired,
    ahead: Ahead,
    stretches: FloatArray,
    spread: Spread,
) -> list[Risk | None]:
    """Find the likeliest feature of each shot.

    Parameters
    ----------
    bodies, beams, fired, ahead, stretches
        As for the margins; one beam for each of the F shots.
    spread : Spread
        How well the poses are known.

    Returns
    -------
    list of Risk or None
        One for each shot; None if nothing is within ``FAR_SIGMA``.
    """
    member = ahead.stands & (fired.hit[:, None] >= 0)
    member &= fired.target[bodies.thing] == fired.target[fired.hit][:, None]
    far = FAR_SIGMA * _most(bodies, beams, ahead, spread)
    parts = [
        _ends(bodies, beams, ahead, member, far),
        _between(bodies, beams, fired, ahead, member, far),
    ]
    if stretches.shape[1]:
        ends = shield_ends(bodies, beams, fired, stretches, entered=True)
        body = bodies.body[ends.things[:, 0]]
        parts.append(ends.take(np.abs(ends.shift) <= far[ends.shot, body]))
    features = Features.join(parts)
    risks: list[Risk | None] = [None] * len(fired.beam)
    for k, shot in enumerate(features.shot.tolist()):
        mm = abs(float(features.shift[k]))
        sigma = spread.sigma(features, k, int(beams.ship[shot]), beams.side[shot])
        point = (float(features.point[k, 0]), float(features.point[k, 1]))
        risk = Risk(flip_chance(mm, sigma), mm, sigma, int(features.things[k, 0]), point)
        known = risks[shot]
        if sigma > 0 and (known is None or risk.chance > known.chance):
            risks[shot] = risk
    return risks


def _most(bodies: Bodies, beams: Beams, ahead: Ahead, spread: Spread) -> FloatArray:
    """Return a bound on the spread of the distance of anything on each body, (F, B)."""
    place, turn = spread.scale()
    own = beams.ship
    way = np.maximum(np.abs(ahead.u_low), np.abs(ahead.u_high)) + bodies.radius[beams.body][:, None]
    most: FloatArray = place[own][:, None] + place[bodies.thing]
    most += turn[own][:, None] * way + turn[bodies.thing] * bodies.radius
    return most


def _ends(
    bodies: Bodies, beams: Beams, ahead: Ahead, member: np.ndarray, far: FloatArray
) -> Features:
    """Return the outermost corners of the targets, to the left and to the right."""
    right = np.where(member, ahead.v_high, -np.inf)
    left = np.where(member, -ahead.v_low, -np.inf)
    found = []
    for reach, sign in ((right, 1.0), (left, -1.0)):
        outer = member & (reach == reach.max(axis=1, keepdims=True)) & (reach <= far)
        shot, body = np.nonzero(outer)
        v = sign * _places(bodies, beams.side, beams.muzzle, shot, body)
        found.append(_corners(bodies, beams, shot, body, v.argmax(axis=1)))
    return Features.join(found)


def _between(
    bodies: Bodies,
    beams: Beams,
    fired: Fired,
    ahead: Ahead,
    member: np.ndarray,
    far: FloatArray,
) -> Features:
    """Return the nearest corner of each other body between the start and what is hit."""
    last = (beams.exit_mm + fired.distance_mm)[:, None]
    aside = np.maximum(ahead.v_low, -ahead.v_high)
    may = ahead.stands & ~member & (aside <= far) & (ahead.u_low < last)
    shot, body = np.nonzero(may)
    u = _places(bodies, beams.direction, beams.muzzle, shot, body)
    v = np.abs(_places(bodies, beams.side, beams.muzzle, shot, body))
    v[(u < beams.exit_mm[shot][:, None]) | (u > last[shot])] = np.inf
    near = v.argmin(axis=1)
    there = np.isfinite(v[np.arange(len(shot)), near])
    return _corners(bodies, beams, shot[there], body[there], near[there])


def _places(
    bodies: Bodies, axis: FloatArray, origin: FloatArray, shot: IntArray, body: IntArray
) -> FloatArray:
    """Return where the corners of bodies lie along an axis of their shots, (P, 4)."""
    away = bodies.corners[body] - origin[shot][:, None]
    places: FloatArray = (away * axis[shot][:, None]).sum(axis=2)
    return places


def _corners(
    bodies: Bodies, beams: Beams, shot: IntArray, body: IntArray, corner: IntArray
) -> Features:
    return fix_points(beams, shot, bodies.corners[body, corner], bodies.thing[body])
