"""A live game's newest picture, carried to viewers of other servers while they ask for it.

Who watches a game on another server rings for it; the game's own server then keeps its newest
picture in the store that all share, by one name that is written over, and rings that it is there.
Where nobody asks nothing is written, and where all look at the game's own server.
"""

import asyncio
import json
import logging
import time
from dataclasses import dataclass, field

from vision.apps.addresses import content_of
from vision.apps.server.live.standing import Shown
from vision.apps.server.reading.bell import Bell, in_thread
from vision.apps.server.storage import Objects

__all__ = ["ASK_S", "Carrier", "LiveBells", "fetch"]

_log = logging.getLogger(__name__)
#: Between two pictures that are kept: a table is laid slowly, and a store bills each.
CARRY_S = 0.5
#: Between two rings of a server whose viewers wait.
ASK_S = 2.0
_WANTED_S = 5.0  # after it was last asked for, a picture is carried: two rings may be lost


@dataclass(frozen=True, slots=True, eq=False)
class LiveBells:
    """What servers ring for one another about their live games."""

    news: Bell = field(default_factory=Bell)  #: something was kept of a game
    looks: Bell = field(default_factory=Bell)  #: a game, by its id, is looked at elsewhere
    shows: Bell = field(default_factory=Bell)  #: a picture of a game was kept for elsewhere


class Carrier:
    """Keeps the newest picture of a game in the store, at most every ``CARRY_S``, while asked for.

    Called in the event loop.
    """

    def __init__(self, game: str, objects: Objects, shows: Bell) -> None:
        self._game, self._objects, self._shows = game, objects, shows
        self._wanted_until = 0.0
        self._newest: Shown | None = None
        self._work: asyncio.Task[None] | None = None

    def ask(self) -> None:
        """Note that viewers of another server wait."""
        self._wanted_until = time.monotonic() + _WANTED_S

    def offer(self, shown: Shown) -> None:
        """Take a new picture; if it is wanted it is carried, unless a newer comes before it can."""
        if not self._is_wanted:
            return
        self._newest = shown
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._carry())

    @property
    def _is_wanted(self) -> bool:
        return time.monotonic() < self._wanted_until

    async def _carry(self) -> None:
        while self._newest is not None and self._is_wanted:
            shown, self._newest = self._newest, None
            await self._keep(shown)
            await asyncio.sleep(CARRY_S)

    async def _keep(self, shown: Shown) -> None:
        head = {"number": shown.number, "age_s": round(time.monotonic() - shown.at, 3)}
        content = json.dumps(head).encode() + b"\n" + shown.content
        try:
            await in_thread(self._objects.keep_drawn, _name(self._game), content)
        except OSError as error:
            _log.warning("live game %s: a picture could not be carried: %s", self._game, error)
            return
        self._shows.ring(self._game)


async def fetch(game: str, objects: Objects) -> Shown | None:
    """Return the picture of a game that its server kept last, if there is one."""
    try:
        content = await in_thread(_read, game, objects)
    except OSError as error:
        _log.warning("live game %s: its picture could not be had: %s", game, error)
        return None
    if content is None:
        return None
    head, _, picture = content.partition(b"\n")
    told = json.loads(head)
    return Shown(told["number"], picture, time.monotonic() - told["age_s"])


def _read(game: str, objects: Objects) -> bytes | None:
    source = objects.drawn(_name(game))
    return None if source is None else content_of(source)


def _name(game: str) -> str:
    return f"live-{game}.jpg"
