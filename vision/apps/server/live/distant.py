"""A live game that another server follows, as the records tell it: for viewers of this one."""

import asyncio
import time

from vision.apps.server.live.lease import LEASE_S, RENEW_S
from vision.apps.server.live.standing import Begun, Standing, told_of
from vision.apps.server.reading.bell import Bell, in_thread
from vision.apps.server.storage import Storage
from vision.apps.server.storage.live import KeptGame

__all__ = ["DistantGame"]

_LATE_S = 1.5 * RENEW_S  # a server that has not told for longer gives no pictures either


class DistantGame(Standing):
    """How it stands by what its server last kept; ``news`` is rung for all distant games."""

    def __init__(self, begun: Begun, storage: Storage, most: int, news: Bell) -> None:
        super().__init__(begun, most)
        self.storage, self.news = storage, news
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
