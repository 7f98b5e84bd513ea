"""The five lighter hulls, drawn as facets around their weapons."""

from calibration.art.drawing import (
    Disc,
    Point,
    Shape,
    Stroke,
    box,
    rgb,
    ribbon,
    smooth,
)
from calibration.art.palette import INK, Palette
from calibration.light_speed.hulls import cockpit, engine, hull, pair, plate, seam, symmetric

__all__ = ["ghost", "intruder", "lancer", "moth", "sidewinder"]

_EYE = rgb("#FFD94A")


def moth(p: Palette) -> list[Shape]:
    """Draw a moth: four wings with eye spots, feelers beside the forward laser."""
    axis = 3.0

    def at(*points: Point) -> tuple[Point, ...]:
        return tuple((axis + x, y) for x, y in points)

    upper = at((2, -5), (7, -15), (15, -20), (18.5, -18), (18, -9), (13, -1), (5, 2))
    lower = at((3, 2), (12, 2), (16.5, 9), (14, 16), (9.5, 21), (5, 15), (2, 8))
    wings: list[Shape] = [
        *hull(lower, p.dim),
        plate(at((3, 3), (11, 3), (14.5, 9), (11, 12)), p.bright),
        plate(at((3, 6), (10, 14), (9, 19), (5, 14)), p.shade),
        *hull(upper, p.bright),
        plate(at((7, -15), (15, -20), (18.5, -18), (18, -15), (10, -11)), p.light),
        plate(at((2, -5), (18, -9), (13, -1), (5, 2)), p.dim),
        Disc((axis + 12.2, -10.5), 3.6, INK),
        Disc((axis + 12.2, -10.5), 2.7, p.light),
        Disc((axis + 12.2, -10.5), 1.4, p.shade),
        seam(at((2, -4), (18, -13)), p),
        seam(at((3, 4), (14, 16)), p),
    ]
    feelers: list[Shape] = [
        Stroke(smooth(at((1.5, -11), (4, -16), (4, -21), (7, -25))), 1.0, p.light),
        Disc((axis + 7, -25), 1.1, p.light),
    ]
    body = symmetric([(0, -13.5), (2.2, -11), (3, -5), (2.4, 4), (1.6, 12), (0, 17)], axis)
    rings = [
        plate(at((-w, y), (w, y), (w - 0.2, y + 1.5), (-w + 0.2, y + 1.5)), p.shade)
        for y, w in ((3, 2.4), (6.5, 2.1), (10, 1.7))
    ]
    flames = engine((axis, 18.5), 3.4, 8, p)
    return [
        *pair(wings, axis),
        *pair(feelers, axis),
        *flames,
        *hull(body, p.light),
        *rings,
        *cockpit((axis, -5.5), (1.5, 3)),
    ]


def sidewinder(p: Palette) -> list[Shape]:
    """Draw a snake in an S, a laser on each bend."""
    spine = smooth(
        [
            *((-8, -22), (-1, -19.5), (6.5, -14), (8, -7), (2, -1.5)),
            *((-5.5, 3), (-8, 9), (-3, 15), (4, 19), (9, 25)),
        ],
        steps=10,
    )
    body = ribbon(spine, [6, 8.5, 9.5, 10, 9.5, 9, 9.5, 9, 7, 2])
    belly = ribbon([(x - 1.2, y + 1.4) for x, y in spine[4:]], [2, 4, 4, 4, 4, 4, 4, 3.5, 2, 1])
    scales: list[Shape] = []
    for i in range(10, len(spine) - 6, 5):
        (x0, y0), (x1, y1) = spine[i - 1], spine[i + 1]
        scale = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        u, v = (y1 - y0) / scale, -(x1 - x0) / scale
        x, y = spine[i]
        scales.append(seam([(x - 4.3 * u, y - 4.3 * v), (x + 4.3 * u, y + 4.3 * v)], p, 0.7))
    head = [(-15, -23.5), (-10, -27), (-3, -25), (-1, -20), (-4, -16.5), (-9, -16)]
    return [
        *engine((9.3, 25.5), 3.2, 5, p),
        *hull(body, p.bright),
        plate(belly, p.light),
        *scales,
        *hull(head, p.light),
        plate([(-15, -23.5), (-4, -20.5), (-4, -16.5), (-9, -16)], p.bright),
        Stroke(((-15, -23), (-19, -22)), 0.7, p.light),
        Stroke(((-19, -22), (-21, -23.5)), 0.5, p.light),
        Stroke(((-19, -22), (-20.5, -20)), 0.5, p.light),
        plate([(-9.5, -24.5), (-5.5, -23.5), (-8.5, -22.2)], INK),
        Disc((-8, -23.4), 0.6, _EYE),
    ]


def intruder(p: Palette) -> list[Shape]:
    """Draw a wedge between two pods, both lasers on the right one."""
    axis = 0.0
    outline = symmetric([(0, -27), (4, -14), (12, 8), (20.5, 20), (12, 19), (5, 15), (0, 19)], axis)
    right = [
        plate([(0, -27), (4, -14), (12, 8), (0, 2)], p.bright),
        plate([(0, 2), (12, 8), (20.5, 20), (12, 19)], p.dim),
        plate([(0, 2), (12, 19), (5, 15), (0, 19)], p.shade),
    ]
    left = [
        plate([(0, -27), (-4, -14), (-12, 8), (0, 2)], p.light),
        plate([(0, 2), (-12, 8), (-20.5, 20), (-12, 19)], p.bright),
        plate([(0, 2), (-12, 19), (-5, 15), (0, 19)], p.dim),
    ]
    pods: list[Shape] = []
    for x in (-8.0, 8.0):
        pods += engine((x, 20 if x < 0 else 11), 3.4, 6 if x < 0 else 0.5, p)
        pods += hull(
            [(x, -14), (x + 2, -10), (x + 2, 15), (x, 18), (x - 2, 15), (x - 2, -10)], p.dim
        )
        pods.append(plate([(x, -14), (x, 18), (x - 2, 15), (x - 2, -10)], p.bright))
        pods.append(plate(box(x - 2, 2, x + 2, 4), p.shade))
    return [
        *engine((0, 20), 5, 9, p),
        *hull(outline, p.bright),
        *left,
        *right,
        *pods,
        *cockpit((0, -9), (1.9, 5)),
        plate([(-3, 6), (0, 3.5), (3, 6), (0, 13)], INK),
        plate([(-2, 6.4), (0, 4.8), (2, 6.4), (0, 11)], p.light),
    ]


def lancer(p: Palette) -> list[Shape]:
    """Draw a lance: a long shaft, the laser between two prongs."""
    axis = 5.0

    def at(*points: Point) -> tuple[Point, ...]:
        return tuple((axis + x, y) for x, y in points)

    shaft = symmetric([(0, -18), (2.6, -14), (2.6, 20), (4, 24), (0, 25)], axis)
    prong = at((3.4, -27), (4.6, -24), (4.8, -8), (2.2, -3), (2.4, -14))
    fin = at((2.6, 6), (6, 11), (11, 24), (7.5, 23.5), (2.6, 20))
    barb = at((2.6, -6), (8.5, 1.5), (8, 4), (2.6, 1))
    parts: list[Shape] = [
        *hull(fin, p.dim),
        plate(at((2.6, 6), (6, 11), (11, 24), (2.6, 13)), p.bright),
        *hull(barb, p.bright),
        *hull(prong, p.light),
        plate(at((4.6, -24), (4.8, -8), (2.2, -3), (3.6, -12)), p.bright),
    ]
    bars = [
        plate(at((-2.6, y), (2.6, y), (2.6, y + 1.2), (-2.6, y + 1.2)), p.shade) for y in (5, 9)
    ]
    return [
        *engine((axis, 26), 4.4, 9, p),
        *pair(parts, axis),
        *hull(shaft, p.bright),
        plate(at((0, -18), (0, 25), (-4, 24), (-2.6, 20), (-2.6, -14)), p.light),
        *bars,
        plate(at((-2.6, 14), (2.6, 14), (2.6, 20), (-2.6, 20)), p.dim),
        *cockpit((axis, -3), (1.6, 4)),
    ]


def ghost(p: Palette) -> list[Shape]:
    """Draw a hooded manta, a laser on each wing."""
    wing = smooth(
        [(0, -21), (6, -18), (10, -9), (20.5, 2), (15.5, 5.5), (11, 12), (6, 9), (3.5, 15)]
    )
    tail = [(1.2, 21), (0, 28)]
    outline = symmetric([*wing, *tail])
    hood = symmetric([(0, -19), (4.5, -16), (6.8, -8), (5, 0), (2, 3), (0, 3.5)])
    mouth = symmetric([(0, -13.5), (3.4, -11.5), (4.6, -6.5), (3, -1.5), (0, 0)])
    stripes: list[Shape] = [
        plate([(8, -7), (20.5, 2), (12, 1.5), (7, -2)], p.light),
        plate([(7, 4), (13, 7), (11, 12), (6, 9)], p.shade),
        Stroke(smooth([(4, 4), (4.5, 8), (3, 13)]), 0.5, p.shade),
    ]
    eyes: list[Shape] = [plate([(0.9, -5.5), (3.6, -8.5), (3.2, -5.6), (1.4, -4.4)], _EYE)]
    return [
        *hull(outline, p.bright),
        *pair(stripes),
        plate([(-1.2, 2), (1.2, 2), (0.5, 26), (-0.5, 26)], p.light),
        *hull(hood, p.light),
        plate(symmetric([(0, -19), (4.5, -16), (5.4, -12), (0, -15)]), p.bright),
        plate(mouth, INK),
        *pair(eyes),
    ]
