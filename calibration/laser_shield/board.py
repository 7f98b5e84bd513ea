"""The board as shapes: the courtyard of a walled garden; no two squares are alike.

Every square is paved with stones of its own, so that any part of the board fixes place and
half-turn, on a grey print too. Doors are told by a ring of stones as well as by green, red squares
by a star as well as by red. Small arrows show where a team's pawns begin, and where they look.
"""

import math

import numpy as np

from calibration.art.drawing import Colour, Disc, Point, Polygon, Shape, Stroke, box, mix, rgb
from calibration.art.lettering import Script, letter
from calibration.laser_shield.beds import bed
from calibration.laser_shield.stones import pave, sprig
from vision.games.laser_shield.board import DOORS, HEADINGS, RED, SQUARE_MM, SQUARES, centre_mm
from vision.games.laser_shield.notation import START
from vision.games.laser_shield.pieces import BOARD_MM
from vision.games.laser_shield.values import Options, Pawn

__all__ = ["board_shapes"]

_SEED = 41  #: any: it only says which stones lie where; another one is another board
_FRAME, _JOINT, _WHITE = rgb("#2B2A33"), rgb("#8C8577"), rgb("#FFFFFF")
_STONES = tuple(rgb(code) for code in ("#DDD2B8", "#C9D0D3", "#DCCBC2", "#CDD4BF"))
_GREEN, _RED = rgb("#1F7A4D"), rgb("#A93636")
_TEAMS = {"orange": rgb("#A2501D"), "blue": rgb("#2A4A86")}
_NAME = Script(3.6, 0.75, 0.8)


def board_shapes() -> list[Shape]:
    """Return the board in its own frame: origin in its middle, mm, in the order to paint."""
    half_w, half_h = BOARD_MM[0] / 2, BOARD_MM[1] / 2
    shapes: list[Shape] = [Polygon(box(-half_w, -half_h, half_w, half_h), _FRAME)]
    for k, (x, y) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        shapes += bed((x * 2.5 * SQUARE_MM, y * 1.5 * SQUARE_MM), SQUARE_MM / 2, k)
    for k, square in enumerate(SQUARES):
        shapes += _square(square, k)
    for pawn in START:
        shapes += _start(pawn)
    return shapes + _studs(half_w - 2.5, half_h - 2.5)


def _square(square: str, k: int) -> list[Shape]:
    """Draw one square: its stones, what it is, a sprig at its edge, its name."""
    rng = np.random.default_rng([_SEED, k])
    x, y = at = centre_mm(square)
    half = SQUARE_MM / 2
    column, row = round(x / SQUARE_MM + 2.5), round(y / SQUARE_MM + 1.5)
    stone = _STONES[(column + 2 * row + k // 7) % len(_STONES)]
    stone = mix(stone, _WHITE, 0.35) if (column + row) % 2 else mix(stone, _FRAME, 0.06)
    shapes: list[Shape] = [
        Polygon(box(x - half, y - half, x + half, y + half), mix(_FRAME, _JOINT, 0.4)),
        Polygon(box(x - half + 0.6, y - half + 0.6, x + half - 0.6, y + half - 0.6), _JOINT),
        *pave(at, half - 0.9, stone, rng),
    ]
    least = -0.35  # clear of the name
    if square in DOORS[Options().doors]:
        shapes += _door(at, 1 if x < 0 else -1)
        least = 0.7
    elif square in RED:
        shapes += _star(at)
        least = 0.6
    along = float(rng.uniform(least, 0.8)) * half
    turn = math.pi / 2 * int(rng.integers(4))
    foot = _turned((along, half - 1.4), turn)
    lean = turn + float(rng.uniform(-0.9, 0.9))
    shapes += sprig((x + foot[0], y + foot[1]), lean, int(rng.integers(4, 7)), rng)
    return shapes + _plaque(square, (x - half + 0.6, y + half - 0.6))


def _turned(point: Point, turn_rad: float) -> Point:
    """Turn a point about the origin, clockwise as seen."""
    c, s = math.cos(turn_rad), math.sin(turn_rad)
    return c * point[0] - s * point[1], s * point[0] + c * point[1]


def _plaque(square: str, corner: Point) -> list[Shape]:
    """Write a square's name on a plaque in its lower left corner."""
    x, y = corner
    shapes: list[Shape] = [Polygon(box(x, y - 6.4, x + 8.2, y), mix(_WHITE, _JOINT, 0.12))]
    return shapes + letter(square, (x + 1.5, y - 5.0), _NAME, _FRAME)


def _around(centre: Point, radius: float, turn_rad: float) -> Point:
    """Return a point of a circle; 0 is up, clockwise."""
    return centre[0] + radius * math.sin(turn_rad), centre[1] - radius * math.cos(turn_rad)


def _door(at: Point, spin: int) -> list[Shape]:
    """Draw a door: a well of light in a ring of green stones, its arms wound one way."""
    dark = mix(_GREEN, _FRAME, 0.55)
    shapes: list[Shape] = [Disc(at, 17.0, _JOINT), Disc(at, 16.4, dark)]
    count = 13 if spin > 0 else 11
    for k in range(count):
        a, b = (2 * math.pi * (k + share) / count for share in (0.06, 0.94))
        edges = [(16.2, a), (16.2, (a + b) / 2), (16.2, b), (11.9, b), (11.9, a)]
        tone = mix(_GREEN, _WHITE, (0.18, 0.38, 0.08)[k % 3])
        shapes.append(Polygon(tuple(_around(at, r, turn) for r, turn in edges), tone))
    shapes.append(Disc(at, 11.0, mix(_GREEN, _FRAME, 0.35)))
    for arm in range(5):
        reach = np.linspace(1.6, 9.8, 14)
        line = tuple(
            _around(at, float(r), 2 * math.pi * arm / 5 + spin * 0.19 * float(r)) for r in reach
        )
        shapes.append(Stroke(line, 1.5, mix(_GREEN, _WHITE, 0.72)))
    return [*shapes, Disc(at, 2.2, mix(_GREEN, _WHITE, 0.85))]


def _star(at: Point) -> list[Shape]:
    """Draw a red square: a star that points all eight ways."""
    x, y = at
    tips = ((x, y - 17.5), (x + 17.5, y), (x, y + 17.5), (x - 17.5, y))
    shapes: list[Shape] = [
        Polygon(tips, mix(_RED, _WHITE, 0.55)),
        Stroke(tips, 1.2, _RED, closed=True),
    ]
    for k in range(8):  # facets, one side of each ray in the shade
        turn = math.pi / 4 * ((2 * k + 1) % 8 if k < 4 else 2 * k)
        reach, wide = (9.5, 4.2) if k < 4 else (14.5, 4.6)
        for side in (-1, 1):
            edge = _around(at, wide, turn + side * math.pi / 8)
            tone = _RED if side > 0 else mix(_RED, _WHITE, 0.3)
            shapes.append(Polygon((at, edge, _around(at, reach, turn)), tone))
    return shapes


def _start(pawn: Pawn) -> list[Shape]:
    """Draw at a square's edge the way in which a pawn that begins there looks."""
    way = HEADINGS.index(pawn.heading)
    turn = way * math.pi / 4
    at = _around(centre_mm(pawn.square), 24.4 if way % 2 else 19.0, turn)
    tip, left, right = (_turned(p, turn) for p in ((0.0, -1.9), (-3.2, 1.6), (3.2, 1.6)))
    outline = tuple((at[0] + p[0], at[1] + p[1]) for p in (tip, right, left))
    shapes: list[Shape] = [
        Stroke(outline, 0.7, _WHITE, closed=True),
        Polygon(outline, _TEAMS[pawn.team]),
    ]
    if pawn.team == "blue":  # for eyes that do not tell colours: a dot, as on the tokens
        inner = _turned((0.0, 0.5), turn)
        shapes.append(Disc((at[0] + inner[0], at[1] + inner[1]), 0.6, _WHITE))
    return shapes


def _studs(half_w: float, half_h: float) -> list[Shape]:
    """Stud the frame, each side otherwise."""
    rng = np.random.default_rng([_SEED, 99])
    ink: Colour = mix(_FRAME, _JOINT, 0.6)
    shapes: list[Shape] = []
    for side in range(4):
        wide = half_w if side % 2 == 0 else half_h
        far = half_h if side % 2 == 0 else half_w
        for at in np.arange(-wide, wide, 9.0)[1:]:
            x, y = _turned((float(at + rng.uniform(-2, 2)), far), math.pi / 2 * side)
            shapes.append(Disc((x, y), float(rng.uniform(0.5, 1.2)), ink))
    return shapes
