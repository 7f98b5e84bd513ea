"""No game: where the pieces of a deck lie is all there is to say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from vision.errors import DeckError
from vision.files.layouts import card_to_json
from vision.geometry import card_corners, table_from_card
from vision.judging.game import Json
from vision.values.layout import Layout, Placed
from vision.values.ledger import Ledger, PieceView, Tally
from vision.values.messages import Message
from vision.values.pieces import PieceSet

__all__ = ["NoGame", "NoOptions", "Places"]


@dataclass(frozen=True, slots=True)
class NoOptions:
    """There is nothing to choose."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """What lies where."""

    deck: str
    placed: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class NoGame:
    """A deck that is only read; ``size_mm`` is that of pieces that it does not list."""

    pieces: PieceSet = field(default_factory=lambda: PieceSet("none", ()))
    contested_from: float = 0.01
    size_mm: tuple[float, float] = (0.0, 0.0)

    name: ClassVar[str] = "none"
    options: ClassVar[type] = NoOptions
    referee: ClassVar[None] = None
    most_photos: ClassVar[int] = 1

    @property
    def texts(self) -> Traversable:
        """The folder of its words."""
        return resources.files(__package__) / "texts"

    def lay(self, layouts: Sequence[Layout], options: NoOptions) -> Places:
        """Take every piece as it lies."""
        return Places(self.pieces.name, tuple(p for layout in layouts for p in layout.placed))

    def read(self, text: str) -> Places:
        """Refuse a table: there is nothing to play."""
        msg = (
            f"deck {self.pieces.name!r} has no lasers: its tables are read, "
            "there is nothing to resolve"
        )
        raise DeckError(msg)

    def edit(self, table: Places, change: Mapping[str, Any]) -> Places:
        """Refuse a change: nothing follows from it."""
        msg = f"the deck {table.deck!r} has no lasers: there are no shots to rule on or show"
        raise ValueError(msg)

    def resolve(self, table: Places) -> None:
        """Play nothing."""

    def tell(self, table: Places, outcome: None) -> Ledger:
        """Count the pieces and say where they lie."""
        named = [p for p in table.placed if not p.piece.startswith("unknown-")]
        said = Message("report.places", (("n", len(named)), ("deck", table.deck)))
        pieces = tuple(self._view(placed) for placed in table.placed)
        return Ledger(self.name, (), (), pieces, Tally({}), (), (), said)

    def _view(self, placed: Placed) -> PieceView:
        sizes = {piece.id: piece.size_mm for piece in self.pieces.pieces}
        corners = card_corners(*sizes.get(placed.piece, self.size_mm))
        outline = table_from_card(corners, placed.x_mm, placed.y_mm, placed.theta_rad)
        name = placed.piece.replace("-", " ")
        return PieceView(placed.piece, placed.kind, name, outline, name, is_known=False)

    def write(self, value: Places | None, *, language: str = "en") -> Json | None:
        """Return the places as JSON."""
        if value is None:
            return None
        return {
            "schema": "sightline/table@1",
            "game": self.name,
            "deck": value.deck,
            "rules": {},
            "cards": [card_to_json(placed) for placed in value.placed],
        }
