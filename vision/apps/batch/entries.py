"""What is to be read: photos, folders, patterns, lists and stores -> tables with their names."""

import csv
import glob
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from vision.apps.addresses import is_address, list_below
from vision.errors import SourceError

__all__ = ["Entry", "find_entries", "together"]

PHOTOS = (".jpg", ".jpeg", ".png", ".webp", ".avif", ".heic", ".heif")
_COLUMNS = ("photo", "name", "deck", "game")
_LISTS = (".txt", ".csv")


@dataclass(frozen=True, slots=True)
class Entry:
    """A table to be read.

    ``name`` names its files below the folder of results, with ``/`` between folders. ``deck`` and
    ``game`` are None where a list says nothing of them.
    """

    name: str
    photos: tuple[Path | str, ...]
    deck: str | None = None
    game: str | None = None


def find_entries(sources: Iterable[str]) -> tuple[Entry, ...]:
    """Find the photos.

    Parameters
    ----------
    sources : iterable of str
        Photos; folders, with all below them; patterns such as ``evening/*.jpg``; lists, ``.txt``
        with a photo a line or ``.csv`` with columns photo, name, deck, game of which only the first
        must be there; ``s3://bucket/prefix``. What a list names lies beside it unless its path is
        whole. Rows of one name are photos of one table.

    Returns
    -------
    tuple of Entry
        In the order of the sources, those of a folder by their names.

    Raises
    ------
    SourceError
        If a source is not there or a list cannot be read, or two tables have one name.
    """
    entries = [entry for source in sources for entry in _of(source)]
    return _named_once(entries)


def together(entries: Sequence[Entry], pattern: str) -> tuple[Entry, ...]:
    r"""Put the photos of one table together by their names.

    Parameters
    ----------
    entries : sequence of Entry
        A photo each.
    pattern : str
        A regular expression; the entries whose whole name it matches with one first group are one
        table of that name: ``(.+)-\d`` for ``friday-1``, ``friday-2``.

    Raises
    ------
    SourceError
        If the expression is none, or has no group.
    """
    try:
        rule = re.compile(pattern)
    except re.error as error:
        msg = f"{pattern!r} is no regular expression: {error}"
        raise SourceError(msg) from error
    if rule.groups < 1:
        msg = f"{pattern!r}: expected a group around the table's name, such as '(.+)-\\d'"
        raise SourceError(msg)
    found: dict[str, Entry] = {}
    for entry in entries:
        match = rule.fullmatch(entry.name)
        name = match[1] if match else entry.name
        old = found.get(name)
        photos = entry.photos if old is None else (*old.photos, *entry.photos)
        found[name] = replace(entry, name=name, photos=photos)
    return tuple(found.values())


def _of(source: str) -> Iterator[Entry]:
    if is_address(source):
        yield from _in_store(source)
        return
    path = Path(source)
    if path.is_dir():
        below = sorted(p for p in path.rglob("*") if p.suffix.lower() in PHOTOS and p.is_file())
        below = [p for p in below if not any(n[0] == "." for n in p.relative_to(path).parts)]
        for photo in below:
            yield Entry(photo.relative_to(path).with_suffix("").as_posix(), (photo,))
    elif path.suffix.lower() in _LISTS:
        yield from _in_list(path)
    elif path.exists():
        yield Entry(path.stem, (path,))
    else:
        matching = sorted(glob.glob(source, recursive=True))  # noqa: PTH207 - a pattern as typed
        if not matching:
            msg = f"{source}: expected a photo, a folder, a pattern or a list; nothing is there"
            raise SourceError(msg)
        for match in matching:
            yield from _of(match)


def _in_store(address: str) -> Iterator[Entry]:
    found = [one for one in list_below(address) if one.lower().endswith(PHOTOS)]
    if not found:
        msg = f"{address}: no photos found there"
        raise SourceError(msg)
    start = address.rpartition("/")[0] + "/"
    for one in found:
        yield Entry(str(PurePosixPath(one.removeprefix(start)).with_suffix("")), (one,))


def _in_list(path: Path) -> Iterator[Entry]:
    """Yield the tables of a list."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        msg = f"{path}: the list cannot be read: {error.strerror}"
        raise SourceError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: expected a list in UTF-8"
        raise SourceError(msg) from error
    found: dict[str, Entry] = {}
    for number, row in enumerate(_rows(path, text), start=1):
        photo = (row.get("photo") or "").strip()
        if not photo:
            msg = f"{path}: row {number} names no photo"
            raise SourceError(msg)
        place = photo if is_address(photo) else path.parent / photo
        name = (row.get("name") or "").strip() or Path(photo).stem
        photos = (*found[name].photos, place) if name in found else (place,)
        found[name] = Entry(name, photos, row.get("deck") or None, row.get("game") or None)
    yield from found.values()


def _rows(path: Path, text: str) -> list[dict[str, str]]:
    if path.suffix.lower() == ".txt":
        return [{"photo": line} for line in text.splitlines() if line.strip()]
    table = csv.DictReader(text.splitlines())
    columns = set(table.fieldnames or ())
    if "photo" not in columns or not columns <= set(_COLUMNS):
        told = ", ".join(sorted(columns)) or "none"
        msg = f"{path}: expected columns photo, and name, deck, game if wanted; got {told}"
        raise SourceError(msg)
    return list(table)


def _named_once(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Refuse two tables whose results would go into one file, and names that lead elsewhere."""
    seen: dict[str, Entry] = {}
    for entry in entries:
        parts = PurePosixPath(entry.name).parts
        if not parts or ".." in parts or entry.name.startswith("/"):
            msg = f"{entry.name!r}: expected a name below the folder of results"
            raise SourceError(msg)
        other = seen.setdefault(entry.name.casefold(), entry)
        if other is not entry:
            msg = (
                f"two tables are named {entry.name!r}: {other.photos[0]} and {entry.photos[0]}; "
                f"rename one, or give them names in a list"
            )
            raise SourceError(msg)
    return tuple(entries)
