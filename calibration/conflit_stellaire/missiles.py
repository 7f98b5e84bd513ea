"""The pictures of what is launched: missiles and rockets."""

import math

from calibration.art.drawing import (
    Disc,
    Polygon,
    Shape,
    Stroke,
    arc,
    box,
    mix,
    placed,
    smooth,
)
from calibration.art.palette import INK, PAPER, Palette
from calibration.conflit_stellaire.forms import (
    at_angle,
    both,
    flame,
    halo,
    laid,
    missile,
    solid,
    symmetric,
)

__all__ = ["MISSILES"]


def _dart(p: Palette) -> list[Shape]:
    """Draw one slim missile to the upper right, its trail behind."""
    trail = mix(p.panel, p.light, 0.35)
    return [
        Stroke(smooth([(-25, 26), (-14, 17), (-5, 6)]), 4.0, trail),
        Stroke(smooth([(-25, 26), (-14, 17), (-5, 6)]), 1.4, p.light),
        *laid(missile(26, 5.6, p, 1.5), 5, -6, 42),
    ]


def _lance(p: Palette) -> list[Shape]:
    """Draw a long shaft that stands over the whole picture, with rings of radar."""
    shapes: list[Shape] = []
    for radius in (9.0, 14.0, 19.0):
        rim = arc((-8, -16), radius, -0.5, 1.1, 14)
        shapes.append(Stroke(rim, 1.5, mix(p.panel, p.bright, 0.9 - radius / 30)))
    return [*shapes, *laid(missile(34, 7.5, p, 0.8), -8, -4)]


def _hunter(p: Palette) -> list[Shape]:
    """Draw a fat missile that curves after a target in a ring."""
    path = smooth([(26, 22), (14, 25), (3, 20), (-2, 11)])
    shapes: list[Shape] = [Stroke(path, 5.0, mix(p.panel, p.light, 0.3)), Stroke(path, 1.5, PAPER)]
    shapes += laid(missile(24, 9.5, p, 1.2), -6, 1, -24)
    ring = (15.0, -12.0)
    shapes.append(Stroke(arc(ring, 8.5, 0, 2 * math.pi, 32), 1.6, p.light, closed=True))
    for k in range(4):
        turn = k * math.pi / 2
        shapes.append(Stroke((at_angle(5.5, turn, ring), at_angle(10.5, turn, ring)), 1.3, p.light))
    return [*shapes, *laid(solid([(0, -4), (3.5, 3), (-3.5, 3)], p.bright), *ring, 30)]


def _eye(p: Palette) -> list[Shape]:
    """Draw a missile that looks at you: a lens between four fins."""
    shapes: list[Shape] = []
    fin = [(-2.6, -10), (-4.6, -24), (4.6, -24), (2.6, -10)]
    for k in range(4):
        shapes += laid(solid(fin, p.dim), 0, 2, 45 + 90 * k)
    lid = [*arc((0, 12), 22, -2.45, -0.69, 16), *arc((0, -8), 22, 0.69, 2.45, 16)]
    shapes += [Disc((0, 2), 15.5, INK), Disc((0, 2), 14.6, p.bright), *solid(lid, PAPER)]
    return [
        *shapes,
        Disc((0, 2), 7.8, p.band),
        Disc((0, 2), 5.2, INK),
        Disc((-2.2, -0.4), 1.9, PAPER),
    ]


def _hammer(p: Palette) -> list[Shape]:
    """Draw a torpedo with a broad flat head, downward."""
    head = symmetric([(0, 8), (15, 8), (17, 12), (17, 19), (13, 23), (0, 24)])
    shaft = box(-5.5, -14, 5.5, 9)
    vane = [(5.5, -14), (14, -21), (14, -12), (5.5, -4)]
    return [
        *laid(flame((0, 0), 9, 13), 0, -13, 180),
        *both(solid(vane, p.dim)),
        *solid(shaft, p.bright),
        Polygon(box(-5.5, -14, -1, 9), p.light),
        *solid(head, p.dim),
        Polygon(box(-16, 10, 16, 13), PAPER),
        *[Disc((x, 18), 1.7, p.light) for x in (-11.0, -3.7, 3.7, 11.0)],
    ]


def _swarm(p: Palette) -> list[Shape]:
    """Draw four rockets that fan out from one tube."""
    shapes: list[Shape] = []
    for turn in (-57, -20, 20, 57):
        at = at_angle(21, math.radians(turn), (0, 15))
        away = at_angle(7, math.radians(turn), (0, 19))
        shapes.append(Stroke((away, at), 2.2, mix(p.panel, p.light, 0.45)))
        shapes += laid(missile(14, 4.4, p, 1.4), *at, turn)
    return [
        *shapes,
        *solid(symmetric([(7, 17), (9, 26)]), p.dim),
        *solid(box(-8, 16, 8, 19), p.light),
    ]


def _salvo(p: Palette) -> list[Shape]:
    """Draw three rockets abreast, to the left."""
    shapes: list[Shape] = []
    for k, y in enumerate((-13, 2, 17)):
        shift = (0, -7, 3)[k]
        shapes += laid(missile(22, 7.2, p, 0.9), -4 + shift, y, -90)
    pod = [(20, -19), (25.5, -19), (25.5, 24), (20, 24)]
    return [
        *shapes,
        *solid(pod, p.shade),
        *[Disc((22.8, y), 2.6, p.light) for y in (-13.0, 2.0, 17.0)],
    ]


def _heat(p: Palette) -> list[Shape]:
    """Draw two rockets on curved ways to a hot sun."""
    shapes = halo((12, -10), 14, PAPER, mix(p.panel, p.bright, 0.5), 5)
    for k in range(10):
        turn = k * math.pi / 5
        ends = (at_angle(11, turn, (12, -10)), at_angle(16.5, turn + 0.2, (12, -10)))
        shapes.append(Stroke(ends, 1.3, p.light))
    for way in ([(-24, 8), (-20, -6), (-12, -13)], [(-8, 26), (4, 22), (10, 14)]):
        shapes.append(Stroke(smooth(way), 2.6, mix(p.panel, p.light, 0.5)))
    shapes += laid(missile(17, 6.2, p, 1.1), -9, -13, 78)
    return [*shapes, *laid(missile(17, 6.2, p, 1.1), 11, 12, 12)]


def _decoys(p: Palette) -> list[Shape]:
    """Draw three hollow ghosts of ships, of thin air."""
    ghost = symmetric([(0, -10), (4, -2), (10, 5), (4, 4), (3, 9)])
    shapes: list[Shape] = []
    for x, y, scale, turn in ((-12, -6, 1.0, -15), (12, -4, 0.9, 20), (1, 14, 1.15, 0)):
        hollow: list[Shape] = [
            Stroke(ghost, 3.2, INK, closed=True),
            Polygon(ghost, mix(p.panel, p.bright, 0.5)),
            Stroke(ghost, 1.2, p.light, closed=True),
            *[Stroke(((-7, y), (7, y)), 1.0, p.panel) for y in (-6, -2, 2, 6)],
        ]
        shapes += placed(hollow, (x, y), math.radians(turn), scale)
        shapes.append(Disc((x, y), 1.3, PAPER))
    return shapes


MISSILES = {
    "dart-missile": _dart,
    "lance-missile": _lance,
    "hunter-missile": _hunter,
    "eye-missile": _eye,
    "hammer-torpedo": _hammer,
    "rocket-swarm": _swarm,
    "rocket-salvo": _salvo,
    "heat-rockets": _heat,
    "decoys": _decoys,
}
