"""``sightline serve``: the server process, what it prints, and its care about slow clients."""

import asyncio
import ipaddress
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from vision.apps.server.app import create_app
from vision.apps.server.live.game import LiveGames
from vision.apps.server.settings import Settings, settings_from
from vision.apps.server.storage.store import Store

__all__ = ["lan_addresses", "serve"]


def lan_addresses() -> list[str]:
    """Return the addresses of this machine that others can reach, the likeliest first."""
    found: list[str] = []
    for family, probe in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as sock:
                sock.connect((probe, 9))  # nothing is sent; the system says which way it would go
                found.append(sock.getsockname()[0])
        except OSError:
            continue
    try:
        infos = socket.getaddrinfo(socket.gethostname(), None)
        found += [str(info[4][0]) for info in infos]
    except OSError:
        pass
    usable = []
    for address in dict.fromkeys(found):
        ip = ipaddress.ip_address(address.partition("%")[0])
        if not (ip.is_loopback or ip.is_link_local or ip.is_unspecified):
            usable.append(address)
    return usable


def _protocol(header_seconds: float, send_seconds: float) -> type[H11Protocol]:
    """Return uvicorn's protocol with limits on the time that a head, and taking a reply, may take.

    Parameters
    ----------
    header_seconds : float
        From the first byte (or the connection) to the end of a request's head.
    send_seconds : float
        How long a reply may wait in our buffers without the client taking any of it.
    """

    class Impatient(H11Protocol):
        """Closes a connection whose head does not come in time, or that takes no reply."""

        _clock: asyncio.TimerHandle | None = None
        _patience: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._start()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE:  # a head has begun and is not whole
                self._start()
            else:
                self._stop()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            self._calm()
            super().connection_lost(exc)

        def pause_writing(self) -> None:  # our buffer is full: the client takes nothing
            super().pause_writing()
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(send_seconds, self.transport.abort)

        def resume_writing(self) -> None:
            self._calm()
            super().resume_writing()

        def _calm(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

        def _start(self) -> None:
            if self._clock is None:
                loop = asyncio.get_running_loop()
                self._clock = loop.call_later(header_seconds, self._give_up)

        def _stop(self) -> None:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None

        def _give_up(self) -> None:
            self._clock = None
            if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
                self.transport.abort()

    return Impatient


def _url(host: str, port: int, token: str) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={quote(token)}" if token else "")


def _settings(*, lan: bool, data: Path | None, public_url: str, token: str | None) -> Settings:
    settings = settings_from(os.environ, folder=data, public_url=public_url or None, token=token)
    if lan and not settings.token:
        store = Store(settings.folder, settings.database_url)
        kept = store.secret("token")  # the same from start to start: phones stay signed in
        store.close()
        settings = settings_from(os.environ, folder=data, public_url=public_url or None, token=kept)
    return settings


def serve(
    *,
    host: str | None,
    port: int,
    lan: bool,
    data: Path | None = None,
    public_url: str = "",
    show_qr: bool = True,
    camera: str | None = None,
    camera_rules: tuple[str, ...] = (),
) -> None:
    """Serve until interrupted.

    Raises
    ------
    SourceError
        If the camera is a file that is not there.
    """
    given = host or ("0.0.0.0" if lan else "127.0.0.1")
    is_open = not _is_loopback(given)
    settings = _settings(lan=is_open, data=data, public_url=public_url, token=None)
    if camera is not None:
        settings = replace(settings, camera=camera, camera_rules=camera_rules)
    if settings.camera:
        from vision.watch.sources import kind_of_source

        kind_of_source(settings.camera)  # what is not there is said at once
    sock = _listen(given, port)
    port = sock.getsockname()[1]
    outside: list[str] = []
    if is_open:
        names = [given] if given not in ("0.0.0.0", "::") else lan_addresses()
        names = [name for name in names if given != "0.0.0.0" or ":" not in name]
        outside = [_url(name, port, settings.token) for name in names]
        if settings.public_url:
            address = settings.public_url.rstrip("/") + f"/?token={quote(settings.token)}"
            outside.insert(0, address)
    _announce(_url("127.0.0.1" if is_open else given, port, ""), outside, show_qr=show_qr)
    app = create_app(settings=settings, addresses=tuple(outside))
    config = uvicorn.Config(
        app,
        http=_protocol(settings.header_seconds, settings.send_seconds),
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=False,
        timeout_keep_alive=settings.keep_alive_seconds,
        timeout_graceful_shutdown=settings.shutdown_seconds,
        limit_concurrency=settings.connections,
        h11_max_incomplete_event_size=32_768,
    )
    _Server(config, app.state.live).run(sockets=[sock])


class _Server(uvicorn.Server):
    """Tells who follows a live game that it ends, before it waits for their connections."""

    def __init__(self, config: uvicorn.Config, live: LiveGames) -> None:
        super().__init__(config)
        self.live = live

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.live.hush()
        await super().shutdown(sockets)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(512)
    except OSError as error:
        sock.close()
        reason = f"port {port} at {host} cannot be used ({error.strerror}); try --port 0"
        raise OSError(error.errno, reason) from error
    sock.set_inheritable(False)
    return sock


def _announce(here: str, outside: list[str], *, show_qr: bool) -> None:
    """Say where the page is; talk goes to standard error."""
    tell = sys.stderr.write
    tell(f"Sightline on this machine:  {here}\n")
    if not outside:
        tell("only this machine reaches it; for phones start it with --lan\n")
        sys.stderr.flush()
        return
    for k, address in enumerate(outside):
        words = "  or, on another network: " if k else "Sightline for phones:     "
        tell(f"{words} {address}\n")
    if show_qr:
        import segno

        segno.make(outside[0], error="m").terminal(out=sys.stderr, compact=True)
    tell("scan the code with a phone on the same network; the address holds the key to the page\n")
    tell("no page? the phone may be on a guest network, or a firewall closes the port\n")
    sys.stderr.flush()
