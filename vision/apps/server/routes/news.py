"""That something has changed, told as it happens: what every open page follows."""

import re
from collections.abc import AsyncIterator, Callable

import anyio.to_thread
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vision.apps.server.problems import Problem
from vision.apps.server.reading.bell import Bell
from vision.apps.server.routes.parts import (
    EVENTS,
    House,
    Router,
    ShareToken,
    events_reply,
)
from vision.apps.server.services import Services

__all__ = ["RingChanges", "router"]

router = Router("/api/v1", "news", refuses=(401, 404, 422))
#: Between two signs of life. A page that hears none for 1.5 s says how old it is (`news.js`).
_BEAT_S = 0.7
_UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
# What changes nothing that another page shows: pictures of a live table, questions, orders in
# secret (their own stream tells of them what may be known; that they are taken shows everywhere).
_SILENT = re.compile(r"/api/v1/(live/[^/]+/frames|seats/.*|.*/(choices|read|sheet)|tables/resolve)")


class RingChanges:
    """Rings a bell after each request that changed something."""

    def __init__(self, app: ASGIApp, bell: Bell) -> None:
        self.app, self.bell = app, bell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; ring when its reply begins: what it changed is kept by then."""
        if (
            scope["type"] != "http"
            or scope["method"] not in _UNSAFE
            or _SILENT.fullmatch(scope["path"])
        ):
            await self.app(scope, receive, send)
            return

        async def send_and_ring(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                self.bell.ring()
            await send(message)

        await self.app(scope, receive, send_and_ring)


@router.get("/events", "That something has changed, as server-sent events", EVENTS)
async def all_events(house: House) -> Response:
    """Tell ``state`` at once and whenever rounds, evenings or what they hang on may have changed.

    ``beat`` comes in between, at least once a second: who hears nothing has no connection.
    """
    return events_reply(_events(house))


@router.get(
    "/shared/{token}/events", "That the round of a link has changed, as server-sent events", EVENTS
)
async def shared_events(house: House, token: ShareToken) -> Response:
    """Tell ``state`` at once and whenever the round is another; ``gone`` when the link ends."""

    def mark() -> str:
        return house.rounds.played.mark(house.rounds.shared(token))

    await anyio.to_thread.run_sync(mark)
    return events_reply(_events(house, mark))


async def _events(house: Services, mark: Callable[[], str] | None = None) -> AsyncIterator[str]:
    """Yield ``state`` after each ring, with ``mark`` only where that is another."""
    bell, last = house.changes, None
    yield "retry: 1000\n\n"
    while not house.closing.is_set():
        sounded = bell.sounded
        try:
            now = str(sounded) if mark is None else await anyio.to_thread.run_sync(mark)
        except Problem:
            yield "event: gone\ndata: {}\n\n"
            return
        yield "event: state\ndata: {}\n\n" if now != last else "event: beat\ndata: {}\n\n"
        last = now
        if bell.sounded == sounded:
            await bell.wait(_BEAT_S)
