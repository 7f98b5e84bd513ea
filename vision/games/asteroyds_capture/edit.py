"""A table and a change in plain JSON -> the table corrected: what players say is no more in doubt.

``{"kind": "orders", "orders": {"red-1": "F L - X shield 3"}}`` (or JSON; null: an empty sheet),
``{"kind": "program", "ship": "red-1", "program": "F L"}`` (null: none was given),
``{"kind": "set", "piece": "red-1", "cell": "d4", "heading_deg": 60}`` (also ``on``, ``pilot``,
``power_spent``), ``{"kind": "dice", "dice": {"red": 3}}``,
``{"kind": "scores", "scores": {"red": 1}}``, ``{"kind": "rules", "rules": {...}}`` (or
``"set": ["base=home"]``), ``{"kind": "carry", "scores", "pilots", "spent"}`` from the turn before,
and those of hands (:mod:`.hands`).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vision.errors import TableFormatError
from vision.files.documents import read_document
from vision.games.asteroyds_capture.evening import carry
from vision.games.asteroyds_capture.hands import laid, without_doubt
from vision.games.asteroyds_capture.pieces import is_piece
from vision.games.asteroyds_capture.plans import read_program
from vision.games.asteroyds_capture.setup import Said, check_table, way_of_degrees
from vision.games.asteroyds_capture.values import Piece, Table
from vision.judging.options import changed_options
from vision.judging.said import nothing_more

__all__ = ["edit"]

_SHEET = {"column", "mode", "rounds"}


def edit(table: Table, change: Mapping[str, Any]) -> Table:
    """Bring a correction or a programme to a table."""
    if (word := nothing_more(change)) is not None:
        return replace(table, said=table.said | {word})
    after = laid(table, change) or _edited(table, change)
    check_table(after)
    return after


def _edited(table: Table, change: Mapping[str, Any]) -> Table:
    match dict(change):
        case {"kind": "program", "ship": str(ship), "program": None}:
            programs = {name: one for name, one in table.programs.items() if name != ship}
            return without_doubt(replace(table, programs=programs), ship, _SHEET)
        case {"kind": "program", "ship": str(ship), "program": said}:
            return _programmed(table, {ship: said})
        case {"kind": "orders", "orders": dict(orders)}:
            return _programmed(table, orders)
        case {"kind": "carry", **what}:
            return carry(table, what)
        case {"kind": "set", "piece": str(name), **fields} if is_piece(name) and fields:
            return _set(table, name, fields)
        case {"kind": "dice", "dice": dict(dice)}:
            shown = {k: v for k, v in {**table.dice, **dice}.items() if v is not None}
            after = replace(table, dice=shown)
            for colour in dice:
                after = without_doubt(after, str(colour), {"die"})
            return after
        case {"kind": "scores", "scores": dict(scores)} if all(
            type(n) is int for n in scores.values()
        ):
            return replace(table, scores={**table.scores, **scores})
        case {"kind": "rules"} if options := changed_options(table.options, change):
            return replace(table, options=options)
    msg = (
        f'{dict(change)} is no change; needed one like {{"kind": "set", "piece": "red-1", '
        '"cell": "d4"} or {"kind": "program", "ship": "red-1", "program": "F L X"}'
    )
    raise TableFormatError(msg)


def _programmed(table: Table, orders: Mapping[str, Any]) -> Table:
    read = {ship: read_program(said) for ship, said in orders.items()}
    after = replace(table, programs={**table.programs, **read})
    for ship in read:
        after = without_doubt(after, ship, _SHEET)
    return after


def _set(table: Table, name: str, fields: Mapping[str, Any]) -> Table:
    said = read_document({"piece": name, **fields}, Said)
    told = said.model_fields_set - {"piece"}
    pieces = {piece.id: piece for piece in table.pieces}
    piece = pieces.get(name, Piece(name))
    also = set[str]()
    if said.has_cell:
        piece = replace(piece, cell=said.cell, on=None)
        also.add("on")
    if "heading_deg" in told:
        piece = replace(piece, way=way_of_degrees(said.heading_deg))
    if said.on is not None:
        piece = replace(piece, cell=None, on=said.on)
        also.add("cell")
    elif "on" in told and piece.on is not None:
        ship = pieces.get(piece.on)
        piece = replace(piece, cell=None if ship is None else ship.cell, on=None)
    for field in told & {"pilot", "power_spent"}:
        piece = replace(piece, **{field: getattr(said, field)})
    pieces[name] = piece
    after = replace(table, pieces=tuple(pieces[key] for key in sorted(pieces)))
    return without_doubt(after, name, told | also)
