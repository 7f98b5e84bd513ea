"""Tables of Conflit stellaire <-> JSON; millimetres and degrees in files."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vision.files.codec import to_document
from vision.files.documents import read_document
from vision.games.conflit_stellaire.check import check_table
from vision.games.conflit_stellaire.deck import NAME
from vision.games.conflit_stellaire.values import Table
from vision.games.conflit_stellaire.verbs import deeds_from_json

__all__ = ["read_table", "table_to_json"]


def read_table(source: str | bytes | Mapping[str, Any]) -> Table:
    """Read a table file."""
    table = read_document(source, Table, "table", game=NAME, deck=NAME)
    declared = deeds_from_json(table.declarations, "declarations", table.active)
    ripostes = deeds_from_json(table.ripostes, "ripostes", table.active)
    return check_table(replace(table, declarations=declared, ripostes=ripostes))


def table_to_json(table: Table) -> dict[str, Any]:
    """Return a table as ``sightline/table@1``; what is as usual is left out."""
    return to_document("table", table, game=NAME, deck=NAME, first=("rules", "active"))
