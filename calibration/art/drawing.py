"""Shapes in millimetres: what a card's face is made of.

A drawing is a list of shapes, to be painted in order, in the card frame: origin at the centre,
x right, y down.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

__all__ = [
    "Colour",
    "Disc",
    "Point",
    "Polygon",
    "Ring",
    "Shape",
    "Stroke",
    "arc",
    "box",
    "ellipse",
    "mirrored",
    "mix",
    "placed",
    "rgb",
    "ribbon",
    "shifted",
    "smooth",
]

Point: TypeAlias = tuple[float, float]
Colour: TypeAlias = tuple[int, int, int]  #: red, green, blue, 0..255


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled outline; further outlines inside it are holes (even-odd)."""

    outline: tuple[Point, ...]
    colour: Colour
    holes: tuple[tuple[Point, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points, with round ends and joins."""

    points: tuple[Point, ...]
    width_mm: float
    colour: Colour
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle."""

    centre: Point
    radius_mm: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Ring:
    """The area between two upright rectangles, both centred on the card; exact to the pixel."""

    outer_wh_mm: tuple[float, float]
    inner_wh_mm: tuple[float, float]
    colour: Colour


Shape: TypeAlias = Polygon | Stroke | Disc | Ring


# --- colours ---------------------------------------------------------------------------------


def rgb(code: str) -> Colour:
    """Read a colour.

    >>> rgb("#B3122A")
    (179, 18, 42)
    """
    value = int(code.removeprefix("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Return the colour a share of the way from a to b."""
    red, green, blue = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return red, green, blue


# --- points ----------------------------------------------------------------------------------


def box(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    """Return the corners of an upright rectangle."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def ellipse(
    centre: Point, radii: Point, turn_rad: float = 0.0, steps: int = 32
) -> tuple[Point, ...]:
    """Return points of an ellipse."""
    c, s = math.cos(turn_rad), math.sin(turn_rad)
    points = []
    for i in range(steps):
        u = radii[0] * math.cos(2 * math.pi * i / steps)
        v = radii[1] * math.sin(2 * math.pi * i / steps)
        points.append((centre[0] + c * u - s * v, centre[1] + s * u + c * v))
    return tuple(points)


def arc(
    centre: Point, radius: float, from_rad: float, to_rad: float, steps: int = 16
) -> tuple[Point, ...]:
    """Return points of a circle's arc; angles clockwise as seen, 0 toward +x."""
    return tuple(
        (
            centre[0] + radius * math.cos(from_rad + (to_rad - from_rad) * i / steps),
            centre[1] + radius * math.sin(from_rad + (to_rad - from_rad) * i / steps),
        )
        for i in range(steps + 1)
    )


def smooth(points: Sequence[Point], *, closed: bool = False, steps: int = 6) -> tuple[Point, ...]:
    """Return a Catmull-Rom curve through points.

    Parameters
    ----------
    points : sequence of (x, y)
        Two or more.
    closed : bool
        Whether the curve returns to its first point.
    steps : int
        New points for each given one.
    """
    p = np.asarray(points, float)
    if closed:
        before, start, end, after = np.roll(p, 1, 0), p, np.roll(p, -1, 0), np.roll(p, -2, 0)
    else:
        padded = np.vstack([2 * p[0] - p[1], p, 2 * p[-1] - p[-2]])
        before, start, end, after = padded[:-3], padded[1:-2], padded[2:-1], padded[3:]
    t = (np.arange(steps) / steps)[None, :, None]
    a, b, c, d = (q[:, None] for q in (before, start, end, after))
    curve = 0.5 * (
        2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
    )
    flat = [(float(x), float(y)) for x, y in curve.reshape(-1, 2)]
    return tuple(flat if closed else [*flat, (float(p[-1, 0]), float(p[-1, 1]))])


def ribbon(centreline: Sequence[Point], widths: Sequence[float]) -> tuple[Point, ...]:
    """Return the outline of a band that follows a line, its width varying evenly between knots."""
    p = np.asarray(centreline, float)
    along = np.gradient(p, axis=0)
    along /= np.hypot(along[:, :1], along[:, 1:])
    knots = np.linspace(0, 1, len(widths))
    half = 0.5 * np.interp(np.linspace(0, 1, len(p)), knots, widths)[:, None]
    aside = np.column_stack([along[:, 1], -along[:, 0]]) * half
    return tuple((float(x), float(y)) for x, y in np.vstack([p + aside, (p - aside)[::-1]]))


def mirrored(points: Iterable[Point], axis_x: float = 0.0) -> tuple[Point, ...]:
    """Return points mirrored left to right."""
    return tuple((2 * axis_x - x, y) for x, y in points)


def shifted(shapes: Iterable[Shape], dx: float, dy: float) -> list[Shape]:
    """Return shapes moved; rings stay, they belong to the card."""
    return placed(shapes, (dx, dy))


def placed(
    shapes: Iterable[Shape], at: Point = (0.0, 0.0), turn_rad: float = 0.0, scale: float = 1.0
) -> list[Shape]:
    """Return shapes scaled and turned (clockwise as seen) about the origin, then moved.

    Lines scale with them; rings stay, they belong to the card.
    """
    c, s = scale * math.cos(turn_rad), scale * math.sin(turn_rad)

    def lay(points: Iterable[Point]) -> tuple[Point, ...]:
        return tuple((at[0] + c * x - s * y, at[1] + s * x + c * y) for x, y in points)

    laid: list[Shape] = []
    for shape in shapes:
        match shape:
            case Polygon():
                holes = tuple(lay(hole) for hole in shape.holes)
                laid.append(Polygon(lay(shape.outline), shape.colour, holes))
            case Stroke():
                width = shape.width_mm * scale
                laid.append(replace(shape, points=lay(shape.points), width_mm=width))
            case Disc():
                radius = shape.radius_mm * scale
                laid.append(Disc(lay([shape.centre])[0], radius, shape.colour))
            case Ring():
                laid.append(shape)
    return laid
