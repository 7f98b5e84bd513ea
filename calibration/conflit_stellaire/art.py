"""A piece of Conflit stellaire -> its picture; and what of it is printed, and how often."""

from collections.abc import Sequence

from calibration.art.drawing import Shape
from calibration.art.paint import paint_raster
from calibration.conflit_stellaire.faces import BORDER_MM, back_shapes, face_shapes
from calibration.conflit_stellaire.sheets import hull_card, marker, strip
from calibration.printing import Art
from vision.games.conflit_stellaire.deck import BACK, deck
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.pieces import FLAGSHIP, MARKER, PIECES, SCALE
from vision.values.arrays import ImageBGR
from vision.values.pieces import Frame, Piece, PieceSet

__all__ = ["FRAMES", "art_of", "draw", "shapes"]

#: Printed rectangles that all cards share: the outer edge of the band.
FRAMES = (
    Frame(deck().card_mm[0] - 2 * BORDER_MM, deck().card_mm[1] - 2 * BORDER_MM, darker_inside=True),
)

#: How many of what is no face. Backs fill the last page of faces and one more, to be printed again.
_PRINTED = {BACK.id: 14, FLAGSHIP: 4, SCALE: 4, MARKER: 12}


def shapes(piece: str) -> Sequence[Shape]:
    """Return a piece as shapes in its own frame, mm."""
    others = {BACK.id: back_shapes, FLAGSHIP: hull_card, SCALE: strip, MARKER: marker}
    return others[piece]() if piece in others else face_shapes(deck().faces[piece])


def draw(piece: str, px_per_mm: float) -> ImageBGR:
    """Draw a piece, upright, cut to its edge: (H, W, 3) uint8."""
    (size,) = (one.size_mm for one in PIECES.pieces if one.id == piece)
    return paint_raster(shapes(piece), size, px_per_mm)


def _place_in_print(piece: Piece) -> int:
    """Return 0 for a face, 1 for an energy cell, 2 for backs and sheets."""
    face = deck().faces.get(piece.id)
    return 2 if face is None or face is BACK else int(face.kind == "energy")


def art_of(game: ConflitStellaire) -> Art:
    """Return the art of the game: every face as often as a starter deck has it, and the sheets.

    The sixty energy cells, which are all alike, are printed after all other faces.
    """
    pieces = []
    for piece in sorted(game.pieces.pieces, key=_place_in_print):
        face = deck().faces.get(piece.id)
        copies = _PRINTED.get(piece.id) or (face.copies if face else 1)
        pieces.append(Piece(piece.id, piece.kind, piece.size_mm, copies, (piece.id,)))
    faces = {piece.id: piece.size_mm for piece in game.pieces.pieces}
    return Art(faces, PieceSet(game.pieces.name, tuple(pieces)), shapes)
