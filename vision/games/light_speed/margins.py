"""How near each shot is to another outcome: the exact sideways margin.

A beam is shifted in parallel, to the right (positive) and to the left. What it hits is constant
between *breakpoints*: the shifts at which it passes a corner, the end of a shielded stretch, or a
crossing of two edges. So the outcome is asked once between each two neighbours, and the margin is
the nearest breakpoint behind which it differs. Only things near the beam are looked at: a bound on
the margin is known beforehand (the end of the target; for a miss, the nearest card ahead).

Outcomes that hold for one shift only (a beam exactly through a corner, say) are passed over, and
so are intervals narrower than ``MERGE_MM``. Lengths along a beam (u) and to its right (v) count
from its muzzle.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.ahead import Fired, IntArray, Near, Shots, stack_shields
from vision.games.light_speed.bodies import TOUCH_MM, Bodies, Contacts
from vision.games.light_speed.features import ON_OWN, Features, Spread
from vision.games.light_speed.shots import Beams, enter_bodies, own_exit
from vision.games.light_speed.values import EDGES, Edge, Shield
from vision.values.arrays import FloatArray

__all__ = ["MERGE_MM", "Margin", "measure_margins"]

MERGE_MM = 1e-7  # breakpoints nearer than this are one: far below any pose, far above rounding
_PAD_MM = 1e-3  # how far beyond the bound breakpoints are looked for
_BEYOND_MM = 5e-7  # where, behind the margin, the other outcome is named
_CHUNK = 1 << 18  # numbers per temporary array: 2 MB stays in the cache

_ALONG_MM = 1e-7  # of rise over a whole edge: rounding, no slope
_NEXT = [1, 2, 3, 0]  # the corner at the end of each edge

BoolArray = NDArray[np.bool_]
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


@dataclass(frozen=True, slots=True)
class Margin:
    """The smallest sideways shift that changes what a beam hits.

    ``thing`` is what the nearest feature belongs to; ``hit``, ``edge`` and ``shielded`` are the
    outcome behind it (``hit`` -1: space). ``sigma_mm`` is the spread of the distance and
    ``point_mm`` where the feature lies. ``risk`` is the feature most likely to be passed, with
    the chance of that: mostly the same.
    """

    mm: float
    thing: int = -1
    hit: int = -1
    edge: Edge | None = None
    shielded: bool = False
    sigma_mm: float = 0.0
    risk: Risk | None = None
    point_mm: tuple[float, float] = (0.0, 0.0)


def measure_margins(
    bodies: Bodies,
    beams: Beams,
    fired: Fired,
    contacts: Contacts,
    shields: Mapping[int, Sequence[Shield]],
    spread: Spread | None = None,
) -> list[Margin]:
    """Measure the margin of every shot; infinite where no shift changes anything.

    Bodies, beams and contacts are those of the table as it lay when the round began; ``shields``
    are in the card frame. Without ``spread`` the poses are exact: every ``sigma_mm`` is 0.
    """
    stretches = stack_shields(shields, len(bodies.ids))
    rows = max(1, _CHUNK // max(1, len(bodies.thing)))
    margins: list[Margin] = []
    for first in range(0, len(fired.beam), rows):
        chunk = fired.part(slice(first, first + rows))
        margins += _measure(Shots.of(bodies, beams, chunk, contacts, stretches), spread)
    return margins


def _measure(shots: Shots, spread: Spread | None) -> list[Margin]:
    bodies, beams, fired = shots.bodies, shots.beams, shots.fired
    margins = [Margin(np.inf)] * len(fired.beam)
    risks = find_risks(shots, spread)
    near, limit = _find_near(shots)
    if not len(near.shot):
        return margins
    features = _find_features(shots, near, limit)
    shot, ends, beyond = _nearest_changes(shots, near, features)
    # the outcome just behind the margin, against all that stands there
    hits, edges, shielded = _ask(shots, shots.at(shot, beyond), shot, beyond)
    concerned = np.stack([hits, fired.hit[shot]], axis=1)
    picked = features.pick(ends, concerned, MERGE_MM)
    for i, f in enumerate(shot.tolist()):
        hit, edge = int(hits[i]), int(edges[i])
        owners = [t for t in features.things[picked[i]].tolist() if t >= 0]
        named = [t for t in concerned[i].tolist() if t in owners] or owners
        mm, sigma, risk = abs(float(features.shift[ends[i]])), 0.0, risks[f]
        at = features.point[picked[i]]
        point = (float(at[0]), float(at[1]))
        if spread is not None:
            sigma = spread.sigma(features, int(picked[i]), int(beams.ship[f]), beams.side[f])
            chance = flip_chance(mm, sigma)
            if sigma > 0 and (risk is None or chance >= risk.chance):
                risk = Risk(chance, mm, sigma, named[0], point)
        margins[f] = Margin(
            mm=mm,
            thing=named[0],
            hit=hit,
            edge=EDGES[edge] if hit >= 0 and edge >= 0 and bodies.is_card[hit] else None,
            shielded=bool(shielded[i]),
            sigma_mm=sigma,
            risk=risk,
            point_mm=point,
        )
    return margins


def _nearest_changes(
    shots: Shots, near: Near, features: Features
) -> tuple[IntArray, IntArray, FloatArray]:
    """Find the breakpoint of each shot nearest to its beam behind which the outcome differs.

    Returned are the shots (C,) that have one, that breakpoint (C,) as an index of the features, and
    a shift (C,) in mm just behind it.
    """
    fired = shots.fired
    # intervals between neighbouring breakpoints of one shot
    inner = (features.shot[1:] == features.shot[:-1]) & (np.diff(features.shift) > MERGE_MM)
    left = np.flatnonzero(inner)
    shot = features.shot[left]
    middle = (features.shift[left] + features.shift[left + 1]) / 2
    hit, _, shielded = _ask(shots, near, shot, middle)
    target = np.append(fired.target, -1)  # -1, space, stays -1
    was = fired.hit[shot]
    changed = target[hit] != target[was]
    changed |= (was >= 0) & (shielded != fired.shielded[shot])
    rows = np.flatnonzero(changed)
    right = middle[rows] > 0
    ends = np.where(right, left[rows], left[rows] + 1)
    size = np.abs(features.shift[ends])
    order = np.lexsort((size + MERGE_MM * ~right, shot[rows]))  # a draw: the right
    best = order[np.unique(shot[rows][order], return_index=True)[1]]
    rows, ends, right = rows[best], ends[best], right[best]
    width = np.diff(features.shift)[left[rows]]
    beyond = features.shift[ends] + np.where(right, 1, -1) * np.minimum(width / 2, _BEYOND_MM)
    return shot[rows], ends, beyond


# --- what can matter -------------------------------------------------------------------------


def _find_near(shots: Shots) -> tuple[Near, FloatArray]:
    """Bound each margin (F,), perhaps by infinity, and find the bodies that can matter within it.

    They are enough to tell whether the outcome is still the same; not what else it is.
    """
    beams, stands, member = shots.beams, shots.stands, shots.hit_bodies()
    is_hit = shots.fired.hit[:, None] >= 0
    # beyond the ends of its target, a beam hits something else
    right = np.where(member, shots.v_high, -np.inf).max(axis=1)
    left = np.where(member, shots.v_low, np.inf).min(axis=1)
    bound = np.where(is_hit[:, 0], np.minimum(right, -left), np.inf)
    first = np.where(member, shots.u_low, np.inf).min(axis=1, keepdims=True)
    last = np.where(member, shots.u_high, -np.inf).max(axis=1, keepdims=True)
    # and where a body begins that lies wholly between its own card and the target
    own = shots.u_high[np.arange(len(beams.ship)), beams.body, None]
    aside = np.maximum(np.maximum(shots.v_low, -shots.v_high), 0.0)
    sure = stands & ~member & (shots.u_low > own) & (shots.u_high < first)
    bound = np.maximum(np.minimum(bound, np.where(sure, aside, np.inf).min(axis=1)), 0.0)
    matters = stands & (aside <= bound[:, None] + 2 * _PAD_MM)
    matters &= ~is_hit | (shots.u_low <= last + _PAD_MM)
    return Near(*np.nonzero(matters)), bound + _PAD_MM


# --- where the outcome may change ------------------------------------------------------------


def _find_features(shots: Shots, near: Near, limit: FloatArray) -> Features:
    """List every breakpoint of every shot, sorted by shot, then shift."""
    bodies, beams = shots.bodies, shots.beams
    each = np.unique(near.shot)
    own = np.repeat(each, 4)
    corners = bodies.corners[beams.body[each]].reshape(-1, 2)
    parts = [shots.points(own, corners, beams.ship[own], ON_OWN)]
    shot = np.repeat(near.shot, 4)
    corners = bodies.corners[near.body].reshape(-1, 2)
    parts.append(shots.points(shot, corners, np.repeat(bodies.thing[near.body], 4)))
    if shots.stretches.shape[1]:
        parts.append(shots.shield_ends())
    if len(shots.contacts.points):
        parts.append(_crossings(shots, near))
    parts.append(_levels(shots, near, limit))
    last = np.zeros(len(limit))
    for part in parts:
        np.maximum.at(last, part.shot, np.abs(part.shift))
    end = np.where(np.isfinite(limit), limit, last + 1.0)
    parts += [Features.bare(each, shift) for shift in (-end[each], 0 * end[each], end[each])]
    found = Features.join(parts)
    inside = np.flatnonzero(np.abs(found.shift) <= end[found.shot])
    return found.take(inside[np.lexsort((found.shift[inside], found.shot[inside]))])


def _crossings(shots: Shots, near: Near) -> Features:
    """Return the crossings of the edges of things near a shot, or of its own card."""
    bodies, beams, contacts = shots.bodies, shots.beams, shots.contacts
    known = np.zeros((len(beams.ship), len(bodies.ids)), bool)
    known[near.shot, bodies.thing[near.body]] = True
    known[np.arange(len(beams.ship)), beams.ship] = True
    shot, c = np.nonzero(known[:, contacts.things[:, 0]] & known[:, contacts.things[:, 1]])
    side, point = beams.side[shot], contacts.points[c]
    shift = (side * (point - beams.muzzle[shot])).sum(axis=1)
    return Features.of_crossings(shot, shift, point, contacts.things[c], contacts.normals[c], side)


def _levels(shots: Shots, near: Near, limit: FloatArray) -> Features:
    """Return where edges cross the start of beams that are shifted past their own card."""
    bodies, beams = shots.bodies, shots.beams
    own = bodies.corners[beams.body] - beams.muzzle[:, None]
    across = (own * beams.side[:, None]).sum(axis=2)
    every = np.tile(np.arange(len(beams.ship)), 2)
    end = np.concatenate([across.min(axis=1), across.max(axis=1)])  # to the left, to the right
    side = np.repeat([-1.0, 1.0], len(beams.ship))
    level = own_exit(bodies, beams.body[every], beams.muzzle[every], beams.direction[every], end)
    pair = np.tile(np.arange(len(near.shot)), 2)
    row = np.concatenate([near.shot, near.shot + len(beams.ship)])
    past = limit[near.shot[pair]] > (side * end)[row]
    pair, row = pair[past], row[past]
    shot, body = near.shot[pair], near.body[pair]
    u = shots.along(beams.direction, shot, body) - level[row][:, None]
    v = shots.along(beams.side, shot, body)
    du, dv = u[:, _NEXT] - u, v[:, _NEXT] - v
    # an edge that runs along the level does not cross it; its ends are features of their own
    k, edge = np.nonzero((u * (u + du) <= 0) & (np.abs(du) > _ALONG_MM))
    shift = v[k, edge] - u[k, edge] / du[k, edge] * dv[k, edge]
    beyond = (side * end)[row[k]] < side[row[k]] * shift
    k, edge, shift = k[beyond], edge[beyond], shift[beyond]
    shot, body, row = shot[k], body[k], row[k]
    d, n = beams.direction[shot], beams.side[shot]
    point = beams.muzzle[shot] + level[row][:, None] * d + shift[:, None] * n
    things = np.stack([bodies.thing[body], beams.ship[shot]], axis=1)
    normals = np.stack([bodies.normals[body, edge], d], axis=1)
    return Features.of_crossings(shot, shift, point, things, normals, n)


# --- what is hit there -----------------------------------------------------------------------


def _ask(
    shots: Shots, near: Near, shot: IntArray, shift_mm: FloatArray
) -> tuple[IntArray, IntArray, BoolArray]:
    """Trace Q shifted beams against the bodies near their shots."""
    bodies, beams, stretches = shots.bodies, shots.beams, shots.stretches
    direction = beams.direction[shot]
    leave = own_exit(bodies, beams.body[shot], beams.muzzle[shot], direction, shift_mm)
    start = beams.muzzle[shot] + shift_mm[:, None] * beams.side[shot] + leave[:, None] * direction
    # every question with every body near its shot: T rows
    count = np.bincount(near.shot, minlength=len(beams.ship))
    offset = np.cumsum(count) - count
    each = count[shot]
    head = np.cumsum(each) - each
    question = np.repeat(np.arange(len(shot)), each)
    body = near.body[offset[shot][question] + np.arange(len(question)) - head[question]]
    distance, edge = enter_bodies(bodies, body, start[question], direction[question])
    best = np.full(len(shot), np.inf)
    np.minimum.at(best, question, distance)
    thing, edge = np.append(bodies.thing[body], -1), np.append(edge, -1)  # the last: nothing
    first = np.flatnonzero(np.isfinite(distance) & (distance <= best[question] + TOUCH_MM))
    winner = np.full(len(shot), len(bodies.ids))
    np.minimum.at(winner, question[first], thing[first])
    first = first[thing[first] == winner[question[first]]]
    row = np.full(len(shot), -1)
    row[question[first]] = first
    hit, edge = thing[row], edge[row]
    shielded = np.zeros(len(shot), bool)
    if stretches.shape[1]:
        q = np.flatnonzero(edge >= 0)
        stretch, own, e = stretches[hit[q]], bodies.body[hit[q]], edge[q]
        point = start[q] + distance[row[q]][:, None] * direction[q] - bodies.centre[own]
        along = (point * bodies.normals[own, 1 + e % 2]).sum(axis=1)[:, None]
        held = (stretch[..., 0] == e[:, None]) & (stretch[..., 1] <= along)
        shielded[q] = (held & (along <= stretch[..., 2])).any(axis=1)
    return hit, edge, shielded


# --- risks ---------------------------------------------------------------------------------------
# The nearest feature is not always the likeliest to be passed: heading errors grow with the way. So
# each end of the target, each corner that may come between, and each end of a shielded stretch on
# the edge that is entered is taken by itself: its distance from the beam over the spread of that
# distance. Features more than ``FAR_SIGMA`` away are left out.


def flip_chance(mm: float, sigma_mm: float) -> float:
    """Return the chance that a distance with a spread is on the other side of zero."""
    if sigma_mm <= 0 or math.isinf(mm):
        return 0.0
    return 0.5 * math.erfc(mm / (sigma_mm * math.sqrt(2)))


def find_risks(shots: Shots, spread: Spread | None) -> list[Risk | None]:
    """Find the likeliest feature of each of F shots; None if nothing is within ``FAR_SIGMA``."""
    beams, risks = shots.beams, list[Risk | None]([None] * len(shots.fired.beam))
    if spread is None:
        return risks
    far = FAR_SIGMA * _most(shots, spread)
    parts = [*_ends(shots, far), _between(shots, far)]
    if shots.stretches.shape[1]:
        ends = shots.shield_ends(entered=True)
        body = shots.bodies.body[ends.things[:, 0]]
        parts.append(ends.take(np.abs(ends.shift) <= far[ends.shot, body]))
    features = Features.join(parts)
    for k, shot in enumerate(features.shot.tolist()):
        mm = abs(float(features.shift[k]))
        sigma = spread.sigma(features, k, int(beams.ship[shot]), beams.side[shot])
        point = (float(features.point[k, 0]), float(features.point[k, 1]))
        risk = Risk(flip_chance(mm, sigma), mm, sigma, int(features.things[k, 0]), point)
        known = risks[shot]
        if sigma > 0 and (known is None or risk.chance > known.chance):
            risks[shot] = risk
    return risks


def _most(shots: Shots, spread: Spread) -> FloatArray:
    """Return a bound on the spread of the distance of anything on each body, (F, B)."""
    bodies, beams, (place, turn) = shots.bodies, shots.beams, spread.scale()
    way = np.maximum(np.abs(shots.u_low), np.abs(shots.u_high))
    way += bodies.radius[beams.body][:, None]
    most: FloatArray = place[beams.ship][:, None] + place[bodies.thing]
    most += turn[beams.ship][:, None] * way + turn[bodies.thing] * bodies.radius
    return most


def _ends(shots: Shots, far: FloatArray) -> Iterator[Features]:
    """Yield the outermost corners of the targets, to the left and to the right."""
    member = shots.hit_bodies()
    for sign, outmost in ((1.0, shots.v_high), (-1.0, -shots.v_low)):
        reach = np.where(member, outmost, -np.inf)
        outer = member & (reach == reach.max(axis=1, keepdims=True)) & (reach <= far)
        shot, body = np.nonzero(outer)
        v = sign * shots.along(shots.beams.side, shot, body)
        yield shots.corners(shot, body, v.argmax(axis=1))


def _between(shots: Shots, far: FloatArray) -> Features:
    """Return the nearest corner of each other body between the start and what is hit."""
    beams = shots.beams
    last = (beams.exit_mm + shots.fired.distance_mm)[:, None]
    aside = np.maximum(shots.v_low, -shots.v_high)
    may = shots.stands & ~shots.hit_bodies() & (aside <= far) & (shots.u_low < last)
    shot, body = np.nonzero(may)
    u = shots.along(beams.direction, shot, body)
    v = np.abs(shots.along(beams.side, shot, body))
    v[(u < beams.exit_mm[shot][:, None]) | (u > last[shot])] = np.inf
    near = v.argmin(axis=1)
    there = np.isfinite(v[np.arange(len(shot)), near])
    return shots.corners(shot[there], body[there], near[there])
