"""What lies on the table: the board, and a token for each pawn."""

from vision.values.pieces import Piece, PieceSet

__all__ = ["BAR_MM", "BOARD_MM", "PIECES", "TOKEN_MM"]

BOARD_MM = (262.0, 178.0)  # six by four squares of 42 mm in a frame of 5 mm
TOKEN_MM = 34.0
BAR_MM = (3.0, 40.0)  # the shield of a real pawn, head up: as long as a match, a little wider
_NAMES = tuple(f"{team}-{number}" for team in ("orange", "blue") for number in (1, 2, 3))
PIECES = PieceSet(
    "laser-shield",
    (
        Piece("board", "board", BOARD_MM),
        *(Piece(name, "token", (TOKEN_MM, TOKEN_MM), height_mm=2.0) for name in _NAMES),
    ),
    art="calibration.laser_shield.art:draw",
)
