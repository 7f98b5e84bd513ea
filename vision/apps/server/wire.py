"""Bells of several servers rung together, through PostgreSQL (``LISTEN`` and ``NOTIFY``).

Whoever waits for news on one server is woken by what another does. Nothing depends on it: who waits
looks again every few seconds anyway, so a notice that is lost costs those, and no more.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from secrets import token_hex

from vision.apps.server.reading.bell import Bell
from vision.apps.server.storage.notices import Notices, open_notices

__all__ = ["Wire"]

_log = logging.getLogger(__name__)
_GATHER_S = 0.05  # rings within it are one notice: a reader tells each of its stages
_AGAIN_S = 2.0  # between tries to reach a database that is gone


class Wire:
    """Carries rings between servers of one database.

    Parameters
    ----------
    database_url : str
        Of PostgreSQL; empty where a server has its records for itself, and nothing is carried.
    bells : mapping
        Each by the name that it has on every server.
    """

    def __init__(self, database_url: str, bells: Mapping[str, Bell]) -> None:
        self._url = database_url
        self._bells = dict(bells)
        self._name = token_hex(4)
        self._rung: set[str] = set()
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to carry."""
        if not self._url:
            return
        for name, bell in self._bells.items():
            bell.on_ring = partial(self._note, name)
        work = (self._send, self._hear)
        self._tasks = [asyncio.create_task(self._keep_on(one)) for one in work]

    async def stop(self) -> None:
        """Carry nothing any more."""
        for bell in self._bells.values():
            bell.on_ring = None
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _note(self, name: str, about: str) -> None:
        self._rung.add(f"{name} {about}")
        self._wake.set()

    async def _keep_on(self, work: Callable[[Notices], Awaitable[None]]) -> None:
        """Do it again whenever the database was gone."""
        while True:
            with suppress(ConnectionError):
                async with open_notices(self._url) as notices:
                    await work(notices)
            _log.info("the database is gone; servers look by themselves until it is back")
            await asyncio.sleep(_AGAIN_S)

    async def _send(self, notices: Notices) -> None:
        while True:
            await self._wake.wait()
            await asyncio.sleep(_GATHER_S)
            self._wake.clear()
            rung, self._rung = sorted(self._rung), set()
            for one in rung:
                await notices.say(f"{self._name} {one}")

    async def _hear(self, notices: Notices) -> None:
        async for word in notices.hear():
            sender, _, rest = word.partition(" ")
            name, _, about = rest.partition(" ")
            if sender != self._name and name in self._bells:
                self._bells[name].hear(about)
