"""The pictures of what defends: jammers, anti-missiles, shields, nets."""

import math

from calibration.art.drawing import (
    Disc,
    Point,
    Polygon,
    Shape,
    Stroke,
    arc,
    box,
    ellipse,
    mix,
    placed,
    smooth,
)
from calibration.art.palette import INK, PAPER, Palette
from calibration.conflit_stellaire.forms import (
    at_angle,
    burst,
    glass,
    hexagon,
    laid,
    line,
    missile,
    solid,
    star,
    symmetric,
)

__all__ = ["DEFENCES"]


def _ship(p: Palette, scale: float) -> list[Shape]:
    """Draw a small ship that is guarded, nose up."""
    hull = symmetric([(0, -10), (3, -3), (8, 6), (3, 4.5), (2.5, 8)])
    return placed([*solid(hull, p.light), *glass((0, -2), (1.3, 2.4))], (0, 0), 0.0, scale)


def _ir_jammer(p: Palette) -> list[Shape]:
    """Draw waves of heat rise from a grid; a flame is struck out."""
    shapes: list[Shape] = []
    for x in (-19, -12, -5):
        knots = [(x + 2.6 * (-1) ** k, 14 - 6.5 * k) for k in range(6)]
        shapes += line(smooth(knots), 2.2, p.bright)
    shapes += solid(box(-24, 16, 1, 24), p.dim)
    shapes += [Stroke(((x, 17), (x, 23)), 1.2, INK) for x in (-20, -15.5, -11, -6.5, -2)]
    drop = smooth([(13, -14), (19, -4), (20, 4), (14, 10), (8, 5), (8, -3)], closed=True)
    shapes += [
        *solid(drop, p.light),
        *solid(smooth([(14, -3), (16, 4), (13, 8), (11, 3)], closed=True), p.band),
    ]
    return [*shapes, *line([(4, 13), (24, -15)], 2.4, PAPER)]


def _radar_jammer(p: Palette) -> list[Shape]:
    """Draw a dish whose rings are broken by a jagged line."""
    shapes: list[Shape] = []
    for radius in (9, 15, 21, 27):
        shapes += line(arc((-6, 8), radius, -1.35, -0.1, 16), 1.7, p.bright)
    jagged = [(-12, -20), (0, -13), (-3, -8), (12, -4), (9, 2), (24, 8)]
    shapes += line(jagged, 2.4, PAPER)
    dish = [*arc((0, 0), 13, 0.1, math.pi - 0.1, 16), (0, 2.5)]
    shapes += laid(solid(dish, p.dim), -9, 7, 222)
    shapes += [
        *solid([(-12, 10), (-19, 25), (-5, 25)], p.shade),
        *line([(-9, 8), (-2, 1)], 1.8, p.light),
    ]
    return [*shapes, Disc((-2, 1), 2.6, PAPER)]


def _optical_jammer(p: Palette) -> list[Shape]:
    """Draw a ball of mirrors that dazzles."""
    shapes: list[Shape] = []
    for k in range(12):
        turn = k * math.pi / 6
        reach = 25 if k % 2 else 19
        ray = (
            at_angle(13, turn - 0.12, (0, 3)),
            at_angle(reach, turn, (0, 3)),
            at_angle(13, turn + 0.12, (0, 3)),
        )
        shapes.append(Polygon(ray, p.bright))
    shapes += [Disc((0, 3), 13.5, INK), Disc((0, 3), 12.7, p.dim)]
    for row in range(-2, 3):
        wide = math.sqrt(max(0.0, 12.0**2 - (4.6 * row) ** 2))
        for column in range(-2, 3):
            x, y = column * wide / 2.6, 3 + 4.6 * row
            half = 0.17 * wide
            tone = (p.shade, p.light, p.bright, PAPER)[(row * 3 + column * 2) % 4]
            shapes.append(Polygon(box(x - half, y - 1.8, x + half, y + 1.8), tone))
    return shapes


def _point_defence(p: Palette) -> list[Shape]:
    """Draw a small dome that shoots a rocket out of the sky."""
    shapes: list[Shape] = []
    for k in range(5):
        start = (-9 + 4.4 * k, 9 - 4.0 * k)
        shapes.append(Stroke((start, (start[0] + 2.2, start[1] - 2.0)), 1.5, PAPER))
    shapes += burst((15, -12), 9, p, 8)
    shapes += laid(missile(12, 4, p), 15, -12, 205)
    for aside in (-2.4, 2.4):
        shapes += laid(solid(box(aside - 1.1, -17, aside + 1.1, 0), p.light), -12, 16, 48)
    dome = [*arc((-13, 20), 10, math.pi, 2 * math.pi, 16), (-3, 25), (-23, 25)]
    return [*shapes, *solid(dome, p.dim), *solid(box(-25, 22, -1, 25.5), p.shade)]


def _flak_battery(p: Palette) -> list[Shape]:
    """Draw three guns in a row; clouds of splinters above."""
    shapes: list[Shape] = []
    for x, y, size in ((-15, -12, 7.5), (3, -6, 9.5), (17, -14, 6.5)):
        puff = [
            at_angle(size * (1.0 if k % 2 else 0.78), k * math.pi / 6, (x, y)) for k in range(12)
        ]
        shapes += [
            *solid(smooth(puff, closed=True), p.dim),
            Disc((x, y), 0.5 * size, p.bright),
            Disc((x, y), 0.25 * size, PAPER),
        ]
    for x in (-15, 0, 15):
        shapes += solid(box(x - 1.7, 4, x + 1.7, 18), p.bright)
        shapes += solid([(x - 4, 16), (x + 4, 16), (x + 6, 26), (x - 6, 26)], p.shade)
        shapes += solid(box(x - 2.6, 3, x + 2.6, 6), p.light)
    return shapes


def _deflector(p: Palette) -> list[Shape]:
    """Draw one curved wall at the upper right; a bolt glances off."""
    shapes: list[Shape] = []
    for radius, width, tone in ((24, 4.5, p.dim), (24, 2.6, p.bright), (27.5, 1.0, p.light)):
        shapes.append(Stroke(arc((-8, 14), radius, -1.35, -0.05, 20), width, tone))
    shapes += [*line([(25, -14), (11.5, -3.5), (25.5, 5)], 1.6, PAPER)]
    return [*shapes, *laid(_ship(p, 1.15), -11, 12, 40)]


def _screen(p: Palette) -> list[Shape]:
    """Draw a wall of cells over the whole width, low."""
    shapes: list[Shape] = []
    for row in range(3):
        for column in range(5):
            x = -22.5 + 10.4 * column + 5.2 * (row % 2)
            y = -9 + 9 * row
            tone = (p.dim, p.bright, p.shade, p.light)[(2 * row + 3 * column) % 4]
            shapes += [*solid(hexagon((x, y), 5.6), mix(p.panel, tone, 0.75), 0.5)]
            shapes.append(Stroke(hexagon((x, y), 4.6), 0.7, p.light, closed=True))
    return [*shapes, *laid(_ship(p, 0.75), 0, 20)]


def _bulwark(p: Palette) -> list[Shape]:
    """Draw courses of great blocks, heaped to a rampart."""
    shapes: list[Shape] = []
    for row in range(5):
        y = 24 - 9.2 * row
        shift = 6.5 if row % 2 else 0.0
        for column in range(-3, 4):
            x = 13 * column + shift
            left, right = max(x - 6.3, -25.5 + 1.6 * row), min(x + 6.3, 25.5 - 1.6 * row)
            if right - left > 2:
                tone = (p.dim, p.bright, p.shade)[(row + 2 * column) % 3]
                shapes += solid(box(left, y - 8.6, right, y), tone, 0.5)
                shapes.append(Stroke(((left + 1, y - 7.6), (right - 1, y - 7.6)), 0.8, p.light))
    return shapes


def _aegis(p: Palette) -> list[Shape]:
    """Draw a ring closed round a ship: from all sides."""
    ring = arc((0, 2), 20, 0, 2 * math.pi, 48)
    shapes: list[Shape] = [Disc((0, 2), 20, mix(p.panel, p.dim, 0.45))]
    for width, tone in ((5.0, INK), (3.6, p.bright), (1.2, PAPER)):
        shapes.append(Stroke(ring, width, tone, closed=True))
    for k in range(8):
        at = at_angle(20, k * math.pi / 4, (0, 2))
        shapes += [Disc(at, 2.6, INK), Disc(at, 2.0, p.light)]
    return [*shapes, *laid(_ship(p, 1.0), 0, 3)]


def _great_aegis(p: Palette) -> list[Shape]:
    """Draw a sphere of light with meridians and a crown of rays, a great ship within."""
    shapes: list[Shape] = [Polygon(star((0, 2), (27, 19), 16), p.dim)]
    shapes += [Disc((0, 2), 19, INK), Disc((0, 2), 18, p.bright)]
    for wide in (6, 12.5):
        shapes.append(Stroke(ellipse((0, 2), (wide, 18)), 0.9, p.light, closed=True))
    for y in (-8, 12):
        shapes.append(Stroke(((-15, y), (15, y)), 0.9, p.light))
    shapes += laid(_ship(p, 1.65), 0, 4)
    return shapes


def _energy_net(p: Palette) -> list[Shape]:
    """Draw a fine slanting mesh with a knot at each crossing."""
    shapes: list[Shape] = []
    for k in range(-4, 5):
        for sign in (1, -1):
            ends = ((sign * (-30 + 6.5 * k), -22), (sign * (16 + 6.5 * k), 26))
            shapes.append(Stroke(ends, 1.0, p.bright if sign > 0 else p.dim))
    for k in range(-3, 4):
        for j in range(-3, 4):
            if (k + j) % 2 == 0:
                shapes += [Disc((6.8 * k, 2 + 7.1 * j), 1.7, p.light)]
    return [*shapes, *laid(_ship(p, 0.9), 9, 11, -35)]


def _heavy_net(p: Palette) -> list[Shape]:
    """Draw a thick web with a spark caught in its middle."""
    middle = (-4.0, 4.0)
    shapes: list[Shape] = []
    for k in range(9):
        shapes += line([middle, at_angle(30, k * 2 * math.pi / 9 + 0.2, middle)], 2.0, p.bright)
    for radius in (8.5, 16, 23.5):
        knots: list[Point] = [at_angle(radius, k * 2 * math.pi / 9 + 0.2, middle) for k in range(9)]
        shapes += [
            Stroke(tuple(knots), 3.4, INK, closed=True),
            Stroke(tuple(knots), 2.1, p.light, closed=True),
        ]
    return [*shapes, *burst(middle, 7.5, p, 6)]


DEFENCES = {
    "ir-jammer": _ir_jammer,
    "radar-jammer": _radar_jammer,
    "optical-jammer": _optical_jammer,
    "point-defence": _point_defence,
    "flak-battery": _flak_battery,
    "deflector": _deflector,
    "screen": _screen,
    "bulwark": _bulwark,
    "aegis": _aegis,
    "great-aegis": _great_aegis,
    "energy-net": _energy_net,
    "heavy-net": _heavy_net,
}
