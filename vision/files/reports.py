"""A report of a round that came out wrong, in one file: photos, scan, corrections, version.

The file is a zip of a few members with fixed names. What is opened comes from strangers: nothing
is written to a disk, every member has a largest size, and what does not belong there is refused.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from vision.errors import ReportFormatError

__all__ = ["PHOTO_CHOICES", "PhotoChoice", "Report", "is_report", "pack_report", "unpack_report"]

Json = dict[str, Any]
PhotoChoice: TypeAlias = Literal["as_is", "table", "none"]
PHOTO_CHOICES: tuple[PhotoChoice, ...] = get_args(PhotoChoice)

_SCHEMA = "sightline/report@1"
_REPORT, _SCAN, _JOINT = "report.json", "scan.json", "joint.npy"
_MOST_PHOTOS = 40  # more than any game is spread over
_PHOTOS = {f"photo-{n}.{kind}": n for n in range(_MOST_PHOTOS) for kind in ("jpg", "png", "webp")}
#: Bytes of a member, unpacked: scans of full tables have 0.3 MB, photos are refused above 60 MB.
_MOST_BYTES = {_REPORT: 5_000_000, _SCAN: 20_000_000, _JOINT: 20_000_000}
_MOST_OF_PHOTO, _MOST_OF_ALL = 60_000_000, 200_000_000
_THEN = (1980, 1, 1, 0, 0, 0)  # the same report is the same file
_START = b"PK\x03\x04"


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A round that came out wrong, as its sender had it.

    Attributes
    ----------
    version : str
        Of the program that made it.
    game, deck : str
        What was read.
    photo : PhotoChoice
        What the sender gave of the photos: ``as_is``, ``table`` (nothing beside it) or ``none``.
    photos : sequence of bytes
        The photos, the one that is drawn on first.
    scan : dict or None
        ``sightline/scan@1`` as it was read; None if nothing could be read.
    joint : bytes
        Joint covariance of the pieces (.npy).
    changes : sequence of dict
        The corrections that stand, in order.
    rules, points : mapping
        The variants asked for; what those who play had in their careers, by side.
    told : dict
        ``headline`` of the round with all corrections; of a failed one ``error``.
    note : str
        What the sender says.
    """

    version: str
    game: str
    deck: str
    photo: PhotoChoice
    photos: Sequence[bytes] = ()
    scan: Json | None = None
    joint: bytes = b""
    changes: Sequence[Json] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    points: Mapping[str, int] = field(default_factory=dict)
    told: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


def is_report(content: bytes) -> bool:
    """Tell whether a file is a zip, as a report is."""
    return content.startswith(_START)


def pack_report(report: Report) -> bytes:
    """Return a report as one file; the same report is the same bytes."""
    names = [f"photo-{n}.{_kind(photo)}" for n, photo in enumerate(report.photos)]
    about = {
        "schema": _SCHEMA,
        "version": report.version,
        "game": report.game,
        "deck": report.deck,
        "photo": report.photo,
        "photos": names,
        "changes": list(report.changes),
        "rules": dict(report.rules),
        "points": dict(report.points),
        "told": dict(report.told),
        "note": report.note,
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:

        def put(name: str, content: bytes, how: int = zipfile.ZIP_DEFLATED) -> None:
            entry = zipfile.ZipInfo(name, _THEN)
            entry.external_attr = 0o644 << 16
            entry.compress_type = how
            file.writestr(entry, content)

        put(_REPORT, _bytes(about))
        if report.scan is not None:
            put(_SCAN, _bytes(report.scan))
            put(_JOINT, report.joint)
        for name, photo in zip(names, report.photos, strict=True):
            put(name, photo, zipfile.ZIP_STORED)
    return out.getvalue()


def unpack_report(content: bytes) -> Report:
    """Read a report.

    Raises
    ------
    ReportFormatError
        If it is damaged, too large, or no report at all.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            _check_members(file)
            parts = {entry.filename: _unpacked(file, entry) for entry in file.infolist()}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        msg = f"the report is damaged ({error}); ask for it once more"
        raise ReportFormatError(msg) from error
    about, scan = _json(parts, _REPORT), _json(parts, _SCAN) if _SCAN in parts else None
    _check_about(about)
    missing = [name for name in about["photos"] if name not in parts]
    if missing or (scan is not None and _JOINT not in parts):
        msg = f"the report lacks {', '.join(missing or [_JOINT])}; ask for it once more"
        raise ReportFormatError(msg)
    return Report(
        version=about["version"],
        game=about["game"],
        deck=about["deck"],
        photo=about["photo"],
        photos=tuple(parts[name] for name in about["photos"]),
        scan=scan,
        joint=parts.get(_JOINT, b""),
        changes=tuple(about["changes"]),
        rules=about["rules"],
        points=about["points"],
        told=about["told"],
        note=about["note"],
    )


def _kind(photo: bytes) -> str:
    if photo.startswith(b"\x89PNG"):
        return "png"
    return "webp" if photo[:4] == b"RIFF" else "jpg"


def _bytes(document: Any) -> bytes:
    return json.dumps(document, allow_nan=False).encode("ascii")


def _check_members(file: zipfile.ZipFile) -> None:
    """Refuse what is no report by the names and sizes of its members, before any is unpacked."""
    names = [entry.filename for entry in file.infolist()]
    if _REPORT not in names:
        msg = f"a zip without {_REPORT}: it is no report that Sightline made"
        raise ReportFormatError(msg)
    strange = [name for name in names if name not in _MOST_BYTES and name not in _PHOTOS]
    if strange or len(set(names)) < len(names):
        shown = (strange or [name for name in names if names.count(name) > 1])[0][:60]
        msg = f"the zip holds {shown!r}, which no report has or has twice; it is not opened"
        raise ReportFormatError(msg)
    sizes = {entry.filename: entry.file_size for entry in file.infolist()}
    large = [name for name, size in sizes.items() if size > _most(name)]
    if large or sum(sizes.values()) > _MOST_OF_ALL:
        shown = large[0] if large else "the report"
        size = sizes[large[0]] if large else sum(sizes.values())
        msg = f"{shown} would have {size / 1e6:.0f} MB unpacked; that is too large for a report"
        raise ReportFormatError(msg)


def _most(name: str) -> int:
    return _MOST_BYTES.get(name, _MOST_OF_PHOTO)


def _unpacked(file: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Unpack a member; what it says of its own size is not believed."""
    if entry.flag_bits & 1:
        msg = f"{entry.filename} is encrypted; reports are not"
        raise ReportFormatError(msg)
    most = _most(entry.filename)
    with file.open(entry) as member:
        content = member.read(most + 1)
    if len(content) > most:
        msg = f"{entry.filename} has more than {most / 1e6:.0f} MB; that is too large for a report"
        raise ReportFormatError(msg)
    return content


def _json(parts: Mapping[str, bytes], name: str) -> Json:
    try:
        found = json.loads(parts[name])
    except (ValueError, RecursionError) as error:
        msg = f"{name} in the report is no JSON; ask for the report once more"
        raise ReportFormatError(msg) from error
    if not isinstance(found, dict):
        msg = f"{name} in the report is no JSON object; ask for the report once more"
        raise ReportFormatError(msg)
    return found


def _check_about(about: Json) -> None:
    """Refuse a description of another form."""
    if about.get("schema") != _SCHEMA:
        msg = f"{_REPORT}: expected the schema {_SCHEMA}; got {str(about.get('schema'))[:60]!r}"
        raise ReportFormatError(msg)
    forms = {
        **dict.fromkeys(("version", "game", "deck", "photo", "note"), str),
        **dict.fromkeys(("photos", "changes"), list),
        **dict.fromkeys(("rules", "points", "told"), dict),
    }
    for name, form in forms.items():
        if not isinstance(about.get(name), form):
            msg = f"{_REPORT}: {name} is missing or of the wrong kind"
            raise ReportFormatError(msg)
    is_whole = all(isinstance(name, str) and name in _PHOTOS for name in about["photos"])
    is_whole &= all(isinstance(change, dict) for change in about["changes"])
    is_whole &= all(isinstance(n, int) for n in about["points"].values())
    if not is_whole or about["photo"] not in PHOTO_CHOICES:
        msg = f"{_REPORT}: photos, changes, points or photo are not as a report has them"
        raise ReportFormatError(msg)
