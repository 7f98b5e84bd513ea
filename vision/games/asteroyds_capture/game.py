"""Asteroyds, capture, as a game of the house."""

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
from vision.judging.game import Game, Json
from vision.texts import texts

__all__ = ["AsteroydsCapture"]


class AsteroydsCapture(Game):
    """Asteroyds, capture: photos of board, sheets and dice give the turn."""

    name = "asteroyds-capture"
    texts = TEXTS
    pieces = PIECES
    sides = SIDES
    hears_of_places = True
    options = Options
    beside = frozenset(BESIDE)
    most_photos = 12  # the board twice, dice, and a sheet each of nine ships
    notation = (notation.__doc__ or "").partition("::")[2].strip("\n")

    lay = staticmethod(lay)
    edit = staticmethod(edit)
    standing = staticmethod(standing)
    spare = staticmethod(spare)
    settings = staticmethod(settings)
    shortfalls = staticmethod(shortfalls_of)
    parties = staticmethod(parties)
    orders = staticmethod(standing_orders)
    sheet = staticmethod(sheet)
    order = staticmethod(read_order)
    wanted = staticmethod(wanted)
    expect = staticmethod(expect)
    carried = staticmethod(carried)
    changes = staticmethod(changes)
    follow = staticmethod(follow)
    resolve = staticmethod(resolve)
    tell = staticmethod(tell)
    write = staticmethod(table_to_json)
    coach = staticmethod(advise)

    def read(self, text: str) -> Table:
        """Read a table from its notation, or from JSON."""
        return read_table(text) if is_json(text) else notation.parse_table(text)

    def next_table(self, table: Table, outcome: Resolution) -> Table | None:
        """Return the position after the turn, to be set up; None if somebody has won."""
        return None if outcome.winners else outcome.final

    def write_outcome(self, outcome: Resolution, *, language: str = "en") -> Json:
        """Return a resolution as JSON."""
        return resolution_to_json(outcome, texts(language, TEXTS))

    def turn(self, table: Table, *, language: str = "en") -> tuple[str, ...]:
        """Say what one column earlier or later would have changed: a headline, then lines."""
        words = texts(language, TEXTS)
        return tuple(words.tell(line) for line in coach(table))
