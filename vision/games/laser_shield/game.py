"""Laser and Shield as a game of the house."""

from collections.abc import Mapping
from typing import Any

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
from vision.judging.game import Game, Json
from vision.texts import texts

__all__ = ["LaserShield"]


class LaserShield(Game):
    """Laser and Shield: a photo of the board and two orders give the phase."""

    name = "laser-shield"
    texts = TEXTS
    pieces = PIECES
    sides = SIDES
    hears_of_places = True
    options = Options
    notation = (
        "game laser-shield\norange b1 south-east\nblue-2 e4 nw 0.7 or e4 n 0.3\n"
        "order orange fire b1>c1\norder blue move e4-d3 left"
    )

    lay = staticmethod(lay)
    edit = staticmethod(edit)
    standing = staticmethod(standing)
    spare = staticmethod(spare)
    settings = staticmethod(settings)
    shortfalls = staticmethod(shortfalls_of)
    parties = staticmethod(parties)
    orders = staticmethod(standing_orders)
    choices = staticmethod(choices)
    order = staticmethod(read_order)
    expect = staticmethod(expect)
    changes = staticmethod(changes)
    resolve = staticmethod(resolve)
    tell = staticmethod(tell)
    write = staticmethod(table_to_json)
    coach = staticmethod(advise)

    def read(self, text: str) -> Table:
        """Read a position from its notation, or from JSON."""
        return read_table(text) if is_json(text) else parse_table(text)

    def accounted(self, table: Table, expected: Table) -> Mapping[str, Any] | None:
        """Return the change that accounts for missing pawns by what the phase before left."""
        gone = accounted(table, expected)
        return {"kind": "gone", "pieces": list(gone)} if gone else None

    def next_table(self, table: Table, outcome: Resolution) -> Table | None:
        """Return the position after the phase, to be set up; None if somebody has won."""
        return None if outcome.winners else left_by(table, outcome)

    def write_outcome(self, outcome: Resolution, *, language: str = "en") -> Json:
        """Return a resolution as JSON."""
        return resolution_to_json(outcome, texts(language, TEXTS))
