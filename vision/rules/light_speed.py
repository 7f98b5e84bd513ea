"""Play a round of Light Speed: a table of cards in, the ledger and the score out.

The rules are those of the README, with each ruling. A round is a series of steps, one for each
speed: all its shots are traced against what lay there when the step began, then rocks and damage
are settled, then the dead leave, then empty asteroids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.rules.ahead import Fired
from vision.rules.board import Board, Trace, fire, set_board
from vision.rules.bodies import Bodies, find_contacts
from vision.rules.doubts import find_shot_doubts, find_table_doubts
from vision.rules.features import Spread
from vision.rules.margins import Margin, measure_margins
from vision.rules.roster import Roster, call_roll
from vision.rules.settle import Landed, settle_step, start_holdings
from vision.types import EDGES, Deck, FloatArray, Hit, Resolution, Score, Shot, Step, TableState

__all__ = ["resolve"]


def resolve(
    table: TableState, deck: Deck, *, joint_covariance: FloatArray | None = None
) -> Resolution:
    """Play the round on a table.

    Parameters
    ----------
    table : TableState
        Cards and objects, table frame, mm and radians; their order changes nothing.
    deck : Deck
        What the cards are.
    joint_covariance : (3N, 3N) float64, optional
        Of (x mm, y mm, theta rad) of the N cards, in the order of ``table.cards``. Without it,
        the covariances of the cards are taken as independent of each other; a card without one
        is exact.

    Returns
    -------
    Resolution
        Every event in order, scores, winners, and each doubt as an issue.

    Raises
    ------
    TableFormatError
        If the table is not one of this deck (see :func:`vision.rules.roster.call_roll`) or an
        object's outline is no outline.
    ValueError
        If ``joint_covariance`` has another shape.
    """
    roster = call_roll(table, deck)
    board = set_board(table, deck, roster)
    contacts = find_contacts(board.bodies)
    spread = _spread(table, board.bodies, joint_covariance)

    rank = {thing: i for i, thing in enumerate(board.bodies.ids)}
    standing = np.ones(len(rank), bool)
    holdings = start_holdings(roster)
    traces: list[Trace] = []
    steps: list[Step] = []
    fired_by: list[int] = []  # how many shots each step has
    for speed, beams in _by_speed(board).items():
        now = [fire(board, b, standing) for b in beams if standing[board.beams.ship[b]]]
        if not now:
            continue
        landed = [_landed(board, trace) for trace in now if trace.hit and not trace.hit.shielded]
        step, holdings = settle_step(roster, holdings, speed, landed, piracy=table.rules.piracy)
        standing = standing.copy()
        standing[[rank[card] for card in (*(d.card for d in step.destroyed), *step.gone)]] = False
        traces += now
        steps.append(step)
        fired_by.append(len(now))

    shields = {i: ship.shields for i, ship in board.ships.items() if ship.shields}
    fired = _fired(board, roster, traces)
    margins = measure_margins(board.bodies, board.beams, fired, contacts, shields, spread)
    shots = [_shot(board, *pair) for pair in zip(traces, margins, strict=True)]
    ends = np.cumsum([0, *fired_by]).tolist()
    scores = _score(roster, steps, holdings.carried)
    best = max((score.total for score in scores.values()), default=0)
    return Resolution(
        steps=tuple(
            replace(step, shots=tuple(shots[ends[i] : ends[i + 1]])) for i, step in enumerate(steps)
        ),
        scores=scores,
        winners=tuple(team for team, score in scores.items() if score.total == best),
        issues=(
            *find_table_doubts(table, deck, roster, board, contacts),
            *find_shot_doubts(board, roster, traces, shots, margins),
        ),
        carried=holdings.carried,
        pools=holdings.pools,
    )


def _by_speed(board: Board) -> dict[int, list[int]]:
    """Return the beams of each speed, fastest first."""
    beams: dict[int, list[int]] = {}
    for beam, ship in enumerate(board.beams.ship.tolist()):
        beams.setdefault(board.ships[ship].speed, []).append(beam)
    return dict(sorted(beams.items()))


def _landed(board: Board, trace: Trace) -> Landed:
    ids, beams = board.bodies.ids, board.beams
    return Landed(ids[beams.ship[trace.beam]], int(beams.power[trace.beam]), ids[trace.thing])


def _score(roster: Roster, steps: Sequence[Step], carried: Mapping[str, int]) -> dict[str, Score]:
    """Add up the kills of each team, the rocks on its living ships, its own ships killed."""
    scores = {team: Score() for team in roster.teams}
    for dead in (dead for step in steps for dead in step.destroyed):
        if dead.taken_by is None:
            continue
        score = scores[dead.taken_by]
        if dead.taken_by == roster.ships[dead.card][0]:
            scores[dead.taken_by] = replace(score, own=score.own - dead.points)
        else:
            scores[dead.taken_by] = replace(score, kills=score.kills + dead.points)
    for card, rocks in carried.items():
        team = roster.ships[card][0]
        scores[team] = replace(scores[team], rocks=scores[team].rocks + rocks)
    return scores


# --- margins ---------------------------------------------------------------------------------


def _fired(board: Board, roster: Roster, traces: Sequence[Trace]) -> Fired:
    ids = board.bodies.ids
    source = {member: pool.source for pool in roster.pools for member in pool.members}
    return Fired(
        beam=np.array([t.beam for t in traces], np.intp),
        standing=np.array([t.standing for t in traces], bool).reshape(len(traces), len(ids)),
        hit=np.array([t.thing for t in traces], np.intp),
        edge=np.array([_edge_number(t) for t in traces], np.intp),
        shielded=np.array([t.hit is not None and t.hit.shielded for t in traces], bool),
        distance_mm=np.array([t.distance_mm for t in traces], np.float64),
        target=np.array([ids.index(source.get(thing, thing)) for thing in ids], np.intp),
    )


def _edge_number(trace: Trace) -> int:
    edge = trace.hit.edge if trace.hit is not None else None
    return -1 if edge is None else EDGES.index(edge)


def _shot(board: Board, trace: Trace, margin: Margin) -> Shot:
    ids, beams = board.bodies.ids, board.beams
    return Shot(
        ship=ids[beams.ship[trace.beam]],
        laser=int(beams.laser[trace.beam]),
        power=int(beams.power[trace.beam]),
        path_mm=trace.path_mm,
        hit=trace.hit,
        margin_mm=margin.mm,
        sigma_mm=margin.sigma_mm,
        flip_probability=margin.risk.chance if margin.risk is not None else 0.0,
        margin_card=ids[margin.thing] if margin.thing >= 0 else None,
        margin_outcome=Hit(ids[margin.hit], margin.edge, margin.shielded)
        if margin.hit >= 0
        else None,
    )


def _spread(table: TableState, bodies: Bodies, joint: FloatArray | None) -> Spread | None:
    """Bring the covariances of the cards into the order of the things."""
    rank = {thing: i for i, thing in enumerate(bodies.ids)}
    count = len(table.cards)
    blocks = np.zeros((len(rank), 3, 3))
    if joint is None:
        known = [c for c in table.cards if c.covariance is not None and c.card_id in rank]
        for card in known:
            blocks[rank[card.card_id]] = card.covariance
        return Spread(bodies, blocks) if known else None
    joint = np.asarray(joint, np.float64)
    if joint.shape != (3 * count, 3 * count):
        msg = f"joint_covariance: expected shape {(3 * count, 3 * count)}, got {joint.shape}"
        raise ValueError(msg)
    kept = [(i, rank[c.card_id]) for i, c in enumerate(table.cards) if c.card_id in rank]
    source = [3 * i + axis for i, _ in kept for axis in range(3)]
    place = [3 * thing + axis for _, thing in kept for axis in range(3)]
    ordered = np.zeros((3 * len(rank), 3 * len(rank)))
    ordered[np.ix_(place, place)] = joint[np.ix_(source, source)]
    return Spread(bodies, blocks, ordered)
