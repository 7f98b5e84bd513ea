"""The server's own certificate: covers its names, is kept, is made anew in time; https answers."""

import datetime
import hashlib
import re
import ssl
import stat
import urllib.request

import pytest

from tests.apps.web_help import Server
from tests.patience import PATIENCE_S
from vision.apps.server.certificate import own_certificate

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
