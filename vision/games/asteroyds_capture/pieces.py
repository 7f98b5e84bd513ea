"""What lies on the table: the board, what stands on it, sheets, dice, counters; ids and kinds."""

import math
import re
from dataclasses import replace
from functools import cache
from itertools import product

from vision.games.asteroyds_capture.values import TEAMS
from vision.values.pieces import Piece, PieceSet

__all__ = [
    "ASTEROYD_MM",
    "BESIDE",
    "BOARD_MM",
    "COUNTER_MM",
    "HEADED",
    "PIECES",
    "PILOTS",
    "PILOT_MM",
    "SHEET_MM",
    "SHIP_MM",
    "TILE_MM",
    "WALLS",
    "is_piece",
    "kind_of",
    "size_of",
    "team_of",
]

BOARD_MM = (380.0, 440.0)
SHIP_MM, ASTEROYD_MM = 17.0, 24.0
PILOT_MM = 12.0  # a token on a sheet, whose cells are 12 mm high
COUNTER_MM = 10.0  # the middle of what lies about in houses: 8 to 12
TILE_MM = (68.0 / math.sqrt(3), 34.0)  # a box round six sides, 34 mm from flat to flat
SHEET_MM = (148.0, 105.0)

PILOTS = ("hector", "dolorosa", "yayenek", "mhand", "1634", "lawrence")
HEADED = ("ship", "turret", "rock")  #: what looks some way
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


def size_of(piece: str) -> tuple[float, float]:
    """Return width and height of a piece of the board, mm."""
    discs = {"ship": SHIP_MM, "asteroyd": ASTEROYD_MM}
    across = discs.get(kind_of(piece))
    return TILE_MM if across is None else (across, across)


def _disc(name: str, size_mm: float, copies: int | None = 1) -> Piece:
    facing = kind_of(name) != "asteroyd"  # pilots' arrows say something too
    return Piece(name, "token", (size_mm, size_mm), copies, height_mm=2.0, facing=facing)


def _tile(name: str, copies: int | None = 1) -> Piece:
    facing = kind_of(name) in HEADED
    return Piece(name, "token", TILE_MM, copies, height_mm=2.0, shape="hexagon", facing=facing)


_DICE = {"red": "#B92A2E", "white": "#ECEAE2", "blue": "#2552A6"}  #: as dice are sold

PIECES = PieceSet(
    "asteroyds-capture",
    (
        Piece("board", "board", BOARD_MM, parts=(2, 2)),
        *(_disc(f"{team}-{k}", SHIP_MM) for team, k in product(TEAMS, (1, 2, 3))),
        *(_disc(f"{team}-asteroyd", ASTEROYD_MM) for team in TEAMS),
        *(_tile(f"{team}-{kind}") for team, kind in product(TEAMS, ("home", "platform"))),
        *(_tile(f"{team}-turret-{k}") for team, k in product(TEAMS, (1, 2))),
        _tile("pod", None),
        *(_tile(f"rock-{k}") for k in (1, 2, 3, 4)),
        *(replace(_disc(f"pilot-{pilot}", PILOT_MM), on="sheet") for pilot in PILOTS),
        replace(_disc("counter", COUNTER_MM, None), on="sheet"),
        *(Piece(f"sheet-{team}-{k}", "sheet", SHEET_MM) for team, k in product(TEAMS, (1, 2, 3))),
        *(
            Piece(
                f"{team}-die",
                "die",
                (16.0, 16.0),
                sides=tuple("123456"),
                height_mm=16.0,
                tone=_DICE[team],
                on="table",
            )
            for team in TEAMS
        ),
    ),
    art="calibration.asteroyds_capture.art:draw",
)
#: What lies beside the board: sheets with what lies on them, dice.
BESIDE = tuple(
    piece.id
    for piece in PIECES.pieces
    if piece.kind in ("sheet", "die") or piece.id.startswith(("counter", "pilot-"))
)
