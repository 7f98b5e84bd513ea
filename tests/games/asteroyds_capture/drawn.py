"""Photos of a turn, drawn with exact truth: the board's sheets, pieces on it, programmes, dice."""

import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from calibration.asteroyds_capture.art import draw
from tests.synth_pieces import LaidPiece, Scene, die_face
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.pieces import PIECES

__all__ = [
    "Sheet",
    "board_pieces",
    "cell_mm",
    "dice",
    "photo_scene",
    "piece_on",
    "sheet_pieces",
    "stacked",
]

SIZES = {piece.id: piece.size_mm for piece in PIECES.pieces}
ROWS = ("forward", "left", "right", "back", "fire", "power", "anticipation")
DIE_BGR = {"red": (40, 40, 190), "white": (232, 236, 238), "blue": (170, 80, 30)}
_art = cache(draw)


def board_pieces(poses=((0, 0, 0),) * 4, leave=()) -> list[LaidPiece]:
    """Lay the board's four sheets, each off its place by (x mm, y mm, rad)."""
    art = _art("board", 5.0)
    h, w = art.shape[:2]
    found = []
    for k, (dx, dy, turn) in enumerate(poses):
        if k in leave:
            continue
        row, column = divmod(k, 2)
        part = art[row * h // 2 : (row + 1) * h // 2, column * w // 2 : (column + 1) * w // 2]
        at = (190 * column - 95 + dx, 220 * row - 110 + dy, turn)
        found.append(LaidPiece(np.ascontiguousarray(part), (190, 220), at))
    return found


def _cut(name: str):
    """Return a token's art cut to its outline: BGRA."""
    art = _art(name, 10.0)
    h, w = art.shape[:2]
    y, x = np.mgrid[0:h, 0:w]
    x, y = x - (w - 1) / 2, y - (h - 1) / 2
    r = min(h, w) / 2
    if SIZES[name][0] != SIZES[name][1]:
        turns = np.radians([30, 90, 150])
        inside = np.max([abs(np.cos(t) * x + np.sin(t) * y) for t in turns], axis=0) < r
    else:
        inside = np.hypot(x, y) < r
    return np.dstack([art[..., :3], 255 * inside.astype(np.uint8)])


def piece_on(name, at_mm, turn=0.0, base_mm=0.0, height_mm=2.0) -> LaidPiece:
    """Lay a piece on the board; ``base_mm`` is what it lies on."""
    pose = (*at_mm, turn)
    return LaidPiece(_cut(name), SIZES[name], pose, base_mm + height_mm, base_mm=base_mm)


def stacked(laid, height_mm=2.0) -> list[LaidPiece]:
    """Lay pieces (name, (x, y) or a cell, turn) in order; what lies under a middle bears it."""
    found: list[LaidPiece] = []
    for name, where, turn in laid:
        at = board_of(5).centre_mm(where) if isinstance(where, str) else where
        below = [p for p in found if math.dist(p.pose[:2], at) < min(p.size_mm) / 2]
        base = max((p.height_mm for p in below), default=0.0)
        found.append(piece_on(name, at, turn, base, height_mm))
    return found


@dataclass(frozen=True)
class Sheet:
    """A programming sheet: where it lies, and the counters on it (x, y of its frame, mm, BGR)."""

    ship: str
    pose: tuple[float, float, float]
    cells: tuple = ()  #: (column, row), both from 1
    counter_mm: float = 10.0
    counter_bgr: tuple = (60, 60, 60)
    counter_high_mm: float = 2.0
    off_mm: tuple[float, float] = (0.0, 0.0)
    pilot: tuple = ()  #: (name, x, y, turn)
    more: tuple = field(default=())  #: (x, y) of other counters


def cell_mm(column, row):
    """Return the middle of a cell of a sheet."""
    return -48.0 + 18.0 * (column - 1), -30.5 + 12.0 * (row - 1)


def sheet_pieces(sheet: Sheet) -> list[LaidPiece]:
    """Lay a sheet and what is on it."""
    name = f"sheet-{sheet.ship}"
    found = [LaidPiece(_art(name, 8.0)[..., :3], SIZES[name], sheet.pose)]
    c, s = math.cos(sheet.pose[2]), math.sin(sheet.pose[2])

    def on(x, y):
        return sheet.pose[0] + c * x - s * y, sheet.pose[1] + s * x + c * y

    flat = np.full((16, 16, 3), sheet.counter_bgr, np.uint8)
    size = (sheet.counter_mm, sheet.counter_mm)
    edge = tuple(int(0.6 * v) for v in sheet.counter_bgr)
    places = [tuple(np.add(cell_mm(*cell), sheet.off_mm)) for cell in sheet.cells]
    for x, y in (*places, *sheet.more):
        pose = (*on(x, y), 0.0)
        found.append(LaidPiece(flat, size, pose, sheet.counter_high_mm, True, edge_bgr=edge))
    if sheet.pilot:
        pilot, x, y, turn = sheet.pilot
        found.append(piece_on(f"pilot-{pilot}", on(x, y), sheet.pose[2] + turn))
    return found


def dice(shown, at_mm=((235.0, -60.0), (240.0, -10.0), (236.0, 50.0)), turn=0.3):
    """Lay dice beside the board: {colour: number}."""
    found = []
    for k, (colour, number) in enumerate(shown.items()):
        pips = (20, 20, 20) if colour == "white" else (235, 235, 235)
        face = die_face(number, DIE_BGR[colour], pips)
        pose = (*at_mm[k], turn + 0.4 * k)
        found.append(LaidPiece(face, (16, 16), pose, 16.0, up=number, pip_bgr=pips))
    return found


def photo_scene(pieces, **more) -> Scene:
    """Return a scene of the whole board as a phone sees it."""
    return Scene(tuple(pieces), **{"distance_mm": 900.0, "focal": 0.75, "falloff": 0.2, **more})
