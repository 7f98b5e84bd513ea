"""The deck -> what may lie on the table: cards, hull cards, distance strips, markers."""

from vision.games.conflit_stellaire.deck import NAME, deck
from vision.values.pieces import Piece, PieceSet

__all__ = ["FLAGSHIP", "MARKER", "PIECES", "SCALE"]

FLAGSHIP = "flagship"  #: the hull card, one before each commander
SCALE = "distance-scale"
MARKER = "marker"


def _pieces() -> PieceSet:
    """Return the set."""
    cards = [
        Piece(face.id, "card", deck().card_mm, copies=None, sides=("front", "back"))
        for face in deck().faces.values()
        if face.kind != "back"
    ]
    marker = deck().marker_mm
    return PieceSet(
        NAME,
        (
            *cards,
            Piece("back", "card", deck().card_mm, copies=None, sides=("back",)),
            Piece(FLAGSHIP, "sheet", deck().card_mm, copies=4),
            Piece(SCALE, "sheet", deck().scale_mm, copies=4),
            Piece(MARKER, "token", (marker, marker), copies=None, height_mm=2.0),
        ),
        art="calibration.conflit_stellaire.art:draw",
    )


PIECES = _pieces()
