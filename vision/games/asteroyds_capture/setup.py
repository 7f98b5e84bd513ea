"""What people say of a table -> the table whole, or what cannot be; what is odd about it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import PlainSerializer

from vision.errors import TableFormatError
from vision.files.schemas import Model, Number
from vision.games.asteroyds_capture.board import RADII, board_of
from vision.games.asteroyds_capture.layouts import lay_out
from vision.games.asteroyds_capture.pieces import PILOTS, WALLS, is_piece, kind_of, team_of
from vision.games.asteroyds_capture.position import teams_of
from vision.games.asteroyds_capture.programs import ACTIONS, MODES
from vision.games.asteroyds_capture.values import (
    COLUMNS,
    TEAMS,
    Piece,
    Program,
    Table,
)

__all__ = ["Said", "check_program", "check_table", "odd_places", "placed", "way_of_degrees"]


def _as_is(value: Any) -> Any:
    return value


class Said(Model):
    """What is said of a piece, in files too; what is left out is the layout's.

    ``cell`` is None where the piece is off the table, if that is said.
    """

    piece: str
    cell: str | None = None
    on: str | None = None
    heading_deg: Annotated[Number | None, PlainSerializer(_as_is)] = None  # 60, not 60.0
    pilot: str | None = None
    power_spent: bool = False

    @property
    def has_cell(self) -> bool:
        """Tell whether it is said where the piece lies."""
        return "cell" in self.model_fields_set


def way_of_degrees(heading: Any) -> int:
    """Return the way of a heading in degrees."""
    is_number = isinstance(heading, int | float) and not isinstance(heading, bool)
    if not is_number or heading not in range(0, 360, 60):
        seen = f"{heading:g}" if is_number else repr(heading)
        msg = f"the heading {seen}: needed 0, 60, 120, 180, 240 or 300"
        raise TableFormatError(msg)
    return int(heading) // 60


def placed(said: Sequence[Said], layout: str | None, radius: int) -> tuple[Piece, ...]:
    """Return all pieces of a table: those that were said, and what the layout lays besides."""
    if radius not in RADII:
        msg = f"a board of radius {radius} is none; needed {RADII[0]} to {RADII[-1]}"
        raise TableFormatError(msg)
    found = {} if layout is None else dict(lay_out(layout, radius))
    seen: set[str] = set()
    for one in said:
        name = one.piece
        if not is_piece(name):
            msg = f"{name!r} is no piece; needed one like red-1, red-turret-1, pod-3, rock-2"
            raise TableFormatError(msg)
        if name in seen:
            msg = f"{name} is there twice"
            raise TableFormatError(msg)
        seen.add(name)
        base = found.get(name, Piece(name))
        cell = one.cell if one.has_cell else base.cell
        way = base.way if one.heading_deg is None else way_of_degrees(one.heading_deg)
        cell = None if one.on is not None else cell
        found[name] = Piece(name, cell, way, one.on, one.pilot, one.power_spent)
    put = {one.piece for one in said if one.has_cell or one.on is not None}
    for name, piece in found.items():
        if name in put:
            continue
        start = {"ship": "platform", "asteroyd": "home"}.get(kind_of(name))
        stands = found.get(f"{team_of(name)}-{start}", piece)
        if stands.cell is None:
            msg = f"{name} lies nowhere; needed its cell, as in: {name} @d4, or a layout"
            raise TableFormatError(msg)
        found[name] = replace(piece, cell=stands.cell)
    return tuple(found[name] for name in sorted(found))


def check_table(table: Table) -> None:
    """Refuse what cannot be."""
    for problem in (
        *_places(table),
        *_teams(table),
        *_cargo(table),
        *_numbers(table),
    ):
        raise TableFormatError(problem)
    ships = {p.id for p in table.pieces if p.cell and kind_of(p.id) == "ship"}
    for name, program in table.programs.items():
        if name not in ships:
            msg = f"there is a plan for {name}, but no such ship; the ships are {_listed(ships)}"
            raise TableFormatError(msg)
        check_program(name, program)


def check_program(name: str, program: Program) -> None:
    """Refuse a programme that cannot be."""
    wrong = [a for a in program.columns if a is not None and a not in ACTIONS]
    if wrong:
        msg = f"the plan of {name}: {wrong[0]!r} is no action; they are {', '.join(ACTIONS)}"
        raise TableFormatError(msg)
    if len(program.columns) > COLUMNS:
        msg = f"the plan of {name} has {len(program.columns)} columns; there are {COLUMNS}"
        raise TableFormatError(msg)
    if program.mode is not None and program.mode not in MODES:
        msg = f"the plan of {name}: {program.mode!r} is no mode; needed shield or fire"
        raise TableFormatError(msg)
    if any(number not in range(1, COLUMNS + 1) for number in program.rounds):
        msg = f"the plan of {name}: the rounds {list(program.rounds)}; needed 1 to {COLUMNS}"
        raise TableFormatError(msg)


def _places(table: Table) -> Iterator[str]:
    cells = board_of(table.radius).cells
    for piece in table.pieces:
        if not is_piece(piece.id):
            yield f"{piece.id!r} is no piece"
        if piece.cell is not None and piece.cell not in cells:
            last = chr(ord("a") + 2 * table.radius)
            yield (
                f"{piece.id}: {piece.cell!r} is no cell of this board; its files are a to {last}, "
                f"its middle is {board_of(table.radius).name((0, 0))}"
            )
        if piece.way not in range(6):
            yield f"{piece.id}: a heading is 0, 60, 120, 180, 240 or 300"
        if piece.pilot is not None and (piece.pilot not in PILOTS or kind_of(piece.id) != "ship"):
            yield f"{piece.id}: {piece.pilot!r} is no pilot of a ship; they are {_listed(PILOTS)}"


def _teams(table: Table) -> Iterator[str]:
    present = {p.id for p in table.pieces if p.cell is not None or p.on is not None}
    teams = teams_of(table.pieces)
    if not teams:
        yield "no piece of a team is on the table; name a layout, as in: layout 2v2"
    for team in teams:
        for kind in ("platform", "home", "asteroyd"):
            if f"{team}-{kind}" not in present:
                yield f"{team} has no {kind}; needed one, as in: {team} {kind} @d4; or a layout"
    for team in table.scores:
        if team not in teams:
            yield f"there is a score of {team}, but no such team; the teams are {_listed(teams)}"


def _cargo(table: Table) -> Iterator[str]:
    ships = {p.id for p in table.pieces if p.cell and kind_of(p.id) == "ship"}
    for piece in table.pieces:
        if piece.on is None:
            continue
        if kind_of(piece.id) != "asteroyd":
            yield f"{piece.id} is on {piece.on}; only an asteroyd is carried"
        if piece.on not in ships:
            yield f"{piece.id} is on {piece.on}, but there is no such ship"
        if team_of(piece.on) == team_of(piece.id):
            yield f"{piece.on} carries {piece.id}; no ship carries its own colour"


def _numbers(table: Table) -> Iterator[str]:
    for colour, die in table.dice.items():
        if colour not in TEAMS or die not in range(1, 7):
            yield f"the die {colour} shows {die}; needed red, white or blue, 1 to 6"


def odd_places(pieces: Iterable[Piece]) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return ships that stand on an obstacle (with it), and things that share a cell."""
    held: dict[str, list[str]] = {}
    for piece in pieces:
        if piece.cell is not None:
            held.setdefault(piece.cell, []).append(piece.id)
    on_walls, shared = [], []
    for here in held.values():
        walls = sorted(name for name in here if kind_of(name) in WALLS)
        if len(walls) > 1:
            shared.append(tuple(walls))
        for name in here:
            others = [wall for wall in walls if wall != f"{team_of(name)}-platform"]
            if kind_of(name) == "ship" and others:
                on_walls.append((name, *others))
    return sorted(on_walls), sorted(shared)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
