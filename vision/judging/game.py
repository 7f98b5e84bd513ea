"""Game: what a game must offer so that every app of the house can play it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any, Protocol, runtime_checkable

from vision.values.arrays import FloatArray
from vision.values.layout import Layout
from vision.values.ledger import Ledger, Side
from vision.values.messages import Issue, Message
from vision.values.pieces import PieceSet

__all__ = [
    "CanGoOn",
    "CanRestore",
    "CanTurn",
    "Game",
    "HidesFaces",
    "Json",
    "ListedLine",
    "ListsPieces",
    "NumbersPieces",
    "PlaysBeside",
    "Referee",
    "ShowsDeck",
    "TakesTurn",
    "WantsPhotos",
]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ListedLine:
    """A line of a list of pieces: parts, each with its style or none, and what follows them.

    ``text`` may be broken where the line is too narrow, and goes on below where it began.
    """

    parts: tuple[str | tuple[str, str], ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Referee:
    """What a watch may say of a table while it is laid.

    ``sides`` are who plays, in order; ``side_of`` says whose a piece is, and leaves out what is
    nobody's. ``last_of_side`` is how many pieces a side lays, after which it is done (0: it never
    is); ``one_at_a_time`` that it lets go of each before it lays the next. ``touching`` says
    whether pieces may touch one another: those in ``common`` may in any case, among themselves,
    and they stay on the table from round to round. ``face_down`` are the ids of backs, of which
    several may lie there.
    """

    sides: tuple[str, ...] = ()
    side_of: Mapping[str, str] = field(default_factory=dict)
    last_of_side: int = 0
    one_at_a_time: bool = False
    touching: bool = True
    common: frozenset[str] = frozenset()
    face_down: tuple[str, ...] = ()

    def count(self, pieces: Iterable[str]) -> dict[str, int]:
        """Return how many of some pieces each side has."""
        owners = [self.side_of.get(piece) for piece in pieces]
        return {side: owners.count(side) for side in self.sides}


class Game(Protocol):
    """A game: a frozen value whose methods are pure functions over its own table and outcome.

    Table and outcome are frozen values that nobody else opens.

    Attributes
    ----------
    name : str
        The id: in files, commands, addresses.
    pieces : PieceSet
        Of its deck or board.
    sides : tuple of Side
        Who may play, in order; none where nothing is played.
    options : type
        A frozen dataclass; :mod:`vision.judging.options` reads it from KEY=VALUE, JSON and forms.
    texts : Traversable
        The folder of its ``en.toml`` and ``fr.toml``.
    referee : Referee or None
        What the watch may tell; None if nothing.
    contested_from : float
        From what chance of another outcome an event is too close to call.
    most_photos : int
        Over how many photos one table of it may be spread.

    A game whose tables can be written as text tells how in a ``notation`` of its own.
    """

    @property
    def name(self) -> str: ...  # noqa: D102 - the attributes are told above
    @property
    def pieces(self) -> PieceSet: ...  # noqa: D102
    @property
    def sides(self) -> tuple[Side, ...]: ...  # noqa: D102
    @property
    def options(self) -> type: ...  # noqa: D102
    @property
    def texts(self) -> Traversable: ...  # noqa: D102
    @property
    def referee(self) -> Referee | None: ...  # noqa: D102
    @property
    def contested_from(self) -> float: ...  # noqa: D102
    @property
    def most_photos(self) -> int: ...  # noqa: D102

    def lay(self, layouts: Sequence[Layout], options: Any) -> Any:
        """Turn what was seen into the game's own table."""
        ...

    def read(self, text: str) -> Any:
        """Read a table from its notation, or from JSON."""
        ...

    def edit(self, table: Any, change: Mapping[str, Any]) -> Any:
        """Bring a correction, a ruling, an order or other options to a table.

        The change is plain JSON of the game's own forms. One all games share:
        ``{"kind": "rules", "set": ["KEY=VALUE", ...]}`` (and ``"rules": {...}``, from a form)
        chooses other options.
        """
        ...

    def resolve(self, table: Any) -> Any:
        """Play: all that happens, with the odds."""
        ...

    def tell(self, table: Any, outcome: Any) -> Ledger:
        """Tell all that a screen ever shows."""
        ...

    def write(self, value: Any, *, language: str = "en") -> Json | None:
        """Return a table or an outcome as plain JSON; None for an outcome that is none."""
        ...


@runtime_checkable
class CanTurn(Protocol):
    """A game that can say what little change of the table would have turned its outcome."""

    def turn(self, table: Any, *, language: str = "en") -> tuple[str, ...]:
        """Say it: a headline, then lines."""
        ...


@runtime_checkable
class CanGoOn(Protocol):
    """A game that goes on after a round, from what lies there then."""

    def next_table(self, table: Any, outcome: Any) -> Any | None:
        """Return the table that is to be set up for the next round; None if the game is over."""
        ...


@runtime_checkable
class CanRestore(Protocol):
    """A game whose tables, as a photo shows them, hold more than it writes of them."""

    def restore(self, written: Json, joint_covariance: FloatArray) -> Any:
        """Return the table of a scan that was kept: as it was written then, and how well known.

        ``joint_covariance`` (3N, 3N) is that of the layout, of (x mm, y mm, theta rad).
        """
        ...


@runtime_checkable
class HidesFaces(Protocol):
    """A game on whose table something lies hidden that a table file may tell."""

    def as_seen_by(self, table: Any, party: str | None) -> Any:
        """Return a table as a party sees it, None as everybody does: to be told, not played.

        What the round has shown of what was hidden is seen.
        """
        ...


@runtime_checkable
class ListsPieces(Protocol):
    """A game that tells more of its pieces than how many and how large they are."""

    def in_short(self) -> str:
        """Say what there is, in a few words."""
        ...

    def list_pieces(self) -> tuple[ListedLine, ...]:
        """Tell each piece and what it does."""
        ...


@runtime_checkable
class NumbersPieces(Protocol):
    """A game whose pieces have a number that tells them apart at a glance."""

    def number_of(self, piece: str) -> str:
        """Return what stands large on a piece; empty where nothing does."""
        ...


@runtime_checkable
class ShowsDeck(Protocol):
    """A game that comes with a deck of which there is more to say than its pieces' sizes."""

    def deck_to_json(self) -> Json:
        """Return the deck whole, as ``sightline/deck@1``."""
        ...


@runtime_checkable
class TakesTurn(Protocol):
    """A game whose turns are declared in words: a photo shows the table on which one is played."""

    def take_turn(self, table: Any, said: str) -> Any:
        """Bring a turn, as text or JSON, to a table that was photographed.

        Raises
        ------
        TableFormatError
            If it is no turn of this table.
        """
        ...


@runtime_checkable
class WantsPhotos(Protocol):
    """A game whose table is spread over photos, and that can say which one is missing."""

    def wanted(self, table: Any, doubts: Sequence[Issue]) -> tuple[Message, ...]:
        """Return what further photos would show that is not known, or decide what is open.

        ``doubts`` are all that are open, of seeing too.
        """
        ...


@runtime_checkable
class PlaysBeside(Protocol):
    """A game of which some pieces lie beside the board: a watch over it does not look for them."""

    @property
    def beside(self) -> frozenset[str]:
        """Their ids."""
        ...
