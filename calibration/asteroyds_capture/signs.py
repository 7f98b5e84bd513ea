"""The signs of the teams as shapes: red has chevrons, white stars, blue waves; 1 to 3 of them.

They differ as lines, points and arcs do, so that a grey print or an eye that tells no red from
blue reads them as well.
"""

import math
from collections.abc import Sequence

from calibration.art.drawing import Colour, Disc, Point, Polygon, Shape, Stroke, arc

__all__ = ["on_circle", "sign", "star"]

_UP = -math.pi / 2  # of an arc's angles: 0 is to the right


def on_circle(radius: float, turn_rad: float, centre: Point = (0.0, 0.0)) -> Point:
    """Return a point of a circle; 0 is up, clockwise."""
    return centre[0] + radius * math.sin(turn_rad), centre[1] - radius * math.cos(turn_rad)


def star(
    centre: Point, outer: float, inner: float, tips: int, turn_rad: float = 0.0
) -> tuple[Point, ...]:
    """Return the outline of a star."""
    return tuple(
        on_circle(inner if k % 2 else outer, turn_rad + math.pi * k / tips, centre)
        for k in range(2 * tips)
    )


def sign(team: str, number: int, ink: Colour, reach: float) -> Sequence[Shape]:
    """Return a team's sign, looking up, about the origin, within a circle; mm."""
    return {"red": _chevrons, "white": _stars, "blue": _waves}[team](number, ink, reach)


def _chevrons(number: int, ink: Colour, reach: float) -> list[Shape]:
    """Draw chevrons, points up: one broad, two wide, three short."""
    wide = reach * (0.95, 0.95, 0.62)[number - 1]
    thick = reach * (0.75, 0.3, 0.22)[number - 1]
    pitch = reach * (0.0, 0.84, 0.6)[number - 1]
    rise = wide * (0.75, 0.76, 0.5)[number - 1]
    shapes: list[Shape] = []
    for k in range(number):
        y = pitch * (k - (number - 1) / 2) + reach * (0.1, 0.07, -0.08)[number - 1]
        top = ((-wide, y + rise / 2), (0.0, y - rise / 2), (wide, y + rise / 2))
        low = tuple((x, v + thick) for x, v in top[::-1])
        shapes.append(Polygon(tuple((x, v - thick / 2) for x, v in (*top, *low)), ink))
    return shapes


def _stars(number: int, ink: Colour, reach: float) -> list[Shape]:
    """Draw stars of four tips: one large, or two or three about the middle."""
    size = reach * (0.95, 0.66, 0.52)[number - 1]
    away = reach * (0.0, 0.6, 0.62)[number - 1]
    middle = (0.0, reach * (-0.08, 0.1, 0.11)[number - 1])
    first = math.pi / 2 if number == 2 else 0.0
    middles = [on_circle(away, first + 2 * math.pi * k / number, middle) for k in range(number)]
    return [Polygon(star(at, size, 0.42 * size, 4), ink) for at in middles]


def _waves(number: int, ink: Colour, reach: float) -> list[Shape]:
    """Draw waves that run ahead of a point."""
    thick = reach * (0.52, 0.25, 0.23)[number - 1]
    foot = (0.0, 0.72 * reach)
    shapes: list[Shape] = [Disc(foot, reach * (0.4, 0.24, 0.19)[number - 1], ink)]
    for k in range(number):
        radius = reach * ((1.09, 0.65, 0.66)[number - 1] + k * (0.0, 0.72, 0.49)[number - 1])
        shapes.append(Stroke(arc(foot, radius, _UP - 1.08, _UP + 1.08, 20), thick, ink))
    return shapes
