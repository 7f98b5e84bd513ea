"""The forms that pictures are put together from: solids, flames, beams, bolts, bursts."""

import math
from collections.abc import Iterable, Sequence

from calibration.art.drawing import (
    Colour,
    Disc,
    Point,
    Polygon,
    Shape,
    Stroke,
    arc,
    box,
    ellipse,
    mirrored,
    mix,
    placed,
    rgb,
)
from calibration.art.palette import INK, PAPER, Palette

__all__ = [
    "at_angle",
    "beam",
    "bolt",
    "both",
    "burst",
    "flame",
    "glass",
    "halo",
    "hexagon",
    "laid",
    "line",
    "missile",
    "rock",
    "solid",
    "star",
    "symmetric",
]

_RIM_MM = 0.9  # of the dark line round a solid
_FLAME = (rgb("#E8641B"), rgb("#FFB347"), rgb("#FFF3C4"))
_GLASS, _GLINT = rgb("#0E2A3A"), rgb("#D8F4FF")


def at_angle(radius: float, angle_rad: float, centre: Point = (0.0, 0.0)) -> Point:
    """Return a point of a circle; 0 is up, clockwise as seen."""
    return centre[0] + radius * math.sin(angle_rad), centre[1] - radius * math.cos(angle_rad)


def symmetric(half: Sequence[Point]) -> tuple[Point, ...]:
    """Return an outline from its right half, listed from the top down."""
    return (*half, *mirrored(tuple(half)[::-1]))


def both(shapes: Iterable[Shape]) -> list[Shape]:
    """Return shapes and their mirror images, left to right."""
    twice: list[Shape] = []
    for shape in shapes:
        twice.append(shape)
        match shape:
            case Polygon():
                twice.append(Polygon(mirrored(shape.outline), shape.colour))
            case Stroke():
                points = mirrored(shape.points)
                twice.append(Stroke(points, shape.width_mm, shape.colour, shape.closed))
            case Disc():
                centre = mirrored([shape.centre])[0]
                twice.append(Disc(centre, shape.radius_mm, shape.colour))
            case _:
                pass
    return twice


def solid(outline: Sequence[Point], colour: Colour, rim_mm: float = _RIM_MM) -> list[Shape]:
    """Return a filled outline with a dark line round it, to stand clear of what is behind."""
    points = tuple(outline)
    return [Stroke(points, 2 * rim_mm, INK, closed=True), Polygon(points, colour)]


def line(points: Sequence[Point], width_mm: float, colour: Colour) -> list[Shape]:
    """Return a stroke with a dark line round it."""
    return [Stroke(tuple(points), width_mm + 1.4, INK), Stroke(tuple(points), width_mm, colour)]


def halo(centre: Point, radius: float, inner: Colour, outer: Colour, steps: int = 4) -> list[Shape]:
    """Return a glow: discs that grow lighter toward the middle."""
    return [
        Disc(centre, radius * (1 - k / steps), mix(outer, inner, k / max(1, steps - 1)))
        for k in range(steps)
    ]


def beam(start: Point, end: Point, width_mm: float, palette: Palette) -> list[Shape]:
    """Return a ray with a white core."""
    return [
        Stroke((start, end), width, colour)
        for width, colour in (
            (2.2 * width_mm, mix(palette.panel, palette.bright, 0.35)),
            (1.3 * width_mm, palette.bright),
            (0.45 * width_mm, PAPER),
        )
    ]


def bolt(centre: Point, height: float, colour: Colour, rim_mm: float = 0.5) -> list[Shape]:
    """Return a flash of lightning: the sign of energy."""
    h = height
    outline = (
        (0.12 * h, -0.5 * h),
        (-0.3 * h, 0.08 * h),
        (-0.04 * h, 0.08 * h),
        (-0.12 * h, 0.5 * h),
        (0.3 * h, -0.12 * h),
        (0.05 * h, -0.12 * h),
    )
    return solid([(centre[0] + x, centre[1] + y) for x, y in outline], colour, rim_mm)


def star(centre: Point, radii: Point, points: int, turn_rad: float = 0.0) -> tuple[Point, ...]:
    """Return the outline of a star; the first of ``radii`` is that of its tips."""
    return tuple(
        at_angle(radii[k % 2], turn_rad + math.pi * k / points, centre) for k in range(2 * points)
    )


def burst(centre: Point, radius: float, palette: Palette, points: int = 9) -> list[Shape]:
    """Return an explosion: jagged stars, one in another."""
    layers = ((1.0, palette.bright), (0.68, palette.light), (0.36, PAPER))
    return [
        Polygon(star(centre, (radius * share, 0.55 * radius * share), points, 0.2), colour)
        for share, colour in layers
    ]


def flame(at: Point, width_mm: float, length_mm: float) -> list[Shape]:
    """Return a flame that burns down from a point."""
    x, y = at
    shapes: list[Shape] = []
    for share, colour in zip((1.0, 0.66, 0.34), _FLAME, strict=True):
        half, tip = 0.5 * width_mm * share, length_mm * (0.35 + 0.65 * share)
        shapes.append(
            Polygon(
                (
                    (x - half, y),
                    (x - half, y + 0.3 * tip),
                    (x, y + tip),
                    (x + half, y + 0.3 * tip),
                    (x + half, y),
                ),
                colour,
            )
        )
    return shapes


def glass(centre: Point, radii: Point) -> list[Shape]:
    """Return a dark pane with a glint."""
    (x, y), (u, v) = centre, radii
    return [
        Polygon(ellipse(centre, (u + 0.5, v + 0.5)), INK),
        Polygon(ellipse(centre, radii), _GLASS),
        Polygon(ellipse((x - 0.25 * u, y - 0.3 * v), (0.35 * u, 0.4 * v), steps=16), _GLINT),
    ]


def hexagon(centre: Point, radius: float, turn_rad: float = 0.0) -> tuple[Point, ...]:
    """Return a regular hexagon, a corner up."""
    return tuple(at_angle(radius, turn_rad + k * math.pi / 3, centre) for k in range(6))


def rock(centre: Point, radius: float, palette: Palette, lumps: Sequence[float]) -> list[Shape]:
    """Return a boulder, lit from the upper left; ``lumps`` are its radii, shares of ``radius``."""
    n = len(lumps)
    turns = [2 * math.pi * k / n for k in range(n)]

    def rim(share: float, push: float) -> list[Point]:
        middle = (centre[0] - push * radius, centre[1] - push * radius)
        return [at_angle(radius * share * u, a, middle) for u, a in zip(lumps, turns, strict=True)]

    return [
        *solid(rim(1.0, 0.0), palette.shade),
        Polygon(tuple(rim(0.88, 0.07)), palette.dim),
        Polygon(tuple(rim(0.62, 0.16)), palette.bright),
        Disc((centre[0] + 0.3 * radius, centre[1] + 0.25 * radius), 0.2 * radius, palette.shade),
        Disc((centre[0] - 0.3 * radius, centre[1] + 0.3 * radius), 0.13 * radius, palette.shade),
        Stroke(
            arc((centre[0] - 0.25 * radius, centre[1] - 0.3 * radius), 0.2 * radius, 0, 5.0, 10),
            0.5,
            palette.shade,
        ),
    ]


def missile(length: float, width: float, palette: Palette, fins: float = 1.0) -> list[Shape]:
    """Return a missile that flies up, its middle at the origin, with flame."""
    h, w = length / 2, width / 2
    body = symmetric([(0, -h), (0.55 * w, -h + 1.2 * w), (w, -h + 3 * w), (w, h)])
    fin = [(w, h - 3.2 * w), (w + 1.5 * w * fins, h + 0.4 * w), (w, h - 0.3 * w)]
    return [
        *flame((0, h), 1.5 * w, 0.45 * length),
        *both(solid(fin, palette.dim)),
        *solid(body, palette.bright),
        Polygon(box(0.1 * w, -h + 2.6 * w, w, h), palette.dim),
        Polygon(box(-w, -h + 3.0 * w, w, -h + 3.7 * w), PAPER),
        Polygon(box(-w, h - 1.4 * w, w, h), palette.shade),
    ]


def laid(shapes: Iterable[Shape], x: float, y: float, degrees: float = 0.0) -> list[Shape]:
    """Return shapes turned, then moved: how a picture puts its parts in place."""
    return placed(shapes, (x, y), math.radians(degrees))
