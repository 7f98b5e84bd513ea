"""The JSON forms of Light Speed as models: its table, its resolution, its deck.

Millimetres and degrees, as in every file. What the forms cannot say (an id twice, a card that the
deck does not have) is checked by :mod:`vision.games.light_speed.files`.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from vision.files.schemas import (
    CardModel,
    Chance,
    Count,
    IssueModel,
    Model,
    Name,
    NotNegative,
    Number,
    Place,
    PlacePair,
    PointPair,
    ScanModel,
)
from vision.games.light_speed.values import Edge
from vision.games.light_speed.variants import ClaimKind

__all__ = [
    "SCHEMAS",
    "DeckModel",
    "ObjectModel",
    "ResolutionModel",
    "RoundModel",
    "RulesModel",
    "RulingModel",
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


# --- sightline/resolution@1 ------------------------------------------------------------------


class HitModel(Model):
    """What a shot meets; ``edge`` is null for an object, or where the beam begins inside."""

    card: Name
    edge: Edge | None
    shielded: bool


class FeatureModel(Model):
    """What decides a shot: the corner, shield end or edge it most likely passes otherwise."""

    card: Name
    kind: Literal["corner", "shield", "edge"]
    distance_mm: NotNegative
    sigma_mm: NotNegative
    point_mm: PointPair


class ShotModel(Model):
    """A laser fired; ``hit`` is null for space."""

    ship: Name
    laser: Count
    power: Count
    path_mm: Annotated[list[PointPair], Field(min_length=2, max_length=2)]
    hit: HitModel | None
    margin_mm: Annotated[
        NotNegative | None, Field(description="Null: no sideways shift changes what it hits.")
    ]
    sigma_mm: NotNegative
    flip_probability: Chance
    margin_card: Annotated[
        Name | None, Field(description="What the nearest feature belongs to.")
    ] = None
    margin_outcome: Annotated[
        HitModel | None, Field(description="What would be hit behind the margin; null: space.")
    ] = None
    feature: Annotated[
        FeatureModel | None, Field(description="What most likely decides the shot.")
    ] = None
    ruled: Annotated[bool, Field(description="The hit is a ruling of the players.")] = False


class MinedModel(Model):
    """Rocks moved to a ship from an asteroid, or (piracy) from another ship."""

    ship: Name
    source: Name
    rocks: Count


class VaporisedModel(Model):
    """Rocks lost because they were too few for a pulse."""

    source: Name
    rocks: Count


class DamageModel(Model):
    """Points of damage by one team in one step."""

    card: Name
    team: Name
    points: Count


class DestroyedModel(Model):
    """A dead ship; ``footprint_mask`` is null if nobody takes it."""

    card: Name
    taken_by: Name | None
    points: Count
    rocks_lost: Count
    reason: str = ""


class StepModel(Model):
    """All that happens at one speed."""

    speed: Count
    shots: list[ShotModel]
    mined: list[MinedModel]
    vaporised: list[VaporisedModel]
    damage: list[DamageModel]
    destroyed: list[DestroyedModel]
    gone: list[Name]


class ScoreModel(Model):
    """A team's points."""

    kills: Count
    rocks: Count
    own: Annotated[int, Field(le=0)]
    total: int


class ScoreChanceModel(Model):
    """A final score and how likely it is."""

    totals: dict[str, int]
    winners: list[Name]
    probability: Chance


class WinnerChanceModel(Model):
    """Who may win, and how likely that is."""

    winners: list[Name]
    probability: Chance


class ConditionModel(Model):
    """A shot and what it hits: one of ``hits``, null for space, their edge left open."""

    ship: Name
    laser: Count
    hits: list[HitModel | None]


class NamedModel(Model):
    """A card whose name is doubted, and what it is: one of ``pieces``, null for no card."""

    card: Name
    pieces: list[Name | None]


class ReadingModel(Model):
    """One way to read the table, and the score that follows."""

    conditions: list[ConditionModel | NamedModel]
    totals: dict[str, int]
    winners: list[Name]
    probability: Chance


class OddsModel(Model):
    """How sure the score is, given how well poses are known and what cards may be."""

    samples: Count
    winner_probability: Annotated[Chance, Field(description="Of the winners as resolved.")]
    score_probability: Annotated[Chance, Field(description="Of the exact totals as resolved.")]
    winners: list[WinnerChanceModel]
    scores: list[ScoreChanceModel]
    readings: list[ReadingModel]
    unknown: Annotated[
        Chance, Field(description="That the table is none of those that were played.")
    ] = 0.0


class ResolutionModel(Model):
    """The ledger of a round."""

    schema_: Literal["sightline/resolution@1"] = Field(alias="schema")
    steps: list[StepModel]
    scores: dict[str, ScoreModel]
    winners: Annotated[list[Name], Field(description="Nobody while the round is open.")]
    open: Annotated[bool | None, Field(description="Nobody may be shown as the winner.")] = None
    issues: list[IssueModel]
    carried: Annotated[
        dict[str, Count],
        Field(default_factory=dict, description="Rocks on each ship still living."),
    ]
    pools: Annotated[
        dict[str, Count], Field(default_factory=dict, description="Rocks left, by source.")
    ]
    contested_from: Annotated[
        Chance, Field(description="A shot is contested above this flip probability.")
    ] = 0.01
    odds: Annotated[OddsModel | None, Field(description="Null: all is certain.")] = None


# --- sightline/scan@1 ------------------------------------------------------------------------


class RoundModel(ScanModel):
    """A scan of a round of Light Speed."""

    table: TableModel  # type: ignore[assignment]
    resolution: ResolutionModel  # type: ignore[assignment]


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


SCHEMAS: dict[str, type[BaseModel]] = {
    "table": TableModel,
    "resolution": ResolutionModel,
    "scan": RoundModel,
    "deck": DeckModel,
}
