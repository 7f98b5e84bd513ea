"""Where a piece lies -> the cells it may stand on, and the ways it may face, with their chances.

A piece that was laid by hand does not lie in the middle of its cell, nor look exactly along a row:
how far it may lie off by hand adds to how well it was seen. Of all cells, and of all ways, each has
the chance ``exp(-r' W r / 2)``, r from its middle, W the inverse of both covariances together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from vision.geometry import wrap_angle
from vision.values.arrays import FloatArray, Points, frozen_array

__all__ = ["Grid", "hexes", "read_way", "squares", "weigh"]

Name = TypeVar("Name")
_LEAST = 1e-4  # a chance below this is no reading


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The cells of a board, named, and their middles (N, 2) in the board's frame, mm."""

    names: tuple[str, ...]
    centres_mm: Points

    def __post_init__(self) -> None:
        frozen = frozen_array(self.centres_mm, (len(self.names), 2), "centres_mm")
        object.__setattr__(self, "centres_mm", frozen)

    def centre(self, name: str) -> tuple[float, float]:
        """Return the middle of a cell."""
        x, y = self.centres_mm[self.names.index(name)]
        return float(x), float(y)

    @property
    def step_mm(self) -> float:
        """The way from a cell to the next: from the first to the nearest."""
        gaps = np.linalg.norm(self.centres_mm[1:] - self.centres_mm[0], axis=1)
        return float(gaps.min())

    def ahead(self, cell: str, theta_rad: float) -> str | None:
        """Return the next cell in a way, one step on; None off the board."""
        at = np.array(self.centre(cell))
        at += self.step_mm * np.array([math.sin(theta_rad), -math.cos(theta_rad)])
        gaps = np.linalg.norm(self.centres_mm - at, axis=1)
        nearest = int(gaps.argmin())
        return self.names[nearest] if gaps[nearest] < self.step_mm / 10 else None

    def read(
        self, at_mm: Sequence[float], covariance: FloatArray, laid_mm: float
    ) -> tuple[tuple[str, float], ...]:
        """Return the cells that a piece may stand on with their chances, the likeliest first.

        It was seen at (x, y) mm with a covariance (2, 2); ``laid_mm`` is the standard deviation, by
        axis, of where hands lay a piece in its cell.
        """
        both = np.asarray(covariance, float) + laid_mm**2 * np.eye(2)
        chances = weigh(np.asarray(at_mm, float) - self.centres_mm, both)
        return _ranked(self.names, chances)


def squares(columns: int, rows: int, side_mm: float) -> Grid:
    """Return a board of squares round the origin, named ``a1`` from the top left: letter, row."""
    names, centres = [], []
    for column in range(columns):
        for row in range(rows):
            names.append(f"{chr(ord('a') + column)}{row + 1}")
            centres.append([column - (columns - 1) / 2, row - (rows - 1) / 2])
    return Grid(tuple(names), np.array(centres) * side_mm)


def hexes(radius: int, across_mm: float) -> Grid:
    """Return a hexagonal board round the origin, cells flat side up, named ``q,r`` (axial)."""
    span = range(-radius, radius + 1)
    cells = [(q, r) for q in span for r in span if abs(q + r) <= radius]
    centres = [[math.sqrt(0.75) * q, r + q / 2] for q, r in cells]
    return Grid(tuple(f"{q},{r}" for q, r in cells), np.array(centres) * across_mm)


def read_way(
    theta_rad: float, variance: float, ways: int, laid_rad: float
) -> tuple[tuple[int, float], ...]:
    """Return the ways (0 up, then clockwise, of so many) that a piece may face, likeliest first."""
    off = [[wrap_angle(theta_rad - 2 * math.pi * k / ways)] for k in range(ways)]
    chances = weigh(np.array(off), np.array([[variance + laid_rad**2]]))
    return _ranked(tuple(range(ways)), chances)


def weigh(offsets: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return the chances (N,) of places that lie off by ``offsets`` (N, K), covariance (K, K)."""
    bends = np.einsum("ni,ij,nj->n", offsets, np.linalg.inv(covariance), offsets)
    chances = np.exp(-(bends - bends.min()) / 2)
    return np.asarray(chances / chances.sum(), np.float64)


def _ranked(names: Sequence[Name], chances: FloatArray) -> tuple[tuple[Name, float], ...]:
    order = np.argsort(-chances, kind="stable")
    kept = [(names[k], float(chances[k])) for k in order if chances[k] > _LEAST]
    whole = sum(chance for _, chance in kept)
    return tuple((name, chance / whole) for name, chance in kept)
