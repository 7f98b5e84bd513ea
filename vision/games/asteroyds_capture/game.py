"""Asteroyds, capture, as a game of the house."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from vision.files.documents import is_json
from vision.games.asteroyds_capture import notation
from vision.games.asteroyds_capture.coach import advise, coach
from vision.games.asteroyds_capture.edit import edit
from vision.games.asteroyds_capture.evening import carried, changes, expect
from vision.games.asteroyds_capture.files import read_table, resolution_to_json, table_to_json
from vision.games.asteroyds_capture.hands import settings, spare, standing
from vision.games.asteroyds_capture.lay import lay
from vision.games.asteroyds_capture.pieces import BESIDE, PIECES
from vision.games.asteroyds_capture.plans import parties, read_order, sheet, standing_orders
from vision.games.asteroyds_capture.resolve import resolve
from vision.games.asteroyds_capture.said import shortfalls_of
from vision.games.asteroyds_capture.tell import SIDES, tell
from vision.games.asteroyds_capture.tracks import follow
from vision.games.asteroyds_capture.values import Options, Resolution, Table
from vision.games.asteroyds_capture.wanted import wanted
from vision.games.asteroyds_capture.words import TEXTS
from vision.judging.coach import Advice
from vision.judging.counts import Shortfall
from vision.judging.evening import Change, Followed
from vision.judging.game import Json
from vision.judging.hands import Setting, Standing
from vision.judging.orders import Choice, Column, OrderRead, Party
from vision.texts import texts
from vision.values.layout import Layout
from vision.values.ledger import Ledger, Side
from vision.values.messages import Issue, Message
from vision.values.pieces import PieceSet

__all__ = ["AsteroydsCapture"]


@dataclass(frozen=True, slots=True)
class AsteroydsCapture:
    """Asteroyds, capture: photos of board, sheets and dice give the turn."""

    name: ClassVar[str] = "asteroyds-capture"
    pieces: ClassVar[PieceSet] = PIECES
    sides: ClassVar[tuple[Side, ...]] = SIDES
    options: ClassVar[type] = Options
    referee: ClassVar[None] = None
    contested_from: ClassVar[float] = 0.01
    beside: ClassVar[frozenset[str]] = frozenset(BESIDE)
    most_photos: ClassVar[int] = 12  # the board twice, dice, and a sheet each of nine ships
    notation: ClassVar[str] = (notation.__doc__ or "").partition("::")[2].strip("\n")

    @property
    def texts(self) -> Traversable:
        """The folder of its words."""
        return TEXTS

    def lay(self, layouts: Sequence[Layout], options: Options) -> Table:
        """Read pieces, dice and programmes with their chances."""
        return lay(layouts, options)

    def read(self, text: str) -> Table:
        """Read a table from its notation, or from JSON."""
        return read_table(text) if is_json(text) else notation.parse_table(text)

    def edit(self, table: Table, change: Mapping[str, Any]) -> Table:
        """Bring a correction or a programme to a table."""
        return edit(table, change)

    def standing(self, table: Table) -> tuple[Standing, ...]:
        """Return the pieces where hands may take them."""
        return standing(table)

    def spare(self, table: Table) -> tuple[str, ...]:
        """Return the pieces that are not on the board and may be put there."""
        return spare(table)

    def settings(self, table: Table) -> tuple[Setting, ...]:
        """Return dice, what is carried, scores and pilots, to be set by a tap."""
        return settings(table)

    def shortfalls(self, table: Table) -> tuple[Shortfall, ...]:
        """Return the ships and dice that are missing and nobody has accounted for."""
        return shortfalls_of(table)

    def parties(self, table: Table) -> tuple[Party, ...]:
        """Return the ships that may be programmed."""
        return parties(table)

    def orders(self, table: Table) -> dict[str, str | None]:
        """Return the programmes that stand."""
        return standing_orders(table)

    def choices(self, table: Table, party: str, so_far: str) -> tuple[Choice, ...]:
        """Return no taps: a programme is filled in on a sheet."""
        return ()

    def sheet(self, table: Table, party: str, given: Any) -> tuple[Column, ...]:
        """Return the sheet of a ship with a programme filled in."""
        return sheet(table, party, given)

    def order(self, table: Table, party: str, given: Any) -> OrderRead:
        """Read the programme of a ship."""
        return read_order(table, party, given)

    def wanted(self, table: Table, doubts: Sequence[Issue]) -> tuple[Message, ...]:
        """Return what further photos of the turn are missing."""
        return wanted(table, doubts)

    def next_table(self, table: Table, outcome: Resolution) -> Table | None:
        """Return the position after the turn, to be set up; None if somebody has won."""
        return None if outcome.winners else outcome.final

    def expect(self, table: Table, expected: Table | None) -> Table:
        """Return a position with a doubt for each piece that was set up otherwise."""
        return expect(table, expected)

    def carried(self, table: Table, expected: Table) -> Json | None:
        """Return the change that brings over the score, and whose power is spent."""
        return carried(table, expected)

    def changes(self, before: Table, after: Table) -> tuple[Change, ...]:
        """Return which pieces moved, turned, came and went."""
        return changes(before, after)

    def follow(self, planned: Table, seen: Sequence[Table]) -> Followed:
        """Return how a turn is played out, and the first move that differs."""
        return follow(planned, seen)

    def resolve(self, table: Table) -> Resolution:
        """Play the turn."""
        return resolve(table)

    def tell(self, table: Table, outcome: Resolution) -> Ledger:
        """Tell the turn."""
        return tell(table, outcome)

    def write(self, value: Table | Resolution, *, language: str = "en") -> Json:
        """Return a table or a resolution as JSON."""
        if isinstance(value, Table):
            return table_to_json(value)
        return resolution_to_json(value, texts(language, TEXTS))

    def coach(self, table: Table) -> tuple[Advice, ...]:
        """Say what one column earlier or later would have changed."""
        return advise(table)

    def turn(self, table: Table, *, language: str = "en") -> tuple[str, ...]:
        """Say what one column earlier or later would have changed: a headline, then lines."""
        words = texts(language, TEXTS)
        return tuple(words.tell(line) for line in coach(table))
