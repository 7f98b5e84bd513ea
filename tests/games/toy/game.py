"""The toy game: what there is, and what the tokens see."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Literal

import numpy as np

from tests.games.toy.art import BOARD_MM, TOKEN_MM
from vision.games.board_game import At, BoardGame, Held, step
from vision.judging.grids import squares
from vision.judging.options import option
from vision.values.ledger import Burst, Event, LedgerStep, Path, Side
from vision.values.messages import message
from vision.values.pieces import Piece, PieceSet

__all__ = ["BOARD", "SPOTS", "TOKENS", "WAYS", "Toy", "ToyOptions", "look"]

TOKENS = ("sun", "moon")
SPOTS = (*TOKENS, "die")
WAYS = ("n", "e", "s", "w")  #: where a token looks; n is up
BOARD = squares(3, 3, 50.0)
_PIECES = PieceSet(
    "toy",
    (
        Piece("board", "board", (BOARD_MM, BOARD_MM)),
        *(Piece(token, "token", (TOKEN_MM, TOKEN_MM), height_mm=2.0) for token in TOKENS),
        Piece("die", "die", (16.0, 16.0), sides=tuple("123456"), height_mm=16.0),
    ),
    art="tests.games.toy.art:draw",
)


@dataclass(frozen=True, slots=True)
class ToyOptions:
    """What may be agreed on."""

    wins: Literal["most", "least"] = option("most", "most or least: how many points win")


def look(at: At, other: str) -> tuple[list[str], bool]:
    """Return the squares before a token up to the edge, or to the other if it sees that."""
    seen: list[str] = []
    cell: str | None = at.cell
    while (cell := BOARD.ahead(cell, WAYS.index(at.way) * np.pi / 2)) is not None:
        seen.append(cell)
        if cell == other:
            return seen, True
    return seen, False


class Toy(BoardGame):
    """Sun and Moon: see the package's docstring for the rules."""

    name = "toy"
    pieces = _PIECES
    sides = (
        Side("sun", message("toy.sun"), "#f0b428"),
        Side("moon", message("toy.moon"), "#3c5a96"),
    )
    options = ToyOptions
    notation = "sun a1 e\nmoon c1 w 0.7 or c1 s 0.3\ndie 4\nrule wins=least"
    texts = resources.files(__package__) / "texts"
    board = BOARD
    ways = WAYS

    def play(self, held: Held, options: ToyOptions) -> list[LedgerStep]:
        """Play one step in which both look."""
        points, events = {}, []
        for token, other in (("sun", "moon"), ("moon", "sun")):
            seen, sees = look(held[token], held[other].cell)
            points[token] = n = int(held["die"]) if sees else len(seen)
            path = np.array([BOARD.centre(name) for name in (held[token].cell, *seen)])
            marks = [Path(path, side=token, fades=not sees)] if seen else []
            marks += [Burst(BOARD.centre(seen[-1]), n, str(n))] if sees else []
            key = "toy.sees" if sees else "toy.looks"
            said = message(key, who=message(f"toy.{token}"), other=message(f"toy.{other}"), n=n)
            events.append(Event(said, (token, other) if sees else (token,), tuple(marks)))
        return [step(message("toy.look"), events, points)]

    def best(self, scores: Mapping[str, int], options: ToyOptions) -> tuple[str, ...]:
        """Return who wins; both if they have as many points."""
        best = (max if options.wins == "most" else min)(scores.values())
        return tuple(token for token in TOKENS if scores[token] == best)
