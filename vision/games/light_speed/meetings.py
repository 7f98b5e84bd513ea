"""A beam and a thing, on N tables at once -> how far it runs to it, and if a shield holds it."""

import math

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.battlefield import Board
from vision.games.light_speed.bodies import TOUCH_MM
from vision.games.light_speed.values import EDGES, Shield
from vision.values.arrays import FloatArray

__all__ = ["Meetings"]

IntArray = NDArray[np.intp]


class Meetings:
    """Where the beams of a board meet its things, each pair worked out when it is asked for.

    ``poses`` (N, M, 3) are x, y, theta of the M things on each table (mm, rad).
    """

    def __init__(self, board: Board, poses: FloatArray) -> None:
        self.board, self.poses, self.count = board, poses, len(poses)
        self.met: dict[tuple[int, int], tuple[FloatArray, NDArray[np.bool_]]] = {}
        self.turned: dict[int, tuple[FloatArray, FloatArray]] = {}

    def meet(self, beam: int, thing: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Return how far a beam runs to a thing, inf past it, and where a shield holds it, (N,)."""
        known = self.met.get((beam, thing))
        if known is None:
            is_card = bool(self.board.bodies.is_card[thing])
            known = (self._meet_card if is_card else self._meet_object)(beam, thing)
            self.met[beam, thing] = known
        return known

    def _turn(self, thing: int) -> tuple[FloatArray, FloatArray]:
        if thing not in self.turned:
            theta = self.poses[:, thing, 2]
            self.turned[thing] = np.cos(theta), np.sin(theta)
        return self.turned[thing]

    def _beam(self, beam: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return start x, y and direction x, y on every table."""
        bodies, beams = self.board.bodies, self.board.beams
        own = int(beams.ship[beam])
        x0, y0, theta0 = bodies.poses[own].tolist()
        c0, s0 = math.cos(theta0), math.sin(theta0)
        sx, sy = float(beams.start[beam, 0]) - x0, float(beams.start[beam, 1]) - y0
        ax, ay = c0 * sx + s0 * sy, c0 * sy - s0 * sx  # the start in the card frame
        dx, dy = float(beams.direction[beam, 0]), float(beams.direction[beam, 1])
        hx, hy = c0 * dx + s0 * dy, c0 * dy - s0 * dx
        c, s = self._turn(own)
        pose = self.poses[:, own]
        return (
            pose[:, 0] + c * ax - s * ay,
            pose[:, 1] + s * ax + c * ay,
            c * hx - s * hy,
            s * hx + c * hy,
        )

    def _meet_card(self, beam: int, thing: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        sx, sy, dx, dy = self._beam(beam)
        c, s = self._turn(thing)
        pose = self.poses[:, thing]
        ox, oy = sx - pose[:, 0], sy - pose[:, 1]
        px, py = c * ox + s * oy, c * oy - s * ox
        qx, qy = c * dx + s * dy, c * dy - s * dx
        half_w, half_h = self.board.size_mm[0] / 2, self.board.size_mm[1] / 2
        in_x, out_x = _slab(px, qx, half_w)
        in_y, out_y = _slab(py, qy, half_h)
        enter, leave = np.maximum(in_x, in_y), np.minimum(out_x, out_y)
        hit = (enter <= leave) & (leave >= 0)
        distance = np.where(hit, np.maximum(enter, 0.0), np.inf)
        shielded = np.zeros(self.count, bool)
        ship = self.board.ships.get(thing)
        if ship is not None and ship.shields:
            by_x = in_x > in_y
            way = np.where(np.isfinite(enter), enter, 0.0)
            along = np.where(by_x, py + way * qy, px + way * qx)
            edge = np.where(by_x, np.where(qx > 0, 3, 1), np.where(qy > 0, 0, 2))
            for shield in ship.shields:
                shielded |= _holds(shield, edge, along)
            shielded &= hit & (enter >= 0)
        return distance, shielded

    def _meet_object(self, beam: int, thing: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        bodies = self.board.bodies
        sx, sy, dx, dy = self._beam(beam)
        best = np.full(self.count, np.inf)
        for body in np.flatnonzero(bodies.thing == thing):
            n, (x, y) = bodies.normals[body], bodies.centre[body].tolist()
            gap = bodies.halves[body] + TOUCH_MM - np.outer(sx - x, n[:, 0])
            gap -= np.outer(sy - y, n[:, 1])
            slope = np.outer(dx, n[:, 0]) + np.outer(dy, n[:, 1])
            with np.errstate(divide="ignore", invalid="ignore"):
                reach = gap / slope
            enter = np.where(slope < 0, reach, -np.inf).max(axis=1)
            leave = np.where(slope > 0, reach, np.inf).min(axis=1)
            hit = (enter <= leave) & (leave >= 0) & ~((slope == 0) & (gap < 0)).any(axis=1)
            best = np.where(hit, np.minimum(best, np.maximum(enter, 0.0)), best)
        return best, np.zeros(self.count, bool)


def _slab(place: FloatArray, way: FloatArray, half: float) -> tuple[FloatArray, FloatArray]:
    """Return where a beam comes between two edges and where it leaves them."""
    half += TOUCH_MM
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (-half - place) / way, (half - place) / way
    return np.fmin(a, b), np.fmax(a, b)


def _holds(shield: Shield, edge: IntArray, along: FloatArray) -> NDArray[np.bool_]:
    held: NDArray[np.bool_] = edge == EDGES.index(shield.edge)
    held &= (along >= shield.from_mm - TOUCH_MM) & (along <= shield.to_mm + TOUCH_MM)
    return held
