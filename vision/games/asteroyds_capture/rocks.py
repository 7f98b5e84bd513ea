"""Rocks move: by number, one cell toward the side with the blue die's number; one pushes one."""

from dataclasses import replace

from vision.games.asteroyds_capture.pieces import WALLS, kind_of
from vision.games.asteroyds_capture.position import Position, in_base, teams_of
from vision.games.asteroyds_capture.values import Piece, RockMove

__all__ = ["move_rocks", "side_of_die"]


def side_of_die(position: Position, piece: Piece, colour: str | None) -> int | None:
    """Return the way of the side that bears a die's number; None without the die."""
    die = position.dice.get(colour or "")
    if die is None:
        return None
    own = piece.way if position.options.numbers == "tile" else 0
    return (own + die - 1) % 6


def move_rocks(position: Position) -> tuple[Position, list[RockMove]]:
    """Move every rock on the board, one after the other."""
    told: list[RockMove] = []
    for rock in position.of_kind("rock"):
        way = side_of_die(position, rock, "blue")
        if way is None:
            break
        moved = _push(position, rock.id, way)
        position = position.with_pieces(
            replace(position.pieces[move.rock], cell=move.end) for move in moved
        )
        told += moved
    return position, told


def _push(position: Position, rock: str, way: int) -> list[RockMove]:
    """Return the moves of a rock, and of one that it runs into, if there is room."""
    start = position.pieces[rock].cell or ""
    end = position.board.next_to(start, way)
    if end is None:
        return []
    if _is_free(position, end):
        return [RockMove(rock, start, end)]
    pushed = [name for name in position.by_cell().get(end, []) if kind_of(name) == "rock"]
    behind = position.board.next_to(end, way)
    if len(pushed) != 1 or not _is_free(position, end, pushed[0]):
        return []
    if behind is None or not _is_free(position, behind):
        return []
    return [RockMove(pushed[0], end, behind), RockMove(rock, start, end)]


def _is_free(position: Position, cell: str, but: str = "") -> bool:
    """Tell whether a rock may come to lie in a cell; homes are flat and keep none off."""
    held = {kind_of(name) for name in position.by_cell().get(cell, []) if name != but}
    if held & {*WALLS, "ship", "asteroyd"}:
        return False
    teams = teams_of(position.pieces.values())
    return not any(in_base(position, cell, team) for team in teams)
