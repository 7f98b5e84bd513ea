"""What the API takes, as models: the form is checked here, the content by the rules."""

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from calibration.learned.names import clean_deck_name
from vision.apps.server.reading.wishes import Wishes
from vision.files.reports import PhotoChoice
from vision.games.light_speed.deck_form import DesignForm

__all__ = [
    "BattleBody",
    "CareerBody",
    "CareerPatch",
    "DeckBody",
    "DesignBody",
    "DraftBody",
    "DraftCardPatch",
    "EditBody",
    "EveningBody",
    "EventsQuery",
    "FigureBody",
    "FinishBody",
    "Language",
    "ListQuery",
    "LiveBody",
    "LiveCorrectionBody",
    "LookBody",
    "NamesBody",
    "OpenOrderBody",
    "OpenSoFarBody",
    "OrderBody",
    "PageQuery",
    "PointsBody",
    "ProblemModel",
    "ReportQuery",
    "ScanPatch",
    "SeatingBody",
    "SendQuery",
    "ShareBody",
    "SittingBody",
    "SoFarBody",
    "StepBody",
    "TableQuery",
    "WaitQuery",
    "clean_text",
]


def clean_text(text: str) -> str:
    """Drop what no name needs: control signs, halves of characters, marks that turn the line."""
    whole = text.encode("utf-8", "ignore").decode("utf-8")
    kept = (c for c in whole if c.isprintable() and c not in "\u202a\u202b\u202d\u202e\u2066\u2067")
    return " ".join("".join(kept).split())


Text = Annotated[str, Field(max_length=200), AfterValidator(clean_text)]
DeckName = Annotated[str | None, Field(max_length=100, description="One of GET /decks or /games.")]
GameName = Annotated[
    str | None, Field(max_length=100, description="One of GET /games; left out: the deck's.")
]
#: What a deck of one's own may be called; letters of any script have no pattern in all languages.
LearnedName = Annotated[
    str,
    Field(max_length=200, description="Lower case letters and digits of any script, dashes."),
    AfterValidator(clean_deck_name),
]
SideId = Annotated[str, Field(pattern="^[A-Za-z0-9-]{1,60}$")]
CareerRef = Annotated[str, Field(pattern="^[0-9a-f]{20}$")]
Revision = Annotated[int, Field(ge=0, le=1_000_000)] | None
_CHANGES = [
    {"kind": "move", "card": "card-1", "x_mm": 12.5, "y_mm": -80.0, "theta_deg": 33.0},
    {"kind": "remove", "id": "card-1"},
]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _with_kind(change: dict[str, JsonValue]) -> dict[str, JsonValue]:
    kind = change.get("kind", "change")
    if not isinstance(kind, str) or not 0 < len(kind) <= 20 or kind in ("undo", "redo"):
        msg = "expected a kind of change; undo and redo have addresses of their own"
        raise ValueError(msg)
    return change


class EditBody(_Body):
    """A change; ``revision`` is the one it was made on: 409 if it is no longer the newest.

    The game says which changes there are; where it has several kinds, ``kind`` tells them apart.
    """

    change: Annotated[
        dict[str, JsonValue],
        Field(min_length=1, max_length=20, examples=_CHANGES),
        AfterValidator(_with_kind),
    ]
    revision: Revision = None


class RevisionBody(_Body):
    """The revision that an undo or redo was asked on."""

    revision: Revision = None


class WaitQuery(BaseModel):
    """How long the reply waits for a photo to be read."""

    wait: Annotated[float, Field(ge=0, le=600, description="Seconds to wait for the result.")] = 0


class SendQuery(WaitQuery):
    """How a photo is to be read, and how long the reply waits for it."""

    name: Annotated[str, Field(max_length=200)] = ""
    evening: Annotated[str, Field(pattern="^[0-9a-f]{20}$")] | None = None
    deck: DeckName = None
    game: GameName = None
    rule: Annotated[
        list[str], Field(max_length=20, description="KEY=VALUE, as on the command line.")
    ] = []

    def wishes(self) -> Wishes:
        """Return what is asked of the reading."""
        name = clean_text(self.name)
        return Wishes(self.deck, tuple(self.rule), name, self.evening, self.game)


class ReportQuery(BaseModel):
    """What goes into a report of a round that came out wrong."""

    photo: Annotated[
        PhotoChoice, Field(description="As they are; only what lies on the table; none.")
    ] = "as_is"
    note: Annotated[str, Field(max_length=1000), AfterValidator(clean_text)] = ""


class RetryQuery(BaseModel):
    """What a photo is read as, at another try."""

    deck: DeckName = None
    game: GameName = None


class TableQuery(BaseModel):
    """What a round without a photo is called, and its evening."""

    name: Annotated[str, Field(max_length=200), AfterValidator(clean_text)] = ""
    evening: Annotated[str, Field(pattern="^[0-9a-f]{20}$")] | None = None


_Before = Annotated[float, Field(ge=0, le=1e12, description="Begun before this time.")] | None


class ListQuery(BaseModel):
    """Which rounds are listed."""

    evening: Annotated[str, Field(pattern="^[0-9a-f]{20}$")] | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 60
    before: _Before = None


class PageQuery(BaseModel):
    """Which part of a list is told: as much of it as a list has at most, from the newest on."""

    limit: Annotated[int, Field(ge=1, le=200)] | None = None
    before: _Before = None

    def most(self, listed: int) -> int:
        """Return how many are told."""
        return min(self.limit or listed, listed)


class ScanPatch(_Body):
    """Another name or evening for a round; an empty evening takes it out of its evening.

    ``counted`` says whether a round counts whose photo came before in the same evening.
    """

    name: Text | None = None
    evening: Annotated[str, Field(pattern="^[0-9a-f]{0,32}$")] | None = None
    counted: bool | None = None


class EveningBody(_Body):
    """An evening: its name, the players' names of the teams, what is played.

    ``rules`` as in a table file; those that are left out are the rulebook's.
    """

    name: Text | None = None
    teams: Annotated[dict[SideId, Text], Field(max_length=20)] | None = None
    deck: DeckName = None
    game: GameName = None
    rules: Annotated[dict[str, Any], Field(max_length=40)] | None = None


class CareerBody(_Body):
    """A player's career: of which game, and his name."""

    game: Annotated[str, Field(min_length=1, max_length=100)]
    name: Annotated[Text, Field(min_length=1)]


class CareerPatch(_Body):
    """Another name of the player."""

    name: Annotated[Text, Field(min_length=1)]


class SeatingBody(_Body):
    """Whose career is played at the sides of an evening; null: nobody's."""

    game: Annotated[str, Field(min_length=1, max_length=100)]
    seats: Annotated[dict[SideId, CareerRef | None], Field(min_length=1, max_length=20)]


class PointsBody(_Body):
    """A career has so many points from now on."""

    points: Annotated[int, Field(ge=0, le=100_000)]
    revision: Revision = None


class FigureBody(_Body):
    """What one of a career is called; the first is 0."""

    figure: Annotated[int, Field(ge=0, le=1000)]
    name: Annotated[Text, Field(min_length=1)]
    revision: Revision = None


class LiveBody(_Body):
    """A live game: deck, game, rules (KEY=VALUE), and what stops a round by itself."""

    deck: DeckName = None
    game: GameName = None
    rules: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=20)] = []
    name: Text = ""
    evening: Annotated[str, Field(pattern="^[0-9a-f]{20}$")] | None = None
    silence_s: Annotated[
        float,
        Field(ge=0, le=600, allow_inf_nan=False, description="Without a new card; 0: never."),
    ] = 5.0
    stop_on_count: Annotated[bool, Field(description="When a team has laid all its ships.")] = True

    def wishes(self) -> Wishes:
        """Return what is asked of the table."""
        return Wishes(self.deck, tuple(self.rules), self.name, self.evening, self.game)


class EventsQuery(BaseModel):
    """What a viewer of a live game knows already, and how long it listens."""

    lang: Annotated[Literal["en", "fr"], Field(description="Of the sentences.")] = "en"
    after: Annotated[
        int, Field(ge=0, le=1_000_000_000, description="The last event that is known.")
    ] = 0
    seconds: Annotated[float, Field(ge=0, le=3600, description="End after so long.")] | None = None
    spectator: Annotated[
        str | None, Field(max_length=100, description="Key of a spectator's screen: shows beams.")
    ] = None


PixelNumber = Annotated[float, Field(ge=-100_000, le=100_000, allow_inf_nan=False)]


class BeamsBody(_Body):
    """To whom it is shown what every card would hit while cards are laid."""

    whom: Annotated[
        Literal["nobody", "spectators", "all"],
        Field(alias="for", description="Spectators: screens that ask with the reply's key."),
    ]


class BattleBody(_Body):
    """With which table a battle is: the link that its page gave; left out: this one gives one."""

    link: Annotated[str, Field(max_length=400)] | None = None


_CardId = Annotated[str, Field(max_length=100, examples=["unknown-1"])]


class LiveCorrectionBody(_Body):
    """What a finger says of a card of a live table.

    ``identify``: the ``card`` of ``watch.cards`` is ``identity``; another of that name gets its
    name. ``remove``: no such card lies there. ``add``: ``identity`` lies at ``at_px``, in pixels of
    ``watch.size_px``, its top toward ``heading_deg`` in the picture: 0 up, clockwise.
    """

    kind: Literal["identify", "remove", "add"]
    card: _CardId = ""
    identity: Annotated[str, Field(max_length=100, examples=["red-moth"])] = ""
    at_px: Annotated[
        tuple[PixelNumber, PixelNumber], Field(description="Of the card's middle.")
    ] = (0.0, 0.0)
    heading_deg: Annotated[float, Field(ge=-360, le=360, allow_inf_nan=False)] = 0.0

    def said(self) -> dict[str, Any]:
        """Return the arguments of the correction that it is."""
        named = {"kind": self.kind, "card": self.card, "identity": self.identity}
        return {**named, "at_px": self.at_px, "heading_rad": math.radians(self.heading_deg)}


Language = Literal["en", "fr"]


class SoFarBody(_Body):
    """How far an order has come by taps, and the language of the sentences."""

    so_far: Annotated[str, Field(max_length=4000)] = ""
    lang: Language = "en"


class OrderBody(_Body):
    """An order in the game's own form, text or JSON; null for none."""

    order: Annotated[JsonValue, Field(examples=["move a1-b2 right"])]
    lang: Language = "en"


_Given = Annotated[
    dict[SideId, JsonValue],
    Field(max_length=20, description="Orders of parties whose turn comes before, by party."),
]


class OpenSoFarBody(SoFarBody):
    """The same in the open, where the orders of turns before are known."""

    given: _Given = {}


class OpenOrderBody(OrderBody):
    """The same in the open, where the orders of turns before are known."""

    given: _Given = {}


class SittingBody(_Body):
    """How long the clock runs (left out: the setting), and players who come over."""

    seconds: Annotated[float, Field(ge=5, le=3600, allow_inf_nan=False)] | None = None
    former: Annotated[str, Field(pattern="^[0-9a-f]{20}$")] | None = None


class DeckBody(_Body):
    """What a deck is to be called."""

    name: LearnedName


SideMm = Annotated[float, Field(ge=15, le=500, allow_inf_nan=False)]


class DraftBody(_Body):
    """A deck that is to be, and how large its cards are: by numbers, or by what lies beside."""

    name: LearnedName
    size_mm: tuple[SideMm, SideMm] | None = None
    beside: Literal["", "bank-card", "a4"] = ""


class DraftCardPatch(_Body):
    """What is said of a card; ``back_of`` is the id of the card whose back it is."""

    name: Annotated[str, Field(max_length=200), AfterValidator(clean_text)] | None = None
    dropped: bool | None = None
    half: bool | None = None
    back_of: Annotated[str, Field(pattern=r"^[0-9a-f]{8}$")] | None = None


class NamesBody(_Body):
    """Names of all cards, one a line, or a box whose names are known."""

    text: Annotated[str, Field(max_length=100_000)] = ""
    template: Annotated[str, Field(max_length=60)] = ""


EntryRevision = Annotated[
    int, Field(ge=0, description="Of the design as it was seen: 409 if it is another.")
]


class DesignBody(DesignForm):
    """All that a design does, as in a deck file; what is not known yet is null or left out."""

    revision: EntryRevision


class StepBody(_Body):
    """The revision that a step was asked on."""

    revision: EntryRevision


class LookBody(StepBody):
    """A card that was looked at, and whether it is as entered."""

    card: Annotated[str, Field(max_length=200)]
    is_so: bool = True


class FinishBody(_Body):
    """Whether a deck of that name is replaced."""

    replace: bool = False


class ShareBody(_Body):
    """How many days a link holds."""

    days: Annotated[float, Field(gt=0, le=365, allow_inf_nan=False)] = 30.0


class ProblemModel(BaseModel):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str
    code: Annotated[str, Field(description="Stable; the same as on the command line.")]
    request: Annotated[str, Field(description="By which the log knows it.")] = ""
    errors: list[dict[str, JsonValue]] | None = None


Json = dict[str, Any]
