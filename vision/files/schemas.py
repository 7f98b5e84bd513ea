"""The JSON files as models: what a table, a resolution, a scan and a deck may hold.

Millimetres and degrees, as in every file; the models check the form and give the JSON schemas.
What the form cannot say (an id twice, a card the deck does not have) is checked by
``vision.files.formats``.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from vision.games.light_speed.values import Edge

__all__ = [
    "SCHEMAS",
    "CardModel",
    "DeckModel",
    "ObjectModel",
    "ResolutionModel",
    "RulesModel",
    "RulingModel",
    "ScanModel",
    "TableModel",
    "json_schema",
]

MAX_MM = 100_000.0  # a hundred metres: farther than any table, near enough for exact arithmetic
MAX_CARDS = 5_000
MAX_CORNERS = 500  # of an object's outline
MAX_ROCKS = 999

Number = Annotated[float, Field(allow_inf_nan=False)]
Place = Annotated[float, Field(allow_inf_nan=False, ge=-MAX_MM, le=MAX_MM)]
NotNegative = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Chance = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
PlacePair = Annotated[list[Place], Field(min_length=2, max_length=2)]
PointPair = Annotated[list[Number], Field(min_length=2, max_length=2)]
Triple = Annotated[list[Number], Field(min_length=3, max_length=3)]
Square3 = Annotated[list[Triple], Field(min_length=3, max_length=3)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


# --- sightline/table@1 -----------------------------------------------------------------------


class PrintModel(_Model):
    """Where the print lies on a card that was not cut exactly round it, card frame."""

    x_mm: Place
    y_mm: Place
    turn_deg: Annotated[Number, Field(description="Clockwise.")]
    covariance: Annotated[
        Square3 | None, Field(description="Of x mm, y mm, turn deg; null or left out: exact.")
    ] = None


class CardModel(_Model):
    """A card on the table."""

    card: Name
    x_mm: Place
    y_mm: Place
    theta_deg: Annotated[
        Number, Field(description="Clockwise as seen from above; written in (-180, 180].")
    ]
    covariance: Annotated[
        Square3 | None, Field(description="Of x mm, y mm, theta deg; null or left out: exact.")
    ] = None
    confidence: Annotated[Chance, Field(description="Of the reading; left out: 1.")] = 1.0
    print: Annotated[
        PrintModel | None,
        Field(description="What lasers and shields follow; left out: the middle of the card."),
    ] = None


class ObjectModel(_Model):
    """A thing on the table that is no card."""

    id: Name
    kind: Literal["asteroid"]
    outline_mm: Annotated[list[PlacePair], Field(min_length=3, max_length=MAX_CORNERS)]


class RulesModel(_Model):
    """The variants of a table."""

    piracy: bool = False
    rocks: Annotated[int, Field(ge=1, le=MAX_ROCKS)] | None = None
    asteroids: Literal["auto", "joined", "separate"] = "auto"
    kill_credit: Literal["auto", "opponent", "most-damage"] = "auto"
    teams: Annotated[list[Name], Field(min_length=1)] | None = None
    face_down: Literal["blocks", "ignored"] = "blocks"


class RulingModel(_Model):
    """The players' word on a shot; ``target`` null is space, ``laser`` counts from 0."""

    ship: Name
    laser: Annotated[int, Field(ge=0, le=99)]
    target: Name | None
    shielded: bool = False


class TableModel(_Model):
    """What is on the table, without a picture."""

    schema_: Literal["sightline/table@1"] = Field(alias="schema")
    game: Annotated[
        Literal["light-speed", "none"],
        Field(description="none: the deck has no lasers, there is nothing to play."),
    ] = "light-speed"
    deck: Name = "light-speed"
    rules: RulesModel = RulesModel()
    cards: Annotated[list[CardModel], Field(max_length=MAX_CARDS)]
    objects: list[ObjectModel] = []
    rulings: Annotated[
        list[RulingModel], Field(description="What the players decided, one a shot at most.")
    ] = []


# --- sightline/resolution@1 ------------------------------------------------------------------


class HitModel(_Model):
    """What a shot meets; ``edge`` is null for an object, or where the beam begins inside."""

    card: Name
    edge: Edge | None
    shielded: bool


class FeatureModel(_Model):
    """What decides a shot: the corner, shield end or edge it most likely passes otherwise."""

    card: Name
    kind: Literal["corner", "shield", "edge"]
    distance_mm: NotNegative
    sigma_mm: NotNegative
    point_mm: PointPair


class ShotModel(_Model):
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


class MinedModel(_Model):
    """Rocks moved to a ship from an asteroid, or (piracy) from another ship."""

    ship: Name
    source: Name
    rocks: Count


class VaporisedModel(_Model):
    """Rocks lost because they were too few for a pulse."""

    source: Name
    rocks: Count


class DamageModel(_Model):
    """Points of damage by one team in one step."""

    card: Name
    team: Name
    points: Count


class DestroyedModel(_Model):
    """A dead ship; ``taken_by`` is null if nobody takes it."""

    card: Name
    taken_by: Name | None
    points: Count
    rocks_lost: Count
    reason: str = ""


class StepModel(_Model):
    """All that happens at one speed."""

    speed: Count
    shots: list[ShotModel]
    mined: list[MinedModel]
    vaporised: list[VaporisedModel]
    damage: list[DamageModel]
    destroyed: list[DestroyedModel]
    gone: list[Name]


class ScoreModel(_Model):
    """A team's points."""

    kills: Count
    rocks: Count
    own: Annotated[int, Field(le=0)]
    total: int


class IssueModel(_Model):
    """Something to be shown; a doubt could change the score, a note could not."""

    code: Name
    cards: list[Name] = []
    message: str
    severity: Literal["note", "doubt"] = "doubt"


class ScoreChanceModel(_Model):
    """A final score and how likely it is."""

    totals: dict[str, int]
    winners: list[Name]
    probability: Chance


class WinnerChanceModel(_Model):
    """Who may win, and how likely that is."""

    winners: list[Name]
    probability: Chance


class ConditionModel(_Model):
    """A shot and what it hits: one of ``hits``, null for space, their edge left open."""

    ship: Name
    laser: Count
    hits: list[HitModel | None]


class ReadingModel(_Model):
    """One way to read the table, and the score that follows."""

    conditions: list[ConditionModel]
    totals: dict[str, int]
    winners: list[Name]
    probability: Chance


class OddsModel(_Model):
    """How sure the score is, given that the cards are named right."""

    samples: Count
    winner_probability: Annotated[Chance, Field(description="Of the winners as resolved.")]
    score_probability: Annotated[Chance, Field(description="Of the exact totals as resolved.")]
    winners: list[WinnerChanceModel]
    scores: list[ScoreChanceModel]
    readings: list[ReadingModel]


class ResolutionModel(_Model):
    """The ledger of a round."""

    schema_: Literal["sightline/resolution@1"] = Field(alias="schema")
    steps: list[StepModel]
    scores: dict[str, ScoreModel]
    winners: list[Name]
    issues: list[IssueModel]
    carried: Annotated[dict[str, Count], Field(description="Rocks on each ship still living.")] = {}
    pools: Annotated[dict[str, Count], Field(description="Rocks left, by source.")] = {}
    contested_from: Annotated[
        Chance, Field(description="A shot is contested above this flip probability.")
    ] = 0.01
    odds: Annotated[OddsModel | None, Field(description="Null: every pose is exact.")] = None


# --- sightline/scan@1 ------------------------------------------------------------------------


class PhotoModel(_Model):
    """The size of the upright photo."""

    width_px: Count
    height_px: Count


class DistortionModel(_Model):
    """The lens: ``1 + k1 r^2 + k2 r^4`` about the camera matrix (OpenCV's radial model)."""

    model: Literal["radial"]
    k1: Number
    k2: Number
    camera_matrix: Square3


class CameraModel(_Model):
    """From the table (mm) to undistorted pixels, then the lens."""

    photo_from_table: Square3
    distortion: DistortionModel


class RunnerUpModel(_Model):
    """The next best reading."""

    card: Name
    score: Number


class ScanCardModel(CardModel):
    """A card seen; ``corners_px`` are TL, TR, BR, BL of the card itself, in the photo as it is."""

    corners_px: Annotated[list[PointPair], Field(min_length=4, max_length=4)]
    score: Number
    runner_up: RunnerUpModel | None


class ScanModel(_Model):
    """A photo read, and the round played."""

    schema_: Literal["sightline/scan@1"] = Field(alias="schema")
    photo: PhotoModel
    camera: CameraModel
    cards: list[ScanCardModel]
    issues: list[IssueModel]
    timings_ms: dict[str, NotNegative]
    table: TableModel
    resolution: Annotated[
        ResolutionModel | None, Field(description="Null where the deck has no lasers.")
    ]


# --- sightline/deck@1 ------------------------------------------------------------------------


class SizeModel(_Model):
    """The size of every card."""

    width_mm: Annotated[Number, Field(gt=0)]
    height_mm: Annotated[Number, Field(gt=0)]


class LaserModel(_Model):
    """A weapon, card frame."""

    power: Annotated[int, Field(ge=1)]
    muzzle_mm: PointPair
    heading_deg: Annotated[Number, Field(gt=-180, le=180)]


class ShieldModel(_Model):
    """A shielded stretch of an edge, along that edge's own card axis."""

    edge: Edge
    from_mm: Number
    to_mm: Number


class ShipModel(_Model):
    """One design; each team has one of each."""

    name: Name
    speed: Annotated[int, Field(ge=1)]
    health: Annotated[int, Field(ge=1)]
    provenance: str
    lasers: list[LaserModel]
    shields: list[ShieldModel]


class DeckModel(_Model):
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
    "scan": ScanModel,
    "deck": DeckModel,
}


def json_schema(kind: str) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a kind of file.

    Parameters
    ----------
    kind : str
        ``table``, ``resolution``, ``scan`` or ``deck``.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    if kind not in SCHEMAS:
        msg = f"kind: expected one of {', '.join(SCHEMAS)}, got {kind!r}"
        raise ValueError(msg)
    schema = SCHEMAS[kind].model_json_schema(by_alias=True)
    name = f"sightline/{kind}@1"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, **schema}
