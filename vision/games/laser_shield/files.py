"""Tables and resolutions of Laser and Shield <-> JSON; millimetres and degrees in files."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from vision.errors import TableFormatError
from vision.files.codec import to_document
from vision.files.documents import read_document
from vision.files.layouts import covariance_from_json, covariance_to_json
from vision.files.schemas import Chance, Model, Number, Place, Square3
from vision.games.laser_shield.board import SQUARES
from vision.games.laser_shield.notation import check_position
from vision.games.laser_shield.orders import format_order, order_from_json
from vision.games.laser_shield.values import (
    Options,
    Order,
    Pawn,
    PawnReading,
    Pose,
    Resolution,
    Table,
)
from vision.judging.doubted import to_shares
from vision.judging.options import options_from_json, options_to_json
from vision.texts import Texts

__all__ = ["read_table", "resolution_to_json", "table_to_json"]

Json = dict[str, Any]

Square = Annotated[str, Field(pattern=f"^({'|'.join(SQUARES)})$")]
PawnName = Annotated[str, Field(pattern="^(orange|blue)-[123]$")]
Heading = Literal["n", "ne", "e", "se", "s", "sw", "w", "nw"]


class ReadingModel(Model):
    """One way to read a pawn."""

    square: Square
    heading: Heading
    probability: Chance


class PieceModel(Model):
    """A pawn: where it stands, and where it was seen."""

    piece: PawnName
    square: Square
    heading: Heading
    x_mm: Place | None = None
    y_mm: Place | None = None
    theta_deg: Number | None = None
    covariance: Square3 | None = None
    readings: tuple[ReadingModel, ...] = Field((), strict=False)


class TableModel(Model):
    """A table of Laser and Shield."""

    schema_: Literal["sightline/table@1"] = Field(alias="schema")
    game: Literal["laser-shield"]
    rules: dict[str, Any] = Field(default_factory=dict)
    pieces: Annotated[list[PieceModel], Field(max_length=6)]
    orders: dict[Literal["orange", "blue"], Any] = Field(default_factory=dict)
    missing: Annotated[tuple[PawnName, ...], Field(max_length=6, strict=False)] = ()
    unread: Annotated[tuple[Square, ...], Field(max_length=20, strict=False)] = ()


def read_table(source: str | bytes | Mapping[str, Any]) -> Table:
    """Read a table file.

    Raises
    ------
    TableFormatError
        With the place of the first mistake.
    """
    model = read_document(source, TableModel)
    names = [piece.piece for piece in model.pieces]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = f"pieces: {twice} is there twice"
        raise TableFormatError(msg)
    orders: dict[str, Order | None] = {
        team: order_from_json(order) for team, order in model.orders.items()
    }
    options = options_from_json(Options, model.rules)
    missing = tuple(name for name in model.missing if name not in names)
    pawns = tuple(_to_pawn(piece) for piece in model.pieces)
    table = Table(pawns, orders, options, (), missing, model.unread)
    check_position(table)
    return table


def _to_pawn(piece: PieceModel) -> Pawn:
    shares: tuple[float, ...] = ()
    if piece.readings:
        shares = to_shares(piece.piece, [r.probability for r in piece.readings])
    readings = tuple(
        PawnReading(r.square, r.heading, share)
        for r, share in zip(piece.readings, shares, strict=True)
    )
    pose = None
    if None not in (piece.x_mm, piece.y_mm, piece.theta_deg):
        theta = math.radians(piece.theta_deg or 0.0)
        spread = None
        if piece.covariance is not None:
            spread = covariance_from_json(piece.covariance)
        pose = Pose(piece.x_mm or 0.0, piece.y_mm or 0.0, theta, spread)
    return Pawn(piece.piece, piece.square, piece.heading, readings, pose)


def table_to_json(table: Table) -> Json:
    """Return a table as ``sightline/table@1``."""
    open_ = {"missing": list(table.missing), "unread": list(table.unread)}
    return {
        "schema": "sightline/table@1",
        "game": "laser-shield",
        "rules": options_to_json(table.options),
        "pieces": [_pawn_to_json(pawn) for pawn in table.pawns],
        "orders": {
            team: None if order is None else format_order(order) or "pass"
            for team, order in table.orders.items()
        },
        **{name: several for name, several in open_.items() if several},
    }


def _pawn_to_json(pawn: Pawn) -> Json:
    out: Json = {"piece": pawn.id, "square": pawn.square, "heading": pawn.heading}
    pose = pawn.pose
    if pose is not None:
        theta = math.degrees(pose.theta_rad)
        out |= {"x_mm": float(pose.x_mm), "y_mm": float(pose.y_mm), "theta_deg": theta}
        if pose.covariance is not None:
            out["covariance"] = covariance_to_json(pose.covariance)
    if pawn.readings:
        out["readings"] = [
            {"square": r.square, "heading": r.heading, "probability": r.probability}
            for r in pawn.readings
        ]
    return out


def resolution_to_json(resolution: Resolution, texts: Texts) -> Json:
    """Return a resolution as ``sightline/resolution@1``."""
    return to_document("resolution", resolution, texts, game="laser-shield")
