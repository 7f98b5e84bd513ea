"""How far poses reach -> what each beam may meet, in order, and what it meets for certain."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.battlefield import Board, fire
from vision.games.light_speed.values import EDGES
from vision.values.arrays import FloatArray

__all__ = ["Cluster", "lay_clusters"]

_PAD_MM = 1e-6  # added to every bound: far above rounding

IntArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Things that a beam meets at about the same distance; ``sure`` maps a thing to its code."""

    things: tuple[int, ...]
    sure: Mapping[int, int]


def lay_clusters(board: Board, poses: FloatArray) -> list[list[Cluster]]:
    """List for each beam what it may meet on some table, in the order in which it meets it."""
    bodies, beams = board.bodies, board.beams
    clusters: list[list[Cluster]] = [[] for _ in beams.ship]
    if not len(beams.ship) or not len(poses):
        return clusters
    away = poses - bodies.poses
    place = np.hypot(away[..., 0], away[..., 1]).max(axis=0)
    turn = np.abs(away[..., 2]).max(axis=0)
    place[~bodies.is_card] = turn[~bodies.is_card] = 0.0
    pairs = _Pairs.find(board, place, turn)
    spans: dict[int, dict[int, tuple[float, float, int | None]]] = {}
    for beam, thing, low, high, code in pairs.rows():
        mine = spans.setdefault(beam, {})
        if thing in mine:  # several bodies of one object
            other = mine[thing]
            mine[thing] = min(low, other[0]), max(high, other[1]), None
        else:
            mine[thing] = low, high, code
    for beam, mine in spans.items():
        end = -math.inf
        things: list[tuple[int, int]] = []
        for low, high, thing, code in sorted(
            (low, high, thing, code if code is not None else -1)
            for thing, (low, high, code) in mine.items()
        ):
            if things and low > end:
                clusters[beam].append(_cluster(things))
                things = []
            things.append((thing, code))
            end = max(end, high)
        clusters[beam].append(_cluster(things))
    return clusters


def _cluster(things: Sequence[tuple[int, int]]) -> Cluster:
    return Cluster(tuple(t for t, _ in things), {t: code for t, code in things if code >= 0})


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of beam and thing that may meet: how far along, and the code if that is certain."""

    beam: IntArray
    thing: IntArray
    low: FloatArray
    high: FloatArray
    code: IntArray  #: -1 where it is open

    def rows(self) -> Iterator[tuple[int, int, float, float, int | None]]:
        columns = (self.beam, self.thing, self.low, self.high, self.code)
        for beam, thing, low, high, code in zip(*(c.tolist() for c in columns), strict=True):
            yield beam, thing, low, high, code if code >= 0 else None

    @classmethod
    def find(cls, board: Board, place: FloatArray, turn: FloatArray) -> "_Pairs":
        """Bound how far anything of each body may move against each beam, and sort out."""
        bodies, beams = board.bodies, board.beams
        own = bodies.centre[beams.body]
        away = bodies.centre[None] - own[:, None]
        reach = np.hypot(away[..., 0], away[..., 1]) + bodies.radius
        moves = place[bodies.thing] + turn[bodies.thing] * bodies.radius
        slack = place[beams.ship][:, None] + moves + turn[beams.ship][:, None] * (reach + moves)
        slack += _PAD_MM
        moved = (place > 0) | (turn > 0)
        still = ~moved[beams.ship][:, None] & ~moved[bodies.thing]
        u, v = (
            _along(bodies.corners, axis, beams.muzzle) for axis in (beams.direction, beams.side)
        )
        maybe = (v.min(axis=2) <= slack) & (v.max(axis=2) >= -slack)
        maybe &= u.max(axis=2) >= beams.exit_mm[:, None] - slack
        maybe &= bodies.thing != beams.ship[:, None]
        beam, body = np.nonzero(maybe)
        u, v, w, still = u[beam, body], v[beam, body], slack[beam, body], still[beam, body]
        low, high = u.min(axis=1) - w, u.max(axis=1) + w
        # the edge that is entered for certain: it reaches far enough to both sides
        nu, nv = np.roll(u, -1, axis=1), np.roll(v, -1, axis=1)
        wide = w[:, None]
        enters = (np.minimum(v, nv) < -wide) & (np.maximum(v, nv) > wide)
        enters &= (bodies.normals[body] * beams.direction[beam][:, None]).sum(axis=2) < 0
        enters &= np.minimum(u, nu) > (beams.exit_mm[beam] + w)[:, None]
        p, edge = np.nonzero(enters)
        keep = np.bincount(p, minlength=len(beam))[p] == 1
        p, edge = p[keep], edge[keep]
        a, b = (u[p, edge], v[p, edge]), (nu[p, edge], nv[p, edge])
        ends = [a[0] + (t - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) for t in (-w[p], w[p])]
        low[p], high[p] = np.minimum(*ends) - w[p], np.maximum(*ends) + w[p]
        code = np.full(len(beam), -1)
        for k, e in zip(p.tolist(), edge.tolist(), strict=True):
            code[k] = _sure_code(board, int(beam[k]), int(body[k]), e, float(w[k]))
        drop = np.zeros(len(beam), bool)
        for k in np.flatnonzero(still).tolist():
            thing = int(bodies.thing[body[k]])
            alone = np.arange(len(bodies.ids)) == thing
            trace = fire(board, int(beam[k]), alone)
            drop[k] = trace.hit is None
            if trace.hit is not None:
                code[k] = 2 * thing + trace.hit.shielded
                low[k] = high[k] = beams.exit_mm[beam[k]] + trace.distance_mm
        kept = np.flatnonzero(~drop)
        return cls(beam[kept], bodies.thing[body[kept]], low[kept], high[kept], code[kept])


def _along(corners: FloatArray, axis: FloatArray, origin: FloatArray) -> FloatArray:
    """Return where all corners (B, 4, 2) lie along an axis of every beam, (S, B, 4)."""
    places: FloatArray = np.einsum("bkc,sc->sbk", corners, axis)
    places -= (axis * origin).sum(axis=1)[:, None, None]
    return places


def _sure_code(board: Board, beam: int, body: int, edge: int, slack_mm: float) -> int:
    """Return the code of a card entered by an edge, -1 if the end of a shield is near."""
    bodies, beams = board.bodies, board.beams
    thing = int(bodies.thing[body])
    if not bodies.is_card[thing] or thing not in board.ships:
        return 2 * thing
    name = EDGES[edge]
    stretches = [shield for shield in board.ships[thing].shields if shield.edge == name]
    if not stretches:
        return 2 * thing
    middle = bodies.centre[body] + bodies.halves[body, edge] * bodies.normals[body, edge]
    axis = bodies.normals[body, 1 + edge % 2]
    side = beams.side[beam]
    across = float(side @ axis)  # not 0: the edge is crossed
    base = float(side @ (middle - beams.muzzle[beam]))
    for shield in stretches:
        ends = sorted((base + shield.from_mm * across, base + shield.to_mm * across))
        if min(abs(ends[0]), abs(ends[1])) <= slack_mm:
            return -1
        if ends[0] < 0 < ends[1]:
            return 2 * thing + 1
    return 2 * thing
