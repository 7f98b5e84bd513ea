"""By the clock: what was deleted long ago is forgotten, what is out of time is revealed."""

import asyncio
import logging
import time
from contextlib import suppress

from calibration.learned.shelf import tidy_shelf
from vision.apps.server.reading.bell import in_thread
from vision.apps.server.services import Services
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Storage
from vision.apps.server.storage.deck_links import DeckLinks

__all__ = ["empty_trash", "keep_house", "keep_time", "tidy"]

_log = logging.getLogger(__name__)
_BETWEEN_S = 3600.0
_DAY_S = 86400.0
_ENTERED_S = 600.0  # between an object and its row there are seconds, on the busiest machine


async def keep_house(storage: Storage, settings: Settings) -> None:
    """Tidy at the start, and again each hour."""
    while True:
        with suppress(Exception):
            await in_thread(tidy, storage, settings)
        await asyncio.sleep(_BETWEEN_S)


def tidy(storage: Storage, settings: Settings) -> None:
    """Remove deleted rounds and decks whose time is over, old originals, what nothing names."""
    now, scans, live = time.time(), storage.records.scans, storage.records.live
    scans.purge(now - settings.trash_days * _DAY_S)
    scans.drop_originals(now - settings.original_days * _DAY_S)
    storage.objects.sweep({*scans.objects(), *live.pictures()})
    links = DeckLinks(settings.decks)
    links.tidy()
    remembered = scans.decks() | {link.deck for link in links.list()}
    tidy_shelf(settings.decks, remembered, settings.trash_days * _DAY_S)


def empty_trash(storage: Storage) -> tuple[int, int]:
    """Forget all deleted rounds now, and remove the photos that only they had; return how many.

    First the rounds, then the bytes of the photos.

    A photo that came minutes ago is left to ``tidy``, and so is a round that is being read.
    """
    scans, live = storage.records.scans, storage.records.live
    rounds = scans.purge(time.time())
    return rounds, storage.objects.sweep({*scans.objects(), *live.pictures()}, _ENTERED_S)


async def keep_time(house: Services) -> None:
    """Reveal the orders whose time is over, also of sittings that a dead server left."""
    while True:
        try:
            if await in_thread(house.orders.reveal_due):
                house.sitting_news.ring()
        except Exception:  # noqa: BLE001 - one sitting must not stop the clock of the others
            _log.exception("the clock of secret orders stumbled; it goes on")
        await asyncio.sleep(house.settings.reveal_seconds)
