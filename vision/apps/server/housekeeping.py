"""Now and then: what was deleted long ago is forgotten, and uploads that never ended."""

import asyncio
import time
from contextlib import suppress

from vision.apps.server.reading.bell import in_thread
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Storage

__all__ = ["keep_house", "tidy"]

_BETWEEN_S = 3600.0
_DAY_S = 86400.0


async def keep_house(storage: Storage, settings: Settings) -> None:
    """Tidy at the start, and again each hour."""
    while True:
        with suppress(Exception):
            await in_thread(tidy, storage, settings)
        await asyncio.sleep(_BETWEEN_S)


def tidy(storage: Storage, settings: Settings) -> None:
    """Remove deleted rounds whose time is over, old originals, and files that nothing names."""
    now, scans = time.time(), storage.records.scans
    scans.purge(now - settings.trash_days * _DAY_S)
    scans.drop_originals(now - settings.original_days * _DAY_S)
    storage.objects.sweep(scans.objects())
