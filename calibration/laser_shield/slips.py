"""The order slip as shapes: one a team and phase, folded until both are written."""

import math

from calibration.art.drawing import Disc, Point, Polygon, Shape, Stroke, arc, box, mix, rgb
from calibration.art.lettering import Script, letter, text_width_mm
from vision.games.laser_shield.board import HEADINGS

__all__ = ["SLIP_MM", "slip_shapes"]

SLIP_MM = (92.0, 54.0)  # two beside each other, four or five below, on Letter or A4

_INK, _PALE, _WHITE = rgb("#2B2A33"), rgb("#B9B3A6"), rgb("#FFFFFF")
_TEAMS = {"orange": rgb("#C8611F"), "blue": rgb("#2F6FD0")}
_TITLE, _WORD, _SMALL = Script(3.4, 0.65, 0.85), Script(2.6, 0.45, 0.85), Script(1.9, 0.32, 0.85)


def slip_shapes(team: str) -> list[Shape]:
    """Return a team's slip in its own frame, mm, in the order to paint."""
    wide, high = SLIP_MM
    left, top = -wide / 2, -high / 2
    colour = _TEAMS[team]
    shapes: list[Shape] = [
        Polygon(box(left, top, -left, -top), _WHITE),
        Polygon(box(left, top, -left, top + 8.0), colour),
        *letter(f"{team} order", (left + 4.0, top + 2.3), _TITLE, _WHITE),
        *letter("phase", (20.0, top + 2.6), _WORD, _WHITE),
        Stroke(((34.0, top + 6.2), (-left - 4.0, top + 6.2)), 0.4, _WHITE),
    ]
    if team == "blue":  # for eyes that do not tell colours: dots under the head, as on the tokens
        shapes += [Disc((left + 3.0 + 5.0 * k, top + 10.0), 0.7, colour) for k in range(18)]
    for k, (word, fields) in enumerate(_LINES):
        shapes += _line(word, fields, top + 15.6 + 10.4 * k)
    return shapes + _rose((33.0, 12.5))


#: What may be written: a box to tick, a word, then boxes for squares (s), a box to tick with its
#: word, or what stands between them.
_LINES = (
    ("move", ("s", "-", "s", "-", "s", "-", "s")),
    ("turn", ("left", "right")),
    ("fire", ("s", "AT", "s")),
    ("pass", ()),
)


def _line(word: str, fields: tuple[str, ...], y: float) -> list[Shape]:
    """Draw one kind of order."""
    x = -SLIP_MM[0] / 2 + 5.0
    shapes: list[Shape] = [] if word == "turn" else _box(x, y, 4.4)
    shapes += letter("then" if word == "turn" else word, (x + 7.0, y - 1.3), _WORD, _INK)
    x += 22.0
    for field in fields:
        if field == "s":
            shapes += _box(x, y, 9.0)
            x += 10.4
        elif field in ("left", "right"):
            shapes += _box(x, y, 4.4)
            shapes += letter(field, (x + 6.2, y - 1.3), _WORD, _INK)
            x += 24.0
        else:
            shapes += letter(field, (x, y - 1.3), _WORD, _INK)
            x += text_width_mm(field, _WORD) + 1.6
    return shapes


def _box(x: float, y: float, side: float) -> list[Shape]:
    corners = box(x, y - side / 2, x + side, y + side / 2)
    return [Stroke(corners, 0.35, _INK, closed=True)]


def _rose(centre: Point) -> list[Shape]:
    """Draw the eight headings, small, with the board's north up."""
    shapes: list[Shape] = [Stroke(arc(centre, 6.2, 0, 2 * math.pi, 30), 0.3, _PALE, closed=True)]
    for k, heading in enumerate(HEADINGS):
        turn, reach = math.pi / 4 * k, 9.2 if k % 2 == 0 else 9.8
        u, v = math.sin(turn), -math.cos(turn)
        at = (centre[0] + reach * u, centre[1] + reach * v)
        wide = text_width_mm(heading, _SMALL)
        tone = _INK if k % 2 == 0 else mix(_INK, _PALE, 0.5)
        shapes += letter(heading, (at[0] - wide / 2, at[1] - 0.95), _SMALL, tone)
        tip = 5.2 if k % 2 == 0 else 3.8
        ends = ((centre[0] + r * u, centre[1] + r * v) for r in (1.2, tip))
        shapes.append(Stroke(tuple(ends), 0.3, _PALE))
    return shapes
