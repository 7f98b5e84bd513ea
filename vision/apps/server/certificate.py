"""A certificate of the server's own, made on this machine: so phones give their camera to the page.

Nobody vouches for it, so a browser asks once; the fingerprint tells whether it is ours.

References
----------
.. [1] RFC 5280, Internet X.509 Public Key Infrastructure Certificate, sections 4.1 and 4.2.
.. [2] CA/Browser Forum, Baseline Requirements, section 6.3.2 (how long browsers take one).
"""

import contextlib
import datetime
import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vision.files.whole import keep_private, private_folder

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import Certificate, GeneralName

__all__ = ["CertificateFiles", "own_certificate"]

_DAYS = 397  # browsers take none that is good for longer
_SPARE = datetime.timedelta(days=14)  # before its end it is made anew
_EARLIER = datetime.timedelta(days=1)  # it holds since: clocks of phones may be behind


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Where certificate and key lie (PEM), and the certificate's SHA-256 as browsers show it."""

    certificate: Path
    key: Path
    fingerprint: str


def own_certificate(
    folder: Path, names: Sequence[str], now: datetime.datetime | None = None
) -> CertificateFiles:
    """Return the certificate of a folder, made anew if it does not cover all names or ends soon.

    Parameters
    ----------
    folder : Path
        Where it is kept; the key can be read by its owner alone.
    names : sequence of str
        Host names and addresses at which the page is reached.
    now : datetime, optional
        The time, UTC.

    Raises
    ------
    ValueError
        If the extra ``https`` is not installed.
    """
    try:
        from cryptography import x509
    except ImportError as error:
        msg = "--https needs the extra https: pip install '.[https]'"
        raise ValueError(msg) from error
    now = now or datetime.datetime.now(datetime.UTC)
    place, key_place = folder / "certificate.pem", folder / "key.pem"
    wanted = [_name(name) for name in dict.fromkeys(["localhost", "127.0.0.1", *names])]
    known = None
    keep_private(key_place)
    if place.is_file() and key_place.is_file():
        with contextlib.suppress(ValueError):
            known = x509.load_pem_x509_certificate(place.read_bytes())
    if known is None or not _holds(known, wanted, now):
        private_folder(folder)
        known = _make(place, key_place, wanted, now)
    return CertificateFiles(place, key_place, _fingerprint(known))


def _name(name: str) -> "GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _holds(known: "Certificate", wanted: "list[GeneralName]", now: datetime.datetime) -> bool:
    from cryptography import x509

    try:
        names = known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    in_time = known.not_valid_before_utc <= now < known.not_valid_after_utc - _SPARE
    return in_time and set(wanted) <= set(names)


def _make(
    place: Path, key_place: Path, names: "list[GeneralName]", now: datetime.datetime
) -> "Certificate":
    """Make key and certificate and write them."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Sightline, this machine")])
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    made = (
        x509.CertificateBuilder()
        .subject_name(own)
        .issuer_name(own)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now - _EARLIER + datetime.timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_key(key_place, key)
    place.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return made


def _write_key(place: Path, key: "EllipticCurvePrivateKey") -> None:
    """Write a key that its owner alone can read, from the first byte on."""
    from cryptography.hazmat.primitives import serialization

    plain = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    place.unlink(missing_ok=True)
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(plain)


def _fingerprint(certificate: "Certificate") -> str:
    from cryptography.hazmat.primitives import hashes

    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()
