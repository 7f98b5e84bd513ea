"""How sure the score is: the round replayed on tables drawn from the poses' uncertainty.

Only the poses are uncertain here: that every card is there and named right is taken for granted.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.battlefield import Board
from vision.games.light_speed.features import Spread
from vision.games.light_speed.replay import NOT_FIRED, Replays, hit_of, replay
from vision.games.light_speed.roster import Roster
from vision.games.light_speed.rounds import winners_of
from vision.games.light_speed.values import Condition, Odds, ScoreChance, TableReading, TableState
from vision.values.arrays import FloatArray

__all__ = ["OddsSettings", "draw_poses", "find_odds"]

_SINGULAR = 1e-10  # of the variances, added to each: a table has free motions taken out


@dataclass(frozen=True, slots=True)
class OddsSettings:
    """How the odds are found and how much of them is told."""

    samples: int = 2000  # tables drawn: so many tell 90 % from 92 %
    seed: int = 42  # of the drawing: the same table gives the same odds
    rare: float = 0.005  # scores and readings rarer than that are not told: nobody would ask
    told: int = 8  # of each, at most: a screenful
    depth: int = 3  # shots that a reading asks for: more are not checked at the table in a minute


def draw_poses(board: Board, spread: Spread, samples: int, rng: np.random.Generator) -> FloatArray:
    """Draw tables from the joint normal distribution of the poses.

    Parameters
    ----------
    board : Board
        The table as it was measured.
    spread : Spread
        The covariance of its poses.
    samples : int
        How many.
    rng : Generator
        Where the chance comes from.

    Returns
    -------
    (samples, M, 3)
        x, y, theta of each thing, mm and rad.
    """
    count = len(board.bodies.ids)
    chance = rng.standard_normal((samples, 3 * count))
    if spread.joint is not None:
        away = chance @ _root(spread.joint)
    else:
        roots = np.stack([_root(block) for block in spread.blocks]).reshape(count, 3, 3)
        away = np.einsum("nmi,mij->nmj", chance.reshape(samples, count, 3), roots)
    poses: FloatArray = board.bodies.poses + away.reshape(samples, count, 3)
    return poses


def _root(covariance: FloatArray) -> FloatArray:
    """Return R with ``R.T @ R`` the covariance, which may be singular.

    The triangular one: there is only one, and it is found much sooner than the symmetric one.
    """
    size = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    scale = np.where(size > 0, size, 1.0)  # mm and rad on an equal footing
    alike = covariance / np.outer(scale, scale)
    try:
        half = np.linalg.cholesky(alike + _SINGULAR * np.eye(len(alike)))
    except np.linalg.LinAlgError:  # not quite a covariance: the nearest one
        values, vectors = np.linalg.eigh(alike)
        half = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    root: FloatArray = (half * size[:, None]).T
    return root


def find_odds(
    table: TableState,
    roster: Roster,
    board: Board,
    spread: Spread,
    totals: dict[str, int],
    settings: OddsSettings,
) -> Odds:
    """Work out how likely each score, each winner and each reading of the table is.

    Parameters
    ----------
    table, roster, board
        The table, who is on it, how it lies.
    spread : Spread
        How well the poses are known.
    totals : mapping of team to int
        The score of the table as it was measured.
    settings : OddsSettings
        How many samples, what is told.
    """
    rng = np.random.default_rng(settings.seed)
    poses = draw_poses(board, spread, settings.samples, rng)
    played = replay(board, roster, poses, piracy=table.rules.piracy, rulings=table.rulings)
    return sum_up(board, roster, played, totals, settings)


def sum_up(
    board: Board,
    roster: Roster,
    played: Replays,
    totals: dict[str, int],
    settings: OddsSettings,
) -> Odds:
    """Count what came out of the replayed rounds."""
    n = len(played.totals)
    rows, label, counts = np.unique(played.totals, axis=0, return_inverse=True, return_counts=True)
    label = label.reshape(-1)
    ends = [dict(zip(roster.teams, row, strict=True)) for row in rows.tolist()]
    chances = [
        ScoreChance(end, winners_of(end), count / n)
        for end, count in zip(ends, counts.tolist(), strict=True)
    ]
    by_winner: dict[tuple[str, ...], float] = {}
    for chance in chances:
        by_winner[chance.winners] = by_winner.get(chance.winners, 0.0) + chance.probability
    order = sorted(by_winner.items(), key=lambda item: (-item[1], item[0]))
    chances.sort(key=lambda c: (-c.probability, tuple(c.totals.values())))
    told = [c for c in chances if c.probability >= settings.rare][: settings.told]
    same = [c.probability for c in chances if dict(c.totals) == totals]
    return Odds(
        samples=n,
        winner_probability=by_winner.get(winners_of(totals), 0.0),
        score_probability=same[0] if same else 0.0,
        winners=tuple(order),
        scores=tuple(told or chances[:1]),
        readings=_Tree(board, roster, played, label, ends, settings).readings(),
    )


# --- the readings that matter ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Leaf:
    conditions: tuple[Condition, ...]
    label: int
    count: int


class _Tree:
    """Asks the shot that tells most about the score, then the next, as one would at the table."""

    def __init__(
        self,
        board: Board,
        roster: Roster,
        played: Replays,
        label: NDArray[np.intp],
        ends: list[dict[str, int]],
        settings: OddsSettings,
    ) -> None:
        self.board, self.ends, self.label, self.settings = board, ends, label, settings
        self.count = len(label)
        ids = board.bodies.ids
        member = {m: pool.source for pool in roster.pools for m in pool.members}
        same = np.arange(-2, 2 * len(ids))
        for i, thing in enumerate(ids):  # the parts of one asteroid are one
            if thing in member:
                same[2 * i + 2] = 2 * ids.index(member[thing])
        codes = same[played.codes + 2]
        varies = np.flatnonzero((codes != codes[:1]).any(axis=0)).tolist()
        speed = [board.ships[int(s)].speed for s in board.beams.ship]
        self.beams = sorted(varies, key=lambda b: (speed[b], b))
        self.codes = {b: codes[:, b] for b in self.beams}

    def readings(self) -> tuple[TableReading, ...]:
        if len(self.ends) < 2:
            return ()
        leaves = self._grow(np.arange(self.count), (), self.settings.depth)
        leaves = [leaf for leaf in leaves if leaf.count >= self.settings.rare * self.count]
        leaves.sort(key=lambda leaf: -leaf.count)
        if len({leaf.label for leaf in leaves}) < 2:
            return ()
        return tuple(
            TableReading(
                leaf.conditions,
                self.ends[leaf.label],
                winners_of(self.ends[leaf.label]),
                leaf.count / self.count,
            )
            for leaf in leaves[: self.settings.told]
        )

    def _grow(self, rows: NDArray[np.intp], path: tuple[Condition, ...], depth: int) -> list[_Leaf]:
        counts = np.bincount(self.label[rows], minlength=len(self.ends))
        top = int(counts.argmax())
        leaf = _Leaf(path, top, int(counts[top]))
        rest = len(rows) - leaf.count
        if depth == 0 or rest < self.settings.rare * self.count:
            return [leaf]
        beam = self._most_telling(rows)
        if beam is None:
            return [leaf]
        # outcomes that lead to the same one score are one branch
        codes = self.codes[beam][rows]
        branches: dict[object, tuple[list[int], list[NDArray[np.intp]]]] = {}
        for code in np.unique(codes).tolist():
            mine = rows[codes == code]
            labels = np.unique(self.label[mine])
            key: object = int(labels[0]) if len(labels) == 1 else (code,)
            group = branches.setdefault(key, ([], []))
            group[0].append(code)
            group[1].append(mine)
        beams, ids = self.board.beams, self.board.bodies.ids
        leaves: list[_Leaf] = []
        for outcomes, parts in branches.values():
            hits = tuple(hit_of(code, ids) for code in outcomes if code != NOT_FIRED)
            asked = Condition(ids[beams.ship[beam]], int(beams.laser[beam]), hits)
            leaves += self._grow(np.concatenate(parts), (*path, asked), depth - 1)
        return leaves

    def _most_telling(self, rows: NDArray[np.intp]) -> int | None:
        """Return the shot that leaves the score least open, the first to be fired among equals."""
        label = self.label[rows]
        best, beam_of_best = math.inf, None
        for beam in self.beams:
            codes = self.codes[beam][rows]
            if (codes == NOT_FIRED).mean() > self.settings.rare or (codes == codes[0]).all():
                continue
            _, part = np.unique(codes, return_inverse=True)
            table = np.bincount(part * len(self.ends) + label).astype(float)
            table = np.pad(table, (0, -len(table) % len(self.ends))).reshape(-1, len(self.ends))
            share = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
            open_ = -(table * np.log(np.where(share > 0, share, 1.0))).sum()
            if open_ < best - 1e-9:
                best, beam_of_best = open_, beam
        return beam_of_best
