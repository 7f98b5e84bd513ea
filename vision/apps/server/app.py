"""create_app(): the web app, built around the function that reads a photo."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI

from vision._version import __version__
from vision.apps import reading
from vision.apps.server import problems
from vision.apps.server.description import describe
from vision.apps.server.guard import Guard
from vision.apps.server.heads import AnswerHeads
from vision.apps.server.housekeeping import keep_house, keep_time
from vision.apps.server.page_files import STATIC, PageFiles
from vision.apps.server.requests import NameRequests
from vision.apps.server.routes import (
    careers,
    decks,
    evenings,
    live,
    news,
    orders,
    pages,
    results,
    scans,
    tables,
)
from vision.apps.server.services import Services, create_services
from vision.apps.server.settings import Settings

__all__ = ["create_app"]

_ROUTES = (
    *(scans.router, results.router, results.corrections, orders.router, orders.sittings),
    *(orders.seats, results.links, evenings.router, careers.router, tables.router, decks.router),
    *(decks.designs, decks.drafts, tables.games, orders.coach, live.router, live.battles),
    *(news.router, pages.router),
)
_DESCRIPTION = (
    "Photos of a game table in; cards, what happens, score and pictures out. Errors are problem "
    "documents (RFC 9457) with the codes of the command line."
)


def create_app(
    read: reading.Read = reading.read,
    settings: Settings | None = None,
    *,
    addresses: tuple[str, ...] = (),
    certificate: str = "",
) -> FastAPI:
    """Build the web app.

    Parameters
    ----------
    read : callable
        Reads a photo; called in a worker process, so it must be a function of a module.
    settings : Settings, optional
        Folder, limits, token.
    addresses : tuple of str
        Where the page is reached from other machines, for the QR code.
    certificate : str
        SHA-256 of the server's own certificate, if that is what is shown there.
    """
    settings = settings or Settings()
    services = create_services(settings, read, addresses, certificate)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with _running(services):
            yield

    app = FastAPI(
        title="Sightline",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # those pages load scripts from elsewhere; ours comes along
        redoc_url=None,
    )
    problems.install(app)
    for part in _ROUTES:  # as they are: included, each would be built again for every app
        app.router.routes.extend(part.routes)
    app.mount("/static", PageFiles(directory=STATIC), name="static")
    app.state.services = services
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]
    app.add_middleware(AnswerHeads)
    app.add_middleware(news.RingChanges, bell=services.changes)
    app.add_middleware(Guard, settings=settings, token=settings.token)
    app.add_middleware(NameRequests)  # the first of all: what is refused has a name too
    return app


@asynccontextmanager
async def _running(house: Services) -> AsyncIterator[None]:
    """Have everything work that works by itself, as long as the server runs."""
    await house.pool.open()
    await house.wire.start()
    await house.runner.start()
    await house.live.start()
    keepers = (
        asyncio.create_task(keep_house(house.storage, house.settings)),
        asyncio.create_task(keep_time(house)),
    )
    try:
        yield
    finally:
        house.hush()
        for keeper in keepers:
            keeper.cancel()
        await house.live.stop()
        await house.runner.stop()
        await house.wire.stop()
        await house.pool.close()
        await asyncio.gather(*keepers, return_exceptions=True)
        await anyio.to_thread.run_sync(house.storage.records.close)
