"""Rulings: what the players decided about a shot, carried out on the board."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.games.light_speed.battlefield import Board, Trace, way_out
from vision.games.light_speed.shots import enter_bodies
from vision.games.light_speed.values import EDGES, Edge, Hit, Ruling
from vision.games.light_speed.words import doubt
from vision.values.messages import Issue

__all__ = ["apply_ruling", "find_void_rulings"]

_ASIDE_MM = 1e-6  # how far inside a corner a beam that passes it is shifted to name the edge


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
