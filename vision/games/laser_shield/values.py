"""The values of Laser and Shield: options, pawns, orders, what happens in a phase. All frozen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, InstanceOf, PlainSerializer

from vision.files.codec import (
    IF_ANY,
    IN_DEGREES,
    LEFT_OUT,
    NOT_IN_FILES,
    RULES,
    as_form,
    in_words,
    key,
)
from vision.files.flattened import flattened
from vision.files.layouts import covariance_from_json, covariance_to_json
from vision.files.schemas import Chance, Number, Place, PlaceInPhoto, Square3
from vision.games.laser_shield.board import SQUARES
from vision.judging.options import option
from vision.judging.said import Word
from vision.values.arrays import FloatArray
from vision.values.messages import Issue

__all__ = [
    "TEAMS",
    "Beam",
    "Ending",
    "Fire",
    "Kill",
    "Move",
    "Moved",
    "Options",
    "Order",
    "Pass",
    "Pawn",
    "PawnForm",
    "PawnReading",
    "Pose",
    "Resolution",
    "Square",
    "Step",
    "Struck",
    "Table",
    "Turn",
    "Turned",
]


TEAMS: tuple[str, ...] = ("orange", "blue")
PawnId: TypeAlias = Annotated[str, key("piece")]
PlaceMm: TypeAlias = tuple[float, float]
PawnName: TypeAlias = Annotated[str, Field(pattern="^(orange|blue)-[123]$")]
Side: TypeAlias = Literal["left", "right"]
Square: TypeAlias = Annotated[str, Field(pattern=f"^({'|'.join(SQUARES)})$")]
Heading: TypeAlias = Annotated[
    str, as_form(Literal["n", "ne", "e", "se", "s", "sw", "w", "nw"], str, str)
]


@dataclass(frozen=True, slots=True)
class Options:
    """The variants of the game, the default first (rules page, "Board and pawn", "A phase")."""

    gun: Literal["left", "ahead", "cross"] = option(
        "left", "left (half left and left), ahead (ahead, half left) or cross (ahead, left)"
    )
    shield: Literal["side", "front", "narrow"] = option(
        "side", "side (right side, with both corners), front (ahead to right) or narrow"
    )
    deflection: Literal["bounce", "bend"] = option(
        "bounce", "bounce or bend: whether a beam comes back from a shield, or runs on"
    )
    push: Literal["away", "back"] = option(
        "away", "away (along the beam) or back (against its heading): where a struck pawn goes"
    )
    doors: Literal["a2-f1", "c2-d3", "b4-e1", "b2-e3"] = option(
        "a2-f1", "a2-f1, c2-d3, b4-e1 or b2-e3: which squares are doors"
    )
    turn_in_place: bool = option(False, "true or false: whether a pawn may turn without a move")
    illegal: Literal["lost", "error"] = option(
        "lost", "lost or error: what becomes of an order that may not be given"
    )


@dataclass(frozen=True, slots=True)
class PawnReading:
    """One way to read a pawn: its square, its heading (``n`` to ``nw``), and how likely."""

    square: Square
    heading: Heading
    probability: Chance


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where a pawn was seen, table frame: mm, radians, and their covariance (3, 3)."""

    x_mm: Place
    y_mm: Place
    theta_rad: Annotated[Number, key("theta_deg"), *IN_DEGREES]
    covariance: Annotated[
        FloatArray | None, as_form(Square3, covariance_from_json, covariance_to_json)
    ] = None


@dataclass(frozen=True, slots=True)
class Pawn:
    """A pawn as it stands; ``readings`` are all that it may be, itself among them."""

    id: Annotated[PawnName, key("piece")]
    square: Square
    heading: Heading
    pose: Pose | None = field(default=None, compare=False)
    readings: Annotated[tuple[PawnReading, ...], IF_ANY] = ()

    @property
    def team(self) -> str:
        """Whose it is."""
        return self.id.partition("-")[0]


PawnForm: TypeAlias = Annotated[Pawn, flattened("pose", Pose)]  #: as it stands in files


@dataclass(frozen=True, slots=True)
class Fire:
    """Fire from a square at a neighbouring one."""

    start: str
    target: str

    def __str__(self) -> str:
        return f"fire {self.start}>{self.target}"


@dataclass(frozen=True, slots=True)
class Move:
    """Go from square to square, landings beyond doors among them, and turn after that."""

    path: tuple[str, ...]
    turn: Side | None = None

    def __str__(self) -> str:
        return f"move {'-'.join(self.path)}{f' {self.turn}' if self.turn else ''}"


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn where one stands."""

    at: str
    turn: Side

    def __str__(self) -> str:
        return f"turn {self.at} {self.turn}"


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing."""

    def __str__(self) -> str:
        return "pass"


Order: TypeAlias = Fire | Move | Turn | Pass


def _as_given(orders: dict[str, Any]) -> Mapping[str, Any]:
    return orders


def _in_text(orders: Mapping[str, Order | None]) -> dict[str, str | None]:
    return {team: None if order is None else str(order) for team, order in orders.items()}


@dataclass(frozen=True, slots=True)
class Table:
    """What lies on the board, and what both teams have written (None: nothing yet).

    ``missing`` are pawns that a photo does not show and nobody has accounted for: dead, or
    overlooked. ``unread`` are the squares where it shows something that was not read. ``said`` is
    what the players said: of which pawn its ``square`` or that it has none, its ``heading``.
    ``seen`` is where the photo shows each pawn.
    """

    pawns: Annotated[tuple[PawnForm, ...], key("pieces"), Field(max_length=6)]
    orders: Annotated[
        Mapping[str, Order | None],
        as_form(dict[Literal["orange", "blue"], Any], _as_given, _in_text),
    ] = field(default_factory=dict)
    options: Annotated[Options, key("rules"), RULES] = Options()
    doubts: Annotated[tuple[Issue, ...], *NOT_IN_FILES] = ()
    missing: Annotated[tuple[PawnName, ...], Field(max_length=6), IF_ANY] = ()
    unread: Annotated[tuple[Square, ...], Field(max_length=20), IF_ANY] = ()
    said: Annotated[frozenset[Word], *NOT_IN_FILES] = field(default=frozenset(), compare=False)
    seen: Annotated[Mapping[PawnName, PlaceInPhoto], IF_ANY] = field(
        default_factory=dict, compare=False
    )


@dataclass(frozen=True, slots=True)
class Struck:
    """Whom a beam met, the side it came from (``n`` to ``nw``), and whether the shield held."""

    pawn: PawnId
    side: Annotated[str, key("from")]
    shielded: bool


@dataclass(frozen=True, slots=True)
class Beam:
    """One straight line of a beam: its number, its squares from where it begins, how it ends.

    ``path_mm`` ends at the edge if the beam leaves the board.
    """

    team: str
    pawn: PawnId
    line: int
    squares: tuple[str, ...]
    heading: str
    path_mm: tuple[PlaceMm, PlaceMm]
    end: Literal["off", "door", "shield", "killed"]
    struck: Annotated[Struck | None, key("hit")] = None
    point_blank: bool = False


@dataclass(frozen=True, slots=True)
class Moved:
    """A move or a throw: from, to (the landing wanted), through which door, and whether it went.

    ``reason`` of one that failed: contested, exchange, occupied; of a throw also edge, cancelled.
    """

    pawn: PawnId
    start: Annotated[str, key("from")]
    to: str | None
    via: str | None = None
    done: bool = True
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Turned:
    """A pawn turned to a heading."""

    pawn: PawnId
    heading: str


@dataclass(frozen=True, slots=True)
class Kill:
    """A pawn died on a square by the beams of these teams."""

    pawn: PawnId
    square: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """All that happens at one time, by pawn."""

    time: int
    beams: tuple[Beam, ...] = ()
    moves: tuple[Moved, ...] = ()
    turned: tuple[Turned, ...] = ()
    killed: tuple[Kill, ...] = ()
    pushed: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """One way that the phase may end, and how likely."""

    probability: float
    killed: tuple[str, ...]
    winners: tuple[str, ...]


def _where(pawn: Pawn) -> dict[str, str]:
    return {"piece": pawn.id, "square": pawn.square, "heading": pawn.heading}


@dataclass(frozen=True, slots=True)
class Resolution:
    """A phase played: the orders as they counted, every step, who is left, every doubt.

    ``lost`` are the reasons of lost orders by team, ``spent`` the teams whose beam ran its last
    line. ``unknown`` is how likely the pawns stand in none of the ways that were played.
    """

    orders: Mapping[str, str | None]
    steps: tuple[Step, ...]
    killed: tuple[str, ...] = ()
    winners: tuple[str, ...] = ()
    position: tuple[Annotated[Pawn, InstanceOf(), PlainSerializer(_where)], ...] = ()
    endings: Annotated[tuple[Ending, ...], key("outcomes")] = ()
    issues: tuple[Annotated[Issue, in_words("team", "reason")], ...] = ()
    lost: Annotated[Mapping[str, str], LEFT_OUT] = field(default_factory=dict)
    spent: Annotated[tuple[str, ...], LEFT_OUT] = ()
    unknown: Annotated[float, LEFT_OUT] = 0.0
