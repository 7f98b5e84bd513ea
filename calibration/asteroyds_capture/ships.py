"""Ships, asteroyds, pilots' tokens and counters as shapes: discs, looking up (-y), mm."""

import math

from calibration.art.drawing import Disc, Polygon, Shape, Stroke, arc, mix, placed, rgb
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.asteroyds_capture.palette import PALE, TEAMS, Tones
from calibration.asteroyds_capture.signs import on_circle, sign, star
from vision.games.asteroyds_capture.pieces import (
    ASTEROYD_MM,
    COUNTER_MM,
    PILOT_MM,
    PILOTS,
    SHIP_MM,
)

__all__ = ["asteroyd_shapes", "counter_shapes", "pilot_shapes", "ship_shapes"]

_BLEED_MM = 1.0  # beyond the cut
_PILOT = Tones(rgb("#F6C445"), rgb("#2A1E05"), rgb("#2A1E05"), rgb("#FFF3C9"), rgb("#FFF3C9"))
_COUNTER = Tones(rgb("#6A2C91"), rgb("#F3E4FF"), rgb("#2C0F40"), rgb("#B57BDC"), rgb("#F3E4FF"))
_MARK = Script(3.0, 0.7, 0.75)


def ship_shapes(team: str, number: int) -> list[Shape]:
    """Return a ship: a nose that looks ahead, the team's sign behind it."""
    tones, radius = TEAMS[team], SHIP_MM / 2
    shapes: list[Shape] = [
        Disc((0, 0), radius + _BLEED_MM, tones.edge),
        Disc((0, 0), radius - 0.6, tones.rim),
        Disc((0, 0), radius - 1.0, tones.field),
    ]
    shapes += placed(sign(team, number, tones.ink, 5.4), (0.0, 1.9))
    tip = ((0.0, -radius + 0.3), (3.5, -radius + 4.6), (-3.5, -radius + 4.6))
    return [*shapes, Polygon(tip, tones.ink), Stroke(tip, 0.7, tones.rim, closed=True)]


def asteroyd_shapes(team: str) -> list[Shape]:
    """Return an asteroyd: a cut crystal; its rim alone, round a ship on it, tells whose it is."""
    tones, radius = TEAMS[team], ASTEROYD_MM / 2
    dark = mix(tones.field, tones.rim, 0.72)
    shapes: list[Shape] = [
        Disc((0, 0), radius + _BLEED_MM, tones.edge),
        Disc((0, 0), radius - 0.6, tones.field),
    ]
    if team == "red":  # teeth
        for k in range(7):
            turn = 2 * math.pi * k / 7
            tooth = (
                on_circle(11.6, turn),
                on_circle(7.4, turn + 0.36),
                on_circle(7.4, turn - 0.36),
            )
            shapes.append(Polygon(tooth, tones.ink))
    elif team == "white":  # beads
        for k in range(10):
            shapes.append(Disc(on_circle(9.9, 2 * math.pi * k / 10), 1.35, tones.ink))
    else:  # three runs of a ring
        for k in range(3):
            turn = 2 * math.pi * k / 3
            shapes.append(Stroke(arc((0, 0), 9.8, turn, turn + 1.35, 16), 2.6, tones.ink))
    sides = {"red": 3, "white": 4, "blue": 5}[team]
    return [*shapes, *_crystal(sides, 7.6, tones, dark)]


def _crystal(sides: int, reach: float, tones: Tones, dark: tuple[int, int, int]) -> list[Shape]:
    """Draw a crystal from above: a table of so many sides, facets round it."""
    shapes: list[Shape] = [Disc((0, 0), reach, dark)]
    outer = [on_circle(reach - 0.4, math.pi * k / sides) for k in range(2 * sides)]
    inner = [on_circle(0.55 * reach, 2 * math.pi * k / sides) for k in range(sides)]
    for k in range(sides):
        left, tip, right = outer[2 * k - 1], outer[2 * k], outer[(2 * k + 1) % (2 * sides)]
        lit = 0.5 - 0.5 * math.cos(2 * math.pi * k / sides + 0.6)
        tone = mix(tones.glow, dark, 0.75 * lit)
        shapes.append(Polygon((left, tip, inner[k]), mix(tone, tones.ink, 0.2)))
        shapes.append(Polygon((tip, right, inner[k]), tone))
        shapes.append(Polygon((right, inner[k], inner[(k + 1) % sides]), mix(tone, dark, 0.3)))
    return [*shapes, Polygon(tuple(inner), mix(tones.glow, tones.ink, 0.45))]


def pilot_shapes(pilot: str) -> list[Shape]:
    """Return a pilot's token: an arrow that says the turn, and the first letters of the name.

    Three grounds, either way round, tell them apart where letters are too small to read.
    """
    radius = PILOT_MM / 2
    ground, way = divmod(PILOTS.index(pilot), 2)
    paper, ink = (_PILOT.glow, _PILOT.ink) if way else (_PILOT.ink, _PILOT.field)
    shapes: list[Shape] = [
        Disc((0, 0), radius + _BLEED_MM, ink),
        Disc((0, 0), radius - 0.5, paper),
    ]
    middles = ((), (math.pi / 2,), (0.0, math.pi))[ground]  # of what is cut off: below, both sides
    half = 1.15 if ground == 1 else 0.8
    for at in middles:
        shapes.append(Polygon(arc((0, 0), radius - 0.4, at - half, at + half, 24), ink))
    shapes.append(Polygon(((0.0, -5.6), (2.9, -2.3), (-2.9, -2.3)), ink))
    mark = pilot[:2]
    wide = text_width_mm(mark, _MARK)
    return shapes + letter(mark, (-wide / 2, -1.0), _MARK, ink)


def counter_shapes() -> list[Shape]:
    """Return a counter for who has no coins or beads: it hides what it lies on."""
    radius = COUNTER_MM / 2
    return [
        Disc((0, 0), radius + _BLEED_MM, _COUNTER.rim),
        Disc((0, 0), radius - 0.6, _COUNTER.field),
        Polygon(star((0.0, 0.0), 3.4, 1.4, 5), mix(_COUNTER.ink, PALE, 0.3)),
    ]
