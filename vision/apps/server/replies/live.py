"""What is told of live games."""

from typing import Annotated, Literal

from pydantic import Field

from vision.apps.server.replies.common import Deck, Epoch, Id, Reply, Thing, Time

__all__ = [
    "FrameReply",
    "LiveBattleReply",
    "LiveBeamsReply",
    "LiveBegunReply",
    "LiveGamesReply",
    "LiveReply",
]


class TroubleReply(Reply):
    """What stands in the way of a live game."""

    code: Annotated[str, Field(examples=["source"])]
    detail: str


class OtherCard(Reply):
    """A card of the other table, where it lies over this one."""

    card: Annotated[str, Field(examples=["red-moth"])]
    team: str | None
    corners_px: list[list[float]]


class ConflictReply(Reply):
    """Two cards of which one yields: the other one was laid earlier."""

    own: str
    other: str
    why: Literal["overlap", "twin"]
    stands: Literal["own", "other"]


class BattleShown(Reply):
    """What is shown of the other table of a battle."""

    role: Annotated[Literal["host", "guest"], Field(description="Host: who gave the link.")]
    state: Literal["waiting", "joined", "away"]
    away_s: Annotated[float | None, Field(description="Since when it is not heard; else null.")]
    trouble: TroubleReply | None
    shared: Annotated[str | None, Field(description="The piece that lies on both tables.")]
    others: list[OtherCard]
    conflicts: list[ConflictReply]


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
    battle: Annotated[
        BattleShown | None, Field(description="With another table; null: there is none.")
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


class LiveBattleReply(LiveReply):
    """A live game that takes part in a battle, and the link for the other table."""

    link: Annotated[str | None, Field(description="Null where this table came by a link.")]


class LiveGamesReply(Reply):
    """The live games, the newest first."""

    games: list[LiveReply]


class FrameReply(Reply):
    """Whether a picture was looked at, or a newer one came."""

    looked: bool
    last_event: int
    state: str
