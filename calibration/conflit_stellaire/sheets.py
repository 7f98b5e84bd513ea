"""Hull card, distance strip and marker as shapes.

Both sheets are white beyond a dark ground; every cell has its number and a drawing behind it that
no other has, so that any part of a sheet fixes its place.
"""

import math

import numpy as np

from calibration.art.drawing import (
    Colour,
    Disc,
    Polygon,
    Ring,
    Shape,
    Stroke,
    arc,
    box,
    mix,
    rgb,
    smooth,
)
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.art.palette import INK, PAPER
from calibration.conflit_stellaire.forms import at_angle, glass, laid, solid, star, symmetric
from calibration.conflit_stellaire.palette import SHEET
from vision.games.conflit_stellaire.deck import deck

__all__ = ["hull_card", "marker", "strip"]

_CELL_MM = 4.0  # radius of a printed cell: a marker of 10 mm hides it whole
_BORDER_MM, _BAND_MM = 3.5, 0.8  # of a hull card: the last row leaves no room for a wider band
_NUMBER, _TITLE, _SMALL = Script(3.4, 0.6, 0.72), Script(2.6, 0.5, 0.8), Script(1.8, 0.32, 0.75)
_EMPTY, _WHOLE = rgb("#2A3350"), rgb("#2E9B74")  # of a hull's cells: least and most
_MARK, _MARK_DARK = rgb("#FF2E88"), rgb("#5C0028")


def hull_card() -> list[Shape]:
    """Return a hull card: the points of a flagship's hull, 0 to 30, from the top left."""
    width, height = deck().card_mm
    frame = (width - 2 * _BORDER_MM, height - 2 * _BORDER_MM)
    half = (frame[0] / 2, frame[1] / 2)
    shapes: list[Shape] = [Polygon(box(-half[0], -half[1], half[0], half[1]), SHEET.panel)]
    shapes += _hull_ground(half)
    pitch = deck().hull_pitch_mm
    for n in range(deck().hull_cells):
        at = ((n % 5 - 2) * pitch, (n // 5 - 3) * pitch + 3)
        share = n / (
            deck().hull_cells - 1
        )  # from black, nothing left; no cell of a marker's colour
        ground = mix(_EMPTY, _WHOLE, share) if n else INK
        shapes += _cell(at, str(n), ground, PAPER)
    shapes += letter("FLAGSHIP", (-half[0] + 3.0, -half[1] + 2.2), _TITLE, SHEET.light)
    shapes += letter("COQUE", (half[0] - 13.4, -half[1] + 2.7), _SMALL, SHEET.bright)
    panel = (frame[0] - 2 * _BAND_MM, frame[1] - 2 * _BAND_MM)
    under, beyond = (frame[0] + 2, frame[1] + 2), (width + 2, height + 2)
    return [*shapes, Ring(under, panel, SHEET.band), Ring(beyond, frame, PAPER)]


def strip() -> list[Shape]:
    """Return a distance strip: the cells 1 to 12, the first white on black."""
    width, height = deck().scale_mm
    half = (width / 2, height / 2)
    shapes: list[Shape] = [
        Polygon(box(-half[0] - 1, -half[1] - 1, half[0] + 1, half[1] + 1), PAPER),
        Polygon(box(-half[0] + 2, -half[1] + 2, half[0] - 2, half[1] - 2), SHEET.band),
    ]
    shapes += _strip_ground(half)
    pitch, cells = deck().scale_pitch_mm, deck().scale_cells
    for n in range(1, cells + 1):
        at = ((n - (cells + 1) / 2) * pitch, 0.0)
        shades = (INK, PAPER) if n == 1 else (mix(PAPER, SHEET.bright, (n - 2) / cells), INK)
        shapes += [Disc(at, 6.6, mix(SHEET.band, shades[0], 0.6)), *_cell(at, str(n), *shades, 5.6)]
    for text, x in (("NEAR", -86.0), ("UDS", -4.0), ("FAR", 79.0)):
        wide, top = text_width_mm(text, _TITLE), half[1] - 6.6
        shapes.append(Polygon(box(x - 1.2, top, x + wide + 1.2, top + 4.6), SHEET.band))
        shapes += letter(text, (x, half[1] - 5.6), _TITLE, PAPER)
    return shapes


def marker() -> list[Shape]:
    """Return a marker, its notch up."""
    radius = deck().marker_mm / 2
    notch = [(0, -radius + 0.6), (1.9, -0.8), (-1.9, -0.8)]
    return [
        Disc((0, 0), radius + 1.0, _MARK_DARK),
        Disc((0, 0), radius - 0.7, _MARK),
        Polygon(tuple(notch), PAPER),
        Disc((0, 1.4), 1.6, _MARK_DARK),
    ]


def _cell(
    at: tuple[float, float], text: str, ground: Colour, ink: Colour, radius: float = _CELL_MM
) -> list[Shape]:
    wide = text_width_mm(text, _NUMBER)
    where = (at[0] - wide / 2, at[1] - _NUMBER.height_mm / 2)
    return [
        Disc(at, radius + 0.5, INK),
        Disc(at, radius, ground),
        *letter(text, where, _NUMBER, ink),
    ]


def _hull_ground(half: tuple[float, float]) -> list[Shape]:
    """Draw the flagship behind the cells, nose to the upper right, and stars."""
    hull = symmetric([(0, -46), (6, -30), (11, -4), (27, 14), (27, 22), (11, 17), (8, 30)])
    ship = [
        *solid(hull, SHEET.shade),
        *solid(symmetric([(3, -20), (5, 8), (3, 22)]), SHEET.dim, 0.5),
    ]
    shapes = laid([*ship, *glass((0, -28), (2.4, 6))], 2, 4, 24)
    rng = np.random.default_rng([15, 99])
    for x, y, size in rng.uniform(-1, 1, (46, 3)):
        at = (float(x) * half[0], float(y) * half[1])
        shapes.append(Polygon(star(at, (0.8 + 0.5 * float(size), 0.25), 4), SHEET.light))
    return [*shapes, Disc((8.0, 37.0), 2.2, SHEET.bright), Disc((17.0, 36.0), 3.4, SHEET.dim)]


def _strip_ground(half: tuple[float, float]) -> list[Shape]:
    """Draw what lies behind the cells: a way through space, no stretch like another."""
    rng = np.random.default_rng([15, 98])
    shapes: list[Shape] = []
    for k, x in enumerate(np.linspace(-half[0] + 8, half[0] - 8, 24)):
        y = (-1 if k % 2 else 1) * float(rng.uniform(7.5, 11.5))
        at, size = (float(x) + float(rng.uniform(-2, 2)), y), float(rng.uniform(1.2, 3.2))
        tone = (SHEET.bright, SHEET.light, SHEET.dim)[int(rng.integers(3))]
        match int(rng.integers(4)):
            case 0:
                shapes += [Disc(at, size, tone), Disc((at[0] + 0.4 * size, y), 0.5 * size, INK)]
            case 1:
                turn = float(rng.uniform(0, 1))
                shapes.append(Polygon(star(at, (1.3 * size, 0.5 * size), 5, turn), tone))
            case 2:
                shapes.append(Stroke(arc(at, size, 0, 2 * math.pi, 20), 0.8, tone, closed=True))
            case _:
                ends = (at_angle(1.6 * size, float(rng.uniform(0, 3)), at), at)
                shapes += [Stroke(ends, 0.9, tone), Disc(at, 0.45 * size, tone)]
    way = smooth([(-half[0] + 4, 9), (-50, -8), (-12, 9), (30, -9), (64, 8), (half[0] - 4, -7)])
    return [Stroke(way, 1.6, SHEET.shade), *shapes]
