"""Tables of Conflit stellaire <-> JSON; millimetres and degrees in files."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from vision.files.codec import IF_ANY, IF_SAID
from vision.files.documents import read_document
from vision.files.schemas import Model, Name, PlaceInPhoto
from vision.games.conflit_stellaire.check import check_table
from vision.games.conflit_stellaire.deck import NAME
from vision.games.conflit_stellaire.values import (
    Campaign,
    CardForm,
    Distance,
    Options,
    SeatForm,
    Table,
)
from vision.games.conflit_stellaire.verbs import deed_to_json, deeds_from_json
from vision.judging.options import options_from_json, options_to_json

__all__ = ["read_table", "table_to_json"]

Json = dict[str, Any]
_SCHEMA: Literal["sightline/table@1"] = "sightline/table@1"


class TableModel(Model):
    """A table of Conflit stellaire, with the declarations of a turn."""

    schema_: Literal["sightline/table@1"] = Field(alias="schema")
    game: Literal["conflit-stellaire"]
    deck: Literal["conflit-stellaire"] = "conflit-stellaire"
    rules: dict[str, Any] = Field(default_factory=dict)
    active: Name
    seats: tuple[SeatForm, ...]
    cards: tuple[CardForm, ...] = ()
    distances: tuple[Distance, ...] = ()
    declarations: list[Any] = Field(default_factory=list)
    ripostes: list[Any] = Field(default_factory=list)
    campaign: Annotated[Campaign | None, IF_SAID] = None
    seen: Annotated[dict[Name, PlaceInPhoto], IF_ANY] = Field(default_factory=dict)


def read_table(source: str | bytes | Mapping[str, Any]) -> Table:
    """Read a table file.

    Raises
    ------
    TableFormatError
        With the place of the first mistake.
    """
    model = read_document(source, TableModel)
    table = Table(
        seats=model.seats,
        cards=model.cards,
        distances=model.distances,
        active=model.active,
        declarations=deeds_from_json(model.declarations, "declarations", model.active),
        ripostes=deeds_from_json(model.ripostes, "ripostes", model.active),
        campaign=model.campaign,
        options=options_from_json(Options, model.rules),
        seen=model.seen,
    )
    return check_table(table)


def table_to_json(table: Table) -> Json:
    """Return a table as ``sightline/table@1``; what is as usual is left out."""
    return TableModel.model_construct(
        schema_=_SCHEMA,
        game=NAME,
        deck=NAME,
        rules=options_to_json(table.options),
        active=table.active,
        seats=table.seats,
        cards=table.cards,
        distances=table.distances,
        declarations=[deed_to_json(deed, is_riposte=False) for deed in table.declarations],
        ripostes=[deed_to_json(deed, is_riposte=True) for deed in table.ripostes],
        campaign=table.campaign,
        seen=table.seen,
    ).model_dump(mode="json", by_alias=True)
