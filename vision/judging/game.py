"""Game: the base class of every game. A game overrides what differs from the defaults.

Needed are ``name``, ``pieces``, ``texts``, ``lay``, ``read``, ``edit``, ``resolve``, ``tell`` and
``write``; all else has a default, by which an app leaves out what the game does not know.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any

from vision.errors import TableFormatError
from vision.judging.career import Service
from vision.judging.coach import Advice, Coaching
from vision.judging.counts import Shortfall
from vision.judging.evening import Change, Followed
from vision.judging.hands import Setting, Standing
from vision.judging.options import NoOptions
from vision.judging.orders import Choice, Column, OrderRead, Party
from vision.values.arrays import FloatArray
from vision.values.layout import Layout
from vision.values.ledger import Ledger, Side
from vision.values.messages import Issue, Message
from vision.values.pieces import PieceSet

__all__ = ["Game", "Json", "ListedLine", "Referee"]

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


@dataclass(frozen=True, slots=True)
class Game(ABC):
    """A game: a frozen value whose methods are pure functions of its own tables and outcomes.

    Tables and outcomes are frozen values of the game's own kind; nobody else looks into them. A
    function of a module becomes a method by ``lay = staticmethod(lay)``, whatever it calls its
    arguments.

    What it or a function of its package reads (a table, a change, an order), it refuses by a
    :class:`TableFormatError` that says what was seen and what is needed; a photo by a
    :class:`~vision.errors.TableNotFoundError`.
    """

    #: The chance of another outcome from which an event is too close to call.
    contested_from: float = field(default=0.01, kw_only=True)

    # --- what it is ------------------------------------------------------------------------------

    @property
    @abstractmethod
    def name(self) -> str:
        """Its id: in files, commands, addresses."""

    @property
    @abstractmethod
    def pieces(self) -> PieceSet:
        """The pieces of its deck or board."""

    @property
    @abstractmethod
    def texts(self) -> Traversable:
        """The folder of its ``en.toml`` and ``fr.toml``."""

    @property
    def sides(self) -> tuple[Side, ...]:
        """Who may play, in order; none where nothing is played."""
        return ()

    @property
    def options(self) -> type:
        """Its variants: a frozen dataclass that :mod:`vision.judging.options` reads."""
        return NoOptions

    @property
    def notation(self) -> str:
        """How a table is written as text, by an example; empty where it is not."""
        return ""

    @property
    def most_photos(self) -> int:
        """Over how many photos one table may be spread."""
        return 1

    @property
    def referee(self) -> Referee | None:
        """What a watch may say while cards are laid; None if nothing."""
        return None

    @property
    def beside(self) -> frozenset[str]:
        """The ids of pieces that lie beside the board: a watch over it does not look for them."""
        return frozenset()

    @property
    def hears_of_places(self) -> bool:
        """Whether its ``edit`` takes that nothing more lies at a place of the photo.

        That is ``{"kind": "nothing", "at_px": [x, y]}``, see :mod:`vision.judging.said`.
        """
        return False

    def overrides(self, method: Callable[..., Any]) -> bool:
        """Return whether a method of :class:`Game` is the game's own: ``overrides(Game.coach)``."""
        return getattr(type(self), method.__name__) is not method

    @property
    def takes_orders(self) -> bool:
        """Whether its rounds are played by orders of its parties."""
        return self.overrides(Game.orders)

    @property
    def keeps_careers(self) -> bool:
        """Whether its rounds count for more than themselves."""
        return self.overrides(Game.services)

    @property
    def has_coach(self) -> bool:
        """Whether it says what would have been better."""
        return self.overrides(Game.coach)

    # --- to be written by every game -------------------------------------------------------------

    @abstractmethod
    def lay(self, layouts: Sequence[Layout], options: Any, /) -> Any:
        """Turn what was seen into the game's own table."""

    @abstractmethod
    def read(self, text: str, /) -> Any:
        """Read a table from its notation, or from JSON."""

    @abstractmethod
    def edit(self, table: Any, change: Mapping[str, Any], /) -> Any:
        """Bring a correction, a ruling, an order or other options to a table.

        The change is plain JSON of the game's own forms. One all games share:
        ``{"kind": "rules", "set": ["KEY=VALUE", ...]}`` (and ``"rules": {...}``, from a form)
        chooses other options.
        """

    @abstractmethod
    def resolve(self, table: Any, /) -> Any:
        """Play: all that happens, with the odds."""

    @abstractmethod
    def tell(self, table: Any, outcome: Any, /) -> Ledger:
        """Tell all that a screen ever shows."""

    @abstractmethod
    def write(self, table: Any, /) -> Json:
        """Return a table as plain JSON (``sightline/table@1``)."""

    def write_outcome(self, outcome: Any, /, *, language: str = "en") -> Json | None:
        """Return an outcome as ``sightline/resolution@1``; None where nothing is played."""
        return None

    # --- tables ----------------------------------------------------------------------------------

    def restore(self, written: Json, joint_covariance: FloatArray, /) -> Any:
        """Return the table of a scan that was kept: as it was written then, and how well known.

        ``joint_covariance`` (3N, 3N) is that of the layout, of (x mm, y mm, theta rad). To be
        overridden where a table holds more than is written of it.
        """
        return self.read(json.dumps(written))

    def as_seen_by(self, table: Any, party: str | None, /) -> Any:
        """Return a table as a party sees it, None as everybody does: to be told, not played.

        What the round has shown of what was hidden is seen.
        """
        return table

    def shortfalls(self, table: Any, /) -> Sequence[Shortfall]:
        """Return what a photo of a table should have shown and nobody has accounted for.

        Of a table with a shortfall the game tells at least one doubt. Its ``edit`` accounts for a
        missing piece that is laid by hand, and for one that is taken away (``{"kind": "remove",
        "id"}``) though it is not there: it is none that was overlooked.
        """
        return ()

    def wanted(self, table: Any, doubts: Sequence[Issue], /) -> Sequence[Message]:
        """Return what further photos would show that is not known, or decide what is open.

        ``doubts`` are all that are open, of seeing too.
        """
        return ()

    def take_turn(self, table: Any, said: str, /) -> Any:
        """Bring a turn that was written down, as text or JSON, to a table that was photographed."""
        msg = f"{self.name} does not take written turns"
        raise TableFormatError(msg)

    # --- pieces in words -------------------------------------------------------------------------

    def number_of(self, piece: str, /) -> str:
        """Return what stands large on a piece; empty where nothing does."""
        return ""

    def in_short(self) -> str:
        """Say in a few words what pieces there are; empty: how many and how large they are."""
        return ""

    def list_pieces(self) -> Sequence[ListedLine]:
        """Tell each piece and what it does; nothing: their names are listed."""
        return ()

    def deck_to_json(self) -> Json | None:
        """Return the deck whole, as ``sightline/deck@1``; None: its pieces are listed."""
        return None

    # --- while it is laid ------------------------------------------------------------------------

    def foresee(self, table: Any, /) -> Ledger | None:
        """Return what would come of a table as it lies while it is still being laid.

        It is the ledger of :meth:`tell` without what takes long (odds); its paths of kind ``beam``
        are what a screen may show. It may take 50 ms; None: nothing is shown.
        """
        return None

    # --- after a round ---------------------------------------------------------------------------

    def coach(self, table: Any, /) -> Sequence[Advice]:
        """Return what would have been better, side by side, in the order to read it.

        It may take two seconds at most; pieces stand as they were read, their doubts aside.
        """
        return ()

    def coaching(self, table: Any, /) -> Coaching:
        """Return the same advice, with maps of what places would have been worth if there are."""
        return Coaching(tuple(self.coach(table)))

    def turn(self, table: Any, /, *, language: str = "en") -> Sequence[str]:
        """Say what little change would have turned the outcome: a headline, then lines."""
        return ()

    # --- from round to round ---------------------------------------------------------------------

    def next_table(self, table: Any, outcome: Any, /) -> Any | None:
        """Return the table that is to be set up for the next round; None if the game is over."""
        return None

    def expect(self, table: Any, expected: Any | None, /) -> Any:
        """Return a table with a doubt for each piece that is not as the round before left it.

        ``expected`` is that position, None if the game was over. No piece is set right: who laid
        it knows better, and is asked.
        """
        return table

    def carried(self, table: Any, expected: Any, /) -> Mapping[str, Any] | None:
        """Return the change, for ``edit``, that brings over to a table what no photo shows.

        ``expected`` is what the round before left; None if there is nothing to bring over. The
        score of a game that overrides this goes on from round to round; it is not added up.
        """
        return None

    def accounted(self, table: Any, expected: Any, /) -> Mapping[str, Any] | None:
        """Return the change, for ``edit``, that accounts for what the round before left none of.

        ``expected`` is the table that it left; None if that accounts for nothing.
        """
        return None

    def changes(self, before: Any, after: Any, /) -> Sequence[Change] | None:
        """Return what changed between two tables, piece by piece; None: as places tell it."""
        return None

    def follow(self, planned: Any, seen: Sequence[Any], /) -> Followed:
        """Compare what was seen, once all have ordered, with what the orders lead to.

        ``planned`` is the table with its orders, ``seen`` the positions since, in order.
        """
        return Followed()

    # --- by hand ---------------------------------------------------------------------------------

    def standing(self, table: Any, /) -> Sequence[Standing]:
        """Return the pieces on a table that a hand may move.

        The ``edit`` of a game that has some takes, besides its own forms, ``{"kind": "move",
        "piece", "x_mm", "y_mm", "theta_deg"}`` and ``{"kind": "add", ...}`` with the same fields
        (table frame; it goes to the nearest place that the game has), ``{"kind": "identify",
        "piece", "identity"}`` (two change names if that one is there) and ``{"kind": "remove",
        "id"}``.
        """
        return ()

    def spare(self, table: Any, /) -> Sequence[str]:
        """Return the ids of pieces that are not on the table and may be put there."""
        return ()

    def settings(self, table: Any, /) -> Sequence[Setting]:
        """Return what else may be set, and how it stands."""
        return ()

    def settings_of(self, table: Any, piece: str, /) -> Sequence[Setting]:
        """Return what may be set of a piece; nothing of one that is not there."""
        return ()

    # --- orders ----------------------------------------------------------------------------------

    def parties(self, table: Any, /) -> Sequence[Party]:
        """Return who may give an order on a table."""
        return ()

    def orders(self, table: Any, /) -> Mapping[str, str | None]:
        """Return the orders that stand on a table, as the game writes them.

        None of a party that orders nothing; who has not ordered yet is not there. The ``edit`` of a
        game that overrides this takes ``{"kind": "orders", "orders": {party: text or null}}``: all
        at once, null for none; who is not named keeps the order that stands.
        """
        return {}

    def choices(self, table: Any, party: str, so_far: str, /) -> Sequence[Choice]:
        """Return what may be tapped next; ``so_far`` is the text of the last tap, if any."""
        return ()

    def order(self, table: Any, party: str, given: Any, /) -> OrderRead:
        """Read an order, as typed or tapped, or as JSON; None for none.

        What others have ordered changes nothing of the answer.
        """
        msg = f"{self.name} is played without orders"
        raise TableFormatError(msg)

    def sheet(self, table: Any, party: str, given: Any, /) -> Sequence[Column]:
        """Return the sheet of a party, an order filled in: as given, as it stands if None.

        For orders that are filled in like a sheet, all columns at once, in any order; ``order``
        then takes ``{column: [value, ...]}`` too, and there are no ``choices``.
        """
        return ()

    def turns(self, table: Any, /) -> Sequence[Sequence[str]]:
        """Return the ids of the parties by turn; every party is in one. Here all order at once.

        The tables given to the methods of orders hold the orders of the turns before; what a later
        party is offered, told and refused may depend on these by what :meth:`heard` says alone.
        """
        return ([party.id for party in self.parties(table)],)

    def heard(self, table: Any, party: str, /) -> Sequence[Message]:
        """Return what a party is told of the orders of the turns before its own."""
        return ()

    # --- careers ---------------------------------------------------------------------------------

    def rank(self, points: int, /) -> Message:
        """Return what so many points make of somebody."""
        raise NotImplementedError

    def enlist(self, table: Any, points: Mapping[str, int | None], /) -> Any:
        """Return a table at whose sides those play who have so many points; None: unknown."""
        return table

    def enlisted(self, table: Any, /) -> Mapping[str, int]:
        """Return the points of those of whom the table itself says how many they have."""
        return {}

    def services(self, table: Any, outcome: Any, /) -> Mapping[str, Service]:
        """Return what a round leaves to the record of each side that was enlisted.

        A game that overrides this keeps careers; it has a ``rank`` for points too.
        """
        return {}
