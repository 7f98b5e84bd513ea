"""The four corners beyond the cells: a world with rings, a spiral of stars, a moon, a comet."""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from calibration.art.drawing import (
    Disc,
    Point,
    Polygon,
    Shape,
    Stroke,
    arc,
    ellipse,
    mix,
    placed,
    rgb,
)
from calibration.asteroyds_capture.palette import SPACE, STAR
from calibration.asteroyds_capture.signs import on_circle

__all__ = ["worlds"]

_SEED = 6  #: any: craters and stars of the corners
_IN_MM = (44.0, 40.0)  # of a corner's world from the board's edges
_BANDS = tuple(rgb(code) for code in ("#8A5A3A", "#B98A55", "#6E4630", "#A8743F", "#C79F6B"))
_RING, _MOON, _ICE = rgb("#B9A47E"), rgb("#8F93A6"), rgb("#8FD3E8")


def worlds(half: Point) -> list[Shape]:
    """Draw what fills the corners, the first at the top left, then clockwise."""
    rng = np.random.default_rng(_SEED)
    x, y = half[0] - _IN_MM[0], half[1] - _IN_MM[1]
    return [
        *placed(_ringed(), (-x, -y), -0.42),
        *placed(_spiral(rng), (x, -y), 0.5),
        *placed(_comet(rng), (x, y), 0.3),
        *placed(_moon(rng), (-x, y)),
    ]


def _band(radius: float, top: float, low: float) -> tuple[Point, ...]:
    """Return the part of a disc between two heights."""
    a, b = math.asin(max(-1.0, top / radius)), math.asin(min(1.0, low / radius))
    right = arc((0.0, 0.0), radius, a, b, 12)
    return (*right, *(((-x, y)) for x, y in right[::-1]))


def _ringed() -> Iterator[Shape]:
    radius = 20.0
    cuts = (-20.0, -14.5, -11.0, -4.5, -1.5, 5.0, 9.0, 14.0, 20.0)

    def rings(low: bool) -> Iterator[Shape]:
        for reach, wide, share in ((27.0, 2.4, 0.5), (31.0, 3.4, 0.72), (35.5, 1.2, 0.45)):
            ring = ellipse((0.0, 0.0), (reach, 0.27 * reach), 0.0, 64)
            part = tuple(point for point in ring if (point[1] >= 0) == low)
            part = tuple(sorted(part))
            yield Stroke(part, wide, mix(SPACE, _RING, share))

    yield from rings(low=False)
    yield Disc((0.0, 0.0), radius + 0.8, SPACE)
    for k, (top, low) in enumerate(pairwise(cuts)):
        yield Polygon(_band(radius, top, low), mix(SPACE, _BANDS[k % len(_BANDS)], 0.72))
    rim = arc((0.0, 0.0), radius, -1.2, 1.9, 24)
    shade = arc((-6.0, -3.5), radius, 1.55, -0.85, 24)
    yield Polygon((*rim, *shade), mix(SPACE, _BANDS[2], 0.35))
    yield from rings(low=True)


def _spiral(rng: np.random.Generator) -> Iterator[Shape]:
    for k in range(340):
        along = float(rng.uniform(0.12, 1.0))
        arm = math.pi * (k % 2) + 4.6 * along + float(rng.normal(0, 0.22))
        u, v = on_circle(34.0 * along, arm)
        at = (u + float(rng.normal(0, 0.6)), 0.55 * v + float(rng.normal(0, 0.6)))
        tone = mix((120, 150, 235), (245, 225, 200), 1 - along)
        size = 0.35 + 1.2 * float(rng.uniform(0, 1)) ** 4
        yield Disc(at, size, mix(SPACE, tone, float(rng.uniform(0.35, 0.9))))
    for radius, share in ((6.5, 0.35), (4.6, 0.6), (2.6, 0.9)):
        yield Polygon(ellipse((0.0, 0.0), (radius, 0.6 * radius)), mix(SPACE, STAR, share))


def _moon(rng: np.random.Generator) -> Iterator[Shape]:
    radius = 23.0
    yield Disc((0.0, 0.0), radius + 0.8, SPACE)
    yield Disc((0.0, 0.0), radius, mix(SPACE, _MOON, 0.72))
    taken: list[tuple[float, float, float]] = []
    for _ in range(400):
        size = 1.0 + 4.6 * float(rng.uniform(0, 1)) ** 3
        away, turn = float(rng.uniform(0, 1)) ** 0.5 * (radius - size - 1.5), rng.uniform(0, 6.3)
        x, y = on_circle(away, float(turn))
        if all(math.hypot(x - a, y - b) > size + c + 0.5 for a, b, c in taken):
            taken.append((x, y, size))
            yield Disc((x + 0.16 * size, y + 0.16 * size), size, mix(SPACE, _MOON, 0.98))
            yield Disc((x, y), size, mix(SPACE, _MOON, 0.46))
    rim = arc((0.0, 0.0), radius, -0.9, 2.2, 30)
    shade = arc((-8.0, -6.0), radius, 1.72, -0.42, 30)
    yield Polygon((*rim, *shade), mix(SPACE, _MOON, 0.26))


def _comet(rng: np.random.Generator) -> Iterator[Shape]:
    head = (22.0, 16.0)
    for k in range(90):
        lean = math.pi * 1.28 + float(rng.normal(0, 0.11))
        away = float(rng.uniform(3.0, 34.0))
        long = float(rng.uniform(6.0, 20.0))
        ends = tuple(
            (head[0] + r * math.cos(lean), head[1] + r * math.sin(lean))
            for r in (away, away + long)
        )
        share = max(0.12, 0.85 - away / 44) * float(rng.uniform(0.6, 1.0))
        yield Stroke(ends, 1.4 - 0.010 * k, mix(SPACE, _ICE, share))
    for radius, share in ((6.4, 0.35), (4.8, 0.65), (3.2, 0.95)):
        yield Disc(head, radius, mix(SPACE, mix(_ICE, STAR, share), 0.3 + 0.65 * share))
