"""create_app(): the web app, built around the function that reads a photo."""

import asyncio
import logging
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import anyio.to_thread
from fastapi import FastAPI, Request
from sqlalchemy import delete, select, update
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from vision import __version__
from vision.apps import reading
from vision.apps.server.guard import Guard
from vision.apps.server.live.game import LiveGames
from vision.apps.server.reading.runner import Runner, in_thread
from vision.apps.server.routes import games, problems
from vision.apps.server.routes.api import Services, create_router, create_shared_router
from vision.apps.server.routes.live_api import create_live_router
from vision.apps.server.settings import Settings
from vision.apps.server.storage.store import Store, edits, jobs, scans, shares

__all__ = ["create_app"]

STATIC = Path(__file__).parent / "page"
_log = logging.getLogger(__name__)
_DESCRIPTION = (
    "Photos of a Light Speed table in; cards, shots, score and pictures out. Errors are problem "
    "documents (RFC 9457) with the codes of the command line."
)
_HOUSEKEEPING_S = 3600.0


def create_app(
    read: reading.Read = reading.read,
    settings: Settings | None = None,
    *,
    addresses: tuple[str, ...] = (),
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
    """
    settings = settings or Settings()
    store = Store(settings.folder, settings.database_url)
    runner = Runner(store, settings, read)
    live = LiveGames(store, settings)
    services = Services(store, settings, runner)
    services.addresses = list(addresses)
    services.token = settings.token

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await runner.start()
        await live.start()
        keeper = asyncio.create_task(_keep_house(store, settings))
        try:
            yield
        finally:
            keeper.cancel()
            await live.stop()
            await runner.stop()
            await asyncio.gather(keeper, return_exceptions=True)
            await anyio.to_thread.run_sync(store.close)

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
    app.include_router(create_router(services))
    app.include_router(create_shared_router(services))
    app.include_router(create_live_router(live))
    app.include_router(games.router)
    _add_pages(app, services)
    app.mount("/static", _Static(directory=STATIC), name="static")
    app.state.services, app.state.live = services, live
    app.add_middleware(Guard, settings=settings, token=settings.token)
    return app


class _Static(StaticFiles):
    """The files of the page; asked for again each time, sent only if they changed."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response


def _add_pages(app: FastAPI, services: Services) -> None:
    def page(name: str) -> Response:
        return FileResponse(STATIC / name, headers={"Cache-Control": "no-cache"})

    @app.get("/", include_in_schema=False)
    def home() -> Response:
        return page("index.html")

    @app.get("/s/{token}", include_in_schema=False)
    def shared(token: str) -> Response:
        return page("index.html")

    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return page("docs.html")

    @app.get("/manifest.webmanifest", include_in_schema=False)
    def manifest() -> Response:
        return FileResponse(STATIC / "manifest.webmanifest", media_type="application/manifest+json")

    @app.get("/favicon.ico", include_in_schema=False)
    def icon() -> Response:
        return page("icon.svg")

    @app.get("/qr.svg", include_in_schema=False)
    def code(request: Request) -> Response:
        import io

        import segno

        where = services.addresses[0] if services.addresses else str(request.base_url)
        out = io.BytesIO()
        segno.make(where, error="m").save(out, kind="svg", scale=8, border=2, xmldecl=False)
        return Response(out.getvalue(), media_type="image/svg+xml")

    @app.get("/healthz", tags=["server"], summary="Alive")
    async def alive() -> dict[str, str]:
        return {"status": "alive"}

    @app.get("/readyz", tags=["server"], summary="Ready: database, disk, readers")
    def ready() -> Response:
        checks = {"database": True, "disk": True, "readers": services.runner.is_alive}
        try:
            services.store.check()
        except Exception:  # noqa: BLE001 - whatever a database raises, it is not ready
            _log.exception("the database does not answer")
            checks["database"] = False
        with suppress(OSError):
            free = shutil.disk_usage(services.store.blobs.folder).free
            checks["disk"] = free > services.settings.disk_free_mb * 1e6
        good = all(checks.values())
        body = {"status": "ready" if good else "not ready", "checks": checks}
        return JSONResponse(body, 200 if good else 503)


async def _keep_house(store: Store, settings: Settings) -> None:
    """Now and then remove what was deleted long ago, and uploads that never ended."""
    while True:
        with suppress(Exception):
            await in_thread(_tidy, store, settings)
        await asyncio.sleep(_HOUSEKEEPING_S)


def _tidy(store: Store, settings: Settings) -> None:
    store.blobs.sweep()
    now = time.time()
    with store.write() as connection:
        old = connection.scalars(
            select(scans.c.id).where(scans.c.deleted < now - settings.trash_days * 86400)
        ).all()
        for table, column in (
            (edits, edits.c.scan),
            (shares, shares.c.scan),
            (jobs, jobs.c.scan),
            (scans, scans.c.id),
        ):
            connection.execute(delete(table).where(column.in_(old)))
        connection.execute(  # the page's picture of it stays, and is drawn on from then on
            update(scans)
            .where(
                scans.c.created < now - settings.original_days * 86400,
                scans.c.view.is_not(None),
            )
            .values(photo=scans.c.view)
        )
        used: set[str | None] = set()
        for row in connection.execute(select(scans.c.photo, scans.c.view, scans.c.joint)):
            used |= set(row)
    for path in store.blobs.folder.glob("[0-9a-f][0-9a-f]/*"):
        is_old = now - path.stat().st_mtime > 3600  # a photo just in may not have its row yet
        if path.name not in used and is_old:
            path.unlink(missing_ok=True)
    for path in store.blobs.folder.glob("drawn/*"):
        if now - path.stat().st_mtime > 7 * 86400:
            path.unlink(missing_ok=True)
