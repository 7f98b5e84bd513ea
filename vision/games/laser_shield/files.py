"""Tables and resolutions of Laser and Shield <-> JSON; millimetres and degrees in files."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from vision.errors import TableFormatError
from vision.files.codec import IF_ANY, to_document
from vision.files.documents import read_document
from vision.files.schemas import Model, PlaceInPhoto
from vision.games.laser_shield.notation import check_position
from vision.games.laser_shield.orders import format_order, order_from_json
from vision.games.laser_shield.values import (
    Options,
    Order,
    Pawn,
    PawnForm,
    PawnReading,
    Resolution,
    Square,
    Table,
)
from vision.judging.doubted import to_shares
from vision.judging.options import options_from_json, options_to_json
from vision.texts import Texts

__all__ = ["read_table", "resolution_to_json", "table_to_json"]

Json = dict[str, Any]
_PawnName = Annotated[str, Field(pattern="^(orange|blue)-[123]$")]


class TableModel(Model):
    """A table of Laser and Shield."""

    schema_: Literal["sightline/table@1"] = Field(alias="schema")
    game: Literal["laser-shield"]
    rules: dict[str, Any] = Field(default_factory=dict)
    pieces: Annotated[tuple[PawnForm, ...], Field(max_length=6)]
    orders: dict[Literal["orange", "blue"], Any] = Field(default_factory=dict)
    missing: Annotated[tuple[_PawnName, ...], Field(max_length=6), IF_ANY] = ()
    unread: Annotated[tuple[Square, ...], Field(max_length=20), IF_ANY] = ()
    seen: Annotated[dict[_PawnName, PlaceInPhoto], IF_ANY] = Field(default_factory=dict)


def read_table(source: str | bytes | Mapping[str, Any]) -> Table:
    """Read a table file.

    Raises
    ------
    TableFormatError
        With the place of the first mistake.
    """
    model = read_document(source, TableModel)
    names = [pawn.id for pawn in model.pieces]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"pieces: {twice} is there twice"
        raise TableFormatError(msg)
    orders: dict[str, Order | None] = {
        team: order_from_json(order) for team, order in model.orders.items()
    }
    options = options_from_json(Options, model.rules)
    missing = tuple(name for name in model.missing if name not in names)
    pawns = tuple(_with_shares(pawn) for pawn in model.pieces)
    table = Table(pawns, orders, options, (), missing, model.unread, seen=model.seen)
    check_position(table)
    return table


def _with_shares(pawn: Pawn) -> Pawn:
    """Return a pawn, the chances of its readings adding up to 1."""
    if not pawn.readings:
        return pawn
    shares = to_shares(pawn.id, [one.probability for one in pawn.readings])
    readings = zip(pawn.readings, shares, strict=True)
    return replace(
        pawn, readings=tuple(PawnReading(r.square, r.heading, share) for r, share in readings)
    )


def table_to_json(table: Table) -> Json:
    """Return a table as ``sightline/table@1``."""
    return TableModel.model_construct(
        schema_="sightline/table@1",
        game="laser-shield",
        rules=options_to_json(table.options),
        pieces=table.pawns,
        orders={
            team: None if order is None else format_order(order) or "pass"
            for team, order in table.orders.items()
        },
        missing=table.missing,
        unread=table.unread,
        seen=table.seen,
    ).model_dump(mode="json", by_alias=True)


def resolution_to_json(resolution: Resolution, texts: Texts) -> Json:
    """Return a resolution as ``sightline/resolution@1``."""
    return to_document("resolution", resolution, texts, game="laser-shield")
