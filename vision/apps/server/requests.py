"""Every request gets an id: in its reply, in its errors, in whatever is logged about it."""

import logging
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vision.apps.logs import about_request, request_named

__all__ = ["REQUEST_HEADER", "NameRequests"]

#: As proxies call it: theirs is kept, so that one id goes through all of them.
REQUEST_HEADER = "X-Request-ID"
_log = logging.getLogger(__name__)


class NameRequests:
    """Names each request, and logs it once it is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on under its name."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begin, status = time.monotonic(), 0
        name = request_named(Headers(scope=scope).get(REQUEST_HEADER))

        async def send_named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).append(REQUEST_HEADER, name)
            await send(message)

        with about_request(name):
            try:
                await self.app(scope, receive, send_named)
            finally:
                # The route, not the path: a path may hold the token of a link.
                route = getattr(scope.get("route"), "path", "")
                told = {"method": scope["method"], "route": route, "status": status}
                ms = round(1000 * (time.monotonic() - begin), 1)
                _log.info("answered", extra={**told, "ms": ms})
