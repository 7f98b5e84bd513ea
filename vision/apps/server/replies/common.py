"""What many replies of the API hold: ids, times, words, headlines."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

__all__ = [
    "Deck",
    "Epoch",
    "ErrorReply",
    "HeadlineReply",
    "Id",
    "LinksOfList",
    "Reply",
    "Scores",
    "Sides",
    "Thing",
    "Time",
    "Words",
]

Id = Annotated[str, Field(examples=["0f3a9c2b7d1e4f5a6b7c"])]
Epoch = Annotated[float, Field(description="Seconds since 1970.", examples=[1795604998.67])]
Time = Annotated[
    str,
    Field(
        description="ISO 8601, UTC.",
        examples=["2026-11-25T11:09:58.670Z"],
        json_schema_extra={"format": "date-time"},
    ),
]
Words = Annotated[
    dict[str, str],
    Field(description="By language.", examples=[{"en": "red wins", "fr": "le rouge gagne"}]),
]
Scores = Annotated[dict[str, int], Field(description="By side.", examples=[{"red": 4, "blue": 2}])]
Sides = Annotated[list[str], Field(examples=[["red"]])]
Deck = Annotated[str, Field(examples=["light-speed"])]
Thing = Annotated[dict[str, JsonValue], Field(examples=[{}])]


class Reply(BaseModel):
    """A reply, or a part of one; it may hold more than is told."""

    model_config = ConfigDict(extra="allow", frozen=True)


class HeadlineReply(Reply):
    """The line that stands over a round; ``open`` while nobody may be shown as the winner."""

    open: bool
    unordered: Annotated[
        bool, Field(description="Nobody has ordered in a game that is played by orders: no result.")
    ] = False
    winners: Annotated[Sides, Field(description="Nobody while the round is open.")]
    probability: Annotated[
        float | None, Field(description="Of the winners as resolved; null: no odds are known.")
    ]
    doubts: Annotated[int, Field(ge=0, description="As many as are listed.")]
    words: Annotated[Words, Field(description="The whole line.")]
    winner: Annotated[Words, Field(description="Who wins and how likely, or what is open.")]
    details: Annotated[list[Words], Field(description="What else could change.")]


class ErrorReply(Reply):
    """Why a photo could not be read."""

    code: Annotated[str, Field(examples=["table_not_found"])]
    detail: str


class LinksOfList(Reply):
    """Where a list goes on."""

    next: Annotated[
        str | None,
        Field(
            description="The address of the next part of the list; null: this is all.",
            examples=["/api/v1/scans?limit=60&before=1795604998.67"],
        ),
    ]
