"""The files of the page as they are sent: scripts joined, text compressed, each once.

The first page's scripts are one file, what it imports when it is needed (``import("…")``) another.
Whoever changes a file needs no build step: what was made of it is made anew when it has changed.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike, stat_result
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

__all__ = [
    "MEDIA",
    "STATIC",
    "PageFiles",
    "index_page",
    "join_page",
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
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"\s*//")
_LATER = re.compile(r'\bimport\("([^"]+)"\)')
_MARK_SIGNS = 12
_JOINED = re.compile(rf"joined/{Path(_ENTRY).stem}\.[0-9a-f]{{{_MARK_SIGNS}}}\.js")
_THERE = "globalThis.$there"  # the modules of the first file, for those that come later
_LASTING = "public, max-age=31536000, immutable"  # its address has the mark of its content
_ASKED_AGAIN = "no-cache"


@dataclass(frozen=True, slots=True)
class Packed:
    """A text as it is and compressed (gzip); ``mark`` tells it from all others."""

    plain: bytes
    small: bytes
    mark: str


def _pack(content: bytes) -> Packed:
    mark = hashlib.sha256(content).hexdigest()[:_MARK_SIGNS]
    return Packed(content, gzip.compress(content, 9, mtime=0), mark)


# --- joining -------------------------------------------------------------------------------------


def join_page(entry: Path) -> dict[str, Packed]:
    """Return the scripts of a page by their addresses: first the entry with all that it imports.

    Each further one is what a module of the first imports only when it is needed, without what is
    there already. A module becomes a function that returns what it exports, each once and before
    who imports it; comments and indents are left out.

    Raises
    ------
    ValueError
        If modules import one another in a circle.
    """
    first = _in_order(entry, {})
    later = dict.fromkeys(
        (path.parent / place).resolve()
        for path in first
        for place in _LATER.findall(path.read_text(encoding="utf-8"))
    )
    joined = {path: _pack(_join_later(path, first).encode()) for path in later}
    places = {path: f"/static/joined/{path.stem}.{text.mark}.js" for path, text in joined.items()}
    bodies = [_joined(path, places) for path in first if path != entry]
    names = ", ".join(_name(path) for path in first if path != entry)
    text = "\n".join([*bodies, f"{_THERE} = {{ {names} }};", f"{{\n{_body(entry, places)}\n}}\n"])
    packed = _pack(text.encode())
    return {f"/static/joined/{entry.stem}.{packed.mark}.js": packed} | {
        places[path]: text for path, text in joined.items()
    }


def _join_later(entry: Path, there: Mapping[Path, None]) -> str:
    """Return a module as one that may be imported, with all that it imports and is not there."""
    new = _in_order(entry, there)
    needed = {other for path in new for other in _imports(path)} & set(there)
    names = ", ".join(_name(path) for path in there if path in needed)
    exports = ", ".join(_exports(entry))
    return "\n".join(
        [
            f"const {{ {names} }} = {_THERE};",
            *(_joined(path, {}) for path in new),
            f"export const {{ {exports} }} = {_name(entry)};\n",
        ]
    )


def _imports(path: Path) -> list[Path]:
    """Return the modules that a module cannot do without."""
    found = _IMPORT.findall(path.read_text(encoding="utf-8"))
    return [(path.parent / place).resolve() for _, place in found]


def _exports(path: Path) -> list[str]:
    return [name for _, name in _EXPORT.findall(path.read_text(encoding="utf-8"))]


def _in_order(entry: Path, there: Mapping[Path, None]) -> dict[Path, None]:
    """Return a module and all that it imports and is not there, each behind what it imports."""
    order = dict(there)
    _put_in_order(entry, order, ())
    return {path: None for path in order if path not in there}


def _put_in_order(path: Path, order: dict[Path, None], above: tuple[Path, ...]) -> None:
    """Add a module behind all that it imports."""
    if path in above:
        msg = f"{path.name} imports itself, by way of {above[-1].name}"
        raise ValueError(msg)
    if path in order:
        return
    for other in _imports(path):
        _put_in_order(other, order, (*above, path))
    order[path] = None


def _name(path: Path) -> str:
    return "$" + "_".join((path.parent.name, path.stem))


def _joined(path: Path, places: Mapping[Path, str]) -> str:
    given = ", ".join(_exports(path))
    return f"const {_name(path)} = (() => {{\n{_body(path, places)}\nreturn {{ {given} }};\n}})();"


def _body(path: Path, places: Mapping[Path, str]) -> str:
    """Return what a module does; ``places``: where what is imported later is."""

    def from_module(match: re.Match[str]) -> str:
        names = " ".join(match[1].split()).rstrip(",")
        return f"const {{ {names} }} = {_name((path.parent / match[2]).resolve())};\n"

    def from_later(match: re.Match[str]) -> str:
        return f'import("{places[(path.parent / match[1]).resolve()]}")'

    text = _IMPORT.sub(from_module, path.read_text(encoding="utf-8"))
    return "\n".join(_without_air(_EXPORT.sub(r"\1", _LATER.sub(from_later, text))))


def _without_air(text: str) -> Iterator[str]:
    """Yield the lines of a script without indents and comments; those within a text as they are."""
    is_inside = False
    for line in text.splitlines():
        was_inside = is_inside
        is_inside ^= line.count("`") % 2 == 1
        if was_inside:
            yield line
        elif line.strip() and not _COMMENT.match(line):
            yield line.lstrip()


# --- kept until a file changes -------------------------------------------------------------------


def _scripts() -> Mapping[str, Packed]:
    files = sorted((STATIC / "js").rglob("*.js"))
    return _scripts_of(tuple((path, path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=2)
def _scripts_of(_: tuple[tuple[Path, int], ...]) -> Mapping[str, Packed]:
    return join_page((STATIC / _ENTRY).resolve())


def packed_file(path: Path) -> Packed:
    """Return a file of the page."""
    return _file_of(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _file_of(path: Path, _: int) -> Packed:
    return _pack(path.read_bytes())


def index_page() -> Packed:
    """Return the page itself; it names its script and its style by the marks of their content."""
    return _index_of(
        packed_file(STATIC / "index.html"),
        next(iter(_scripts())),
        packed_file(STATIC / _STYLE).mark,
    )


@lru_cache(maxsize=2)
def _index_of(page: Packed, script: str, style: str) -> Packed:
    text = page.plain.decode()
    text = text.replace(f"/static/{_ENTRY}", script)
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
        """Return a file, or scripts as one; those of an older first page are those of now."""
        scripts = _scripts()
        joined = scripts.get(f"/static/{path}")
        is_older = joined is None and _JOINED.fullmatch(path)
        found = next(iter(scripts.values())) if is_older else joined
        if found is not None:
            caching = _ASKED_AGAIN if is_older else _LASTING
            return packed_reply(found, Headers(scope=scope), MEDIA[".js"], caching)
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
