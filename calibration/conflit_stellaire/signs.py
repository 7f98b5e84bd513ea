"""The signs of the 18 kinds, each of a shape of its own, 11 mm across; and small ones for facts."""

import math
from collections.abc import Callable

from calibration.art.drawing import (
    Colour,
    Disc,
    Polygon,
    Shape,
    Stroke,
    arc,
    box,
    ellipse,
    mirrored,
)
from calibration.art.palette import INK, PAPER, Palette
from calibration.conflit_stellaire.forms import at_angle, bolt, both, hexagon, laid, star, symmetric

__all__ = ["fact_sign", "kind_sign"]


def kind_sign(kind: str, p: Palette) -> list[Shape]:
    """Draw the sign of a kind about the origin, on a plate of its colour."""
    plate = hexagon((0, 0), 7.2, math.pi / 6)
    return [
        Stroke(plate, 2.0, INK, closed=True),
        Stroke(plate, 1.0, p.light, closed=True),
        Polygon(plate, p.band),
        *_SIGNS[kind](PAPER, p.band),
    ]


def _energy(c: Colour, d: Colour) -> list[Shape]:
    return bolt((0, 0), 10, c, 0.0)


def _laser(c: Colour, d: Colour) -> list[Shape]:
    return [
        Stroke(((-4.5, 0), (4.8, 0)), 1.7, c),
        *[Stroke(((0.5, 0), at_angle(4.6, a, (0.5, 0))), 0.9, c) for a in (0.6, 2.54)],
    ]


def _neutrons(c: Colour, d: Colour) -> list[Shape]:
    return [Disc(at_angle(3.1, k * 2.094), 1.9, c) for k in range(3)]


def _disintegrator(c: Colour, d: Colour) -> list[Shape]:
    return [Disc((0, 0), 4.6, c), Disc((0, 0), 3.0, d), Disc((0, 0), 1.5, c)]


def _particles(c: Colour, d: Colour) -> list[Shape]:
    return [Disc((x, y), 0.95, c) for x in (-3, 0, 3) for y in (-3, 0, 3)]


def _rocks(c: Colour, d: Colour) -> list[Shape]:
    lumps = (4.6, 3.7, 4.5, 3.6, 4.7, 4.0, 3.7)
    return [
        Polygon(tuple(at_angle(r, k * 0.898) for k, r in enumerate(lumps)), c),
        Disc((1.1, 0.8), 1.1, d),
    ]


def _missile(c: Colour, d: Colour) -> list[Shape]:
    return laid(
        [Polygon(symmetric([(0, -5.4), (1.7, -2.4), (1.7, 2), (3.6, 4.8), (0, 3.6)]), c)], 0, 0, 45
    )


def _rocket(c: Colour, d: Colour) -> list[Shape]:
    one: list[Shape] = [Polygon(symmetric([(0, -4), (1.1, -1.8), (1.1, 3)]), c)]
    return [*laid(one, -3, 1), *laid(one, 0, -0.8), *laid(one, 3, 1)]


def _jammer(c: Colour, d: Colour) -> list[Shape]:
    waves: list[Shape] = [Stroke(arc((-2.6, 0), r, -0.9, 0.9, 8), 0.95, c) for r in (2.0, 4.0, 6.0)]
    return [
        *waves,
        Stroke(((-3.4, 4), (4, -4.4)), 1.3, d),
        Stroke(((-4.0, 3.6), (3.4, -4.8)), 0.9, c),
    ]


def _anti_missile(c: Colour, d: Colour) -> list[Shape]:
    ring = Stroke(arc((0, 0), 3.2, 0, 2 * math.pi, 20), 1.0, c, closed=True)
    return [
        ring,
        *[
            Stroke((at_angle(2, k * math.pi / 2), at_angle(5.2, k * math.pi / 2)), 1.0, c)
            for k in range(4)
        ],
    ]


def _shield(c: Colour, d: Colour) -> list[Shape]:
    return [
        Polygon(symmetric([(0, -4.6), (4, -3.4), (3.6, 1.2), (0, 5)]), c),
        Polygon(((0, -3), (2.6, -2.2), (2.3, 0.8), (0, 3.2)), d),
    ]


def _net(c: Colour, d: Colour) -> list[Shape]:
    along = [
        Stroke(((k - 4, -4.4 + abs(k)), (k + 4, 4.4 - abs(k))), 0.75, c) for k in (-2.4, 0, 2.4)
    ]
    return [*along, *[Stroke(mirrored(line.points), 0.75, c) for line in along]]


def _auxiliary(c: Colour, d: Colour) -> list[Shape]:
    return [Polygon(symmetric([(0, -5), (1.6, -1), (5, 3.4), (1.6, 2.6), (0, 4.4)]), c)]


def _troop(c: Colour, d: Colour) -> list[Shape]:
    return [Disc((0, -2.2), 2.2, c), Polygon(symmetric([(1.6, 0.7), (3.8, 2), (4.2, 4.6)]), c)]


def _suit(c: Colour, d: Colour) -> list[Shape]:
    return [
        Disc((0, 0), 4.6, c),
        Polygon(ellipse((0, -0.3), (3.3, 2.4)), d),
        Disc((-1.2, -1), 0.7, c),
    ]


def _engine(c: Colour, d: Colour) -> list[Shape]:
    return [
        Polygon(symmetric([(1.6, -4.6), (2, -1), (4.2, 1.6)]), c),
        *both([Stroke(((2.2, 3), (2.2, 4.4)), 0.9, c)]),
        Stroke(((0, 3), (0, 5.2)), 0.9, c),
    ]


def _hyperdrive(c: Colour, d: Colour) -> list[Shape]:
    return [Stroke(((x, 3.6), (x + 2.6, 0), (x, -3.6)), 1.3, c) for x in (-4, -0.8, 2.4)]


def _device(c: Colour, d: Colour) -> list[Shape]:
    return [Polygon(star((0, 0), (5.0, 3.6), 8), c), Disc((0, 0), 1.8, d)]


_SIGNS: dict[str, Callable[[Colour, Colour], list[Shape]]] = {
    "energy": _energy,
    "laser": _laser,
    "neutrons": _neutrons,
    "disintegrator": _disintegrator,
    "particles": _particles,
    "rocks": _rocks,
    "missile": _missile,
    "rocket": _rocket,
    "jammer": _jammer,
    "anti-missile": _anti_missile,
    "shield": _shield,
    "net": _net,
    "auxiliary": _auxiliary,
    "troop": _troop,
    "suit": _suit,
    "engine": _engine,
    "hyperdrive": _hyperdrive,
    "device": _device,
}


def fact_sign(fact: str, c: Colour) -> list[Shape]:
    """Draw the small sign of a fact about the origin, 4 mm high."""
    marks: dict[str, list[Shape]] = {
        "range": [
            Stroke(((-2.2, 0), (2.2, 0)), 0.5, c),
            *both([Stroke(((1.0, -1.1), (2.2, 0), (1.0, 1.1)), 0.5, c)]),
        ],
        "speed": [Stroke(((x, 1.5), (x + 1.4, 0), (x, -1.5)), 0.6, c) for x in (-1.6, 0.2)],
        "echoes": [Disc((x, y), 0.75, c) for x, y in ((-1.1, 1), (1.1, 1), (0, -1))],
        "slots": [Stroke(((0, 2), (0, -2)), 1.2, c), Stroke(((-1.4, 2), (1.4, 2)), 0.7, c)],
        "berths": [Disc((0, -1.1), 0.95, c), Polygon(symmetric([(0.8, 0.2), (1.8, 2)]), c)],
        "rank": [Polygon(star((0, 0), (2.2, 0.95), 5), c)],
        "ir": [
            Stroke(((x - 0.4, 2), (x + 0.4, 0.7), (x - 0.4, -0.7), (x + 0.4, -2)), 0.55, c)
            for x in (-1.3, 0, 1.3)
        ],
        "radar": [Stroke(arc((-1.2, 1.4), r, -1.5, -0.05, 8), 0.55, c) for r in (1.1, 2.2, 3.3)],
        "optical": [Stroke(ellipse((0, 0), (2.3, 1.4)), 0.5, c, closed=True), Disc((0, 0), 0.8, c)],
        "crew": [
            Disc((0, -1.1), 0.95, c),
            Polygon(symmetric([(0.8, 0.2), (1.8, 2)]), c),
            Stroke(((-2, 2), (2, -2)), 0.5, c),
        ],
        "total": [
            Stroke(arc((0, 0), 1.9, 0, 2 * math.pi, 16), 0.6, c, closed=True),
            Disc((0, 0), 0.6, c),
        ],
        "barge": [
            Polygon(box(-1.9, -0.6, 1.9, 1.8), c),
            Stroke(((-1.4, -1.6), (1.4, -1.6)), 0.6, c),
        ],
        "capsule": [Disc((0, 0.5), 1.5, c), Stroke(((0, -0.8), (0, -2.2)), 0.5, c)],
        "robot": [Polygon(box(-1.7, -1.2, 1.7, 1.8), c), Stroke(((0, -1.2), (0, -2.3)), 0.5, c)],
        "scan": [
            Stroke(arc((0, 0), 1.8, 0, 4.4, 12), 0.6, c),
            Stroke(((0, 0), (1.6, -1.6)), 0.6, c),
        ],
        "repair": [Stroke(((-1.8, 0), (1.8, 0)), 0.9, c), Stroke(((0, -1.8), (0, 1.8)), 0.9, c)],
    }
    return marks[fact]
