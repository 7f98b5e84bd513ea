"""Homes, platforms, turrets, rocks and pods as shapes: hexagons, a flat side up, mm.

On each a team has its own pattern as well as its colour: red rays, white dots, blue rings.
"""

import math
from dataclasses import replace

import numpy as np

from calibration.art.drawing import Colour, Disc, Point, Polygon, Shape, Stroke, mix, placed, smooth
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.asteroyds_capture.palette import POD, ROCK, TEAMS, Tones
from calibration.asteroyds_capture.signs import on_circle, sign
from vision.games.asteroyds_capture.pieces import ASTEROYD_MM, TILE_MM

__all__ = ["home_shapes", "platform_shapes", "pod_shapes", "rock_shapes", "turret_shapes"]

_FLAT_MM = TILE_MM[1] / 2  # from the middle to a flat side
_BLEED_MM = 1.0
_DIGIT = Script(4.4, 0.95, 0.8)


def _hexagon(flat: float) -> tuple[Point, ...]:
    """Return a hexagon with a flat side up; its middle is so far from its sides."""
    return tuple(
        on_circle(flat / math.cos(math.pi / 6), math.pi / 6 + math.pi / 3 * k) for k in range(6)
    )


def _plate(tones: Tones) -> list[Shape]:
    return [
        Polygon(_hexagon(_FLAT_MM + _BLEED_MM), tones.edge),
        Polygon(_hexagon(_FLAT_MM - 0.8), tones.field),
    ]


def _sector(k: int, flat: float) -> tuple[Point, ...]:
    """Return the sixth of a hexagon that belongs to a side; 0 is up, clockwise."""
    corners = _hexagon(flat)
    return (0.0, 0.0), corners[(k - 1) % 6], corners[k]


def _pattern(team: str, tones: Tones, dark: Colour) -> list[Shape]:
    """Draw the team's pattern over a plate."""
    shapes: list[Shape] = []
    if team == "red":
        for k in range(6):
            middle = math.pi / 6 + math.pi / 3 * k
            ends = [on_circle(19.2, middle + lean) for lean in (-0.2, 0.2)]
            shapes.append(Polygon(((0.0, 0.0), *ends), dark))
    elif team == "white":
        for k in range(6):
            middle = math.pi / 6 + math.pi / 3 * k
            shapes.append(Disc(on_circle(15.6, middle), 2.0, dark))
            shapes.append(Disc(on_circle(10.6, middle), 1.2, dark))
    else:
        for flat in (15.2, 11.2):
            shapes += [Polygon(_hexagon(flat), dark), Polygon(_hexagon(flat - 2.0), tones.field)]
    return [*shapes, Stroke(_hexagon(_FLAT_MM), 1.6, tones.edge, closed=True)]


def home_shapes(team: str) -> list[Shape]:
    """Return a home: a nest for the asteroyd, alike from all six sides."""
    tones = TEAMS[team]
    dark = mix(tones.field, tones.rim, 0.6)
    shapes = [*_plate(replace(tones, field=dark))]
    for k in range(6):
        turn = math.pi / 3 * k + math.pi / 6
        at = on_circle(16.0, turn)
        shapes += placed(sign(team, 1, tones.ink, 2.7), at, turn)
    nest = ASTEROYD_MM / 2
    shapes += [Disc((0, 0), nest + 1.0, tones.ink), Disc((0, 0), nest, dark)]
    for k in range(12):
        turn = math.pi / 6 * k
        ends = (on_circle(nest - 0.6, turn), on_circle(nest - 3.4, turn))
        shapes.append(Stroke(ends, 0.9, tones.glow))
    shapes += [Disc((0, 0), 7.4, tones.field), Disc((0, 0), 5.6, dark)]
    return [*shapes, *sign(team, 1, tones.glow, 4.2)]


def platform_shapes(team: str) -> list[Shape]:
    """Return a platform: a lit deck on which ships start, alike from all six sides."""
    tones = TEAMS[team]
    dark = mix(tones.field, tones.rim, 0.6)
    shapes = [*_plate(tones), *_pattern(team, tones, dark)]
    shapes += [
        Stroke(_hexagon(13.4), 1.2, tones.ink, closed=True),
        Polygon(_hexagon(9.0), dark),
        Stroke(_hexagon(9.0), 0.8, tones.glow, closed=True),
    ]
    for k in range(6):
        turn = math.pi / 3 * k
        tip = (on_circle(10.2, turn), on_circle(12.6, turn + 0.12), on_circle(12.6, turn - 0.12))
        shapes.append(Polygon(tip, tones.glow))
        for lean in (-0.34, 0.34):
            shapes.append(Disc(on_circle(15.5, turn + lean), 0.8, tones.ink))
    return [*shapes, *placed(sign(team, 3, tones.ink, 6.2), (0.0, 0.3))]


def _first_side(ink: Colour) -> list[Shape]:
    """Mark the side of the 1, where the piece looks, from its edge to the figures' feet."""
    reach = math.tan(math.pi / 6) - 0.08
    edges = [(side * r * reach, -r) for side, r in ((-1, 10.6), (-1, 16.2), (1, 16.2), (1, 10.6))]
    return [Polygon(tuple(edges), ink)]


def _digits(ink: Colour, first: Colour, away: float = 13.3) -> list[Shape]:
    """Write 1 to 6 at the sides, clockwise from the top, their heads outward."""
    shapes: list[Shape] = []
    for k in range(6):
        wide = text_width_mm(str(k + 1), _DIGIT)
        digit = letter(str(k + 1), (-wide / 2, -_DIGIT.height_mm / 2), _DIGIT, ink if k else first)
        shapes += placed(digit, on_circle(away, math.pi / 3 * k), math.pi / 3 * k)
    return shapes


def turret_shapes(team: str, number: int) -> list[Shape]:
    """Return a turret: its barrels toward the side of the 1; a second one has its sides shaded."""
    tones = TEAMS[team]
    dark = mix(tones.field, tones.rim, 0.6)
    shapes = [*_plate(tones)]
    if number == 2:
        shapes += [
            Polygon(_sector(k, _FLAT_MM - 0.8), mix(tones.field, tones.rim, 0.62))
            for k in (1, 3, 5)
        ]
    shapes += _pattern(team, tones, dark)
    shapes += _first_side(tones.ink) + _digits(tones.ink, tones.field)
    for x in (0.0,) if number == 1 else (-2.3, 2.3):
        wide = 3.2 if number == 1 else 2.0
        shapes += [
            Stroke(((x, -4.0), (x, -9.9)), wide + 1.4, tones.rim),
            Stroke(((x, -4.0), (x, -9.9)), wide, tones.glow),
        ]
    dome: tuple[Point, ...]
    if team == "red":
        dome = tuple(on_circle(9.0, 2 * math.pi * k / 3 + math.pi / 3) for k in range(3))
        dome = tuple(p for k in range(3) for p in _cut(dome, k))
    elif team == "blue":
        dome = tuple(on_circle(7.0, 2 * math.pi * k / 40) for k in range(40))
    else:
        dome = tuple(on_circle(8.6, math.pi / 4 + math.pi / 2 * k) for k in range(4))
    shapes += [Stroke(dome, 1.6, tones.rim, closed=True), Polygon(dome, dark)]
    ink = tones.ink if team != "white" else tones.field
    return [*shapes, *placed(sign(team, number, ink, 4.4), (0.0, 0.4))]


def _cut(triangle: tuple[Point, ...], k: int) -> tuple[Point, Point]:
    """Return the two ends of a triangle's corner that is cut off."""
    (x, y), before, after = triangle[k], triangle[k - 1], triangle[(k + 1) % 3]
    return (
        (x + 0.2 * (before[0] - x), y + 0.2 * (before[1] - y)),
        (x + 0.2 * (after[0] - x), y + 0.2 * (after[1] - y)),
    )


def rock_shapes(number: int) -> list[Shape]:
    """Return a rock of blue ice: as many craters as its number, its spur toward the 1."""
    rng = np.random.default_rng([14, number])
    tones = ROCK
    dark = mix(tones.field, tones.rim, 0.62)
    shapes: list[Shape] = [
        Polygon(_hexagon(_FLAT_MM + _BLEED_MM), tones.edge),
        Polygon(_hexagon(_FLAT_MM - 0.8), dark),
        *_first_side(tones.ink),
        *_digits(tones.ink, dark),
    ]
    lumps = rng.uniform(7.6, 10.4, 12)
    lumps[0] = 10.4
    turns = [2 * math.pi * k / 12 for k in range(12)]
    for share, push, tone in (
        (1.0, 0.0, tones.field),
        (0.8, -0.9, tones.glow),
        (0.52, -1.6, tones.ink),
    ):
        knots = [on_circle(share * r, t, (push, push)) for r, t in zip(lumps, turns, strict=True)]
        outline = smooth(knots, closed=True, steps=4)
        if share == 1.0:
            shapes.append(Stroke(outline, 1.4, tones.rim, closed=True))
        shapes.append(Polygon(outline, mix(tones.field, tone, 0.6)))
    return [*shapes, *_craters(number, tones)]


def _craters(number: int, tones: Tones) -> list[Shape]:
    """Draw the number: so many craters about the middle, one alone behind it."""
    size = (4.4, 3.2, 2.8, 2.5)[number - 1]
    away = (0.0, 4.6, 4.9, 5.2)[number - 1]
    shapes: list[Shape] = []
    for k in range(number):
        x, y = on_circle(away, 2 * math.pi * k / number + (math.pi / 2 if number != 3 else math.pi))
        y += 2.4 if number == 1 else 0.0
        shapes += [
            Disc((x + 0.4, y + 0.4), size, tones.ink),
            Disc((x, y), size, tones.rim),
            Disc((x + 0.5, y + 0.5), 0.62 * size, mix(tones.rim, tones.field, 0.4)),
        ]
    return shapes


def pod_shapes() -> list[Shape]:
    """Return a pod: a sealed drum, alike from three sides."""
    tones = POD
    dark = mix(tones.field, tones.rim, 0.65)
    shapes: list[Shape] = [
        Polygon(_hexagon(_FLAT_MM + _BLEED_MM), tones.edge),
        Polygon(_hexagon(_FLAT_MM - 0.8), dark),
    ]
    for k in range(3):
        turn = 2 * math.pi * k / 3
        side = [
            on_circle(r, turn + lean)
            for r, lean in ((8.2, -0.8), (17.6, -0.42), (17.6, 0.42), (8.2, 0.8))
        ]
        shapes.append(Polygon(tuple(side), tones.field))
        for r in (11.4, 14.2):
            ends = (on_circle(r, turn - 0.36), on_circle(r, turn + 0.36))
            shapes.append(Stroke(ends, 1.1, dark))
    shapes += [Disc((0, 0), 8.6, tones.rim), Disc((0, 0), 7.6, tones.glow), Disc((0, 0), 5.4, dark)]
    for k in range(3):
        turn = 2 * math.pi * k / 3 + math.pi / 3
        shapes.append(Stroke(((0.0, 0.0), on_circle(5.0, turn)), 2.2, tones.ink))
        shapes.append(Disc(on_circle(16.0, turn), 1.5, tones.ink))
    return [*shapes, Disc((0, 0), 2.2, tones.ink), Disc((0, 0), 1.1, tones.rim)]
