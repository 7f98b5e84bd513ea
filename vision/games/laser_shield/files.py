"""Tables and resolutions of Laser and Shield <-> JSON; millimetres and degrees in files."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vision.errors import TableFormatError
from vision.files.codec import to_document
from vision.files.documents import read_document
from vision.games.laser_shield.notation import check_position
from vision.games.laser_shield.orders import order_from_json
from vision.games.laser_shield.values import Pawn, Resolution, Table
from vision.judging.doubted import to_shares
from vision.texts import Texts

__all__ = ["read_table", "resolution_to_json", "table_to_json"]

Json = dict[str, Any]
_NAME = "laser-shield"


def read_table(source: str | bytes | Mapping[str, Any]) -> Table:
    """Read a table file."""
    table = read_document(source, Table, "table", game=_NAME)
    names = [pawn.id for pawn in table.pawns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"pieces: {twice} is there twice"
        raise TableFormatError(msg)
    table = replace(
        table,
        pawns=tuple(_with_shares(pawn) for pawn in table.pawns),
        orders={team: order_from_json(order) for team, order in table.orders.items()},
        missing=tuple(name for name in table.missing if name not in names),
    )
    check_position(table)
    return table


def _with_shares(pawn: Pawn) -> Pawn:
    """Return a pawn, the chances of its readings adding up to 1."""
    if not pawn.readings:
        return pawn
    shares = to_shares(pawn.id, [one.probability for one in pawn.readings])
    readings = zip(pawn.readings, shares, strict=True)
    return replace(pawn, readings=tuple(replace(one, probability=p) for one, p in readings))


def table_to_json(table: Table) -> Json:
    """Return a table as ``sightline/table@1``."""
    return to_document("table", table, game=_NAME, first=("rules",))


def resolution_to_json(resolution: Resolution, texts: Texts) -> Json:
    """Return a resolution as ``sightline/resolution@1``."""
    return to_document("resolution", resolution, texts, game=_NAME)
