"""Tables of Conflit stellaire <-> JSON; millimetres and degrees in files."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from vision.errors import TableFormatError
from vision.files.documents import read_document
from vision.files.schemas import Chance, Count, Model, Name, Number, Place
from vision.games.conflit_stellaire.check import check_table
from vision.games.conflit_stellaire.deck import NAME
from vision.games.conflit_stellaire.values import (
    Campaign,
    Card,
    Deed,
    Distance,
    Options,
    Pose,
    Reading,
    Seat,
    Table,
)
from vision.games.conflit_stellaire.verbs import deed_from_json, deed_to_json
from vision.judging.options import options_from_json, options_to_json

__all__ = [
    "campaign_from_json",
    "read_table",
    "reading_to_json",
    "readings_to_json",
    "table_to_json",
]

Json = dict[str, Any]
_Fate = Literal["destroyed", "captured", "surrendered", "fled", "escaped"]
_Size = Annotated[int, Field(ge=1, le=99)]
_Uds = Annotated[int, Field(ge=1, le=12)]
_Die = Annotated[int, Field(ge=1, le=8)]


class SeatReading(Model):
    """Another way to read a seat's hull card; what it does not say stays."""

    hull: Annotated[int, Field(ge=0, le=99)] | None = None
    size: _Size | None = None
    commander: Name | None = None
    ship: Literal["lost"] | None = None
    fate: _Fate | None = None
    broken_by: Name | None = None
    probability: Chance | None = None


class SeatModel(Model):
    """A commander's seat and flagship."""

    id: Name
    hull: Annotated[int, Field(ge=0, le=99)]
    size: _Size | None = None
    commander: Name | None = None
    ship: Literal["lost"] | None = None
    fate: _Fate | None = None
    broken_by: Name | None = None
    x_mm: Place | None = None
    y_mm: Place | None = None
    theta_deg: Number | None = None
    readings: list[SeatReading] = Field(default_factory=list)


class CardReading(Model):
    """Another way to read a card; what it does not say stays."""

    card: Name | None = None
    seat: Name | None = None
    engaged: bool | None = None
    up: Name | None = None
    on: Name | None = None
    new: bool | None = None
    hull: _Size | None = None
    face_down: bool | None = None
    probability: Chance | None = None


class CardModel(Model):
    """A card in play; its face may repeat, its id may not."""

    id: Name
    card: Name
    seat: Name
    engaged: bool = False
    up: Name | None = None
    on: Name | None = None
    new: bool = False
    hull: _Size | None = None
    face_down: bool = False
    x_mm: Place | None = None
    y_mm: Place | None = None
    theta_deg: Number | None = None
    readings: list[CardReading] = Field(default_factory=list)


class DistanceReading(Model):
    """Another way to read a strip."""

    uds: _Uds
    probability: Chance | None = None


class DistanceModel(Model):
    """How far two neighbours are apart."""

    between: Annotated[list[Name], Field(min_length=2, max_length=2)]
    uds: _Uds
    readings: list[DistanceReading] = Field(default_factory=list)


class OfficerModel(Model):
    """An officer's points."""

    cumul: Count = 0


class CampaignModel(Model):
    """The officers by seat, and the dice of ransoms."""

    officers: dict[str, OfficerModel] = Field(default_factory=dict)
    dice: dict[str, _Die] = Field(default_factory=dict)


class TableModel(Model):
    """A table of Conflit stellaire, with the declarations of a turn."""

    schema_: Literal["sightline/table@1"] = Field(alias="schema")
    game: Literal["conflit-stellaire"]
    deck: Literal["conflit-stellaire"] = "conflit-stellaire"
    rules: dict[str, Any] = Field(default_factory=dict)
    active: Name
    seats: list[SeatModel]
    cards: list[CardModel] = Field(default_factory=list)
    distances: list[DistanceModel] = Field(default_factory=list)
    declarations: list[Any] = Field(default_factory=list)
    ripostes: list[Any] = Field(default_factory=list)
    campaign: CampaignModel | None = None


def read_table(source: str | bytes | Mapping[str, Any]) -> Table:
    """Read a table file.

    Raises
    ------
    TableFormatError
        With the place of the first mistake.
    """
    model = read_document(source, TableModel)
    campaign = None
    if model.campaign is not None:
        officers = {seat: one.cumul for seat, one in model.campaign.officers.items()}
        campaign = Campaign(officers, dict(model.campaign.dice))
    table = Table(
        seats=tuple(_seat(seat) for seat in model.seats),
        cards=tuple(_card(card) for card in model.cards),
        distances=tuple(_distance(distance) for distance in model.distances),
        active=model.active,
        declarations=_deeds(model.declarations, "declarations", model.active),
        ripostes=_deeds(model.ripostes, "ripostes", model.active),
        campaign=campaign,
        options=options_from_json(Options, model.rules),
    )
    return check_table(table)


def campaign_from_json(value: Any) -> Campaign:
    """Read the officers and dice of a campaign."""
    model = read_document(value, CampaignModel)
    officers = {seat: one.cumul for seat, one in model.officers.items()}
    return Campaign(officers, dict(model.dice))


def card_from_json(value: Any) -> Card:
    """Read one card."""
    return _card(read_document(value, CardModel))


def _deeds(values: list[Any], place: str, active: str) -> tuple[Deed, ...]:
    is_riposte = place == "ripostes"
    return tuple(
        deed_from_json(value, f"{place}[{index}]", active, is_riposte=is_riposte)
        for index, value in enumerate(values)
    )


def _seat(model: SeatModel) -> Seat:
    return Seat(
        model.id,
        model.hull,
        model.size,
        model.commander,
        model.ship is not None,
        model.fate,
        model.broken_by,
        _readings(model),
        _pose("seats", model),
    )


def _card(model: CardModel) -> Card:
    return Card(
        model.id,
        model.card,
        model.seat,
        model.engaged,
        model.up,
        model.on,
        model.new,
        model.hull,
        model.face_down,
        _pose("cards", model),
        _readings(model),
    )


def _pose(place: str, model: CardModel | SeatModel) -> Pose | None:
    """Read where a card, or the hull card of a seat, lies."""
    if model.x_mm is not None and model.y_mm is not None and model.theta_deg is not None:
        return Pose(model.x_mm, model.y_mm, math.radians(model.theta_deg))
    if (model.x_mm, model.y_mm, model.theta_deg) != (None, None, None):
        msg = f"{place}: {model.id}: x_mm, y_mm and theta_deg go together"
        raise TableFormatError(msg)
    return None


def _distance(model: DistanceModel) -> Distance:
    first, second = sorted(model.between)
    return Distance((first, second), model.uds, _readings(model))


def _readings(model: Any) -> tuple[Reading, ...]:
    """Read what else a thing may be: the fields that are said, by the values' own names."""
    found = []
    for reading in model.readings:
        fields = reading.model_dump(exclude_unset=True)
        probability = fields.pop("probability", None)
        if "card" in fields:
            fields["face"] = fields.pop("card")
        if "ship" in fields:
            fields["is_lost"] = fields.pop("ship") is not None
        found.append(Reading(fields, probability))
    return tuple(found)


# --- writing -------------------------------------------------------------------------------------


def table_to_json(table: Table) -> Json:
    """Return a table as ``sightline/table@1``; what is as usual is left out."""
    out: Json = {
        "schema": "sightline/table@1",
        "game": NAME,
        "deck": NAME,
        "rules": options_to_json(table.options),
        "active": table.active,
        "seats": [_seat_to_json(seat) for seat in table.seats],
        "cards": [_card_to_json(card) for card in table.cards],
        "distances": [
            {"between": list(d.between), "uds": d.uds, **readings_to_json(d.readings)}
            for d in table.distances
        ],
        "declarations": [deed_to_json(deed, is_riposte=False) for deed in table.declarations],
        "ripostes": [deed_to_json(deed, is_riposte=True) for deed in table.ripostes],
    }
    if table.campaign is not None:
        officers = {seat: {"cumul": n} for seat, n in table.campaign.officers.items()}
        out["campaign"] = {"officers": officers, "dice": dict(table.campaign.dice)}
    return out


def _seat_to_json(seat: Seat) -> Json:
    out: Json = {"id": seat.id, "hull": seat.hull}
    said = {
        "size": seat.size,
        "commander": seat.commander,
        "ship": "lost" if seat.is_lost else None,
        "fate": seat.fate,
        "broken_by": seat.broken_by,
    }
    out |= {name: value for name, value in said.items() if value is not None}
    return out | _pose_to_json(seat.pose) | readings_to_json(seat.readings)


def _card_to_json(card: Card) -> Json:
    out: Json = {"id": card.id, "card": card.face, "seat": card.seat}
    for name in ("engaged", "up", "on", "new", "hull", "face_down"):
        value = getattr(card, name)
        if value is not None and value is not False:
            out[name] = value
    return out | _pose_to_json(card.pose) | readings_to_json(card.readings)


def _pose_to_json(pose: Pose | None) -> Json:
    if pose is None:
        return {}
    return {"x_mm": pose.x_mm, "y_mm": pose.y_mm, "theta_deg": math.degrees(pose.theta_rad)}


def readings_to_json(readings: tuple[Reading, ...]) -> Json:
    """Return other readings as a field, or nothing."""
    return {"readings": [reading_to_json(one) for one in readings]} if readings else {}


def reading_to_json(reading: Reading) -> Json:
    """Return a reading by the names of files."""
    fields = dict(reading.fields)
    if "face" in fields:
        fields["card"] = fields.pop("face")
    if "is_lost" in fields:
        fields["ship"] = "lost" if fields.pop("is_lost") else None
    if reading.probability is not None:
        fields["probability"] = reading.probability
    return fields
