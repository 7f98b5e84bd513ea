"""What is told of evenings, careers and links."""

from typing import Annotated

from pydantic import ConfigDict, Field

from vision.apps.server.replies.common import (
    Deck,
    Epoch,
    Id,
    LinksOfList,
    Reply,
    Scores,
    Thing,
    Time,
    Words,
)
from vision.apps.server.replies.rounds import ROUND, RoundReply

__all__ = [
    "CareerReply",
    "CareersReply",
    "EveningReply",
    "EveningSumsReply",
    "EveningsReply",
    "LinkReply",
    "LinksReply",
    "SeatedReply",
]


class EveningReply(Reply):
    """An evening without its rounds."""

    id: Id
    name: str
    teams: Annotated[dict[str, str], Field(description="Players' names.")]
    created: Epoch
    created_at: Time
    deck: str
    game: str
    rules: Thing


class EveningsReply(Reply):
    """Evenings, the newest first."""

    evenings: list[EveningReply]
    links: LinksOfList


class RoundOfEvening(RoundReply):
    """A round in its evening: the sums after it, and the round that its photo came with first."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [ROUND | {"number": 1, "same_as": None, "totals": {"red": 4, "blue": 2}}]
        }
    )

    same_as: Id | None
    totals: Scores


class CareerReply(Reply):
    """A player's career; figures and what was said by hand where it is told whole."""

    id: Id
    game: Deck
    name: str
    created: Epoch
    created_at: Time
    points: int
    rank: Words
    figure: str
    number: int
    open: Annotated[bool, Field(description="Whether something of it is not settled.")]
    revision: int | None = None
    undoable: int | None = None
    redoable: int | None = None
    figures: list[Thing] | None = None
    copies: list[Thing] | None = None


class CareersReply(Reply):
    """Careers in short, the newest first."""

    careers: list[CareerReply]
    links: LinksOfList


class CareerAtSide(CareerReply):
    """A career in short, and the side at which it is played."""

    side: str


class SeatedReply(Reply):
    """Whose career is played at which side of an evening."""

    careers: list[CareerAtSide]


class SumsOfGame(Reply):
    """The sums of one game of an evening."""

    game: Deck
    totals: Annotated[Scores, Field(description="Of the rounds that are settled.")]
    wins: Annotated[Scores, Field(description="Likewise.")]
    open: Annotated[list[Id], Field(description="The rounds that are in no sum: they are open.")]
    unordered: Annotated[list[Id], Field(description="Nor are these: nobody has ordered.")]


class EveningSumsReply(EveningReply):
    """An evening: its rounds in order, the sum of each team, and the rounds that each has won."""

    rounds: list[RoundOfEvening]
    totals: Annotated[Scores, Field(description="Of the rounds that are settled.")]
    wins: Annotated[Scores, Field(description="Likewise: the rounds that each has won.")]
    open: Annotated[list[Id], Field(description="The rounds that are in no sum: they are open.")]
    unordered: Annotated[list[Id], Field(description="Nor are these: nobody has ordered.")]
    games: Annotated[list[SumsOfGame], Field(description="The sums of each game by itself.")]
    careers: list[CareerAtSide]


class LinkReply(Reply):
    """A link by which others look."""

    token: str
    url: Annotated[str, Field(examples=["/s/WJ5RLWNSJB1n5_BRz4dKYTmi"])]
    created: Epoch
    created_at: Time
    expires: Epoch
    expires_at: Time


class LinksReply(Reply):
    """The links that hold, the oldest first."""

    shares: list[LinkReply]
