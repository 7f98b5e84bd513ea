"""What is told of live games."""

from typing import Annotated, Literal

from pydantic import Field

from vision.apps.server.replies.common import Deck, Epoch, Id, Reply, Thing, Time

__all__ = ["FrameReply", "LiveBegunReply", "LiveGamesReply", "LiveReply", "TroubleReply"]


class TroubleReply(Reply):
    """What stands in the way of a live game."""

    code: Annotated[str, Field(examples=["source"])]
    detail: str


class LiveReply(Reply):
    """How a live game stands: ``sightline/live@1``; ``watch`` is ``sightline/watch-state@1``."""

    schema_: Annotated[Literal["sightline/live@1"], Field(alias="schema")]
    id: Id
    name: str
    created: Epoch
    created_at: Time
    source: Literal["browser", "server"]
    is_open: bool
    state: Annotated[str, Field(examples=["running"])]
    trouble: TroubleReply | None
    restarts: int
    viewers: int
    of_side: Annotated[int | None, Field(alias="ships", description="Each side lays so many.")]
    deck: Deck
    rules: Thing
    last_event: int
    rounds: list[Thing]
    watch: Thing | None


class LiveBegunReply(LiveReply):
    """A live game that was begun, and the key of who feeds and stops it."""

    key: str


class LiveGamesReply(Reply):
    """The live games, the newest first."""

    games: list[LiveReply]


class FrameReply(Reply):
    """Whether a picture was looked at, or a newer one came."""

    looked: bool
    last_event: int
    state: str
