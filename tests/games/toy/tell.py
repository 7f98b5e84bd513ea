"""Table and outcome of the toy game -> the ledger: all that any screen shows of it."""

from importlib import resources

import numpy as np

from tests.games.toy.art import BOARD_MM
from tests.games.toy.rules import BOARD, look, winners
from tests.games.toy.values import TOKENS, Outcome, ToyOptions, ToyTable
from vision.judging.odds import odds_of
from vision.texts import issues_of
from vision.values.ledger import (
    Burst,
    Chance,
    Event,
    Ledger,
    LedgerStep,
    Odds,
    Path,
    PieceView,
    Side,
    Tally,
)
from vision.values.messages import message

__all__ = ["SIDES", "TEXTS", "tell"]

SURE = 0.99
TEXTS = resources.files(__package__) / "texts"
doubt = issues_of(TEXTS)
SIDES = (Side("sun", message("toy.sun"), "#f0b428"), Side("moon", message("toy.moon"), "#3c5a96"))
_CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * BOARD_MM / 2
_BOARD = PieceView("board", "board", message("toy.title"), _CORNERS)
_RIM = np.linspace(0, 2 * np.pi, 24, endpoint=False)


def tell(table: ToyTable, outcome: Outcome) -> Ledger:
    """Tell a round: one step in which both look."""
    nothing = Tally({token: {"total": 0} for token in TOKENS})
    after = Tally({token: {"total": outcome.points[token]} for token in TOKENS})
    step = LedgerStep(
        message("toy.look"), tuple(_event(token, table, outcome) for token in TOKENS), after
    )
    key = "toy.wins" if len(outcome.winners) == 1 else "toy.draw"
    doubts = [
        doubt("piece_doubtful", "toy.doubtful", (spot,), piece=spot, chance=several[0][1])
        for spot, several in table.readings.items()
        if several[0][1] < SURE
    ]
    return Ledger(
        game="toy",
        sides=SIDES,
        columns=(),
        pieces=(_BOARD, *(_piece(token, table) for token in TOKENS)),
        opening=nothing,
        steps=(step,),
        winners=outcome.winners,
        outcome=message(key, winner=message(f"toy.{outcome.winners[0]}")),
        doubts=(*table.doubts, *doubts),
        odds=_odds(outcome, table.options),
    )


def _event(token: str, table: ToyTable, outcome: Outcome) -> Event:
    held = table.best()
    other = TOKENS[1 - TOKENS.index(token)]
    cell, way = held[token]
    seen, sees = look(cell, way, held[other][0])
    points = outcome.points[token]
    path = np.array([BOARD.centre(name) for name in (cell, *seen)])
    marks = [Path(path, side=token, fades=not sees)] if seen else []
    marks += [Burst(BOARD.centre(seen[-1]), points, str(points))] if sees else []
    key = "toy.sees" if sees else "toy.looks"
    said = message(key, who=message(f"toy.{token}"), other=message(f"toy.{other}"), n=points)
    return Event(said, pieces=(token, other) if sees else (token,), marks=tuple(marks))


def _piece(token: str, table: ToyTable) -> PieceView:
    cell, way = table.best()[token]
    rim = BOARD.centre(cell) + 12.0 * np.column_stack([np.sin(_RIM), -np.cos(_RIM)])
    name = message(f"toy.{token}")
    return PieceView(token, "token", name, rim, label=name, side=token, number=way.upper())


def _odds(outcome: Outcome, options: ToyOptions) -> Odds:
    told = []
    for points, chance in outcome.endings:
        totals = dict(zip(TOKENS, points, strict=True))
        said = message("toy.chance", sun=totals["sun"], moon=totals["moon"], chance=chance)
        told.append((Chance(totals, winners(totals, options), chance), said))
    return odds_of(told, message("toy.odds"))
