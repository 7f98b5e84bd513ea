"""Links to other tables of a battle: what is one, and how the server behind it is asked.

A link over https names the certificate that the other server made for itself: nobody else vouches
for it, so the link does. A certificate that no link names must be vouched for as any other.
"""

import hashlib
import hmac
import http.client
import ipaddress
import json
import re
import socket
import ssl
import urllib.error
import urllib.request
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from vision.apps.server.problems import Problem

__all__ = ["ask_by_link", "check_link", "link_to"]

_PATIENCE_S = 3.0  # with an answer
_MOST_BYTES = 1_000_000  # of an answer
_LINK = re.compile(r"/api/v1/battles/[0-9a-f]{20}/[0-9a-f]{32}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_OTHER_CERTIFICATE = (
    "its certificate is not the one that its link names, nor trusted here; copy the link from that "
    "table's page again"
)


def link_to(place: str, certificate: str) -> str:
    """Return the link by an address of this server.

    ``certificate`` is the SHA-256 of the one that is shown there, as browsers show it, if it is
    the server's own; empty if there is none or others vouch for it.
    """
    mark = certificate.replace(":", "").lower()
    return f"{place}#{mark}" if mark and place.startswith("https:") else place


def check_link(link: str) -> str:
    """Return the link to another table, if it leads to one in this network.

    Raises
    ------
    Problem
        422 if it does not.
    """
    parts = urlsplit(link.strip())
    is_link = parts.scheme in ("http", "https") and _LINK.fullmatch(parts.path)
    is_whole = not parts.fragment or _SHA256.fullmatch(parts.fragment)
    if not (is_link and is_whole and parts.hostname):
        detail = "this is no link to another table; copy it from that table's page"
        raise Problem(422, "battle_link", detail)
    _check_near(parts.hostname, parts.port)
    return link_to(f"{parts.scheme}://{parts.netloc}{parts.path}", parts.fragment)


def _check_near(host: str, port: int | None) -> None:
    """Refuse what lies beyond the own network: no page makes this server ask there."""
    try:
        found = socket.getaddrinfo(host, port or 80, type=socket.SOCK_STREAM)
    except OSError as error:
        detail = f"no machine called {host} is found in this network"
        raise Problem(422, "battle_link", detail) from error
    places = [ipaddress.ip_address(place[4][0]) for place in found]
    if not all(place.is_private or place.is_loopback for place in places):
        raise Problem(422, "battle_link", "the other table must be in the same network")


def ask_by_link(link: str, content: bytes) -> bytes:
    """Ask another server of this network.

    Over https nothing is sent before its certificate is the one that the link names; if the link
    names none, before an authority that this machine trusts vouches for it.

    Raises
    ------
    Problem
        If it refuses, or its certificate is another.
    OSError
        If it is not reached.
    """
    parts = urlsplit(link)
    _check_near(parts.hostname or "", parts.port)  # each time: a name may lead elsewhere by now
    secure = _Named(parts.fragment) if parts.fragment else urllib.request.HTTPSHandler()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), secure, _Straight())
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(link, content, headers, method="POST")
    try:
        with opener.open(request, timeout=_PATIENCE_S) as reply:
            return bytes(reply.read(_MOST_BYTES))
    except urllib.error.HTTPError as error:
        raise _problem_of(error) from error
    except urllib.error.URLError as error:
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise Problem(409, "battle_certificate", _OTHER_CERTIFICATE) from error
        raise


class _Named(urllib.request.HTTPSHandler):
    """Speaks to a server whose certificate has a known SHA-256, and to no other."""

    def __init__(self, sha256: str) -> None:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # by its SHA-256 instead
        super().__init__(context=context)
        self.sha256, self.context = sha256, context

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_NamedConnection, self.sha256), request, context=self.context)


class _NamedConnection(http.client.HTTPSConnection):
    def __init__(self, sha256: str, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self.sha256 = sha256

    def connect(self) -> None:
        super().connect()
        shown = self.sock.getpeercert(binary_form=True)
        if not hmac.compare_digest(hashlib.sha256(shown or b"").hexdigest(), self.sha256):
            self.close()
            msg = "the certificate is not the one that the link names"
            raise ssl.SSLCertVerificationError(msg)


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no reply that leads elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _problem_of(error: urllib.error.HTTPError) -> Problem | OSError:
    """Return why another server refused; one that is just starting is not there yet."""
    if error.code >= 500:
        return OSError(f"status {error.code}")
    try:
        told = json.loads(error.read(10_000))
        code, detail = str(told["code"])[:60], str(told["detail"])[:300]
    except (ValueError, LookupError, TypeError):
        return OSError(f"status {error.code}")
    code = {"not_found": "battle_over"}.get(code, code)
    return Problem(error.code if 400 <= error.code < 500 else 409, code, detail)
