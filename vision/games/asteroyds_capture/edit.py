"""A table and a change in plain JSON -> the table corrected: what players say is no more in doubt.

``{"kind": "program", "ship": "red-1", "program": "F L - X shield 3"}`` (or its JSON; null: none),
``{"kind": "set", "piece": "red-1", "cell": "d4", "heading_deg": 60}`` (also ``on``, ``pilot``,
``power_spent``), ``{"kind": "remove", "id"}``, ``{"kind": "dice", "dice": {"red": 3}}``,
``{"kind": "scores", "scores": {"red": 1}}``, ``{"kind": "rules", "rules": {...}}`` (or
``"set": ["base=home"]``).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vision.errors import TableFormatError
from vision.games.asteroyds_capture.files import (
    program_from_json,
    rules_from_json,
    way_from_json,
)
from vision.games.asteroyds_capture.notation import parse_program
from vision.games.asteroyds_capture.pieces import is_piece
from vision.games.asteroyds_capture.setup import check_table
from vision.games.asteroyds_capture.values import Alternative, Options, Piece, Table
from vision.judging.options import parse_options

__all__ = ["edit"]

_FIELDS = {"cell", "heading_deg", "on", "pilot", "power_spent"}


def edit(table: Table, change: Mapping[str, Any]) -> Table:
    """Bring a correction or a programme to a table.

    Raises
    ------
    TableFormatError
        If it is no change, or leads to what cannot be.
    """
    after = _edited(table, change)
    check_table(after)
    return after


def _edited(table: Table, change: Mapping[str, Any]) -> Table:
    match dict(change):
        case {"kind": "program", "ship": str(ship), "program": said}:
            programs = {name: one for name, one in table.programs.items() if name != ship}
            if said is not None:
                is_text = isinstance(said, str)
                programs[ship] = parse_program(said) if is_text else program_from_json(said)
            return _known(replace(table, programs=programs), ship, {"column", "mode", "rounds"})
        case {"kind": "set", "piece": str(name), **fields} if is_piece(name) and fields:
            return _set(table, name, fields)
        case {"kind": "remove", "id": str(name)} if is_piece(name):
            return _set(table, name, {"cell": None})
        case {"kind": "dice", "dice": dict(dice)}:
            shown = {k: v for k, v in {**table.dice, **dice}.items() if v is not None}
            after = replace(table, dice=shown)
            for colour in dice:
                after = _known(after, str(colour), {"die"})
            return after
        case {"kind": "scores", "scores": dict(scores)} if all(
            type(n) is int for n in scores.values()
        ):
            return replace(table, scores={**table.scores, **scores})
        case {"kind": "rules", "rules": dict(rules)}:
            return replace(table, options=rules_from_json(rules))
        case {"kind": "rules", "set": list(settings)}:
            options = parse_options(Options, [str(one) for one in settings], table.options)
            return replace(table, options=options)
    msg = (
        f'{dict(change)} is no change; needed one like {{"kind": "set", "piece": "red-1", '
        '"cell": "d4"} or {"kind": "program", "ship": "red-1", "program": "F L X"}'
    )
    raise TableFormatError(msg)


def _set(table: Table, name: str, fields: Mapping[str, Any]) -> Table:
    if not set(fields) <= _FIELDS:
        msg = f"{sorted(set(fields) - _FIELDS)} is nothing to set; needed {sorted(_FIELDS)}"
        raise TableFormatError(msg)
    pieces = {piece.id: piece for piece in table.pieces}
    piece = pieces.get(name, Piece(name))
    doubts = set(fields)
    if "cell" in fields:
        piece = replace(piece, cell=fields["cell"], on=None)
        doubts.add("on")
    if "heading_deg" in fields:
        piece = replace(piece, way=way_from_json(fields["heading_deg"]))
    if fields.get("on") is not None:
        piece = replace(piece, cell=None, on=fields["on"])
        doubts.add("cell")
    elif "on" in fields and piece.on is not None:
        ship = pieces.get(piece.on)
        piece = replace(piece, cell=None if ship is None else ship.cell, on=None)
    if "pilot" in fields:
        piece = replace(piece, pilot=fields["pilot"])
    if "power_spent" in fields:
        piece = replace(piece, power_spent=bool(fields["power_spent"]))
    pieces[name] = piece
    after = replace(table, pieces=tuple(pieces[key] for key in sorted(pieces)))
    return _known(after, name, doubts)


def _known(table: Table, of: str, what: set[str]) -> Table:
    """Return a table in which some things are no more in doubt."""

    def is_left(one: Alternative) -> bool:
        return one.of != of or one.what not in what

    return replace(table, alternatives=tuple(filter(is_left, table.alternatives)))
