"""``sightline serve``: the server process, and what it prints."""

import ipaddress
import logging
import os
import socket
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI

from vision.apps.logs import LOG_VARIABLE, set_up_logs
from vision.apps.server.app import create_app
from vision.apps.server.certificate import CertificateFiles, own_certificate
from vision.apps.server.patience import impatient
from vision.apps.server.services import Services
from vision.apps.server.settings import Settings, settings_from
from vision.apps.server.storage import open_storage
from vision.showing.qr_code import to_terminal

if TYPE_CHECKING:
    from vision.apps.cli.forms import ServeOrder

__all__ = ["lan_addresses", "serve"]

_log = logging.getLogger(__name__)
#: Said with a certificate of our own; browsers show its fingerprint as SHA-256.
_TRUST = (
    "the certificate was made on this computer, so each browser asks once:\n  choose Advanced "
    "(Details), then go on to the page; its SHA-256 fingerprint is\n  {fingerprint}\n"
)


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


def _url(host: str, port: int, token: str, scheme: str = "http") -> str:
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}:{port}/" + (f"?token={quote(token)}" if token else "")


def _settings(order: "ServeOrder", *, is_open: bool) -> Settings:
    given: dict[str, Any] = {"folder": order.data, "public_url": order.public_url or None}
    if order.camera is not None:
        given |= {"camera": order.camera, "camera_rules": tuple(order.rule or ())}
    settings = settings_from(os.environ, **given)
    if is_open and not settings.token:
        records = open_storage(settings.folder, settings.database_url).records
        kept = records.secret("token")  # the same from start to start: phones stay signed in
        records.close()
        settings = replace(settings, token=kept)
    if settings.camera:
        from vision.watch.sources import kind_of_source

        kind_of_source(settings.camera)  # what is not there is said at once
    return settings


def serve(order: "ServeOrder") -> None:
    """Serve until interrupted.

    Raises
    ------
    SourceError
        If the camera is a file that is not there.
    ValueError
        If https is asked for and nothing here can make a certificate.
    """
    host = order.host or ("0.0.0.0" if order.lan else "127.0.0.1")
    is_open = not _is_loopback(host)
    settings = _settings(order, is_open=is_open)
    sock = _listen(host, order.port)
    port = sock.getsockname()[1]
    own = None
    if order.https:
        names = [socket.gethostname(), *lan_addresses(), *([host] if order.host else [])]
        own = own_certificate(settings.folder / "https", names)
    scheme = "http" if own is None else "https"
    outside = _outside((host, port), settings, scheme) if is_open else []
    here = _url("127.0.0.1" if is_open else host, port, "", scheme)
    set_up_logs({LOG_VARIABLE: settings.log})
    if settings.log == "json":  # no word that is no event; addresses with the token in no log
        _log.info("serving", extra={"address": here})
    else:
        _announce(here, outside, show_qr=order.qr)
    if own is not None and settings.log == "text":
        sys.stderr.write(_TRUST.format(fingerprint=own.fingerprint))
        sys.stderr.flush()
    is_shown = own is not None and not settings.public_url  # there another server's is shown
    shown = own.fingerprint if own is not None and is_shown else ""
    app = create_app(settings=settings, addresses=tuple(outside), certificate=shown)
    _Server(_config(app, settings, own), app.state.services).run(sockets=[sock])


def _outside(at: tuple[str, int], settings: Settings, scheme: str) -> list[str]:
    """Return the addresses at which other machines reach the page, with the key in them."""
    host, port = at
    names = [host] if host not in ("0.0.0.0", "::") else lan_addresses()
    found = [
        _url(name, port, settings.token, scheme)
        for name in names
        if host != "0.0.0.0" or ":" not in name
    ]
    if settings.public_url:
        address = settings.public_url.rstrip("/") + f"/?token={quote(settings.token)}"
        found.insert(0, address)
    return found


def _config(app: FastAPI, settings: Settings, own: CertificateFiles | None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        ssl_certfile=None if own is None else str(own.certificate),
        ssl_keyfile=None if own is None else str(own.key),
        http=impatient(settings.header_seconds, settings.send_seconds),
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


class _Server(uvicorn.Server):
    """Tells who follows anything that it ends, before it waits for their connections."""

    def __init__(self, config: uvicorn.Config, house: Services) -> None:
        super().__init__(config)
        self.house = house

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.house.hush()
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
        tell("only this computer can open it; for phones, start it with --lan\n")
        sys.stderr.flush()
        return
    for k, address in enumerate(outside):
        words = "  or, on another network: " if k else "Sightline for phones:     "
        tell(f"{words} {address}\n")
    if show_qr:
        tell(to_terminal(outside[0]))
    tell(
        "scan the code with a phone on the same network; the address contains the key to the page\n"
    )
    tell("no page? the phone may be on a guest network, or a firewall may block the port\n")
    sys.stderr.flush()
