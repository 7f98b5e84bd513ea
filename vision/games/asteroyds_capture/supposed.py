"""What nobody can play without and no photo shows -> where the layout has it, with a doubt.

A home lies under its asteroyd and whoever stands there, so that a photo may show nothing of it.
"""

from dataclasses import replace

from vision.games.asteroyds_capture.check import layout_meant
from vision.games.asteroyds_capture.layouts import lay_out
from vision.games.asteroyds_capture.pieces import kind_of, team_of
from vision.games.asteroyds_capture.position import teams_of
from vision.games.asteroyds_capture.values import Table
from vision.games.asteroyds_capture.words import doubt, piece_name
from vision.values.messages import Issue

__all__ = ["suppose"]

_NEEDED = ("home", "platform", "asteroyd")


def suppose(table: Table) -> tuple[Table, tuple[Issue, ...]]:
    """Lay the homes, platforms and asteroyds that were not seen, where it is plain which layout.

    An asteroyd is taken to lie in its home.
    """
    meant = layout_meant(table.pieces)
    if meant is None:
        return table, ()
    seen = {piece.id for piece in table.pieces}
    teams = teams_of(table.pieces)
    laid = lay_out(meant, table.radius)
    more = [
        piece
        for name, piece in sorted(laid.items())
        if kind_of(name) in _NEEDED and team_of(name) in teams and name not in seen
    ]
    told = tuple(
        doubt("piece_supposed", (piece.id,), piece=piece_name(piece.id), place=piece.cell)
        for piece in more
    )
    pieces = sorted((*table.pieces, *more), key=lambda piece: piece.id)
    return replace(table, pieces=tuple(pieces)), told
