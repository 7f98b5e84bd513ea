"""The pictures of energy, engines, the hyperdrive and devices; and the back of all cards."""

import math

from calibration.art.drawing import Disc, Polygon, Shape, Stroke, arc, box, ellipse
from calibration.art.palette import INK, PAPER, Palette
from calibration.conflit_stellaire.forms import (
    at_angle,
    bolt,
    both,
    flame,
    glass,
    halo,
    hexagon,
    laid,
    line,
    solid,
    star,
    symmetric,
)
from calibration.conflit_stellaire.palette import POWER

__all__ = ["MACHINES", "back_picture"]


def _energy_cell(p: Palette) -> list[Shape]:
    """Draw a cell with a great flash on it: the card that lies there most often."""
    shapes: list[Shape] = [
        *both([Stroke(arc((0, 3), r, -0.5, 0.5, 10), 1.6, p.bright) for r in (18.0, 22.0)]),
        *solid(box(-6, -18, 6, -12), p.light),
        *solid(box(-13, -13, 13, 24), p.bright),
        Polygon(box(-13, -13, -8, 24), p.light),
        Polygon(box(8, -13, 13, 24), p.dim),
        *solid(box(-13, 18, 13, 24), p.shade, 0.5),
    ]
    return [*shapes, *bolt((0, 3), 28, PAPER, 1.2)]


def _thruster(p: Palette) -> list[Shape]:
    """Draw one bell, askew, with a long flame."""
    bell = symmetric([(4, -14), (5, -5), (11, 8)])
    block = box(-8, -24, 8, -13)
    nozzle = [
        *flame((0, 8), 17, 26),
        *solid(bell, p.bright),
        Polygon(((0, -14), (4, -14), (5, -5), (11, 8), (2, 8)), p.dim),
        *solid(block, p.light),
        *line([(-5, -24), (-5, -13)], 0.8, p.shade),
        *line([(5, -24), (5, -13)], 0.8, p.shade),
    ]
    return laid(nozzle, 5, -3, 35)


def _main_engine(p: Palette) -> list[Shape]:
    """Draw three mouths from behind, in a heavy block."""
    block = [(-25, 9), (-12, -18), (12, -18), (25, 9), (18, 25), (-18, 25)]
    shapes: list[Shape] = solid(block, p.dim)
    for x, y in ((0, -7), (-12.5, 13), (12.5, 13)):
        shapes += [Disc((x, y), 10.4, INK), Disc((x, y), 9.6, p.bright), Disc((x, y), 7.6, p.shade)]
        shapes += halo((x, y), 6.2, PAPER, p.bright, 4)
    return shapes


def _hyperdrive(p: Palette) -> list[Shape]:
    """Draw a tunnel of streaks through rings."""
    shapes: list[Shape] = []
    for k in range(26):
        turn = 2 * math.pi * k / 26
        near = 7 + 5 * ((k * 0.618) % 1)
        ends = (at_angle(near, turn, (0, 2)), at_angle(30, turn + 0.04, (0, 2)))
        shapes.append(
            Stroke(ends, 0.7 + 0.8 * ((k * 0.381) % 1), (p.light, p.bright, PAPER)[k % 3])
        )
    for wide, width in ((22.0, 2.6), (14.5, 2.0), (8.0, 1.5)):
        rim = ellipse((0, 2), (wide, 0.92 * wide))
        shapes += [
            Stroke(rim, width + 1.4, INK, closed=True),
            Stroke(rim, width, p.bright, closed=True),
        ]
    return [*shapes, *halo((0, 2), 6, PAPER, p.dim, 4)]


def _scanner(p: Palette) -> list[Shape]:
    """Draw a round screen with a sweep and three blips."""
    middle = (-2.0, 2.0)
    sweep = (middle, *[at_angle(20, a / 10, middle) for a in range(2, 12)])
    shapes: list[Shape] = [
        Disc(middle, 23, INK),
        Disc(middle, 21.8, p.bright),
        Disc(middle, 20, p.shade),
        Polygon(sweep, p.bright),
    ]
    for radius in (6.5, 13.0):
        shapes.append(Stroke(arc(middle, radius, 0, 2 * math.pi, 32), 0.8, p.light, closed=True))
    shapes += [
        Stroke(((-22, 2), (18, 2)), 0.7, p.light),
        Stroke(((-2, -18), (-2, 22)), 0.7, p.light),
    ]
    for x, y in ((-12, -6), (-8, 14), (9, 9)):
        shapes += [Disc((x, y), 2.2, PAPER)]
    return [*shapes, *solid(box(14, 17, 25, 26), p.dim), Disc((19.5, 21.5), 2.4, p.light)]


def _repair_drone(p: Palette) -> list[Shape]:
    """Draw a drone with four rotors of light that mends with a spanner."""
    shapes: list[Shape] = []
    for x, y in ((-17, -13), (13, -13)):
        shapes += line([(x, y), (-2, -3)], 2.2, p.light)
        shapes += [Polygon(ellipse((x, y), (9.5, 3.6)), p.bright), Disc((x, y), 1.8, INK)]
    shapes += [*solid(hexagon((-2, -1), 10.5), p.dim), *glass((-2, -2), (5.4, 4.2))]
    shapes += line([(-6, 8), (-12, 15), (-5, 22)], 2.4, p.light)
    jaw = [
        (0, -11),
        (3.6, -9),
        (3.6, -4),
        (1.8, -2),
        (1.8, 12),
        (-1.8, 12),
        (-1.8, -2),
        (-3.6, -4),
        (-3.6, -9),
        (0, -11),
        (0, -6),
    ]
    shapes += laid(solid(jaw, PAPER), 13, 12, 42)
    for k in range(5):
        shapes.append(
            Stroke((at_angle(3, 1.25 * k, (-3, 23)), at_angle(6, 1.25 * k, (-3, 23))), 1.0, POWER)
        )
    return shapes


def back_picture(p: Palette) -> list[Shape]:
    """Draw the back: waves that spread from the lower edge, and a star above them."""
    shapes: list[Shape] = []
    for k in range(8):
        radius = 66.0 - 8 * k
        tone = (p.shade, p.dim, p.panel, p.bright)[k % 4]
        shapes += [Disc((0, 42), radius, tone), Disc((0, 42), radius - 5.5, p.panel)]
    for k, (x, y) in enumerate(((-17, -28), (18, -31), (-20, -12), (20, -15), (9, -34), (-8, -33))):
        shapes.append(Polygon(star((x, y), (2.4 + 0.3 * k, 0.8), 4), p.light))
    ray = star((0, -17), (13.5, 4.2), 8)
    return [
        *shapes,
        *solid(ray, p.bright),
        Polygon(star((0, -17), (8.0, 3.6), 8), p.light),
        Disc((0, -17), 2.6, PAPER),
    ]


MACHINES = {
    "energy-cell": _energy_cell,
    "thruster": _thruster,
    "main-engine": _main_engine,
    "hyperdrive": _hyperdrive,
    "scanner": _scanner,
    "repair-drone": _repair_drone,
}
