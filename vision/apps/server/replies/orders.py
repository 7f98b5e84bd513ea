"""What is told of settings, orders, and those that are given in secret."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from vision.apps.server.replies.common import Id, Reply, Thing, Words

__all__ = [
    "ChoicesReply",
    "OrderReply",
    "PartyOfRound",
    "SeatReply",
    "SettingReply",
    "SettingsReply",
    "SheetReply",
    "SittingOfRoundReply",
    "SittingReply",
]


class ChoiceOfSetting(Reply):
    """A way to set something, and the change for ``/edits`` that sets it so."""

    said: Words
    change: Thing


class SettingReply(Reply):
    """Something that may be set by a tap."""

    id: str
    name: Words
    choices: list[ChoiceOfSetting]
    chosen: int | None
    doubtful: bool
    of: str


class SettingsReply(Reply):
    """What may be set of a piece."""

    settings: list[SettingReply]


class PartyReply(Reply):
    """Who orders."""

    id: Annotated[str, Field(examples=["orange"])]
    name: Words
    side: str


class PartyOfRound(PartyReply):
    """Who orders, and the order that stands."""

    turn: int
    order: str | None
    said: Words


class MarkedChoice(Reply):
    """What may be tapped next on the way to an order."""

    text: str
    said: str
    piece: str | None
    at_px: list[float] | None
    marks: list[Thing]
    whole: bool
    goes_on: bool
    warning: str | None


class ChoicesReply(Reply):
    """What may be tapped next; ``heard`` is what the party is told of orders before its own."""

    choices: list[MarkedChoice]
    heard: list[str] = Field(default_factory=list)


class PickReply(Reply):
    """A value of a column of a sheet."""

    value: str
    sign: str
    said: str


class ColumnReply(Reply):
    """A column of a sheet, and what is chosen in it."""

    id: str
    name: str
    picks: list[PickReply]
    chosen: list[str]
    most: int


class SheetReply(Reply):
    """The sheet of a party; null where the game has none."""

    sheet: list[ColumnReply] | None


class LineReply(Reply):
    """A part of an order."""

    said: str
    warning: str | None
    without: JsonValue


class OrderReply(Reply):
    """What an order says."""

    order: str | None
    said: str
    warning: str | None
    marks: list[Thing]
    lines: list[LineReply]
    goes_on: bool


class SittingParty(PartyReply):
    """Who orders in secret; ``join`` is told to the table alone."""

    phones: int
    in_: Annotated[bool, Field(alias="in", description="Whether the order is given.")]
    join: str | None = None


class SittingReply(Reply):
    """A round that is ordered in secret."""

    id: Id
    scan: Id
    state: Annotated[str, Field(examples=["gathering"])]
    seconds: float
    turn: list[str]
    left_s: float | None
    parties: list[SittingParty]


class SittingOfRoundReply(Reply):
    """The sitting of a round, if there is one; ``former``: one whose players may come over."""

    sitting: SittingReply | None
    former: Id | None
    seconds: float


class SeatReply(SittingReply):
    """A seat: who it is, and its order where this phone gave it; ``phone`` when it is taken."""

    party: str
    mine: Literal["none", "here", "elsewhere"]
    order: OrderReply | None
    heard: list[str]
    phone: str | None = None
