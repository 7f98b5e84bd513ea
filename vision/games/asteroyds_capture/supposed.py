"""What nobody can play without and no photo shows -> where it must lie, with a doubt; strangers go.

A home lies under its asteroyd and whoever stands there, so that a photo may show nothing of it. So
may a hand lie over a platform. A table is never refused for that: on the page it is put right.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.check import layout_meant
from vision.games.asteroyds_capture.layouts import LAYOUTS, lay_out
from vision.games.asteroyds_capture.pieces import WALLS, kind_of, team_of
from vision.games.asteroyds_capture.position import teams_of
from vision.games.asteroyds_capture.said import each_of
from vision.games.asteroyds_capture.values import RADIUS, Piece, Table
from vision.games.asteroyds_capture.words import doubt, piece_name
from vision.judging.counts import Expected
from vision.values.messages import Issue

__all__ = ["expected_ships", "suppose", "without_strangers"]

_NEEDED = ("home", "platform", "asteroyd")
_TOGETHER = {"home": "asteroyd", "asteroyd": "home"}  #: what lies there unless it was taken
_SHIPS = (1, 2, 3)


def without_strangers(pieces: Mapping[str, Piece]) -> tuple[dict[str, Piece], list[Issue]]:
    """Leave out the only piece of a team, if it is neither home nor platform nor asteroyd.

    Something else looks like it: of a team that plays more is in sight.
    """
    crowds = Counter(team_of(name) for name in pieces)
    needed = {team_of(name) for name in pieces if kind_of(name) in _NEEDED}
    teams = needed | {team for team, n in crowds.items() if n > 1}
    strange = {
        n: p for n, p in pieces.items() if team_of(n) is not None and team_of(n) not in teams
    }
    told = [
        doubt("piece_strange", (name,), piece=piece_name(name), place=piece.cell)
        for name, piece in sorted(strange.items())
    ]
    return {name: piece for name, piece in pieces.items() if name not in strange}, told


def expected_ships(pieces: Sequence[Piece]) -> tuple[Expected, ...]:
    """Return the ships that surely play.

    That is one of the layout that was meant, one whose number is below another's of its team, and
    the first of a team of which tiles lie there.
    """
    seen = {piece.id for piece in pieces}
    meant = layout_meant(pieces)
    wanted = set() if meant is None else set(lay_out(meant, RADIUS))
    for team in teams_of(pieces):
        numbers = [k for k in _SHIPS if f"{team}-{k}" in seen]
        wanted |= {f"{team}-{k}" for k in range(1, max([1, *numbers]) + 1)}
    return each_of([name for name in sorted(wanted) if kind_of(name) == "ship"])


def suppose(table: Table) -> tuple[Table, tuple[Issue, ...]]:
    """Lay the homes, platforms and asteroyds that were not seen where they most likely lie.

    That is where the layout has them that was surely meant. On a table that is laid freely of home
    and asteroyd either is taken to lie with the other, a platform under ships of its team that
    stand together; what is left lies where a layout has it, or in the next cell that is free.
    A home that the layout has where its asteroyd lies is as good as seen: homes never move.
    """
    seen = {piece.id: piece for piece in table.pieces}
    found = dict(seen)
    meant, teams = layout_meant(table.pieces), sorted(teams_of(table.pieces))
    laid = _usual(teams, table.radius) if meant is None else lay_out(meant, table.radius)
    more = []
    for name in (f"{team}-{kind}" for team in teams for kind in _NEEDED):
        if name in found:
            continue
        by_others = None if meant else _beside_its_own(name, found)
        cell = by_others or _free(str(laid[name].cell), found, table.radius)
        found[name] = Piece(name, cell)
        more.append(found[name])
    told = tuple(
        doubt(
            "piece_supposed",
            (piece.id,),
            "note" if meant and _is_under_its_asteroyd(piece, seen) else "doubt",
            piece=piece_name(piece.id),
            place=piece.cell,
        )
        for piece in more
    )
    return replace(table, pieces=tuple(found[name] for name in sorted(found))), told


def _is_under_its_asteroyd(piece: Piece, seen: Mapping[str, Piece]) -> bool:
    """Return whether a piece is a home in whose cell its own asteroyd was seen."""
    own = seen.get(f"{team_of(piece.id)}-asteroyd")
    return kind_of(piece.id) == "home" and own is not None and own.cell == piece.cell


def _usual(teams: Sequence[str], radius: int) -> Mapping[str, Piece]:
    """Return a layout in which teams play: the homes and platforms of a team vary little."""
    layouts = (lay_out(layout, radius) for layout in LAYOUTS)
    return next(laid for laid in layouts if set(teams) <= set(teams_of(laid.values())))


def _beside_its_own(name: str, found: Mapping[str, Piece]) -> str | None:
    """Return the cell of a piece by the pieces of its team that were seen."""
    kind = kind_of(name)
    if kind in _TOGETHER:
        other = found.get(f"{team_of(name)}-{_TOGETHER[kind]}")
        return None if other is None else other.cell
    crowds = Counter(
        piece.cell
        for other, piece in found.items()
        if kind_of(other) == "ship" and team_of(other) == team_of(name)
    )
    walls = _walls(found)
    together = (cell for cell, n in crowds.most_common() if n > 1 and cell not in walls)
    return next(together, None)


def _free(cell: str, found: Mapping[str, Piece], radius: int) -> str:
    """Return the nearest cell to one in which no tile stands fast."""
    board, walls = board_of(radius), _walls(found)
    at = board.centre_mm(cell)
    free = sorted(other for other in board.cells if other not in walls)
    return min(free, key=lambda other: round(math.dist(board.centre_mm(other), at)))


def _walls(found: Mapping[str, Piece]) -> set[str | None]:
    return {piece.cell for name, piece in found.items() if kind_of(name) in WALLS}
