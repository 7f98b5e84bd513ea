"""A round played at once on many tables that differ a little in their poses.

Exact and quick for three reasons. How far the poses reach is known, so for nearly every pair of
beam and thing it is certain beforehand whether they meet, and by which stretch of which edge:
only the other pairs are traced, all tables in one go, and only when a round gets to ask for them.
Tables on which the same things happened so far are carried as one *strand*: its round is settled
once by the rules, and it parts only where a shot does something else. And strands that come to
the same holdings join again.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.battlefield import Board, beams_by_speed, fire
from vision.games.light_speed.bodies import TOUCH_MM
from vision.games.light_speed.roster import Roster
from vision.games.light_speed.settle import Holdings, Landed, settle_step, start_holdings
from vision.games.light_speed.values import EDGES, Hit, Ruling, Shield, Step
from vision.values.arrays import FloatArray

__all__ = ["NOT_FIRED", "SPACE", "Replays", "hit_of", "replay"]

NOT_FIRED, SPACE = -2, -1  # codes of what a beam hit; else twice the thing, and 1 for its shield
_PAD_MM = 1e-6  # added to every bound: far above rounding


IntArray = NDArray[np.intp]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Replays:
    """N rounds.

    ``totals`` (N, T) are the final scores of the teams in the roster's order; ``codes`` (N, S)
    what each beam of the board hit: ``NOT_FIRED``, ``SPACE``, or twice the thing, and 1 more if
    its shield held. ``strands`` is how many different courses were settled at the end.
    """

    totals: NDArray[np.int64]
    codes: Codes
    strands: int


def hit_of(code: int, ids: Sequence[str]) -> Hit | None:
    """Return what a code stands for; its edge is left open."""
    return None if code < 0 else Hit(ids[code // 2], None, bool(code % 2))


def replay(
    board: Board, roster: Roster, poses: FloatArray, rulings: Sequence[Ruling] = ()
) -> Replays:
    """Play the round on many tables near to that of a board.

    ``poses`` (N, M, 3) are x, y, theta of the M things of the board on each table (mm, rad);
    objects do not move. Rulings hold on every table.
    """
    return _Replay(board, roster, poses, rulings).run()


@dataclass(slots=True, eq=False)
class _Strand:
    """Tables (by number) on which the same things happened so far."""

    rows: IntArray
    held: Holdings
    points: tuple[int, ...]  #: from kills, by team


class _Replay:
    def __init__(
        self, board: Board, roster: Roster, poses: FloatArray, rulings: Sequence[Ruling]
    ) -> None:
        self.board, self.roster = board, roster
        self.ids = board.bodies.ids
        self.rank = {thing: i for i, thing in enumerate(self.ids)}
        self.count = len(poses)
        self.codes: Codes = np.full((self.count, len(board.beams.ship)), NOT_FIRED, np.int32)
        self.meetings = Meetings(board, poses)
        self.clusters = lay_clusters(board, poses)
        source = roster.source_of
        effect = np.zeros(2 * len(self.ids) + 2, np.intp)  # of code c at c + 2: 0 for nothing
        for i, thing in enumerate(self.ids):
            if thing in roster.ships or thing in source:
                effect[2 * i + 2] = self.rank[source.get(thing, thing)] + 1
        self.effect = effect
        beam_of = {
            (self.ids[ship], laser): beam
            for beam, (ship, laser) in enumerate(
                zip(board.beams.ship.tolist(), board.beams.laser.tolist(), strict=True)
            )
        }
        self.ruled = {beam_of[r.ship, r.laser]: r for r in rulings if (r.ship, r.laser) in beam_of}

    def run(self) -> Replays:
        teams = self.roster.teams
        strands = [_Strand(np.arange(self.count), start_holdings(self.roster), (0,) * len(teams))]
        if not self.count:
            strands = []
        for speed, beams in beams_by_speed(self.board).items():
            after: dict[object, _Strand] = {}
            for strand in strands:
                for child in self._step(strand, speed, beams):
                    key = _key(child)
                    if key in after:
                        rows = np.concatenate([after[key].rows, child.rows])
                        after[key].rows = rows
                    else:
                        after[key] = child
            strands = list(after.values())
        totals = np.zeros((self.count, len(teams)), np.int64)
        for strand in strands:
            end = list(strand.points)
            for ship, (team, _) in self.roster.ships.items():
                end[teams.index(team)] += strand.held.rocks.get(ship, 0)
            totals[strand.rows] = end
        return Replays(totals, self.codes, len(strands))

    def _step(self, strand: _Strand, speed: int, beams: Sequence[int]) -> Iterator[_Strand]:
        """Fire one speed; part where shots differ in what they do."""
        gone = {self.rank[thing] for thing in strand.held.gone if thing in self.rank}
        owner = self.board.beams.ship
        now = [b for b in beams if int(owner[b]) not in gone]
        if not now:
            yield strand
            return
        fixed: list[tuple[int, int]] = []  # (beam, effect) that all tables share
        open_: list[tuple[int, NDArray[np.intp]]] = []
        for b in now:
            code = self._shoot(b, strand.rows, gone)
            self.codes[strand.rows, b] = code
            effect = self.effect[np.asarray(code) + 2]
            if effect.ndim and (effect != effect[0]).any():
                open_.append((b, effect))
            else:
                fixed.append((b, int(effect.flat[0])))
        key = np.zeros(len(strand.rows), np.intp)
        for _, effect in open_:
            _, key = np.unique(key * (len(self.ids) + 1) + effect, return_inverse=True)
        for k in range(int(key.max()) + 1):
            mine = np.flatnonzero(key == k) if open_ else slice(None)
            rows = strand.rows[mine]
            done = fixed + [(b, int(effect[mine][0])) for b, effect in open_]
            landed = [self._landed(b, effect) for b, effect in sorted(done) if effect]
            step, held = settle_step(self.roster, strand.held, speed, landed)
            yield _Strand(rows, held, self._points(strand.points, step))

    def _landed(self, beam: int, effect: int) -> Landed:
        beams = self.board.beams
        return Landed(self.ids[beams.ship[beam]], int(beams.power[beam]), self.ids[effect - 1])

    def _points(self, before: tuple[int, ...], step: Step) -> tuple[int, ...]:
        points = list(before)
        for dead in step.destroyed:
            if dead.taken_by is not None:
                sign = -1 if dead.taken_by == self.roster.ships[dead.card][0] else 1
                points[self.roster.teams.index(dead.taken_by)] += sign * dead.points
        return tuple(points)

    def _shoot(self, beam: int, rows: IntArray, gone: set[int]) -> int | Codes:
        """Return the code of what a beam hits: one for all the rows, or one for each."""
        ruling = self.ruled.get(beam)
        if ruling is not None:
            if ruling.target is None:
                return SPACE
            thing = self.rank.get(ruling.target)
            if thing is not None and thing not in gone:
                return 2 * thing + ruling.shielded
        codes: Codes | None = None
        for cluster in self.clusters[beam]:
            there = [thing for thing in cluster.things if thing not in gone]
            if not there:
                continue
            if len(there) == 1 and there[0] in cluster.sure:
                code = cluster.sure[there[0]]
                if codes is None:
                    return code
                codes[codes == SPACE] = code
                break
            if codes is None:
                codes = np.full(len(rows), SPACE, np.int32)
            left = np.flatnonzero(codes == SPACE)
            codes[left] = self._nearest(beam, there, rows[left])
            if (codes != SPACE).all():
                break
        return SPACE if codes is None else codes

    def _nearest(self, beam: int, things: Sequence[int], rows: IntArray) -> Codes:
        """Return what a beam meets first; of several at once, the first."""
        best = np.full(len(rows), np.inf)
        codes: Codes = np.full(len(rows), SPACE, np.int32)
        for thing in sorted(things):
            distance, shielded = self.meetings.meet(beam, thing)
            distance = distance[rows]
            nearer = distance < best - TOUCH_MM
            codes[nearer] = (2 * thing + shielded[rows])[nearer]
            best = np.where(nearer, distance, best)
        return codes


def _key(strand: _Strand) -> object:
    """Return what the rest of the round depends on."""
    held = strand.held
    damage = frozenset(
        (card, frozenset(by_team.items()))
        for card, by_team in held.damage.items()
        if card not in held.gone
    )
    return tuple(held.rocks.items()), damage, held.gone, strand.points


# --- what is near a beam -------------------------------------------------------------------------


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


# --- what beams meet -----------------------------------------------------------------------------


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
