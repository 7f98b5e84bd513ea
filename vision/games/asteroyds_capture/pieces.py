"""What lies on the table: the board, what stands on it, sheets, dice, counters; ids and kinds."""

import re
from functools import cache
from itertools import product

from vision.games.asteroyds_capture.values import TEAMS
from vision.values.pieces import Piece, PieceSet

__all__ = ["PIECES", "PILOTS", "WALLS", "is_piece", "kind_of", "team_of"]

PILOTS = ("hector", "dolorosa", "yayenek", "mhand", "1634", "lawrence")
WALLS = ("platform", "pod", "rock", "turret")  #: what stands fast in a cell
_IDS = re.compile(
    r"(?:red|white|blue)-(?:(?P<ship>[1-3])|(?P<named>asteroyd|home|platform)|turret-[1-9])"
    r"|pod-[1-9]\d?|rock-[1-4]"
)


@cache
def kind_of(piece: str) -> str:
    """Return ship, asteroyd, home, platform, turret, pod or rock; nothing for no piece."""
    match = _IDS.fullmatch(piece)
    if match is None:
        return ""
    if match["ship"]:
        return "ship"
    return match["named"] or ("turret" if "turret" in piece else piece.partition("-")[0])


def is_piece(piece: str) -> bool:
    """Tell whether a name is that of a piece."""
    return bool(kind_of(piece))


@cache
def team_of(piece: str) -> str | None:
    """Return whose a piece is; pods and rocks are nobody's."""
    team = piece.partition("-")[0]
    return team if team in TEAMS else None


def _token(name: str, size_mm: float, copies: int | None = 1) -> Piece:
    return Piece(name, "token", (size_mm, size_mm), copies, height_mm=2.0)


PIECES = PieceSet(
    "asteroyds-capture",
    (
        Piece("board", "board", (380.0, 440.0)),
        *(_token(f"{team}-{k}", 17.0) for team, k in product(TEAMS, (1, 2, 3))),
        *(_token(f"{team}-asteroyd", 24.0) for team in TEAMS),
        *(_token(f"{team}-{kind}", 34.0) for team, kind in product(TEAMS, ("home", "platform"))),
        *(_token(f"{team}-turret-{k}", 34.0) for team, k in product(TEAMS, (1, 2))),
        _token("pod", 34.0, None),
        *(_token(f"rock-{k}", 34.0) for k in (1, 2, 3, 4)),
        *(_token(f"pilot-{pilot}", 17.0) for pilot in PILOTS),
        _token("counter", 10.0, None),
        *(
            Piece(f"sheet-{team}-{k}", "sheet", (148.0, 105.0))
            for team, k in product(TEAMS, (1, 2, 3))
        ),
        *(
            Piece(f"{team}-die", "die", (16.0, 16.0), sides=tuple("123456"), height_mm=16.0)
            for team in TEAMS
        ),
    ),
)
