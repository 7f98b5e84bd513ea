"""A learned deck <-> one file, ``NAME.sightline-deck``: a zip with a manifest and digests.

What comes from elsewhere is not believed: names, number, declared and real size, kind and content
of every entry are checked before the deck is read, and the deck is read before it is kept.
"""

import json
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from typing import Annotated, Literal, NoReturn

from pydantic import Field, ValidationError

from calibration.learned.decks import LearnedDeck, load_learned
from calibration.learned.names import check_card_id, check_name
from vision.errors import DeckError
from vision.files.documents import first_fault
from vision.files.schemas import Model
from vision.games.light_speed.deck import card_ids

__all__ = [
    "SUFFIX",
    "ArchiveLimits",
    "check_cards",
    "digest_of",
    "own_files",
    "pack_deck",
    "unpack_deck",
]

#: What the file of a deck is called by.
SUFFIX = ".sightline-deck"

_MANIFEST = "manifest.json"
_SCHEMA = "sightline/deck-archive@1"
_OWN = re.compile(r"deck\.toml|faces\.npy|lasers\.toml|fitted-[0-9a-f]{16}\.npy")
_EPOCH = (1980, 1, 1, 0, 0, 0)  # of every entry: the same deck gives the same bytes
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1  # of an entry's flags
_CHUNK = 1 << 20
#: What a file that is no zip, or a broken one, makes its reader raise.
_BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, ValueError, RuntimeError)
_DIGEST = 32  # hex digits: 128 bits, nobody makes two decks of one digest


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What is taken in."""

    #: Entries: the manifest, the deck, its faces twice, its lasers. One to spare.
    entries: int = 6
    #: Of all entries unpacked. 1,000 faces at the deck's scale, told and fitted, have 350 MB.
    unpacked_bytes: int = 400_000_000
    #: Of a text in it. A deck of 5,000 cards and many photos has 2 MB.
    text_bytes: int = 8_000_000


class _Entry(Model):
    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Manifest(Model):
    schema_: Annotated[Literal["sightline/deck-archive@1"], Field(alias="schema")]
    name: str
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    files: dict[str, _Entry]


def digest_of(folder: Path) -> str:
    """Return what a deck is told from every other by, as it is now: 32 hex digits."""
    return _digest({file.name: _hash(file) for file in own_files(folder)})


def own_files(folder: Path) -> list[Path]:
    """Return the files of a learned deck, by name."""
    return sorted(file for file in folder.iterdir() if _OWN.fullmatch(file.name))


def pack_deck(folder: Path) -> bytes:
    """Pack a learned deck into one file; the same deck always gives the same bytes.

    Raises
    ------
    DeckError
        If a file of it is missing or damaged.
    """
    name = load_learned(folder).deck.name
    contents = {file.name: file.read_bytes() for file in own_files(folder)}
    hashes = {file: sha256(content).hexdigest() for file, content in contents.items()}
    files = {file: {"bytes": len(contents[file]), "sha256": hashes[file]} for file in contents}
    head = {"schema": _SCHEMA, "name": name, "digest": _digest(hashes), "files": files}
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in {_MANIFEST: json.dumps(head).encode(), **contents}.items():
            entry = zipfile.ZipInfo(file, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, content)
    return out.getvalue()


def unpack_deck(
    source: Path | BytesIO, folder: Path, limits: ArchiveLimits | None = None
) -> tuple[str, str]:
    """Unpack the file of a deck into an empty folder, and read it there.

    Parameters
    ----------
    source : Path or BytesIO
        The file; from anybody.
    folder : Path
        Empty; what is left in it after an error is nobody's deck.
    limits : ArchiveLimits, optional
        What is taken in.

    Returns
    -------
    (str, str)
        The deck's name and its digest.

    Raises
    ------
    DeckError
        If it is no file of a deck, or not as its manifest says.
    """
    limits = limits or ArchiveLimits()
    try:
        with zipfile.ZipFile(source) as archive:
            entries = _checked(archive, limits)
            manifest = _manifest(archive, entries, limits)
            hashes = {}
            for name, told in manifest.files.items():
                hashes[name] = _copy(archive, entries[name], told, folder / name)
    except _BROKEN as error:
        _refuse(f"damaged, or no zip ({error})")
    if _digest(hashes) != manifest.digest:
        _refuse("its digest is not that of its files")
    try:
        learned = load_learned(folder)
    except DeckError as error:
        _refuse(str(error).replace(f"{folder}/", "").replace(str(folder), "the deck"))
    if learned.deck.name != manifest.name:
        _refuse("its manifest names another deck")
    check_name(manifest.name)
    check_cards(learned, is_armed="lasers.toml" in manifest.files)
    return manifest.name, manifest.digest


def _checked(archive: zipfile.ZipFile, limits: ArchiveLimits) -> dict[str, zipfile.ZipInfo]:
    """Return the entries by name, once what the file declares of them can be taken in."""
    found = archive.infolist()
    if len(found) > limits.entries:
        _refuse(f"{len(found)} entries; at most {limits.entries} belong to a deck")
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in found:
        name = entry.filename
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if name != _MANIFEST and not _OWN.fullmatch(name):
            _refuse(f"{name[:80]!r} is no file of a deck")
        if name in entries:
            _refuse(f"{name!r} is in it twice")
        if kind not in (0, stat.S_IFREG):
            _refuse(f"{name!r} is no plain file")
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _PLAIN:
            _refuse(f"{name!r} is encrypted, or packed in a way that is not read")
        if name.endswith((".toml", ".json")) and entry.file_size > limits.text_bytes:
            _refuse(f"{name!r} is too large")
        entries[name] = entry
    if sum(entry.file_size for entry in found) > limits.unpacked_bytes:
        _refuse(f"it unpacks to more than {limits.unpacked_bytes / 1e6:.0f} MB")
    return entries


def _manifest(
    archive: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], limits: ArchiveLimits
) -> _Manifest:
    """Read the manifest; it names every other entry."""
    if _MANIFEST not in entries:
        _refuse(f"it has no {_MANIFEST}")
    with archive.open(entries[_MANIFEST]) as file:
        text = file.read(limits.text_bytes + 1)
    if len(text) > limits.text_bytes:
        _refuse(f"{_MANIFEST!r} is too large")
    try:
        manifest = _Manifest.model_validate_json(text)
    except ValidationError as error:
        _refuse(f"{_MANIFEST}: {first_fault(error)}")
    if set(manifest.files) != set(entries) - {_MANIFEST}:
        _refuse(f"{_MANIFEST} does not name what is in it")
    return manifest


def _copy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, told: _Entry, target: Path) -> str:
    """Unpack an entry, never more of it than it is said to have; return its hash."""
    found, size = sha256(), 0
    with archive.open(entry) as source, target.open("xb") as file:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > told.bytes:
                break
            found.update(chunk)
            file.write(chunk)
    if size != told.bytes or found.hexdigest() != told.sha256:
        _refuse(f"{entry.filename!r} is not as the manifest says")
    return found.hexdigest()


def check_cards(learned: LearnedDeck, *, is_armed: bool) -> None:
    """Find out whether cards may have their ids, and are those that a deck file speaks of.

    Raises
    ------
    DeckError
        If not.
    """
    for card in learned.card_ids:
        check_card_id(card)
    known = card_ids(learned.deck) if is_armed else learned.card_ids
    strange = [card for card in learned.card_ids if card not in known]
    if strange:
        _refuse(f"{strange[0]!r} is no card of its lasers")


def _hash(file: Path) -> str:
    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


def _digest(hashes: dict[str, str]) -> str:
    lines = "".join(f"{name} {hashes[name]}\n" for name in sorted(hashes))
    return sha256(lines.encode()).hexdigest()[:_DIGEST]


def _refuse(why: str) -> NoReturn:
    msg = f"this deck file cannot be imported: {why}"
    raise DeckError(msg)
