"""Asteroyds, capture, as a game of the house."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from vision.files.documents import is_json
from vision.games.asteroyds_capture import notation
from vision.games.asteroyds_capture.coach import advise, coach
from vision.games.asteroyds_capture.edit import edit
from vision.games.asteroyds_capture.files import read_table, resolution_to_json, table_to_json
from vision.games.asteroyds_capture.lay import lay
from vision.games.asteroyds_capture.pieces import PIECES
from vision.games.asteroyds_capture.resolve import resolve
from vision.games.asteroyds_capture.tell import SIDES, tell
from vision.games.asteroyds_capture.values import Options, Resolution, Table
from vision.games.asteroyds_capture.words import TEXTS
from vision.judging.coach import Advice
from vision.judging.game import Json
from vision.texts import texts
from vision.values.layout import Layout
from vision.values.ledger import Ledger, Side
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
