"""The JSON form of Light Speed's deck as models; millimetres and degrees, as in every file."""

from typing import Annotated, Literal

from pydantic import Field

from vision.files.schemas import Model, Name, Number, PointPair
from vision.games.light_speed.values import Edge

__all__ = ["DeckModel", "SizeModel"]


class SizeModel(Model):
    """The size of every card."""

    width_mm: Annotated[Number, Field(gt=0)]
    height_mm: Annotated[Number, Field(gt=0)]


class LaserModel(Model):
    """A weapon, card frame."""

    power: Annotated[int, Field(ge=1)]
    muzzle_mm: PointPair
    heading_deg: Annotated[Number, Field(gt=-180, le=180)]


class ShieldModel(Model):
    """A shielded stretch of an edge, along that edge's own card axis."""

    edge: Edge
    from_mm: Number
    to_mm: Number


class ShipModel(Model):
    """One design; each team has one of each."""

    name: Name
    speed: Annotated[int, Field(ge=1)]
    health: Annotated[int, Field(ge=1)]
    provenance: str
    lasers: list[LaserModel]
    shields: list[ShieldModel]


class DeckModel(Model):
    """Every number of a deck, each ship once."""

    schema_: Literal["sightline/deck@1"] = Field(alias="schema")
    name: Name
    card: SizeModel
    teams: list[Name]
    ships: list[ShipModel]
    asteroids: list[Name]
    cards: Annotated[
        list[Name] | None, Field(description="Of a deck learned from pictures: their ids.")
    ] = None
