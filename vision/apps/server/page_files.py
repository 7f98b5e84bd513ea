"""The files of the page as they are sent: scripts joined, text compressed, each once.

Whoever changes a file needs no build step: what was made of it is made anew when it has changed.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, stat_result
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from vision.apps.server.page_scripts import join_page

__all__ = [
    "MEDIA",
    "STATIC",
    "Packed",
    "PageFiles",
    "index_page",
    "packed_file",
    "packed_json",
    "packed_reply",
]

STATIC = Path(__file__).parent / "page"
_ENTRY = "js/main.js"
_STYLE = "css/app.css"
#: The texts among the files.
MEDIA = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".html": "text/html",
    ".webmanifest": "application/manifest+json",
}
_JOINED = re.compile(r"joined/(\w+)\.[0-9a-f]{12}\.js")
_MARK_SIGNS = 12
_LASTING = "public, max-age=31536000, immutable"  # its address has the mark of its content
_ASKED_AGAIN = "no-cache"


@dataclass(frozen=True, slots=True)
class Packed:
    """A text as it is and compressed (gzip); ``mark`` tells it from all others."""

    plain: bytes
    small: bytes
    mark: str


def _pack(content: bytes) -> Packed:
    return Packed(content, gzip.compress(content, 9, mtime=0), _mark(content))


def _mark(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_MARK_SIGNS]


# --- kept until a file changes -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scripts:
    """The script of the page, and those it asks for when they are wanted, by their names."""

    main: Packed
    late: Mapping[str, Packed]


def _scripts() -> _Scripts:
    files = sorted((STATIC / "js").rglob("*.js"))
    return _scripts_of(tuple((path, path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=2)
def _scripts_of(_: tuple[tuple[Path, int], ...]) -> _Scripts:
    main, late = join_page((STATIC / _ENTRY).resolve(), _address)
    return _Scripts(
        _pack(main.encode()), {name: _pack(text.encode()) for name, text in late.items()}
    )


def _address(name: str, text: str) -> str:
    """Return where a script is asked for: by its name and the mark of its content."""
    return f"/static/joined/{name}.{_mark(text.encode())}.js"


def packed_file(path: Path) -> Packed:
    """Return a file of the page."""
    return _file_of(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _file_of(path: Path, _: int) -> Packed:
    return _pack(path.read_bytes())


def index_page() -> Packed:
    """Return the page itself; it names its script and its style by the marks of their content."""
    return _index_of(
        packed_file(STATIC / "index.html"), _scripts().main.mark, packed_file(STATIC / _STYLE).mark
    )


@lru_cache(maxsize=2)
def _index_of(page: Packed, script: str, style: str) -> Packed:
    text = page.plain.decode()
    text = text.replace(f"/static/{_ENTRY}", f"/static/joined/main.{script}.js")
    return _pack(text.replace(f"/static/{_STYLE}", f"/static/{_STYLE}?of={style}").encode())


# --- sent ----------------------------------------------------------------------------------------


def packed_reply(
    packed: Packed, headers: Headers, media: str, caching: str = _ASKED_AGAIN
) -> Response:
    """Reply with a text, compressed where that is taken; 304 if it is there already."""
    is_small = "gzip" in headers.get("accept-encoding", "")
    tag = f'"{packed.mark}{"-gz" if is_small else ""}"'
    more = {"ETag": tag, "Cache-Control": caching, "Vary": "Accept-Encoding"}
    if tag in headers.get("if-none-match", ""):
        return Response(status_code=304, headers=more)
    if is_small:
        more["Content-Encoding"] = "gzip"
    return Response(packed.small if is_small else packed.plain, media_type=media, headers=more)


class PageFiles(StaticFiles):
    """The files of the page; asked for again each time unless their address has their mark."""

    async def get_response(self, path: str, scope: Any) -> Response:
        """Return a file, or the scripts as they were joined."""
        joined = _JOINED.fullmatch(path)
        if joined:
            scripts = _scripts()
            script = scripts.main if joined[1] == "main" else scripts.late.get(joined[1])
            if script is not None:
                caching = _LASTING if script.mark in path else _ASKED_AGAIN
                return packed_reply(script, Headers(scope=scope), "text/javascript", caching)
        return await super().get_response(path, scope)

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Any,
        status_code: int = 200,
    ) -> Response:
        """Return a file, a text compressed."""
        path = Path(full_path)
        if path.suffix not in MEDIA:
            response = super().file_response(full_path, stat_result, scope, status_code)
            response.headers["Cache-Control"] = _ASKED_AGAIN
            return response
        packed = packed_file(path)
        is_named = f"of={packed.mark}".encode() == scope.get("query_string", b"")
        caching = _LASTING if is_named else _ASKED_AGAIN
        return packed_reply(packed, Headers(scope=scope), MEDIA[path.suffix], caching)


def packed_json(content: Mapping[str, Any]) -> Packed:
    """Return a document that is the same for everybody, compressed."""
    return _pack(json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode())
