"""The pictures of what fires at once: lasers, neutrons, disintegrators, particles, rocks.

Pictures fill about 50 x 46 mm round the middle of a card, its own frame, mm.
"""

import math

from calibration.art.drawing import Disc, Polygon, Shape, Stroke, arc, box, ellipse, mix
from calibration.art.palette import INK, PAPER, Palette
from calibration.conflit_stellaire.forms import (
    at_angle,
    beam,
    bolt,
    both,
    burst,
    flame,
    halo,
    laid,
    line,
    rock,
    solid,
    symmetric,
)

__all__ = ["WEAPONS"]

_LUMPS = (1.0, 0.86, 0.97, 0.8, 1.02, 0.9, 0.84, 1.0, 0.88)


def _barrel(length: float, width: float, p: Palette, rings: int) -> list[Shape]:
    """Draw a gun that points up from the origin."""
    half = width / 2
    shapes = [
        *solid(box(-half, -length, half, 0), p.dim),
        Polygon(box(-half, -length, -0.1 * half, 0), p.bright),
    ]
    for k in range(rings):
        y = -length * (k + 0.6) / (rings + 0.3)
        shapes += solid(box(-1.35 * half, y - 1.0, 1.35 * half, y + 1.0), p.light, 0.5)
    return [*shapes, *solid(box(-1.2 * half, -length - 1.6, 1.2 * half, -length + 1.0), p.shade)]


def _pulse_laser(p: Palette) -> list[Shape]:
    """Draw a slim gun at the lower left; short pulses fly to the upper right."""
    start, way = (-14.0, 17.0), (0.74, -0.67)
    shapes: list[Shape] = []
    for k in range(4):
        near, far = 19.0 + 9.5 * k, 24.5 + 9.5 * k
        ends = [(start[0] + d * way[0], start[1] + d * way[1]) for d in (near, far)]
        shapes += beam(ends[0], ends[1], 1.7, p)
    shapes += laid(_barrel(17, 5, p, 3), *start, 48)
    base = symmetric([(7, 0), (9, 6), (11, 9)])
    return [
        *shapes,
        *laid(solid(base, p.shade), -15.5, 15),
        *laid([Disc((0, 0), 3, p.light)], *start),
    ]


def _twin_laser(p: Palette) -> list[Shape]:
    """Draw a turret with two barrels below, two steady rays up."""
    shapes: list[Shape] = []
    for x in (-7.5, 7.5):
        shapes += beam((x, 2), (x, -20), 2.1, p)
        shapes += halo((x, 1), 4.2, PAPER, p.dim, 3)
        shapes += laid(_barrel(12, 5.4, p, 2), x, 15)
    dome = symmetric([(0, 9), (9, 10.5), (15, 15), (18, 25)])
    return [
        *shapes,
        *solid(dome, p.dim),
        *solid(box(-9, 15, 9, 20), p.bright),
        Disc((0, 17.5), 1.8, INK),
    ]


def _heavy_laser(p: Palette) -> list[Shape]:
    """Draw a cannon from the right whose ray bursts on a plate at the left."""
    plate = [(-25, -16), (-19, -13), (-16, 4), (-19, 20), (-25, 22)]
    return [
        *solid(plate, p.shade),
        *beam((4, 3), (-15, 3), 6.0, p),
        *burst((-16, 3), 13, p, 11),
        *laid(_barrel(16, 13, p, 3), 21, 3, -90),
        *solid(box(18, -11, 25.5, 17), p.dim),
        *solid(box(20.5, -7, 25.5, 13), p.shade),
    ]


def _neutron_beam(p: Palette) -> list[Shape]:
    """Draw a dish at the upper left sends a row of growing beads to the lower right."""
    shapes: list[Shape] = []
    for k in range(6):
        at = (-9 + 6.2 * k, -7 + 5.4 * k)
        size = 1.4 + 0.75 * k
        shapes += halo(at, 1.5 * size, p.light, mix(p.panel, p.dim, 0.6), 3)
        shapes += [
            Disc(at, size, p.bright),
            Disc((at[0] - 0.3 * size, at[1] - 0.3 * size), 0.4 * size, PAPER),
        ]
    dish = [*arc((0, 0), 14, 0.35, math.pi - 0.35, 16), (0, 3)]
    return [
        *shapes,
        *laid(solid(dish, p.dim), -16, -14, -48),
        *laid(solid(box(-2, -6, 2, 9), p.light), -17, -14, -48),
    ]


def _neutron_burst(p: Palette) -> list[Shape]:
    """Draw a blast above heads: it kills crews."""
    shapes: list[Shape] = []
    for ring, radius in enumerate((7.0, 12.5, 18.5)):
        for k in range(8 + 4 * ring):
            at = at_angle(radius, 2 * math.pi * k / (8 + 4 * ring), (0, -5))
            shapes.append(Disc(at, 1.7 - 0.3 * ring, (p.light, p.bright, p.dim)[ring]))
    shapes += burst((0, -5), 6.5, p, 7)
    for x, y in ((-15, 16), (0, 18), (15, 16)):
        body = ((x - 6, 28), (x - 5, y + 5), (x, y + 3), (x + 5, y + 5), (x + 6, 28))
        shapes += [*solid(body, p.shade), Disc((x, y), 4.3, INK), Disc((x, y), 3.6, p.shade)]
    return shapes


def _disruptor(p: Palette) -> list[Shape]:
    """Draw two claws with lightning between them."""
    claw = [(4, 25), (14, 20), (19, 4), (14, -14), (8, -19), (11, -8), (12, 3), (8, 12)]
    flash = [(-8, -12), (-2, -7), (-5, -2), (3, 0), (-2, 6), (4, 9), (0, 18)]
    shapes = both(solid(claw, p.dim))
    shapes += both([Polygon(((14, 20), (19, 4), (14, -14), (16, 4)), p.bright)])
    for points in (flash, [(9, -14), (3, -9), (6, -4), (-1, 1)]):
        shapes += [Stroke(tuple(points), 3.0, p.bright), Stroke(tuple(points), 1.1, PAPER)]
    return [*shapes, *solid(box(-7, 19, 7, 26), p.shade)]


def _disintegrator(p: Palette) -> list[Shape]:
    """Draw the mouth of a great gun; a ship falls apart into squares before it."""
    shapes: list[Shape] = []
    for radius, colour in (
        (19, p.shade),
        (15.5, p.dim),
        (12, p.shade),
        (8.5, p.bright),
        (5, PAPER),
    ):
        shapes += [Disc((-7, 6), radius + 0.8, INK), Disc((-7, 6), radius, colour)]
    for k in range(6):
        tip = at_angle(17.2, k * math.pi / 3 + 0.3, (-7, 6))
        shapes += [Disc(tip, 1.5, p.light)]
    shapes += solid([(10, -20), (23, -8), (12, -7), (7, -12)], p.light)
    for k, (x, y) in enumerate(((9, -3), (14, 1), (19, -2), (17, 7), (22, 4), (13, 8), (22, 12))):
        size = 1.9 - 0.16 * k
        shapes += solid(box(x - size, y - size, x + size, y + size), p.bright, 0.4)
    return shapes


def _particle_gun(p: Palette) -> list[Shape]:
    """Draw a gun at the lower right sprays grains to the upper left."""
    shapes: list[Shape] = []
    for k in range(34):
        far = 2 + 36 * k / 33
        aside = (((k * 0.618) % 1) - 0.5) * 1.1
        at = at_angle(far, -0.86 + aside, (5, 6))
        shapes.append(Disc(at, 0.8 + 0.03 * far, (p.light, p.bright, PAPER)[k % 3]))
    shapes += laid(_barrel(13, 8, p, 2), 13, 14, -50)
    return [
        *shapes,
        Disc((14, 15), 8.2, INK),
        Disc((14, 15), 7.4, p.dim),
        Disc((14, 15), 3.6, p.light),
    ]


def _particle_storm(p: Palette) -> list[Shape]:
    """Draw grains that whirl over the whole card, round an eye."""
    shapes: list[Shape] = []
    for arm in range(3):
        for k in range(26):
            at = at_angle(3.5 + 0.95 * k, arm * 2.094 + 0.21 * k, (0, 2))
            size = 0.9 + 0.055 * k
            shapes.append(Disc(at, size, (p.bright, p.light, p.dim)[(k + arm) % 3]))
    return [*shapes, *halo((0, 2), 5.5, PAPER, p.bright, 4)]


def _rock_thrower(p: Palette) -> list[Shape]:
    """Draw an arm that hurls one stone to the upper right."""
    shapes: list[Shape] = []
    for y in (-17, -11, -5):
        shapes.append(Stroke(((-6, y + 6), (6, y)), 0.8, p.light))
    shapes += line([(-16, 19), (-3, -8)], 3.4, p.bright)
    bowl = [*arc((-2, -10), 6, 0.2, math.pi - 0.2, 10)]
    shapes += laid(solid([(x + 2, y + 10) for x, y in bowl], p.light), -2, -10, 30)
    wheel: list[Shape] = [
        Disc((0, 0), 6.6, INK),
        Disc((0, 0), 5.8, p.dim),
        Disc((0, 0), 2, p.light),
    ]
    frame = [(-24, 24), (-16, 13), (-8, 24)]
    shapes += [*solid(frame, p.shade), *laid(wheel, -16, 20), *laid(wheel, 4, 20)]
    shapes += solid(box(-22, 22, 10, 25), p.bright)
    return [*shapes, *rock((14, -9), 8.6, p, _LUMPS)]


def _mass_driver(p: Palette) -> list[Shape]:
    """Draw rails with coils, from the upper left down, and the boulder that they shot."""
    shapes: list[Shape] = []
    for aside in (-4.2, 4.2):
        shapes += laid(solid(box(aside - 1.2, -32, aside + 1.2, 10), p.light), -6, -2, 125)
    for k in range(5):
        hoop = [*ellipse((0, -26 + 8 * k), (7.6, 2.3))]
        ring: list[Shape] = [
            Stroke(tuple(hoop), 3.2, INK, closed=True),
            Stroke(tuple(hoop), 2.0, p.bright, closed=True),
        ]
        shapes += laid(ring, -6, -2, 125)
    shapes += laid(flame((0, 0), 10, 18), 4, 4, 125)
    return [*shapes, *rock((13, 12), 12.5, p, _LUMPS[::-1]), *bolt((-18, 19), 10, p.light)]


WEAPONS = {
    "pulse-laser": _pulse_laser,
    "twin-laser": _twin_laser,
    "heavy-laser": _heavy_laser,
    "neutron-beam": _neutron_beam,
    "neutron-burst": _neutron_burst,
    "disruptor": _disruptor,
    "disintegrator": _disintegrator,
    "particle-gun": _particle_gun,
    "particle-storm": _particle_storm,
    "rock-thrower": _rock_thrower,
    "mass-driver": _mass_driver,
}
