"""Game: what a game must offer so that every app of the house can play it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, Protocol, TypeVar

from vision.values.layout import Layout
from vision.values.ledger import Ledger
from vision.values.pieces import PieceSet

__all__ = ["Game", "Json", "Referee"]

Json = dict[str, Any]
Table = TypeVar("Table")
Outcome = TypeVar("Outcome")
Options = TypeVar("Options")


@dataclass(frozen=True, slots=True)
class Referee:
    """What a watch may say of a table while it is laid.

    ``touching`` says whether pieces may touch one another; ``last_of_side`` how many pieces a side
    lays, after which it is done (0: it never is).
    """

    touching: bool = True
    last_of_side: int = 0


class Game(Protocol[Table, Outcome]):
    """A game: pure functions over its own frozen table and outcome, which nobody else opens.

    Attributes
    ----------
    name : str
        The id: in files, commands, addresses.
    pieces : PieceSet
        Of its deck or board.
    options : type
        A frozen dataclass; :mod:`vision.judging.options` reads it from KEY=VALUE, JSON and forms.
    texts : Traversable
        The folder of its ``en.toml`` and ``fr.toml``.
    referee : Referee or None
        What the watch may tell; None if nothing.
    """

    name: str
    pieces: PieceSet
    options: type
    texts: Traversable
    referee: Referee | None

    def lay(self, layouts: Sequence[Layout], options: Any) -> Table:
        """Turn what was seen into the game's own table."""
        ...

    def read(self, text: str) -> Table:
        """Read a table from its notation, or from JSON."""
        ...

    def edit(self, table: Table, change: Mapping[str, Any]) -> Table:
        """Bring a correction, a ruling or an order to a table."""
        ...

    def resolve(self, table: Table) -> Outcome:
        """Play: all that happens, with the odds."""
        ...

    def tell(self, table: Table, outcome: Outcome) -> Ledger:
        """Tell all that a screen ever shows."""
        ...

    def write(self, value: Table | Outcome) -> Json:
        """Return a table or an outcome as plain JSON."""
        ...
