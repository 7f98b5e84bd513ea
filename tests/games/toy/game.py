"""The toy game as a game of the house."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.games.toy.art import BOARD_MM, TOKEN_MM
from tests.games.toy.notation import parse, parse_value, to_json
from tests.games.toy.rules import BOARD, play
from tests.games.toy.tell import SIDES, TEXTS, tell
from tests.games.toy.values import SPOTS, TOKENS, WAYS, Outcome, Readings, ToyOptions, ToyTable
from vision.errors import TableFormatError, TableNotFoundError
from vision.judging.game import Game, Json
from vision.judging.grids import read_way
from vision.judging.options import changed_options
from vision.values.layout import Layout, Placed
from vision.values.pieces import Piece, PieceSet

__all__ = ["Toy"]

_LAID_MM, _LAID_RAD = 6.0, 0.15  # how far off hands lay a token, and how askew
_PIECES = PieceSet(
    "toy",
    (
        Piece("board", "board", (BOARD_MM, BOARD_MM)),
        *(Piece(token, "token", (TOKEN_MM, TOKEN_MM), height_mm=2.0) for token in TOKENS),
        Piece("die", "die", (16.0, 16.0), sides=tuple("123456"), height_mm=16.0),
    ),
    art="tests.games.toy.art:draw",
)


class Toy(Game):
    """Sun and Moon: see the package's docstring for the rules."""

    name = "toy"
    pieces = _PIECES
    sides = SIDES
    options = ToyOptions
    notation = "sun a1 e\nmoon c1 w 0.7 or c1 s 0.3\ndie 4\nrule wins=least"
    texts = TEXTS

    read = staticmethod(parse)
    resolve = staticmethod(play)
    tell = staticmethod(tell)
    write = staticmethod(to_json)

    def lay(self, layouts: Sequence[Layout], options: ToyOptions) -> ToyTable:
        """Read squares, ways and pips, each with its chance."""
        placed = {p.piece: p for layout in layouts for p in layout.placed}
        missing = [spot for spot in SPOTS if spot not in placed]
        if missing:
            msg = f"found no {' and no '.join(missing)}; lay sun, moon and die, and photograph all"
            raise TableNotFoundError(msg)
        readings: dict[str, Readings] = {token: _token(placed[token]) for token in TOKENS}
        die = placed["die"]
        sides = [(die.side, 1 - sum(o.chance or 0 for o in die.others))]
        sides += [(other.piece.removeprefix("die-"), other.chance or 0) for other in die.others]
        readings["die"] = tuple((int(side), chance) for side, chance in sides if chance > 0)
        return ToyTable(readings, options)

    def edit(self, table: ToyTable, change: Mapping[str, Any]) -> ToyTable:
        """Say what a spot holds, ``{"piece", "is"}``, or choose: ``{"kind": "rules", "set"}``."""
        if options := changed_options(table.options, change):
            return replace(table, options=options)
        if set(change) != {"piece", "is"} or change["piece"] not in SPOTS:
            msg = f'{dict(change)}: needed a change like {{"piece": "sun", "is": "a1 e"}}'
            raise TableFormatError(msg)
        value = parse_value(change["piece"], str(change["is"]).split())
        return replace(table, readings={**table.readings, change["piece"]: ((value, 1.0),)})

    def write_outcome(self, outcome: Outcome, *, language: str = "en") -> Json:
        """Return an outcome as JSON."""
        return {
            "schema": "sightline/resolution@1",
            "game": "toy",
            "scores": {token: {"total": n} for token, n in outcome.points.items()},
            "winners": list(outcome.winners),
            "issues": [],
        }


def _token(placed: Placed) -> Readings:
    """Return the squares and ways that a token may have, the likeliest first."""
    at, spread = (placed.x_mm, placed.y_mm), placed.covariance
    cells = BOARD.read(at, spread[:2, :2], _LAID_MM)
    ways = read_way(placed.theta_rad, float(spread[2, 2]), len(WAYS), _LAID_RAD)
    both = [((cell, WAYS[way]), p * q) for cell, p in cells for way, q in ways if p * q > 1e-3]
    whole = sum(chance for _, chance in both)
    ranked = sorted(both, key=lambda item: -item[1])
    return tuple((value, chance / whole) for value, chance in ranked)
