"""Pieces as hands lay them: where each stands, how far it goes at a time, what may be put there."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from vision.errors import TableFormatError
from vision.judging.grids import Grid
from vision.values.messages import Message

__all__ = ["Setting", "Standing", "cell_at", "nearest_place", "read_pose"]


Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Standing:
    """A piece that a hand may move: its pose on the table, as the game has it.

    Table frame, mm, radians. ``step_mm`` is the way to the next place along an axis, ``turn_rad``
    the least turn that it may make, 0 if it does not matter how it is turned. ``size_mm`` is its
    width and height. ``may_be`` are the ids of pieces that it may be in truth, the likeliest first.
    One that ``is_fixed`` is what it is, and is not taken away.
    """

    piece: str
    x_mm: float
    y_mm: float
    theta_rad: float
    size_mm: tuple[float, float]
    step_mm: float = 1.0
    turn_rad: float = 0.0
    may_be: tuple[str, ...] = ()
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """Something beside the places of pieces that a tap sets: a die, a score, who holds what.

    ``choices`` are what it may be, in words, each with the change that the game's ``edit`` takes
    for it; ``chosen`` is which of them stands (-1: none), ``is_doubtful`` that it is not sure.
    ``of`` is what it is of as doubts name it, where it settles one.
    """

    id: str
    name: Message | str
    choices: tuple[tuple[Message | str, Mapping[str, Any]], ...]
    chosen: int
    is_doubtful: bool = False
    of: str = ""


def read_pose(name: str, fields: Mapping[str, Any]) -> tuple[float, float, float]:
    """Read where a hand puts a piece: (x mm, y mm, theta rad) in the table frame.

    ``fields`` are those of a change ``move`` or ``add`` without its kind and its piece.

    Raises
    ------
    TableFormatError
        If they are not ``x_mm``, ``y_mm`` and ``theta_deg``, three finite numbers.
    """
    at = [fields.get(key) for key in ("x_mm", "y_mm", "theta_deg")]
    numbers = [float(x) for x in at if isinstance(x, int | float) and math.isfinite(x)]
    if len(numbers) != 3 or len(fields) != 3:
        msg = f"{name}: needed x_mm, y_mm and theta_deg, three numbers and nothing else"
        raise TableFormatError(msg)
    return numbers[0], numbers[1], math.radians(numbers[2])


def nearest_place(gaps_mm: Mapping[Place, float], most_mm: float) -> Place | None:
    """Return the nearest of some places; None if even that is farther away than ``most_mm``."""
    nearest = min(gaps_mm, key=lambda place: gaps_mm[place])
    return nearest if gaps_mm[nearest] <= most_mm else None


def cell_at(name: str, at_mm: tuple[float, float], board: Grid) -> str:
    """Return the cell on which a hand puts a piece: the nearest.

    Raises
    ------
    TableFormatError
        If the piece would lie beside the board.
    """
    gaps = {cell: math.dist(board.centre(cell), at_mm) for cell in board.names}
    cell = nearest_place(gaps, board.step_mm)
    if cell is None:
        msg = f"{name} would lie beside the board; put it on a cell"
        raise TableFormatError(msg)
    return cell
