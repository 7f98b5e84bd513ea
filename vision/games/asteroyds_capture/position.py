"""A position in the middle of a turn, and what each rule asks of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from vision.games.asteroyds_capture.board import Board
from vision.games.asteroyds_capture.pieces import kind_of, team_of
from vision.games.asteroyds_capture.values import TEAMS, Carried, Options, Piece, Table

__all__ = [
    "Position",
    "home_of",
    "in_base",
    "opened",
    "platform_of",
    "send_home",
    "teams_of",
    "turned_by",
]


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """Pieces by id; turrets that are ``off`` and ships that are ``out`` for the turn; scores."""

    board: Board
    options: Options
    pieces: Mapping[str, Piece]
    dice: Mapping[str, int]
    scores: Mapping[str, int]
    off: frozenset[str] = frozenset()
    out: frozenset[str] = frozenset()

    def by_cell(self) -> dict[str, list[str]]:
        """Return what lies in each cell, carried asteroyds left out."""
        found: dict[str, list[str]] = {}
        for name, piece in self.pieces.items():
            if piece.cell is not None:
                found.setdefault(piece.cell, []).append(name)
        return found

    def of_kind(self, *kinds: str) -> list[Piece]:
        """Return the pieces of some kinds that are on the board, by id."""
        return [p for name, p in self.pieces.items() if p.cell and kind_of(name) in kinds]

    def cargo(self, ship: str) -> list[str]:
        """Return the asteroyds that a ship carries, by id."""
        return [name for name, piece in self.pieces.items() if piece.on == ship]

    def with_pieces(self, changed: Iterable[Piece]) -> "Position":
        """Return the position with some pieces changed."""
        return replace(self, pieces={**self.pieces, **{piece.id: piece for piece in changed}})


def teams_of(pieces: Iterable[Piece]) -> tuple[str, ...]:
    """Return the teams that have a piece on the table."""
    found = {team_of(p.id) for p in pieces if p.cell is not None or p.on is not None}
    return tuple(team for team in TEAMS if team in found)


def turned_by(pieces: Iterable[Piece]) -> dict[str, list[str]]:
    """Return what each die turns, by its colour: its team's turrets, the blue one rocks as well."""
    found: dict[str, list[str]] = {}
    for piece in pieces:
        kind = kind_of(piece.id)
        colour = team_of(piece.id) if kind == "turret" else "blue" if kind == "rock" else None
        if piece.cell and colour is not None:
            found.setdefault(colour, []).append(piece.id)
    return found


def platform_of(pieces: Mapping[str, Piece], team: str | None) -> str:
    """Return the cell of a team's platform."""
    return _cell(pieces[f"{team}-platform"])


def home_of(pieces: Mapping[str, Piece], team: str | None) -> str:
    """Return the cell of a team's home."""
    return _cell(pieces[f"{team}-home"])


def _cell(piece: Piece) -> str:
    if piece.cell is None:
        msg = f"{piece.id} is not on the table"
        raise ValueError(msg)
    return piece.cell


def in_base(position: Position, cell: str, team: str | None) -> bool:
    """Tell whether a cell is of a team's base."""
    if position.options.base == "platform":
        return cell == platform_of(position.pieces, team)
    reach = position.options.zone if position.options.base == "zone" else 0
    return cell in position.board.within(home_of(position.pieces, team), reach)


def send_home(position: Position, ships: Iterable[str]) -> tuple[Position, list[Carried]]:
    """Put ships on their platforms, out for the turn; what they carried stays in the cell."""
    gone = sorted(ships)
    changed, dropped = [], []
    for name in gone:
        ship = position.pieces[name]
        for cargo in position.cargo(name):
            changed.append(replace(position.pieces[cargo], cell=ship.cell, on=None))
            dropped.append(Carried(cargo, "dropped", (name,), ship.cell or ""))
        changed.append(replace(ship, cell=platform_of(position.pieces, team_of(name))))
    after = replace(position.with_pieces(changed), out=position.out | set(gone))
    return after, sorted(dropped, key=lambda event: event.asteroyd)


def opened(table: Table, board: Board) -> Position:
    """Return the position of a table before the turn."""
    teams = teams_of(table.pieces)
    pieces = {piece.id: piece for piece in sorted(table.pieces, key=lambda p: p.id)}
    scores = {team: table.scores.get(team, 0) for team in teams}
    return Position(board, table.options, pieces, table.dice, scores)
