"""What is told of rounds, their corrections and rulings."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, RootModel

from vision.apps.server.replies.common import (
    Deck,
    Epoch,
    ErrorReply,
    HeadlineReply,
    Id,
    LinksOfList,
    Reply,
    Scores,
    Sides,
    Thing,
    Time,
    Words,
)
from vision.apps.server.replies.orders import PartyOfRound, SettingReply
from vision.files.schemas import ScanModel

__all__ = [
    "ROUND",
    "DocumentReply",
    "EditsReply",
    "ResolutionReply",
    "RoundReply",
    "RoundsReply",
    "RulingsReply",
    "SentReply",
    "TrashReply",
    "ViewReply",
]


_ID = "0f3a9c2b7d1e4f5a6b7c"
_WON: dict[str, JsonValue] = {
    "en": "Red wins with 4 (over 99%)",
    "fr": "Le rouge gagne avec 4 (plus de 99 %)",
}
#: A round that is read.
ROUND: dict[str, JsonValue] = {
    "id": _ID,
    "name": "",
    "evening": None,
    "created": 1795604998.67,
    "created_at": "2026-11-25T11:09:58.670000Z",
    "state": "done",
    "stage": "",
    "ahead": 0,
    "attempts": 1,
    "deck": "light-speed",
    "deck_digest": None,
    "game": "light-speed",
    "error": None,
    "links": {"self": f"/api/v1/scans/{_ID}", "page": f"/#/round/{_ID}"},
    "headline": {
        "open": False,
        "unordered": False,
        "winners": ["red"],
        "probability": 0.998,
        "doubts": 0,
        "words": _WON,
        "winner": _WON,
        "details": [],
    },
    "scores": {"red": 4, "blue": 2},
    "open": False,
    "winners": ["red"],
    "doubts": 0,
    "ends": True,
    "unordered": False,
    "cards": 9,
    "number": None,
}


class LinksOfRound(Reply):
    """Where a round is."""

    self: Annotated[str, Field(examples=["/api/v1/scans/0f3a9c2b7d1e4f5a6b7c"])]
    page: Annotated[str, Field(examples=["/#/round/0f3a9c2b7d1e4f5a6b7c"])]


class RoundReply(Reply):
    """A round: how far its photo is read, and once it is, what came of it.

    The same wherever a round is told. What is known only of a round that is read is null before.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [ROUND]})

    id: Id
    name: str
    evening: Id | None
    created: Epoch
    created_at: Time
    state: Literal["waiting", "reading", "done", "failed"]
    stage: Annotated[str, Field(description="Of the reading.", examples=["pose"])]
    ahead: Annotated[int, Field(description="Photos that are read before.")]
    attempts: int
    deck: Deck | None
    deck_digest: str | None
    game: Deck | None
    error: ErrorReply | None
    links: LinksOfRound
    headline: HeadlineReply | None
    scores: Scores | None
    open: Annotated[bool | None, Field(description="Nobody may be shown as the winner.")]
    winners: Annotated[Sides, Field(description="Nobody while the round is open.")]
    doubts: Annotated[int | None, Field(ge=0, description="As many as are listed.")]
    ends: Annotated[bool | None, Field(description="The game ends with it, as it was read.")]
    unordered: Annotated[
        bool | None, Field(description="It is played by orders, and nobody has given one.")
    ]
    cards: Annotated[int | None, Field(ge=0, description="How many lie there.")]
    number: Annotated[int | None, Field(description="In its evening; null: it does not count.")]


class ScanReply(ScanModel):
    """``sightline/scan@1``: a photo read, and the round as it is corrected."""

    model_config = ConfigDict(extra="allow")


class SentReply(RoundReply):
    """A round whose photo was sent; with ``wait`` all that was read in it, if in time."""

    scan: ScanReply | None = None


class RoundsReply(Reply):
    """Rounds, the newest first."""

    scans: list[RoundReply]
    links: LinksOfList


class TrashReply(Reply):
    """What left the trash, and how much room there is now."""

    rounds: Annotated[int, Field(ge=0, description="That cannot be restored any more.")]
    freed_mb: Annotated[float, Field(ge=0, description="Of photos that only they had.")]
    free_mb: Annotated[float, Field(ge=0, description="Of the disk.")]


class IssueReply(Reply):
    """A doubt or a note."""

    code: Annotated[str, Field(examples=["close_call"])]
    message: str
    cards: list[str]
    severity: Literal["note", "doubt"]
    words: Words | None
    at_px: list[float] | None
    places: list[Thing]
    nothing: Annotated[
        bool, Field(description="Whether the change *nothing* at its place closes it.")
    ]


class PhotoReply(Reply):
    """The picture that is drawn on."""

    width_px: int
    height_px: int
    of: Annotated[str, Field(description="Its mark: another picture has another.")]


class PhotosReply(Reply):
    """The photos of a table that may be spread over several."""

    most: int
    of: list[str]
    wanted: Annotated[list[Words], Field(description="What is still missing.")]
    state: str
    error: ErrorReply | None


class PieceReply(Reply):
    """A card where it lies on the table, mm and degrees."""

    id: Annotated[str, Field(examples=["red-moth"])]
    x_mm: float
    y_mm: float
    theta_deg: float
    choices: Annotated[list[str], Field(description="What else it may be, the likeliest first.")]


class HandReply(PieceReply):
    """A piece of a board that a hand may move."""

    size_mm: list[float]
    step_mm: float
    turn_deg: float
    fixed: bool


class HandsReply(Reply):
    """The pieces that a hand may move, and those that may still be laid."""

    pieces: list[HandReply]
    spare: list[str]


class ViewReply(Reply):
    """A round as the page shows it, in the pixels of the photo.

    ``ledger`` is ``sightline/ledger@1`` by language: pieces, steps, events, score over time.
    """

    id: Id
    game: Deck
    deck: Deck
    offer: Thing | None
    revision: int
    can_undo: bool
    can_redo: bool
    photo: PhotoReply
    camera: Thing
    ledger: Annotated[dict[str, Thing], Field(description="By language.")]
    issues: list[IssueReply]
    headline: HeadlineReply
    timings_ms: dict[str, float]
    card_mm: list[float] | None
    has_coach: bool
    goes_on: bool
    orders: list[PartyOfRound] | None
    by_sheet: bool
    cards: list[PieceReply]
    objects: list[Thing]
    hands: HandsReply | None
    settings: list[SettingReply]
    rules: Thing
    rulings: list[JsonValue]
    name: str
    evening: Id | None
    created: Epoch
    created_at: Time
    photos: PhotosReply | None


class TableReply(Reply):
    """``sightline/table@1``: what lies on the table; the rest is of the game's own form."""

    schema_: Annotated[Literal["sightline/table@1"], Field(alias="schema")]
    game: Deck = "light-speed"


class ScoreReply(Reply):
    """The score of a side; its parts are the game's own."""

    total: Annotated[int | None, Field(examples=[4])] = None


class IssueOfGame(Reply):
    """A doubt or a note of a game."""

    code: Annotated[str, Field(examples=["close_call"])]
    message: Annotated[str, Field(description="Where the game's own form has one.")] = ""


class ResolutionReply(Reply):
    """``sightline/resolution@1``: what happened; the rest is of the game's own form."""

    schema_: Annotated[Literal["sightline/resolution@1"], Field(alias="schema")]
    game: Deck = "light-speed"
    scores: Annotated[dict[str, ScoreReply] | None, Field(description="Where it counts.")] = None
    winners: Annotated[Sides, Field(description="Nobody while the round is open.")]
    open: Annotated[bool, Field(description="Nobody may be shown as the winner.")]
    issues: list[IssueOfGame]


class DocumentReply(RootModel[ScanReply | TableReply | ResolutionReply]):
    """A file of the contract: ``schema`` says which."""


class EditReply(Reply):
    """A change, an undo or a redo."""

    seq: int
    kind: str
    change: Thing


class EditsReply(Reply):
    """The log of corrections, in order."""

    edits: list[EditReply]


class RulingReply(Reply):
    """A choice, and what it would make of the round; nothing where it does not fit."""

    change: Thing
    scores: Scores | None
    headline: HeadlineReply | None


class RulingsReply(Reply):
    """The choices of an event, in their order."""

    choices: list[RulingReply]
