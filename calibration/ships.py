"""Ten ships, drawn as facets around their weapons.

Every hull has its own outline and its own places of light and dark, so that ships are told apart
at a distance and by a program that sees them a few dozen pixels high.
"""

from collections.abc import Callable

from calibration.drawing import (
    Disc,
    Point,
    Shape,
    Stroke,
    arc,
    box,
    rgb,
    ribbon,
    smooth,
)
from calibration.hulls import cockpit, engine, hull, pair, plate, seam, symmetric
from calibration.palette import INK, Palette
from vision.types import Ship

__all__ = ["draw_ship"]

_EYE = rgb("#FFD94A")


def draw_ship(ship: Ship, palette: Palette) -> list[Shape]:
    """Draw a ship's hull.

    Parameters
    ----------
    ship : Ship
        By its name; a ship of another deck's own naming gets a hull by its speed.
    palette : Palette
        The team's colours.

    Returns
    -------
    list of Shape
        In the card frame, without lasers and shields.
    """
    hulls = list(_HULLS.values())
    draw = _HULLS.get(ship.name, hulls[(ship.speed - 1) % len(hulls)])
    return draw(palette)


def _moth(p: Palette) -> list[Shape]:
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


def _sidewinder(p: Palette) -> list[Shape]:
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


def _intruder(p: Palette) -> list[Shape]:
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


def _lancer(p: Palette) -> list[Shape]:
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


def _ghost(p: Palette) -> list[Shape]:
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


def _viper(p: Palette) -> list[Shape]:
    coil = smooth(
        [
            *((0, 4), (-1, 10), (-8, 13), (-12, 18), (-8, 23.5)),
            *((0, 22), (3, 17), (9, 15), (15, 19), (17, 25)),
        ],
        steps=8,
    )
    body = ribbon(coil, [10, 8.5, 8, 8, 7.5, 7, 6.5, 5.5, 4, 1])
    stripe = ribbon(coil[4:], [3, 2.8, 2.6, 2.6, 2.4, 2.2, 2, 1.6, 1.0, 0.5])
    head = symmetric(
        [(0, -22), (3.5, -21), (5, -17), (8, -12), (14.5, -4), (13, 3), (6, 8), (0, 6.5)]
    )
    right: list[Shape] = [
        plate([(0, -22), (3.5, -21), (5, -17), (3, -12), (0, -14)], p.light),
        plate([(5, -17), (8, -12), (14.5, -4), (9, -5), (3, -12)], p.light),
        plate([(14.5, -4), (13, 3), (6, 8), (9, -5)], p.dim),
        plate([(0, -6), (4, 1), (0, 6.5)], p.shade),
        plate([(2.0, -10.0), (5.6, -6.2), (4.6, -4.6), (2.6, -6.4)], INK),
        plate([(2.8, -8.6), (4.9, -6.2), (3.4, -6.5)], _EYE),
        Stroke(((1.6, -22), (2.6, -26)), 0.9, p.light),
        seam([(0, -14), (3, -12), (9, -5), (6, 8)], p, 0.5),
    ]
    return [
        *hull(body, p.dim),
        plate(stripe, p.light),
        *hull(head, p.bright),
        *pair(right),
        seam([(0, -21), (0, 5)], p, 0.5),
    ]


def _bastion(p: Palette) -> list[Shape]:
    wall = [
        (-13, -19), (-8, -19), (-8, -16), (-4, -16), (-4, -19), (1, -19), (1, -16), (4, -16),
        (4, -19), (12, -19), (17, -14), (17, 18), (12, 23), (-11, 23), (-16, 18), (-16, -13),
    ]  # fmt: skip
    yard = [(-9, -12), (8, -12), (12, -8), (12, 14), (8, 18), (-7, 18), (-11, 14), (-11, -8)]
    armour: list[Shape] = [
        piece for y in (-13, -4.5, 4, 12.5) for piece in hull(box(13, y, 20, y + 7.5), p.light)
    ]
    keep = [(-3, -6), (5, -6), (9, -2), (9, 6), (5, 10), (-3, 10), (-7, 6), (-7, -2)]
    towers: list[Shape] = []
    for x, y, r in ((7.0, -14.0, 4.2), (-12.0, -5.0, 4.2), (-9.0, 9.0, 3.8), (-10.5, 19.0, 3.2)):
        towers += [Disc((x, y), r + 0.9, INK), Disc((x, y), r, p.light), Disc((x, y), r - 1, p.dim)]
    return [
        *[part for x in (-5, 6) for part in engine((x, 25), 5.5, 4.5, p)],
        *hull(wall, p.bright),
        plate([(-16, -13), (-13, -19), (-13, 21), (-16, 18)], p.light),
        plate([(-11, 23), (-13, 20), (17, 14), (17, 18), (12, 23)], p.dim),
        *hull(yard, p.shade),
        *armour,
        *towers,
        *hull(keep, p.bright),
        plate([(-3, -6), (5, -6), (1, 2), (-7, -2)], p.light),
        plate([(9, 6), (5, 10), (-3, 10), (1, 2)], p.dim),
        Disc((1, 2), 3.4, INK),
        Disc((1, 2), 2.5, _EYE),
        Disc((1, 2), 1.2, p.shade),
    ]


def _avenger(p: Palette) -> list[Shape]:
    right: list[Shape] = [
        *engine((10, 24), 4.6, 5, p),
        *hull(
            [(9, -16), (12, -11), (13.5, 2), (15.5, 12), (14, 23), (6, 23), (5.5, 4), (6.5, -11)],
            p.bright,
        ),
        plate([(9, -16), (12, -11), (13.5, 2), (9.5, 4)], p.dim),
        plate([(9.5, 4), (13.5, 2), (15.5, 12), (14, 23), (10, 23)], p.shade),
        plate([(9, -16), (9.5, 4), (5.5, 4), (6.5, -11)], p.light),
        *hull([(14, 6), (20.5, 14), (20.5, 21), (15, 17)], p.dim),
    ]
    bridge = [(-8, 3), (8, 3), (6, 8), (-6, 8)]
    spine = symmetric([(0, -28), (1.6, -24), (2.2, -10), (4, -4), (4, 10), (2, 16), (0, 17)])
    barbs: list[Shape] = hull([(2, -20), (5, -15), (4.6, -13.4), (2, -15)], p.light)
    return [
        *hull(bridge, p.dim),
        *hull([(-7, 12), (7, 12), (6, 15), (-6, 15)], p.shade),
        *pair(right),
        *pair(barbs),
        *hull(spine, p.light),
        plate([(0, -28), (1.6, -24), (2.2, -10), (4, -4), (4, 10), (2, 16), (0, 17)], p.bright),
        *cockpit((0, 0), (1.9, 4.5)),
        plate(box(-2.5, 8.5, 2.5, 9.7), p.shade),
    ]


def _juggernaut(p: Palette) -> list[Shape]:
    ram = [(-17, -17), (-12, -25), (12, -25), (17, -17), (14, -13), (-14, -13)]
    body = symmetric([(12, -14), (17.5, -8), (18.5, 6), (15, 18), (9, 24), (0, 24)])
    teeth: list[Shape] = [
        piece
        for x in (-10.0, -3.4, 3.4, 10.0)
        for piece in hull([(x - 2.6, -24), (x, -28), (x + 2.6, -24)], p.light)
    ]
    ribs: list[Shape] = [
        plate([(-18.5, 6), (18.5, 6), (17.8, 9), (-17.8, 9)], p.shade),
        plate([(-16.4, 14), (16.4, 14), (14.6, 17.5), (-14.6, 17.5)], p.shade),
    ]
    dome = [Disc((0, 2), 8.6, INK), Disc((0, 2), 7.6, p.light), Disc((0, 2), 5.6, p.bright)]
    return [
        *[part for x in (-8, 0, 8) for part in engine((x, 25.5), 5.4, 3.5, p)],
        *teeth,
        *hull(body, p.dim),
        plate([(-17.5, -8), (-12, -14), (-7, -14), (-9, 24), (-15, 18), (-18.5, 6)], p.bright),
        *ribs,
        *hull(ram, p.bright),
        plate([(-17, -17), (-12, -25), (12, -25), (8, -21), (-9, -21), (-12, -17)], p.light),
        plate([(12, -25), (17, -17), (14, -13), (8, -21)], p.shade),
        *dome,
        *cockpit((0, 2), (3.2, 3.2)),
        *[Disc((x, -17), 0.9, p.shade) for x in (-8, -2.7, 2.7, 8)],
    ]


def _destroyer(p: Palette) -> list[Shape]:
    body = symmetric([(0, -29), (3, -21), (6.5, -10), (7.5, 8), (9.5, 17), (8, 26), (0, 24)])
    deck = symmetric([(0, -20), (2.6, -13), (3.6, 0), (3.4, 18), (0, 20)])
    sponson = hull([(6, -16), (10, -18), (13, -14), (11.5, -9.5), (6.5, -8)], p.bright)
    left = hull([(-6, -13), (-12, -10.5), (-14, -6), (-12, -1.5), (-6.5, 0)], p.light)
    right = hull([(6.5, -3), (12, -1), (14, 4), (12, 8.5), (7, 11)], p.dim)
    wings: list[Shape] = [
        *hull([(7.5, 12), (16, 20), (16, 25), (9, 23)], p.bright),
        plate([(7.5, 12), (16, 20), (9, 19)], p.light),
    ]
    towers: list[Shape] = []
    for y, half, colour in ((-10, 2.4, p.light), (-3.5, 3.2, p.bright), (6, 3.6, p.light)):
        towers += hull(box(-half, y, half, y + 4.5), colour)
        towers.append(plate(box(-half, y + 3, half, y + 4.5), p.shade))
    return [
        *[part for x in (-5.4, 5.4) for part in engine((x, 26.5), 3.8, 3, p)],
        *pair(wings),
        *sponson,
        *left,
        *right,
        *hull(body, p.bright),
        plate(
            [(0, -29), (-3, -21), (-6.5, -10), (-7.5, 8), (-9.5, 17), (-8, 26), (-4, 18)], p.light
        ),
        plate([(0, -29), (3, -21), (6.5, -10), (7.5, 8), (4, 14)], p.dim),
        *hull(deck, p.shade),
        *towers,
        *cockpit((0, 1.6), (1.8, 1.2)),
        Stroke(((0, -20), (0, -12)), 0.8, p.light),
        Stroke(arc((0, 14.5), 2.2, 3.4, 6.0), 0.8, p.light),
    ]


_HULLS: dict[str, Callable[[Palette], list[Shape]]] = {
    "moth": _moth,
    "sidewinder": _sidewinder,
    "intruder": _intruder,
    "lancer": _lancer,
    "ghost": _ghost,
    "viper": _viper,
    "bastion": _bastion,
    "avenger": _avenger,
    "juggernaut": _juggernaut,
    "destroyer": _destroyer,
}
