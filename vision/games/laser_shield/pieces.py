"""What lies on the table: the board; for each pawn a token, or a thing with a stick beside it."""

from vision.values.pieces import Piece, PieceSet

__all__ = ["BAR_MM", "BOARD_MM", "PIECES", "TOKEN_MM", "TONES"]

BOARD_MM = (262.0, 178.0)  # six by four squares of 42 mm in a frame of 5 mm
TOKEN_MM = 34.0
BAR_MM = (3.0, 40.0)  # the shield of a real pawn, head up: as long as a match, a little wider
TONES = {"orange": "#E8762C", "blue": "#2F6FD0"}  #: of the teams
_PAWN_MM = (9.0, 32.0)  # the widths of a small wooden pawn and of a bottle cap
_PAWN_HEIGHT_MM = 36.0  # of the tallest
_MATCH_MM = (2.1, 43.0)
_NAMES = tuple(f"{team}-{number}" for team in ("orange", "blue") for number in (1, 2, 3))
PIECES = PieceSet(
    "laser-shield",
    (
        Piece("board", "board", BOARD_MM),
        *(
            Piece(name, "token", (TOKEN_MM, TOKEN_MM), height_mm=2.0, like=name.partition("-")[0])
            for name in _NAMES
        ),
        *(
            Piece(team, "pawn", _PAWN_MM, copies=3, height_mm=_PAWN_HEIGHT_MM, tone=tone)
            for team, tone in TONES.items()
        ),
        Piece("match", "stick", _MATCH_MM, copies=None, height_mm=2.0),
        Piece("bar", "stick", BAR_MM, copies=6),
    ),
    art="calibration.laser_shield.art:draw",
)
