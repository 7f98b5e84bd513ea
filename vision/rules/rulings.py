"""Rulings: what the players decided about a shot, as text and on the board.

As text a ruling is ``SHIP:LASER=TARGET``: the laser counted from 1, as the account prints it,
the target a card's id, ``CARD:shield`` for its shield, or ``space``.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.errors import TableFormatError
from vision.rules.board import Board, Trace, way_out
from vision.rules.roster import Roster
from vision.rules.shots import enter_bodies
from vision.types import EDGES, Edge, Hit, Issue, Message, Ruling

__all__ = [
    "apply_ruling",
    "check_rulings",
    "find_void_rulings",
    "format_ruling",
    "merge_rulings",
    "parse_ruling",
]

_RULING = re.compile(r"(?P<ship>[^:=]+):(?P<laser>[0-9]{1,3})=(?P<target>[^:=]+)(?P<shield>:shield)?")
_ASIDE_MM = 1e-6  # how far inside a corner a beam that passes it is shifted to name the edge


def parse_ruling(text: str) -> Ruling:
    """Read ``SHIP:LASER=TARGET``.

    Raises
    ------
    TableFormatError
        If it has another form.

    Examples
    --------
    >>> parse_ruling("red-ghost:2=blue-viper:shield")
    Ruling(ship='red-ghost', laser=1, target='blue-viper', shielded=True)
    """
    match = _RULING.fullmatch("".join(text.split()).lower())
    if match is None or int(match["laser"]) < 1 or (match["target"] == "space" and match["shield"]):
        msg = (
            "expected SHIP:LASER=TARGET, such as red-ghost:2=blue-viper, with the laser counted "
            f'from 1 and for a target a card, CARD:shield or space; got "{text}"'
        )
        raise TableFormatError(msg)
    target = None if match["target"] == "space" else match["target"]
    return Ruling(match["ship"], int(match["laser"]) - 1, target, match["shield"] is not None)


def format_ruling(ruling: Ruling) -> str:
    """Write a ruling as :func:`parse_ruling` reads it."""
    target = "space" if ruling.target is None else ruling.target
    return f"{ruling.ship}:{ruling.laser + 1}={target}{':shield' if ruling.shielded else ''}"


def merge_rulings(before: Sequence[Ruling], more: Iterable[Ruling]) -> tuple[Ruling, ...]:
    """Add rulings to others; a later one on the same shot takes the place of the earlier."""
    merged = {(ruling.ship, ruling.laser): ruling for ruling in before}
    merged |= {(ruling.ship, ruling.laser): ruling for ruling in more}
    return tuple(merged.values())


def check_rulings(rulings: Sequence[Ruling], roster: Roster) -> None:
    """Refuse rulings that no table can follow.

    Raises
    ------
    TableFormatError
        If two rule the same shot, a ship is to hit itself, or has no such laser.
    """
    seen = set()
    for ruling in rulings:
        name = f"ruling {format_ruling(ruling)}"
        if (ruling.ship, ruling.laser) in seen:
            msg = f"{name}: this shot is ruled twice; keep one of them"
            raise TableFormatError(msg)
        seen.add((ruling.ship, ruling.laser))
        if ruling.target == ruling.ship:
            msg = f"{name}: a ship's own card never stops its beam; name another target"
            raise TableFormatError(msg)
        if ruling.ship in roster.ships:
            count = len(roster.ships[ruling.ship][1].lasers)
            if ruling.laser >= count:
                msg = f"{name}: {ruling.ship} has {count} laser{'' if count == 1 else 's'}"
                raise TableFormatError(msg)


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

    ``fired`` maps each shot fired (ship, laser) to whether its ruling, if any, was followed.
    """
    for ruling in sorted(rulings, key=lambda r: (r.ship, r.laser)):
        followed = fired.get((ruling.ship, ruling.laser))
        if followed:
            continue
        target = ruling.target or ""
        reason = "unfired" if followed is None else "absent"
        why = (
            "this shot is never fired"
            if followed is None
            else f"{target} is not on the table when it is fired"
        )
        yield Issue(
            "ruling_void",
            f"the ruling on {ruling.ship} laser {ruling.laser + 1} has no effect: {why}",
            tuple(card for card in (ruling.ship, target) if card),
            said=Message(
                f"issue.ruling_void.{reason}",
                (("ship", ruling.ship), ("laser", ruling.laser + 1), ("target", target)),
            ),
        )
