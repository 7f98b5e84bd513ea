"""What is behind a ship: stars, a planet, a drift of gas; and the rocks of the asteroid cards."""

import math

import numpy as np

from calibration.art.drawing import (
    Colour,
    Disc,
    Point,
    Polygon,
    Shape,
    Stroke,
    arc,
    box,
    mix,
    rgb,
    smooth,
)
from calibration.art.palette import INK, Palette

__all__ = ["draw_planet", "draw_rock", "draw_sky"]

_STAR = rgb("#E8EEFF")
_STARS = 46
_LIGHT = (-0.64, -0.77)  # where the light comes from: upper left on every card


def draw_sky(
    rng: np.random.Generator, palette: Palette, half_wh_mm: tuple[float, float], drifts: int = 3
) -> list[Shape]:
    """Draw a dark panel with gas and stars.

    Parameters
    ----------
    rng : numpy.random.Generator
        Where stars and gas lie.
    palette : Palette
        Its ``panel`` is the ground, tinted by ``shade`` in the gas.
    half_wh_mm : tuple of float
        Half the panel's size.
    drifts : int
        How many clouds of gas.
    """
    half_w, half_h = half_wh_mm
    ground = box(-half_w - 1, -half_h - 1, half_w + 1, half_h + 1)  # reaches under the band
    shapes: list[Shape] = [Polygon(ground, palette.panel)]
    for _ in range(drifts):
        x, y = float(rng.uniform(-half_w, half_w)), float(rng.uniform(-half_h, half_h))
        turn, reach = float(rng.uniform(0, math.pi)), float(rng.uniform(14, 24))
        for size, share in ((1.0, 0.10), (0.72, 0.2), (0.42, 0.3)):
            wobble = rng.uniform(0.7, 1.2, 9)
            knots = [
                _turned(
                    (reach * size * w * math.cos(a), 0.45 * reach * size * w * math.sin(a)), turn
                )
                for w, a in zip(wobble, np.linspace(0, 2 * math.pi, 9, endpoint=False), strict=True)
            ]
            cloud = smooth([(x + u, y + v) for u, v in knots], closed=True)
            shapes.append(Polygon(cloud, mix(palette.panel, palette.shade, share)))
    for x, y, size in zip(
        rng.uniform(-half_w, half_w, _STARS),
        rng.uniform(-half_h, half_h, _STARS),
        rng.uniform(0, 1, _STARS),
        strict=True,
    ):
        radius = 0.12 + 0.28 * float(size) ** 4
        shapes.append(Disc((float(x), float(y)), radius, mix(palette.panel, _STAR, 0.5 + size / 2)))
    return shapes


def draw_planet(centre: Point, radius: float, palette: Palette, *, ringed: bool) -> list[Shape]:
    """Draw a planet lit from the upper left."""
    x, y = centre
    ground = mix(palette.panel, palette.shade, 0.55)
    lit = mix(palette.shade, palette.bright, 0.35)
    angle = math.atan2(_LIGHT[1], _LIGHT[0])
    rim = arc(centre, radius, angle - math.pi / 2, angle + math.pi / 2, steps=32)
    shade_centre = (x - 0.55 * radius * _LIGHT[0], y - 0.55 * radius * _LIGHT[1])
    reach = math.hypot(radius, 0.55 * radius)
    span = math.atan2(radius, 0.55 * radius)
    terminator = arc(shade_centre, reach, angle + span, angle - span, steps=32)
    shapes: list[Shape] = [
        Disc(centre, radius, ground),
        Polygon((*rim, *terminator), lit),
        Stroke(rim, 0.5, mix(lit, palette.light, 0.5)),
    ]
    if ringed:
        for size, width in ((1.45, 1.0), (1.7, 0.5)):
            ring = [
                _turned((radius * size * math.cos(a), 0.28 * radius * size * math.sin(a)), -0.4)
                for a in np.linspace(-0.35, math.pi + 0.35, 40)
            ]
            points = tuple((x + u, y + v) for u, v in ring)
            shapes.append(Stroke(points, width, mix(lit, palette.light, 0.35)))
    return shapes


def draw_rock(
    rng: np.random.Generator,
    palette: Palette,
    centre: Point,
    radii: Point,
    *,
    turn_rad: float = 0.0,
    craters: int = 9,
) -> list[Shape]:
    """Draw an asteroid: a lumpy outline, lit from the upper left, with craters.

    Parameters
    ----------
    rng : numpy.random.Generator
        Its lumps and where the craters lie.
    palette : Palette
        The tones of the stone.
    centre, radii : Point
        Where it lies and half its length and breadth, mm.
    turn_rad : float
        How far it is turned.
    craters : int
        How many craters to try for; those too near to another are left out.
    """
    angles = np.linspace(0, 2 * math.pi, 15, endpoint=False)
    lumps = rng.uniform(0.84, 1.06, angles.size)

    def at(share: float, dx: float = 0.0, dy: float = 0.0) -> tuple[Point, ...]:
        knots = []
        for angle, lump in zip(angles, lumps, strict=True):
            r = lump * share
            u, v = _turned(
                (radii[0] * r * math.cos(angle), radii[1] * r * math.sin(angle)), turn_rad
            )
            knots.append((centre[0] + u + dx, centre[1] + v + dy))
        return smooth(knots, closed=True, steps=4)

    size = min(radii)
    tones = (palette.shade, palette.dim, palette.bright, mix(palette.bright, palette.light, 0.5))
    shapes: list[Shape] = [Stroke(at(1.0), 1.6, INK, closed=True)]
    for share, tone in zip((1.0, 0.9, 0.74, 0.48), tones, strict=True):
        push = size * (1.0 - share) * 0.9
        shapes.append(Polygon(at(share, _LIGHT[0] * push, _LIGHT[1] * push), tone))
    placed: list[tuple[float, float, float]] = []
    for _ in range(craters * 6):
        if len(placed) == craters:
            break
        angle = float(rng.uniform(0, 2 * math.pi))
        radius = float(rng.uniform(0.08, 0.22)) * size
        reach = float(rng.uniform(0, 1)) ** 0.6 * (0.82 - 1.1 * radius / size)  # stay on the rock
        u, v = _turned(
            (radii[0] * reach * math.cos(angle), radii[1] * reach * math.sin(angle)), turn_rad
        )
        x, y = centre[0] + u, centre[1] + v
        if all(math.hypot(x - a, y - b) > radius + c + 0.8 for a, b, c in placed):
            placed.append((x, y, radius))
            shapes += _crater((x, y), radius, palette)
    return shapes


def _crater(centre: Point, radius: float, palette: Palette) -> list[Shape]:
    x, y = centre
    step = 0.16 * radius
    floor: Colour = mix(palette.shade, INK, 0.35)
    return [
        Disc((x - _LIGHT[0] * step, y - _LIGHT[1] * step), 1.06 * radius, palette.light),
        Disc(centre, radius, floor),
        Disc((x - _LIGHT[0] * step * 2, y - _LIGHT[1] * step * 2), 0.72 * radius, palette.dim),
    ]


def _turned(point: Point, turn_rad: float) -> Point:
    c, s = math.cos(turn_rad), math.sin(turn_rad)
    return c * point[0] - s * point[1], s * point[0] + c * point[1]
