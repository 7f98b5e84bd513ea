"""Play a round of Light Speed: a table of cards in, the ledger and the score out.

The rules are those of the README, with each ruling. A round is a series of steps, one for each
speed: all its shots are traced against what lay there when the step began, then rocks and damage
are settled, then the dead leave, then empty asteroids.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from vision.games.light_speed.ahead import Fired
from vision.games.light_speed.battlefield import Board, Trace, beams_by_speed, fire, set_board
from vision.games.light_speed.bodies import Contacts, find_contacts, turned_axes
from vision.games.light_speed.claim_doubts import is_void, tell_claims
from vision.games.light_speed.doubts import CLOSE_CALL, find_shot_doubts, find_table_doubts
from vision.games.light_speed.features import Spread
from vision.games.light_speed.margins import Margin, measure_margins
from vision.games.light_speed.odds import OddsSettings, Sampled, find_odds
from vision.games.light_speed.roster import Roster, call_roll
from vision.games.light_speed.rounds import Moment, play, tally, winners_of
from vision.games.light_speed.ruling_text import check_rulings
from vision.games.light_speed.rulings import apply_ruling, find_void_rulings
from vision.games.light_speed.settle import Holdings, Landed
from vision.games.light_speed.values import (
    EDGES,
    CloseFeature,
    Deck,
    Hit,
    Resolution,
    Shot,
    Step,
    TableState,
)
from vision.judging.odds import not_known
from vision.values.ledger import graded

__all__ = ["JudgeSettings", "resolve"]

_HAND_MM = 0.7  # how well a finger shows where a laser sits: a lens shows 0.3 mm to a pixel or two
_HAND_RAD = 0.017  # and how it points: a drag of 40 mm, both ends as good
_SAME_MM = 1e-6  # a feature this near to a corner is that corner: far above rounding


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How a round is judged."""

    #: The flip probability above which a shot is contested: about what a table would argue over.
    contested_from: float = CLOSE_CALL
    #: How the chances of the scores are worked out; None leaves them out, where nobody asks.
    odds: OddsSettings | None = field(default_factory=OddsSettings)


def resolve(
    table: TableState,
    deck: Deck,
    *,
    settings: JudgeSettings | None = None,
) -> Resolution:
    """Play the round on a table.

    Parameters
    ----------
    table : TableState
        Cards and objects, table frame, mm and radians; their order changes nothing. A card whose
        pose has no covariance is exact.
    deck : Deck
        What the cards are.
    settings : JudgeSettings, optional
        What counts as contested, and how the odds are found.

    Returns
    -------
    Resolution
        Every event in order, scores, winners, doubts, and the odds if any pose is uncertain.

    Raises
    ------
    TableFormatError
        If the table, an object's outline or a ruling is none that this deck can have.
    ValueError
        If the table's ``joint_covariance`` has another shape.
    """
    found = _resolve(table, deck, settings or JudgeSettings())
    plain = JudgeSettings(odds=None)
    told = tell_claims(table, deck, found, lambda other: _resolve(other, deck, plain))
    return replace(found, issues=(*found.issues, *told)) if told else found


def _resolve(table: TableState, deck: Deck, settings: JudgeSettings) -> Resolution:
    """Play a round; what the players say happened is not told."""
    roster = call_roll(table, deck)
    check_rulings(table.rulings, roster)
    board = set_board(table, deck, roster)
    contacts = find_contacts(board.bodies)
    spread = _spread(table, board)
    round_ = _play_round(table, roster, board)
    margins = _margins(board, roster, round_.traces, contacts, spread)
    shots = [_shot(board, *r) for r in zip(round_.played, margins, round_.ruled, strict=True)]
    scores = tally(roster, round_.steps, round_.held.carried)
    totals = {team: score.total for team, score in scores.items()}
    measured = Sampled(table, deck, roster, board, contacts, spread)
    odds, weighed = find_odds(measured, totals, settings.odds)
    limit = settings.contested_from
    on_table = find_table_doubts(table, deck, roster, board, contacts)
    void = find_void_rulings(table.rulings, round_.followed)
    unruled, turning = _unruled(round_, shots, margins), odds.turning if odds else {}
    close = find_shot_doubts(board, roster, unruled, contested_from=limit, turning=turning)
    open_ = not_known(odds.unknown) if odds else ()
    return Resolution(
        steps=round_.steps_with(shots),
        scores=scores,
        winners=() if is_void(table) else winners_of(totals),
        issues=graded((*on_table, *void, *close, *open_), weighed),
        carried=round_.held.carried,
        pools=round_.held.pools,
        contested_from=limit,
        odds=None if is_void(table) else odds,
        weighed=weighed,
    )


# --- the round -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Round:
    """A round played: its steps without the shots, the end, and all shots in their order.

    ``traces`` are the shots as the beams lie, ``played`` as they count; ``ruled`` says of each
    whether a ruling holds, ``followed`` the same by ship and laser. ``fired`` is how many shots
    each step has.
    """

    steps: tuple[Step, ...]
    end: Moment
    traces: tuple[Trace, ...]
    played: tuple[Trace, ...]
    ruled: tuple[bool, ...]
    followed: Mapping[tuple[str, int], bool]
    fired: tuple[int, ...]

    @property
    def held(self) -> Holdings:
        """Who holds what in the end."""
        return self.end.holdings

    def steps_with(self, shots: Sequence[Shot]) -> tuple[Step, ...]:
        """Return the steps, each with its shots."""
        ends = np.cumsum([0, *self.fired]).tolist()
        return tuple(
            replace(step, shots=tuple(shots[ends[i] : ends[i + 1]]))
            for i, step in enumerate(self.steps)
        )


def _play_round(table: TableState, roster: Roster, board: Board) -> _Round:
    """Fire, speed after speed, at what still stands."""
    by_speed = beams_by_speed(board)
    rulings = {(ruling.ship, ruling.laser): ruling for ruling in table.rulings}
    traces: list[Trace] = []
    played: list[Trace] = []
    fired: list[int] = []

    def shoot(speed: int, gone: frozenset[str]) -> list[Landed] | None:
        standing = np.array([thing not in gone for thing in board.bodies.ids], bool)
        now = [fire(board, b, standing) for b in by_speed[speed] if standing[board.beams.ship[b]]]
        if not now:
            return None
        shown = [apply_ruling(board, t, rulings.get(_name(board, t.beam))) or t for t in now]
        traces.extend(now)
        played.extend(shown)
        fired.append(len(now))
        return [_landed(board, trace) for trace in shown if trace.hit and not trace.hit.shielded]

    steps, end = play(roster, list(by_speed), shoot, piracy=table.rules.piracy)
    ruled = tuple(as_ruled is not lay for lay, as_ruled in zip(traces, played, strict=True))
    followed = {_name(board, t.beam): r for t, r in zip(traces, ruled, strict=True)}
    return _Round(steps, end, tuple(traces), tuple(played), ruled, followed, tuple(fired))


def _name(board: Board, beam: int) -> tuple[str, int]:
    return board.bodies.ids[board.beams.ship[beam]], int(board.beams.laser[beam])


def _landed(board: Board, trace: Trace) -> Landed:
    ids, beams = board.bodies.ids, board.beams
    return Landed(ids[beams.ship[trace.beam]], int(beams.power[trace.beam]), ids[trace.thing])


def _unruled(
    round_: _Round, shots: Sequence[Shot], margins: Sequence[Margin]
) -> list[tuple[Trace, Shot, Margin]]:
    """Return the shots that no ruling decides: only of them there is a doubt."""
    fired = zip(round_.traces, shots, margins, strict=True)
    return [one for one, ruled in zip(fired, round_.ruled, strict=True) if not ruled]


# --- margins ---------------------------------------------------------------------------------


def _margins(
    board: Board,
    roster: Roster,
    traces: Sequence[Trace],
    contacts: Contacts,
    spread: Spread | None,
) -> list[Margin]:
    shields = {i: ship.shields for i, ship in board.ships.items() if ship.shields}
    fired = _fired(board, roster, traces)
    return measure_margins(board.bodies, board.beams, fired, contacts, shields, spread)


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


def _shot(board: Board, trace: Trace, margin: Margin, ruled: bool) -> Shot:
    ids, beams = board.bodies.ids, board.beams
    feature = None
    if margin.risk is not None:
        risk = margin.risk
        feature = _feature(board, risk.thing, risk.mm, risk.sigma_mm, risk.point_mm)
    elif margin.thing >= 0:
        feature = _feature(board, margin.thing, margin.mm, margin.sigma_mm, margin.point_mm)
    return Shot(
        ship=ids[beams.ship[trace.beam]],
        laser=int(beams.laser[trace.beam]),
        power=int(beams.power[trace.beam]),
        path_mm=trace.path_mm,
        hit=trace.hit,
        margin_mm=margin.mm,
        sigma_mm=margin.sigma_mm,
        flip_probability=margin.risk.chance if margin.risk is not None and not ruled else 0.0,
        margin_card=ids[margin.thing] if margin.thing >= 0 else None,
        margin_outcome=Hit(ids[margin.hit], margin.edge, margin.shielded)
        if margin.hit >= 0
        else None,
        feature=feature,
        ruled=ruled,
    )


def _feature(
    board: Board, thing: int, mm: float, sigma_mm: float, point_mm: tuple[float, float]
) -> CloseFeature:
    """Name a feature: a corner of the thing, else the end of a shield on its rim, else an edge."""
    bodies = board.bodies
    mine = bodies.thing == thing
    away = np.hypot(*(bodies.corners[mine].reshape(-1, 2) - np.array(point_mm)).T)
    kind: Literal["corner", "shield", "edge"] = "edge"
    if away.min() < _SAME_MM:
        kind = "corner"
    elif thing in board.ships:
        pose = bodies.poses[thing]
        x, y = turned_axes(pose[2:])[0] @ (np.array(point_mm) - pose[:2])
        ends = [
            (x if shield.edge in ("top", "bottom") else y) - end
            for shield in board.ships[thing].shields
            for end in (shield.from_mm, shield.to_mm)
        ]
        if any(abs(end) < _SAME_MM for end in ends):
            kind = "shield"
    return CloseFeature(bodies.ids[thing], kind, mm, sigma_mm, point_mm)


def _spread(table: TableState, board: Board) -> Spread | None:
    """Bring the covariances of the cards into the order of the things.

    Of a ship whose lasers were shown by hand the whole card is as uncertain as its lasers are: as
    a target too, where that is less than what its shots miss by.
    """
    bodies = board.bodies
    rank = {thing: i for i, thing in enumerate(bodies.ids)}
    by_hand = [thing for thing, ship in board.ships.items() if ship.is_by_hand]
    count = len(table.cards)
    blocks = np.zeros((len(rank), 3, 3))
    blocks[by_hand] = np.diag([_HAND_MM, _HAND_MM, _HAND_RAD]) ** 2
    joint = table.joint_covariance
    if joint is None:
        known = [c for c in table.cards if c.covariance is not None and c.card_id in rank]
        for card in known:
            blocks[rank[card.card_id]] += card.covariance
        return Spread(bodies, blocks) if known or by_hand else None
    joint = np.asarray(joint, np.float64)
    if joint.shape != (3 * count, 3 * count):
        msg = f"joint_covariance: expected shape {(3 * count, 3 * count)}, got {joint.shape}"
        raise ValueError(msg)
    kept = [(i, rank[c.card_id]) for i, c in enumerate(table.cards) if c.card_id in rank]
    source = [3 * i + axis for i, _ in kept for axis in range(3)]
    place = [3 * thing + axis for _, thing in kept for axis in range(3)]
    ordered = np.zeros((3 * len(rank), 3 * len(rank)))
    for thing in by_hand:
        ordered[3 * thing : 3 * thing + 3, 3 * thing : 3 * thing + 3] = blocks[thing]
    ordered[np.ix_(place, place)] += joint[np.ix_(source, source)]
    return Spread(bodies, blocks, ordered)
