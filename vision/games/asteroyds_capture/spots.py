"""Table -> where each piece lies in its cell, mm: what shares a cell is spread, so that it shows.

A ship lies with what it carries under it; a loose asteroyd keeps clear of ships that do not.
"""

import math
from collections.abc import Mapping

from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.values import Table

__all__ = ["spots"]

_APART_MM = 13.0  # from the cell's middle, of several: a ship's middle is off an asteroyd's rim


def spots(table: Table) -> Mapping[str, tuple[float, float]]:
    """Return where the middle of each piece on the board lies."""
    board = board_of(table.radius)
    pieces = {piece.id: piece for piece in table.pieces}
    sharing: dict[str, list[str]] = {}
    for name in sorted(pieces, key=lambda name: (kind_of(name) == "asteroyd", name)):
        cell = pieces[name].cell
        if cell is not None and kind_of(name) in ("ship", "asteroyd"):
            sharing.setdefault(cell, []).append(name)
    found = {}
    for name, piece in pieces.items():
        holder = name if piece.on is None else piece.on
        cell = pieces[holder].cell
        if cell is not None:
            x, y = board.centre_mm(cell)
            dx, dy = _shift(holder, sharing.get(cell, []))
            found[name] = (x + dx, y + dy)
    return found


def _shift(name: str, together: list[str]) -> tuple[float, float]:
    """Return how far from the middle of its cell a piece lies: on a ring, the first at the left."""
    if name not in together or len(together) == 1:
        return 0.0, 0.0
    turn = 2 * math.pi * together.index(name) / len(together)
    return -_APART_MM * math.cos(turn), -_APART_MM * math.sin(turn)
