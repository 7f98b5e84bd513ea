"""What is told of games, decks, drafts and the server itself."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from vision.apps.server.replies.common import Deck, Reply, Thing, Words

__all__ = [
    "AboutReply",
    "DeckReply",
    "DecksReply",
    "DraftReply",
    "DraftsReply",
    "GamesReply",
    "ReadyReply",
]


class LimitsReply(Reply):
    """What a server takes."""

    body_mb: float
    uploads_per_minute: float
    megapixels: float


class AboutReply(Reply):
    """What this server is."""

    name: Annotated[str, Field(examples=["Sightline"])]
    version: Annotated[str, Field(examples=["0.1.0"])]
    formats: Annotated[list[str], Field(examples=[["image/jpeg"]])]
    replays: Annotated[list[str], Field(examples=[["webp", "gif"]])]
    limits: LimitsReply
    addresses: list[str]
    asks_token: bool


class ReadyReply(Reply):
    """Whether a server is ready, and what of it is."""

    status: Literal["ready", "not ready"]
    checks: Annotated[dict[str, bool], Field(examples=[{"database": True, "disk": True}])]


class SideReply(Reply):
    """A side: its name, colour and shape."""

    id: Annotated[str, Field(examples=["red"])]
    name: Words
    colour: Annotated[str, Field(examples=["#e5383b"])]
    shape: str


class NamedPiece(Reply):
    """A piece of a game."""

    id: Annotated[str, Field(examples=["red-moth"])]
    title: Words
    side: str | None
    number: str


class NamedChoice(Reply):
    """A value of an option."""

    value: JsonValue
    name: Words


class OptionReply(Reply):
    """A rule that a table may play otherwise."""

    id: str
    kind: str
    name: Words
    default: JsonValue
    choices: list[NamedChoice]
    rare: Annotated[bool, Field(description="A form keeps it folded.")]


class GameReply(Reply):
    """A deck, and the game that is played with it."""

    deck: Deck
    game: Deck
    title: Words
    learned: Annotated[bool, Field(description="From pictures.")]
    laid: Annotated[int, Field(description="So many each side lays; 0: it is never done.")]
    followed: bool
    careers: bool
    photos: Annotated[int, Field(description="A table is on so many at most.")]
    sides: list[SideReply]
    pieces: list[NamedPiece]
    has_example: bool
    options: list[OptionReply]


class GamesReply(Reply):
    """All that may be read and played."""

    games: list[GameReply]


class DeckReply(Reply):
    """A deck that was learned from pictures; of a damaged one its name and ``error``."""

    name: Annotated[str, Field(examples=["my-cards"])]
    digest: str | None = None
    cards: list[str] | None = None
    width_mm: float | None = None
    height_mm: float | None = None
    copies: int | None = None
    game: str | None = None
    error: str | None = None


class DecksReply(Reply):
    """The names of all decks, the program's own first; and what the learned ones are."""

    decks: Annotated[list[str], Field(examples=[["light-speed"]])]
    learned: list[DeckReply]


class DraftInShort(Reply):
    """A draft of a deck: how many cards it has, and how many of them have names."""

    name: str
    cards: int
    named: int
    photos: int


class DraftsReply(Reply):
    """The drafts, and the boxes whose names are known."""

    drafts: list[DraftInShort]
    templates: Annotated[list[str], Field(examples=[["light-speed-2003"]])]


class DraftReply(Reply):
    """A draft of a deck, its cards in the order in which they were found."""

    name: str
    width_mm: float | None
    height_mm: float | None
    beside: str
    photos: int
    cards: list[Thing]
