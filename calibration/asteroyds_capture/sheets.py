"""A ship's programming sheet as shapes: a head that tells whose it is, then cells to cover, mm.

A cell's drawing is dark and about 8 mm wide on pale ground, so that a counter of any colour hides
it and is seen by what it hides. Head and panels have the ship's own pattern: on a grey print too.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from calibration.art.drawing import (
    Colour,
    Disc,
    Point,
    Polygon,
    Shape,
    Stroke,
    arc,
    box,
    mix,
    placed,
)
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.asteroyds_capture.palette import PALE, TEAMS, Tones
from calibration.asteroyds_capture.ships import ship_shapes
from calibration.asteroyds_capture.signs import on_circle, sign, star
from vision.games.asteroyds_capture.pieces import PILOT_MM, SHEET_MM
from vision.games.asteroyds_capture.sheets import ACTIONS, CELL_MM, FIRST_MM, MODES, SLOT_MM
from vision.games.asteroyds_capture.values import COLUMNS

__all__ = ["sheet_shapes"]

_INK, _LINE = (43, 42, 51), (120, 116, 110)
_HEAD_MM = 15.0
_TITLE, _WORD, _SMALL = Script(4.2, 0.85, 0.85), Script(2.1, 0.38, 0.78), Script(1.7, 0.3, 0.78)
_FRENCH = {"red": "rouge", "white": "blanc", "blue": "bleu"}
_ROWS = (
    ("forward", "avancer"),
    ("left", "gauche"),
    ("right", "droite"),
    ("back", "demi-tour"),
    ("fire", "tirer"),
    ("power", "pouvoir"),
    ("round", "tour"),
)
_MODES = {"shield": "bouclier", "fire": "tir"}
_ROUND = len(ACTIONS) + 1  # the row of the anticipation


def sheet_shapes(team: str, number: int) -> list[Shape]:
    """Return the sheet of a ship in its own frame, in the order to paint."""
    tones = TEAMS[team]
    half_w, half_h = SHEET_MM[0] / 2, SHEET_MM[1] / 2
    shapes: list[Shape] = [
        Polygon(box(-half_w - 1, -half_h - 1, half_w + 1, half_h + 1), PALE),
        *_panels(team, number, tones),
    ]
    for row, words in enumerate(_ROWS, 1):
        shapes += _label(row, words)
        for column in range(1, COLUMNS + 1):
            shapes += _cell(column, row, tones)
    for mode, row in MODES:
        shapes += _cell(COLUMNS + 1, row, tones)
        y = _middle(COLUMNS + 1, row)[1] + CELL_MM[1] / 2 + 2.4
        x, french = _middle(COLUMNS + 1, row)[0], _MODES[mode]
        shapes.append(Polygon(_around((x, y + 1.2), 15.0, 7.2), PALE))
        shapes += _centred(mode, (x, y - 0.4), _WORD, _INK)
        shapes += _centred(french, (x, y + 3.1), _SMALL, mix(_INK, PALE, 0.25))
    shapes += _head(team, number, tones)
    frame = box(-half_w + 0.4, -half_h + 0.4, half_w - 0.4, half_h - 0.4)
    return [*shapes, Stroke(frame, 0.8, _INK, closed=True)]


def _middle(column: int, row: int) -> Point:
    return FIRST_MM[0] + CELL_MM[0] * (column - 1), FIRST_MM[1] + CELL_MM[1] * (row - 1)


def _around(at: Point, wide: float, high: float) -> tuple[Point, ...]:
    return box(at[0] - wide / 2, at[1] - high / 2, at[0] + wide / 2, at[1] + high / 2)


def _centred(text: str, at: Point, script: Script, ink: Colour) -> list[Shape]:
    """Set a word about a point."""
    corner = (at[0] - text_width_mm(text, script) / 2, at[1] - script.height_mm / 2)
    return letter(text, corner, script, ink)


# --- the head and what only this ship has --------------------------------------------------------


def _head(team: str, number: int, tones: Tones) -> list[Shape]:
    half_w, top = SHEET_MM[0] / 2, -SHEET_MM[1] / 2
    low = top + _HEAD_MM
    shapes: list[Shape] = [
        Polygon(box(-half_w, top, half_w, low), tones.field),
        *_banner(team, number, tones),
        Stroke(((-half_w, low), (half_w, low)), 0.8, tones.rim),
    ]
    face = placed(ship_shapes(team, number), (-half_w + 9.4, top + 7.6), 0.0, 0.74)
    back = Disc((-half_w + 9.4, top + 7.6), 7.3, tones.ink)
    shapes += [back, *face]
    for text, y, script in (
        (f"{team} {number}", top + 2.6, _TITLE),
        (f"{_FRENCH[team]} {number}", top + 10.0, _WORD),
    ):
        shapes += letter(text, (-half_w + 19.5, y), script, tones.ink)
    shapes += [
        Disc(SLOT_MM, PILOT_MM / 2 + 1.2, tones.rim),
        Disc(SLOT_MM, PILOT_MM / 2 + 0.6, tones.ink),
        Disc(SLOT_MM, PILOT_MM / 2, mix(tones.field, PALE, 0.55)),
    ]
    return shapes + _centred("pilot", (SLOT_MM[0], SLOT_MM[1] + 0.1), _SMALL, _INK)


def _banner(team: str, number: int, tones: Tones) -> list[Shape]:
    """Fill the head between name and slot with the team's sign, and its end: broad, or finer."""
    middle = -SHEET_MM[1] / 2 + _HEAD_MM / 2
    pitch, size = ((17.0, 6.6), (12.2, 5.4), (8.6, 3.9))[number - 1]
    shapes: list[Shape] = []
    for k in range(int(56.0 // pitch)):
        at = (-18.0 + pitch * (k + 0.5), middle + (0.0 if number == 1 else 1.6 * (-1) ** k))
        first = sorted(TEAMS).index(team)
        turn = math.pi / 2 * ((0, first + 1, k + first)[number - 1])
        shapes += placed(sign(team, number, tones.ink, size), at, turn)
    end = (SHEET_MM[0] / 2 - 9.4, middle)
    return shapes + placed(sign(team, number, tones.glow, 6.4), end, math.pi)


def _panels(team: str, number: int, tones: Tones) -> list[Shape]:
    """Fill the right column with the ship's pattern: dark, where nothing is laid."""
    left, right = _middle(COLUMNS + 1, 1)[0] - CELL_MM[0] / 2, SHEET_MM[0] / 2
    top, low = -SHEET_MM[1] / 2 + _HEAD_MM, SHEET_MM[1] / 2
    ground = mix(tones.field, tones.rim, 0.25 if team != "white" else 0.0)
    shapes: list[Shape] = [Polygon(box(left, top, right, low), ground)]
    rng = np.random.default_rng([14, sorted(TEAMS).index(team), number])
    places = [(left + 6.0 + 10.5 * (k % 2), top + 5.5 + 9.0 * (k // 2)) for k in range(24)]
    for x, y in places:
        if y > low - 3.0:
            continue
        at = (x + float(rng.uniform(-1.2, 1.2)), y + float(rng.uniform(-1.2, 1.2)))
        size, turn = float(rng.uniform(2.6, 4.4)), float(rng.uniform(0, 6.3))
        shapes += placed(sign(team, number, mix(ground, tones.ink, 0.7), size), at, turn)
    return shapes


# --- cells ---------------------------------------------------------------------------------------


def _label(row: int, words: tuple[str, str]) -> list[Shape]:
    x = (-SHEET_MM[0] / 2 + FIRST_MM[0] - CELL_MM[0] / 2) / 2
    y = _middle(1, row)[1]
    english = _centred(words[0], (x, y - 1.9), _WORD, _INK)
    return [*english, *_centred(words[1], (x, y + 2.1), _SMALL, mix(_INK, PALE, 0.25))]


def _cell(column: int, row: int, tones: Tones) -> list[Shape]:
    """Draw a cell: its frame, its number where it heads a column, what it stands for."""
    at = _middle(column, row)
    tint = mix(PALE, tones.glow, 0.10 if column % 2 else 0.0)
    shapes: list[Shape] = [
        Polygon(_around(at, *CELL_MM), tint),
        Stroke(_around(at, *CELL_MM), 0.35, _LINE, closed=True),
    ]
    if column > COLUMNS:
        drawn = _shield() if (MODES[0][1] == row) else _sight()
        return [*shapes, *placed(drawn, at)]
    if row == _ROUND:
        face = Stroke(arc(at, 4.3, 0, 2 * math.pi, 30), 1.0, _INK, closed=True)
        return [*shapes, face, *_centred(str(column), at, Script(4.2, 1.0, 0.85), _INK)]
    if row == 1:
        corner = (at[0] - CELL_MM[0] / 2 + 1.3, at[1] - CELL_MM[1] / 2 + 1.3)
        shapes += letter(str(column), corner, _WORD, _INK)
    return [*shapes, *placed(_ICONS[ACTIONS[row - 1]](), at)]


def _arrow(line: Sequence[Point], head: float = 3.0) -> list[Shape]:
    """Draw an arrow along a line."""
    (x, y), (u, v) = line[-2], line[-1]
    turn = math.atan2(v - y, u - x)
    tip = (u + 1.9 * math.cos(turn), v + 1.9 * math.sin(turn))
    wings = [
        (
            u - 1.2 * math.cos(turn) + side * head * math.sin(turn),
            v - 1.2 * math.sin(turn) - side * head * math.cos(turn),
        )
        for side in (-1, 1)
    ]
    return [Stroke(tuple(line), 1.7, _INK), Polygon((tip, *wings), _INK)]


def _forward() -> list[Shape]:
    return _arrow(((0.0, 4.2), (0.0, -2.5)))


def _turning(side: int) -> list[Shape]:
    return _arrow(((-1.4 * side, 4.2), (-1.4 * side, 0.6), (1.6 * side, -1.2)))


def _back() -> list[Shape]:
    bend = (*arc((0.0, -0.9), 2.4, math.pi, 2 * math.pi, 10), (2.4, 2.0))
    return [*_arrow(bend, 2.6), Stroke(((-2.4, -0.9), (-2.4, 4.0)), 1.7, _INK)]


def _fire() -> list[Shape]:
    return [
        Stroke(((-6.4, 0.0), (0.6, 0.0)), 1.5, _INK),
        Polygon(star((2.2, 0.0), 4.4, 1.7, 8), _INK),
    ]


def _power() -> list[Shape]:
    bolt = ((1.4, -4.8), (-3.0, 0.9), (-0.3, 0.9), (-1.4, 4.8), (3.0, -1.0), (0.4, -1.0))
    return [Polygon(bolt, _INK)]


def _shield() -> list[Shape]:
    outline = ((0.0, 4.9), (-4.0, 0.6), (-4.0, -4.2), (0.0, -4.8), (4.0, -4.2), (4.0, 0.6))
    return [
        Polygon(outline, _INK),
        Polygon(((0.0, 2.6), (0.0, -3.2), (2.4, -2.8), (2.4, 0.0)), PALE),
    ]


def _sight() -> list[Shape]:
    shapes: list[Shape] = [Stroke(arc((0.0, 0.0), 3.3, 0, 2 * math.pi, 30), 1.1, _INK, closed=True)]
    for k in range(4):
        ends = (on_circle(1.6, math.pi / 2 * k), on_circle(4.9, math.pi / 2 * k))
        shapes.append(Stroke(ends, 1.1, _INK))
    return shapes


_ICONS: dict[str, Callable[[], list[Shape]]] = {
    "forward": _forward,
    "left": lambda: _turning(-1),
    "right": lambda: _turning(1),
    "back": _back,
    "fire": _fire,
    "power": _power,
}
