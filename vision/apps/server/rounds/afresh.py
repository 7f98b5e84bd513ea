"""A table that was typed, or that follows a round -> a round of its own, drawn from above."""

import json
import time
from typing import Any

from vision.apps.decks import lasting_name
from vision.apps.server.problems import Problem
from vision.apps.server.rounds.following import carry_on
from vision.apps.server.rounds.rounds import Round, Rounds, tell
from vision.apps.server.rounds.typed import Typed, draw_position, keep_table, keep_typed
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Kept, NewScan, Scan, Storage, new_id
from vision.imaging.photo import encode_image
from vision.values.verdict import judge

__all__ = ["Afresh"]

_NEXT_PX = 1600  # width of the picture of what is to be set up


class Afresh:
    """Rounds that nobody photographed."""

    def __init__(self, storage: Storage, settings: Settings, rounds: Rounds) -> None:
        self.storage, self.settings, self.rounds = storage, settings, rounds

    def lay(self, encoded: bytes, name: str, evening: str | None) -> str:
        """Make a round of a table file or notation; return its id.

        Raises
        ------
        TableFormatError
            If the table has mistakes.
        """
        typed = keep_typed(encoded, self.settings.decks, self.settings.view_px)
        return self._enter(typed, name, evening)

    def go_on(self, scan: Scan) -> str:
        """Make a round of what lies there after another; return its id.

        Raises
        ------
        Problem
            409 if nothing follows.
        """
        round_ = self.rounds.get(scan)
        table = self._following(round_)
        own = (side for side, _ in self.rounds.careers.points(scan))
        # their points are said by the careers, whenever they are asked for
        table = round_.game.enlist(table, dict.fromkeys(own))
        typed = keep_table(round_.known, table, self.settings.view_px)
        return self._enter(typed, scan.name, scan.evening)

    def picture_of_next(self, scan: Scan) -> bytes:
        """Draw what is to be set up after a round, from above (PNG).

        Raises
        ------
        Problem
            409 if nothing follows.
        """
        round_ = self.rounds.get(scan)
        game, table = round_.game, self._following(round_)
        ledger = tell(game, table, game.resolve(table))
        image, _ = draw_position(round_.known, ledger, _NEXT_PX)
        return encode_image(image, ".png")

    def _following(self, round_: Round) -> Any:
        table = round_.game.next_table(round_.table, round_.outcome)
        if table is None:
            detail = "there is no next position: the game is over"
            if judge(round_.ledger, round_.issues).is_open:
                detail = "as read, this round ends the game; resolve its doubts first"
            raise Problem(409, "nothing_follows", detail)
        return table

    def _enter(self, typed: Typed, name: str, evening: str | None) -> str:
        if evening is not None and self.storage.records.evenings.find(evening) is None:
            raise Problem(404, "not_found", "there is no such evening")
        put, result = self.storage.objects.put, typed.result
        new = NewScan(
            id=new_id(),
            photo=put(typed.picture),
            deck=lasting_name(typed.known, self.settings.decks),
            rules=json.dumps(json.loads(result.document)["table"].get("rules", {})),
            created=time.time(),
            name=name,
            evening=evening,
            game=typed.known.game.name,
        )
        kept = Kept(result.document, put(result.view), put(result.joint))
        self.storage.records.scans.add_read(new, kept)
        carry_on(self.storage.records, self.rounds, new.id)
        return new.id
