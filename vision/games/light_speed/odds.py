"""How sure the score is: the round replayed on tables drawn from all that is uncertain.

The poses are drawn from their covariance. All else that is doubted is played in every way that it
can be read, each as likely as it is, on the same draws of the poses.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.battlefield import Board, set_board
from vision.games.light_speed.bodies import Contacts
from vision.games.light_speed.doubted_table import (
    doubts_of,
    least_of,
    names_cards,
    read_as,
    ways_of,
)
from vision.games.light_speed.features import Spread
from vision.games.light_speed.odds_sum import OddsSettings, Played, sum_up
from vision.games.light_speed.replay import NOT_FIRED, Replays, replay
from vision.games.light_speed.roster import Roster, call_roll
from vision.games.light_speed.values import Deck, Odds, TableState
from vision.judging.doubted import Doubted, Way, Ways, how_much
from vision.values.arrays import FloatArray
from vision.values.ledger import Weighed

__all__ = ["OddsSettings", "Sampled", "draw_poses", "find_odds"]

_SINGULAR = 1e-10  # of the variances, added to each: a table has free motions taken out


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """A table as it was measured: who is on it, how it lies and meets, how well that is known."""

    table: TableState
    deck: Deck
    roster: Roster
    board: Board
    contacts: Contacts
    spread: Spread | None


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
    measured: Sampled, totals: dict[str, int], settings: OddsSettings | None
) -> tuple[Odds | None, tuple[Weighed, ...]]:
    """Work out how likely each score, each winner and each reading of the table is.

    Parameters
    ----------
    measured : Sampled
        The table.
    totals : mapping of team to int
        The score of the table as it was measured.
    settings : OddsSettings or None
        How many samples, what is told; None if nobody asks.

    Returns
    -------
    odds : Odds or None
        None where nothing is uncertain, or nobody asks.
    weighed : tuple of Weighed
        What is doubted of the table, and how likely each changes the score.
    """
    if settings is None:
        return None, ()
    rng = np.random.default_rng(settings.seed)
    table, deck, board, spread = measured.table, measured.deck, measured.board, measured.spread
    doubts = doubts_of(table, deck, measured.roster, board.bodies, measured.contacts)
    if not doubts and spread is None:
        return None, ()
    poses = board.bodies.poses[None]
    if spread is not None:
        poses = draw_poses(board, spread, settings.samples, rng)
    ways = ways_of(table, deck, doubts, settings.ways, settings.seed)
    rounds = [_play(measured, doubts, way, poses, settings) for way in ways.several]
    played = _together(doubts, ways, rounds)
    ends = np.cumsum([0, *(len(one.replays.totals) for one in rounds)]).tolist()
    labels = [played.label[a:b] for a, b in pairwise(ends)]
    weighed = tuple(
        Weighed(doubt.pieces, doubt.codes, max(chance, least_of(doubt)), doubt.at_px)
        for doubt, chance in zip(doubts, how_much(doubts, ways, labels), strict=True)
    )
    return sum_up(played, _as_measured(measured, played.ids), totals, settings), weighed


# --- every way played ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Rounds:
    """The rounds of one way: who was on the table, how it lay, what came out."""

    roster: Roster
    board: Board
    replays: Replays


def _play(
    measured: Sampled,
    doubts: tuple[Doubted, ...],
    way: Way,
    poses: FloatArray,
    settings: OddsSettings,
) -> _Rounds:
    """Play one way on the first of the tables drawn: on more, the likelier it is."""
    table, rules, rulings = measured.table, measured.table.rules, measured.table.rulings
    if not any(way.chosen):
        played = replay(
            measured.board, measured.roster, poses, piracy=rules.piracy, rulings=rulings
        )
        return _Rounds(measured.roster, measured.board, played)
    read = read_as(table, doubts, way.chosen)
    roster = call_roll(read.table, measured.deck)
    board = set_board(read.table, measured.deck, roster)
    share = 2 * way.chance * settings.samples
    count = min(len(poses), int(np.clip(share, settings.least, settings.samples)))
    rank = {thing: i for i, thing in enumerate(measured.board.bodies.ids)}
    drawn = np.repeat(board.bodies.poses[None], count, axis=0)
    for i, thing in enumerate(board.bodies.ids):
        was = rank.get(read.taken_as.get(thing, thing))
        if was is not None:  # else a card that played no part as it was taken
            drawn[:, i] += poses[:count, was] - measured.board.bodies.poses[was]
    played = replay(board, roster, drawn, piracy=rules.piracy, rulings=rulings)
    return _Rounds(roster, board, played)


def _together(doubts: tuple[Doubted, ...], ways: Ways, rounds: list[_Rounds]) -> Played:
    """Put the rounds of all ways together: things and beams by name, scores by team."""
    ids = tuple(sorted({thing for one in rounds for thing in one.board.bodies.ids}))
    speeds = {beam: speed for one in rounds for beam, speed in _beams(one.board)}
    beams = tuple(sorted(speeds, key=lambda beam: (speeds[beam], beam)))
    column = {beam: b for b, beam in enumerate(beams)}
    known: dict[tuple[tuple[str, int], ...], int] = {}
    labels, weights, codes, read = [], [], [], []
    for way, one in zip(ways.several, rounds, strict=True):
        totals = one.replays.totals
        rows, label = np.unique(totals, axis=0, return_inverse=True)
        ends = [tuple(zip(one.roster.teams, row, strict=True)) for row in rows.tolist()]
        number = np.array([known.setdefault(end, len(known)) for end in ends], np.intp)
        labels.append(number[label.reshape(-1)])
        n = len(totals)
        weights.append(np.full(n, 1.0 if not doubts else way.chance / n))
        told = np.full((n, len(beams)), NOT_FIRED, np.int32)
        told[:, [column[beam] for beam, _ in _beams(one.board)]] = _codes(one, ids)
        codes.append(told)
        read.append(np.tile(np.array(way.chosen, np.int32), (n, 1)))
    named = [k for k, doubt in enumerate(doubts) if names_cards(doubt)]
    return Played(
        tuple(dict(end) for end in known),
        np.concatenate(labels),
        np.concatenate(weights),
        ids,
        beams,
        np.concatenate(codes),
        tuple((doubts[k].pieces[0], tuple(p for p, _ in doubts[k].readings)) for k in named),
        np.concatenate(read)[:, named],
        ways.unknown,
    )


def _as_measured(measured: Sampled, ids: tuple[str, ...]) -> dict[tuple[str, int], int]:
    """Return what each laser hits on the table as it was measured, things counted in ``ids``."""
    table, board, roster = measured.table, measured.board, measured.roster
    exact = board.bodies.poses[None]
    played = replay(board, roster, exact, piracy=table.rules.piracy, rulings=table.rulings)
    codes = _codes(_Rounds(roster, board, played), ids)[0]
    return dict(zip((beam for beam, _ in _beams(board)), codes.tolist(), strict=True))


def _beams(board: Board) -> list[tuple[tuple[str, int], int]]:
    """Return the lasers of a board as ship and laser, each with its speed."""
    owners = zip(board.beams.ship.tolist(), board.beams.laser.tolist(), strict=True)
    return [((board.bodies.ids[ship], laser), board.ships[ship].speed) for ship, laser in owners]


def _codes(one: _Rounds, ids: tuple[str, ...]) -> NDArray[np.int32]:
    """Return what the beams of a way hit, things counted in ``ids``; asteroids as their pools."""
    own = one.board.bodies.ids
    member = {m: pool.source for pool in one.roster.pools for m in pool.members}
    rank = {thing: i for i, thing in enumerate(ids)}
    same = np.arange(-2, 2 * len(own), dtype=np.int32)
    for i, thing in enumerate(own):  # the parts of one asteroid are one
        same[2 * i + 2] = 2 * rank[member.get(thing, thing)]
        same[2 * i + 3] = 2 * rank[thing] + 1
    return np.asarray(same[one.replays.codes + 2], np.int32)
