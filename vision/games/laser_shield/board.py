"""The board: squares, the eight ways between them, doors, where each lies in millimetres.

Columns a and f have two squares, b to e four; n is toward row 1. A square is also a point
``(column, row)`` of whole numbers: a1 is (0, 1), b1 is (1, 0), f2 is (5, 2).
"""

from functools import cache

__all__ = [
    "DOORS",
    "HEADINGS",
    "RED",
    "SQUARES",
    "SQUARE_MM",
    "centre_mm",
    "edge_mm",
    "landing",
    "neighbour",
    "opposite",
    "other_door",
    "way_between",
]

HEADINGS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")  #: clockwise, 45 degrees apart
SQUARE_MM = 42.0
RED = ("c3", "d2")  #: who enters one may go on
DOORS = {
    "a2-f1": ("a2", "f1"),
    "c2-d3": ("c2", "d3"),
    "b4-e1": ("b4", "e1"),
    "b2-e3": ("b2", "e3"),
}
_STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))


def _points() -> dict[str, tuple[int, int]]:
    inner = {f"{c}{row + 1}": (k + 1, row) for k, c in enumerate("bcde") for row in range(4)}
    outer = {f"{c}{row}": (k, row) for c, k in (("a", 0), ("f", 5)) for row in (1, 2)}
    return inner | outer


_POINTS = _points()
_NAMES = {point: name for name, point in _POINTS.items()}
SQUARES = tuple(sorted(_POINTS))


def neighbour(square: str, way: int) -> str | None:
    """Return the square beside one in a way (0 to 7, clockwise from n); None off the board."""
    (x, y), (dx, dy) = _POINTS[square], _STEPS[way % 8]
    return _NAMES.get((x + dx, y + dy))


@cache
def way_between(square: str, other: str) -> int | None:
    """Return the way from a square to a neighbour, None if they are none."""
    return next((way for way in range(8) if neighbour(square, way) == other), None)


def opposite(square: str) -> str:
    """Return the square on the other side of the board's centre."""
    x, y = _POINTS[square]
    return _NAMES[5 - x, 3 - y]


def landing(start: str, target: str, doors: tuple[str, str]) -> str:
    """Return where a pawn comes to stand that goes to a neighbouring square, or through a door."""
    return opposite(start) if target in doors else target


def other_door(door: str, doors: tuple[str, str]) -> str:
    """Return the door that a beam leaves by."""
    return doors[1] if door == doors[0] else doors[0]


def centre_mm(square: str) -> tuple[float, float]:
    """Return a square's centre: origin at the board's, x from a to f, y from row 1 to 4."""
    x, y = _POINTS[square]
    return (x - 2.5) * SQUARE_MM, (y - 1.5) * SQUARE_MM


def edge_mm(square: str, way: int) -> tuple[float, float]:
    """Return where a beam from a square's centre leaves the square."""
    (x, y), (dx, dy) = centre_mm(square), _STEPS[way % 8]
    return x + dx * SQUARE_MM / 2, y + dy * SQUARE_MM / 2
