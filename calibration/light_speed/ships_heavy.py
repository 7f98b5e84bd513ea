"""The five heavier hulls, drawn as facets around their weapons."""

from calibration.art.drawing import (
    Disc,
    Shape,
    Stroke,
    arc,
    box,
    rgb,
    ribbon,
    smooth,
)
from calibration.art.palette import INK, Palette
from calibration.light_speed.hulls import cockpit, engine, hull, pair, plate, seam, symmetric

__all__ = ["avenger", "bastion", "destroyer", "juggernaut", "viper"]

_EYE = rgb("#FFD94A")


def viper(p: Palette) -> list[Shape]:
    """Draw a viper's head on a coiled tail."""
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


def bastion(p: Palette) -> list[Shape]:
    """Draw a fort with towers under the lasers and armour on the shielded side."""
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


def avenger(p: Palette) -> list[Shape]:
    """Draw two hulls and a spine like a trident."""
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


def juggernaut(p: Palette) -> list[Shape]:
    """Draw a heavy ram with an eye."""
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


def destroyer(p: Palette) -> list[Shape]:
    """Draw a long warship with lasers on its sponsons."""
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
