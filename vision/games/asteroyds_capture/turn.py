"""A table -> the turn played: up to six rounds of lasers, then moves (rules page, "A turn")."""

from dataclasses import dataclass, replace

from vision.games.asteroyds_capture.beams import Orders, fire, strike
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.layouts import lay_out
from vision.games.asteroyds_capture.moves import move
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.position import Position, opened
from vision.games.asteroyds_capture.programs import anticipate
from vision.games.asteroyds_capture.rocks import move_rocks
from vision.games.asteroyds_capture.values import COLUMNS, RockMove, Round, Table

__all__ = ["Played", "after", "leader", "play"]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a turn; ``refused`` are ships and the columns of powers that may not be."""

    rounds: tuple[Round, ...]
    position: Position
    winners: tuple[str, ...]
    refused: tuple[tuple[str, int], ...] = ()


def play(table: Table) -> Played:
    """Play the turn of a table as it is read, its alternatives left aside."""
    position = opened(table, board_of(table.radius))
    ships = {p.id: p for p in position.pieces.values() if kind_of(p.id) == "ship"}
    anticipated = {
        name: anticipate(ships[name], program, table.options)
        for name, program in table.programs.items()
    }
    orders = Orders(table.programs, anticipated)
    rounds: list[Round] = []
    refused: list[tuple[str, int]] = []
    winners = leader(position)
    for number in range(1, COLUMNS + 1):
        if winners:
            break
        position, told, lost = _round(position, orders, number)
        rounds.append(told)
        refused += [(ship, number) for ship in lost]
        winners = leader(position)
    return Played(tuple(rounds), position, winners, tuple(refused))


def _round(position: Position, orders: Orders, number: int) -> tuple[Position, Round, list[str]]:
    rocks: list[RockMove] = []
    if number == 1 or position.options.rocks_move == "round":
        position, rocks = move_rocks(position)
    beams = fire(position, orders, number)
    position, struck = strike(position, beams)
    position, moved = move(position, orders, number)
    off = sorted([*struck.off, *moved.offs()], key=lambda one: one.turret)
    teleports = sorted([*struck.teleports, *moved.teleports], key=lambda one: one.ship)
    told = Round(
        number=number,
        rocks=tuple(rocks),
        beams=tuple(beams),
        off=tuple(off),
        destroyed=tuple(struck.destroyed),
        moves=tuple(one for _, one in sorted(moved.moves.items())),
        teleports=tuple(teleports),
        asteroyds=(*struck.dropped, *moved.asteroyds),
        scores=position.scores,
    )
    return position, told, moved.refused


def leader(position: Position) -> tuple[str, ...]:
    """Return who has won: the one team that leads, with points enough."""
    scores = position.scores
    target = position.options.target
    if target is None:
        target = 2 if len(scores) == 3 else 3
    best = max(scores.values(), default=0)
    first = [team for team, score in scores.items() if score == best]
    return tuple(first) if len(first) == 1 and best >= target else ()


def after(table: Table, played: Played) -> Table:
    """Return the table as it is to be set up for the next turn.

    Pods and rocks that are off the table are left out; a layout would lay its pods anew, so a table
    that lacks one names no layout.
    """
    every = played.position.pieces.values()
    pieces = tuple(p for p in every if p.cell or kind_of(p.id) not in ("pod", "rock"))
    layout = table.layout
    if layout is not None and not {p.id for p in pieces} >= set(lay_out(layout, table.radius)):
        layout = None
    kept = replace(table, pieces=pieces, scores=dict(played.position.scores), layout=layout)
    kept = replace(kept, programs={}, dice={}, alternatives=(), doubts=())
    return replace(kept, expected=(), said=frozenset())
