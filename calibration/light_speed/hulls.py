"""The parts that ships are put together from: plates, cockpits, engines, spots."""

from collections.abc import Iterable, Sequence

from calibration.art.drawing import (
    Colour,
    Disc,
    Point,
    Polygon,
    Shape,
    Stroke,
    ellipse,
    mirrored,
    rgb,
)
from calibration.art.palette import INK, Palette

__all__ = ["cockpit", "engine", "hull", "pair", "plate", "seam", "symmetric"]

_OUTLINE_MM = 1.0
_GLASS = rgb("#0E2A3A")
_GLINT = rgb("#D8F4FF")
_FLAME = (rgb("#E8641B"), rgb("#FFB347"), rgb("#FFF3C4"))


def symmetric(half: Sequence[Point], axis_x: float = 0.0) -> tuple[Point, ...]:
    """Return an outline from its right half, listed from the top down."""
    right = [(axis_x + x, y) for x, y in half]
    return (*right, *mirrored(reversed(right), axis_x))


def pair(shapes: Iterable[Shape], axis_x: float = 0.0) -> list[Shape]:
    """Return shapes and their mirror images, left to right."""
    both: list[Shape] = []
    for shape in shapes:
        both.append(shape)
        match shape:
            case Polygon():
                both.append(Polygon(mirrored(shape.outline, axis_x), shape.colour))
            case Stroke():
                points = mirrored(shape.points, axis_x)
                both.append(Stroke(points, shape.width_mm, shape.colour, shape.closed))
            case Disc():
                centre = mirrored([shape.centre], axis_x)[0]
                both.append(Disc(centre, shape.radius_mm, shape.colour))
            case _:
                pass
    return both


def hull(outline: Sequence[Point], colour: Colour) -> list[Shape]:
    """Return a filled outline with a dark line around it, to stand clear of what is behind."""
    points = tuple(outline)
    return [Stroke(points, 2 * _OUTLINE_MM, INK, closed=True), Polygon(points, colour)]


def plate(points: Sequence[Point], colour: Colour) -> Polygon:
    """Return one facet."""
    return Polygon(tuple(points), colour)


def seam(points: Sequence[Point], palette: Palette, width_mm: float = 0.35) -> Stroke:
    """Return a line between two plates."""
    return Stroke(tuple(points), width_mm, palette.shade)


def cockpit(centre: Point, radii: Point) -> list[Shape]:
    """Return a dark canopy with a glint."""
    x, y = centre
    u, v = radii
    glint = ellipse((x - 0.25 * u, y - 0.3 * v), (0.35 * u, 0.4 * v), steps=16)
    return [
        Polygon(ellipse(centre, (u + 0.5, v + 0.5)), INK),
        Polygon(ellipse(centre, radii), _GLASS),
        Polygon(glint, _GLINT),
    ]


def engine(centre: Point, width_mm: float, length_mm: float, palette: Palette) -> list[Shape]:
    """Return a nozzle, its mouth at a point, with the flame below it."""
    x, y = centre
    shapes: list[Shape] = []
    for share, colour in zip((1.0, 0.66, 0.34), _FLAME, strict=True):
        half, tip = 0.42 * width_mm * share, length_mm * (0.35 + 0.65 * share)
        flame = [(x - half, y), (x - half, y + 0.3 * tip), (x, y + tip), (x + half, y + 0.3 * tip)]
        shapes.append(Polygon((*flame, (x + half, y)), colour))
    half = width_mm / 2
    nozzle = [(x - 0.7 * half, y - 2), (x + 0.7 * half, y - 2), (x + half, y), (x - half, y)]
    return [*shapes, *hull(nozzle, palette.shade)]
