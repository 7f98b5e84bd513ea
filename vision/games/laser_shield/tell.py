"""Table and resolution -> the ledger: a step a time, beams as they bounce, who is left."""

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from vision.games.laser_shield.accounts import closed
from vision.games.laser_shield.board import DOORS, HEADINGS, centre_mm, opposite
from vision.games.laser_shield.orders import parse_order
from vision.games.laser_shield.pieces import BOARD_MM, TOKEN_MM
from vision.games.laser_shield.values import (
    TEAMS,
    Beam,
    Fire,
    Kill,
    Move,
    Moved,
    Order,
    Pawn,
    Resolution,
    Step,
    Table,
    Turn,
    Turned,
)
from vision.geometry import circle, wrap_angle
from vision.judging.odds import odds_of
from vision.values.ledger import (
    Badge,
    Burst,
    Chance,
    Cross,
    Event,
    Ledger,
    LedgerStep,
    Odds,
    Path,
    PieceState,
    PieceView,
    Side,
    Tally,
)
from vision.values.messages import Message, message

__all__ = ["SIDES", "order_name", "pawn_name", "tell"]

SIDES = (
    Side("orange", message("team.orange"), "#e8762c", "disc"),
    Side("blue", message("team.blue"), "#2f6fd0", "square"),
)
_RADIUS_MM = TOKEN_MM / 2
_HALF = np.array(BOARD_MM) / 2
_BOARD = PieceView(
    "board",
    "board",
    message("shield.title"),
    np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * _HALF,
)


def tell(table: Table, resolution: Resolution) -> Ledger:
    """Tell a phase: what happens at each time, who is left, how sure that is."""
    dead: set[str] = set()
    opening = _tally(table, dead)
    doors = DOORS[table.options.doors]
    is_ordered = any(table.orders.values())
    unordered = _is_unordered(table, resolution)
    steps = [_orders(table, resolution, opening) if is_ordered else _standing(table, opening)]
    for step in resolution.steps:
        dead |= {kill.pawn for kill in step.killed}
        tally = _tally(table, dead)
        steps.append(
            LedgerStep(message("shield.time", n=step.time), tuple(_events(step, doors)), tally)
        )
    return Ledger(
        game="laser-shield",
        sides=SIDES,
        columns=(),
        pieces=(_BOARD, *(_view(pawn) for pawn in table.pawns)),
        opening=opening,
        steps=tuple(steps),
        winners=resolution.winners,
        outcome=message("shield.position") if unordered else _outcome(resolution),
        unordered=unordered,
        doubts=resolution.issues,
        odds=_odds(resolution),
        weighed=tuple(closed(table)),
        summary=tuple(_left(team, steps[-1].tally if steps else opening) for team in TEAMS),
    )


def pawn_name(pawn: str, key: Literal["pawn", "Pawn"] = "pawn") -> Message:
    """Return how a pawn is called; ``Pawn`` where a sentence begins with it."""
    team, _, number = pawn.partition("-")
    return message(f"shield.{key}", team=team, number=number)


def order_name(order: Order | None) -> Message:
    """Return how an order is called, in the notation of the reader's language."""
    match order:
        case Fire(start, target):
            return message("shield.order.fire", start=start, target=target)
        case Move(path, turn):
            side = "" if turn is None else message(f"shield.order.{turn}")
            return message("shield.order.move", path="-".join(path), turn=side)
        case Turn(at, turn):
            return message("shield.order.turn", at=at, turn=message(f"shield.order.{turn}"))
    return message("shield.order.pass")


def _view(pawn: Pawn) -> PieceView:
    """Return a pawn where its foot was seen, or in the middle of its square."""
    name = pawn_name(pawn.id)
    number = pawn.id.rpartition("-")[2]
    pose = pawn.pose
    foot = centre_mm(pawn.square) if pose is None else (pose.x_mm, pose.y_mm)
    rim = np.array(foot) + circle(_RADIUS_MM)
    theta = wrap_angle(HEADINGS.index(pawn.heading) * math.pi / 4)
    return PieceView(pawn.id, "token", name, rim, side=pawn.team, number=number, theta_rad=theta)


def _tally(table: Table, dead: set[str]) -> Tally:
    """Count who is left."""
    left = {team: {"total": 0} for team in TEAMS}
    for pawn in table.pawns:
        left[pawn.team]["total"] += pawn.id not in dead
    return Tally(left, {pawn: PieceState(is_out=True) for pawn in sorted(dead)})


def _events(step: Step, doors: tuple[str, str]) -> Iterator[Event]:
    """Tell a time in the order of the rules: point blank, moves and turns, other lines."""
    for beam in step.beams:
        if beam.point_blank:
            yield _beam(beam, step.time, is_door=beam.squares[0] in doors)
    for move in step.moves:
        yield _moved(move, step.time, "move")
    for turn in step.turned:
        yield _turned(turn)
    for beam in step.beams:
        if not beam.point_blank:
            yield _beam(beam, step.time, is_door=beam.squares[0] in doors)
    for kill in step.killed:
        yield _killed(kill)
    for push in step.pushed:
        yield _moved(push, step.time, "throw")


def _beam(beam: Beam, time: int, *, is_door: bool) -> Event:
    """Tell one line of a beam, drawn to where it ends; ``is_door`` if it comes out of one."""
    end, struck = beam.path_mm[1], beam.struck
    path = np.array(beam.path_mm)
    marks: list[Path | Burst | Badge] = [
        Path(path, beam.team, 0, fades=beam.end == "off", label=str(time))
    ]
    if struck is not None:
        marks.append(Badge(end, "shield") if struck.shielded else Burst(end, 2))
    key = "fires" if beam.line == 1 else "leaves_door" if is_door else "bounces"
    said = message(
        f"shield.beam.{key}",
        who=pawn_name(beam.pawn, "Pawn"),
        team=beam.team,
        start=beam.squares[0],
        end=_end(beam),
    )
    pieces = (beam.pawn,) if struck is None else (beam.pawn, struck.pawn)
    return Event(said, pieces, tuple(marks), id=f"{beam.pawn}-line-{beam.line}")


def _end(beam: Beam) -> Message:
    """Say how far a line runs and what it does there."""
    key = "at_once" if len(beam.squares) == 1 else beam.end
    pawn = "" if beam.struck is None else pawn_name(beam.struck.pawn)
    return message(f"shield.beam.{key}", last=beam.squares[-1], pawn=pawn)


def _moved(move: Moved, time: int, kind: Literal["move", "throw"]) -> Event:
    """Tell a move or a throw, or why the pawn stays; through doors it goes in two parts."""
    name = pawn_name(move.pawn, "Pawn")
    if not move.done or move.to is None:
        reason = message(f"shield.reason.{move.reason}")
        return Event(
            message("shield.stays", who=name, start=move.start, reason=reason), (move.pawn,)
        )
    via = message("shield.via", door=move.via) if move.via else ""
    said = message(f"shield.{kind}", who=name, start=move.start, to=move.to, via=via)
    legs = [(move.start, move.to)]
    if move.via:
        legs = [(move.start, move.via), (opposite(move.via), move.to)]
    team = move.pawn.partition("-")[0]
    marks = tuple(
        Path(np.array([centre_mm(a), centre_mm(b)]), team, label=str(time) * (k == 0), kind=kind)
        for k, (a, b) in enumerate(legs)
    )
    return Event(said, (move.pawn,), marks)


def _turned(turn: Turned) -> Event:
    heading = message(f"shield.heading.{turn.heading}")
    said = message("shield.turns", who=pawn_name(turn.pawn, "Pawn"), heading=heading)
    return Event(said, (turn.pawn,))


def _killed(kill: Kill) -> Event:
    rim = np.array(centre_mm(kill.square)) + circle(_RADIUS_MM)
    said = message("shield.dead", who=pawn_name(kill.pawn, "Pawn"), square=kill.square)
    return Event(said, (kill.pawn,), (Cross(rim),), leaves=(kill.pawn,))


def _is_unordered(table: Table, resolution: Resolution) -> bool:
    """Tell whether nobody has ordered; who passes has."""
    return not resolution.winners and not any(pawn.team in table.orders for pawn in table.pawns)


def _outcome(resolution: Resolution) -> Message:
    if not resolution.winners:
        return message("shield.goes")
    if len(resolution.winners) > 1:
        return message("shield.draw")
    return message("shield.wins", team=resolution.winners[0])


def _standing(table: Table, opening: Tally) -> LedgerStep:
    """Tell where everybody stands, while nobody has ordered."""
    events = tuple(Event(_stands(pawn), (pawn.id,)) for pawn in table.pawns)
    return LedgerStep(message("shield.positions"), events, opening)


def _stands(pawn: Pawn) -> Message:
    heading = message(f"shield.heading.{pawn.heading}")
    who = pawn_name(pawn.id, "Pawn")
    return message("shield.stands", who=who, square=pawn.square, heading=heading)


def _orders(table: Table, resolution: Resolution, opening: Tally) -> LedgerStep:
    """Tell first what both teams had ordered."""
    events = tuple(Event(_ordered(team, table, resolution)) for team in TEAMS)
    return LedgerStep(message("shield.orders"), events, opening)


def _ordered(team: str, table: Table, resolution: Resolution) -> Message:
    """Say what a team's order was, or why it is lost."""
    text = resolution.orders.get(team)
    order = order_name(parse_order(text) if text else None)
    if team in resolution.lost:
        reason = message(f"shield.reason.{resolution.lost[team]}")
        order = order_name(table.orders.get(team))
        order = message("shield.lost_order", order=order, reason=reason)
    return message("shield.ordered", team=team, order=order)


def _left(team: str, tally: Tally) -> Message:
    return message("shield.left", team=team, n=tally.scores[team]["total"])


def _odds(resolution: Resolution) -> Odds:
    told = []
    for e in resolution.endings:
        dead = _dead(e.killed)
        said = message("shield.ending", pawns=dead, chance=e.probability)
        told.append((Chance({}, e.winners, e.probability, dead), said))
    return odds_of(told, message("shield.odds"), resolution.unknown)


def _dead(killed: Sequence[str]) -> Message:
    if not killed:
        return message("shield.nobody")
    return message("shield.names", pawns=tuple(pawn_name(pawn) for pawn in killed))
