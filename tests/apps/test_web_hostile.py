"""Files meant to harm: each is answered rightly, quickly and in little memory."""

import io
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from tests.apps.web_help import client_of, picture, until_settled
from vision.apps.reading import read

MEMORY_MB = 512


@dataclass(frozen=True)
class Case:
    name: str
    build: Callable[[], bytes]  # large ones take seconds: built where they are sent
    codes: tuple[str, ...]


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _png(width: int, height: int, rows: bytes, *extra: bytes, colour: int = 2) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    body = b"".join((_chunk(b"IHDR", head), *extra, _chunk(b"IDAT", rows), _chunk(b"IEND", b"")))
    return b"\x89PNG\r\n\x1a\n" + body


def _zeros(length: int) -> bytes:
    packer = zlib.compressobj(9)
    out = [packer.compress(b"\0" * 1_000_000) for _ in range(length // 1_000_000)]
    return b"".join([*out, packer.flush()])


def _jpeg_of(width: int, height: int) -> bytes:
    """Return a small JPEG whose header claims another size."""
    content = bytearray(picture())
    at = content.index(b"\xff\xc0")
    content[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(content)


def _png_with_text() -> bytes:
    text = PngImagePlugin.PngInfo()
    text.add_text("bomb", "A" * 60_000_000, zip=True)
    return _saved([Image.new("RGB", (640, 480))], "PNG", pnginfo=text)


def _png_with_profile() -> bytes:
    profile = zlib.compress(b"\0" * 100_000_000, 9)
    return _png(640, 480, _zeros(1_000_000), _chunk(b"iCCP", b"x\0\0" + profile))


def _saved(frames: list[Image.Image], kind: str, **options: object) -> bytes:
    """Return a file of a picture, or of several."""
    out = io.BytesIO()
    more = {"save_all": True, "append_images": frames[1:]} if len(frames) > 1 else {}
    frames[0].save(out, kind, **more, **options)
    return out.getvalue()


def _cases() -> list[Case]:
    jpeg, png, webp = picture(), picture(kind="PNG"), picture(kind="WEBP")
    decode, size = ("image_decode",), ("image_size",)
    either = ("image_decode", "image_size", "table_not_found")
    cases: list[Case] = []

    def add(name: str, content: bytes, codes: tuple[str, ...]) -> None:
        cases.append(Case(name, lambda: content, codes))

    def add_large(name: str, build: Callable[[], bytes], codes: tuple[str, ...]) -> None:
        cases.append(Case(name, build, codes))

    # bombs
    for side in (9_000, 20_000, 32_000, 65_000):
        zeros = partial(_png, side, side)
        add_large(f"png-claims-{side}", lambda zeros=zeros: zeros(_zeros(2_000_000)), size + decode)
    add_large("png-of-zeros", lambda: _png(20_000, 20_000, _zeros(400_000_000)), size)
    add("png-claims-2^31", _png(2**31 - 1, 2**31 - 1, b""), size + decode)
    add("png-claims-0", _png(0, 0, b""), decode + size)
    add("png-one-row", _png(60_000_000, 1, _zeros(1_000_000)), size + decode)
    for width, height in ((65_500, 65_500), (65_535, 1), (1, 65_535), (20_000, 4_000)):
        add(f"jpeg-claims-{width}x{height}", _jpeg_of(width, height), either)
    add_large("png-ztxt-60MB", _png_with_text, either)
    add_large("png-icc-100MB", _png_with_profile, either)
    frames = [Image.new("RGB", (320, 320), (k % 255, 0, 0)) for k in range(150)]
    webp_of = {"quality": 1, "method": 0}
    add_large("webp-150-frames", lambda: _saved(frames, "WEBP", **webp_of), either)
    add_large("apng-150-frames", lambda: _saved(frames, "PNG"), either)
    large = {"progressive": True, "quality": 30}
    add_large(
        "jpeg-63MP-progressive",
        lambda: _saved([Image.new("RGB", (7_900, 8_000))], "JPEG", **large),
        size,
    )
    add_large(
        "jpeg-81MP", lambda: _saved([Image.new("L", (9_000, 9_000))], "JPEG", quality=5), size
    )
    add("jpeg-tiny", picture(size=(16, 12)), size)
    add("png-1x1", picture(size=(1, 1), kind="PNG"), size)
    # cut off
    for name, whole in (("jpeg", jpeg), ("png", png), ("webp", webp)):
        for share in (0.001, 0.05, 0.3, 0.6, 0.9, 0.99):
            add(f"{name}-cut-{share}", whole[: max(1, int(len(whole) * share))], either)
    add("empty", b"", (*decode, "request_invalid"))
    # damaged
    rng = np.random.default_rng(3)
    for name, whole in (("jpeg", jpeg), ("png", png), ("webp", webp)):
        for k in range(4):
            noisy = bytearray(whole)
            for at in rng.integers(20, len(noisy), 40):
                noisy[at] = int(rng.integers(256))
            add(f"{name}-noise-{k}", bytes(noisy), either)
    # something else under the name of a photo
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"\0" * 50_000_000)
    for name, content in (
        ("gif", _saved(frames[:1], "GIF")),
        ("tiff", _saved(frames[:1], "TIFF")),
        ("bmp", _saved(frames[:1], "BMP")),
        ("zip-bomb", packed.getvalue()),
        ("eps", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(x) run\n"),
        (
            "svg",
            b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
        ),
        ("html", b"<!doctype html><script>alert(1)</script>"),
        ("pdf", b"%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction 2 0 R>>endobj"),
        ("mp4", b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41" + b"\0" * 4000),
        ("heic", b"\0\0\0\x20ftypheic\0\0\0\0mif1heic" + b"\0" * 4000),
        ("elf", b"\x7fELF\2\1\1" + b"\0" * 2000),
        ("text", b"hello, this is no photo\n" * 100),
        ("billion-laughs", b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><x>&b;</x>'),
        ("json", b"[" * 50_000),
        ("mpo-header", b"\xff\xd8\xff\xe2\x00\x10MPF\0" + b"\0" * 100),
        ("zeros", b"\0" * 100_000),
        ("noise", rng.bytes(200_000)),
    ):
        add("is-" + name, content, decode)
    # two files in one: read as what its head says, the rest is never looked at
    for name, tail in (
        ("zip", packed.getvalue()),
        ("html", b"<script>alert(1)</script>"),
        ("php", b"<?php system('id'); ?>"),
        ("pdf", b"%PDF-1.7 trailer"),
        ("jpeg", jpeg),
    ):
        add(f"jpeg-then-{name}", jpeg + tail, either)
        add(f"png-then-{name}", png + tail, either)
    add("html-then-jpeg", b"<html>" + jpeg, decode)
    add("gif-then-jpeg", b"GIF89a" + jpeg, decode)
    return cases


CASES = _cases()
NAMES = (
    "../../../etc/passwd",
    "..\\..\\windows\\win.ini",
    "a\x00.jpg",
    "CON",
    "x" * 300 + ".jpg",
    "\u202egpj.exe",
    "e\u0301te\u0301.jpg",
    "été.jpg",
    "-rf",
    "<img src=x onerror=alert(1)>.jpg",
    "'; DROP TABLE scans; --.jpg",
    "%2e%2e%2fx.jpg",
    "photo.jpg\r\nX-Evil: 1",
    "/dev/zero",
    "",
    " ",
    ".",
    "$(id).jpg",
)


@pytest.fixture(scope="module")
def others():
    """The children of this process that were there before the server: those of other tests."""
    return set(_children())


@pytest.fixture(scope="module")
def client(tmp_path_factory, others):
    folder = tmp_path_factory.mktemp("hostile")
    with client_of(folder, read, workers=1, body_mb=40.0) as client:
        client.post(  # the reader draws its faces once
            "/api/v1/scans", params={"wait": 60}, content=picture(),
            headers={"Content-Type": "image/jpeg"},
        )  # fmt: skip
        yield client


def test_there_are_enough_of_them():
    assert len(CASES) + len(NAMES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


def _children() -> dict[int, float]:
    """Return the most memory, MB, that each child of this process held, by its number."""
    held = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            stat = (place / "stat").read_text(encoding="ascii", errors="replace")
            if int(stat.rpartition(")")[2].split()[1]) == os.getpid():
                status = (place / "status").read_text(encoding="ascii", errors="replace")
                found = re.search(r"VmHWM:\s+(\d+) kB", status)
                held[int(place.name)] = int(found[1]) / 1000 if found else 0.0
        except (OSError, ValueError, IndexError):
            continue
    return held


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_hostile_files(client, case):
    files = {"photo": ("photo.jpg", case.build(), "image/jpeg")}
    reply = client.post("/api/v1/scans", params={"wait": 30}, files=files)
    if reply.status_code in (200, 202):  # of what hangs the patience ends
        body = until_settled(client, reply.json()["id"])
        assert body["state"] == "failed", "noise was read as a table"
        code, detail = body["error"]["code"], body["error"]["detail"]
        assert body["attempts"] == 1, "a reader came down"
    else:
        assert reply.status_code in (413, 415, 422), reply.text
        code, detail = reply.json()["code"], reply.json()["detail"]
    assert code in case.codes, (code, detail)
    assert detail


@pytest.mark.parametrize("name", NAMES, ids=[f"name-{k}" for k in range(len(NAMES))])
def test_hostile_names(client, name):
    files = {"photo": (name or None, picture(size=(300, 260)), "image/jpeg")}
    reply = client.post("/api/v1/scans", params={"name": name[:200]}, files=files)
    assert reply.status_code in (202, 422), reply.text
    if reply.status_code == 202:
        body = reply.json()
        assert body["name"].isprintable()
        assert "\u202e" not in body["name"]
        client.delete(f"/api/v1/scans/{body['id']}")


def test_memory_stayed_small(client, others):
    held = [held_mb for child, held_mb in _children().items() if child not in others]
    assert held
    assert max(held) <= MEMORY_MB


def test_nothing_of_what_was_refused_is_kept(client):
    folder = client.app.state.services.settings.folder / "files"
    assert not [path for path in (folder / "tmp").iterdir() if path.suffix != ".stage"]
