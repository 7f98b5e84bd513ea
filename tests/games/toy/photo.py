"""A photo of the toy game: board, tokens and die as a phone would see them."""

from tests.games.toy.art import BOARD_MM, TOKEN_MM, draw
from tests.synth_pieces import LaidPiece, Scene, die_face

__all__ = ["ART", "POSES", "scene"]

ART = {name: draw(name, 8.0) for name in ("board", "sun", "moon")}
POSES = {"sun": (-50.0, 2.0, 1.57), "moon": (48.0, -51.0, 3.1), "die": (30.0, 100.0, 0.4)}


def scene(tokens=("sun", "moon"), number=4, poses=POSES, **more) -> Scene:
    """Lay the pieces; ``number`` is what the die shows, None leaves it out."""
    face = die_face(number or 1, (240, 240, 240), (20, 20, 20))
    pieces = [LaidPiece(ART["board"], (BOARD_MM, BOARD_MM), (0, 0, 0))]
    for name in tokens:
        pieces.append(LaidPiece(ART[name], (TOKEN_MM, TOKEN_MM), poses[name], 2.0, round=True))
    if number:
        pieces.append(LaidPiece(face, (16, 16), POSES["die"], 16.0, up=number))
    return Scene(tuple(pieces), distance_mm=520.0, **more)
