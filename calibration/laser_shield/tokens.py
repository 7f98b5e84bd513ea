"""The tokens as shapes: a disc with a nose that looks, a shield on the right, a gun on the left."""

import math

from calibration.art.drawing import Colour, Disc, Point, Polygon, Shape, Stroke, arc, mix, rgb
from calibration.art.lettering import Script, letter, text_width_mm
from vision.games.laser_shield.pieces import TOKEN_MM

__all__ = ["token_shapes"]

_TEAMS = {"orange": (rgb("#E8762C"), rgb("#5A2408")), "blue": (rgb("#2F6FD0"), rgb("#0B1F4A"))}
_WHITE, _SHIELD = rgb("#FFFFFF"), rgb("#D8F4FF")
_NUMBER = Script(8.5, 1.5, 0.85)


def token_shapes(pawn: str) -> list[Shape]:
    """Return a token in its own frame, looking up (-y), mm, in the order to paint."""
    team, _, number = pawn.partition("-")
    light, dark = _TEAMS[team]
    radius = TOKEN_MM / 2
    shapes: list[Shape] = [
        Disc((0, 0), radius + 1.0, dark),
        Disc((0, 0), radius - 1.4, light),
        Disc((0, 0.5), 8.2, mix(light, _WHITE, 0.25)),
    ]
    shapes += _nose(dark) + _shield(radius, dark) + _gun(radius, dark)
    wide = text_width_mm(number, _NUMBER)
    shapes += letter(number, (-wide / 2, -3.4), _NUMBER, dark)
    shapes += _pips(int(number), dark)
    if team == "blue":  # for eyes that do not tell colours: a rim of notches
        for k in range(12):
            turn = 2 * math.pi * k / 12 + 0.26
            shapes.append(Disc(_on(radius - 0.7, turn), 0.8, _WHITE))
    return shapes


def _on(radius: float, turn_rad: float) -> Point:
    """Return a point of a circle; 0 is up, clockwise."""
    return radius * math.sin(turn_rad), -radius * math.cos(turn_rad)


def _nose(dark: Colour) -> list[Shape]:
    tip = ((0.0, -15.8), (4.4, -8.6), (-4.4, -8.6))
    return [Polygon(tip, _WHITE), Stroke(tip, 0.8, dark, closed=True)]


def _pips(number: int, dark: Colour) -> list[Shape]:
    """Draw the number a second time, as dots behind: a figure is soon too small to read."""
    shapes: list[Shape] = []
    for k in range(number):
        at = _on(12.0, math.pi + 0.36 * (k - (number - 1) / 2))
        shapes += [Disc(at, 1.8, dark), Disc(at, 1.2, _WHITE)]
    return shapes


def _shield(radius: float, dark: Colour) -> list[Shape]:
    """Draw the shield: from 45 to 135 degrees, right of the gaze."""
    reach = math.radians(50)
    rim = arc((0.0, 0.0), radius - 3.6, -reach, reach, 20)
    return [Stroke(rim, 4.2, dark), Stroke(rim, 2.6, _SHIELD)]


def _gun(radius: float, dark: Colour) -> list[Shape]:
    """Draw the gun's two barrels: half left and left."""
    shapes: list[Shape] = []
    for turn in (-math.pi / 4, -math.pi / 2):
        ends = (_on(8.4, turn), _on(radius - 2.4, turn))
        shapes += [Stroke(ends, 3.0, dark), Stroke(ends, 1.2, rgb("#FFD84A"))]
    return shapes
