"""The printed facts of a ship that matter in play: lasers, shields, health, emblem.

Power is told three times over, for any eyes: by colour, by width, and by the number of arrowheads
at the border. A double bar stands for a shield.
"""

import math

from calibration.art.drawing import Disc, Point, Polygon, Shape, Stroke, box, rgb, smooth
from calibration.art.palette import INK, PAPER, Palette
from vision.games.light_speed.values import Laser, Shield
from vision.geometry import heading_vector

__all__ = ["MUZZLE", "draw_emblem", "draw_health", "draw_laser", "draw_shield", "laser_colour"]

MUZZLE = rgb("#FFE94A")  #: the dot at the exact place a laser starts from
_WHITE = rgb("#FFFFFF")
_RED = rgb("#FF1F2D")
_GREEN = rgb("#12D64A")
_PALE = rgb("#FFE9E4")
_DOT = rgb("#F01D2E")

_LAYERS = {  # power -> widths in mm and colours, the widest first
    1: ((1.3, INK), (0.7, _WHITE)),
    2: ((2.5, INK), (1.9, _PALE), (1.3, _RED)),
    3: ((4.0, INK), (3.4, _WHITE), (2.8, _GREEN), (0.7, _WHITE)),
}
_COLOURS = {1: _WHITE, 2: _RED, 3: _GREEN}
_HEAD_HALF_MM = {1: 1.9, 2: 2.1, 3: 3.0}  # wider than the beam they lie on
_HEAD_LENGTH_MM = 2.5
_HEAD_PITCH_MM = 3.1
_HEAD_INSET_MM = 0.8  # from the tip of the last arrowhead to the band
_BAR_MM = 1.25
_BAR_OFFSETS_MM = (0.5, 2.15)
_BAR_RIM_MM = 0.28


def laser_colour(power: int) -> tuple[int, int, int]:
    """Return the colour that stands for a power."""
    return _COLOURS[power]


def draw_laser(laser: Laser, half_wh_mm: tuple[float, float]) -> list[Shape]:
    """Draw a laser from its muzzle to the edge of the panel, with as many arrowheads as power.

    Parameters
    ----------
    laser : Laser
        In the card frame.
    half_wh_mm : tuple of float
        Half the size of the panel, which the line runs out of.
    """
    start = laser.muzzle_mm
    ux, uy = (float(value) for value in heading_vector(laser.heading_rad))
    length = min(
        (half * math.copysign(1, u) - at) / u
        for at, u, half in zip(start, (ux, uy), half_wh_mm, strict=True)
        if abs(u) > 1e-9
    )

    def at(along: float, aside: float) -> Point:
        return start[0] + along * ux - aside * uy, start[1] + along * uy + aside * ux

    shapes: list[Shape] = []
    for width, colour in _LAYERS[laser.power]:
        half, end = width / 2, length + 3  # the band is painted over the end
        line = (at(0, -half), at(end, -half), at(end, half), at(0, half))
        shapes.append(Polygon(line, colour))
    aside = _HEAD_HALF_MM[laser.power]
    for i in range(laser.power):
        tip = length - _HEAD_INSET_MM - i * _HEAD_PITCH_MM
        head = (
            at(tip, 0),
            at(tip - _HEAD_LENGTH_MM, aside),
            at(tip - 0.65 * _HEAD_LENGTH_MM, 0),
            at(tip - _HEAD_LENGTH_MM, -aside),
        )
        shapes += [
            Stroke(head, 0.9, INK, closed=True),
            Stroke(head, 0.4, _WHITE, closed=True),
            Polygon(head, _COLOURS[laser.power]),
        ]
    return [
        *shapes,
        Disc(start, 2.0, INK),
        Disc(start, 1.65, _COLOURS[laser.power]),
        Disc(start, 1.2, INK),
        Disc(start, 0.95, MUZZLE),
    ]


def draw_shield(shield: Shield, half_wh_mm: tuple[float, float]) -> list[Shape]:
    """Draw the double bar beside the stretch of edge it protects, as far as the panel reaches."""
    half_w, half_h = half_wh_mm
    reach = half_w if shield.edge in ("top", "bottom") else half_h
    out = half_h if shield.edge in ("top", "bottom") else half_w
    start, end = max(shield.from_mm, -reach), min(shield.to_mm, reach)
    shapes: list[Shape] = []
    for offset in _BAR_OFFSETS_MM:
        for rim, colour in ((0.0, _PALE), (_BAR_RIM_MM, _RED)):
            near, far = out - offset - rim, out - offset - _BAR_MM + rim
            first, last = start + rim, end - rim
            outline = {
                "top": box(first, -near, last, -far),
                "bottom": box(first, far, last, near),
                "left": box(-near, first, -far, last),
                "right": box(far, first, near, last),
            }[shield.edge]
            shapes.append(Polygon(outline, colour))
    return shapes


def draw_health(health: int, first: Point) -> list[Shape]:
    """Draw one red dot for each point of health, from left to right."""
    x, y = first
    return [
        Disc((x + 4.3 * i, y), radius, colour)
        for i in range(health)
        for radius, colour in ((1.95, INK), (1.75, _PALE), (1.4, _DOT))
    ]


def draw_emblem(index: int, centre: Point, palette: Palette) -> list[Shape]:
    """Draw a team's sign: flame, leaf, crystal, wave; then plain rings for further teams."""
    x, y = centre
    shapes: list[Shape] = [
        Disc(centre, 4.3, INK),
        Disc(centre, 4.0, palette.light),
        Disc(centre, 3.6, palette.band),
    ]

    def at(*points: Point) -> tuple[Point, ...]:
        return tuple((x + u, y + v) for u, v in points)

    if index == 0:
        flame = smooth(
            at((0.2, -3.1), (1.0, -1.4), (2.2, 0.4), (1.4, 2.3), (-0.6, 2.6), (-2.1, 1.2))
            + at((-1.6, -0.5), (-0.6, -0.6)),
            closed=True,
        )
        inner = smooth(at((0.3, 0.2), (0.9, 1.4), (0.1, 2.2), (-0.8, 1.5)), closed=True)
        shapes += [Polygon(flame, PAPER), Polygon(inner, palette.band)]
    elif index == 1:
        leaf = smooth(
            at((2.2, -2.5), (1.9, 0.9), (-0.6, 2.0), (-1.9, 1.7), (-1.4, -0.9)), closed=True
        )
        shapes += [
            Polygon(leaf, PAPER),
            Stroke(at((1.1, -1.3), (-2.4, 2.5)), 0.5, palette.band),
            Stroke(at((-1.7, 1.8), (-2.5, 2.6)), 0.6, PAPER),
        ]
    elif index == 2:
        shapes += [
            Polygon(
                at((0, -3.1), (1.9, -0.9), (1.3, 1.7), (0, 3.0), (-1.3, 1.7), (-1.9, -0.9)), PAPER
            ),
            Stroke(at((-1.9, -0.9), (0, -0.1), (1.9, -0.9)), 0.45, palette.band),
            Stroke(at((0, -0.1), (0, 3.0)), 0.45, palette.band),
        ]
    elif index == 3:
        for v in (-1.5, 0.3, 2.1):
            crest = smooth(at((-2.1, v), (-1.1, v - 0.7), (0, v), (1.1, v + 0.6), (2.1, v - 0.2)))
            shapes.append(Stroke(crest, 0.75, PAPER))
    else:
        shapes += [Disc(centre, 2.2, PAPER), Disc(centre, 1.2, palette.band)]
    return shapes
