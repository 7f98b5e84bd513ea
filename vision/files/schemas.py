"""The JSON forms that all games share, as models: a placed card, an issue, a scan.

Millimetres and degrees, as in every file; the models check the form and give the JSON schemas.
What the form cannot say (an id twice, a card the deck does not have) each game checks itself.
"""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = [
    "MAX_MM",
    "CardModel",
    "Chance",
    "Count",
    "IssueModel",
    "Model",
    "Name",
    "NotNegative",
    "Number",
    "Place",
    "PlaceInPhoto",
    "PlacePair",
    "PointPair",
    "PrintModel",
    "ScanModel",
    "Square3",
]

MAX_MM = 100_000.0  # a hundred metres: farther than any table, near enough for exact arithmetic

Number = Annotated[float, Field(allow_inf_nan=False)]
Place = Annotated[float, Field(allow_inf_nan=False, ge=-MAX_MM, le=MAX_MM)]
NotNegative = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Chance = Annotated[float, Field(allow_inf_nan=False, ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Name = Annotated[str, Field(min_length=1, max_length=100)]
PlacePair = Annotated[list[Place], Field(min_length=2, max_length=2)]
PlaceInPhoto = tuple[Number, Number]  #: as an issue has it, px
PointPair = Annotated[list[Number], Field(min_length=2, max_length=2)]
Triple = Annotated[list[Number], Field(min_length=3, max_length=3)]
Square3 = Annotated[list[Triple], Field(min_length=3, max_length=3)]

_SYMMETRY = 1e-9  # relative: files may round, but not by more


def _as_covariance(rows: list[list[float]]) -> list[list[float]]:
    """Refuse a matrix that is no covariance."""
    covariance = np.array(rows)
    least = _SYMMETRY * float(np.abs(covariance).max())
    if float(np.abs(covariance - covariance.T).max()) > least:
        msg = "expected a symmetric matrix"
        raise ValueError(msg)
    if float(np.linalg.eigvalsh((covariance + covariance.T) / 2).min()) < -least:
        msg = "expected a covariance: a matrix without negative variances"
        raise ValueError(msg)
    return rows


Covariance = Annotated[Square3, AfterValidator(_as_covariance)]


class Model(BaseModel):
    """A form: strict, and unknown fields are errors."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class PrintModel(Model):
    """Where the print lies on a card that was not cut exactly round it, card frame."""

    x_mm: Place
    y_mm: Place
    turn_deg: Annotated[Number, Field(description="Clockwise.")]
    covariance: Annotated[
        Covariance | None, Field(description="Of x mm, y mm, turn deg; null or left out: exact.")
    ] = None


class MayBeModel(Model):
    """What a card may be instead, and how likely that is; ``card`` null: nothing lies there."""

    card: Name | None
    chance: Chance


class CardModel(Model):
    """A card on the table."""

    card: Name
    x_mm: Place
    y_mm: Place
    theta_deg: Annotated[
        Number, Field(description="Clockwise as seen from above; written in (-180, 180].")
    ]
    covariance: Annotated[
        Covariance | None, Field(description="Of x mm, y mm, theta deg; null or left out: exact.")
    ] = None
    confidence: Annotated[Chance, Field(description="Of the reading; left out: 1.")] = 1.0
    print: Annotated[
        PrintModel | None,
        Field(description="What lasers and shields follow; left out: the middle of the card."),
    ] = None
    may_be: Annotated[
        list[MayBeModel],
        Field(
            description="What else it may be; the rest of the chance is its own.", max_length=200
        ),
    ] = []


class PlaceModel(Model):
    """Where a piece lies in one of several photos, and where another photo has it."""

    photo: Annotated[int, Field(ge=0, description="From 0, the one that is drawn on.")]
    width_px: Count
    height_px: Count
    own_px: list[PointPair]
    other_px: list[PointPair]


class IssueModel(Model):
    """Something to be shown; a doubt could change the score, a note could not."""

    code: Name
    cards: list[Name] = []
    message: str
    severity: Literal["note", "doubt"] = "doubt"
    at_px: Annotated[PointPair | None, Field(description="Where in the photo.")] = None
    ids: Annotated[list[Name], Field(description="Of a scan: which of its pieces these are.")] = []
    places: Annotated[
        list[PlaceModel], Field(description="Where in each of several photos.", max_length=2)
    ] = []


class PhotoModel(Model):
    """The size of the upright photo."""

    width_px: Count
    height_px: Count


class DistortionModel(Model):
    """The lens: ``1 + k1 r^2 + k2 r^4`` about the camera matrix (OpenCV's radial model)."""

    model: Literal["radial"]
    k1: Number
    k2: Number
    camera_matrix: Square3


class CameraModel(Model):
    """From the table (mm) to undistorted pixels, then the lens."""

    photo_from_table: Square3
    distortion: DistortionModel


class RunnerUpModel(Model):
    """The next best reading."""

    card: Name
    score: Number


class ScanCardModel(CardModel):
    """A card seen; ``corners_px`` are TL, TR, BR, BL of the card itself, in the photo as it is."""

    id: Annotated[Name | None, Field(description="Its own, also among copies of a card.")] = None
    corners_px: Annotated[list[PointPair], Field(min_length=4, max_length=4)]
    score: Number
    runner_up: RunnerUpModel | None


class OtherModel(Model):
    """What a piece may be instead; ``chance`` is null where nothing has weighed it."""

    piece: Name
    score: Number
    chance: Chance | None


class ScanPieceModel(Model):
    """A piece of a board game as it was seen; ``outline_px`` is its edge in the photo as it is."""

    id: Annotated[Name | None, Field(description="Its own, also among copies of a piece.")] = None
    piece: Name
    kind: Name
    side: Name
    x_mm: Place
    y_mm: Place
    theta_deg: Number
    covariance: Square3
    outline_px: list[PointPair]
    score: Number
    others: list[OtherModel]
    foot_px: Annotated[
        PointPair | None, Field(description="Of tokens and pawns: where it stands in the photo.")
    ] = None
    kit: Annotated[
        Literal["token", "match"] | None,
        Field(description="Whether it shows its heading itself, or a match beside it does."),
    ] = None


class HeadlineModel(Model):
    """The verdict of a round; ``open`` while nobody may be shown as the winner.

    ``words`` is the line over the round, by language, ``winner`` and ``details`` are its parts.
    """

    open: bool
    unordered: Annotated[
        bool, Field(description="Nobody has ordered in a game that is played by orders: no result.")
    ] = False
    winners: Annotated[list[Name], Field(description="Nobody while the round is open.")] = []
    probability: Annotated[
        Chance | None, Field(description="Of the winners as resolved; null: no odds are known.")
    ] = None
    doubts: Annotated[int, Field(ge=0, description="As many as are listed.")]
    words: dict[str, str]
    winner: dict[str, str] = {}
    details: list[dict[str, str]] = []


class ScanModel(Model):
    """A photo read, and the round played."""

    schema_: Literal["sightline/scan@1"] = Field(alias="schema")
    game: Name
    photo: PhotoModel
    camera: CameraModel
    cards: list[ScanCardModel] = []
    pieces: Annotated[
        list[ScanPieceModel], Field(description="Of a board game, in place of cards.")
    ] = []
    issues: list[IssueModel]
    headline: HeadlineModel | None = None
    timings_ms: dict[str, NotNegative]
    table: Annotated[dict[str, Any], Field(description="Of the game's own form.")]
    resolution: Annotated[
        dict[str, Any] | None, Field(description="Of the game's own form; null: nothing to play.")
    ]
