"""Every limit of the server by its name; each default carries its reason."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vision.apps.folders import data_folder, deck_folder

if TYPE_CHECKING:
    from vision.imaging.photo import DecodeLimits

__all__ = ["Settings", "settings_from"]

_PREFIX = "SIGHTLINE_"


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be set, by the environment (``SIGHTLINE_BODY_MB=50``) or by code."""

    folder: Path = field(default_factory=data_folder)
    decks: Path = field(default_factory=deck_folder)  #: where learned decks are
    database_url: str = ""  #: empty: SQLite in the folder; postgresql+psycopg://… for PostgreSQL
    token: str = ""  #: asked of everyone but this machine; empty: nobody is asked
    public_url: str = ""  #: how the page is reached from outside, where it cannot be guessed
    allowed_hosts: tuple[str, ...] = ()  #: further names in the Host header

    body_mb: float = 30.0  # a 12 MP photo has 3 to 8 MB, a 48 MP one up to 25
    body_seconds: float = 30.0  # for the first part of a body, then with the rate below
    body_bytes_per_second: float = 16_000.0  # slower than this is no upload but a held socket
    header_seconds: float = 10.0
    send_seconds: float = 60.0  # to take the next 64 kB of a reply: slower is a held buffer
    keep_alive_seconds: int = 5
    connections: int = 200
    pixels_mp: float = 64.0  # 192 MB decoded; OpenCV's own guard is at 100
    progressive_mp: float = 25.0  # such a JPEG is held whole as coefficients, 6 bytes a pixel
    formats: tuple[str, ...] = ("JPEG", "PNG", "WEBP", "AVIF", "HEIF")  # of them what is installed
    json_kb: float = 512.0  # a table of 5,000 cards has 400 kB

    workers: int = 0  #: 0: one for each core
    worker_mb: float = 2048.0  # address space; a 64 MP photo takes about 1.5 GB of it
    scan_seconds: float = 60.0  # 20 would do on an idle machine; a small one may read for others
    draw_seconds: float = 60.0
    attempts: int = 3
    interruptions: int = 60  # times the whole server may die under one photo
    lease_seconds: float = 60.0
    queue_per_worker: int = 8  # a wait of about a minute
    recycle_after: int = 200

    uploads_per_minute: float = 30.0
    upload_burst: int = 10  # an evening's photos dropped at once
    disk_free_mb: float = 500.0
    disk_free_share: float = 0.02
    wait_seconds: float = 60.0  # the longest ?wait=
    trash_days: float = 7.0
    original_days: float = 30.0  # then the picture that the page shows takes its place
    keep_metadata: bool = False  # of the JPEGs kept; nothing that leaves has any in either case
    edits_per_scan: int = 2000
    scans_listed: int = 200
    view_px: int = 2600  # long side of the picture the page shows: sharp when zoomed on a phone
    shutdown_seconds: int = 5

    camera: str = ""  #: a camera, stream, film or folder of the operator's, shown to everyone
    camera_rules: tuple[str, ...] = ()  #: of that table, KEY=VALUE
    live_games: int = 2  # each has a process and keeps a core busy while cards are laid
    live_viewers: int = 60  # of one game; each holds two connections
    live_frame_mb: float = 4.0  # a picture of 1920 x 1080 has 0.3 to 0.8 MB
    live_pixels_mp: float = 9.0  # 3840 x 2160
    live_show_px: int = 1280  # long side of the pictures that viewers get: several a second
    live_mb: float = 2048.0  # address space of a game's process; it holds 250 MB
    live_seconds: float = 30.0  # without an answer the process is replaced; a verdict takes 3
    live_wait_seconds: float = 10.0  # for a newer picture, before a viewer asks again
    live_idle_minutes: float = 30.0  # without a picture the game ends
    live_log: int = 1000  # events kept of a game, for viewers that come late
    live_pictures: int = 100  # of events, 60 kB each

    @property
    def worker_count(self) -> int:
        """The number of photos read at once."""
        return self.workers or os.cpu_count() or 2

    @property
    def body_bytes(self) -> int:
        """The largest body, in bytes."""
        return int(self.body_mb * 1_000_000)

    @property
    def live_frame_bytes(self) -> int:
        """The largest picture of a live game, in bytes."""
        return int(self.live_frame_mb * 1_000_000)

    @property
    def decode_limits(self) -> "DecodeLimits":
        """What is refused before a pixel is decoded."""
        from vision.imaging.photo import DecodeLimits

        return DecodeLimits(
            max_bytes=self.body_bytes,
            max_progressive_pixels=int(self.progressive_mp * 1_000_000),
            max_pixels=int(self.pixels_mp * 1_000_000),
            formats=tuple(name.upper() for name in self.formats),
        )


def _value(kind: Any, text: str) -> Any:
    """Read a value from the environment."""
    if kind is bool:
        truth = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
        if text.lower() not in truth:
            raise ValueError(text)
        return truth[text.lower()]
    return Path(text) if issubclass(kind, Path) else kind(text)


def settings_from(environment: Mapping[str, str], **given: Any) -> Settings:
    """Build settings from ``SIGHTLINE_…`` variables and what is given, which wins.

    Raises
    ------
    ValueError
        If a variable does not hold what its setting takes.
    """
    found: dict[str, Any] = {}
    base = Settings(folder=Path())
    for item in fields(Settings):
        text = environment.get(_PREFIX + item.name.upper())
        if text is None:
            continue
        default = getattr(base, item.name)
        try:
            if isinstance(default, tuple):
                found[item.name] = tuple(part.strip() for part in text.split(",") if part.strip())
            else:
                found[item.name] = _value(type(default), text)
        except ValueError as error:
            kind = type(default).__name__
            msg = f"{_PREFIX}{item.name.upper()}: expected {kind}, got {text!r}"
            raise ValueError(msg) from error
    found |= {name: value for name, value in given.items() if value is not None}
    if "folder" not in found:
        found["folder"] = data_folder()
    return replace(base, **found)
