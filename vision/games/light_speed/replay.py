"""A round played at once on many tables that differ a little in their poses.

Exact and quick for three reasons. How far the poses reach is known, so for nearly every pair of
beam and thing it is certain beforehand whether they meet, and by which stretch of which edge:
only the other pairs are traced, all tables in one go, and only when a round gets to ask for them.
Tables on which the same things happened so far are carried as one *strand*: its round is settled
once by the rules, and it parts only where a shot does something else. And strands that come to
the same holdings join again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.battlefield import Board, beams_by_speed
from vision.games.light_speed.bodies import TOUCH_MM
from vision.games.light_speed.meetings import Meetings
from vision.games.light_speed.nearness import lay_clusters
from vision.games.light_speed.roster import Roster
from vision.games.light_speed.rounds import Moment, advance, begin
from vision.games.light_speed.settle import Landed
from vision.games.light_speed.values import Hit, Ruling, Step
from vision.values.arrays import FloatArray

__all__ = ["NOT_FIRED", "SPACE", "Replays", "hit_of", "replay"]

NOT_FIRED, SPACE = -2, -1  # codes of what a beam hit; else twice the thing, and 1 for its shield

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
    board: Board, roster: Roster, poses: FloatArray, *, piracy: bool, rulings: Sequence[Ruling] = ()
) -> Replays:
    """Play the round on many tables.

    Parameters
    ----------
    board : Board
        The table that the others are near to.
    roster : Roster
        Who is on it.
    poses : (N, M, 3)
        x, y, theta of the M things of the board on each table (mm, rad); objects do not move.
    piracy : bool
        As in the table's rules.
    rulings : sequence of Ruling
        The players' decisions; they hold on every table.
    """
    return _Replay(board, roster, poses, rulings).run(piracy=piracy)


@dataclass(slots=True, eq=False)
class _Strand:
    """Tables (by number) on which the same things happened so far."""

    rows: IntArray
    moment: Moment
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
        source = {member: pool.source for pool in roster.pools for member in pool.members}
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

    def run(self, *, piracy: bool) -> Replays:
        teams = self.roster.teams
        strands = [_Strand(np.arange(self.count), begin(self.roster), (0,) * len(teams))]
        if not self.count:
            strands = []
        for speed, beams in beams_by_speed(self.board).items():
            after: dict[object, _Strand] = {}
            for strand in strands:
                for child in self._step(strand, speed, beams, piracy=piracy):
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
            for card, rocks in strand.moment.holdings.carried.items():
                end[teams.index(self.roster.ships[card][0])] += rocks
            totals[strand.rows] = end
        return Replays(totals, self.codes, len(strands))

    def _step(
        self, strand: _Strand, speed: int, beams: Sequence[int], *, piracy: bool
    ) -> Iterator[_Strand]:
        """Fire one speed; part where shots differ in what they do."""
        gone = {self.rank[thing] for thing in strand.moment.gone if thing in self.rank}
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
            step, moment = advance(self.roster, strand.moment, speed, landed, piracy=piracy)
            yield _Strand(rows, moment, self._points(strand.points, step))

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
    holdings = strand.moment.holdings
    damage = frozenset(
        (card, frozenset(by_team.items()))
        for card, by_team in holdings.damage.items()
        if card not in strand.moment.gone
    )
    pools, carried = tuple(holdings.pools.items()), tuple(holdings.carried.items())
    return pools, carried, damage, strand.moment.gone, strand.points
