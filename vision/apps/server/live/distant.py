"""A live game that another server follows, as the records tell it: for viewers of this one."""

import asyncio
import time

from vision.apps.server.live.carried import ASK_S, LiveBells, fetch
from vision.apps.server.live.lease import LEASE_S, RENEW_S
from vision.apps.server.live.standing import Begun, Standing, told_of
from vision.apps.server.reading.bell import in_thread
from vision.apps.server.storage import Storage
from vision.apps.server.storage.live import KeptGame

__all__ = ["DistantGame"]

_LATE_S = 1.5 * RENEW_S  # a server that has not told for longer gives no pictures either


class DistantGame(Standing):
    """How it stands by what its server last kept; its news are those of all distant games."""

    def __init__(self, begun: Begun, storage: Storage, most: int, bells: LiveBells) -> None:
        super().__init__(begun, most)
        self.storage, self.news, self._looks = storage, bells.news, bells.looks
        self._noted_at = 0.0
        self._is_left = False
        self._fetching: asyncio.Task[None] | None = None
        self._known: tuple[str, bool] | None = None
        self._pen = asyncio.Lock()

    async def look(self, kept: KeptGame) -> None:
        """Take in what is kept of it now; of viewers that ask at once, one after the other."""
        async with self._pen:
            await self._look(kept)

    async def _look(self, kept: KeptGame) -> None:
        is_held = kept.left_s > 0
        known = (kept.standing, is_held)
        told = await in_thread(self.storage.records.live.events, self.id, self.last)
        is_new = bool(told) or known != self._known
        self._known = known
        self.recall(kept.standing, map(told_of, told))
        if not is_held:
            self.state = "starting"  # until a server goes on with it
        if self.watch is not None and kept.age_s is not None:
            late_s = max(0.0, LEASE_S - kept.left_s - _LATE_S)
            self.watch = {**self.watch, "age_s": kept.age_s + late_s}
            self.watch_at = time.monotonic()
        if is_new:
            self.version += 1

    # --- its picture ---------------------------------------------------------------------------

    def note_viewer(self) -> None:
        """Note that someone looks here: its server is asked for pictures, now and then."""
        now = time.monotonic()
        if now - self._noted_at >= ASK_S:
            self._noted_at = now
            self._looks.ring(self.id)

    def note_picture(self) -> None:
        """Have the picture that its server kept, if someone looks here."""
        is_under_way = self._fetching is not None and not self._fetching.done()
        if not is_under_way and time.monotonic() - self._noted_at < 2 * ASK_S:
            self._fetching = asyncio.create_task(self._fetch())

    async def _fetch(self) -> None:
        shown = await fetch(self.id, self.storage.objects)
        if shown is not None:
            self.picture = shown
            self.shows.ring()

    def leave(self) -> None:
        """Be no more: this server goes on with the game, or it has ended."""
        self._is_left = True
        self.shows.ring()

    @property
    def has_pictures(self) -> bool:
        """Whether another picture may come to here."""
        return super().has_pictures and not self._is_left
