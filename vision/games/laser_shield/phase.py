"""Pawns and legal orders -> all that happens, time by time (rules page, "A phase", 1 to 8).

Within a time: at time 1 the shots whose first square holds a pawn; then moves and turns; then all
other lines. In each of these moments everything happens at once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from vision.games.laser_shield.board import (
    DOORS,
    HEADINGS,
    centre_mm,
    edge_mm,
    landing,
    neighbour,
    other_door,
    way_between,
)
from vision.games.laser_shield.values import (
    TEAMS,
    Beam,
    Fire,
    Kill,
    Move,
    Moved,
    Options,
    Order,
    Pawn,
    Step,
    Struck,
    Turn,
    Turned,
)

__all__ = ["SHIELDS", "Played", "play"]

SHIELDS = {"side": (1, 2, 3), "front": (0, 1, 2), "narrow": (1, 2)}  #: notches from the heading
_MOST_LINES = 24
_RIGHT = {"left": -1, "right": 1}


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a phase: steps to the last with an event, who is left, whose beam was spent."""

    steps: tuple[Step, ...]
    position: tuple[Pawn, ...]
    killed: tuple[str, ...]
    winners: tuple[str, ...]
    spent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ray:
    """A line of a beam that is about to run."""

    team: str
    pawn: str
    line: int
    start: str
    way: int


@dataclass(frozen=True, slots=True)
class _March:
    """What a pawn has still to do: where it goes at each time (None: no more), when it turns."""

    hops: tuple[tuple[str, str | None], ...]  #: the landing wanted, and the door on the way
    turn: int = 0
    turns_at: int = 0
    is_stopped: bool = False

    @property
    def ends(self) -> int:
        """The last time at which it does anything."""
        return max(self.turns_at, 0 if self.is_stopped else len(self.hops))


@dataclass(frozen=True, slots=True)
class _Moment:
    """Pawns by id, what they have still to do, and what has happened in this time."""

    pawns: Mapping[str, Pawn]
    marches: Mapping[str, _March]
    step: Step
    rays: tuple[_Ray, ...] = ()  #: of the next time
    spent: tuple[str, ...] = ()


def play(pawns: Sequence[Pawn], orders: Mapping[str, Order | None], options: Options) -> Played:
    """Play a phase: each pawn on a square of its own, none on a door.

    The orders are legal, with their landings written (:func:`check_order`).
    """
    doors = DOORS[options.doors]
    standing: Mapping[str, Pawn] = {pawn.id: pawn for pawn in sorted(pawns, key=lambda p: p.id)}
    rays, marches = _begin(standing, orders, doors)
    teams = {pawn.team for pawn in pawns}
    steps: list[Step] = []
    spent: list[str] = []
    time, goes_on = 0, True
    while goes_on:
        time += 1
        moment = _Moment(standing, marches, Step(time))
        blank = [r for r in rays if time == 1 and _first(r) in {p.square for p in pawns}]
        moment = _shoot(moment, blank, options, point_blank=True)
        moment = _march(moment)
        moment = _shoot(moment, [r for r in rays if r not in blank], options, point_blank=False)
        standing, marches, rays = moment.pawns, moment.marches, moment.rays
        steps.append(_sorted(moment.step))
        spent += moment.spent
        goes_on = teams == {p.team for p in standing.values()} and bool(
            rays or any(march.ends > time for march in marches.values())
        )
    while steps and steps[-1] == Step(steps[-1].time):
        steps.pop()
    left = [team for team in TEAMS if any(p.team == team for p in standing.values())]
    killed = tuple(sorted(k.pawn for step in steps for k in step.killed))
    winners = () if len(left) == len(TEAMS) else tuple(left) or TEAMS
    told = _in_order(spent)
    return Played(tuple(steps), tuple(standing.values()), killed, winners, told)


def _in_order(teams: Collection[str]) -> tuple[str, ...]:
    """Return teams in the game's own order, each once."""
    return tuple(team for team in TEAMS if team in teams)


def _begin(
    standing: Mapping[str, Pawn], orders: Mapping[str, Order | None], doors: tuple[str, str]
) -> tuple[Sequence[_Ray], Mapping[str, _March]]:
    """Return the shots of time 1, and what the other pawns have to do."""
    rays, marches = [], {}
    for team, order in orders.items():
        by_square = {p.square: p for p in standing.values() if p.team == team}
        match order:
            case Fire(start, target):
                way = way_between(start, target)
                if way is not None:
                    rays.append(_Ray(team, by_square[start].id, 1, start, way))
            case Turn(at, side):
                marches[by_square[at].id] = _March((), _RIGHT[side], 1)
            case Move(path, side):
                hops = _hops(path, doors)
                march = _March(hops)
                if side is not None:
                    march = _March(hops, _RIGHT[side], len(hops) + 1)
                marches[by_square[path[0]].id] = march
    return rays, marches


def _hops(path: tuple[str, ...], doors: tuple[str, str]) -> tuple[tuple[str, str | None], ...]:
    """Return where a path with its landings stands after each move, and the door gone through."""
    hops: list[tuple[str, str | None]] = []
    for start, target in pairwise(path):
        if start not in doors:
            stands = landing(start, target, doors)
            hops.append((stands, target if stands != target else None))
    return tuple(hops)


def _first(ray: _Ray) -> str | None:
    return neighbour(ray.start, ray.way)


# --- beams ---------------------------------------------------------------------------------------


def _shoot(
    moment: _Moment, rays: Sequence[_Ray], options: Options, *, point_blank: bool
) -> _Moment:
    """Trace lines all at once; then the dead leave, then the thrown go."""
    traced = [(ray, _trace(ray, moment.pawns, options, point_blank)) for ray in rays]
    following = [_next(ray, beam, options) for ray, beam in traced]
    spent = tuple(r.team for r in following if r is not None and r.line > _MOST_LINES)
    struck: dict[str, list[Beam]] = {}
    for _, beam in traced:
        if beam.struck is not None:
            struck.setdefault(beam.struck.pawn, []).append(beam)
    dead = {pawn: beams for pawn, beams in struck.items() if any(_kills(b) for b in beams)}
    kills = [
        Kill(pawn, moment.pawns[pawn].square, _in_order({b.team for b in beams if _kills(b)}))
        for pawn, beams in dead.items()
    ]
    pawns = {name: pawn for name, pawn in moment.pawns.items() if name not in dead}
    thrown = {pawn: beams for pawn, beams in struck.items() if pawn not in dead}
    pushed, pawns = _throw(thrown, pawns, options)
    marches = {
        name: replace(march, is_stopped=march.is_stopped or name in thrown)
        for name, march in moment.marches.items()
        if name in pawns
    }
    step = replace(
        moment.step,
        beams=(*moment.step.beams, *(beam for _, beam in traced)),
        killed=(*moment.step.killed, *kills),
        pushed=(*moment.step.pushed, *pushed),
    )
    ahead = tuple(r for r in following if r is not None and r.line <= _MOST_LINES)
    return _Moment(pawns, marches, step, (*moment.rays, *ahead), (*moment.spent, *spent))


def _kills(beam: Beam) -> bool:
    return beam.struck is not None and not beam.struck.shielded


def _trace(ray: _Ray, pawns: Mapping[str, Pawn], options: Options, point_blank: bool) -> Beam:
    """Run one line: to the edge, a door or a pawn, but none in the square where it begins."""
    at = {pawn.square: pawn for pawn in pawns.values()}
    doors = DOORS[options.doors]
    squares = [ray.start]
    end: Literal["off", "door", "shield", "killed"] = "off"
    struck = None
    while end == "off" and (square := neighbour(squares[-1], ray.way)) is not None:
        squares.append(square)
        if square in doors:
            end = "door"
        elif square in at:
            side = (ray.way + 4) % 8
            notch = (side - HEADINGS.index(at[square].heading) + 4) % 8 - 4
            held = notch in SHIELDS[options.shield]
            struck = Struck(at[square].id, HEADINGS[side], held)
            end = "shield" if held else "killed"
    last = edge_mm(squares[-1], ray.way) if end == "off" else centre_mm(squares[-1])
    path_mm = (centre_mm(squares[0]), last)
    heading = HEADINGS[ray.way]
    run = (ray.team, ray.pawn, ray.line)
    return Beam(*run, tuple(squares), heading, path_mm, end, struck, point_blank)


def _next(ray: _Ray, beam: Beam, options: Options) -> _Ray | None:
    """Return the line that follows in the next time, if any."""
    last = beam.squares[-1]
    if beam.end == "door":
        return replace(ray, line=ray.line + 1, start=other_door(last, DOORS[options.doors]))
    if beam.end == "shield":
        way = ray.way + 5 if options.deflection == "bounce" else ray.way - 1
        return replace(ray, line=ray.line + 1, start=last, way=way % 8)
    return None


def _throw(
    thrown: Mapping[str, Sequence[Beam]], pawns: Mapping[str, Pawn], options: Options
) -> tuple[list[Moved], dict[str, Pawn]]:
    """Throw those whose shields held one square; two throws in two directions cancel out."""
    doors = DOORS[options.doors]
    failed: dict[str, str] = {}
    wishes: dict[str, tuple[str, str | None]] = {}
    for name, beams in thrown.items():
        back = (HEADINGS.index(pawns[name].heading) + 4) % 8
        away = {HEADINGS.index(beam.heading) for beam in beams}
        ways = away if options.push == "away" else {back}
        if len(ways) > 1:
            failed[name] = "cancelled"
            continue
        start = pawns[name].square
        target = neighbour(start, ways.pop())
        if target is None:
            failed[name] = "edge"
            continue
        stands = landing(start, target, doors)
        wishes[name] = stands, target if stands != target else None
    moved, after = _go(wishes, pawns)
    stay = [Moved(n, pawns[n].square, None, None, False, reason) for n, reason in failed.items()]
    return [*moved, *stay], after


# --- moves ---------------------------------------------------------------------------------------


def _march(moment: _Moment) -> _Moment:
    """Make the moves and turns of a time."""
    time = moment.step.time
    wishes = {
        name: march.hops[time - 1]
        for name, march in moment.marches.items()
        if not march.is_stopped and time <= len(march.hops)
    }
    moved, pawns = _go(wishes, moment.pawns)
    stopped = {move.pawn for move in moved if not move.done}
    marches = {
        name: replace(march, is_stopped=march.is_stopped or name in stopped)
        for name, march in moment.marches.items()
    }
    turned = []
    for name, march in marches.items():
        if march.turns_at == time:
            way = HEADINGS.index(pawns[name].heading) + march.turn
            pawns[name] = replace(pawns[name], heading=HEADINGS[way % 8])
            turned.append(Turned(name, pawns[name].heading))
    step = replace(moment.step, moves=tuple(moved), turned=tuple(turned))
    return replace(moment, pawns=pawns, marches=marches, step=step)


def _go(
    wishes: Mapping[str, tuple[str, str | None]], pawns: Mapping[str, Pawn]
) -> tuple[list[Moved], dict[str, Pawn]]:
    """Let pawns go where they want, all at once, as far as they can."""
    at = {pawn.square: pawn.id for pawn in pawns.values()}
    wanted = {name: to for name, (to, _) in wishes.items()}
    reasons: dict[str, str] = {}
    for name, to in wanted.items():
        other = at.get(to)
        if list(wanted.values()).count(to) > 1:
            reasons[name] = "contested"
        elif other is not None and wanted.get(other) == pawns[name].square:
            reasons[name] = "exchange"
    blocked = True
    while blocked:  # who stays may keep others from going
        blocked = False
        for name, to in wanted.items():
            other = at.get(to)
            stays = other is not None and (other not in wanted or other in reasons)
            if name not in reasons and stays:
                reasons[name] = "occupied"
                blocked = True
    moved = [
        Moved(name, pawns[name].square, to, via, name not in reasons, reasons.get(name))
        for name, (to, via) in wishes.items()
    ]
    after = {
        name: replace(p, square=wanted[name]) if name in wanted and name not in reasons else p
        for name, p in pawns.items()
    }
    return moved, after


def _sorted(step: Step) -> Step:
    return Step(
        step.time,
        tuple(sorted(step.beams, key=lambda beam: (beam.pawn, beam.line))),
        tuple(sorted(step.moves, key=lambda move: move.pawn)),
        tuple(sorted(step.turned, key=lambda turn: turn.pawn)),
        tuple(sorted(step.killed, key=lambda kill: kill.pawn)),
        tuple(sorted(step.pushed, key=lambda move: move.pawn)),
    )
