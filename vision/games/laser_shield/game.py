"""Laser and Shield as a game of the house."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources.abc import Traversable
from typing import Any, ClassVar

from vision.errors import TableFormatError
from vision.files.documents import is_json
from vision.games.laser_shield.board import HEADINGS, SQUARES
from vision.games.laser_shield.coach import advise
from vision.games.laser_shield.files import read_table, resolution_to_json, table_to_json
from vision.games.laser_shield.lay import lay
from vision.games.laser_shield.notation import check_position, parse_table
from vision.games.laser_shield.orders import order_from_json
from vision.games.laser_shield.pieces import PIECES
from vision.games.laser_shield.resolve import resolve
from vision.games.laser_shield.tell import SIDES, tell
from vision.games.laser_shield.values import TEAMS, Options, Pawn, Resolution, Table
from vision.games.laser_shield.words import TEXTS
from vision.judging.coach import Advice
from vision.judging.game import Json
from vision.judging.options import options_from_json, parse_options
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
        """Bring an order or a correction to a table.

        ``{"kind": "order", "team", "order"}``, ``{"kind": "place", "piece", "square",
        "heading"}``, ``{"kind": "remove", "piece"}``, ``{"kind": "rules"}`` with ``rules`` (JSON)
        or ``set`` (``KEY=VALUE``).

        Raises
        ------
        TableFormatError
            If it is none of these, or leads to a position that cannot be.
        """
        after = _edited(table, change)
        check_position(after)
        return after

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


def _edited(table: Table, change: Mapping[str, Any]) -> Table:
    known = {pawn.id: pawn for pawn in table.pawns}
    match dict(change):
        case {"kind": "order", "team": team, "order": order} if team in TEAMS:
            return replace(table, orders={**table.orders, team: order_from_json(order)})
        case {"kind": "place", "piece": str(name), "square": square, "heading": heading} if (
            square in SQUARES and heading in HEADINGS
        ):
            known[name] = Pawn(name, square, heading)
            return replace(table, pawns=tuple(known[key] for key in sorted(known)))
        case {"kind": "remove", "piece": name} if name in known:
            return replace(table, pawns=tuple(p for p in table.pawns if p.id != name))
        case {"kind": "rules", "rules": dict(rules)}:
            return replace(table, options=options_from_json(Options, rules))
        case {"kind": "rules", "set": list(settings)}:
            return replace(table, options=parse_options(Options, settings, table.options))
    msg = (
        f'{dict(change)} is no change; needed one like {{"kind": "place", "piece": "blue-1", '
        '"square": "e2", "heading": "n"}'
    )
    raise TableFormatError(msg)
