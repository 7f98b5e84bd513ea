"""What the API answers with, as models: clients that are made of them have typed fields."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from vision.files.schemas import HeadlineModel

__all__ = [
    "EveningModel",
    "EveningsModel",
    "RoundModel",
    "RoundsModel",
    "ScanStateModel",
    "TableModel",
]

_ID = "5f0c1e7a9b3d4c2e8f61"
_STATE: dict[str, JsonValue] = {
    "id": _ID,
    "name": "",
    "evening": None,
    "created": 1767225600.0,
    "created_at": "2026-01-01T00:00:00Z",
    "state": "done",
    "stage": "",
    "ahead": 0,
    "attempts": 1,
    "deck": "light-speed",
    "deck_digest": None,
    "game": "light-speed",
    "error": None,
    "links": {"self": f"/api/v1/scans/{_ID}", "page": f"/#/round/{_ID}"},
}
_VERDICT: dict[str, JsonValue] = {
    "headline": {
        "open": False,
        "winners": ["red"],
        "probability": 1.0,
        "doubts": 0,
        "words": {"en": "Red wins with 4 (over 99%)", "fr": "Le rouge gagne avec 4 (plus de 99 %)"},
        "winner": {
            "en": "Red wins with 4 (over 99%)",
            "fr": "Le rouge gagne avec 4 (plus de 99 %)",
        },
        "details": [],
    },
    "open": False,
    "winners": ["red"],
    "doubts": 0,
    "scores": {"red": 4, "blue": 2},
    "ends": True,
    "cards": 9,
    "number": None,
}
_EVENING: dict[str, JsonValue] = {
    "id": _ID,
    "name": "Friday",
    "teams": {"red": "Zoé"},
    "created": 1767225600.0,
    "created_at": "2026-01-01T00:00:00Z",
    "deck": "",
    "game": "",
    "rules": {},
}


class _Reply(BaseModel):
    """Clients must bear fields that they do not know."""

    model_config = ConfigDict(extra="allow")


class ErrorModel(_Reply):
    """Why a photo could not be read."""

    code: str
    detail: str


class ScanLinksModel(_Reply):
    """Where more of a round is."""

    self: str
    page: str


class ScanStateModel(_Reply):
    """A photo, or a table that was typed, and how far it has come."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [_STATE]})

    id: str
    name: str
    evening: str | None = None
    created: Annotated[float, Field(description="Seconds since 1970.")]
    created_at: Annotated[datetime, Field(description="The same, ISO 8601, UTC.")]
    state: Literal["waiting", "reading", "done", "failed"]
    stage: str
    ahead: Annotated[int, Field(ge=0, description="How many photos are read before it.")]
    attempts: int
    deck: str
    deck_digest: str | None = None
    game: str | None = None
    error: ErrorModel | None = None
    links: ScanLinksModel


class RoundModel(ScanStateModel):
    """The same, and once it is read what came of it; alike in lists, evenings and by itself."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [_STATE | _VERDICT]})

    number: Annotated[int | None, Field(description="In its evening, if it counts.")] = None
    headline: Annotated[HeadlineModel | None, Field(description="Once it is read.")] = None
    open: Annotated[bool | None, Field(description="Nobody may be shown as the winner.")] = None
    winners: Annotated[list[str], Field(description="Nobody while the round is open.")] = []
    doubts: Annotated[int | None, Field(ge=0, description="As many as are listed.")] = None
    scores: Annotated[dict[str, int] | None, Field(description="By side, as resolved.")] = None
    ends: Annotated[bool | None, Field(description="The game ends with it, as it was read.")] = None
    cards: Annotated[int | None, Field(ge=0, description="How many lie there.")] = None


class ListLinksModel(_Reply):
    """Where a list goes on; null at its end."""

    next: str | None


class RoundsModel(_Reply):
    """Rounds, newest first."""

    scans: list[RoundModel]
    links: ListLinksModel


class EveningModel(_Reply):
    """An evening without its rounds."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [_EVENING]})

    id: str
    name: str
    teams: Annotated[dict[str, str], Field(description="The players' names of the sides.")]
    created: Annotated[float, Field(description="Seconds since 1970.")]
    created_at: Annotated[datetime, Field(description="The same, ISO 8601, UTC.")]
    deck: str
    game: str
    rules: dict[str, Any]


class EveningsModel(_Reply):
    """Evenings, newest first."""

    evenings: list[EveningModel]


class EveningRoundModel(RoundModel):
    """A round of an evening, and the sums after it."""

    same_as: Annotated[str | None, Field(description="The round with which its photo came first.")]
    totals: Annotated[dict[str, int], Field(description="After it, without what is open.")]


class GameSumsModel(_Reply):
    """The sums of one game of an evening."""

    game: str
    totals: Annotated[dict[str, int], Field(description="Of the rounds that are not open.")]
    wins: Annotated[dict[str, int], Field(description="Likewise.")]
    open: Annotated[list[str], Field(description="The rounds that are in no sum: they are open.")]


class TableModel(EveningModel):
    """An evening, its rounds in order, and their sums."""

    rounds: list[EveningRoundModel]
    totals: Annotated[dict[str, int], Field(description="Of the rounds that are not open.")]
    wins: Annotated[dict[str, int], Field(description="Likewise.")]
    open: Annotated[list[str], Field(description="The rounds that are in no sum: they are open.")]
    games: Annotated[list[GameSumsModel], Field(description="The sums of each game by itself.")]
    careers: list[dict[str, Any]]
