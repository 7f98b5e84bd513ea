"""The server's own certificate: covers its names, is kept, is made anew in time; https answers.

A link to a live table names it, and is followed to it alone.
"""

import datetime
import hashlib
import re
import ssl
import stat
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

from tests.apps.web_help import Server
from tests.patience import PATIENCE_S
from vision.apps.server.certificate import CertificateFiles, own_certificate
from vision.apps.server.live.links import ask_by_link, check_link, link_to
from vision.apps.server.problems import Problem

NOW = datetime.datetime(2030, 5, 1, tzinfo=datetime.UTC)
NAMES = ("table.local", "192.168.1.20", "fd00::20")


def test_it_is_kept_while_it_holds_and_made_anew_then(tmp_path):
    first = own_certificate(tmp_path / "https", NAMES, NOW)
    content = first.certificate.read_bytes()
    assert stat.S_IMODE(first.key.stat().st_mode) == 0o600
    der = ssl.PEM_cert_to_DER_cert(content.decode())
    assert first.fingerprint.replace(":", "").lower() == hashlib.sha256(der).hexdigest()
    later = NOW + datetime.timedelta(days=300)
    assert own_certificate(tmp_path / "https", NAMES[:1], later) == first
    assert first.certificate.read_bytes() == content
    for names, when in (((*NAMES, "10.0.0.7"), NOW), (NAMES, NOW + datetime.timedelta(days=390))):
        assert own_certificate(tmp_path / "https", names, when).fingerprint != first.fingerprint
        first = own_certificate(tmp_path / "https", names, when)


def test_a_damaged_one_is_made_anew(tmp_path):
    made = own_certificate(tmp_path, NAMES, NOW)
    made.certificate.write_text("nonsense")
    assert own_certificate(tmp_path, NAMES, NOW).fingerprint != made.fingerprint


def test_the_page_comes_over_https_by_a_certificate_that_fits(tmp_path):
    server = Server(tmp_path, arguments=("--https",), scheme="https")
    try:
        server.start(PATIENCE_S)
        told = (tmp_path / "server.log").read_text()
        place = tmp_path / "data" / "https" / "certificate.pem"
        trusting = ssl.create_default_context(cafile=str(place))
        with urllib.request.urlopen(server.url, context=trusting, timeout=PATIENCE_S) as reply:
            assert b"Sightline" in reply.read()
        with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
            urllib.request.urlopen(server.url, timeout=PATIENCE_S)
        (shown,) = re.findall(r"(?:[0-9A-F]{2}:){31}[0-9A-F]{2}", told)
        der = ssl.PEM_cert_to_DER_cert(place.read_text())
        assert shown.replace(":", "").lower() == hashlib.sha256(der).hexdigest()
    finally:
        server.stop()


class Table(BaseHTTPRequestHandler):
    heard: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        self.heard.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


def served(made: CertificateFiles) -> HTTPServer:
    """Serve a table that shows a certificate."""
    server = HTTPServer(("127.0.0.1", 0), Table)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # who is refused hangs up
    threading.Thread(target=server.serve_forever).start()
    return server


def test_a_link_to_another_table_is_followed_to_the_certificate_that_it_names_alone(tmp_path):
    """Nothing is told to a server that took the address of the other table."""
    made, other = (own_certificate(tmp_path / name, NAMES) for name in "ab")
    server = served(made)
    try:
        place = f"https://127.0.0.1:{server.server_port}/api/v1/battles/{'0' * 20}/{'0' * 32}"
        link = link_to(place, made.fingerprint)
        assert check_link(f" {link}\n") == link != place
        assert ask_by_link(link, b"[1]") == b"{}"
        assert Table.heard == [b"[1]"]
        for wrong in (link_to(place, other.fingerprint), place):
            with pytest.raises(Problem) as refused:
                ask_by_link(wrong, b"[2]")
            assert refused.value.code == "battle_certificate"
        assert Table.heard == [b"[1]"]
    finally:
        server.shutdown()
        server.server_close()
    plain = place.replace("https", "http")
    assert link_to(plain, made.fingerprint) == plain
