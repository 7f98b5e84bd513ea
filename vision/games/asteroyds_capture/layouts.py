"""Layouts: where everything lies at the beginning, for 2 against 2 to 2 against 2 against 2.

They are told for a board of radius 5 by its names, and lie about the middle of any other.
"""

from functools import cache

from vision.errors import TableFormatError
from vision.games.asteroyds_capture.board import Board, board_of, turned
from vision.games.asteroyds_capture.values import RADIUS, Piece

__all__ = ["LAYOUTS", "lay_out"]

#: Of each layout: the sixths by which each team's pieces are turned, ships, turrets, pods.
LAYOUTS = {
    "2v2": ({"red": (0, 2, 1), "white": (3, 2, 1)}, ("f4", "f8", "f6", "c5", "i4")),
    "1v1": ({"red": (0, 2, 1), "white": (3, 2, 1)}, ("f4", "f8", "f6", "c5", "i4")),
    "3v3": ({"red": (0, 3, 2), "white": (3, 3, 2)}, ("f4", "f8", "f6", "c5", "i4")),
    "3v2": ({"red": (0, 2, 2), "white": (3, 3, 1)}, ("f4", "f8", "f6", "c5", "i4")),
    "2v2v2": (
        {"red": (0, 2, 1), "white": (2, 2, 1), "blue": (4, 2, 1)},
        ("f4", "d6", "h6", "f6"),
    ),
}
_PLATFORM, _HOME, _TURRETS = "d2", "f2", ("h2", "e3")  #: of red


@cache
def lay_out(layout: str, radius: int) -> dict[str, Piece]:
    """Return the pieces of a layout by id."""
    if layout not in LAYOUTS:
        msg = f"{layout!r} is no layout; needed one of {', '.join(LAYOUTS)}"
        raise TableFormatError(msg)
    teams, pods = LAYOUTS[layout]
    board = board_of(radius)
    found = [Piece(f"pod-{k}", _moved(board, cell, 0)) for k, cell in enumerate(pods, start=1)]
    for team, (sixths, ships, turrets) in teams.items():
        platform, home = (_moved(board, cell, sixths) for cell in (_PLATFORM, _HOME))
        found += [Piece(f"{team}-{k}", platform, sixths) for k in range(1, ships + 1)]
        found += [
            Piece(f"{team}-turret-{k}", _moved(board, cell, sixths), sixths)
            for k, cell in enumerate(_TURRETS[:turrets], start=1)
        ]
        found += [
            Piece(f"{team}-platform", platform),
            Piece(f"{team}-home", home),
            Piece(f"{team}-asteroyd", home),
        ]
    return {piece.id: piece for piece in found}


def _moved(board: Board, cell: str, sixths: int) -> str:
    place = turned(board_of(RADIUS).cells[cell], sixths)
    name = board.name(place)
    if name is None:
        msg = (
            f"a layout has no room on a board of radius {board.radius}; needed radius {RADIUS} or "
            "more, or no layout and the cell of every piece"
        )
        raise TableFormatError(msg)
    return name
