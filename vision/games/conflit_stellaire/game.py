"""Conflit stellaire as a game of the house."""

from vision.files.codec import to_document
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
from vision.judging.game import Game, Json

__all__ = ["ConflitStellaire"]


class ConflitStellaire(Game):
    """Conflit stellaire: the cards in play and the declarations give a commander's turn."""

    name = NAME
    texts = TEXTS
    pieces = PIECES
    sides = SIDES
    hears_of_places = True
    options = Options
    notation = NOTATION

    lay = staticmethod(lay)
    edit = staticmethod(edit)
    changes = staticmethod(changes)
    rank = staticmethod(rank)
    enlist = staticmethod(enlist)
    enlisted = staticmethod(enlisted)
    services = staticmethod(services)
    standing = staticmethod(standing)
    spare = staticmethod(spare)
    settings = staticmethod(settings)
    settings_of = staticmethod(settings_of)
    as_seen_by = staticmethod(as_seen_by)
    parties = staticmethod(parties)
    turns = staticmethod(turns)
    heard = staticmethod(heard)
    orders = staticmethod(standing_orders)
    choices = staticmethod(choices)
    order = staticmethod(read)
    resolve = staticmethod(resolve)
    tell = staticmethod(tell)
    write = staticmethod(table_to_json)
    deck_to_json = staticmethod(deck_to_json)
    in_short = staticmethod(in_short)
    list_pieces = staticmethod(list_deck)

    def read(self, text: str) -> Table:
        """Read a table and its turn from the notation, or from JSON."""
        return read_table(text) if is_json(text) else parse_table(text)

    def take_turn(self, table: Table, said: str) -> Table:
        """Bring a turn that was written down to a table that was photographed."""
        return edit(table, {"kind": "turn", "turn": said})

    def next_table(self, table: Table, outcome: Outcome) -> Table | None:
        """Return the table on which the next commander begins; None if the game is over."""
        return None if outcome.over else next_table(table)

    def write_outcome(self, outcome: Outcome, *, language: str = "en") -> Json:
        """Return an outcome as JSON; it has no sentences."""
        return to_document("resolution", outcome, game=NAME, steps=[])
