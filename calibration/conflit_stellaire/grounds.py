"""What is behind a picture: stars, and great forms that make cards of one kind differ from afar."""

import math

import numpy as np

from calibration.art.drawing import Disc, Point, Polygon, Shape, Stroke, arc, box, mix, smooth
from calibration.art.palette import PAPER, Palette
from calibration.conflit_stellaire.forms import at_angle

__all__ = ["draw_ground"]

_STARS = 36
_PLACES: tuple[Point, ...] = (
    (-17.0, -9.0),
    (16.0, 17.0),
    (18.0, -12.0),
    (-15.0, 19.0),
    (2.0, 27.0),
)


def draw_ground(index: int, p: Palette, half_wh_mm: tuple[float, float]) -> list[Shape]:
    """Draw the ground of the card of an index: its own great form, its own stars.

    Neighbours among the cards differ in form, those of one form in place.
    """
    half_w, half_h = half_wh_mm
    rng = np.random.default_rng([15, index])
    shapes: list[Shape] = [Polygon(box(-half_w - 1, -half_h - 1, half_w + 1, half_h + 1), p.panel)]
    form = (_planet, _bands, _rays, _cloud, _horizon, _rings)[index % 6]
    shapes += form(_PLACES[index // 6 % len(_PLACES)], index, p)
    xs, ys = rng.uniform(-half_w, half_w, _STARS), rng.uniform(-half_h, half_h, _STARS)
    for x, y, size in zip(xs, ys, rng.uniform(0, 1, _STARS), strict=True):
        tone = mix(p.panel, PAPER, 0.35 + float(size) / 2)
        shapes.append(Disc((float(x), float(y)), 0.15 + 0.3 * float(size) ** 3, tone))
    return shapes


def _planet(at: Point, index: int, p: Palette) -> list[Shape]:
    lit = (at[0] - 4, at[1] - 4)
    return [Disc(at, 17, p.shade), Disc(lit, 12.5, mix(p.shade, p.dim, 0.6)), Disc(at, 4, p.shade)]


def _bands(at: Point, index: int, p: Palette) -> list[Shape]:
    slope = 30 if at[0] > 0 else -30
    return [
        Stroke(((-60, y - slope), (60, y + slope)), wide, mix(p.panel, p.dim, share))
        for y, wide, share in ((at[1] - 22, 7.0, 0.5), (at[1], 12.0, 0.75), (at[1] + 26, 5.0, 0.4))
    ]


def _rays(at: Point, index: int, p: Palette) -> list[Shape]:
    count = 7 + index % 4
    turns = [2 * math.pi * k / count for k in range(count)]
    return [
        Polygon(
            (at, at_angle(80, a - 0.14, at), at_angle(80, a + 0.14, at)), mix(p.panel, p.dim, 0.55)
        )
        for a in turns
    ]


def _cloud(at: Point, index: int, p: Palette) -> list[Shape]:
    shapes: list[Shape] = []
    for size, share in ((26.0, 0.3), (18.0, 0.5), (10.0, 0.8)):
        knots = [
            at_angle(size * (0.75 + 0.35 * ((3 * k + index) % 4) / 3), k * 0.698, at)
            for k in range(9)
        ]
        shapes.append(Polygon(smooth(knots, closed=True), mix(p.panel, p.dim, share)))
    return shapes


def _horizon(at: Point, index: int, p: Palette) -> list[Shape]:
    below = 1 if at[1] > 0 else -1
    middle = (at[0], below * 72.0)
    return [
        Disc(middle, 62, mix(p.panel, p.dim, 0.45)),
        Disc(middle, 57, mix(p.shade, p.dim, 0.6)),
        Disc(middle, 46, p.shade),
    ]


def _rings(at: Point, index: int, p: Palette) -> list[Shape]:
    return [
        Stroke(arc(at, radius, 0, 2 * math.pi, 48), 4.0, mix(p.panel, p.dim, 0.6), closed=True)
        for radius in (8.0, 17.0, 26.0, 35.0)
    ]
