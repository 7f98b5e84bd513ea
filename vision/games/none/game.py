"""No game: where the pieces of a deck lie is all there is to say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from vision.errors import DeckError
from vision.files.layouts import card_to_json, to_card
from vision.files.schemas import CardModel
from vision.geometry import card_corners, table_from_card
from vision.judging.game import Game, Json
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, PlacedCard
from vision.values.ledger import Ledger, PieceView, Tally
from vision.values.messages import Message
from vision.values.pieces import PieceSet

__all__ = ["NoGame", "Places"]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """What lies where."""

    deck: str
    cards: tuple[PlacedCard, ...]


@dataclass(frozen=True, slots=True)
class NoGame(Game):
    """A deck that is only read; ``size_mm`` is that of pieces that it does not list."""

    pieces: PieceSet = field(default_factory=lambda: PieceSet("none", ()))
    size_mm: tuple[float, float] = (0.0, 0.0)

    name = "none"
    texts = resources.files(__package__) / "texts"
    most_photos = 8

    def lay(self, layouts: Sequence[Layout], options: Any) -> Places:
        """Take every card as it lies."""
        placed = (placed for layout in layouts for placed in layout.placed)
        return Places(self.pieces.name, tuple(one.card for one in placed))

    def read(self, text: str) -> Places:
        """Refuse a table: there is nothing to play."""
        msg = (
            f"deck {self.pieces.name!r} has no lasers: its tables are read, "
            "there is nothing to resolve"
        )
        raise DeckError(msg)

    def restore(self, written: Json, joint_covariance: FloatArray) -> Places:
        """Return the places of a scan that was kept."""
        cards = tuple(to_card(CardModel.model_validate(card)) for card in written["cards"])
        return Places(written["deck"], cards)

    def edit(self, table: Places, change: Mapping[str, Any]) -> Places:
        """Refuse a change: nothing follows from it."""
        msg = f"the deck {table.deck!r} has no lasers: there are no shots to rule on or show"
        raise ValueError(msg)

    def resolve(self, table: Places) -> None:
        """Play nothing."""

    def tell(self, table: Places, outcome: None) -> Ledger:
        """Count the pieces and say where they lie."""
        named = [card for card in table.cards if card.identity is not None]
        said = Message("report.places", (("n", len(named)), ("deck", table.deck)))
        pieces = tuple(self._view(card) for card in table.cards)
        return Ledger(self.name, (), (), pieces, Tally({}), (), (), said)

    def _view(self, card: PlacedCard) -> PieceView:
        sizes = {piece.id: piece.size_mm for piece in self.pieces.pieces}
        corners = card_corners(*sizes.get(card.card_id, self.size_mm))
        outline = table_from_card(corners, card.x_mm, card.y_mm, card.theta_rad)
        name = card.card_id.replace("-", " ")
        return PieceView(card.card_id, "card", name, outline, name, is_known=False)

    def write(self, table: Places) -> Json:
        """Return the places as JSON."""
        return {
            "schema": "sightline/table@1",
            "game": self.name,
            "deck": table.deck,
            "rules": {},
            "cards": [card_to_json(card) for card in table.cards],
        }
