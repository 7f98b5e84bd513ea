"""What is told of rounds, their corrections and rulings."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from vision.apps.server.replies.common import (
    Deck,
    Epoch,
    ErrorReply,
    HeadlineReply,
    Id,
    Next,
    Reply,
    Scores,
    Sides,
    Thing,
    Time,
    Words,
)
from vision.apps.server.replies.orders import PartyOfRound, SettingReply

__all__ = [
    "DocumentReply",
    "EditReply",
    "EditsReply",
    "HandReply",
    "HandsReply",
    "IssueReply",
    "LinksOfRound",
    "PhotoReply",
    "PhotosReply",
    "PieceReply",
    "RoundReply",
    "RoundsReply",
    "RulingReply",
    "RulingsReply",
    "SentReply",
    "ViewReply",
]


class LinksOfRound(Reply):
    """Where a round is."""

    self: Annotated[str, Field(examples=["/api/v1/scans/0f3a9c2b7d1e4f5a6b7c"])]
    page: Annotated[str, Field(examples=["/#/round/0f3a9c2b7d1e4f5a6b7c"])]


class RoundReply(Reply):
    """A round: how far its photo is read, and once it is, what came of it.

    The same wherever a round is told. What is known only of a round that is read is null before.
    """

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
    winners: Annotated[Sides, Field(description="Empty while nobody has won.")]
    cards: int | None
    doubts: int | None
    number: Annotated[int | None, Field(description="In its evening; null: it does not count.")]
    open: Annotated[
        bool | None, Field(description="Whether who has won is open; null: not told.")
    ] = None


class SentReply(RoundReply):
    """A round whose photo was sent; with ``wait`` the whole ``sightline/scan@1`` of it, in time."""

    scan: Thing | None = None


class RoundsReply(Reply):
    """Rounds, the newest first."""

    scans: list[RoundReply]
    next: Next


class IssueReply(Reply):
    """A doubt or a note."""

    code: Annotated[str, Field(examples=["close_call"])]
    message: str
    cards: list[str]
    severity: Literal["note", "doubt"]
    words: Words | None
    at_px: list[float] | None
    places: list[Thing]


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


class DocumentReply(Reply):
    """A file of the contract; what else is in it says its schema and the game."""

    schema_: Annotated[str, Field(alias="schema", examples=["sightline/resolution@1"])]
    game: Annotated[str, Field(examples=["light-speed"])] = "light-speed"


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
