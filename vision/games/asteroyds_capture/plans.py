"""Table and ship -> its programme as an order: read, said, filled in like the printed sheet.

A programme is written ``F L - X shield 3`` (:mod:`.notation`), as JSON (``columns``, ``mode``,
``rounds``), or as the columns of a sheet: ``{"1": ["forward"], "mode": ["shield"], "rounds":
["3"]}``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vision.errors import TableFormatError
from vision.games.asteroyds_capture.files import program_from_json
from vision.games.asteroyds_capture.notation import format_program, parse_program
from vision.games.asteroyds_capture.pieces import kind_of, team_of
from vision.games.asteroyds_capture.programs import (
    MODES,
    PLAIN,
    Anticipation,
    anticipate,
    motion_of,
    powers_of,
)
from vision.games.asteroyds_capture.setup import check_program
from vision.games.asteroyds_capture.values import COLUMNS, TEAMS, Piece, Program, Table
from vision.games.asteroyds_capture.words import piece_name, program_words
from vision.judging.orders import Column, OrderRead, Party, Pick
from vision.values.messages import Message, message

__all__ = ["parties", "read_order", "read_program", "sheet", "standing_orders"]

_SIGNS = {"forward": "↑", "left": "↖", "right": "↗", "back": "↻", "fire": "✸", "power": "★"}
_ROUNDS = tuple(str(number) for number in range(1, COLUMNS + 1))


def parties(table: Table) -> tuple[Party, ...]:
    """Return the ships on the board: each is programmed by itself."""
    return tuple(Party(name, piece_name(name), team_of(name)) for name in _ships(table))


def standing_orders(table: Table) -> dict[str, str | None]:
    """Return the programmes on a table as text, None of a ship whose sheet is empty."""
    return {
        name: format_program(table.programs[name]) or None
        for name in _ships(table)
        if name in table.programs
    }


def read_program(given: Any) -> Program:
    """Read a programme in any of its forms; None is an empty one."""
    if given is None:
        return Program()
    if isinstance(given, str):
        return parse_program(given)
    if isinstance(given, Mapping) and given and set(given) <= {*_ROUNDS, "mode", "rounds"}:
        values = list(given.values())
        if all(isinstance(one, list) for one in values):
            return _filled(given)
    return program_from_json(given)


def read_order(table: Table, party: str, given: Any) -> OrderRead:
    """Read the programme of a ship; what of it will come to nothing is told."""
    ship = _ship(table, party)
    program = read_program(given)
    check_program(party, program)
    said = message("asteroyds.programme", plan=program_words(program))
    return OrderRead(format_program(program) or None, said, _warning(table, ship, program))


def sheet(table: Table, party: str, given: Any) -> tuple[Column, ...]:
    """Return the sheet of a ship, filled in: six columns, the anticipation's rounds and mode."""
    ship = _ship(table, party)
    program = table.programs.get(party, Program()) if given is None else read_program(given)
    check_program(party, program)
    actions = tuple(_picks(table, ship, program.columns))
    most = 2 if table.options.pilots and ship.pilot == "lawrence" else 1
    rounds = tuple(Pick(number, number, number) for number in _ROUNDS)
    modes = tuple(Pick(m, "", message(f"asteroyds.mode.{m}")) for m in MODES)
    return (
        *(
            Column(str(k), str(k), actions, () if action is None else (action,))
            for k, action in enumerate(program.columns, start=1)
        ),
        Column(
            "rounds",
            message("asteroyds.sheet.rounds"),
            rounds,
            tuple(str(number) for number in program.rounds),
            most,
        ),
        Column("mode", message("asteroyds.sheet.mode"), modes, _one(program.mode)),
    )


def _one(value: str | None) -> tuple[str, ...]:
    return () if value is None else (value,)


def _ships(table: Table) -> list[str]:
    return sorted(
        (p.id for p in table.pieces if p.cell is not None and kind_of(p.id) == "ship"), key=_rank
    )


def _rank(ship: str) -> tuple[int, str]:
    return TEAMS.index(team_of(ship) or ""), ship


def _ship(table: Table, party: str) -> Piece:
    for piece in table.pieces:
        if piece.id == party and party in _ships(table):
            return piece
    msg = f"{party!r} is no ship on the board; the ships are {', '.join(_ships(table))}"
    raise TableFormatError(msg)


def _filled(given: Mapping[str, Any]) -> Program:
    """Read a sheet that was filled in."""

    def only(name: str) -> str | None:
        values = given.get(name, [])
        if len(values) > 1 or not all(isinstance(value, str) for value in values):
            msg = f"column {name}: {values!r}; needed one thing, or none"
            raise TableFormatError(msg)
        return values[0] if values else None

    numbers = given.get("rounds", [])
    if not all(number in _ROUNDS for number in numbers):
        msg = f"the rounds {numbers!r}; needed 1 to {COLUMNS}"
        raise TableFormatError(msg)
    rounds = tuple(sorted(int(number) for number in set(numbers)))
    return Program(tuple(only(number) for number in _ROUNDS), only("mode"), rounds)


def _picks(table: Table, ship: Piece, columns: Sequence[str | None]) -> Iterator[Pick]:
    """Yield what a column of a ship may hold; what stands there already is always offered."""
    offered = [*PLAIN, "fire"]
    if table.options.pilots and not ship.power_spent:
        offered += powers_of(ship.pilot)
    offered += sorted({action for action in columns if action is not None} - set(offered))
    for action in offered:
        sign = _SIGNS[action.partition("-")[0]]
        yield Pick(action, sign, message(f"asteroyds.action.{action}"))


def _warning(table: Table, ship: Piece, program: Program) -> Message | None:
    """Say what of a programme will come to nothing."""
    spent = 0
    for number, action in enumerate(program.columns, start=1):
        if action is not None and action.startswith("power"):
            spent += 1
            if spent > 1 or motion_of(ship, action, table.options) is None:
                return message("asteroyds.issue.power_refused", ship=piece_name(ship.id), n=number)
    anticipation: Anticipation = anticipate(ship, program, table.options)
    if anticipation.issue is None:
        return None
    return message(f"asteroyds.issue.{anticipation.issue}", ship=piece_name(ship.id))
