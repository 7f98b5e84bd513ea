"""Photos of a position, drawn: the board and the tokens of its pawns as a phone would see them."""

import math
from functools import cache

from calibration.laser_shield.art import draw
from tests.synth_pieces import LaidPiece, Scene
from vision.games.laser_shield.board import HEADINGS, centre_mm
from vision.games.laser_shield.pieces import BOARD_MM, TOKEN_MM

__all__ = ["scene"]

_art = cache(draw)


def scene(pawns, aside_mm=(1.5, -1.0), **more) -> Scene:
    """Lay the tokens of pawns, each a little beside its square's centre."""
    pieces = [LaidPiece(_art("board", 8.0), BOARD_MM, (0.0, 0.0, 0.0))]
    for pawn in pawns:
        x, y = centre_mm(pawn.square)
        pose = (x + aside_mm[0], y + aside_mm[1], HEADINGS.index(pawn.heading) * math.pi / 4 + 0.04)
        art = _art(pawn.id, 10.0)
        pieces.append(LaidPiece(art, (TOKEN_MM, TOKEN_MM), pose, 2.0, round=True))
    return Scene(tuple(pieces), **{"distance_mm": 520.0, "focal": 0.75, **more})
