"""Conflit stellaire as a game of the house."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from vision.files.documents import is_json
from vision.games.conflit_stellaire.career import enlist, enlisted, rank, services
from vision.games.conflit_stellaire.compose import as_seen_by
from vision.games.conflit_stellaire.deck import NAME, deck_to_json
from vision.games.conflit_stellaire.edit import edit
from vision.games.conflit_stellaire.files import read_table, table_to_json
from vision.games.conflit_stellaire.hands import spare, standing
from vision.games.conflit_stellaire.heard import heard
from vision.games.conflit_stellaire.lay import lay
from vision.games.conflit_stellaire.listing import in_short, list_deck
from vision.games.conflit_stellaire.notation import NOTATION, parse_table
from vision.games.conflit_stellaire.onward import next_table
from vision.games.conflit_stellaire.pieces import PIECES
from vision.games.conflit_stellaire.replies import outcome_to_json
from vision.games.conflit_stellaire.resolve import resolve
from vision.games.conflit_stellaire.settings import settings, settings_of
from vision.games.conflit_stellaire.taps import (
    choices,
    parties,
    read,
    standing_orders,
    turns,
)
from vision.games.conflit_stellaire.tell import SIDES, tell
from vision.games.conflit_stellaire.values import Options, Outcome, Table
from vision.games.conflit_stellaire.watched import changes
from vision.games.conflit_stellaire.words import TEXTS
from vision.judging.career import Service
from vision.judging.evening import Change
from vision.judging.game import Json, ListedLine
from vision.judging.hands import Setting, Standing
from vision.judging.orders import Choice, OrderRead, Party
from vision.values.layout import Layout
from vision.values.ledger import Ledger, Side
from vision.values.messages import Message
from vision.values.pieces import PieceSet

__all__ = ["ConflitStellaire"]


@dataclass(frozen=True, slots=True)
class ConflitStellaire:
    """Conflit stellaire: the cards in play and the declarations give a commander's turn."""

    contested_from: float = 0.01

    name: ClassVar[str] = NAME
    pieces: ClassVar[PieceSet] = PIECES
    sides: ClassVar[tuple[Side, ...]] = SIDES
    options: ClassVar[type] = Options
    referee: ClassVar[None] = None
    most_photos: ClassVar[int] = 1
    notation: ClassVar[str] = NOTATION

    @property
    def texts(self) -> Traversable:
        """The folder of its words."""
        return TEXTS

    def lay(self, layouts: Sequence[Layout], options: Options) -> Table:
        """Read whose each card is, whether it is engaged, what it lies on; hulls and distances."""
        return lay(layouts, options)

    def read(self, text: str) -> Table:
        """Read a table and its turn from the notation, or from JSON."""
        return read_table(text) if is_json(text) else parse_table(text)

    def edit(self, table: Table, change: Mapping[str, Any]) -> Table:
        """Bring a correction, declarations, ripostes or options to a table: see :mod:`edit`."""
        return edit(table, change)

    def take_turn(self, table: Table, said: str) -> Table:
        """Bring a turn that was written down to a table that was photographed."""
        return edit(table, {"kind": "turn", "turn": said})

    def changes(self, before: Table, after: Table) -> tuple[Change, ...]:
        """Return which cards were laid, turned, moved, and taken off."""
        return changes(before, after)

    def rank(self, points: int) -> Message:
        """Return the rank that some points are worth."""
        return rank(points)

    def enlist(self, table: Table, points: Mapping[str, int | None]) -> Table:
        """Return a table with officers of so many points at its seats."""
        return enlist(table, points)

    def enlisted(self, table: Table) -> dict[str, int]:
        """Return the points of the officers that the table names."""
        return enlisted(table)

    def services(self, table: Table, outcome: Outcome) -> dict[str, Service]:
        """Return what the turn leaves to each officer."""
        return services(table, outcome)

    def standing(self, table: Table) -> tuple[Standing, ...]:
        """Return the cards where hands may take them."""
        return standing(table)

    def spare(self, table: Table) -> tuple[str, ...]:
        """Return what may be put on the table."""
        return spare(table)

    def settings(self, table: Table) -> tuple[Setting, ...]:
        """Return what is in doubt, whose turn it is, the distances."""
        return settings(table)

    def settings_of(self, table: Table, piece: str) -> tuple[Setting, ...]:
        """Return what may be set of a card."""
        return settings_of(table, piece)

    def as_seen_by(self, table: Table, party: str | None) -> Table:
        """Return a table as a commander sees it; None: as everybody does."""
        return as_seen_by(table, party)

    def parties(self, table: Table) -> tuple[Party, ...]:
        """Return the commanders in play."""
        return parties(table)

    def turns(self, table: Table) -> tuple[tuple[str, ...], ...]:
        """Return who declares, then who answers."""
        return turns(table)

    def heard(self, table: Table, party: str) -> tuple[Message, ...]:
        """Return what a commander is told of the declarations that he answers."""
        return heard(table, party)

    def orders(self, table: Table) -> dict[str, str | None]:
        """Return the deeds that stand, as orders."""
        return standing_orders(table)

    def choices(self, table: Table, party: str, so_far: str) -> tuple[Choice, ...]:
        """Return what may be tapped next."""
        return choices(table, party, so_far)

    def order(self, table: Table, party: str, given: Any) -> OrderRead:
        """Read an order of a commander."""
        return read(table, party, given)

    def next_table(self, table: Table, outcome: Outcome) -> Table | None:
        """Return the table on which the next commander begins; None if the game is over."""
        return None if outcome.over else next_table(table)

    def resolve(self, table: Table) -> Outcome:
        """Play the turn."""
        return resolve(table)

    def tell(self, table: Table, outcome: Outcome) -> Ledger:
        """Tell the turn."""
        return tell(table, outcome)

    def write(self, value: Table | Outcome, *, language: str = "en") -> Json:
        """Return a table or an outcome as JSON."""
        return table_to_json(value) if isinstance(value, Table) else outcome_to_json(value)

    def deck_to_json(self) -> Json:
        """Return the deck as it is shown: its faces, each with its provenance."""
        return deck_to_json()

    def in_short(self) -> str:
        """Say what there is, in a few words."""
        return in_short()

    def list_pieces(self) -> tuple[ListedLine, ...]:
        """Tell each face and what it says."""
        return list_deck()
