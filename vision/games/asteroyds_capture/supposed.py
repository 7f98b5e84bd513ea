"""What nobody can play without and no photo shows -> where it must lie, with a doubt; strangers go.

A home lies under its asteroyd and whoever stands there, so that a photo may show nothing of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vision.games.asteroyds_capture.check import layout_meant
from vision.games.asteroyds_capture.layouts import lay_out
from vision.games.asteroyds_capture.pieces import kind_of, team_of
from vision.games.asteroyds_capture.position import teams_of
from vision.games.asteroyds_capture.values import RADIUS, Piece, Table
from vision.games.asteroyds_capture.words import doubt, piece_name
from vision.values.messages import Issue

__all__ = ["missing_ships", "suppose", "without_strangers"]

_NEEDED = ("home", "platform", "asteroyd")
_TOGETHER = {"home": "asteroyd", "asteroyd": "home"}  #: what lies there unless it was taken
_SHIPS = (1, 2, 3)


def without_strangers(pieces: Mapping[str, Piece]) -> tuple[dict[str, Piece], list[Issue]]:
    """Leave out pieces of a team of which neither home nor platform nor asteroyd was seen.

    Something else looks like them: a team is never on the board with none of the three.
    """
    teams = {team_of(name) for name in pieces if kind_of(name) in _NEEDED}
    strange = {
        n: p for n, p in pieces.items() if team_of(n) is not None and team_of(n) not in teams
    }
    told = [
        doubt("piece_strange", (name,), piece=piece_name(name), place=piece.cell)
        for name, piece in sorted(strange.items())
    ]
    return {name: piece for name, piece in pieces.items() if name not in strange}, told


def missing_ships(pieces: Sequence[Piece]) -> tuple[Issue, ...]:
    """Return a doubt for each ship that is not there and surely plays.

    That is one of the layout that was meant, one whose number is below another's of its team, and
    the first of a team of which tiles lie there.
    """
    seen = {piece.id for piece in pieces}
    meant = layout_meant(pieces)
    wanted = set() if meant is None else set(lay_out(meant, RADIUS))
    for team in teams_of(pieces):
        numbers = [k for k in _SHIPS if f"{team}-{k}" in seen]
        wanted |= {f"{team}-{k}" for k in range(1, max([1, *numbers]) + 1)}
    return tuple(
        doubt("ship_missing", (name,), ship=piece_name(name))
        for name in sorted(wanted - seen)
        if kind_of(name) == "ship"
    )


def suppose(table: Table) -> tuple[Table, tuple[Issue, ...]]:
    """Lay the homes, platforms and asteroyds that were not seen, where it is plain where they lie.

    That is where the layout has them that was surely meant; an asteroyd is taken to lie in its
    home. On a table that is laid freely of home and asteroyd either is taken to lie with the other.
    """
    meant = layout_meant(table.pieces)
    laid = {} if meant is None else lay_out(meant, table.radius)
    seen = {piece.id: piece for piece in table.pieces}
    more = []
    for team in sorted(teams_of(table.pieces)):
        for name in (f"{team}-{kind}" for kind in _NEEDED):
            piece = laid.get(name)
            other = seen.get(f"{team}-{_TOGETHER.get(kind_of(name))}")
            if piece is None and other is not None and other.cell:
                piece = Piece(name, other.cell)
            if piece is not None and name not in seen:
                more.append(piece)
    told = tuple(
        doubt("piece_supposed", (piece.id,), piece=piece_name(piece.id), place=piece.cell)
        for piece in more
    )
    pieces = sorted((*table.pieces, *more), key=lambda piece: piece.id)
    return replace(table, pieces=tuple(pieces)), told
