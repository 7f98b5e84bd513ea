"""The board: cells, the six ways between them, their names, where each lies in millimetres.

A board of radius R has cells (q, r), flat side up: q to the right, r down. A name is a letter from
``a`` at the left, and a number that rises from the bottom of its file; the middle of radius 5 is
f6. Ways are 0 (up) to 5, clockwise, 60 degrees apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from vision.judging.grids import Grid, hexes

__all__ = ["ACROSS_MM", "RADII", "Board", "Cell", "board_of", "turned"]

ACROSS_MM = 38.0
RADII = range(3, 8)
Cell: TypeAlias = tuple[int, int]
_STEPS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A board: its cells by name, what lies before each, and where they lie.

    ``rays[cell][way]`` are the cells from the next one to the edge; ``grid`` has the middles.
    """

    radius: int
    cells: Mapping[str, Cell]
    rays: Mapping[str, tuple[tuple[str, ...], ...]]
    grid: Grid

    def next_to(self, cell: str, way: int) -> str | None:
        """Return the cell beside one in a way; None off the board."""
        ray = self.rays[cell][way % 6]
        return ray[0] if ray else None

    def name(self, cell: Cell) -> str | None:
        """Return what a cell is called; None off the board."""
        name = _name(cell, self.radius)
        return name if self.cells.get(name) == cell else None

    def within(self, cell: str, reach: int) -> frozenset[str]:
        """Return the cells that are at most so many steps away."""
        return _within(self.radius, cell, reach)

    def centre_mm(self, cell: str) -> tuple[float, float]:
        """Return where a cell's middle lies: origin at the board's."""
        return self.grid.centre(cell)


def turned(cell: Cell, sixths: int) -> Cell:
    """Return a cell turned clockwise about the middle by so many sixths."""
    q, r = cell
    for _ in range(sixths % 6):
        q, r = -r, q + r
    return q, r


def _name(cell: Cell, radius: int) -> str:
    q, r = cell
    return f"{chr(ord('a') + q + radius)}{min(radius, radius - q) - r + 1}"


@cache
def board_of(radius: int) -> Board:
    """Return the board of a radius."""
    plain = hexes(radius, ACROSS_MM)
    places = [(int(q), int(r)) for q, _, r in (name.partition(",") for name in plain.names)]
    names = {place: _name(place, radius) for place in places}
    rays = {}
    for (q, r), name in names.items():
        ways = []
        for dq, dr in _STEPS:
            ahead = ((q + k * dq, r + k * dr) for k in range(1, 2 * radius + 1))
            ways.append(tuple(names[place] for place in ahead if place in names))
        rays[name] = tuple(ways)
    cells = {name: place for place, name in names.items()}
    return Board(radius, cells, rays, Grid(tuple(names.values()), plain.centres_mm))


@cache
def _within(radius: int, cell: str, reach: int) -> frozenset[str]:
    cells = board_of(radius).cells
    q, r = cells[cell]
    return frozenset(
        name
        for name, (u, v) in cells.items()
        if max(abs(u - q), abs(v - r), abs(u + v - q - r)) <= reach
    )
