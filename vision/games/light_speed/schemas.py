"""The JSON forms of Light Speed as models: its table, its deck.

Millimetres and degrees, as in every file. What the forms cannot say (an id twice, a card that the
deck does not have) is checked by :mod:`vision.games.light_speed.files`.
"""

from typing import Annotated, Literal

from pydantic import Field

from vision.files.schemas import (
    CardModel,
    Chance,
    Model,
    Name,
    NotNegative,
    Number,
    Place,
    PlacePair,
    PointPair,
)
from vision.games.light_speed.values import Edge
from vision.games.light_speed.variants import ClaimKind

__all__ = [
    "DeckModel",
    "ObjectModel",
    "RulesModel",
    "SizeModel",
    "TableModel",
    "UnseenModel",
]

MAX_CARDS = 5_000
MAX_CORNERS = 500  # of an object's outline
MAX_ROCKS = 999


# --- sightline/table@1 -----------------------------------------------------------------------


class ObjectModel(Model):
    """A thing on the table that is no card."""

    id: Name
    kind: Literal["asteroid"]
    outline_mm: Annotated[list[PlacePair], Field(min_length=3, max_length=MAX_CORNERS)]


class RulesModel(Model):
    """The variants of a table."""

    piracy: bool = False
    rocks: Annotated[int, Field(ge=1, le=MAX_ROCKS)] | None = None
    asteroids: Literal["auto", "joined", "separate"] = "auto"
    kill_credit: Literal["auto", "opponent", "most-damage"] = "auto"
    teams: Annotated[list[Name], Field(min_length=1)] | None = None
    face_down: Literal["blocks", "ignored"] = "blocks"
    leaning: Literal["lies", "out"] = "lies"
    two_stops: Literal["both", "first"] = "both"
    late: Literal["lies", "out"] = "lies"
    stuck: Literal["upper", "both"] = "upper"
    pushed: Literal["lies", "back"] = "lies"
    seam: Literal["hits", "passes"] = "hits"
    slid: Literal["rests", "out"] = "rests"
    foreign: Literal["blocks", "ignored"] = "blocks"
    overhang: Literal["ignored", "table"] = "ignored"
    nine: Literal["stands", "void"] = "stands"


class RulingModel(Model):
    """The players' word on a shot; ``target`` null is space, ``laser`` counts from 0."""

    ship: Name
    laser: Annotated[int, Field(ge=0, le=99)]
    target: Name | None
    shielded: bool = False


class ClaimModel(Model):
    """What the players say happened: of a card, an object or a team; ``was_at`` mm, mm, degrees."""

    kind: ClaimKind
    of: Name
    is_so: bool = True
    was_at: Annotated[list[Number], Field(min_length=3, max_length=3)] | None = None


class UnseenModel(Model):
    """A place where a card may lie that no photo shows, told by an issue of ``code`` there."""

    code: Name
    at_px: PointPair
    x_mm: Place
    y_mm: Place
    spread_mm: NotNegative
    chance: Chance


class TableModel(Model):
    """What is on the table, without a picture."""

    schema_: Literal["sightline/table@1"] = Field(alias="schema")
    game: Annotated[
        Literal["light-speed", "none"],
        Field(description="none: the deck has no lasers, there is nothing to play."),
    ] = "light-speed"
    deck: Name = "light-speed"
    rules: RulesModel = RulesModel()
    cards: Annotated[list[CardModel], Field(max_length=MAX_CARDS)]
    objects: Annotated[list[ObjectModel], Field(default_factory=list)]
    rulings: Annotated[
        list[RulingModel],
        Field(default_factory=list, description="What the players decided, one a shot at most."),
    ]
    claims: Annotated[
        list[ClaimModel],
        Field(
            default_factory=list,
            description="What the players say happened that no photo shows.",
            max_length=MAX_CARDS,
        ),
    ]
    unseen: Annotated[
        list[UnseenModel],
        Field(
            default_factory=list, description="Where a card may lie unseen.", max_length=MAX_CARDS
        ),
    ]
    missing: Annotated[
        list[Name],
        Field(
            default_factory=list,
            description="Asteroids of which a photo shows too few.",
            max_length=MAX_CARDS,
        ),
    ]


# --- sightline/deck@1 ------------------------------------------------------------------------


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
