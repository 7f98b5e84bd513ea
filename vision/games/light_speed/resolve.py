"""Play a round of Light Speed: a table of cards in, the ledger and the score out.

The rules are those of the README, with each ruling. A round is a series of steps, one for each
speed: all its shots are traced against what lay there when the step began, then rocks and damage
are settled, then the dead leave, then empty asteroids.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from vision.games.light_speed.ahead import Fired
from vision.games.light_speed.battlefield import (
    Board,
    Trace,
    beams_by_speed,
    fire,
    seam_of,
    set_board,
    way_out,
)
from vision.games.light_speed.bodies import Contacts, find_contacts, turned_axes
from vision.games.light_speed.doubts import CLOSE_CALL, find_shot_doubts, find_table_doubts
from vision.games.light_speed.features import Spread
from vision.games.light_speed.margins import Margin, measure_margins
from vision.games.light_speed.odds import OddsSettings, Sampled, find_odds
from vision.games.light_speed.roster import Roster, call_roll
from vision.games.light_speed.ruling_text import check_rulings
from vision.games.light_speed.settle import (
    Holdings,
    Landed,
    settle_step,
    start_holdings,
    tally,
    winners_of,
)
from vision.games.light_speed.shots import enter_bodies
from vision.games.light_speed.tell_odds import score_parts
from vision.games.light_speed.values import (
    EDGES,
    Claim,
    CloseFeature,
    Deck,
    Edge,
    Hit,
    Resolution,
    Ruling,
    Shot,
    Step,
    TableState,
)
from vision.games.light_speed.words import doubt
from vision.judging.odds import not_known
from vision.judging.options import options_of, parse_options
from vision.values.ledger import graded
from vision.values.messages import Issue, Message, message

__all__ = ["JudgeSettings", "resolve"]

_HAND_MM = 0.7  # how well a finger shows where a laser sits: a lens shows 0.3 mm to a pixel or two
_HAND_RAD = 0.017  # and how it points: a drag of 40 mm, both ends as good
_SAME_MM = 1e-6  # a feature this near to a corner is that corner: far above rounding
_BESIDE_MM = 30.0  # from a card: as far as a counter that hangs over its edge may reach
Play = Callable[[TableState], Resolution]
_ASIDE_MM = 1e-6  # how far inside a corner a beam that passes it is shifted to name the edge


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
    """Play the round on a table: every event in order, scores, winners, doubts.

    There are odds if any pose is uncertain: a card whose pose has no covariance is exact. The order
    of cards and objects changes nothing.

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
    rocks = round_.end.rocks
    scores = tally(roster, round_.steps, rocks)
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
        carried={ship: n for ship, n in rocks.items() if ship in roster.ships},
        pools={source: n for source, n in rocks.items() if source not in roster.ships},
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
    end: Holdings
    traces: tuple[Trace, ...]
    played: tuple[Trace, ...]
    ruled: tuple[bool, ...]
    followed: Mapping[tuple[str, int], bool]
    fired: tuple[int, ...]

    def steps_with(self, shots: Sequence[Shot]) -> tuple[Step, ...]:
        """Return the steps, each with its shots."""
        ends = np.cumsum([0, *self.fired]).tolist()
        return tuple(
            replace(step, shots=tuple(shots[ends[i] : ends[i + 1]]))
            for i, step in enumerate(self.steps)
        )


def _play_round(table: TableState, roster: Roster, board: Board) -> _Round:
    """Fire, speed after speed, at what still stands."""
    rulings = {(ruling.ship, ruling.laser): ruling for ruling in table.rulings}
    held, steps = start_holdings(roster), list[Step]()
    traces: list[Trace] = []
    played: list[Trace] = []
    fired: list[int] = []
    for speed, beams in beams_by_speed(board).items():
        standing = np.array([thing not in held.gone for thing in board.bodies.ids], bool)
        now = [fire(board, b, standing) for b in beams if standing[board.beams.ship[b]]]
        if not now:
            continue
        shown = [apply_ruling(board, t, rulings.get(_name(board, t.beam))) or t for t in now]
        landed = [_landed(board, trace) for trace in shown if trace.hit and not trace.hit.shielded]
        step, held = settle_step(roster, held, speed, landed)
        steps.append(step)
        traces += now
        played += shown
        fired.append(len(now))
    ruled = tuple(as_ruled is not lay for lay, as_ruled in zip(traces, played, strict=True))
    followed = {_name(board, t.beam): r for t, r in zip(traces, ruled, strict=True)}
    return _Round(tuple(steps), held, tuple(traces), tuple(played), ruled, followed, tuple(fired))


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
    source = roster.source_of
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


# --- what the players say happened ---------------------------------------------------------------


def is_void(table: TableState) -> bool:
    """Tell whether the round does not count: a team began it with nine ships."""
    said = any(claim.kind == "nine" and claim.is_so for claim in table.claims)
    return said and table.rules.nine == "void"


def tell_claims(table: TableState, deck: Deck, played: Resolution, play: Play) -> tuple[Issue, ...]:
    """Say how each open question was decided, what the other choice would give, and what is asked.

    ``play`` plays another table; the odds are left aside.
    """
    told = [_said(claim, table, played, play) for claim in table.claims if claim.is_so]
    return (*told, *_seams(table, deck, played, play), *_asked(table, played))


def _said(claim: Claim, table: TableState, played: Resolution, play: Play) -> Issue:
    chosen = getattr(table.rules, claim.kind)
    key = f"issue.claim.{claim.kind}.{chosen}"
    mattered = _mattered(claim.kind, table, played, play)
    about = "team" if claim.kind in ("two_stops", "nine") else "card"
    cards = (claim.of,) if about == "card" else ()
    is_open = claim.kind == "nine" and chosen == "void"
    values = {about: claim.of, "mattered": mattered}
    return doubt("claim", key, cards, "doubt" if is_open else "note", **values)


def _mattered(kind: str, table: TableState, played: Resolution, play: Play) -> Message | str:
    """Return what the other choice would give, where that is another score or winner."""
    chosen = getattr(table.rules, kind)
    choices = {one.name: one.choices for one in options_of(type(table.rules))}
    other = next(one for one in choices[kind] if one != chosen)
    rules = parse_options(type(table.rules), [f"{kind}={other}"], table.rules)
    otherwise = play(replace(table, rules=rules))
    totals = {team: score.total for team, score in otherwise.scores.items()}
    now = {team: score.total for team, score in played.scores.items()}
    if (totals, otherwise.winners) == (now, played.winners):
        return ""
    return message("claim.mattered", setting=f"{kind}={other}", score=score_parts(totals))


def _seams(table: TableState, deck: Deck, played: Resolution, play: Play) -> Iterator[Issue]:
    """Tell of shots along a gap of no width, where it matters whether they pass."""
    if not any(issue.code == "cards_touch" for issue in played.issues):
        return
    board = set_board(table, deck, call_roll(table, deck))
    every = np.ones(len(board.bodies.ids), bool)
    for beam in range(len(board.beams.ship)):
        things = seam_of(board, beam, every)
        if not things:
            continue
        mattered = _mattered("seam", table, played, play)
        if mattered:
            thing = board.bodies.ids[board.beams.ship[beam]]
            cards = (thing, *sorted(board.bodies.ids[k] for k in things))
            key = f"issue.claim.seam.{table.rules.seam}"
            laser = int(board.beams.laser[beam]) + 1
            values = {"card": thing, "laser": laser, "things": cards[1:], "mattered": mattered}
            yield doubt("claim", key, cards, "note", **values)


# --- what only the table can say -------------------------------------------------------------
def _asked(table: TableState, played: Resolution) -> Iterator[Issue]:
    """Ask what the table alone can have seen, where its options make it matter."""
    rules, said = table.rules, {(claim.kind, claim.of) for claim in table.claims}
    if rules.leaning == "out":
        for one, other in (i.cards for i in played.issues if i.code == "cards_overlap"):
            if not any((kind, of) in said for kind in ("leaning", "stuck") for of in (one, other)):
                yield doubt("ask_leaning", "issue.ask.leaning", (one, other), one=one, other=other)
    for kind, choice in (("late", "out"), ("slid", "out"), ("pushed", "back"), ("nine", "void")):
        if getattr(rules, kind) == choice and not any(one == kind for one, _ in said):
            yield doubt(f"ask_{kind}", f"issue.ask.{kind}", (), "note")
    if rules.overhang == "table":
        yield from _overhangs(table, played)


def _overhangs(table: TableState, played: Resolution) -> Iterator[Issue]:
    """Ask for a ruling on each shot at or close by a ship with counters over its edge."""
    over = {claim.of for claim in table.claims if claim.kind == "overhang" and claim.is_so}
    for shot in (shot for step in played.steps for shot in step.shots):
        met = {shot.hit.card} if shot.hit else set()
        if shot.margin_card is not None and abs(shot.margin_mm) <= _BESIDE_MM:
            met.add(shot.margin_card)
        for card in sorted(met & over):
            if not shot.ruled:
                values = {"card": shot.ship, "laser": shot.laser + 1, "other": card}
                yield doubt("ask_overhang", "issue.ask.overhang", (shot.ship, card), **values)


# --- rulings -------------------------------------------------------------------------------------


def apply_ruling(board: Board, trace: Trace, ruling: Ruling | None) -> Trace | None:
    """Let a shot hit what was ruled; None if the ruling's target is not there any more.

    The path stays on the beam: it ends where the beam meets the target or, if it passes it,
    level with the corner that it passes.
    """
    if ruling is None:
        return trace
    start, direction = board.beams.start[trace.beam], board.beams.direction[trace.beam]
    begin = (float(start[0]), float(start[1]))
    if ruling.target is None:
        d = (float(direction[0]), float(direction[1]))
        path = (begin, way_out(begin, d, board.bounds))
        return replace(trace, thing=-1, hit=None, path_mm=path, distance_mm=math.inf, ties=())
    if ruling.target not in board.bodies.ids:
        return None
    thing = board.bodies.ids.index(ruling.target)
    if not trace.standing[thing]:
        return None
    edge: Edge | None
    if thing == trace.thing and trace.hit is not None:
        distance, edge = trace.distance_mm, trace.hit.edge
    else:
        distance, edge = _pass_by(board, trace.beam, thing)
    end = start + distance * direction
    return replace(
        trace,
        thing=thing,
        hit=Hit(ruling.target, edge, ruling.shielded),
        distance_mm=distance,
        path_mm=(begin, (float(end[0]), float(end[1]))),
        ties=(),
    )


def _pass_by(board: Board, beam: int, thing: int) -> tuple[float, Edge | None]:
    """Return how far along a beam a thing is met or passed, and by which edge it would be met."""
    bodies, beams = board.bodies, board.beams
    start, direction, side = beams.start[beam], beams.direction[beam], beams.side[beam]
    mine = np.flatnonzero(bodies.thing == thing)
    corners = (bodies.corners[mine] - start).reshape(-1, 2)
    v = corners @ side
    shift = 0.0
    if v.min() > 0 or v.max() < 0:  # it passes: the nearest corner, and a hair beyond
        shift = float(v.min() + _ASIDE_MM if v.min() > 0 else v.max() - _ASIDE_MM)
    begin = np.tile(start + shift * side, (len(mine), 1))
    distance, edges = enter_bodies(bodies, mine, begin, np.tile(direction, (len(mine), 1)))
    best = int(distance.argmin())
    if not math.isfinite(distance[best]):  # it lies behind the muzzle
        return 0.0, None
    edge = int(edges[best])
    named = EDGES[edge] if edge >= 0 and bodies.is_card[thing] else None
    return float(distance[best]), named


def find_void_rulings(
    rulings: Sequence[Ruling], fired: Mapping[tuple[str, int], bool]
) -> Iterator[Issue]:
    """Tell the rulings that had no effect.

    ``fired`` maps each shot fired (ship, laser) to whether a ruling was followed.
    """
    for ruling in sorted(rulings, key=lambda r: (r.ship, r.laser)):
        followed = fired.get((ruling.ship, ruling.laser))
        if followed:
            continue
        target = ruling.target or ""
        yield doubt(
            "ruling_void",
            f"issue.ruling_void.{'unfired' if followed is None else 'absent'}",
            tuple(card for card in (ruling.ship, target) if card),
            ship=ruling.ship,
            laser=ruling.laser + 1,
            target=target,
        )
