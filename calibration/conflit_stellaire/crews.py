"""The pictures of ships and those who fly them: auxiliaries, troops, suits."""

import math

from calibration.art.drawing import (
    Disc,
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
    both,
    flame,
    glass,
    laid,
    line,
    solid,
    star,
    symmetric,
)

__all__ = ["CREWS"]


def _barge(p: Palette) -> list[Shape]:
    """Draw a broad box with a ramp at the front and claws at its sides, seen from above."""
    hull = symmetric([(0, -15), (11, -15), (16, -9), (16, 18), (11, 22)])
    claw = [(16, -6), (24, -13), (25, -20), (19, -17), (13, -12)]
    shapes = both([*flame((8, 21), 7, 8), *solid(claw, p.light)])
    shapes += [*solid(hull, p.dim), *solid(box(-9, -20, 9, -12), p.light)]
    shapes += [Stroke(((x, -19), (x, -13)), 0.9, p.shade) for x in (-6, -3, 0, 3, 6)]
    for y in (-5, 4, 13):
        shapes += solid(box(-12, y - 3, 12, y + 3), p.bright, 0.5)
        shapes += [Disc((x, y), 1.5, INK) for x in (-8, -2.7, 2.7, 8)]
    return shapes


def _fighter(p: Palette) -> list[Shape]:
    """Draw swept wings, to the upper right."""
    wing = [(2, -3), (19, 13), (19, 17), (3, 11)]
    gun = box(12.6, 2, 14.2, 12)
    hull = symmetric([(0, -22), (2.2, -12), (3.6, 2), (3.6, 12), (2, 15)])
    shapes = both([*solid(gun, p.light), *solid(wing, p.bright)])
    shapes += both([Polygon(((3, 3), (18, 15), (18, 17), (3, 11)), p.dim)])
    ship = [*flame((0, 14), 6, 14), *shapes, *solid(hull, p.light), *glass((0, -6), (1.9, 4.4))]
    return placed(ship, (0, 0), math.radians(38), 1.0)


def _bomber(p: Palette) -> list[Shape]:
    """Draw a flying wing over the whole width that drops two bombs."""
    wing = symmetric([(0, -19), (6, -13), (25, -2), (25, 4), (12, 1), (5, 5)])
    shapes = both(flame((9, 1), 4, 8))
    shapes += [
        *solid(wing, p.dim),
        Polygon(symmetric([(0, -19), (6, -13), (25, -2), (6, -7)]), p.bright),
    ]
    shapes += [*glass((0, -9), (2.6, 4)), *both([Disc((15, -3), 2.2, p.light)])]
    for x, y in ((-6, 13), (7, 19)):
        bomb = [*ellipse((x, y), (3.2, 5.2))]
        tail = [(x - 3.4, y - 8), (x + 3.4, y - 8), (x, y - 3)]
        shapes += [
            *solid(tail, p.shade),
            *solid(bomb, p.light),
            Polygon(box(x - 3, y - 1, x + 3, y + 1), p.band),
        ]
    return shapes


def _shuttle(p: Palette) -> list[Shape]:
    """Draw a ship from the side, to the right, with portholes and a tail."""
    body = smooth(
        [(-22, 4), (-20, -5), (-6, -8), (10, -7), (21, 2), (24, 8), (14, 13), (-18, 13)],
        closed=True,
    )
    tail = [(-22, 2), (-25, -17), (-17, -17), (-8, -7)]
    keel = [(-12, 12), (-16, 22), (-6, 22), (4, 12)]
    shapes = [
        *laid(flame((0, 0), 9, 6), -21, 6, 90),
        *solid(tail, p.dim),
        *solid(keel, p.dim),
        *solid(body, p.bright),
    ]
    shapes += [Polygon(smooth([(-21, 8), (22, 8), (14, 12.6), (-18, 12.6)], closed=True), p.shade)]
    shapes += [part for x in (-14, -7.5, -1, 5.5) for part in glass((x, 1), (2.0, 2.0))]
    return [*shapes, *glass((15, 1.5), (4.4, 2.8))]


def _capsule(p: Palette) -> list[Shape]:
    """Draw a round pod under a ring of jets, a light that calls for help."""
    shapes: list[Shape] = []
    for radius in (13, 18, 23):
        for start in (-0.45, math.pi - 0.45):
            shapes.append(Stroke(arc((0, -9), radius, start, start + 0.9, 10), 1.4, p.bright))
    shapes += both(laid(flame((0, 0), 3.6, 8), 7, 17, -24))
    shapes += [
        Disc((0, 7), 12.4, INK),
        Disc((0, 7), 11.5, p.light),
        Polygon((*arc((0, 7), 11.5, 0, math.pi, 20),), p.dim),
    ]
    shapes += [*glass((0, 4), (5, 5)), *solid(box(-12, 10.4, 12, 12.6), p.bright, 0.5)]
    shapes += [*line([(0, -5), (0, -10)], 1.3, p.light), Disc((0, -12), 2.8, PAPER)]
    return shapes


def _head(p: Palette, skin: tuple[int, int, int]) -> list[Shape]:
    """Draw head and shoulders without a helmet."""
    coat = symmetric([(2, 4), (6, 6), (8.5, 11), (9, 22)])
    cap = [*arc((0, -2.5), 4.9, math.pi, 2 * math.pi, 12)]
    return [
        *solid(coat, p.dim),
        *solid([*ellipse((0, -1), (4.4, 5.4))], skin),
        *solid(cap, p.band),
        Polygon(((0, 6), (1.6, 10), (0, 20), (-1.6, 10)), p.light),
    ]


def _crew(p: Palette) -> list[Shape]:
    """Draw three of the crew, small, in caps."""
    skins = [mix(p.light, p.shade, share) for share in (0.15, 0.55, 0.3)]
    shapes = laid(_head(p, skins[0]), -15, 1) + laid(_head(p, skins[1]), 15, 1)
    return [*shapes, *laid(_head(p, skins[2]), 0, 6)]


def _helmet(p: Palette) -> list[Shape]:
    """Draw an armoured head and shoulders from the front."""
    armour = symmetric([(4, 8), (14, 9), (20, 15), (21, 30)])
    shell = symmetric([(0, -13), (7, -11.5), (10, -4), (9, 5), (5, 10)])
    visor = symmetric([(0, -4), (8, -5), (8, 0), (3, 3.4)])
    return [
        *solid(armour, p.dim),
        *both(solid([(11, 10), (20, 14), (21, 22), (12, 18)], p.bright)),
        *solid(shell, p.bright),
        *solid(visor, INK),
        Stroke(((-6, -2.6), (-2, -2.2)), 1.1, p.light),
    ]


def _marines(p: Palette) -> list[Shape]:
    """Draw one in armour, a rifle across the chest."""
    rifle = [*solid(box(-20, -1.6, 14, 1.6), INK), *solid(box(-8, -2.8, 8, 2.6), p.shade, 0.5)]
    return [*laid(_helmet(p), 0, -2), *laid([*rifle, *solid(box(2, 2, 6, 8), p.shade)], 1, 18, -32)]


def _veterans(p: Palette) -> list[Shape]:
    """Draw five stripes under a star, two helmets beside them."""
    shapes: list[Shape] = []
    for x in (-16, 16):
        shapes += placed(_helmet(p), (x, -6), 0.0, 0.62)
    for k in range(4):
        y = 22 - 6.2 * k
        stripe = [(-13, y), (0, y - 7), (13, y), (13, y + 3.2), (0, y - 3.8), (-13, y + 3.2)]
        shapes += solid(stripe, (p.light, p.bright)[k % 2], 0.7)
    return [*shapes, *solid(star((0, -10), (10, 4.2), 5), PAPER)]


def _droids(p: Palette) -> list[Shape]:
    """Draw two machines with one eye and square shoulders."""
    head: list[Shape] = [
        *line([(0, -14), (0, -9)], 1.2, p.light),
        Disc((0, -15), 1.8, PAPER),
        *solid(box(-7, -10, 7, 1), p.bright),
        *solid(box(-6, -6.5, 6, -2.5), INK, 0.3),
        Disc((2.5, -4.5), 1.6, PAPER),
        *solid(box(-3, 1, 3, 4), p.shade),
        *solid(box(-10, 4, 10, 19), p.dim),
        *both(solid(box(10.6, 3, 13.6, 17), p.bright)),
        *[Stroke(((-6, y), (6, y)), 1.1, p.light) for y in (8.0, 11.0, 14.0)],
    ]
    return [*placed(head, (12, -4), 0.0, 0.86), *placed(head, (-10, 4), 0.0, 1.1)]


def _suit(p: Palette) -> list[Shape]:
    """Draw a whole suit, arms wide, with a round visor."""
    body = symmetric(
        [(4, -6), (9, -5), (22, 1), (21, 6), (9, 4), (8, 12), (11, 26), (4, 26), (0, 15)]
    )
    return [
        *both(solid(box(9, -9, 13, 3), p.dim)),
        *solid(body, p.bright),
        *solid(box(-5, 1, 5, 7), p.dim, 0.5),
        *[Disc((x, 4), 1.0, c) for x, c in ((-2.6, PAPER), (0.0, p.band), (2.6, INK))],
        Disc((0, -12), 9.4, INK),
        Disc((0, -12), 8.6, p.light),
        *glass((0, -12), (6.4, 5.2)),
        *line(smooth([(8, 3), (14, 12), (17, 20), (24, 22)]), 1.4, p.light),
    ]


CREWS = {
    "assault-barge": _barge,
    "fighter": _fighter,
    "bomber": _bomber,
    "shuttle": _shuttle,
    "escape-capsule": _capsule,
    "crew": _crew,
    "marines": _marines,
    "veterans": _veterans,
    "war-droids": _droids,
    "spacesuit": _suit,
}
