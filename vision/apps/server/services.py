"""What the routes work with, put together once."""

import asyncio
from dataclasses import dataclass, field

from vision.apps.pools.opening import make_pool
from vision.apps.pools.values import Pool
from vision.apps.reading import Read
from vision.apps.server.live.games import LiveGames
from vision.apps.server.metrics import Metrics
from vision.apps.server.reading.bell import Bell
from vision.apps.server.reading.intake import Intake
from vision.apps.server.reading.runner import Runner
from vision.apps.server.rounds.careers import Careers
from vision.apps.server.rounds.decks import Decks
from vision.apps.server.rounds.following import carry_on
from vision.apps.server.rounds.orders import SecretOrders
from vision.apps.server.rounds.played import PlayedRounds
from vision.apps.server.rounds.rounds import Rounds
from vision.apps.server.settings import Settings
from vision.apps.server.storage import Storage, open_storage
from vision.apps.server.wire import Wire

__all__ = ["Services", "create_services"]


@dataclass(frozen=True, slots=True, eq=False)
class Services:
    """The rooms of the server; ``addresses`` are shown as QR code.

    ``certificate`` is the SHA-256 of the server's own, which links to its live tables name.
    """

    settings: Settings
    storage: Storage
    pool: Pool
    metrics: Metrics
    wire: Wire
    runner: Runner
    intake: Intake
    rounds: Rounds
    orders: SecretOrders
    careers: Careers
    decks: Decks
    live: LiveGames
    sitting_news: Bell  #: rung when a sitting has changed
    changes: Bell  #: sounds when anything that a page shows may have changed
    addresses: tuple[str, ...] = ()
    certificate: str = ""
    closing: asyncio.Event = field(default_factory=asyncio.Event)  #: who follows is to go

    def hush(self) -> None:
        """End all streams: whoever follows comes back, here or to another server."""
        self.closing.set()
        self.changes.sound()
        self.live.hush()


def create_services(
    settings: Settings, read: Read, addresses: tuple[str, ...], certificate: str
) -> Services:
    """Open what is stored and put the rooms together around it."""
    storage = open_storage(settings.folder, settings.database_url, settings.objects_url)
    pool = make_pool(read, settings.pool_limits, storage.objects.scratch, settings.cluster)
    metrics = Metrics(wanted=settings.metrics)
    runner = Runner(storage, settings, pool, metrics)
    played = PlayedRounds(storage, settings)
    changes = Bell()
    sitting_news = Bell(changes)
    live = LiveGames(storage, settings)
    runner.news.also = live.bells.news.also = changes
    bells = {
        "changes": changes,
        "scans": runner.news,
        "work": runner.work,
        "sittings": sitting_news,
        "live": live.bells.news,
        "live-looks": live.bells.looks,
        "live-shows": live.bells.shows,
    }
    orders = SecretOrders(played)

    def follow(scan: str, is_first: bool) -> None:
        if is_first:  # the score comes over once
            carry_on(played, scan)
        else:
            orders.look_again(scan)

    runner.on_read = follow
    return Services(
        settings=settings,
        storage=storage,
        pool=pool,
        metrics=metrics,
        wire=Wire(settings.database_url, bells),
        runner=runner,
        intake=Intake(storage, settings, runner),
        rounds=Rounds(played, pool),
        orders=orders,
        careers=played.careers,
        decks=Decks(settings),
        live=live,
        sitting_news=sitting_news,
        changes=changes,
        addresses=addresses,
        certificate=certificate,
    )
