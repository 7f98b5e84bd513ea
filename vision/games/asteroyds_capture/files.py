"""Tables and resolutions of Asteroyds, capture <-> JSON; headings in degrees in files."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from vision.errors import TableFormatError
from vision.files.codec import RULES, as_form, to_document
from vision.files.documents import read_document
from vision.files.schemas import Chance, Model, PlaceInPhoto
from vision.games.asteroyds_capture.pieces import HEADED, kind_of
from vision.games.asteroyds_capture.resolve import own_value
from vision.games.asteroyds_capture.setup import Said, check_table, placed, way_of_degrees
from vision.games.asteroyds_capture.values import (
    RADIUS,
    Options,
    OtherValues,
    Piece,
    Program,
    Resolution,
    Table,
)
from vision.judging.doubted import to_shares
from vision.texts import Texts

__all__ = [
    "alternative_from_json",
    "program_from_json",
    "read_table",
    "resolution_to_json",
    "table_to_json",
]

Json = dict[str, Any]
_NAME = "asteroyds-capture"


class BoardModel(Model):
    """The board."""

    radius: int = RADIUS


def _radius(board: BoardModel) -> int:
    return board.radius


def _board(radius: int) -> Json:
    return {"radius": radius}


class OptionModel(Model):
    """One way to read something."""

    value: Any
    p: Chance


class AlternativeModel(Model):
    """What else something may be."""

    of: str
    what: Literal["cell", "on", "heading_deg", "die", "column", "mode", "rounds", "pilot"]
    column: int = 0
    options: Annotated[list[OptionModel], Field(min_length=1)]


class UnreadModel(Model):
    """A thing that a photo shows and nobody read: the cells under it, and its place."""

    cells: Annotated[list[str], Field(min_length=1)]
    at_px: PlaceInPhoto


class TableModel(Model):
    """A table of Asteroyds, capture."""

    board: Annotated[int, as_form(BoardModel, _radius, _board)] = RADIUS
    layout: str | None = None
    pieces: Annotated[list[Said], Field(max_length=200)] = Field(default_factory=list)
    dice: dict[str, int | None] = Field(default_factory=dict)
    scores: dict[str, int] = Field(default_factory=dict)
    rules: Annotated[Options, RULES] = Options()
    programs: dict[str, Program] = Field(default_factory=dict)
    alternatives: list[AlternativeModel] = Field(default_factory=list)
    unread: list[UnreadModel] = Field(default_factory=list)
    seen: dict[str, PlaceInPhoto] = Field(default_factory=dict)


def read_table(source: str | bytes | Mapping[str, Any]) -> Table:
    """Read a table file."""
    model = read_document(source, TableModel, "table", game=_NAME)
    table = Table(
        pieces=placed(model.pieces, model.layout, model.board),
        programs=model.programs,
        dice={colour: die for colour, die in model.dice.items() if die is not None},
        scores=model.scores,
        options=model.rules,
        radius=model.board,
        layout=model.layout,
        unread=tuple((frozenset(one.cells), one.at_px) for one in model.unread),
        seen=model.seen,
    )
    check_table(table)
    found = [alternative_from_json(table, one) for one in model.alternatives]
    if len({one.spot for one in found}) < len(found):
        msg = "alternatives: something is there twice"
        raise TableFormatError(msg)
    return replace(table, alternatives=tuple(found))


def program_from_json(value: Any) -> Program:
    """Read a programme from JSON."""
    if not isinstance(value, Mapping):
        msg = f"{value!r} is no programme; needed its columns, mode and rounds"
        raise TableFormatError(msg)
    return read_document(value, Program)


def alternative_from_json(table: Table, model: AlternativeModel) -> OtherValues:
    """Read what else something may be; the first value must be the table's own."""
    spot = (model.of, model.what, model.column)
    place = f"alternatives: {model.what} of {model.of}"
    values = [_value(model.what, one.value) for one in model.options]
    own = own_value(table, spot)
    if values[0] != own:
        msg = f"{place}: the first is {values[0]!r}, but the table itself has {own!r}"
        raise TableFormatError(msg)
    shares = to_shares(f"{model.of}'s {model.what}", [one.p for one in model.options], least=0)
    return OtherValues(model.of, model.what, tuple(zip(values, shares, strict=True)), model.column)


def _value(what: str, value: Any) -> Any:
    if what == "heading_deg":
        return way_of_degrees(value)
    if what == "rounds":
        if isinstance(value, list) and all(type(number) is int for number in value):
            return tuple(value)
    elif what == "die":
        if value is None or type(value) is int:
            return value
    elif value is None or isinstance(value, str):
        return value
    msg = f"alternatives: {value!r} is no value of {what}"
    raise TableFormatError(msg)


# --- writing -------------------------------------------------------------------------------------


def table_to_json(table: Table) -> Json:
    """Return a table as ``sightline/table@1``, every piece spelled out."""
    more: Json = {
        "alternatives": [_alternative(one) for one in table.alternatives],
        "unread": [UnreadModel(cells=sorted(cells), at_px=at) for cells, at in table.unread],
        "seen": table.seen,
    }
    told = TableModel.model_construct(
        board=table.radius,
        layout=table.layout,
        pieces=[_piece(piece) for piece in table.pieces],
        dice=table.dice,
        scores=table.scores,
        rules=table.options,
        programs=table.programs,
        **{what: several for what, several in more.items() if several},
    ).model_dump(mode="json", exclude_unset=True)
    return {"schema": "sightline/table@1", "game": _NAME, **told}


def _piece(piece: Piece) -> Said:
    said: Json = {"cell": piece.cell} if piece.on is None else {"on": piece.on}
    if kind_of(piece.id) in HEADED:
        said["heading_deg"] = 60 * piece.way
    if piece.pilot is not None:
        said |= {"pilot": piece.pilot, "power_spent": piece.power_spent}
    return Said.model_construct(piece=piece.id, **said)


def _alternative(one: OtherValues) -> AlternativeModel:
    turn = 60 if one.what == "heading_deg" else 1
    options = [OptionModel(value=v if turn == 1 else turn * v, p=p) for v, p in one.options]
    column: Json = {"column": one.column} if one.what == "column" else {}
    return AlternativeModel.model_construct(of=one.of, what=one.what, options=options, **column)


def resolution_to_json(resolution: Resolution, texts: Texts) -> Json:
    """Return a resolution as ``sightline/resolution@1``."""
    told = to_document("resolution", resolution, texts, game=_NAME)
    issues = told.pop("issues")
    return {**told, "final": table_to_json(resolution.final), "issues": issues}
