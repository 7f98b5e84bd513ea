"""What is told of live games."""

from typing import Annotated, Literal

from pydantic import Field

from vision.apps.server.replies.common import Deck, Epoch, Id, Reply, Thing, Time

__all__ = [
    "FrameReply",
    "LiveBeamsReply",
    "LiveBegunReply",
    "LiveGamesReply",
    "LiveReply",
    "TroubleReply",
]


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
    has_beams: Annotated[bool, Field(description="Its game says what each card would hit.")]
    has_cards: Annotated[
        bool, Field(description="It follows cards one by one, which may be corrected.")
    ]
    beams_for: Annotated[
        Literal["nobody", "spectators", "all"],
        Field(description="To whom `watch.beams` is sent while cards are laid."),
    ]
    last_event: int
    rounds: list[Thing]
    watch: Annotated[
        Thing | None,
        Field(
            description="With `beams` where they are shown to whoever asks: of each shot as the "
            "cards lie now `id`, `pieces` (who fires, what it hits), `side`, `strength`, `fades` "
            "(into space), `contested`, `points_px`."
        ),
    ]


class LiveBegunReply(LiveReply):
    """A live game that was begun, and the key of who feeds and stops it."""

    key: str


class LiveBeamsReply(LiveReply):
    """A live game whose beams are shown, and by what a spectator's screen asks for them."""

    spectator_key: Annotated[
        str | None, Field(description="Null: everyone controls this camera, nothing is secret.")
    ]


class LiveGamesReply(Reply):
    """The live games, the newest first."""

    games: list[LiveReply]


class FrameReply(Reply):
    """Whether a picture was looked at, or a newer one came."""

    looked: bool
    last_event: int
    state: str
