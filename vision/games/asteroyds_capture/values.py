"""The values of Asteroyds, capture: options, pieces, programmes, what happens. All frozen.

Headings are ways, 0 (up) to 5, clockwise; in files they are degrees.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import InstanceOf, PlainSerializer

from vision.files.codec import LEFT_OUT, in_words, key
from vision.judging.counts import Expected
from vision.judging.options import option
from vision.judging.said import PlacePx, Word
from vision.values.ledger import Weighed
from vision.values.messages import Issue

__all__ = [
    "COLUMNS",
    "RADIUS",
    "TEAMS",
    "Beam",
    "Carried",
    "Ending",
    "Move",
    "Off",
    "Options",
    "OtherValues",
    "Piece",
    "Program",
    "Resolution",
    "RockMove",
    "Round",
    "Spot",
    "Table",
    "Teleport",
]

TEAMS: tuple[str, ...] = ("red", "white", "blue")
COLUMNS = 6
RADIUS = 5  # of the printed board


@dataclass(frozen=True, slots=True)
class Options:
    """The variants of the game, the default first (rules page, "Base" and "A turn")."""

    base: Literal["zone", "platform", "home"] = option(
        "zone", "zone (near the home), platform or home: where a carrier scores"
    )
    zone: int = option(2, "0 to 4: how far the zone round the home reaches", most=4)
    platform_shelter: bool = option(True, "true or false: whether a platform shelters ships on it")
    numbers: Literal["tile", "board"] = option(
        "tile", "tile or board: whether a die counts from the way a tile looks, or from up"
    )
    anticipated_fire: Literal["none", "extra"] = option(
        "none", "none or extra: whether Fire fires in a column without fire"
    )
    pod_crash: bool = option(True, "true or false: whether a ship crashes into a pod, or stays")
    rocks: Literal["destructible", "solid"] = option(
        "destructible", "destructible or solid: whether a hit removes a rock"
    )
    rocks_move: Literal["turn", "round"] = option(
        "turn", "turn or round: whether rocks move before round 1 or before each"
    )
    pilots: bool = option(False, "true or false: whether pilots have their powers")
    target: int | None = option(
        None, "auto or 1 to 5: the points that win", least=1, most=5, offered=(2, 3)
    )
    capture_cost: int | None = option(
        None, "auto, 0 or 1: what a team loses whose asteroyd is captured", most=1, offered=(0, 1)
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece as it lies: its cell (None: off the table), its way.

    An asteroyd that is carried is ``on`` a ship and has no cell; ``pilot`` and ``power_spent`` are
    of ships.
    """

    id: str
    cell: str | None = None
    way: int = 0
    on: str | None = None
    pilot: str | None = None
    power_spent: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """What a ship is to do: six columns (None: empty), the anticipation's mode and rounds."""

    columns: tuple[str | None, ...] = ()
    mode: str | None = None
    rounds: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        left = (None,) * (COLUMNS - len(self.columns))  # what is not said is empty
        object.__setattr__(self, "columns", (*self.columns, *left))


Spot: TypeAlias = tuple[str, str, int]  #: of what, what of it, the column or 0


@dataclass(frozen=True, slots=True)
class OtherValues:
    """What else something may be: values with their chances, the table's own first.

    ``what``: cell, on, heading_deg (a way here), die (``of`` a colour), column, mode, rounds,
    pilot.
    """

    of: str
    what: str
    options: tuple[tuple[Any, float], ...]
    column: int = 0

    @property
    def spot(self) -> Spot:
        """What it is about."""
        return self.of, self.what, self.column


@dataclass(frozen=True, slots=True)
class Table:
    """A position with dice and programmes; ``pieces`` are all there are, by id.

    ``expected`` are the ships that a photo should have shown. ``said`` is what the players said of
    what: as of :class:`OtherValues`, of a sheet as a whole ``column``. ``unread`` are things that
    a photo shows and nobody read: the cells under each, and its place; ``seen`` is where the photo
    shows each die.
    """

    pieces: tuple[Piece, ...]
    programs: Mapping[str, Program] = field(default_factory=dict)
    dice: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, int] = field(default_factory=dict)
    options: Options = Options()
    radius: int = RADIUS
    layout: str | None = None
    alternatives: tuple[OtherValues, ...] = ()
    doubts: tuple[Issue, ...] = ()
    expected: tuple[Expected, ...] = field(default=(), compare=False)
    said: frozenset[Word] = field(default=frozenset(), compare=False)
    unread: tuple[tuple[frozenset[str], PlacePx], ...] = field(default=(), compare=False)
    seen: Mapping[str, PlacePx] = field(default_factory=dict, compare=False)


# --- what happens --------------------------------------------------------------------------------


def _degrees(way: int) -> int:
    return 60 * way


def _totals(scores: Mapping[str, int]) -> dict[str, dict[str, int]]:
    return {team: {"total": score} for team, score in scores.items()}


Start: TypeAlias = Annotated[str, key("from")]
End: TypeAlias = Annotated[str, key("to")]
Way: TypeAlias = Annotated[int, key("heading_deg"), PlainSerializer(_degrees)]
Totals: TypeAlias = Annotated[Mapping[str, int], PlainSerializer(_totals)]


@dataclass(frozen=True, slots=True)
class RockMove:
    """A rock moved, by itself or pushed."""

    rock: str
    start: Start
    end: End


@dataclass(frozen=True, slots=True)
class Beam:
    """A laser: its cells to the last one reached, what stopped it (none: the edge), whom it hit."""

    source: str
    way: Way
    cells: tuple[str, ...]
    stopped_by: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    evaded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Off:
    """A turret went off by these beams or ships."""

    turret: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A ship moved, turned or tried: its cells from where it stood, its way after it."""

    ship: str
    action: str
    cells: tuple[str, ...]
    way: Way
    crash: str | None = None


@dataclass(frozen=True, slots=True)
class Teleport:
    """A ship went to its platform and is out for the turn."""

    ship: str
    start: Start
    end: End
    cause: Literal["laser", "crash"]
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Carried:
    """What became of an asteroyd, by which ships, in which cell."""

    asteroyd: str
    event: Literal["dropped", "taken", "contested", "returned", "captured"]
    ships: tuple[str, ...]
    cell: str


@dataclass(frozen=True, slots=True)
class Round:
    """All of one round: rocks and asteroyds in the order of happening, all else by id."""

    number: Annotated[int, key("round")]
    rocks: tuple[RockMove, ...] = ()
    beams: tuple[Beam, ...] = ()
    off: tuple[Off, ...] = ()
    destroyed: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    teleports: tuple[Teleport, ...] = ()
    asteroyds: tuple[Carried, ...] = ()
    scores: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ending:
    """One way that the turn may end, and how likely."""

    probability: Annotated[float, key("p")]
    scores: Totals
    winners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """A turn played: rounds, scores, who has won, the table for the next turn, the odds.

    ``weighed`` says of what may be read otherwise how likely it changes anything of the turn,
    ``unknown`` how likely the table is in none of the ways that were played.
    """

    rounds: tuple[Round, ...]
    scores: Totals
    winners: tuple[str, ...]
    uncertain: bool
    endings: Annotated[tuple[Ending, ...], key("odds")]
    final: Annotated[Table, InstanceOf(), LEFT_OUT]
    issues: tuple[Annotated[Issue, in_words()], ...] = ()
    weighed: Annotated[tuple[Weighed, ...], LEFT_OUT] = ()
    unknown: Annotated[float, LEFT_OUT] = 0.0
