"""A live game's other table, on this server or another: told and heard, by one clock of both.

Who takes part by a link asks the one that gave it, again and again, and tells how its own table
stands in the same breath; so one of the two must be able to reach the other. Each tells all that
counts each time: after a cable was pulled nothing is missing. What counts is when pictures were
taken: the clock of the other is measured by the round trips.
"""

import asyncio
import json
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from vision.apps.server.live.clock import RoundTrip, ahead_of
from vision.apps.server.live.links import ask_by_link
from vision.apps.server.problems import Problem
from vision.apps.server.reading.bell import in_thread
from vision.watch.battle_files import BattleTable

__all__ = ["AWAY_S", "Battle"]

Json = dict[str, Any]
_log = logging.getLogger(__name__)
_ASK_S = 0.4  # between two questions
AWAY_S = 3.0  # not heard for so long, the other table is away
_TRIPS = 20  # by whose shortest the clock is told

_NOTHING: Json = {"cards": [], "stopped": None, "judged": None}


class Battle:
    """One table's side of a battle; every method is called in the event loop.

    Parameters
    ----------
    about : dict
        ``id``, ``game``, ``deck`` and ``rules`` of the own live game.
    link : str
        To the other table; empty for the one that gave the link.
    wall : callable
        Seconds since 1970, by a clock that nobody sets meanwhile.
    tell : callable
        Given each message for the process of the game.
    changed : callable
        Called when what a page shows has changed.
    """

    def __init__(
        self,
        about: Json,
        link: str,
        wall: Callable[[], float],
        tell: Callable[[Json], None],
        changed: Callable[[], None],
    ) -> None:
        self.about, self.link, self.wall = about, link, wall
        self.tell, self.changed = tell, changed
        self.own: Json = _NOTHING  # in the game's own time
        self.read: Json | None = None  # of the own verdict
        self.shown: Json = {"shared": None, "others": [], "conflicts": []}
        self.trouble: Json | None = None
        self.ahead_s: float | None = None  # own clock before that of who gave the link
        self._zeros: deque[float] = deque(maxlen=200)  # of the game's time, as pictures came
        self._trips: deque[RoundTrip] = deque(maxlen=_TRIPS)
        self._heard_at: float | None = None  # (monotonic)
        self._heard: str | None = None  # what was passed on last
        self._peer: str | None = None
        self._read: tuple[float, Json] | None = None  # of the other's verdict: when, and what
        self._given: float | None = None  # the own verdict that the other has
        self._is_away = False
        self._work: asyncio.Task[None] | None = None
        tell({"kind": "battle", "is_on": True, "is_first": not link})

    def begin(self) -> None:
        """Begin to ask, or to mind that the other is not heard."""
        self._work = asyncio.create_task(self._run())

    def end(self) -> None:
        """Be one table again."""
        if self._work is not None:
            self._work.cancel()
        self.tell({"kind": "battle", "is_on": False, "is_first": not self.link})
        self.tell({"kind": "other", "table": None, "read": None})  # a new process hears none either

    # --- the own table -------------------------------------------------------------------------

    def note_picture(self, zero: float) -> None:
        """Note when, by a picture that has just come, the game's time was 0: the least is right."""
        self._zeros.append(zero)

    def note_own(self, told: Json) -> None:
        """Take in what the process says of the own table and of what it shows of the other."""
        self.own, self.shown = told["own"], told["shown"]
        if told["is_read"]:
            self.read = told["read"]

    @property
    def _zero(self) -> float | None:
        return min(self._zeros, default=None)

    def table(self, received: float) -> Json:
        """Return how the own table stands, by the own clock."""
        knows, own = None if self._read is None else self._read[0], self.own
        zero = self._zero
        if zero is None:  # no picture has come since: nothing is known of its times
            own, zero = _NOTHING, 0.0
        judged = own["judged"]
        return {
            "schema": "sightline/battle-table@1",
            **self.about,
            "received": received,
            "ahead_s": self.ahead_s if self.link else None,
            "knows": knows,
            "cards": [{**card, "at": card["at"] + zero} for card in own["cards"]],
            "stopped": None if own["stopped"] is None else own["stopped"] + zero,
            "judged": None if judged is None else judged + zero,
            "read": None if judged is None else self.read,
            "sent": self.wall(),
        }

    # --- the other table -----------------------------------------------------------------------

    def answer(self, asked: BattleTable, received: float) -> Json:
        """Take in the word of a table that came by the link; return the own.

        Raises
        ------
        Problem
            409 if another table takes part already, or it plays another game.
        """
        is_new = self._peer not in (None, asked.id)
        if is_new and self._heard_at is not None and time.monotonic() - self._heard_at < 30.0:
            raise Problem(409, "battle_full", "another table takes part in this battle already")
        self._check_alike(asked)
        self._peer = asked.id
        self._take(asked, asked.ahead_s)
        return _without_known(self.table(received), asked.knows)

    def _check_alike(self, other: BattleTable) -> None:
        mine = (self.about["game"], self.about["deck"], self.about["rules"])
        if other.id == self.about["id"] or (other.game, other.deck, other.rules) != mine:
            detail = "the other table plays another game, deck or rules; begin both alike"
            raise Problem(409, "battle_other", detail)

    def _take(self, other: BattleTable, guest_ahead_s: float | None) -> None:
        """Pass on how the other table stands, its times in the time of the own pictures."""
        is_first = self._heard_at is None or self.trouble is not None
        self._heard_at, self.trouble = time.monotonic(), None
        if is_first:
            self.changed()
        if self._is_away:
            self._is_away = False
            self.tell({"kind": "away", "away_s": None})
            self.changed()
        zero = self._zero
        if guest_ahead_s is None or zero is None:
            return
        shift = (guest_ahead_s if self.link else -guest_ahead_s) - zero
        told = other.model_dump(include={"cards", "stopped", "judged"})
        if other.read is not None and other.judged is not None:
            self._read = (other.judged, other.model_dump(include={"read"})["read"])
        known = self._read is not None and self._read[0] == other.judged
        told["cards"] = [{**card, "at": card["at"] + shift} for card in told["cards"]]
        for name in ("stopped", "judged"):
            told[name] = None if told[name] is None else told[name] + shift
        read = self._read[1] if known and self._read is not None else None
        mark = _mark(told, has_read=read is not None)
        if mark != self._heard:
            self._heard = mark
            self.tell({"kind": "other", "table": told, "read": read})

    # --- asking ----------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            try:
                await self._ask()
            except Exception:  # noqa: BLE001 - the other table's word must not end the battle
                _log.exception("live game %s: the other table was not understood", self.about["id"])
            away_s = self.away_s
            if away_s is not None and away_s > AWAY_S and not self._is_away:
                self._is_away = True
                self.tell({"kind": "away", "away_s": away_s})
                self.changed()
            await asyncio.sleep(_ASK_S)

    async def _ask(self) -> None:
        """Tell the other table how this one stands, and hear how that one does, if it asks."""
        if not self.link:
            return
        asked = self.wall()
        table = _without_known(self.table(asked), self._given)
        try:
            content = await in_thread(ask_by_link, self.link, json.dumps(table).encode())
            heard = self.wall()
            other = BattleTable.model_validate_json(content)
        except Problem as problem:
            self._stumble({"code": problem.code, "detail": problem.detail})
        except (OSError, ValidationError) as error:
            _log.info("live game %s: the other table: %s", self.about["id"], error)
        else:
            self._given = other.knows
            self._trips.append(RoundTrip(asked, other.received, other.sent, heard))
            self.ahead_s = ahead_of(self._trips)
            self._take(other, self.ahead_s)

    def _stumble(self, trouble: Json) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            self.changed()

    # --- what goes out ---------------------------------------------------------------------------

    @property
    def away_s(self) -> float | None:
        """For how long the other table has not been heard; None before it was."""
        return None if self._heard_at is None else time.monotonic() - self._heard_at

    def view(self) -> Json:
        """Return what a page shows of the battle."""
        away_s = self.away_s
        state = "waiting" if away_s is None else "away" if self._is_away else "joined"
        return {
            "role": "guest" if self.link else "host",
            "state": state,
            "away_s": round(away_s, 1) if away_s is not None and self._is_away else None,
            "trouble": self.trouble,
            **self.shown,
        }


def _without_known(table: Json, knows: float | None) -> Json:
    """Return a table without the reading of its verdict, if the other has that already."""
    return {**table, "read": None} if table["judged"] in (None, knows) else table


def _mark(told: Json, *, has_read: bool) -> str:
    """Return a word for how a table stands: a clock that is measured anew is no news."""
    cards = [{**card, "at": round(card["at"], 1)} for card in told["cards"]]
    times = [None if told[name] is None else round(told[name], 1) for name in ("stopped", "judged")]
    return json.dumps([cards, times, has_read])
