"""Laser and Shield as a game of the house."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from vision.files.documents import is_json
from vision.games.laser_shield.accounts import accounted, shortfalls_of
from vision.games.laser_shield.coach import advise
from vision.games.laser_shield.evening import changes, expect, left_by
from vision.games.laser_shield.files import read_table, resolution_to_json, table_to_json
from vision.games.laser_shield.hands import edit, settings, spare, standing
from vision.games.laser_shield.lay import lay
from vision.games.laser_shield.notation import parse_table
from vision.games.laser_shield.pieces import PIECES
from vision.games.laser_shield.resolve import resolve
from vision.games.laser_shield.taps import choices, parties, read_order, standing_orders
from vision.games.laser_shield.tell import SIDES, tell
from vision.games.laser_shield.values import Options, Resolution, Table
from vision.games.laser_shield.words import TEXTS
from vision.judging.coach import Advice
from vision.judging.counts import Shortfall
from vision.judging.evening import Change
from vision.judging.game import Json
from vision.judging.hands import Setting, Standing
from vision.judging.orders import Choice, OrderRead, Party
from vision.texts import texts
from vision.values.layout import Layout
from vision.values.ledger import Ledger, Side
from vision.values.pieces import PieceSet

__all__ = ["LaserShield"]


@dataclass(frozen=True, slots=True)
class LaserShield:
    """Laser and Shield: a photo of the board and two orders give the phase."""

    name: ClassVar[str] = "laser-shield"
    pieces: ClassVar[PieceSet] = PIECES
    sides: ClassVar[tuple[Side, ...]] = SIDES
    options: ClassVar[type] = Options
    referee: ClassVar[None] = None
    contested_from: ClassVar[float] = 0.01
    notation: ClassVar[str] = (
        "game laser-shield\norange b1 south-east\nblue-2 e4 nw 0.7 or e4 n 0.3\n"
        "order orange fire b1>c1\norder blue move e4-d3 left"
    )
    most_photos: ClassVar[int] = 1

    @property
    def texts(self) -> Traversable:
        """The folder of its words."""
        return TEXTS

    def lay(self, layouts: Sequence[Layout], options: Options) -> Table:
        """Read each pawn's square and heading with their chances."""
        return lay(layouts, options)

    def read(self, text: str) -> Table:
        """Read a position from its notation, or from JSON."""
        return read_table(text) if is_json(text) else parse_table(text)

    def edit(self, table: Table, change: Mapping[str, Any]) -> Table:
        """Bring orders or a correction to a table."""
        return edit(table, change)

    def standing(self, table: Table) -> tuple[Standing, ...]:
        """Return the pawns where hands may take them."""
        return standing(table)

    def spare(self, table: Table) -> tuple[str, ...]:
        """Return the pawns that are not on the board."""
        return spare(table)

    def settings(self, table: Table) -> tuple[Setting, ...]:
        """Return what a tap says of missing pawns."""
        return settings(table)

    def shortfalls(self, table: Table) -> tuple[Shortfall, ...]:
        """Return the teams of which pawns are missing that nobody has accounted for."""
        return shortfalls_of(table)

    def accounted(self, table: Table, expected: Table) -> Mapping[str, Any] | None:
        """Return the change that accounts for missing pawns by what the phase before left."""
        gone = accounted(table, expected)
        return {"kind": "gone", "pieces": list(gone)} if gone else None

    def parties(self, table: Table) -> tuple[Party, ...]:
        """Return the teams that may give an order."""
        return parties(table)

    def orders(self, table: Table) -> dict[str, str | None]:
        """Return the orders that stand."""
        return standing_orders(table)

    def choices(self, table: Table, party: str, so_far: str) -> tuple[Choice, ...]:
        """Return what may be tapped next."""
        return choices(table, party, so_far)

    def order(self, table: Table, party: str, given: Any) -> OrderRead:
        """Read an order of a team."""
        return read_order(table, party, given)

    def next_table(self, table: Table, outcome: Resolution) -> Table | None:
        """Return the position after the phase, to be set up; None if somebody has won."""
        return None if outcome.winners else left_by(table, outcome)

    def expect(self, table: Table, expected: Table | None) -> Table:
        """Return a position with a doubt for each pawn that was set up otherwise."""
        return expect(table, expected)

    def changes(self, before: Table, after: Table) -> tuple[Change, ...]:
        """Return which pawns moved, came and went."""
        return changes(before, after)

    def resolve(self, table: Table) -> Resolution:
        """Play the phase."""
        return resolve(table)

    def tell(self, table: Table, outcome: Resolution) -> Ledger:
        """Tell the phase."""
        return tell(table, outcome)

    def coach(self, table: Table) -> tuple[Advice, ...]:
        """Say what other orders would have done."""
        return advise(table)

    def write(self, value: Table | Resolution, *, language: str = "en") -> Json:
        """Return a table or a resolution as JSON."""
        if isinstance(value, Table):
            return table_to_json(value)
        return resolution_to_json(value, texts(language, TEXTS))
