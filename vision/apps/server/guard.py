"""Who may ask, and how much: names, token, origin, rate, size and speed of what is sent.

Plain ASGI, in front of everything else, so that what is refused never reaches a parser.
"""

import asyncio
import hmac
import ipaddress
import re
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response

from vision.apps.server.problems import Problem
from vision.apps.server.settings import Settings

__all__ = ["COOKIE", "Guard", "TokenBucket"]

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "sightline"
#: Over https the cookie has a name of its own: browsers let no plain page replace a secure one.
SECURE_COOKIE = "sightline-https"
_OPEN = (
    *("/healthz", "/static/", "/manifest.webmanifest", "/favicon.ico"),
    *("/s/", "/api/v1/shared/"),  # a link to a round
    *("/d/", "/api/v1/shared-decks/"),  # a link to a deck
    *("/j/", "/api/v1/seats/"),  # a player's own address
    "/api/v1/battles/",  # another table's link, with its key
)
_FRAMES = re.compile(r"/api/v1/live/[^/]+/frames")
_PHOTOS = re.compile(r"/api/v1/scans(/[^/]+/photos)?")
_MAKE_ROUNDS = re.compile(r"/api/v1/(tables|decks|drafts/[^/]+/photos|scans(/[^/]+/photos)?)")
_CARDS = re.compile(r"/api/v1/drafts/[^/]+/photos")
_FORM_BYTES = 65_536  # of the form around photos
_SAFE = {"GET", "HEAD", "OPTIONS"}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(self), geolocation=(), microphone=()",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class TokenBucket:
    """So many uploads a minute for each address, some of them at once."""

    def __init__(self, per_minute: float, burst: int) -> None:
        self.per_second, self.burst = per_minute / 60.0, float(burst)
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, address: str, now: float | None = None) -> float:
        """Take one; return 0, or the seconds until there is one."""
        now = time.monotonic() if now is None else now
        if len(self._left) > 10_000:
            self._left = {k: v for k, v in self._left.items() if now - v[1] < 3600}
        left, since = self._left.get(address, (self.burst, now))
        left = min(self.burst, left + (now - since) * self.per_second)
        if left < 1:
            self._left[address] = (left, now)
            return (1 - left) / max(self.per_second, 1e-9)
        self._left[address] = (left - 1, now)
        return 0.0


class Guard:
    """The first thing a request meets."""

    def __init__(self, app: App, settings: Settings, token: str) -> None:
        self.app, self.settings, self.token = app, settings, token
        self.uploads = TokenBucket(settings.uploads_per_minute, settings.upload_burst)
        self.streams: Counter[str] = Counter()  # open now, by address
        self.names = _own_names(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return

        # A browser complains about this one on a plain connection, where it ignores it.
        is_trusted = scope.get("scheme") == "https" or _has_local_name(Headers(scope=scope))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if is_trusted:
                    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refuse(scope) or self._begin_stream(scope)
        if refusal is not None:
            await refusal(scope, receive, send_with_headers)
            return
        try:
            await self.app(scope, self._bounded(scope, receive), send_with_headers)
        finally:
            self._end_stream(scope)

    def _begin_stream(self, scope: Scope) -> Response | None:
        """Count a stream of events for its guest; refuse it if he has many already."""
        if not _is_stream(scope):
            return None
        address, most = _address(scope), self.settings.streams_per_guest
        if self.streams[address] >= most:
            detail = f"at most {most} event streams may be open for one guest; close some"
            return Problem(429, "too_many", detail, headers={"Retry-After": "5"}).reply()
        self.streams[address] += 1
        return None

    def _end_stream(self, scope: Scope) -> None:
        if not _is_stream(scope):
            return
        self.streams[_address(scope)] -= 1
        self.streams += Counter()  # whose count is nought is forgotten

    # --- may it come in ----------------------------------------------------------------------

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own_name(host):
            return Problem(
                421,
                "wrong_host",
                "this server does not answer to that name; use its address, or add the name to "
                "SIGHTLINE_ALLOWED_HOSTS",
            ).reply()
        unsafe = scope["method"] not in _SAFE
        origin = headers.get("origin")
        if unsafe and origin is not None and urlsplit(origin).netloc != host:
            return Problem(403, "wrong_origin", "changes are accepted from this page only").reply()
        refusal = self._ask_token(scope, headers)
        if refusal is not None:
            return refusal
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length[:15]) > self._limit(scope):
            return self._too_much(scope).reply()
        if scope["method"] == "POST" and _MAKE_ROUNDS.fullmatch(scope["path"]):
            wait = self.uploads.take(_address(scope))
            if wait:
                return Problem(
                    429,
                    "rate_limited",
                    f"at most {self.settings.uploads_per_minute:g} photos a minute from one place; "
                    f"try again in {wait:.0f} s",
                    headers={"Retry-After": str(int(wait) + 1)},
                ).reply()
        return None

    def _is_own_name(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.rstrip(".") in self.names
        return True  # another site cannot make its own name lead here by an address

    def _ask_token(self, scope: Scope, headers: Headers) -> Response | None:
        path = scope["path"]
        if not self.token or path == "/healthz" or path.startswith(_OPEN):
            return None
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        if "token" in query and scope["method"] == "GET":
            if self._is_token(query["token"][0]):
                rest = [(k, v) for k, values in query.items() if k != "token" for v in values]
                target = path + (f"?{urlencode(rest)}" if rest else "")
                reply = RedirectResponse("/" + target.lstrip("/\\"), 303)
                is_secure = scope.get("scheme") == "https"
                reply.set_cookie(
                    SECURE_COOKIE if is_secure else COOKIE,
                    self.token,
                    max_age=180 * 86400,
                    httponly=True,
                    samesite="lax",
                    secure=is_secure,
                )
                return reply
            return self._closed(path)
        if _is_this_machine(scope, headers):
            return None
        bearer = headers.get("authorization", "").removeprefix("Bearer ").strip()
        if any(self._is_token(given) for given in (bearer, *_cookies(headers))):
            return None
        return self._closed(path)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def _closed(self, path: str) -> Response:
        if path.startswith("/api/") or path in ("/readyz",):
            return Problem(
                401,
                "unauthorised",
                "scan the QR code that the server shows, or send its token as a Bearer token",
                headers={"WWW-Authenticate": "Bearer"},
            ).reply()
        return RedirectResponse("/static/closed.html", 303)

    # --- what is sent ------------------------------------------------------------------------

    def _limit(self, scope: Scope) -> int:
        if _PHOTOS.fullmatch(scope["path"]):
            kind = Headers(scope=scope).get("content-type", "")
            is_form = kind.lower().startswith("multipart/form-data")
            settings = self.settings
            return (settings.photos_bytes if is_form else settings.body_bytes) + _FORM_BYTES
        if _CARDS.fullmatch(scope["path"]):
            return self.settings.body_bytes
        if scope["path"] == "/api/v1/decks":
            return int(self.settings.deck_mb * 1_000_000)
        if _FRAMES.fullmatch(scope["path"]):
            return self.settings.live_frame_bytes
        return int(self.settings.json_kb * 1000)

    def _too_much(self, scope: Scope) -> Problem:
        limit = f"{self._limit(scope) / 1e6:.3g} MB"
        detail = f"an upload may have at most {limit}; send a smaller photo"
        return Problem(413, "body_too_large", detail, headers={"Connection": "close"})

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """Return a receive that holds a body to its limits of size and speed."""
        limit = self._limit(scope)
        begin = time.monotonic()
        seen = 0
        is_whole = False

        async def bounded() -> Message:
            nonlocal seen, is_whole
            if is_whole:
                return await receive()  # waits for the client to leave; that may take long
            grace = self.settings.body_seconds + seen / self.settings.body_bytes_per_second
            left = begin + grace - time.monotonic()
            try:
                message = await asyncio.wait_for(receive(), max(left, 0.001))
            except TimeoutError as error:
                detail = "the upload stalled; move closer to the access point and send it again"
                headers = {"Connection": "close"}
                raise Problem(408, "body_too_slow", detail, headers=headers) from error
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                is_whole = not message.get("more_body", False)
                if seen > limit:
                    raise self._too_much(scope)
            return message

        return bounded


def _is_stream(scope: Scope) -> bool:
    return bool(scope["path"].startswith("/api/") and scope["path"].endswith("/events"))


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return str(client[0]) if client else "?"


def _cookies(headers: Headers) -> list[str]:
    """Return what the browser keeps as the token, over http and over https."""
    parts = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
    return [value for name, _, value in parts if name in (COOKIE, SECURE_COOKIE)]


def _is_this_machine(scope: Scope, headers: Headers) -> bool:
    """Tell whether a request comes from the machine itself, and not through a proxy on it."""
    if any(name in headers for name in ("forwarded", "x-forwarded-for", "x-real-ip", "via")):
        return False
    try:
        return _has_local_name(headers) and ipaddress.ip_address(_address(scope)).is_loopback
    except ValueError:
        return False


def _has_local_name(headers: Headers) -> bool:
    """Tell whether a machine is asked under its name for itself."""
    try:
        name = urlsplit(f"//{headers.get('host', '')}").hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _own_names(settings: Settings) -> set[str]:
    own = socket.gethostname().lower()
    names = {"localhost", own, f"{own.partition('.')[0]}.local", "testserver"}
    if settings.public_url:
        names.add((urlsplit(settings.public_url).hostname or "").lower())
    return names | {name.lower() for name in settings.allowed_hosts}
